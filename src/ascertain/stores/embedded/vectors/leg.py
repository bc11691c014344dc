"""Searching by meaning with FAISS: the vector index kept up with the record, and its rows turned into hits."""

import logging
import shutil
import threading
from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import numpy as np

from ascertain.core.asking.passages import Filter, Hit
from ascertain.core.errors import StoreError
from ascertain.stores.embedded import change_log, record
from ascertain.stores.embedded.change_log import DerivedState, Position
from ascertain.stores.embedded.connections import Connections
from ascertain.stores.embedded.dialect import RecordConnection
from ascertain.stores.embedded.record import OpenRecord
from ascertain.stores.embedded.vectors import segments
from ascertain.stores.embedded.vectors.segments import (
    Found,
    Mask,
    Owner,
    Snapshot,
    VectorView,
    Workers,
    flat_segment,
    graph_segment,
)
from ascertain.stores.ports.chunks import Vectors
from ascertain.stores.records.vectors import Generation, cosine_scores, mismatch_error, query_vector, top_hits
from ascertain.stores.relational.reads import select_vectors, simplify_filter
from ascertain.stores.relational.reembedding import find_active
from ascertain.stores.relational.store import count_searchable

_logger = logging.getLogger("ascertain.stores")

# A snapshot is renewed when it lacks so many rows, or this share of them; replaying 1000 rows takes about 5 ms.
_RENEW_ROWS = 2000
_RENEW_SHARE = 0.05
# A graph with more dead positions than this is built afresh.
_DEAD_SHARE = 0.2
_FILTERS_KEPT = 16


class DenseSearch(Protocol):
    """Cosine similarity over the vectors of one record, which all of it can be built from again.

    It finds what the record has at the time of the search, however far behind its index is. Safe to use from several
    threads; raises StoreError with the remedy when it cannot be used.
    """

    generation: Generation
    """The model whose vectors are searched; replaced when the record has moved to another model."""

    def hits(self, vector: Vectors, k: int, filter: Filter, floor: float | None) -> list[Hit]:
        """The ``k`` best chunks among those the filter allows, with at least ``floor``."""
        ...

    def similarities(self, vector: Vectors, chunk_ids: Sequence[str]) -> dict[str, float]:
        """Cosine of each named chunk that exists."""
        ...

    def vectors(self, chunk_ids: Sequence[str]) -> Vectors:
        """See ``StoredVectors.vectors``."""
        ...

    def check_ready(self) -> None:
        """Raise StoreError when its index could not follow a change of the record; checked before each run of writes."""
        ...

    def keep_up(self) -> None:
        """Update its index during a long run of writes, if it should; under the writer's lock."""
        ...

    def renew(self) -> None:
        """Bring its index up to the record at the end of a run; under the writer's lock."""
        ...

    def examine(self) -> tuple[list[str], dict[str, str]]:
        """The problems of its index, and facts about it."""
        ...

    def rebuild(self) -> None:
        """Build its index from the record alone; under the writer's lock."""
        ...

    def close(self) -> None:
        """Release files, connections and threads."""
        ...


