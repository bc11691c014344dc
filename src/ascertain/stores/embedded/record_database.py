"""The record of an embedded home as what the tables of the service and of the knowledge graph need.

Writes are single short transactions that wait for other transactions only, never for the writer's lock of an ingest.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager
from itertools import chain
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from ascertain.core.errors import StoreError
from ascertain.stores.embedded import faults
from ascertain.stores.embedded.connections import Connections
from ascertain.stores.embedded.layout import Layout
from ascertain.stores.embedded.presence import Presence
from ascertain.stores.escaping import escaped, unescaped
from ascertain.stores.rows import Row
from ascertain.stores.service_tables.database import Owner, Session

_Result = TypeVar("_Result")


class RecordDatabase:
    """The record of a home as a ``Database``."""

    def __init__(self, layout: Layout, connections: Connections) -> None:
        self._home = layout.home
        self._connections = connections
        self._presence = Presence(layout.running)

    @property
    def is_writable(self) -> bool:
        """Whether anything can be kept in the home."""
        return not self._connections.read_only

    @contextmanager
    def reading(self) -> Generator[Session]:
        """A read transaction."""
        with faults.translated(self._home), self._connections.read() as db:
            yield _RecordSession(db, self._presence)

    def change(self, work: Callable[[Session], _Result], *, flushed: bool = True) -> _Result:
        """A write transaction."""
        with faults.translated(self._home), self._connections.write(flushed=flushed) as db:
            return work(_RecordSession(db, self._presence))

    def announce(self) -> Owner:
        """The token of this process."""
        with faults.translated(self._home):
            if not self.is_writable:
                raise StoreError(f"{self._home} is read-only: a service cannot work on anything there")
            return self._presence.announce()

    def close(self) -> None:
        """Close the connections and leave."""
        self._presence.leave()
        self._connections.close()


class _RecordSession:
    def __init__(self, db: sqlite3.Connection, presence: Presence) -> None:
        self._db = db
        self._presence = presence

    def lock_rows(self, *, skip: bool = False) -> str:
        """Nothing: a transaction that writes is the only one."""
        return ""

    def rows(self, sql: str, *parameters: object) -> list[Row]:
        """What a statement gives back."""
        found = self._db.execute(sql, [_storable(value) for value in parameters])
        return [
            tuple(unescaped(value) if isinstance(value, str) else value for value in row) for row in found
        ]

    def change(self, sql: str, *parameters: object) -> int:
        """How many rows a statement changed."""
        return self._db.execute(sql, [_storable(value) for value in parameters]).rowcount

    def insert(self, table: str, columns: str, rows: Sequence[Sequence[object]]) -> None:
        """Add many rows."""
        if rows:
            values = ([_storable(value) for value in row] for row in rows)
            self._db.executemany(_insertion(table, columns, len(rows[0])), values)

    def insert_integers(self, table: str, columns: str, values: NDArray[np.int32]) -> None:
        """Add many rows of integers."""
        self._db.executemany(_insertion(table, columns, values.shape[1]), values.tolist())

    def integers(self, sql: str, *parameters: int) -> NDArray[np.int32]:
        """What a statement gives back, as one array."""
        found = self._db.execute(sql, parameters)
        # Row by row into the array: a list of all rows would take ten times its memory.
        return np.fromiter(chain.from_iterable(found), np.int32).reshape(-1, len(found.description))

    def dead(self, owners: Iterable[Owner]) -> list[Owner]:
        """Which processes are gone."""
        return [owner for owner in owners if not self._presence.is_alive(str(owner))]


def _insertion(table: str, columns: str, count: int) -> str:
    return f"INSERT INTO {table} ({columns}) VALUES ({', '.join('?' * count)})"


def _storable(value: object) -> object:
    return escaped(value) if isinstance(value, str) else value
