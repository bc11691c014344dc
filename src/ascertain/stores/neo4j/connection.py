"""Transactions on one database of a Bolt server."""

import os
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager, suppress
from typing import LiteralString, TypeVar, cast
from urllib.parse import urlsplit

import neo4j
from neo4j import exceptions

from ascertain.core.errors import AscertainError, ConfigurationError, StoreBusy, StoreError
from ascertain.core.settings import GraphSettings, StoreSettings
from ascertain.core.settings.store import GRAPH_KEY_VARIABLE
from ascertain.stores.records.rows import Row

_NO_DATABASE = "Neo.ClientError.Database.DatabaseNotFound"
_FORBIDDEN = "Neo.ClientError.Security.Forbidden"


@contextmanager
def translate_errors(settings: GraphSettings, place: str) -> Generator[None]:
    """Raise errors inside as StoreError; our own errors pass. ``place`` names the server, without secrets."""
    try:
        yield
    except AscertainError:
        raise
    # The driver says by a ValueError that no server has the name.
    except (exceptions.DriverError, exceptions.Neo4jError, OSError, ValueError) as error:
        raise store_error(error, settings, place) from error


def store_error(error: Exception, settings: GraphSettings, place: str) -> StoreError:
    """What went wrong at ``place`` and what to do."""
    said = _error_message(error)
    if isinstance(error, exceptions.AuthError):
        return StoreError(
            f"{place} refused user and password: check graph.user, and the environment variable {GRAPH_KEY_VARIABLE} for "
            "the password"
        )
    if isinstance(error, exceptions.ServiceUnavailable | exceptions.SessionExpired | OSError | ValueError):
        return StoreError(
            f"no connection to {place} ({said}): check that the server runs and that graph.url is right, then try again; "
            "everything acknowledged so far is stored"
        )
    if isinstance(error, exceptions.Neo4jError) and error.code == _NO_DATABASE:
        return StoreError(
            f"{place} has no database {settings.database!r}: create it there, or set graph.database to an existing one"
        )
    if isinstance(error, exceptions.Neo4jError) and error.code == _FORBIDDEN:
        return StoreError(
            f"{place} does not allow this ({said}): ask its administrator for the right to read and write the database"
        )
    if isinstance(error, exceptions.TransientError):
        return StoreBusy(f"other writers kept {place} busy ({said}): try again, or raise store.timeout_seconds")
    return StoreError(f"{place} refused the operation: {said}")


def _error_message(error: Exception) -> str:
    words = error.message if isinstance(error, exceptions.Neo4jError) else str(error)
    return " ".join((words or "").split())[:500] or type(error).__name__


Work = neo4j.ManagedTransaction
_Result = TypeVar("_Result")

_SCHEMES = ("bolt", "bolt+s", "bolt+ssc", "neo4j", "neo4j+s", "neo4j+ssc")

_RETRY_SECONDS = 0.1
"""The first pause before a transaction is run again, about as long as those it meets take; doubled each time."""

_AWAY_SECONDS = 3.0
"""How long a connection may take to be made, and a read is tried again: a question is answered without the graph rather than
kept waiting. Writes are tried for ``store.timeout_seconds``."""

_ATTEMPTS = 10
"""A transaction that meets another writer's work so often meets a fault that trying again does not solve."""

_GONE = "Neo.ClientError.Statement.EntityNotFound"


def fetch_rows(tx: Work, query: LiteralString, **parameters: object) -> Iterator[Row]:
    """What a statement gives back, row by row as it arrives."""
    return cast(Iterator[Row], iter(tx.run(query, parameters)))


def fetch_value(tx: Work, query: LiteralString, **parameters: object) -> int:
    """The one number that a statement gives back."""
    return int(next(fetch_rows(tx, query, **parameters))[0])


def run_statement(tx: Work, query: LiteralString, **parameters: object) -> None:
    """Run a statement to its end."""
    tx.run(query, parameters).consume()


@contextmanager
def _ignore_conflicts() -> Generator[None]:
    """Go on after an error which says that another transaction came first, and which the driver does not retry."""
    try:
        yield
    # Where no lock keeps writers apart, two may make the same node, and the second to commit gets this error.
    except exceptions.ConstraintError:
        pass
    # What a statement has found may be gone when its fields are read.
    except exceptions.Neo4jError as error:
        if error.code != _GONE:
            raise


