"""Transactions on one database of a Bolt server."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager, suppress
from typing import LiteralString, TypeVar, cast
from urllib.parse import urlsplit

import neo4j
from neo4j import exceptions

from ascertain.core.errors import ConfigurationError, StoreError
from ascertain.core.settings import GraphSettings, StoreSettings
from ascertain.stores.neo4j import faults
from ascertain.stores.rows import Row

Work = neo4j.ManagedTransaction
_Result = TypeVar("_Result")

_SCHEMES = ("bolt", "bolt+s", "bolt+ssc", "neo4j", "neo4j+s", "neo4j+ssc")

_RETRY_SECONDS = 0.1
"""The first pause before a transaction is run again, which doubles each time; those that it meets take about as long."""

_ATTEMPTS = 10
"""A transaction that meets another writer's work so often meets a fault that trying again does not solve."""

_GONE = "Neo.ClientError.Statement.EntityNotFound"


def rows(tx: Work, query: LiteralString, **parameters: object) -> Iterator[Row]:
    """What a statement gives back, row by row as it arrives."""
    return cast(Iterator[Row], iter(tx.run(query, parameters)))


def value(tx: Work, query: LiteralString, **parameters: object) -> int:
    """The one number that a statement gives back."""
    return int(next(rows(tx, query, **parameters))[0])


def run(tx: Work, query: LiteralString, **parameters: object) -> None:
    """Run a statement to its end."""
    tx.run(query, parameters).consume()


@contextmanager
def _overtaken() -> Generator[None]:
    """Go on after an error which says that another transaction came first, and which the driver does not try again."""
    try:
        yield
    # Where no lock keeps writers apart, two may make the same node, and the second to commit is told so.
    except exceptions.ConstraintError:
        pass
    # What a statement has found may be gone when its fields are read.
    except exceptions.Neo4jError as error:
        if error.code != _GONE:
            raise


class _UndoneError(Exception):
    """Ends a transaction without anything of it being kept."""


class Bolt:
    """Lends transactions; safe to use from several threads. Raises StoreError, also once it is closed.

    What fails for a moment (a server that just went away, another writer in the way) is run again for ``store.timeout_seconds``.
    """

    def __init__(self, settings: GraphSettings, store: StoreSettings) -> None:
        self._settings = settings
        self.place = _place(settings)
        self._is_closed = False
        self._driver = neo4j.GraphDatabase.driver(  # pyright: ignore[reportUnknownMemberType]
            settings.url,
            auth=(settings.user, os.environ.get(settings.key_variable, "")),
            connection_timeout=store.timeout_seconds,
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
        with self._session(neo4j.READ_ACCESS) as session:
            return _repeated(lambda: session.execute_read(work))

    def change(self, work: Callable[[Work], _Result]) -> _Result:
        """Run ``work`` in a transaction and commit it; it may be run again from the start."""
        with self._session(neo4j.WRITE_ACCESS) as session:
            return _repeated(lambda: session.execute_write(work))

    def undo(self, work: Callable[[Work], _Result]) -> _Result:
        """Run ``work`` in a transaction that may lock what it changes, and roll it back."""
        found: list[_Result] = []

        def attempt(tx: Work) -> None:
            found.append(work(tx))
            raise _UndoneError

        with self._session(neo4j.WRITE_ACCESS) as session:
            with suppress(_UndoneError):
                _repeated(lambda: session.execute_write(attempt))
            return found[-1]

    def server(self) -> str:
        """Name and version of the server."""
        with faults.translated(self._settings, self.place):
            self._check_open()
            return self._driver.get_server_info().agent  # pyright: ignore[reportUnknownMemberType]

    def close(self) -> None:
        """Close every connection."""
        self._is_closed = True
        self._driver.close()

    @contextmanager
    def _session(self, access: str) -> Generator[neo4j.Session]:
        """A session whose faults are translated."""
        self._check_open()
        database = self._settings.database or None
        with (
            faults.translated(self._settings, self.place),
            self._driver.session(database=database, default_access_mode=access) as session,  # pyright: ignore[reportUnknownMemberType]
        ):
            yield session

    def _check_open(self) -> None:
        if self._is_closed:
            raise StoreError(f"the graph on {self.place} was closed: open it again")


def _repeated(transaction: Callable[[], _Result]) -> _Result:
    """Run a transaction until no other overtakes it."""
    for _ in range(_ATTEMPTS - 1):
        with _overtaken():
            return transaction()
    return transaction()


def _place(settings: GraphSettings) -> str:
    """The server without secrets; ConfigurationError for an address that is none."""
    try:
        parts = urlsplit(settings.url)
        is_address = parts.scheme in _SCHEMES and bool(parts.hostname) and parts.port != 0
    except ValueError:
        parts, is_address = urlsplit(""), False
    if not is_address or "@" in parts.netloc or " " in parts.netloc:
        # The address is not repeated: it may have a password in it, which belongs into the environment.
        raise ConfigurationError(
            "graph.url is not the address of a Bolt server: write bolt://host:7687 or neo4j://host:7687, "
            f"the user into graph.user and the password into the environment variable {settings.key_variable}"
        )
    return f"{parts.scheme}://{parts.netloc}" + (
        f" (database {settings.database})" if settings.database else ""
    )
