"""What a service keeps, in the record of an embedded home and in its folder of uploads."""

from __future__ import annotations

from pathlib import Path

from ascertain.core.settings import StoreSettings
from ascertain.stores.embedded import faults
from ascertain.stores.embedded.connections import Connections
from ascertain.stores.embedded.layout import prepare
from ascertain.stores.embedded.migrations import bring_up
from ascertain.stores.embedded.record_database import RecordDatabase
from ascertain.stores.embedded.uploads import UploadFolder
from ascertain.stores.service_tables.stores import TableStores


def open_embedded_service(settings: StoreSettings, home: Path) -> TableStores:
    """What the service of the knowledge base in ``home`` keeps; a home that is not there yet is begun with an empty record.

    Raises StoreError when it cannot be used.
    """
    with faults.translated(home):
        layout = prepare(home, create=True)
        connections = Connections(layout.record, read_only=not layout.is_writable)
        try:
            bring_up(layout, connections)
        except BaseException:
            connections.close()
            raise
    database = RecordDatabase(layout, connections)
    return TableStores(database, UploadFolder(layout, database))
