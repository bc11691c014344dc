"""The schema of a knowledge base on PostgreSQL as the ``Database`` of conversations, the ingest log, the graph and the service.

Every process that uses the knowledge base shares it.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar, cast

from ascertain.core.settings_store import StoreSettings
from ascertain.stores.postgres import faults
from ascertain.stores.postgres.connections import Connection, Connections
from ascertain.stores.postgres.file_pieces import FilePieces
from ascertain.stores.postgres.opening import connect, set_up
from ascertain.stores.postgres.presence import Presence
from ascertain.stores.relational.conversations import ConversationTable
from ascertain.stores.relational.database import Database, Owner, Session
from ascertain.stores.relational.graph.store import GraphTables
from ascertain.stores.relational.ingest_log import IngestLogTable
from ascertain.stores.relational.service.stores import TableStores

_Result = TypeVar("_Result")


def open_postgres_conversations(settings: StoreSettings, home: Path, kept_turns: int) -> ConversationTable:
    """The conversations of the knowledge base at ``settings.url``; StoreError when there is none or it cannot be used."""
    return ConversationTable(SchemaDatabase(connect(settings)), kept_turns)


def open_postgres_ingest_log(settings: StoreSettings, home: Path) -> IngestLogTable:
    """The ingest log of the knowledge base at ``settings.url``; StoreError when there is none or it cannot be used."""
    return IngestLogTable(SchemaDatabase(connect(settings)))


def open_postgres_graph(settings: StoreSettings, home: Path) -> GraphTables:
    """The graph of the knowledge base at ``settings.url``; StoreError when there is none or it cannot be used."""
    return GraphTables(SchemaDatabase(connect(settings)))


def open_postgres_service(settings: StoreSettings, home: Path) -> TableStores:
    """What the service of the knowledge base at ``settings.url`` keeps; its schema is set up where there is none yet.

    Raises StoreError when it cannot be used.
    """
    set_up(settings)
    database = SchemaDatabase(connect(settings))
    return TableStores(database, FilePieces(database))


class SchemaDatabase(Database):
    """One schema as a ``Database``."""

    nobody = 0

    def __init__(self, connections: Connections) -> None:
        self._connections = connections
        self._presence = Presence(connections)

    @property
    def place(self) -> str:
        """The server and the schema."""
        return self._connections.place

    @contextmanager
    def reading(self) -> Generator[Session]:
        """A read transaction."""
        with faults.translated(self.place), self._connections.read() as db:
            yield db

    def run_change(self, work: Callable[[Session], _Result], *, flushed: bool = True) -> _Result:
        """A write transaction."""
        with faults.translated(self.place):
            return self._connections.change(work, flushed=flushed)

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
        self._connections.close()
