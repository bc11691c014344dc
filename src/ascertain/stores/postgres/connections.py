"""Connections to one schema of a PostgreSQL server: lent to one transaction at a time.

One is opened when needed and reused; no thread works in the background. Search path and time limits are set
with each transaction, so that a connection pooler may stand between (PgBouncer, pooling by transaction).
"""

import math
import os
import threading
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, LiteralString, TypeVar

import numpy as np
import psycopg
from numpy.typing import NDArray
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict
from psycopg.pq import TransactionStatus

from ascertain.core.errors import ConfigurationError, StoreError
from ascertain.core.settings import StoreSettings
from ascertain.stores.postgres import dialect, faults
from ascertain.stores.postgres.dialect import PostgresDialect, encode_marks, text_adapters, vector_table
from ascertain.stores.records.rows import Row
from ascertain.stores.records.vectors import Generation

_Result = TypeVar("_Result")

# After losing to others this often, retrying does not solve the contention.
_ATTEMPTS = 10
# A writer whose machine vanished in the middle of a transaction would hold its locks for the two hours that TCP allows.
_ABANDONED_SECONDS = 300
_NOTHING = sql.Composed([])
# Rows fetched at a time from an open cursor.
_STREAMED = 1000
_SCHEMES = ("postgresql", "postgres")


class Connection(psycopg.Connection[Row]):
    """A connection that is a ``Session``."""

    dialect = PostgresDialect()

    def fetch_rows(self, sql: str, *parameters: object) -> list[Row]:
        return self.execute(encode_marks(sql), parameters).fetchall()

    def stream_rows(self, sql: str, *parameters: object) -> Iterator[Row]:
        with self.cursor(name="streamed") as cursor:
            cursor.itersize = _STREAMED
            cursor.execute(encode_marks(sql), parameters)
            yield from cursor

    def change_rows(self, sql: str, *parameters: object) -> int:
        return self.execute(encode_marks(sql), parameters).rowcount

    def insert_rows(self, table: str, columns: str, rows: Iterable[Sequence[object]]) -> None:
        dialect.copy_rows(self, f"{table} ({columns})", rows)

    def insert_integers(self, table: str, columns: str, values: NDArray[np.int32]) -> None:
        dialect.copy_integers(self, f"{table} ({columns})", values)

    def fetch_integers(self, sql: str, *parameters: int) -> NDArray[np.int32]:
        return dialect.copy_out_integers(self, sql, parameters)

    def replace_vectors(
        self,
        generation: Generation,
        documents: NDArray[np.int64],
        rows: NDArray[np.int64],
        vectors: NDArray[np.float16],
    ) -> None:
        table = vector_table(generation)
        removing = f'DELETE FROM {table} WHERE document = ANY(?) AND "row" = ANY(?)'
        self.change_rows(removing, documents.tolist(), rows.tolist())
        dialect.copy_vectors(self, table, documents, rows, vectors=vectors)


