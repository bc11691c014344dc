"""The record of an embedded home as the ``Database`` of conversations, the ingest log, the graph and the service.

Writes are single short transactions that wait for other transactions only, never for the writer's lock of an ingest.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from ascertain.core.errors import StoreError
from ascertain.core.settings_store import StoreSettings
from ascertain.stores.embedded import faults
from ascertain.stores.embedded.connections import Connections
from ascertain.stores.embedded.dialect import EscapingConnection, RecordConnection
from ascertain.stores.embedded.layout import Layout, prepare
from ascertain.stores.embedded.migrations import bring_up
from ascertain.stores.embedded.presence import Presence
from ascertain.stores.embedded.uploads import UploadFolder
from ascertain.stores.relational.conversations import ConversationTable
from ascertain.stores.relational.database import Database, Owner, Session
from ascertain.stores.relational.graph.store import GraphTables
from ascertain.stores.relational.ingest_log import IngestLogTable
from ascertain.stores.relational.service.stores import TableStores

_Result = TypeVar("_Result")


def open_embedded_conversations(settings: StoreSettings, home: Path, kept_turns: int) -> ConversationTable:
    """The conversations of the knowledge base in ``home``; StoreError when there is none or it cannot be used."""
    return ConversationTable(_open_database(home, RecordConnection), kept_turns)


def open_embedded_ingest_log(settings: StoreSettings, home: Path) -> IngestLogTable:
    """The ingest log of the knowledge base in ``home``; StoreError when there is none or it cannot be used."""
    return IngestLogTable(_open_database(home, RecordConnection))


def open_embedded_graph(settings: StoreSettings, home: Path) -> GraphTables:
    """The graph of the knowledge base in ``home``; StoreError when there is none or it cannot be used."""
    return GraphTables(_open_database(home, EscapingConnection))


def open_embedded_service(settings: StoreSettings, home: Path) -> TableStores:
    """What the service of the knowledge base in ``home`` keeps; a home that is not there yet is begun with an empty record.

    Raises StoreError when it cannot be used.
    """
    database = _open_database(home, EscapingConnection, create=True)
    return TableStores(database, UploadFolder(database.layout, database))


class RecordDatabase(Database):
    """The record of a home as a ``Database``."""

    nobody = ""

    def __init__(self, layout: Layout, connections: Connections) -> None:
        self.layout = layout
        self._connections = connections
        self._presence = Presence(layout.running)

    @property
    def place(self) -> str:
        """The folder."""
        return str(self.layout.home)

    @property
    def is_writable(self) -> bool:
        """Whether anything can be kept in the home."""
        return not self._connections.read_only

    @contextmanager
    def reading(self) -> Generator[Session]:
        """A read transaction."""
        with faults.translated(self.layout.home), self._connections.read() as db:
            yield db

    def run_change(self, work: Callable[[Session], _Result], *, flushed: bool = True) -> _Result:
        """A write transaction."""
        with faults.translated(self.layout.home), self._connections.write(flushed=flushed) as db:
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
        self._connections.close()


def _open_database(home: Path, factory: type[RecordConnection], *, create: bool = False) -> RecordDatabase:
    with faults.translated(home):
        layout = prepare(home, create)
        connections = Connections(layout.record, read_only=not layout.is_writable, factory=factory)
        try:
            bring_up(layout, connections)
        except BaseException:
            connections.close()
            raise
    return RecordDatabase(layout, connections)
