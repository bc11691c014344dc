"""Streams of events: the events of a run, stored so that listeners can reconnect, here or at another replica.

A run continues in its own thread with or without listeners. Its events go to the listeners in this process at once,
and to ``service.events`` a few times a second. A client that asks another replica, or reconnects after the run ended, gets them
from there. A run without events writes a heartbeat to the log; a log without one belongs to a process
that died.
"""

import asyncio
import logging
import threading
import time
from collections.abc import AsyncGenerator, AsyncIterable, Callable, Mapping
from datetime import datetime

from fastapi.concurrency import run_in_threadpool
from fastapi.responses import StreamingResponse

from ascertain.app.ports import ServiceStores
from ascertain.core.asking.runs import Stop
from ascertain.core.errors import AscertainError
from ascertain.core.service.service import LoggedEvent
from ascertain.interfaces.server.problems import Problem

WRITE_SECONDS = 0.25
"""How often events are written to the log, and how often a listener at another replica looks there."""
ALIVE_SECONDS = 5.0
"""How long a run may be silent before it writes a heartbeat."""
DEAD_SECONDS = 4 * ALIVE_SECONDS
"""A log that is silent for this long belongs to a process that has died: up to three heartbeats may be late."""
ALIVE = "alive"

_logger = logging.getLogger("ascertain.interfaces.server")


class EventsResponse(StreamingResponse):
    """Server-sent events. Not the framework's own: that one fails when a listener leaves at the wrong moment."""

    media_type = "text/event-stream"

    def __init__(self, events: AsyncIterable[str | bytes], status_code: int = 200) -> None:
        # proxies such as nginx must forward each event at once; the framework reads the status off the signature
        super().__init__(events, status_code, headers={"Cache-Control": "no-cache", "X-Accel-Buffering": "no"})


class StreamEnded(Exception):
    """All events of a stream were sent already; the listener need not reconnect."""


class LiveStream:
    """The events of one answer while its run is in this process; sent from its thread, received in the event loop. ``stop``
    ends the run.
    """

    def __init__(self, stream_id: str, tenant: str, user: str, about: str) -> None:
        """For a ``user``, empty where the service is open; ``about`` is the conversation or run of its events."""
        self.stream_id = stream_id
        self.tenant = tenant
        self.user = user
        self.about = about
        self.stop = Stop()
        self.last_sent = time.monotonic()
        self._events: list[LoggedEvent] = []
        self._written = 0
        self._lock = threading.Lock()
        self._writing = threading.Lock()
        self._listeners: set[_Listener] = set()

    @property
    def is_ended(self) -> bool:
        """Whether the last event was sent."""
        with self._lock:
            return bool(self._events) and self._events[-1].is_last

    def tell(self, kind: str, data: Mapping[str, object], is_last: bool = False) -> None:
        """Add an event, unless the stream has ended."""
        with self._lock:
            if self._events and self._events[-1].is_last:
                return
            self._events.append(LoggedEvent(len(self._events) + 1, kind, data, is_last))
            self.last_sent = time.monotonic()
            for listener in self._listeners:
                listener.wake()

    def clamp_number(self, number: int) -> int:
        """``number``, or the number of the latest event if that is higher.

        Raises StreamEnded when nothing comes after it.
        """
        with self._lock:
            latest = len(self._events)
            if number >= latest and self._events and self._events[-1].is_last:
                raise StreamEnded
            return min(number, latest)

    async def after(self, number: int) -> AsyncGenerator[LoggedEvent]:
        """The events after the numbered one as they come, up to the last."""
        listener = _Listener()
        with self._lock:
            self._listeners.add(listener)
        try:
            while True:
                with self._lock:
                    fresh = self._events[number:]
                for event in fresh:
                    number = event.number
                    yield event
                if fresh and fresh[-1].is_last:
                    return
                await listener.woken()
        finally:
            with self._lock:
                self._listeners.discard(listener)

    def write(self, service: ServiceStores, moment: datetime) -> None:
        """Write what the log does not have yet; raises StoreError."""
        with self._writing:
            with self._lock:
                fresh = self._events[self._written :]
            if fresh:
                service.events.append(self.stream_id, fresh, moment, self.tenant, user=self.user, about=self.about)
                self._written += len(fresh)


