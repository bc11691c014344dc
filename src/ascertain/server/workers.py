"""Questions worked on at a time: a few threads, and a bounded queue in front of them."""

from __future__ import annotations

import contextvars
import queue
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeVar

from ascertain.server.problems import Problem, ProblemError

T = TypeVar("T")

ROOM_SECONDS = 2.0
"""When to ask again after there was no room; answers of the offline mode take less (docs/benchmarks.md)."""

SHUTTING_DOWN = Problem(
    "shutting-down",
    "The service is about to end; ask again, or ask another replica.",
    retry_after=ROOM_SECONDS,
)

_Work = tuple["Future[Any]", Callable[[], Any]]


class QuestionPool:
    """Runs questions in threads of its own, in the order in which they came.

    The threads are daemons: a question that does not come to its end cannot keep the process from ending.
    """

    def __init__(self, workers: int, waiting: int) -> None:
        """``workers`` questions at a time; so many more may be ``waiting``."""
        self._most = workers + waiting
        self._work: queue.SimpleQueue[_Work | None] = queue.SimpleQueue()
        self._idle = threading.Condition()
        self._taken = 0
        self._running = 0
        self._refuses = False
        self._threads = [
            threading.Thread(target=self._run, name=f"question-{number}", daemon=True)
            for number in range(workers)
        ]
        for thread in self._threads:
            thread.start()

    def submit(self, work: Callable[[], T]) -> Future[T]:
        """Do ``work`` when its turn comes; cancelling the future gives up its place. Raises ProblemError when there is no room."""
        future: Future[T] = Future()
        with self._idle:
            if self._refuses:
                raise ProblemError(SHUTTING_DOWN)
            if self._taken >= self._most:
                told = f"{self.waiting} questions are waiting already."
                raise ProblemError(Problem("overloaded", told, retry_after=ROOM_SECONDS))
            self._taken += 1
        future.add_done_callback(self._leave)
        # log lines of the work carry the id of the request that asked for it
        context = contextvars.copy_context()
        self._work.put((future, lambda: context.run(work)))
        return future

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

    def _run(self) -> None:
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

    def _leave(self, _: object) -> None:
        with self._idle:
            self._taken -= 1
            if self._taken == 0:
                self._idle.notify_all()
