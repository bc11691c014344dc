"""What a service keeps, on a PostgreSQL server, shared by every process that uses the knowledge base."""

from __future__ import annotations

from pathlib import Path

from ascertain.core.settings import StoreSettings
from ascertain.stores.postgres.file_pieces import FilePieces
from ascertain.stores.postgres.opening import connect, set_up
from ascertain.stores.postgres.schema_database import SchemaDatabase
from ascertain.stores.service_tables.stores import TableStores


def open_postgres_service(settings: StoreSettings, home: Path) -> TableStores:
    """What the service of the knowledge base at ``settings.url`` keeps; its schema is set up where there is none yet.

    Raises StoreError when it cannot be used.
    """
    set_up(settings)
    database = SchemaDatabase(connect(settings))
    return TableStores(database, FilePieces(database))
