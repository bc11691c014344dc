"""Searching by meaning with FAISS: the vector index kept up with the record, and its rows turned into hits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from ascertain.core.passages import Filter, Hit
from ascertain.stores.embedded import change_log
from ascertain.stores.embedded.connections import OpenRecord
from ascertain.stores.embedded.vectors.index import VectorIndex
from ascertain.stores.ports import Vectors
from ascertain.stores.preparation import Generation, cosine_scores, mismatch_error, query_vector, top_hits
from ascertain.stores.relational.store import count_searchable


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
        if self._lock is None or not self._index.lacks_snapshot:
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


class DenseSearch(Protocol):
    """Cosine similarity over the vectors of one record, which all of it can be built from again.

    It finds what the record has at the time of the search, however far behind its index is. Safe to use from several
    threads; raises StoreError with the remedy when it cannot be used.
    """

    generation: Generation
    """Whose vectors are searched; set anew when the record has moved to another model."""

    def hits(self, vector: Vectors, k: int, filter: Filter, floor: float | None) -> list[Hit]:
        """The ``k`` best chunks among those the filter allows, with at least ``floor``."""
        ...

    def similarities(self, vector: Vectors, chunk_ids: Sequence[str]) -> dict[str, float]:
        """Cosine of each named chunk that exists."""
        ...

    def check_ready(self) -> None:
        """Raise StoreError when its index could not follow a change of the record; asked before each run of writes."""
        ...

    def keep_up(self) -> None:
        """Let its index follow in the midst of a long run of writes, if it should; under the writer's lock."""
        ...

    def renew(self) -> None:
        """Bring its index up to the record at the end of a run; under the writer's lock."""
        ...

    def examine(self) -> tuple[list[str], dict[str, str]]:
        """What is wrong with its index, and facts about it."""
        ...

    def rebuild(self) -> None:
        """Build its index from the record alone; under the writer's lock."""
        ...

    def close(self) -> None:
        """Release files, connections and threads."""
        ...
