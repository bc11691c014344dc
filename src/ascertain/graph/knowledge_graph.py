"""The knowledge graph: a graph store, and the snapshots read from it.

Deleted documents are removed at once. If documents and graph are not in one file, a kill between the two deletions, or a
graph server that was unreachable, leaves facts of a document behind: each read of the graph compares the two when either has
changed, hides facts that no document states any more, and removes them from the graph.
"""

import hashlib
import json
import logging
import os
import tempfile
import zipfile
from collections.abc import Callable, Collection, Sequence
from dataclasses import astuple, dataclass, fields, replace
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from ascertain.core.asking.passages import Filter
from ascertain.core.documents.blocks import Span
from ascertain.core.errors import AscertainError
from ascertain.core.graph.nouns import Relation
from ascertain.graph.catching_up import compare_versions
from ascertain.graph.linking import Linker
from ascertain.graph.resolution import Ground, Merge
from ascertain.graph.snapshot import Snapshot
from ascertain.graph.synchronisation import GraphUpkeep, split_ids
from ascertain.stores.outages import Outage
from ascertain.stores.ports.chunks import CompleteStore
from ascertain.stores.ports.graph import GraphColumns, GraphStore
from ascertain.stores.records.encoding import digest_names

_Value = TypeVar("_Value")

FORMAT = 2
"""Changes with the fields of a snapshot and their computation; files of another format are not read."""
_WORDS = "words"
KEPT = 8
"""Tenants whose snapshots stay in memory, the most recently used; each takes some hundred MB for 100,000 chunks."""
WORTH_A_FILE = 5_000
"""Chunks from which a snapshot is stored as a file; a smaller one is rebuilt in well under a second."""
_logger = logging.getLogger("ascertain.graph")


def snapshot_path(folder: Path, tenant: str) -> Path:
    """The file for the snapshot of a tenant; its name does not reveal the tenant's."""
    return folder / f"{hashlib.sha256(tenant.encode()).hexdigest()[:32]}.npz"


def save_snapshot(snapshot: Snapshot, path: Path) -> None:
    """Replace the file with ``snapshot``, in one step; raises OSError."""
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


def hide_documents(columns: GraphColumns, hidden: Collection[str]) -> GraphColumns:
    """``columns`` as they would be without what these documents say: names that only they had are gone."""
    documents = np.array([document not in hidden for document in columns.documents], dtype=bool)
    chunks = documents[columns.chunk_document]
    mentions = chunks[columns.mention_chunk]
    names = np.zeros(len(columns.names), dtype=bool)
    names[columns.mention_name[mentions]] = True
    gone = {chunk for chunk, stays in zip(columns.chunk_ids, chunks.tolist(), strict=True) if not stays}
    places = [np.cumsum(kept, dtype=np.int32) - 1 for kept in (documents, chunks, names)]
    return replace(
        columns,
        documents=_pick(columns.documents, documents),
        conversations=_pick(columns.conversations, documents),
        chunk_ids=_pick(columns.chunk_ids, chunks),
        chunk_document=places[0][columns.chunk_document[chunks]],
        names=_pick(columns.names, names),
        mention_name=places[2][columns.mention_name[mentions]],
        mention_chunk=places[1][columns.mention_chunk[mentions]],
        mention_sentence=columns.mention_sentence[mentions],
        mention_role=columns.mention_role[mentions],
        relations=[said for said in columns.relations if said.chunk_id not in gone],
        aliases=[claim for claim in columns.aliases if claim.chunk_id not in gone],
    )


def _pick(values: Sequence[_Value], kept: NDArray[np.bool_]) -> list[_Value]:
    return [value for value, stays in zip(values, kept.tolist(), strict=True) if stays]


@dataclass(frozen=True, slots=True)
class Moment:
    """A graph as it is read: the store's generation, the ``corpus`` it was compared with, and documents to be hidden."""

    generation: str
    corpus: str = ""
    hidden: frozenset[str] = frozenset()

    @property
    def label(self) -> str:
        """What a snapshot of this moment has for its generation."""
        if not self.hidden:
            return self.generation
        return f"{self.generation} without {digest_names(*sorted(self.hidden)).hex()[:16]}"


