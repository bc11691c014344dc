"""A bound on the processor time of one piece of work, after which it is stopped from outside.

Input from strangers, a text or a question, is processed in threads of a service that others wait for as well. A thread of Python can
be ended between two steps of the interpreter by an exception that another thread sends it (``PyThreadState_SetAsyncExc``, Python/C API,
"Initialization, Finalization, and Threads"). One call into C is not ended, a regular expression among them: these take linear work
(``tests/unit/project/test_growth_of_texts.py``). Time in which a thread waits, for a model or another process, does not count.

Where the system has no clock of single threads (``time.pthread_getcpuclockid``), there is no bound.
"""

from __future__ import annotations

import ctypes
import threading
import time
from collections.abc import Generator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar

from ascertain.core.errors import TooMuchWork

LOOK_SECONDS = 0.25
"""How often work is checked against its bound; bounds are in seconds."""
DOCUMENT_SECONDS = 120.0
"""For processing a document once it is read; as ``ingest.reading.seconds`` for the reading."""
SLOWEST_PACE = 5_000
"""Characters a second, beyond these seconds: a tenth of what cutting, topics and the graph do together on a slow core (bench/results)."""


class _OverBound(BaseException):
    """Sent to the threads of work that is over its bound; not an error, so that no error handler continues the work."""


class _Work:
    """One piece of work: its bound, what it has spent, and the threads that are at it, each with its clock when it began."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._lock = threading.Lock()
        self._spent = 0.0
        self._threads: dict[int, float] = {}
        self.is_over = False

    def join(self) -> bool:
        """Note that this thread works on it from now on; False if it already did."""
        me = threading.get_ident()
        with self._lock:
            if me in self._threads:
                return False
            self._threads[me] = _read_clock(me)
            return True

    def leave(self) -> None:
        """Note that this thread has stopped: it gets no exception for it."""
        me = threading.get_ident()
        with self._lock:
            began = self._threads.pop(me, None)
            if began is not None:
                self._spent += _read_clock(me) - began
            if self.is_over:
                _send(me, None)

    def look(self) -> None:
        """Stop its threads if they are over the bound; again at each check, in case one has not reacted."""
        with self._lock:
            spent = self._spent + sum(_read_clock(thread) - began for thread, began in self._threads.items())
            if spent > self._seconds:
                self.is_over = True
                for thread in self._threads:
                    _send(thread, _OverBound)


def _read_clock(thread: int) -> float:
    return time.clock_gettime(time.pthread_getcpuclockid(thread))


def _send(thread: int, error: type[BaseException] | None) -> None:
    """Have a thread raise ``error`` at its next step; None revokes one that was not raised yet."""
    sent = ctypes.py_object(error) if error is not None else None
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), sent)


class _Watch:
    """Checks all work with a bound, from one thread, which sleeps while there is none."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._works: set[_Work] = set()
        self._thread: threading.Thread | None = None

    def add(self, work: _Work) -> None:
        with self._changed:
            self._works.add(work)
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._look_on, name="processor-time", daemon=True)
                self._thread.start()
            self._changed.notify()

    def remove(self, work: _Work) -> None:
        with self._changed:
            self._works.discard(work)

    def _look_on(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._works)
                works = list(self._works)
            for work in works:
                work.look()
            time.sleep(LOOK_SECONDS)


_WATCH = _Watch()
_WORK: ContextVar[_Work | None] = ContextVar("work with a bound", default=None)


@contextmanager
def limit_processor_time(seconds: float, refusal: str) -> Generator[None]:
    """Run the block for at most so many ``seconds`` of processor time. Raises TooMuchWork with ``refusal`` beyond them.

    Threads that run within a copy of the context and ``count_processor_time`` count too. Inside another such block, whichever is
    over first ends.
    """
    if not hasattr(time, "pthread_getcpuclockid"):
        yield
        return
    work = _Work(seconds)
    token = _WORK.set(work)
    work.join()
    _WATCH.add(work)
    try:
        try:
            yield
        finally:
            try:
                _leave(work)
            finally:
                _WATCH.remove(work)
                _WORK.reset(token)
    except _OverBound:
        if not work.is_over:
            raise
        raise TooMuchWork(refusal) from None


def limit_document_work(characters: int, what: str, seconds: float = DOCUMENT_SECONDS) -> AbstractContextManager[None]:
    """As ``limit_processor_time``, for ``what`` is done to a document of so many ``characters``: ``seconds``, and more for a long one."""
    most = seconds + characters / SLOWEST_PACE
    return limit_processor_time(
        most,
        f"takes more than {round(most, 1):g} s of the processor {what}; split it, or look at what its text is full of",
    )


@contextmanager
def count_processor_time() -> Generator[None]:
    """Count what the block takes, in a thread of its own, to the work whose context this is."""
    work = _WORK.get()
    if work is None or not work.join():
        yield
        return
    try:
        yield
    finally:
        _leave(work)


def _leave(work: _Work) -> None:
    try:
        work.leave()
    except _OverBound:
        work.leave()
        raise
