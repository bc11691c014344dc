"""The single writer's right to one home."""

from __future__ import annotations

import json
import logging
import os
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

from ascertain.core.errors import StoreBusy

_logger = logging.getLogger("ascertain.stores")


class WriterLock:
    """Held by one process at a time, and within it by any number of nested or concurrent holders.

    ``before_release`` runs while the lock is still held, when the last holder leaves; its argument says whether that
    holder leaves because of an error. The operating system frees the lock of a process that was killed.
    """

    def __init__(self, path: Path, seconds: float) -> None:
        self._path = path
        self._holder = path.with_suffix(".json")
        self._seconds = seconds
        self.before_release: Callable[[bool], None] | None = None
        self._file = FileLock(path, thread_local=False)
        self._mutex = threading.RLock()
        self._depth = 0

    @contextmanager
    def hold(self) -> Generator[None]:
        """Hold the lock; waits, with a message, and raises StoreBusy after the configured time."""
        with self._mutex:
            if self._depth == 0:
                self._acquire()
            self._depth += 1
        failed = True
        try:
            yield
            failed = False
        finally:
            self._leave(failed)

    @contextmanager
    def try_hold(self) -> Generator[bool]:
        """Hold the lock if nobody else does, without waiting; says whether it is held."""
        if not self._mutex.acquire(blocking=False):
            yield False
            return
        try:
            if self._depth == 0 and not self._take(0):
                held = False
            else:
                self._depth += 1
                held = True
        finally:
            self._mutex.release()
        failed = True
        try:
            yield held
            failed = False
        finally:
            if held:
                self._leave(failed)

    @property
    def is_held(self) -> bool:
        """Whether this store holds the lock now."""
        return self._depth > 0

    def _leave(self, failed: bool) -> None:
        with self._mutex:
            try:
                if self._depth == 1 and self.before_release is not None:
                    self.before_release(failed)
            finally:
                self._depth -= 1
                if self._depth == 0:
                    with suppress(OSError):
                        self._holder.unlink(missing_ok=True)
                    self._file.release()

    def _acquire(self) -> None:
        if self._take(0):
            return
        home = self._path.parent
        holder = self._describe_holder()
        _logger.warning("waiting for another ascertain process (%s) that is writing to %s", holder, home)
        if not self._take(self._seconds):
            raise StoreBusy(
                f"another ascertain process ({self._describe_holder()}) has been writing to {home} for more than "
                f"{self._seconds:g} s: try again when it has finished, or raise store.lock_seconds"
            )

    def _take(self, seconds: float) -> bool:
        try:
            self._file.acquire(timeout=seconds, poll_interval=0.05)
        except Timeout:
            return False
        # Only for the message of whoever waits; the lock itself is the file's. A full disk must not stop a deletion.
        with suppress(OSError):
            self._holder.write_text(json.dumps({"pid": os.getpid()}))
        return True

    def _describe_holder(self) -> str:
        try:
            return f"pid {json.loads(self._holder.read_text())['pid']}"
        except (OSError, ValueError, KeyError):
            return "pid unknown"
