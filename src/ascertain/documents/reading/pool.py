"""The processes that read files: started when needed, kept for the next file, killed when a file takes too much.

A plain command of the interpreter and not ``multiprocessing``, which imports the caller's main module again (a script
without a guard would run again) and whose pools cannot end one of their workers.
"""

import atexit
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import weakref
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from ascertain.core.errors import SourceError
from ascertain.documents.formats.feeds import Feed
from ascertain.documents.formats.reader import Extracted, ReadLimits, SourceFile, read_on
from ascertain.documents.reading.messages import (
    FOLDER_PREFIX,
    LENGTH,
    MAX_ANSWER_BYTES,
    AtWork,
    BadRows,
    Done,
    FeedRequest,
    FileRequest,
    Refusal,
    Request,
    pack_message,
    unpack_answer,
)

_LOOK_SECONDS = 0.1
"""How soon it is noticed that the rest of a file is no longer wanted."""
_PIECE = 1 << 20
_START_SECONDS = 60.0
"""A process starts in a tenth of a second; later on an overloaded machine."""
_TRIES = 4
_TRIED_SECONDS = 30.0
"""How often at least, and for how long at least, a file is read whose readers are killed from outside. Where memory runs out, readers go
first, so that a small file may lose many in a bad minute; one that takes all memory by itself costs four."""
_WAIT_SECONDS = 0.5
"""How long is waited before the second time; longer before each further one."""
_STARTS = 20
"""How often a reader is started for a file that is killed before it is given the file, so that the file has no part in it."""
_LONGEST_WAIT_SECONDS = 2.0
_FROM_OUTSIDE = (-signal.SIGKILL, -signal.SIGTERM)
"""How a process ends that somebody else has killed; our own limits end it by other signals (``child``), or say that it took too long."""
_LEAST_PROCESSES = 2
"""A table holds its process while what it gave is being embedded; another file need not wait for it."""
_START = (
    "import sys; sys.path[:] = {path!r}; from ascertain.documents.reading.child import serve_requests; serve_requests()"
)
_ALONE = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
"""A reader computes in one thread: there is a process for each core."""
_SECRETS = ("KEY", "TOKEN", "SECRET", "PASSWORD", "CREDENTIAL")
"""Parts of the names of variables that a process which reads strangers' files has no need to know."""


class ReadingStopped(Exception):
    """``goes_on`` said no: the file was not read to its end."""


class _Ended(Exception):
    """The process has died."""


class _Killed(Exception):
    """A process was ended from outside."""

    def __init__(self, *, had_request: bool) -> None:
        super().__init__()
        self.had_request = had_request


class _OverLimits(Exception):
    """Why a process was ended, or ended by itself."""


