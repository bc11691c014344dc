"""Vectors of sentences in a file of the home, so that the next process need not compute them again.

The file is only a cache: it stores what was computed under a hash of the model's name and the text, never a text, the
oldest are dropped when it grows too large, and any fault of it costs only time. Each vector belongs to the document
that its text was first found in. When that is deleted or replaced, by any process, its vectors are dropped. What a question
that began earlier computes of the document is not stored, since it may have seen the old text.
"""

from __future__ import annotations

import logging
import sqlite3
import threading
import time
from collections.abc import Callable, Collection, Generator, Iterable, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from contextvars import ContextVar
from hashlib import blake2b
from pathlib import Path
from typing import TypeVar
from zlib import crc32

from ascertain.core.system.private_files import private_files

T = TypeVar("T")

_logger = logging.getLogger(__name__)

_PATIENCE = 0.2
"""Seconds that a question waits for another process: less than it takes to embed its sentences again."""
_LONG_PATIENCE = 10.0
"""Seconds that a deletion waits, which must not leave the vectors behind."""
_LAYOUT = 2
"""Of the tables and their content; a file of another version is recreated."""
_TRIES = 2
"""The second one with a new file, where the first found a damaged one."""
_DROPPED = 4
"""The share that is dropped when the file is full, as its inverse."""
_CHECK_BYTES = 4
_OWNER_BYTES = 8
"""Of the hash of a document: two that share one are dropped together."""
_MOST_FORGOTTEN = 1_000
"""Documents that are remembered as gone; beyond, a question that began before stores nothing."""
_LONGEST_CHANGE = 600.0
"""Seconds after which a deletion that was not ended belonged to a process that was killed."""
_SET_UP = f"""
CREATE TABLE vectors(key BLOB PRIMARY KEY, value BLOB NOT NULL, owner BLOB NOT NULL);
CREATE INDEX vectors_by_owner ON vectors(owner);
CREATE TABLE forgotten(owner BLOB PRIMARY KEY, generation INTEGER NOT NULL, changing_since REAL NOT NULL);
CREATE TABLE state(generation INTEGER NOT NULL, complete_since INTEGER NOT NULL);
INSERT INTO state VALUES (0, 0);
PRAGMA user_version = {_LAYOUT};
"""

MOST_BYTES = 64_000_000
"""Of vectors in a file: twice what a process holds in memory, about 160,000 sentences of 384 numbers."""

_began: ContextVar[tuple[str, int] | None] = ContextVar("vector_file", default=None)


