"""The record of an embedded home as the ``Database`` of what else is kept in it.

Writes are single short transactions that wait for other transactions only, never for the writer's lock of an
ingest.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from ascertain.core.errors import StoreError
from ascertain.stores.embedded import faults
from ascertain.stores.embedded.connections import Connections
from ascertain.stores.embedded.dialect import RecordConnection
from ascertain.stores.embedded.layout import Layout, prepare
from ascertain.stores.embedded.migrations import bring_up
from ascertain.stores.embedded.presence import Presence
from ascertain.stores.relational.database import Database, Owner, Session

_Result = TypeVar("_Result")


class RecordDatabase(Database):
    """The record of a home as a ``Database``."""

    nobody = ""

    def __init__(self, layout: Layout, connections: Connections) -> None:
        self.layout = layout
        self.connections = connections
        self._presence = Presence(layout.running)

    @property
    def place(self) -> str:
        """The folder."""
        return str(self.layout.home)

    @property
    def is_writable(self) -> bool:
        """Whether anything can be kept in the home."""
        return not self.connections.read_only

    @contextmanager
    def reading(self) -> Generator[Session]:
        """A read transaction."""
        with faults.translated(self.layout.home), self.connections.read() as db:
            yield db

    def run_change(self, work: Callable[[Session], _Result], *, flushed: bool = True) -> _Result:
        """A write transaction."""
        with faults.translated(self.layout.home), self.connections.write(flushed=flushed) as db:
            return work(db)

    def announce(self, purpose: str = "a service cannot work on anything") -> Owner:
        """The token of this process."""
        with faults.translated(self.layout.home):
            if not self.is_writable:
                raise StoreError(f"{self.place} is read-only: {purpose} there")
            return self._presence.announce()

    def find_gone(self, db: Session, owners: Iterable[Owner]) -> set[Owner]:
        """Which processes are gone."""
        return {owner for owner in set(owners) if not self._presence.is_alive(str(owner))}

    def close(self) -> None:
        """Close the connections and leave."""
        self._presence.leave()
        self.connections.close()


def open_database(
    home: Path, factory: type[RecordConnection] = RecordConnection, *, create: bool = False
) -> RecordDatabase:
    """The record in ``home``, brought up to date; StoreError when there is none or it cannot be used."""
    with faults.translated(home):
        layout = prepare(home, create)
        connections = Connections(layout.record, read_only=not layout.is_writable, factory=factory)
        try:
            bring_up(layout, connections)
        except BaseException:
            connections.close()
            raise
    return RecordDatabase(layout, connections)