class _Process:
    """One process and its pipes; used by one thread at a time."""

    def __init__(self) -> None:
        environ = {name: value for name, value in os.environ.items() if not any(part in name for part in _SECRETS)}
        # what it unpacks there stays when it is ended in the midst of a file
        folder = tempfile.mkdtemp(prefix=FOLDER_PREFIX)
        self._clear = weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        self._process = subprocess.Popen(
            [sys.executable, "-c", _START.format(path=sys.path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            # the output of parsers is of no use; their results are in the answers
            stderr=subprocess.DEVNULL,
            env=environ | _ALONE | {"TMPDIR": folder},
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._requests, self._answers = self._process.stdin, self._process.stdout
        self._poll = select.poll()
        self._poll.register(self._answers, select.POLLIN)

    @property
    def is_alive(self) -> bool:
        """Whether it has not ended; one that waits may be ended by the system when memory runs out."""
        return self._process.poll() is None

    def send(self, message: bytes) -> None:
        """Hand over a request. Raises _Ended."""
        try:
            self._requests.write(message)
            self._requests.flush()
        except OSError as error:
            raise _Ended from error

    def receive(self, until: float, goes_on: Callable[[], bool]) -> object:
        """The next answer. Raises TimeoutError, ReadingStopped and _Ended; the process is of no more use then."""
        length = LENGTH.unpack(self._receive_bytes(LENGTH.size, until, goes_on))[0]
        if length > MAX_ANSWER_BYTES:
            raise _Ended
        data = self._receive_bytes(length, until, goes_on)
        try:
            return unpack_answer(data)
        except Exception as error:  # whatever a parser that was taken over makes of it
            raise _Ended from error

    def end(self) -> int:
        """End it at once; how it ended, as ``Popen.returncode``."""
        self._process.kill()
        for pipe in (self._requests, self._answers):
            with suppress(OSError):
                pipe.close()
        status = self._process.wait()
        self._clear()
        return status

    def status(self) -> int:
        """How a process ended that closed its pipe by itself."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(1)
        return self.end()

    def _receive_bytes(self, count: int, until: float, goes_on: Callable[[], bool]) -> bytes:
        pieces: list[bytes] = []
        while count:
            if not goes_on():
                raise ReadingStopped
            left = until - time.monotonic()
            if left <= 0:
                raise TimeoutError
            if self._poll.poll(1000 * min(_LOOK_SECONDS, left)):
                piece = os.read(self._answers.fileno(), min(count, _PIECE))
                if not piece:
                    raise _Ended
                pieces.append(piece)
                count -= len(piece)
        return b"".join(pieces)


@dataclass(slots=True)
class _Lent:
    process: _Process
    is_free: bool = False


class ReaderPool:
    """Processes for all who read in this one; safe to use from several threads."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._started: set[_Process] = set()
        self._idle: list[_Process] = []
        self._lent = 0

    def read_file(self, file: SourceFile) -> Generator[Extracted]:
        """As ``extract_texts``; SourceError too for a file over its limits, ReadingStopped once ``goes_on`` says no."""
        options = file.options
        request = FileRequest(
            file.path.absolute(),
            file.source,
            options.profile,
            options.max_bytes,
            options.max_characters,
            options.limits,
            options.reads_pictures,
        )
        try:
            for answer in self._ask(request, options.goes_on):
                if isinstance(answer, Extracted):
                    yield answer
                elif isinstance(answer, BadRows):
                    for source, reason in answer.rows:
                        options.on_bad_row(source, reason)
                elif isinstance(answer, Refusal):
                    raise SourceError(answer.reason)
        except _OverLimits as error:
            raise file.error(str(error)) from error

    def read_feed(self, data: bytes, url: str, content_type: str, limits: ReadLimits) -> Feed:
        """As ``parse_feed``. Raises SourceError, with the reason alone, when it is none or over its limits."""
        feed: Feed | None = None
        try:
            for answer in self._ask(FeedRequest(data, url, content_type, limits), read_on):
                if isinstance(answer, Refusal):
                    raise SourceError(answer.reason)
                if isinstance(answer, Feed):
                    feed = answer
        except _OverLimits as error:
            raise SourceError(str(error)) from error
        if feed is None:
            raise SourceError("neither an RSS nor an Atom feed")
        return feed

    def close(self) -> None:
        """End all processes, those at work as well."""
        with self._changed:
            started, self._started, self._idle = self._started, set(), []
        for process in started:
            process.end()

    def forget(self) -> None:
        """For a process that was forked: those of its parent are not its own."""
        self._inherited = self._started
        self.__init__()

    def _ask(self, request: Request, goes_on: Callable[[], bool]) -> Generator[object]:
        """The answers but for the last, which says that there are no more; a refusal once the process is free again.

        A process that was killed from outside says nothing of what it read, so that it is asked of another, which gives again what was
        given and then the rest: reading the same file comes to the same.
        """
        given = tries = starts = 0
        until = time.monotonic() + _TRIED_SECONDS
        while True:
            try:
                for number, answer in enumerate(self._ask_once(request, goes_on)):
                    if number >= given:
                        given += 1
                        yield answer
            except _Killed as error:
                tries, starts = tries + error.had_request, starts + (not error.had_request)
                if (tries >= _TRIES and time.monotonic() > until) or starts == _STARTS:
                    raise _OverLimits(_killed_reason(request.limits, tries + starts)) from error
            else:
                return
            self._pause(min(_WAIT_SECONDS * (tries + starts), _LONGEST_WAIT_SECONDS), goes_on)

    @staticmethod
    def _pause(seconds: float, goes_on: Callable[[], bool]) -> None:
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            if not goes_on():
                raise ReadingStopped
            time.sleep(_LOOK_SECONDS)

    def _ask_once(self, request: Request, goes_on: Callable[[], bool]) -> Generator[object]:
        """The answers of one process.

        The time between two texts, or between two pages that are recognised, counts, but for that which the caller takes.
        """
        limits, refusal = request.limits, None
        with self._lend_process(goes_on) as lent:
            process, had_request = lent.process, False
            try:
                process.send(pack_message(request))
                had_request = True
                until = time.monotonic() + limits.seconds
                while not isinstance(answer := process.receive(until, goes_on), Done):
                    if isinstance(answer, Refusal):
                        refusal = answer
                        continue
                    if isinstance(answer, AtWork):
                        until = time.monotonic() + limits.seconds
                        continue
                    given_at = time.monotonic()
                    yield answer
                    now = time.monotonic()
                    until = until + now - given_at if isinstance(answer, BadRows) else now + limits.seconds
                lent.is_free = not answer.retires
            except TimeoutError as error:
                raise _OverLimits(_late_reason(limits)) from error
            except _Ended as error:
                status = process.status()
                if status in _FROM_OUTSIDE:
                    raise _Killed(had_request=had_request) from error
                raise _OverLimits(_broken_reason(status, limits)) from error
        if refusal is not None:
            yield refusal

    @contextmanager
    def _lend_process(self, goes_on: Callable[[], bool]) -> Generator[_Lent]:
        """A process for one request; ended afterwards unless it is found to be free for another."""
        self._await_turn(goes_on)
        try:
            lent = _Lent(self._take_process(goes_on))
            try:
                yield lent
            finally:
                if lent.is_free:
                    self._idle.append(lent.process)
                else:
                    self._started.discard(lent.process)
                    lent.process.end()
        finally:
            with self._changed:
                self._lent -= 1
                self._changed.notify()

    def _await_turn(self, goes_on: Callable[[], bool]) -> None:
        most = max(_LEAST_PROCESSES, len(os.sched_getaffinity(0)))
        while goes_on():
            with self._changed:
                if self._lent < most or (self._changed.wait(_LOOK_SECONDS) and self._lent < most):
                    self._lent += 1
                    return
        raise ReadingStopped

    def _take_process(self, goes_on: Callable[[], bool]) -> _Process:
        """The one that was used last, of those that are still there, or a new one."""
        while True:
            try:
                process = self._idle.pop()
            except IndexError:
                break
            if process.is_alive:
                return process
            self._started.discard(process)
            process.end()
        try:
            process = _Process()
        except OSError as error:
            raise SourceError(f"no process to read files in can be started: {error.strerror or error}") from error
        self._started.add(process)
        try:
            process.receive(time.monotonic() + _START_SECONDS, goes_on)
        except BaseException as error:
            self._started.discard(process)
            status = process.status()
            if isinstance(error, _Ended) and status in _FROM_OUTSIDE:
                raise _Killed(had_request=False) from error
            if isinstance(error, _Ended | TimeoutError):
                raise SourceError(
                    f"the process that reads files does not start (exit status {status}); "
                    f"`{sys.executable} -c 'import ascertain.documents.reading.child'` says why"
                ) from error
            raise
        return process


def _late_reason(limits: ReadLimits) -> str:
    return (
        f"takes longer than {limits.seconds:g} s to read; split it, or raise ingest.reading.seconds if it is known to "
        "be good"
    )


def _broken_reason(status: int, limits: ReadLimits) -> str:
    """Why a process ended over a file. The libraries in C that fail to get memory end in one way or another."""
    if status == -signal.SIGXCPU:
        return _late_reason(limits)
    ending = signal.Signals(-status).name if status < 0 else f"exit status {status}"
    return (
        f"its reader broke down over it ({ending}), or it needs more than {limits.memory_bytes:,} bytes of memory to be "
        "read; get the file again, or split it"
    )


def _killed_reason(limits: ReadLimits, times: int) -> str:
    """Of a process that others have killed, as the system does where memory runs out: no limit of ours ends one so."""
    return (
        f"could not be read: its reader was killed from outside {times} times, as happens where the machine runs out of memory "
        f"(a reader may take {limits.memory_bytes:,} bytes, see ingest.reading.memory_bytes); nothing is wrong with the file for all that "
        "is known: add it again when there is more memory"
    )


READERS = ReaderPool()
atexit.register(READERS.close)
os.register_at_fork(after_in_child=READERS.forget)
