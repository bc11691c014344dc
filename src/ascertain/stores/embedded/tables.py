"""What else an embedded home keeps: conversations, the ingest log, the graph and what a service needs."""

from __future__ import annotations

from pathlib import Path

from ascertain.core.settings import StoreSettings
from ascertain.stores.embedded.dialect import EscapingConnection
from ascertain.stores.embedded.record_database import open_database
from ascertain.stores.embedded.uploads import UploadFolder
from ascertain.stores.relational.conversations import ConversationTable
from ascertain.stores.relational.graph.store import GraphTables
from ascertain.stores.relational.ingest_log import IngestLogTable
from ascertain.stores.relational.service.stores import TableStores


def open_embedded_conversations(settings: StoreSettings, home: Path, kept_turns: int) -> ConversationTable:
    """The conversations in ``home``; StoreError when there is no knowledge base or it cannot be used."""
    return ConversationTable(open_database(home), kept_turns)


def open_embedded_ingest_log(settings: StoreSettings, home: Path) -> IngestLogTable:
    """The ingest log in ``home``; StoreError when there is no knowledge base or it cannot be used."""
    return IngestLogTable(open_database(home))


def open_embedded_graph(settings: StoreSettings, home: Path) -> GraphTables:
    """The graph of the knowledge base in ``home``; StoreError when there is none or it cannot be used."""
    return GraphTables(open_database(home, EscapingConnection))


def open_embedded_service(settings: StoreSettings, home: Path) -> TableStores:
    """What a service keeps in ``home``, begun with an empty record where there is none yet.

    Raises StoreError when it cannot be used.
    """
    database = open_database(home, EscapingConnection, create=True)
    return TableStores(database, UploadFolder(database.layout, database))
