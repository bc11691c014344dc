"""A home folder: its files, the lock of the process that writes, and the heartbeats of active processes."""

import json
import logging
import os
import threading
import uuid
from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock, Timeout

from ascertain.core.errors import StoreBusy, StoreDamaged, StoreError
from ascertain.core.system.private_files import PRIVATE_FILE, make_private_folder, private_files


@dataclass(frozen=True, slots=True)
class Layout:
    """Paths inside one home."""

    home: Path

    @property
    def record(self) -> Path:
        """The SQLite database that everything else is derived from."""
        return self.home / "record.sqlite3"

    @property
    def lock(self) -> Path:
        """Locked by the one process that writes."""
        return self.home / "writer.lock"

    @property
    def lexical(self) -> Path:
        """The Tantivy index and its state."""
        return self.home / "lexical"

    @property
    def vectors(self) -> Path:
        """The FAISS snapshot and its state."""
        return self.home / "vectors"

    @property
    def running(self) -> Path:
        """Heartbeats of the processes that work on something."""
        return self.home / "running"

    @property
    def uploads(self) -> Path:
        """Uploaded files as they came."""
        return self.home / "uploads"

    @property
    def is_writable(self) -> bool:
        """Whether this process may change the home."""
        return os.access(self.home, os.W_OK) and (not self.record.exists() or os.access(self.record, os.W_OK))

    def bytes_on_disk(self) -> int:
        """Size of everything in the home."""
        return measure_folder(self.home)


def measure_folder(folder: Path) -> int:
    """Bytes of all files in a folder; those that vanish meanwhile count as nothing."""
    total = 0
    for inner, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):
                total += Path(inner, name).stat().st_size
    return total


def prepare_home(home: Path, create: bool) -> Layout:
    """The layout of ``home``, created with ``create``; raises StoreError if it cannot be a knowledge base."""
    layout = Layout(home)
    if home.exists() and not home.is_dir():
        raise StoreError(f"{home} is a file, not a folder: choose another folder with --home")
    require_written(layout)
    if layout.record.exists():
        if not os.access(layout.record, os.R_OK):
            raise StoreError(f"{layout.record} cannot be read: check its permissions")
        return layout
    if not create:
        raise StoreError(
            f"there is no knowledge base in {home}: run `ascertain add` first, or choose another with --home"
        )
    try:
        make_private_folder(home)
    except OSError as error:
        raise StoreError(f"cannot create {home} ({error.strerror}): choose another folder with --home") from error
    if not layout.is_writable:
        raise StoreError(f"cannot write to {home}: check its permissions or choose another folder with --home")
    return layout


def require_written(layout: Layout) -> None:
    """Raise StoreDamaged for a record of 0 bytes in a home that has been written to: it is not a new one, it was emptied."""
    try:
        if layout.record.stat().st_size:
            return
    except OSError:
        return
    log = layout.record.with_name(f"{layout.record.name}-wal")
    with suppress(OSError):
        if (log.exists() and log.stat().st_size) or any(layout.lexical.iterdir()) or any(layout.vectors.iterdir()):
            raise StoreDamaged(
                f"the knowledge base in {layout.home} is damaged ({layout.record.name} has 0 bytes): put back a copy of the whole folder, or "
                "delete it and add the documents again"
            )


