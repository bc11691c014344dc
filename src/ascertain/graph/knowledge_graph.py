"""The knowledge graph: a graph store, and the snapshots read from it."""

import hashlib
import json
import logging
import os
import tempfile
import zipfile
from dataclasses import astuple, fields
from pathlib import Path
from threading import Lock
from typing import Any, cast

import numpy as np

from ascertain.core.documents import Span
from ascertain.core.graph import Relation
from ascertain.graph.linking import Linker
from ascertain.graph.resolution import Ground, Merge
from ascertain.graph.snapshot import Snapshot
from ascertain.stores.graph_ports import GraphStore

FORMAT = 2
"""Changes with the fields of a snapshot and what they are computed by; files of another format are not read."""
_WORDS = "words"
KEPT = 8
"""Tenants whose snapshots stay in memory, the latest asked for; each takes some hundred MB for 100,000 chunks."""
WORTH_A_FILE = 5_000
"""Chunks from which a snapshot is kept as a file; a smaller one is made again in well under a second."""
_logger = logging.getLogger("ascertain.graph")


def snapshot_path(folder: Path, tenant: str) -> Path:
    """Where the snapshot of a tenant is kept; the name gives nothing away of the tenant's."""
    return folder / f"{hashlib.sha256(tenant.encode()).hexdigest()[:32]}.npz"


def save_snapshot(snapshot: Snapshot, path: Path) -> None:
    """Write ``snapshot`` in place of what is there, in one step; raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    words: dict[str, Any] = {"format": FORMAT}
    arrays: dict[str, Any] = {}
    for field in fields(Snapshot):
        value: Any = getattr(snapshot, field.name)
        if isinstance(value, np.ndarray):
            arrays[field.name] = value
        else:
            words[field.name] = _plain_value(field.name, value)
    arrays[_WORDS] = np.frombuffer(json.dumps(words).encode(), dtype=np.uint8)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=path.stem, suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            np.savez(file, **arrays)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def load_snapshot(path: Path, generation: str) -> Snapshot | None:
    """The snapshot of that generation; None when there is no such file, or none that can be read."""
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as kept:
            words = json.loads(bytes(kept[_WORDS]))
            if words.pop("format") != FORMAT or words["generation"] != generation:
                return None
            arrays = {name: kept[name] for name in kept.files if name != _WORDS}
        given = {name: _restore_value(name, value) for name, value in words.items()}
        return Snapshot(**given, **arrays)
    except (OSError, EOFError, ValueError, KeyError, TypeError, zipfile.BadZipFile):
        return None


def _plain_value(name: str, value: Any) -> Any:
    if name == "relations":
        return [
            (*astuple(relation)[:4], [relation.sentence.start, relation.sentence.end], relation.origin)
            for relation in value
        ]
    return [astuple(merge) for merge in value] if name in {"merges", "refused"} else value


def _restore_value(name: str, value: Any) -> Any:
    if name == "relations":
        return tuple(_read_relation(said) for said in value)
    if name in {"merges", "refused"}:
        return tuple(_read_merge(*made) for made in value)
    return tuple(cast(list[Any], value)) if isinstance(value, list) else value


def _read_relation(said: list[Any]) -> Relation:
    subject, predicate, obj, chunk_id, span, origin = said
    return Relation(subject, predicate, obj, chunk_id, Span(*span), origin)


def _read_merge(left: str, right: str, ground: str, reason: str, document_id: str) -> Merge:
    return Merge(left, right, Ground(ground), reason, document_id)


class KnowledgeGraph:
    """Snapshots by tenant, each read anew when the store's generation is another one. Safe to share between threads.

    With ``folder``, the snapshot last read of each large tenant is kept there as a file, for a quick first question of
    the next process.
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
        """What finds the things of the tenant's graph as it is now; raises as ``snapshot``."""
        generation = self.store.generation(tenant)
        with self._guard:
            found = self._linkers.get(tenant)
            lock = self._locks.setdefault(tenant, Lock())
        if found is not None and found.snapshot.generation == generation:
            return found
        # One reads for all that wait.
        with lock:
            return self._current_linker(tenant, generation)

    def forget(self, tenant: str) -> None:
        """Drop what is kept of a tenant, in memory and on disk."""
        with self._guard:
            self._linkers.pop(tenant, None)
        if self._folder is not None:
            snapshot_path(self._folder, tenant).unlink(missing_ok=True)

    def _current_linker(self, tenant: str, generation: str) -> Linker:
        with self._guard:
            found = self._linkers.get(tenant)
        if found is not None and found.snapshot.generation == generation:
            return found
        made = Linker(self._read_snapshot(tenant, generation))
        with self._guard:
            self._linkers.pop(tenant, None)
            self._linkers[tenant] = made
            while len(self._linkers) > KEPT:
                self._linkers.pop(next(iter(self._linkers)))
        return made

    def _read_snapshot(self, tenant: str, generation: str) -> Snapshot:
        path = None if self._folder is None else snapshot_path(self._folder, tenant)
        kept = None if path is None else load_snapshot(path, generation)
        if kept is not None:
            return kept
        made = Snapshot.of(self.store.columns(tenant), self.store.pins(tenant))
        if path is not None:
            try:
                if len(made.chunk_ids) >= WORTH_A_FILE:
                    save_snapshot(made, path)
                else:
                    path.unlink(missing_ok=True)
            except OSError as error:
                _logger.warning("the graph's snapshot is not kept: %s", error)
        return made