class DenseLeg:
    """Cosine similarity over one home, for vectors of the model it was opened with; a ``DenseSearch``."""

    def __init__(self, record: OpenRecord) -> None:
        self.generation: Generation = record.generation
        self._connections = record.connections
        self._names = record.names
        self._lock = record.index_lock
        self._index = VectorIndex(
            record.layout.vectors, record.connections, record.identity, record.settings.exact_limit
        )

    def hits(self, vector: Vectors, k: int, filter: Filter, floor: float | None) -> list[Hit]:
        query = self._prepare_query(vector)
        view = self._index.freshen()
        self._check_model()
        masks = self._index.masks(view, filter)

        def fetch(limit: int) -> list[tuple[int, float]]:
            scores, rows = self._index.search(view, query, limit, masks)
            return list(zip(rows.tolist(), cosine_scores(scores).tolist(), strict=True))

        hits = top_hits(fetch, lambda rows: self._fetch_ids(rows, filter.tenant), k)
        self._keep_what_was_built()
        return hits if floor is None else [hit for hit in hits if hit.score >= floor]

    def similarities(self, vector: Vectors, chunk_ids: Sequence[str]) -> dict[str, float]:
        query = self._prepare_query(vector)
        view = self._index.freshen()
        self._check_model()
        with self._connections.read() as db:
            ids = self._names.rows(db, chunk_ids)
        found = view.similarities(query, np.fromiter(ids, np.int64, len(ids)))
        scores = cosine_scores(np.fromiter(found.values(), np.float64, len(found)))
        return {ids[row]: score for row, score in zip(found, scores.tolist(), strict=True)}

    def vectors(self, chunk_ids: Sequence[str]) -> Vectors:
        """From the index, which holds what the record does: a search asks for a hundred of them."""
        view = self._index.freshen()
        self._check_model()
        with self._connections.read() as db:
            ids = self._names.rows(db, chunk_ids)
        rows, codes = view.vectors(np.fromiter(ids, np.int64, len(ids)))
        stored = [ids[row] for row in rows.tolist()], codes.reshape(-1, self.generation.dimension)
        return select_vectors(stored, chunk_ids)

    def check_ready(self) -> None:
        """Its files can always follow."""

    def keep_up(self) -> None:
        """Searches replay the record by themselves, so the snapshot can wait."""

    def renew(self) -> None:
        """Write a snapshot, with its graph, if the present one is far enough behind."""
        self._index.renew(build_graph=True)

    def examine(self) -> tuple[list[str], dict[str, str]]:
        damage = self._index.damage(thorough=True)
        if damage:
            return [f"the vector index cannot be used: {damage}"], {}
        view = self._index.freshen()
        with self._connections.read() as db:
            expected, latest = count_searchable(db), change_log.latest_sequence(db)
        saved = self._index.snapshot_position()
        facts = {
            "vector index": f"{view.count} chunks, saved up to change {saved.sequence if saved else 0}, "
            f"{'graph' if any(segment.has_graph for segment in view.segments) else 'exact'}"
        }
        if view.position.sequence == latest and view.count != expected:
            return [f"the vector index holds {view.count} chunks, the record {expected}"], facts
        return [], facts

    def rebuild(self) -> None:
        self._index.discard()
        self._index.renew(build_graph=True, force=True)

    def close(self) -> None:
        self._index.close()

    def _keep_what_was_built(self) -> None:
        """Save what a search had to build from the record, so that the next process need not."""
        # a writer in this process does so at the end
        if self._lock is None or self._lock.writers or not self._index.lacks_snapshot:
            return
        with self._lock.try_hold() as held:
            if held:
                self._index.renew(build_graph=False)

    def _prepare_query(self, vector: Vectors) -> Vectors:
        query = query_vector(vector, self.generation.dimension)
        if query is None:
            home = self._connections.path.parent
            raise mismatch_error(home, self.generation, "the query's model", np.size(vector))
        return query

    def _check_model(self) -> None:
        """Another process may have moved the home to another model since it was opened."""
        now = self._index.generation
        if now is not None and (now.model, now.dimension) != (self.generation.model, self.generation.dimension):
            home = self._connections.path.parent
            raise mismatch_error(home, now, self.generation.model, self.generation.dimension)

    def _fetch_ids(self, rows: Sequence[int], tenant: str) -> dict[int, str]:
        with self._connections.read() as db:
            return self._names.ids(db, rows, tenant)