class VectorFile:
    """At most about ``most_bytes`` of vectors in the file ``path``. Safe to use from several threads and processes."""

    def __init__(self, path: Path, most_bytes: int = MOST_BYTES) -> None:
        self._path = path
        self._most = most_bytes
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        self._is_broken = False

    def begin_question(self) -> None:
        """What this thread computes from now on was read from documents as they are now."""
        if not self._path.parent.is_dir():
            return
        found = self._attempt_work(lambda db: db.execute("SELECT generation FROM state").fetchone())
        _began.set((str(self._path), found[0]) if found else None)

    def read(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        """The values stored under ``keys``; damaged ones are left out."""

        def select(db: sqlite3.Connection) -> list[tuple[bytes, bytes]]:
            marks = ",".join("?" * len(keys))
            return db.execute(f"SELECT key, value FROM vectors WHERE key IN ({marks})", keys).fetchall()

        found = (self._attempt_work(select) if keys else None) or []
        return {
            key: value[_CHECK_BYTES:] for key, value in found if value[:_CHECK_BYTES] == _checksum(value[_CHECK_BYTES:])
        }

    def write(self, values: Mapping[bytes, bytes], owners: Mapping[bytes, bytes]) -> None:
        """Store ``values``; ``owners`` names the document of each. Those of documents that were deleted since the question
        of this thread began are left out.
        """
        began = _began.get()
        if not values or began is None or began[0] != str(self._path):
            return

        def insert(db: sqlite3.Connection) -> None:
            db.execute("BEGIN IMMEDIATE")
            with db:
                if db.execute("SELECT complete_since FROM state").fetchone()[0] > began[1]:
                    return
                gone = _find_gone(db, set(owners.values()), began[1])
                db.executemany(
                    "INSERT OR IGNORE INTO vectors VALUES (?, ?, ?)",
                    [
                        (key, _checksum(value) + value, owners[key])
                        for key, value in values.items()
                        if owners[key] not in gone
                    ],
                )
                self._drop_oldest(db)

        self._attempt_work(insert)

    @contextmanager
    def forgetting(self, tenant: str, document_ids: Collection[str]) -> Generator[None]:
        """These documents are deleted or replaced in the context: nothing computed from them remains after it."""
        owners = [identify_document(tenant, document_id) for document_id in document_ids]
        self._forget_owners(owners, time.time())
        try:
            yield
        finally:
            self._forget_owners(owners, 0.0)

    def close(self) -> None:
        """Release the file; it is opened again when it is used again."""
        with self._lock:
            self._close_connection()

    def _drop_oldest(self, db: sqlite3.Connection) -> None:
        (pages,), (free,), (size,) = (
            db.execute(f"PRAGMA {name}").fetchone() for name in ("page_count", "freelist_count", "page_size")
        )
        if (pages - free) * size > self._most:
            count = db.execute("SELECT count(*) FROM vectors").fetchone()[0] // _DROPPED + 1
            db.execute(
                "DELETE FROM vectors WHERE rowid IN (SELECT rowid FROM vectors ORDER BY rowid LIMIT ?)", (count,)
            )

    def _forget_owners(self, owners: Sequence[bytes], changing_since: float) -> None:
        """A connection of its own: the file may have been recreated since this process opened it."""
        self.close()
        if not self._path.exists():
            return
        try:
            with closing(_open_file(self._path, _LONG_PATIENCE)) as db:
                _drop_owners(db, owners, changing_since)
                # overwritten data stays in the log until a checkpoint; nothing waits for that
                db.execute("PRAGMA busy_timeout = 0")
                db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        except (sqlite3.Error, OSError) as error:
            _logger.debug("%s is removed: %s", self._path, error)
            self._remove_files()

    def _attempt_work(self, work: Callable[[sqlite3.Connection], T]) -> T | None:
        """The result of ``work``; None, with one log line, if the file cannot be used."""
        with self._lock:
            for _ in range(_TRIES):
                if self._is_broken:
                    break
                try:
                    if self._connection is None:
                        self._connection = _open_file(self._path, _PATIENCE)
                    return work(self._connection)
                except sqlite3.OperationalError as error:
                    self._close_connection()
                    if not _is_busy(error):
                        self._give_up(error)
                    break
                except (sqlite3.DatabaseError, OSError) as error:
                    self._close_connection()
                    _logger.warning("sentences are embedded again, since %s was damaged: %s", self._path, error)
                    self._remove_files()
        return None

    def _give_up(self, error: Exception) -> None:
        self._is_broken = True
        _logger.warning("vectors of sentences are not stored on disk: %s: %s", self._path, error)

    def _remove_files(self) -> None:
        for suffix in ("", "-wal", "-shm"):
            try:
                Path(f"{self._path}{suffix}").unlink(missing_ok=True)
            except OSError as error:
                self._give_up(error)

    def _close_connection(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(sqlite3.Error):
                connection.close()


def _open_file(path: Path, patience: float) -> sqlite3.Connection:
    """The file, created if missing. What another process left during a deletion is dropped."""
    with private_files():
        db = sqlite3.connect(path, timeout=patience, isolation_level=None, check_same_thread=False)
    try:
        db.execute("PRAGMA journal_mode = WAL")
        # losing what was written last, at a loss of power, costs only time
        db.execute("PRAGMA synchronous = NORMAL")
        # what is deleted is overwritten, as a vector reveals something of its sentence
        db.execute("PRAGMA secure_delete = ON")
        if db.execute("PRAGMA user_version").fetchone()[0] != _LAYOUT:
            _set_up(db)
        now = time.time()
        left = db.execute(
            "SELECT owner FROM forgotten WHERE changing_since != 0 AND changing_since NOT BETWEEN ? AND ?",
            (now - _LONGEST_CHANGE, now),
        ).fetchall()
        if left:
            _drop_owners(db, [owner for (owner,) in left], 0.0)
    except BaseException:
        db.close()
        raise
    return db


def _set_up(db: sqlite3.Connection) -> None:
    db.execute("BEGIN IMMEDIATE")
    with db:
        if db.execute("PRAGMA user_version").fetchone()[0] == _LAYOUT:
            return
        for table in ("vectors", "forgotten", "state"):
            db.execute(f"DROP TABLE IF EXISTS {table}")
        for statement in filter(str.strip, _SET_UP.split(";")):
            db.execute(statement)


def _drop_owners(db: sqlite3.Connection, owners: Iterable[bytes], changing_since: float) -> None:
    rows = [(owner,) for owner in owners]
    db.execute("BEGIN IMMEDIATE")
    with db:
        db.executemany("DELETE FROM vectors WHERE owner = ?", rows)
        db.execute("UPDATE state SET generation = generation + 1")
        (generation,) = db.execute("SELECT generation FROM state").fetchone()
        db.executemany(
            "INSERT OR REPLACE INTO forgotten VALUES (?, ?, ?)",
            [(owner, generation, changing_since) for (owner,) in rows],
        )
        if db.execute("SELECT count(*) FROM forgotten WHERE changing_since = 0").fetchone()[0] > _MOST_FORGOTTEN:
            db.execute("DELETE FROM forgotten WHERE changing_since = 0")
            db.execute("UPDATE state SET complete_since = generation")


def _find_gone(db: sqlite3.Connection, owners: Iterable[bytes], began: int) -> set[bytes]:
    """Those of ``owners`` that are being deleted, or were since the generation ``began``."""
    return {
        owner
        for owner in owners
        if db.execute(
            "SELECT 1 FROM forgotten WHERE owner = ? AND (generation > ? OR changing_since != 0)", (owner, began)
        ).fetchone()
    }


def _is_busy(error: sqlite3.OperationalError) -> bool:
    return error.sqlite_errorcode & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def _checksum(value: bytes) -> bytes:
    return crc32(value).to_bytes(_CHECK_BYTES, "big")


def identify_document(tenant: str, document_id: str) -> bytes:
    """What a document's vectors are kept under."""
    name = f"{tenant}\0{document_id}".encode("utf-8", "surrogatepass")
    return blake2b(name, digest_size=_OWNER_BYTES).digest()
