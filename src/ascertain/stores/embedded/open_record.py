"""What the parts of one open home share."""

from __future__ import annotations

from dataclasses import dataclass

from ascertain.core.settings import StoreSettings
from ascertain.stores.embedded.connections import Connections
from ascertain.stores.embedded.layout import Layout
from ascertain.stores.embedded.row_names import RowNames
from ascertain.stores.embedded.writer_lock import WriterLock
from ascertain.stores.generations import Generation


@dataclass(frozen=True, slots=True)
class OpenRecord:
    """The record of one home, opened for vectors of one model."""

    layout: Layout
    connections: Connections
    lock: WriterLock
    generation: Generation
    settings: StoreSettings
    identity: str
    """Of the record; ties the derived indexes to it."""
    names: RowNames

    @property
    def index_lock(self) -> WriterLock | None:
        """What derived indexes are written under; None when nothing can be written."""
        return None if self.connections.read_only else self.lock
