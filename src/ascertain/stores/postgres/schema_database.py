"""The schema of a knowledge base on PostgreSQL as the ``Database`` of what else every process shares in it."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from typing import TypeVar, cast

from ascertain.stores.postgres import faults
from ascertain.stores.postgres.connections import Connection, Connections
from ascertain.stores.postgres.presence import Presence
from ascertain.stores.relational.database import Database, Owner, Session

_Result = TypeVar("_Result")


class SchemaDatabase(Database):
    """One schema as a ``Database``."""

    nobody = 0

    def __init__(self, connections: Connections) -> None:
        self.connections = connections
        self._presence = Presence(connections)

    @property
    def place(self) -> str:
        """The server and the schema."""
        return self.connections.place

    @contextmanager
    def reading(self) -> Generator[Session]:
        """A read transaction."""
        with faults.translated(self.place), self.connections.read() as db:
            yield db

    def run_change(self, work: Callable[[Session], _Result], *, flushed: bool = True) -> _Result:
        """A write transaction."""
        with faults.translated(self.place):
            return self.connections.change(work, flushed=flushed)

    def announce(self, purpose: str = "a service cannot work on anything") -> Owner:
        """The token of this process."""
        with faults.translated(self.place):
            return self._presence.announce()

    def find_gone(self, db: Session, owners: Iterable[Owner]) -> set[Owner]:
        """Which processes are gone."""
        tokens = {int(owner) for owner in owners}
        return set(self._presence.dead(cast(Connection, db), tokens)) if tokens else set()

    def close(self) -> None:
        """Close the connections, the sign of life among them."""
        self._presence.leave()
        self.connections.close()
