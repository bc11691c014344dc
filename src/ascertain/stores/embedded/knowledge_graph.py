"""The knowledge graph in the record of an embedded home."""

from __future__ import annotations

from pathlib import Path

from ascertain.core.settings import StoreSettings
from ascertain.stores.embedded import faults
from ascertain.stores.embedded.connections import Connections
from ascertain.stores.embedded.layout import prepare
from ascertain.stores.embedded.migrations import bring_up
from ascertain.stores.embedded.record_database import RecordDatabase
from ascertain.stores.graph_tables.store import GraphTables


def open_embedded_graph(settings: StoreSettings, home: Path) -> GraphTables:
    """The graph of the knowledge base in ``home``; StoreError when there is none or it cannot be used."""
    with faults.translated(home):
        layout = prepare(home, create=False)
        connections = Connections(layout.record, read_only=not layout.is_writable)
        try:
            bring_up(layout, connections)
        except BaseException:
            connections.close()
            raise
    return GraphTables(RecordDatabase(layout, connections))