class Forgetting:
    """Compares a graph store with the documents, for ``KnowledgeGraph``: what is gone is removed."""

    def __init__(self, chunks: Callable[[], CompleteStore], upkeep: GraphUpkeep) -> None:
        self._chunks = chunks
        self._upkeep = upkeep
        self._moments: dict[str, Moment] = {}

    def look(self, store: GraphStore, tenant: str) -> Moment:
        """The current graph, repaired if possible; compared again when either side has changed."""
        chunks = self._chunks()
        moment = Moment(store.generation(tenant), chunks.fingerprint(Filter(tenant=tenant)))
        last = self._moments.get(tenant)
        if last is not None and (last.generation, last.corpus) == (moment.generation, moment.corpus):
            return last
        # several threads may do this at once; each is right, and the last one stays
        found = compare_versions(chunks, store, tenant, None)
        hidden = found.stale
        if found.gone and self._mend(chunks, tenant, found.gone):
            moment, hidden = replace(moment, generation=store.generation(tenant)), found.outdated
        self._moments[tenant] = moment = replace(moment, hidden=frozenset(hidden))
        return moment

    def _mend(self, chunks: CompleteStore, tenant: str, gone: Sequence[str]) -> bool:
        try:
            for some in split_ids(gone):
                self._upkeep.read_again(chunks, tenant, some)
        except AscertainError as error:  # a home that cannot be written to, say: it stays hidden
            _logger.warning("the graph still has facts of %d deleted documents, hidden: %s", len(gone), error)
            return False
        return True


class KnowledgeGraph:
    """Snapshots by tenant, each read again when the store's generation has changed. Safe to share between threads.

    With ``forgetting`` they contain no facts that no document states any more. With ``folder``, the last snapshot of
    each large tenant is stored there as a file, for a quick first question of the next process.
    """

    def __init__(self, store: GraphStore, folder: Path | None = None, forgetting: Forgetting | None = None) -> None:
        self.store = store
        self._folder = folder
        self._forgetting = forgetting
        self._linkers: dict[str, Linker] = {}
        self._locks: dict[str, Lock] = {}
        self._guard = Lock()
        self._outage = Outage()

    def snapshot(self, tenant: str) -> Snapshot:
        """The tenant's graph as it is now; raises StoreError when the store cannot be read."""
        return self.linker(tenant).snapshot

    def linker(self, tenant: str) -> Linker:
        """What finds the things of the tenant's graph as it is now; raises as ``snapshot``."""
        moment = self._outage.ask(lambda: self._look(tenant))
        with self._guard:
            found = self._linkers.get(tenant)
            lock = self._locks.setdefault(tenant, Lock())
        if found is not None and found.snapshot.generation == moment.label:
            return found
        # One thread reads for all that wait.
        with lock:
            return self._current_linker(tenant, moment)

    def forget(self, tenant: str) -> None:
        """Drop the snapshot of a tenant, in memory and on disk."""
        with self._guard:
            self._linkers.pop(tenant, None)
        if self._folder is not None:
            snapshot_path(self._folder, tenant).unlink(missing_ok=True)

    def _look(self, tenant: str) -> Moment:
        if self._forgetting is None:
            return Moment(self.store.generation(tenant))
        return self._forgetting.look(self.store, tenant)

    def _current_linker(self, tenant: str, moment: Moment) -> Linker:
        with self._guard:
            found = self._linkers.get(tenant)
        if found is not None and found.snapshot.generation == moment.label:
            return found
        made = Linker(self._read_snapshot(tenant, moment))
        with self._guard:
            self._linkers.pop(tenant, None)
            self._linkers[tenant] = made
            while len(self._linkers) > KEPT:
                self._linkers.pop(next(iter(self._linkers)))
        return made

    def _read_snapshot(self, tenant: str, moment: Moment) -> Snapshot:
        path = None if self._folder is None else snapshot_path(self._folder, tenant)
        snapshot = None if path is None else load_snapshot(path, moment.label)
        if snapshot is not None:
            return snapshot
        columns = self.store.columns(tenant)
        if moment.hidden:
            # nothing is known yet about a later generation: the next read compares it
            columns = replace(hide_documents(columns, moment.hidden), generation=moment.label)
        made = Snapshot.of(columns, self.store.pins(tenant))
        if path is not None:
            try:
                if len(made.chunk_ids) >= WORTH_A_FILE:
                    save_snapshot(made, path)
                else:
                    path.unlink(missing_ok=True)
            except OSError as error:
                _logger.warning("the graph's snapshot was not stored: %s", error)
        return made
