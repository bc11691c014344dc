"""Whether the process that began something is still alive.

Each process holds the lock of a file of its own as long as it lives; the operating system frees the lock of one that was
killed, whatever becomes of its process number.
"""

from __future__ import annotations

import threading
import uuid
from contextlib import suppress
from pathlib import Path

from filelock import FileLock, Timeout


class Presence:
    """One participant's sign of life in ``folder``, and a look at the others'."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._mutex = threading.Lock()
        self._mine: tuple[str, FileLock] | None = None

    def announce(self) -> str:
        """The token of this participant, alive from the first call until ``leave`` or the end of the process; raises OSError."""
        with self._mutex:
            if self._mine is None:
                self._folder.mkdir(exist_ok=True)
                token = uuid.uuid4().hex
                lock = FileLock(self._path(token), thread_local=False)
                lock.acquire(timeout=0)
                self._mine = token, lock
            return self._mine[0]

    def is_alive(self, token: str) -> bool:
        """Whether the participant of this token is still there; what a dead one left behind is removed.

        Where the file cannot be opened, as on a read-only disk, nothing says that it is dead, and it counts as alive.
        """
        path = self._path(token)
        if not path.exists():
            return False
        lock = FileLock(path, thread_local=False)
        try:
            lock.acquire(timeout=0)
        except (Timeout, OSError):
            return True
        # On Windows a file can be removed only after its lock is let go.
        lock.release()
        self._remove(path)
        return False

    def leave(self) -> None:
        """End the presence; a later ``announce`` begins another."""
        with self._mutex:
            if self._mine is not None:
                token, lock = self._mine
                lock.release()
                self._remove(self._path(token))
                self._mine = None

    def _path(self, token: str) -> Path:
        return self._folder / f"{token}.lock"

    def _remove(self, path: Path) -> None:
        with suppress(OSError):
            path.unlink(missing_ok=True)
