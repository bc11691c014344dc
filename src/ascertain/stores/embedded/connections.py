"""Connections to the record: any number of readers, one writer, short transactions."""

import sqlite3
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from ascertain.core.errors import StoreError
from ascertain.core.system.private_files import private_files
from ascertain.stores.embedded.dialect import RecordConnection

# Vector rows stay inside one page up to about 1000 dimensions; 4096 would spill from 480 on.
PAGE_SIZE = 8192
BUSY_SECONDS = 30.0
"""How long a statement waits for another process before it fails."""


class Connections:
    """Lends connections to one database file; safe to use from several threads.

    Raises StoreError once closed, sqlite3.Error for what the database refuses.
    """

    def __init__(self, path: Path, read_only: bool, factory: type[RecordConnection] = RecordConnection) -> None:
        self.path = path
        self.read_only = read_only
        self._factory = factory
        self._idle: list[RecordConnection] = []
        self._mutex = threading.Lock()
        self._write_mutex = threading.RLock()
        self._writer: RecordConnection | None = None
        self._closed = False

    @contextmanager
    def read(self) -> Generator[RecordConnection]:
        """A connection inside a read transaction: everything read belongs to one moment."""
        db = self._borrow_connection()
        try:
            db.execute("BEGIN")
            yield db
        finally:
            self._give_back(db)

    @contextmanager
    def write(self, *, flushed: bool = True) -> Generator[RecordConnection]:
        """The writing connection inside a transaction that is committed at the end, or rolled back on error.

        A commit survives a kill, and a power cut too when it is ``flushed`` to the disk.
        """
        if self.read_only:
            raise StoreError(f"{self.path.parent} is read-only: it can be searched but not changed")
        with self._write_mutex:
            self._check_open()
            if self._writer is None:
                self._writer = self._open_connection()
            db = self._writer
            db.execute(f"PRAGMA synchronous = {'FULL' if flushed else 'NORMAL'}")
            db.execute("BEGIN IMMEDIATE")
            try:
                yield db
                db.execute("COMMIT")
            except BaseException:
                # After a full disk SQLite may have rolled back by itself.
                if db.in_transaction:
                    db.execute("ROLLBACK")
                raise

    def close(self) -> None:
        """Close every connection; those lent out are closed when they come back."""
        with self._write_mutex, self._mutex:
            self._closed = True
            for db in self._idle:
                db.close()
            self._idle.clear()
            if self._writer is not None:
                self._writer.close()
                self._writer = None

    def _borrow_connection(self) -> RecordConnection:
        with self._mutex:
            self._check_open()
            if self._idle:
                return self._idle.pop()
        return self._open_connection()

    def _give_back(self, db: RecordConnection) -> None:
        if db.in_transaction:
            db.execute("ROLLBACK")
        with self._mutex:
            if not self._closed:
                self._idle.append(db)
                return
        db.close()

    def _check_open(self) -> None:
        if self._closed:
            raise StoreError(f"the store in {self.path.parent} was closed: open it again")

    def _open_connection(self) -> RecordConnection:
        if self.read_only:
            return self._connect_read_only()
        with private_files():
            return self._open_writable()

    def _open_writable(self) -> RecordConnection:
        db = self._open_database(str(self.path))
        try:
            db.execute(f"PRAGMA page_size = {PAGE_SIZE}")
            _enable_write_ahead_log(db)
            _set_pragmas(db)
        except sqlite3.Error:
            db.close()
            raise
        return db

    def _open_database(self, name: str, *, is_uri: bool = False) -> RecordConnection:
        return self._factory(name, uri=is_uri, isolation_level=None, check_same_thread=False, timeout=BUSY_SECONDS)

    def _connect_read_only(self) -> RecordConnection:
        uri = self.path.absolute().as_uri()
        wal = self.path.with_name(self.path.name + "-wal")
        # Without a log no one is writing and SQLite must not try to create one: immutable.
        mode = "mode=ro" if wal.exists() else "immutable=1"
        db = self._open_database(f"{uri}?{mode}", is_uri=True)
        try:
            _set_pragmas(db)
            db.execute("SELECT count(*) FROM sqlite_master").fetchone()
        except sqlite3.Error:
            db.close()
            raise
        return db


def _enable_write_ahead_log(db: sqlite3.Connection) -> None:
    """Wait, as SQLite does everywhere else, while another process does the same to a new file."""
    latest = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            db.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            # the low byte is the primary code, whatever the extended one says
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > latest:
                raise
            time.sleep(0.01)
        else:
            return


def _set_pragmas(db: sqlite3.Connection) -> None:
    db.execute("PRAGMA foreign_keys = ON")
    db.execute("PRAGMA cache_size = -64000")
    db.execute("PRAGMA temp_store = MEMORY")
