"""The knowledge graph: a graph store, and the snapshots read from it."""

from __future__ import annotations

from pathlib import Path
from threading import Lock

from ascertain.graph.snapshot import Snapshot
from ascertain.stores.graph_ports import GraphStore

KEPT = 8
"""Tenants whose snapshots stay in memory, the latest asked for; a snapshot of 100,000 chunks takes some hundred megabytes at most."""


class KnowledgeGraph:
    """Snapshots by tenant, each read anew when the store's generation is another one. Safe to share between threads.

    With ``folder``, the snapshot last read of each tenant is kept there as a file, for a quick first question of the next process.
    """

    def __init__(self, store: GraphStore, folder: Path | None = None) -> None:
        self.store = store
        self._folder = folder
        self._snapshots: dict[str, Snapshot] = {}
        self._locks: dict[str, Lock] = {}
        self._guard = Lock()

    def snapshot(self, tenant: str) -> Snapshot:
        """The tenant's graph as it is now; raises StoreError when the store cannot be read."""
        generation = self.store.generation(tenant)
        with self._guard:
            found = self._snapshots.get(tenant)
            lock = self._locks.setdefault(tenant, Lock())
        if found is not None and found.generation == generation:
            return found
        with lock:
            return self._read(tenant, generation)

    def forget(self, tenant: str) -> None:
        """Drop what is kept of a tenant, in memory and on disk."""
        with self._guard:
            self._snapshots.pop(tenant, None)

    def _read(self, tenant: str, generation: str) -> Snapshot:
        with self._guard:
            found = self._snapshots.get(tenant)
        if found is not None and found.generation == generation:
            return found
        made = Snapshot.of(self.store.columns(tenant), self.store.pins(tenant))
        with self._guard:
            self._snapshots.pop(tenant, None)
            self._snapshots[tenant] = made
            while len(self._snapshots) > KEPT:
                self._snapshots.pop(next(iter(self._snapshots)))
        return made
