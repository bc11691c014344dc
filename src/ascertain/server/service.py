"""What the routes share: the knowledge base, the queue of questions, the requests under way."""

from __future__ import annotations

import contextvars
import queue
import threading
import time
from collections.abc import Callable, Generator
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import count
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, cast

from fastapi import Depends, Request

from ascertain.app.ascertain import Ascertain
from ascertain.app.connections import ROOM_SECONDS
from ascertain.app.ports import ServiceStores
from ascertain.core.processor_time import limit_processor_time
from ascertain.core.settings import Settings
from ascertain.server.event_streams import EventStreams
from ascertain.server.problems import Problem, ProblemError
from ascertain.telemetry.metrics import Metrics

if TYPE_CHECKING:
    from ascertain.app.jobs.jobs import JobRunner


class UnderWay:
    """The requests under way; belongs to the event loop."""

    def __init__(self) -> None:
        self._numbers = count()
        self._open: set[int] = set()

    @contextmanager
    def request(self) -> Generator[None]:
        """A request is under way in the context."""
        number = next(self._numbers)
        self._open.add(number)
        try:
            yield
        finally:
            self._open.discard(number)

    def now(self) -> frozenset[int]:
        """Those under way at this moment."""
        return frozenset(self._open)

    def any_of(self, before: frozenset[int]) -> bool:
        """Whether one of them still is."""
        return not before.isdisjoint(self._open)


T = TypeVar("T")

SHUTTING_DOWN = Problem(
    "shutting-down", "The service is about to end; ask again, or ask another replica.", retry_after=ROOM_SECONDS
)

MANY_DOCUMENTS = 10
"""What an analysis or a research run may take, in questions: it reads documents by the hundred."""

_Work = tuple["Future[Any]", Callable[[], Any]]


class QuestionPool:
    """Runs questions in threads of its own, in the order in which they came.

    The threads are daemons: a question that does not come to its end cannot keep the process from ending.
    """

    def __init__(self, workers: int, waiting: int, processor_seconds: float) -> None:
        """``workers`` questions at a time; so many more may be ``waiting``. One may take so many seconds of the processor."""
        self._most = workers + waiting
        self._processor_seconds = processor_seconds
        self._work: queue.SimpleQueue[_Work | None] = queue.SimpleQueue()
        self._idle = threading.Condition()
        self._taken = 0
        self._running = 0
        self._refuses = False
        self._threads = [
            threading.Thread(target=self._run_questions, name=f"question-{number}", daemon=True)
            for number in range(workers)
        ]
        for thread in self._threads:
            thread.start()

    def submit(self, work: Callable[[], T], share: int = 1) -> Future[T]:
        """Do ``work`` when its turn comes; cancelling the future gives up its place.

        It may take ``share`` times the processor time of a question; beyond that it ends with TooMuchWork. Raises ProblemError when
        there is no room.
        """
        future: Future[T] = Future()
        with self._idle:
            if self._refuses:
                raise ProblemError(SHUTTING_DOWN)
            if self._taken >= self._most:
                told = f"{self.waiting} questions are waiting already."
                raise ProblemError(Problem("overloaded", told, retry_after=ROOM_SECONDS))
            self._taken += 1
        future.add_done_callback(self._free_place)
        # log lines of the work carry the id of the request that asked for it
        context = contextvars.copy_context()
        self._work.put((future, lambda: context.run(self._run_within, work, share * self._processor_seconds)))
        return future

    @staticmethod
    def _run_within(work: Callable[[], T], seconds: float) -> T:
        refusal = f"The request took more than {seconds:g} s of the processor and was ended; ask for less at once."
        with limit_processor_time(seconds, refusal):
            return work()

    @property
    def running(self) -> int:
        """Questions being worked on."""
        return self._running

    @property
    def waiting(self) -> int:
        """Questions that wait for a thread."""
        return max(0, self._taken - self._running)

    def refuse(self) -> None:
        """Take no more; those that were taken have their turn."""
        with self._idle:
            self._refuses = True

    def wait_until_idle(self, seconds: float) -> bool:
        """Whether every question that was taken came to its end within ``seconds``."""
        with self._idle:
            return self._idle.wait_for(lambda: self._taken == 0, seconds)

    def close(self, seconds: float) -> None:
        """Take no more, drop those that wait, and give those being worked on so many ``seconds`` to end."""
        self.refuse()
        while True:
            try:
                dropped = self._work.get_nowait()
            except queue.Empty:
                break
            if dropped is not None:
                dropped[0].cancel()
        for _ in self._threads:
            self._work.put(None)
        until = time.monotonic() + seconds
        for thread in self._threads:
            thread.join(max(0.0, until - time.monotonic()))

    def _run_questions(self) -> None:
        while (taken := self._work.get()) is not None:
            future, work = taken
            if not future.set_running_or_notify_cancel():
                continue
            with self._idle:
                self._running += 1
            try:
                outcome = work()
            except BaseException as error:
                self._stop_running()
                future.set_exception(error)
            else:
                self._stop_running()
                future.set_result(outcome)
            # or it would be held until the next question comes
            del taken, future, work

    def _stop_running(self) -> None:
        with self._idle:
            self._running -= 1

    def _free_place(self, _: object) -> None:
        with self._idle:
            self._taken -= 1
            if self._taken == 0:
                self._idle.notify_all()


@dataclass(slots=True)
class Service:
    """One running service over one knowledge base; ``knowledge`` is that of the tenant of its settings."""

    knowledge: Ascertain
    settings: Settings
    pool: QuestionPool
    streams: EventStreams
    jobs: JobRunner
    metrics: Metrics
    under_way: UnderWay
    is_open: Callable[[], bool]
    is_ending: threading.Event = field(default_factory=threading.Event)
    """Set once the service has been told to end."""
    began_at: datetime = field(default_factory=lambda: datetime.now(UTC))

    @staticmethod
    def now() -> datetime:
        """The moment that limits, keys and events go by; not the knowledge base's clock, which may be set to another
        day.
        """
        return datetime.now(UTC)

    @property
    def stores(self) -> ServiceStores:
        """Keys, jobs, files and the rest."""
        return self.knowledge.service


def service_of(request: Request) -> Service:
    """The service that a request came to."""
    return cast(Service, request.app.state.service)


Running = Annotated[Service, Depends(service_of)]
"""A parameter of a route: the service."""
