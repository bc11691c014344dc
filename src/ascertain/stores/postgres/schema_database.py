"""The schema of a knowledge base on PostgreSQL as what the tables of the service and of the knowledge graph need."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from ascertain.stores.postgres import faults
from ascertain.stores.postgres.bulk import copied_integers, copy_integers, copy_rows
from ascertain.stores.postgres.connections import Connection, Connections, statement
from ascertain.stores.postgres.presence import Presence
from ascertain.stores.rows import Row
from ascertain.stores.service_tables.database import Owner, Session

_Result = TypeVar("_Result")


class SchemaDatabase:
    """One schema as a ``Database``."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections
        self._presence = Presence(connections)

    @contextmanager
    def reading(self) -> Generator[Session]:
        """A read transaction."""
        with faults.translated(self._connections.place), self._connections.read() as db:
            yield _SchemaSession(db, self._presence)

    def change(self, work: Callable[[Session], _Result], *, flushed: bool = True) -> _Result:
        """A write transaction."""
        with faults.translated(self._connections.place):
            return self._connections.change(
                lambda db: work(_SchemaSession(db, self._presence)), flushed=flushed
            )

    def announce(self) -> Owner:
        """The token of this process."""
        with faults.translated(self._connections.place):
            return self._presence.announce()

    def close(self) -> None:
        """Close the connections, the sign of life among them."""
        self._presence.leave()
        self._connections.close()


class _SchemaSession:
    def __init__(self, db: Connection, presence: Presence) -> None:
        self._db = db
        self._presence = presence

    def lock_rows(self, *, skip: bool = False) -> str:
        """The end of a SELECT that locks."""
        return " FOR UPDATE SKIP LOCKED" if skip else " FOR UPDATE"

    def rows(self, sql: str, *parameters: object) -> list[Row]:
        """What a statement gives back."""
        return self._db.execute(_statement(sql), parameters).fetchall()

    def change(self, sql: str, *parameters: object) -> int:
        """How many rows a statement changed."""
        return self._db.execute(_statement(sql), parameters).rowcount

    def insert(self, table: str, columns: str, rows: Sequence[Sequence[object]]) -> None:
        """Add many rows."""
        copy_rows(self._db, f"{table} ({columns})", rows)

    def insert_integers(self, table: str, columns: str, values: NDArray[np.int32]) -> None:
        """Add many rows of integers."""
        copy_integers(self._db, f"{table} ({columns})", values)

    def integers(self, sql: str, *parameters: int) -> NDArray[np.int32]:
        """What a statement gives back, as one array."""
        return copied_integers(self._db, sql.replace("?", "%s"), parameters)

    def dead(self, owners: Iterable[Owner]) -> list[Owner]:
        """Which processes are gone."""
        return list(self._presence.dead(self._db, (int(owner) for owner in owners)))


def _statement(sql: str) -> bytes:
    return statement(sql.replace("?", "%s"))