class _Listener:
    """Wakes a coroutine from any thread."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._event = asyncio.Event()

    def wake(self) -> None:
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._event.set)

    async def woken(self) -> None:
        await self._event.wait()
        self._event.clear()


class EventStreams:
    """The streams of this process, and those of others through the log."""

    def __init__(self, service: Callable[[], ServiceStores], now: Callable[[], datetime]) -> None:
        self._service = service
        self._now = now
        self._live: dict[tuple[str, str], LiveStream] = {}
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._writer = threading.Thread(target=self._write_on, name="event-log", daemon=True)
        self._writer.start()

    def begin(
        self,
        stream_id: str,
        tenant: str,
        first: tuple[str, Mapping[str, object]],
        *,
        user: str | None = None,
        about: str | None = None,
    ) -> LiveStream:
        """A new stream with its first event, which is in the log when this returns. Raises StoreError."""
        stream = LiveStream(stream_id, tenant, user or "", about or "")
        stream.tell(*first)
        stream.write(self._service(), self._now())
        with self._lock:
            self._live[tenant, stream_id] = stream
        return stream

    def end(self, stream: LiveStream) -> None:
        """Write the rest of a stream whose last event was sent; from now on it is read from the log."""
        self._write_events(stream)
        with self._lock:
            self._live.pop((stream.tenant, stream.stream_id), None)

    async def after(
        self, stream_id: str, tenant: str, number: int, user: str | None = None
    ) -> AsyncGenerator[LoggedEvent] | None:
        """The events after the numbered one, up to the last; None without such a stream of this tenant, or of ``user``.

        Raises StreamEnded when the numbered one was the last.
        """
        live = self.find_live(stream_id, tenant, user)
        if live is not None:
            return live.after(live.clamp_number(number))
        events = await self._log_up_to(stream_id, tenant, number, user)
        if events is None:
            return None
        if events and events[-1].is_last and number >= events[-1].number:
            raise StreamEnded
        number = min(number, len(events))
        return self._follow_log(stream_id, tenant, number, events[number:])

    def find_live(self, stream_id: str, tenant: str, user: str | None = None) -> LiveStream | None:
        """The stream of a run that is in this process; None where it has ended, is in another, or is not that of ``user``."""
        with self._lock:
            live = self._live.get((tenant, stream_id))
        return live if live is not None and user in (None, live.user) else None

    def find_about(self, about: str, tenant: str) -> list[LiveStream]:
        """The streams in this process for a conversation or run."""
        with self._lock:
            return [each for (of, _), each in self._live.items() if of == tenant and each.about == about]

    def close(self) -> None:
        """End the thread that writes; pending events are written first."""
        self._closing.set()
        self._writer.join()

    async def _log_up_to(self, stream_id: str, tenant: str, number: int, user: str | None) -> list[LoggedEvent] | None:
        """What is in the log once the numbered event is: another process notifies its listeners before it writes."""
        asked = time.monotonic()
        while True:
            events = await run_in_threadpool(self._service().events.after, stream_id, 0, tenant, user)
            if not events or len(events) >= number or events[-1].is_last:
                return events
            if time.monotonic() - asked > DEAD_SECONDS:
                return events
            await asyncio.sleep(WRITE_SECONDS)

    async def _follow_log(
        self, stream_id: str, tenant: str, number: int, events: list[LoggedEvent] | None
    ) -> AsyncGenerator[LoggedEvent]:
        heard = time.monotonic()
        while True:
            for event in events or ():
                number, heard = event.number, time.monotonic()
                yield event
                if event.is_last:
                    return
            if time.monotonic() - heard > DEAD_SECONDS:
                yield _make_interruption(number + 1)
                return
            await asyncio.sleep(WRITE_SECONDS)
            events = await run_in_threadpool(self._service().events.after, stream_id, number, tenant)

    def _write_on(self) -> None:
        while not self._closing.wait(WRITE_SECONDS):
            self._write_all()
        self._write_all()

    def _write_all(self) -> None:
        with self._lock:
            streams = list(self._live.values())
        for stream in streams:
            if time.monotonic() - stream.last_sent > ALIVE_SECONDS:
                stream.tell(ALIVE, {})
            self._write_events(stream)

    def _write_events(self, stream: LiveStream) -> None:
        try:
            stream.write(self._service(), self._now())
        except AscertainError as error:
            # the listeners in this process are notified anyway
            _logger.warning("events of an answer could not be stored: %s", error)


def _make_interruption(number: int) -> LoggedEvent:
    problem = Problem("unavailable", "The service that worked on this answer has ended; ask again.")
    return LoggedEvent(number, "error", {"problem": problem.describe("", "").to_json()}, is_last=True)