class Presence:
    """One participant's heartbeat in ``folder``, and a check of the others'.

    Each holds the lock of a file of its own as long as it lives; the operating system frees the lock of one that was
    killed, whatever becomes of its process number.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._mutex = threading.Lock()
        self._mine: tuple[str, FileLock] | None = None

    def announce(self) -> str:
        """The token of this participant, alive until ``leave`` or the end of the process; raises OSError."""
        with self._mutex:
            if self._mine is None:
                make_private_folder(self._folder)
                token = uuid.uuid4().hex
                lock = FileLock(self._lock_path(token), mode=PRIVATE_FILE, thread_local=False)
                lock.acquire(timeout=0)
                self._mine = token, lock
            return self._mine[0]

    def is_alive(self, token: str) -> bool:
        """Whether the participant with this token is still alive; files of a dead one are removed.

        Where the file cannot be opened, as on a read-only disk, nothing says that it is dead, and it counts as alive.
        """
        path = self._lock_path(token)
        if not path.exists():
            return False
        lock = FileLock(path, thread_local=False)
        try:
            lock.acquire(timeout=0)
        except (Timeout, OSError):
            return True
        # On Windows a file can be removed only after its lock is released.
        lock.release()
        self._remove_file(path)
        return False

    def leave(self) -> None:
        """End the presence; a later ``announce`` begins another."""
        with self._mutex:
            if self._mine is not None:
                token, lock = self._mine
                lock.release()
                self._remove_file(self._lock_path(token))
                self._mine = None

    def _lock_path(self, token: str) -> Path:
        return self._folder / f"{token}.lock"

    def _remove_file(self, path: Path) -> None:
        with suppress(OSError):
            path.unlink(missing_ok=True)


_logger = logging.getLogger("ascertain.stores")


class WriterLock:
    """Held by one process at a time, and within it by any number of nested or concurrent holders.

    ``before_release`` runs while the lock is still held, when the last holder leaves, or the last but for searches; its
    argument says whether that holder leaves because of an error. The operating system frees the lock of a process that was
    killed.
    """

    def __init__(self, path: Path, seconds: float) -> None:
        self._path = path
        self._holder = path.with_suffix(".json")
        self._seconds = seconds
        self.before_release: Callable[[bool], None] | None = None
        self._file = FileLock(path, mode=PRIVATE_FILE, thread_local=False)
        self._private = ExitStack()
        self._mutex = threading.RLock()
        self._depth = 0
        self._searches = 0

    @contextmanager
    def hold(self) -> Generator[None]:
        """Hold the lock; waits, with a message, and raises StoreBusy after the configured time."""
        with self._mutex:
            if self._depth == 0:
                self._acquire_lock()
            self._depth += 1
        failed = True
        try:
            yield
            failed = False
        finally:
            self._release_lock(failed)

    @contextmanager
    def try_hold(self) -> Generator[bool]:
        """Hold the lock for a search if no other process does, without waiting; says whether it is held."""
        if not self._mutex.acquire(blocking=False):
            yield False
            return
        try:
            if self._depth == 0 and not self._take_lock(0):
                held = False
            else:
                self._depth += 1
                self._searches += 1
                held = True
        finally:
            self._mutex.release()
        failed = True
        try:
            yield held
            failed = False
        finally:
            if held:
                self._release_lock(failed, of_search=True)

    @property
    def is_held(self) -> bool:
        """Whether this store holds the lock now."""
        return self._depth > 0

    @property
    def writers(self) -> int:
        """Holders in this store that are not searches."""
        return self._depth - self._searches

    def _release_lock(self, failed: bool, of_search: bool = False) -> None:
        with self._mutex:
            try:
                # a search that joined a writer is not left with the writer's work
                if self.before_release is not None and (self._depth == 1 or (self.writers == 1 and not of_search)):
                    self.before_release(failed)
            finally:
                self._depth -= 1
                self._searches -= of_search
                if self._depth == 0:
                    with suppress(OSError):
                        self._holder.unlink(missing_ok=True)
                    self._private.close()
                    self._file.release()

    def _acquire_lock(self) -> None:
        if self._take_lock(0):
            return
        home = self._path.parent
        holder = self._describe_holder()
        _logger.warning("waiting for another ascertain process (%s) that is writing to %s", holder, home)
        if not self._take_lock(self._seconds):
            raise StoreBusy(
                f"another ascertain process ({self._describe_holder()}) has been writing to {home} for more than "
                f"{self._seconds:g} s: try again when it has finished, or raise store.lock_seconds"
            )

    def _take_lock(self, seconds: float) -> bool:
        try:
            self._file.acquire(timeout=seconds, poll_interval=0.05)
        except Timeout:
            return False
        self._private.enter_context(private_files())
        # Only for the message of waiting processes; the lock itself is the file's. A full disk must not stop a deletion.
        with suppress(OSError):
            self._holder.write_text(json.dumps({"pid": os.getpid()}))
        return True

    def _describe_holder(self) -> str:
        try:
            return f"pid {json.loads(self._holder.read_text())['pid']}"
        except (OSError, ValueError, KeyError):
            return "pid unknown"
