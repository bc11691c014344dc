"""What else a PostgreSQL server keeps: conversations, the ingest log, the graph and what a service needs."""

from __future__ import annotations

from pathlib import Path

from ascertain.core.settings import StoreSettings
from ascertain.stores.postgres.file_pieces import FilePieces
from ascertain.stores.postgres.opening import connect, set_up
from ascertain.stores.postgres.schema_database import SchemaDatabase
from ascertain.stores.relational.conversations import ConversationTable
from ascertain.stores.relational.graph.store import GraphTables
from ascertain.stores.relational.ingest_log import IngestLogTable
from ascertain.stores.relational.service.stores import TableStores


def open_postgres_conversations(settings: StoreSettings, home: Path, kept_turns: int) -> ConversationTable:
    """The conversations at ``settings.url``; StoreError when there is no knowledge base or it cannot be used."""
    return ConversationTable(SchemaDatabase(connect(settings)), kept_turns)


def open_postgres_ingest_log(settings: StoreSettings, home: Path) -> IngestLogTable:
    """The ingest log at ``settings.url``; StoreError when there is no knowledge base or it cannot be used."""
    return IngestLogTable(SchemaDatabase(connect(settings)))


def open_postgres_graph(settings: StoreSettings, home: Path) -> GraphTables:
    """The graph at ``settings.url``; StoreError when there is no knowledge base or it cannot be used."""
    return GraphTables(SchemaDatabase(connect(settings)))


def open_postgres_service(settings: StoreSettings, home: Path) -> TableStores:
    """What a service keeps at ``settings.url``; the schema is set up where there is none yet.

    Raises StoreError when it cannot be used.
    """
    set_up(settings)
    database = SchemaDatabase(connect(settings))
    return TableStores(database, FilePieces(database))