class VectorIndex:
    """Rows of chunks by inner product, with FAISS. Safe to use from several threads; ``renew`` needs the writer's lock.

    In memory it is a view that is replaced as a whole, so searches never wait for updates. On disk it is a snapshot
    that the writer renews when enough has changed; a reader maps it and replays the rest. Up to ``exact_limit`` vectors
    the snapshot is flat and searches are exact; above it has an HNSW graph, which only the writer builds. Until then,
    and for what came after, vectors are compared one by one.
    """

    def __init__(self, folder: Path, connections: Connections, identity: str, exact_limit: int) -> None:
        self._folder = folder
        self._connections = connections
        self._identity = identity
        self._exact_limit = exact_limit
        self._mutex = threading.RLock()
        self._saving = threading.Lock()
        self._view: VectorView | None = None
        self._lacks_snapshot = False
        self._generation: Generation | None = None
        self._masks: OrderedDict[tuple[Filter, int], tuple[VectorView, tuple[Mask, ...]]] = OrderedDict()
        self._workers = Workers()

    def freshen(self) -> VectorView:
        """The view of everything the record has now; raises StoreError when the record has no vectors' model."""
        view = self._view
        with self._connections.read() as db:
            if view is not None and view.position.sequence == change_log.latest_sequence(db):
                return view
        with self._mutex:
            return self._catch_up()

    @property
    def generation(self) -> Generation | None:
        """The generation of the present view."""
        return self._generation

    def search(self, view: VectorView, query: Vectors, k: int, masks: tuple[Mask, ...] | None) -> Found:
        """The best ``k`` rows of ``view``."""
        return view.search(query, k, masks, self._workers)

    def masks(self, view: VectorView, filter: Filter) -> tuple[Mask, ...] | None:
        """Which positions of ``view`` the filter allows; None when all. The last ones are kept."""
        key = (filter, view.position.sequence)
        with self._mutex:
            kept = self._masks.get(key)
            if kept is not None and kept[0] is view:
                self._masks.move_to_end(key)
                return kept[1]
        with self._connections.read() as db:
            effective = simplify_filter(db, filter)
            if effective.is_unrestricted and record.only_tenant(db) == filter.tenant:
                return None
            masks = view.masks(record.matching_rows(db, effective))
        with self._mutex:
            self._masks[key] = (view, masks)
            while len(self._masks) > _FILTERS_KEPT:
                self._masks.popitem(last=False)
        return masks

    def renew(self, build_graph: bool, force: bool = False) -> None:
        """Write a snapshot if the present one is damaged or far enough behind.

        Above ``exact_limit`` it is given its graph, which takes minutes for a million chunks, if ``build_graph``. Searches
        go on meanwhile.
        """
        with self._saving:
            if not force and not self._is_stale(build_graph):
                return
            with self._mutex:
                view, generation = self._catch_up(), self._generation
            if generation is not None:
                self._save_snapshot(view, generation, build_graph)

    def damage(self, thorough: bool) -> str:
        """Why the snapshot cannot be used; empty when it can, or when it is not needed yet."""
        state = change_log.read_state(self._folder)
        if state is None and not self._folder.exists():
            return ""
        with self._connections.read() as db:
            return segments.find_damage(self._folder, state, self._fetch_owner(db), thorough=thorough)

    @property
    def lacks_snapshot(self) -> bool:
        """Whether the present view had to be built from the record although it is worth a snapshot."""
        return self._lacks_snapshot and self._view is not None and self._view.count >= _RENEW_ROWS

    def discard(self) -> None:
        """Delete the snapshot; ``renew`` writes another."""
        with self._mutex:
            self.forget()
            shutil.rmtree(self._folder, ignore_errors=True)

    def snapshot_position(self) -> Position | None:
        """How far the snapshot on disk is."""
        state = change_log.read_state(self._folder)
        return state.position if state else None

    def forget(self) -> None:
        """Drop what is in memory; the next use reads the snapshot and the record again."""
        with self._mutex:
            self._view = None
            self._masks.clear()

    def close(self) -> None:
        """End the threads."""
        self.forget()
        self._workers.close()

    def _catch_up(self) -> VectorView:
        while True:
            # Before the record: a snapshot taken in between would be ahead of what is read here.
            state = change_log.read_state(self._folder)
            with self._connections.read() as db:
                owner = self._fetch_owner(db)
                view = self._view
                if view is None or self._generation != owner.generation or _is_outrun(view, state):
                    view = self._load_snapshot(state, owner)
                if view is not None:
                    view = self._replay_changes(view, db, owner.generation)
                    self._view, self._generation = view, owner.generation
                    return view

    def _replay_changes(self, view: VectorView, db: RecordConnection, generation: Generation) -> VectorView:
        target = change_log.read_position(db)
        if target == view.position:
            return view
        start = view.position.high_row
        view = view.without(target, change_log.removed_since(db, view.position))
        for rows, vectors in change_log.vector_batches(db, generation.number, generation.dimension, start):
            view = view.with_rows(rows, vectors)
        return view

    def _is_stale(self, build_graph: bool) -> bool:
        state = change_log.read_state(self._folder)
        with self._connections.read() as db:
            count = int(db.execute("SELECT coalesce(sum(chunks), 0) FROM documents").fetchone()[0])
            if state is None or segments.find_damage(self._folder, state, self._fetch_owner(db)):
                return self._folder.exists() or count >= _RENEW_ROWS
            if build_graph and bool(state.details.get("graph")) != (count > self._exact_limit):
                return True
            return change_log.rows_since(db, state.position) >= max(_RENEW_ROWS, _RENEW_SHARE * count)

    def _load_snapshot(self, state: DerivedState | None, owner: Owner) -> VectorView | None:
        """The snapshot as a view, an empty view when it is unusable; None when it was replaced meanwhile."""
        reason = segments.find_damage(self._folder, state, owner)
        if state is not None and not reason:
            try:
                snapshot = segments.read_snapshot(self._folder, state, owner.generation.dimension)
            except (ValueError, KeyError, OSError) as error:
                reason = str(error)
            else:
                self._lacks_snapshot = False
                return VectorView(snapshot.position, (snapshot.segment,), (snapshot.alive,))
        if change_log.read_state(self._folder) != state:
            return None
        if self._folder.exists():
            _logger.warning("building the vector index in %s from the record: %s", self._folder, reason)
        self._lacks_snapshot = True
        return VectorView()

    def _save_snapshot(self, view: VectorView, generation: Generation, build_graph: bool) -> None:
        if build_graph and view.count > self._exact_limit:
            snapshot = self._with_graph(view, generation)
        else:
            rows, vectors = view.living(generation.dimension)
            snapshot = Snapshot(view.position, flat_segment(rows, vectors), None)
        owner = Owner(self._identity, generation, view.position.sequence)
        segments.write_snapshot(self._folder, owner, snapshot)
        # What was just written is mapped from now on instead of held in memory.
        with self._mutex:
            self.forget()
            self._catch_up()

    def _with_graph(self, view: VectorView, generation: Generation) -> Snapshot:
        first, alive = view.segments[0], view.alive[0]
        dead = 0 if alive is None else len(first) - int(np.count_nonzero(alive))
        state = change_log.read_state(self._folder)
        if first.has_graph and state is not None and dead <= _DEAD_SHARE * len(first):
            base = segments.read_snapshot(self._folder, state, generation.dimension, mapped=False)
            if np.array_equal(base.segment.rows, first.rows):
                rows, vectors = view.living(generation.dimension, 1)
                if not len(rows):
                    return Snapshot(view.position, base.segment, alive)
                segment = graph_segment(rows, vectors, base.segment)
                if alive is not None:
                    alive = np.concatenate([alive, np.ones(len(rows), np.bool_)])
                return Snapshot(view.position, segment, alive)
        _logger.info("building the vector graph of %d chunks in %s", view.count, self._folder)
        rows, vectors = view.living(generation.dimension)
        return Snapshot(view.position, graph_segment(rows, vectors), None)

    def _fetch_owner(self, db: RecordConnection) -> Owner:
        generation = find_active(db)
        if generation is None:
            raise StoreError(
                f"{self._folder.parent} has no embedding model in its record: it was not set up completely"
            )
        return Owner(self._identity, generation, change_log.latest_sequence(db))


def _is_outrun(view: VectorView, state: DerivedState | None) -> bool:
    """Whether another process has written a snapshot that is far ahead of ``view``."""
    return state is not None and state.high_row - view.position.high_row > _RENEW_ROWS