class _UndoneError(Exception):
    """Rolls a transaction back."""


class Bolt:
    """Lends transactions; safe to use from several threads. Raises StoreError, also once it is closed.

    A write that fails temporarily (a restarting server, another writer) is retried for
    ``store.timeout_seconds``, a read for a few seconds.
    """

    def __init__(self, settings: GraphSettings, store: StoreSettings) -> None:
        self._settings = settings
        self.place = _server_address(settings)
        self._is_closed = False
        self._read_seconds = min(_AWAY_SECONDS, store.timeout_seconds)
        self._driver = neo4j.GraphDatabase.driver(  # pyright: ignore[reportUnknownMemberType]
            settings.url,
            auth=(settings.user, os.environ.get(GRAPH_KEY_VARIABLE, "")),
            connection_timeout=min(_AWAY_SECONDS, store.timeout_seconds),
            connection_acquisition_timeout=store.timeout_seconds,
            max_transaction_retry_time=store.timeout_seconds,
            initial_retry_delay=_RETRY_SECONDS,
            max_connection_pool_size=store.connections,
            user_agent="ascertain",
            # Hints for those who write Cypher by hand, such as that no node has a label yet.
            notifications_min_severity="OFF",
        )

    def read(self, work: Callable[[Work], _Result]) -> _Result:
        """Run ``work`` in a transaction that reads; it may be run again from the start."""
        with self._open_session(neo4j.READ_ACCESS) as session:
            return _run_with_retries(lambda: session.execute_read(work))

    def change(self, work: Callable[[Work], _Result]) -> _Result:
        """Run ``work`` in a transaction and commit it; it may be run again from the start."""
        with self._open_session(neo4j.WRITE_ACCESS) as session:
            return _run_with_retries(lambda: session.execute_write(work))

    def undo(self, work: Callable[[Work], _Result]) -> _Result:
        """Run ``work`` in a transaction that may lock what it changes, and roll it back."""
        found: list[_Result] = []

        def attempt(tx: Work) -> None:
            found.append(work(tx))
            raise _UndoneError

        with self._open_session(neo4j.WRITE_ACCESS) as session:
            with suppress(_UndoneError):
                _run_with_retries(lambda: session.execute_write(attempt))
            return found[-1]

    def server(self) -> str:
        """Name and version of the server."""
        with translate_errors(self._settings, self.place):
            self._check_open()
            return self._driver.get_server_info().agent  # pyright: ignore[reportUnknownMemberType]

    def close(self) -> None:
        """Close every connection."""
        self._is_closed = True
        self._driver.close()

    @contextmanager
    def _open_session(self, access: str) -> Generator[neo4j.Session]:
        """A session whose faults are translated."""
        self._check_open()
        database = self._settings.database or None
        patience = {"max_transaction_retry_time": self._read_seconds} if access == neo4j.READ_ACCESS else {}
        with (
            translate_errors(self._settings, self.place),
            self._driver.session(database=database, default_access_mode=access, **patience) as session,  # pyright: ignore[reportUnknownMemberType]
        ):
            yield session

    def _check_open(self) -> None:
        if self._is_closed:
            raise StoreError(f"the graph on {self.place} was closed: open it again")


def _run_with_retries(transaction: Callable[[], _Result]) -> _Result:
    """Run a transaction until no other overtakes it."""
    for _ in range(_ATTEMPTS - 1):
        with _ignore_conflicts():
            return transaction()
    return transaction()


def _server_address(settings: GraphSettings) -> str:
    """The server without secrets; ConfigurationError for an invalid address."""
    try:
        parts = urlsplit(settings.url)
        is_address = parts.scheme in _SCHEMES and bool(parts.hostname) and parts.port != 0
    except ValueError:
        parts, is_address = urlsplit(""), False
    if not is_address or "@" in parts.netloc or " " in parts.netloc:
        # The address is not repeated: it may have a password in it, which belongs into the environment.
        raise ConfigurationError(
            "graph.url is not the address of a Bolt server: write bolt://host:7687 or neo4j://host:7687, "
            f"the user into graph.user and the password into the environment variable {GRAPH_KEY_VARIABLE}"
        )
    return f"{parts.scheme}://{parts.netloc}" + (f" (database {settings.database})" if settings.database else "")
