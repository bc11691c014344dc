"""The knowledge graph: a graph store, and the snapshots read from it."""

from __future__ import annotations

import logging
from pathlib import Path
from threading import Lock

from ascertain.graph.linking import Linker
from ascertain.graph.snapshot import Snapshot
from ascertain.graph.snapshot_file import load, save, snapshot_path
from ascertain.stores.graph_ports import GraphStore

KEPT = 8
"""Tenants whose snapshots stay in memory, the latest asked for; a snapshot of 100,000 chunks takes some hundred megabytes."""
WORTH_A_FILE = 5_000
"""Chunks from which a snapshot is kept as a file; a smaller one is made again in well under a second."""

_logger = logging.getLogger("ascertain.graph")


class KnowledgeGraph:
    """Snapshots by tenant, each read anew when the store's generation is another one. Safe to share between threads.

    With ``folder``, the snapshot last read of each large tenant is kept there as a file, for a quick first question of the next process.
    """

    def __init__(self, store: GraphStore, folder: Path | None = None) -> None:
        self.store = store
        self._folder = folder
        self._linkers: dict[str, Linker] = {}
        self._locks: dict[str, Lock] = {}
        self._guard = Lock()

    def snapshot(self, tenant: str) -> Snapshot:
        """The tenant's graph as it is now; raises StoreError when the store cannot be read."""
        return self.linker(tenant).snapshot

    def linker(self, tenant: str) -> Linker:
        """What finds the things of the tenant's graph as it is now, kept as long as the graph stays; raises as ``snapshot``."""
        generation = self.store.generation(tenant)
        with self._guard:
            found = self._linkers.get(tenant)
            lock = self._locks.setdefault(tenant, Lock())
        if found is not None and found.snapshot.generation == generation:
            return found
        # One reads for all that wait.
        with lock:
            return self._current(tenant, generation)

    def forget(self, tenant: str) -> None:
        """Drop what is kept of a tenant, in memory and on disk."""
        with self._guard:
            self._linkers.pop(tenant, None)
        if self._folder is not None:
            snapshot_path(self._folder, tenant).unlink(missing_ok=True)

    def _current(self, tenant: str, generation: str) -> Linker:
        with self._guard:
            found = self._linkers.get(tenant)
        if found is not None and found.snapshot.generation == generation:
            return found
        made = Linker(self._read(tenant, generation))
        with self._guard:
            self._linkers.pop(tenant, None)
            self._linkers[tenant] = made
            while len(self._linkers) > KEPT:
                self._linkers.pop(next(iter(self._linkers)))
        return made

    def _read(self, tenant: str, generation: str) -> Snapshot:
        path = None if self._folder is None else snapshot_path(self._folder, tenant)
        kept = None if path is None else load(path, generation)
        if kept is not None:
            return kept
        made = Snapshot.of(self.store.columns(tenant), self.store.pins(tenant))
        if path is not None:
            try:
                if len(made.chunk_ids) >= WORTH_A_FILE:
                    save(made, path)
                else:
                    path.unlink(missing_ok=True)
            except OSError as error:
                _logger.warning("the graph's snapshot is not kept: %s", error)
        return made