class Connections:
    """Lends connections; safe to use from several threads.

    ``schema`` is the knowledge base's schema and ``place`` names it with its server, without secrets. Raises StoreError
    once closed and when all connections stay in use, psycopg.Error for what the server refuses (see ``faults``).
    """

    def __init__(self, settings: StoreSettings) -> None:
        self.schema = settings.name
        self.settings = settings
        self._parameters = _connection_parameters(settings)
        self.place = _describe_place(self._parameters, settings.name)
        self._free = threading.BoundedSemaphore(settings.connections)
        self._mutex = threading.Lock()
        self._idle: list[Connection] = []
        self._closed = False
        self._extension_schema: str | None = None

    @contextmanager
    def read(self) -> Generator[Connection]:
        """A connection inside a read transaction: everything read belongs to one moment.

        A statement may take ``store.timeout_seconds``.
        """
        with self._open_transaction(
            "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
            # Compiling a statement takes longer than any of ours runs.
            {"statement_timeout": _to_milliseconds(self.settings.timeout_seconds), "jit": 0},
        ) as db:
            yield db

    @contextmanager
    def write(self, *, flushed: bool = True) -> Generator[Connection]:
        """A connection inside a transaction that is committed at the end, or rolled back on error.

        What is not ``flushed`` to the server's disk may be lost when the server crashes. Waits for another writer's
        lock up to ``store.lock_seconds``. Use ``change`` where another writer may be in the way.
        """
        limits: dict[str, int | str] = {
            "lock_timeout": _to_milliseconds(self.settings.lock_seconds),
            "idle_in_transaction_session_timeout": _ABANDONED_SECONDS * 1000,
        }
        if not flushed:
            limits["synchronous_commit"] = "off"
        with self._open_transaction("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE", limits) as db:
            yield db
            db.execute("COMMIT")

    def change(self, work: Callable[[Connection], _Result], *, flushed: bool = True) -> _Result:
        """Run ``work`` in a write transaction, again from the start when it deadlocked with another writer."""
        for _ in range(_ATTEMPTS - 1):
            try:
                with self.write(flushed=flushed) as db:
                    return work(db)
            except psycopg.Error as error:
                if not faults.is_passing(error):
                    raise
        with self.write(flushed=flushed) as db:
            return work(db)

    @contextmanager
    def alone(self) -> Generator[Connection]:
        """A connection outside any transaction, without time limits (for CREATE INDEX CONCURRENTLY)."""
        with self._lend_connection() as db:
            db.execute(self._search_path(sql.SQL("SET")))
            try:
                yield db
            finally:
                if not db.closed:
                    db.execute("RESET search_path")

    def separate(self) -> Connection:
        """A connection of the caller's own, to keep and to close, beside those that are lent."""
        self._check_open()
        db = self._open_connection()
        db.execute(self._search_path(sql.SQL("SET")))
        return db

    def find_extension(self) -> str | None:
        """The schema of the vector extension, which joins the search path; None where it is not installed."""
        with self._lend_connection() as db:
            found = db.fetch_rows(
                "SELECT n.nspname::text FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace "
                "WHERE e.extname = 'vector'"
            )
        self._extension_schema = found[0][0] if found else None
        return self._extension_schema

    def close(self) -> None:
        """Close every connection; those lent out are closed when they come back."""
        with self._mutex:
            self._closed = True
            idle, self._idle = self._idle, []
        for db in idle:
            db.close()

    @contextmanager
    def _open_transaction(self, begin: LiteralString, limits: Mapping[str, int | str]) -> Generator[Connection]:
        prelude = sql.SQL("; ").join(
            [
                sql.SQL(begin),
                self._search_path(sql.SQL("SET LOCAL")),
                *(
                    sql.SQL("SET LOCAL {} = {}").format(sql.Identifier(name), sql.Literal(value))
                    for name, value in limits.items()
                ),
            ]
        )
        with self._lend_connection(prelude) as db:
            try:
                yield db
            finally:
                if db.info.transaction_status != TransactionStatus.IDLE and not db.closed:
                    _roll_back(db)

    @contextmanager
    def _lend_connection(self, prelude: sql.Composed = _NOTHING) -> Generator[Connection]:
        """A connection on which ``prelude`` was run; one that went stale while idle is replaced."""
        self._check_open()
        if not self._free.acquire(timeout=self.settings.timeout_seconds):
            raise StoreError(
                f"all {self.settings.connections} connections to {self.place} stayed in use for "
                f"{self.settings.timeout_seconds:g} s: raise store.connections or ask for less at a time"
            )
        try:
            db = self._prepare_connection(prelude)
            try:
                yield db
            finally:
                self._give_back(db)
        finally:
            self._free.release()

    def _prepare_connection(self, prelude: sql.Composed) -> Connection:
        while True:
            self._check_open()
            with self._mutex:
                kept = self._idle.pop() if self._idle else None
            db = kept or self._open_connection()
            try:
                db.execute(prelude)
            except psycopg.Error as error:
                db.close()
                if kept is None or not faults.is_lost(error):
                    raise
            else:
                return db

    def _give_back(self, db: Connection) -> None:
        with self._mutex:
            if not self._closed and db.info.transaction_status == TransactionStatus.IDLE:
                self._idle.append(db)
                return
        db.close()

    def _open_connection(self) -> Connection:
        # Without prepared statements: a plan that forgets the values of a filter may be far off, and a pooler may not
        # know statements that were prepared on another connection.
        return Connection.connect(autocommit=True, prepare_threshold=None, context=text_adapters(), **self._parameters)

    def _search_path(self, set_: sql.SQL) -> sql.Composed:
        schemas = [self.schema]
        if self._extension_schema not in {None, self.schema}:
            schemas.append(str(self._extension_schema))
        names = sql.SQL(", ").join(map(sql.Identifier, schemas))
        return sql.SQL("{} search_path = {}").format(set_, names)

    def _check_open(self) -> None:
        if self._closed:
            raise StoreError(f"the store in {self.place} was closed: open it again")


def _roll_back(db: Connection) -> None:
    try:
        db.rollback()
    except psycopg.Error:
        # What made the transaction fail is raised already; a connection that cannot roll back is not used again.
        db.close()


def _to_milliseconds(seconds: float) -> int:
    # 0 would mean no limit.
    return max(1, math.ceil(seconds * 1000))


def _connection_parameters(settings: StoreSettings) -> dict[str, Any]:
    """The parameters for libpq. The password is that of the address, else of the environment, else libpq's own (.pgpass)."""
    if not settings.url:
        raise ConfigurationError(
            "store.kind is postgres, but store.url is empty: set it to postgresql://user@host/database"
        )
    if settings.url.partition("://")[0] not in _SCHEMES:
        raise ConfigurationError(
            "store.url is not the address of a PostgreSQL server: write postgresql://user@host/database"
        )
    try:
        given = dict(conninfo_to_dict(settings.url))
    except psycopg.ProgrammingError:
        # libpq's message repeats the address, password included.
        raise ConfigurationError(
            "store.url cannot be read: write postgresql://user@host:port/database, special characters as %XX"
        ) from None
    password = os.environ.get(settings.key_variable)
    if password and "password" not in given:
        given["password"] = password
    # libpq takes whole seconds, and 1 as 2.
    limits = {
        "connect_timeout": max(2, math.ceil(settings.timeout_seconds)),
        "tcp_user_timeout": _to_milliseconds(settings.timeout_seconds),
        "application_name": "ascertain",
    }
    return {**limits, **given, "client_encoding": "utf8"}


def _describe_place(parameters: dict[str, Any], schema: str) -> str:
    user = f"{parameters['user']}@" if parameters.get("user") else ""
    # Of several hosts, each with the usual port, the ports are only commas.
    port = f":{parameters['port']}" if str(parameters.get("port", "")).strip(",") else ""
    host = str(parameters.get("host") or parameters.get("hostaddr") or "")
    database = parameters.get("dbname", "")
    if host.startswith("/"):
        return f"postgresql://{user}{port}/{database}?host={host} (schema {schema})"
    return f"postgresql://{user}{host}{port}/{database} (schema {schema})"
