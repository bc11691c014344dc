"""The service in several processes over one home or store, which share one listening socket.

Each is a whole service; their shared state (keys, limits, jobs, events, cached answers) is in the stores, as between replicas. The
parent answers no requests: it starts them, replaces one that has died or hangs, and stops them all on a signal.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import socket
import threading
import time
from collections.abc import Callable
from contextlib import contextmanager
from multiprocessing.context import SpawnContext, SpawnProcess
from typing import TYPE_CHECKING, Protocol

from ascertain.app.access.api_keys import check_reach
from ascertain.app.access.connections import check_certificate
from ascertain.app.access.sign_in.admission import check_sign_in
from ascertain.app.ascertain import Ascertain
from ascertain.app.telemetry.logs import configure_logs, logger
from ascertain.core.errors import AscertainError
from ascertain.core.settings import Settings
from ascertain.interfaces.server.application import open_listener, serve_requests, url_of

if TYPE_CHECKING:
    from collections.abc import Generator

LOOK_SECONDS = 0.5
HANGS_AFTER = 60
"""Checks without a heartbeat after which a process is stopped: one that only has much to do gives one each second. Counted and
not timed, so that a machine that slept is no reason."""
GRACE_SECONDS = 15.0
"""Beyond ``server.drain_seconds``, for connections and stores to be closed."""


class _Beats(Protocol):
    """A number that the process counts up each second once it answers."""

    value: int


class ServingProcess:
    """One process of the service."""

    def __init__(self, context: SpawnContext, settings: Settings, listening: socket.socket) -> None:
        self._beats: _Beats = context.RawValue("L", 0)
        self._seen, self._missed = 0, 0
        self.process: SpawnProcess = context.Process(
            target=_serve_process, args=(settings, listening, self._beats), name="ascertain-service"
        )
        self.process.start()

    @property
    def is_ready(self) -> bool:
        """Whether it has started to answer."""
        return self._beats.value > 0

    @property
    def is_lost(self) -> bool:
        """Whether it has ended, or hangs; to be called every LOOK_SECONDS."""
        if not self.process.is_alive():
            return True
        beats = self._beats.value
        self._missed = self._missed + 1 if beats == self._seen and beats else 0
        self._seen = beats
        return self._missed >= HANGS_AFTER

    def end(self, seconds: float) -> None:
        """Wait this long for it to end, then kill it."""
        self.process.join(max(0.0, seconds))
        if self.process.is_alive():
            self.process.kill()
            self.process.join()

    def tell(self) -> None:
        """Send it the signal to stop."""
        if self.process.pid is not None and self.process.is_alive():
            os.kill(self.process.pid, signal.SIGTERM)


def run_processes(knowledge: Ascertain, announce: Callable[[str, bool], None]) -> None:
    """As ``run_service``, with ``server.workers`` processes. Raises AscertainError too when one of them ends before it answers."""
    settings = knowledge.settings
    check_certificate(settings.server)
    check_sign_in(settings.server)
    is_open = check_reach(knowledge.container, settings.server.host, has_sign_in=settings.server.has_sign_in)
    knowledge.set_up()
    with open_listener(settings.server.host, settings.server.port) as listening:
        configure_logs(settings.telemetry)
        url = url_of(listening, settings.server)
        context = multiprocessing.get_context("spawn")
        serving: list[ServingProcess] = []
        with _heed_signals(serving) as ending:
            try:
                serving += [ServingProcess(context, settings, listening) for _ in range(settings.server.workers)]
                _look_after(
                    serving,
                    ending,
                    lambda: ServingProcess(context, settings, listening),
                    lambda: announce(url, is_open),
                )
            finally:
                _end_all(serving, settings.server.drain_seconds + GRACE_SECONDS)


def _look_after(
    serving: list[ServingProcess],
    ending: threading.Event,
    start: Callable[[], ServingProcess],
    announce: Callable[[], None],
) -> None:
    """Until the shutdown: replace lost processes, and ``announce`` the service once the first answers."""
    is_announced = False
    while not ending.wait(LOOK_SECONDS):
        for place, each in enumerate(serving):
            if not each.is_lost:
                continue
            each.end(0)
            if not each.is_ready:
                raise AscertainError(
                    f"a process of the service ended before it answered (exit status {each.process.exitcode}); its log says why"
                )
            logger.warning("a process of the service is lost and replaced", extra={"status": each.process.exitcode})
            serving[place] = start()
        if not is_announced and any(each.is_ready for each in serving):
            is_announced = True
            announce()


def _end_all(serving: list[ServingProcess], seconds: float) -> None:
    for each in serving:
        each.tell()
    until = time.monotonic() + seconds
    for each in serving:
        each.end(until - time.monotonic())


@contextmanager
def _heed_signals(serving: list[ServingProcess]) -> Generator[threading.Event]:
    """Set at the first signal to end; further ones are forwarded, and end it at once."""
    ending = threading.Event()

    def heed(number: int, frame: object) -> None:
        if ending.is_set():
            for each in serving:
                each.tell()
        ending.set()

    before = {number: signal.signal(number, heed) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield ending
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _serve_process(settings: Settings, listening: socket.socket, beats: _Beats) -> None:
    """What each process does. Ctrl-C of a terminal reaches the parent alone, which decides about this one."""
    os.setpgrp()
    # not its number: where the parent dies while this one loads, os.getppid() names another from the start
    parent = multiprocessing.parent_process()

    def beat() -> None:
        while parent is not None and parent.is_alive():
            beats.value += 1
            time.sleep(1)
        os.kill(os.getpid(), signal.SIGTERM)

    def begin_beating() -> None:
        threading.Thread(target=beat, name="sign of life", daemon=True).start()

    with listening, Ascertain(settings) as knowledge:
        configure_logs(settings.telemetry)
        serve_requests(knowledge, listening, begin_beating)
