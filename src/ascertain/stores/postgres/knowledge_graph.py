"""The knowledge graph on a PostgreSQL server. ``graph.py`` is the one over the vectors, which searches go along."""

from __future__ import annotations

from pathlib import Path

from ascertain.core.settings import StoreSettings
from ascertain.stores.graph_tables.store import GraphTables
from ascertain.stores.postgres.opening import connect
from ascertain.stores.postgres.schema_database import SchemaDatabase


def open_postgres_graph(settings: StoreSettings, home: Path) -> GraphTables:
    """The graph of the knowledge base at ``settings.url``; StoreError when there is none or it cannot be used."""
    return GraphTables(SchemaDatabase(connect(settings)))
