"""Searching by meaning."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ascertain.core.filters import Filter
from ascertain.core.passages import Hit
from ascertain.core.settings import StoreSettings
from ascertain.stores.generations import Generation, mismatch
from ascertain.stores.hits import top_hits
from ascertain.stores.ports import Vectors
from ascertain.stores.prepared import cosines, query_vector
from ascertain.stores.qdrant import facts, reads
from ascertain.stores.qdrant.conditions import AnyOf, Where
from ascertain.stores.qdrant.filters import chunks_where
from ascertain.stores.qdrant.found import Found
from ascertain.stores.qdrant.names import dense_name
from ascertain.stores.qdrant.points import Points, Search
from ascertain.stores.qdrant.remembered_counts import RememberedCounts
from ascertain.stores.qdrant.schema import What
from ascertain.stores.qdrant.versions import Sight, Versions


class DenseLeg:
    """Cosine similarity over one collection, for vectors of the model it was opened with."""

    def __init__(
        self,
        points: Points,
        counts: RememberedCounts,
        versions: Versions,
        generation: Generation,
        settings: StoreSettings,
    ) -> None:
        self._points = points
        self._counts = counts
        self._versions = versions
        self._settings = settings
        self.generation = generation

    def hits(self, vector: Vectors, k: int, filter: Filter, floor: float | None) -> list[Hit]:
        """The ``k`` best chunks among those the filter allows, with at least ``floor``."""
        query = self._query(vector)
        search = Search(query, dense_name(self.generation.number), *self._effort())
        where = chunks_where(filter)
        self._check_model()

        def read(sight: Sight) -> list[Hit]:
            found = Found(sight)

            def fetch(limit: int) -> list[tuple[int, float]]:
                points = self._points.search(search, where, limit, Found.FIELDS)
                scores = cosines(np.array([point.score for point in points], np.float32))
                return found.rows(points, scores.tolist())

            return top_hits(fetch, found.ids, k)

        hits = self._versions.settled(read)
        return hits if floor is None else [hit for hit in hits if hit.score >= floor]

    def similarities(self, vector: Vectors, chunk_ids: Sequence[str]) -> dict[str, float]:
        """Cosine of each named chunk that exists."""
        search = Search(self._query(vector), dense_name(self.generation.number))
        self._check_model()

        def read(sight: Sight) -> dict[str, float]:
            scores: dict[str, float] = {}
            for where in reads.named(self._points, chunk_ids, AnyOf("what", [What.CHUNK.value])):
                scores |= self._scores(search, where, sight)
            return scores

        return self._versions.settled(read)

    def _scores(self, search: Search, where: Where, sight: Sight) -> dict[str, float]:
        # Twice: a chunk may be there in the version that was and in the one that will be.
        points = self._points.search(search, where, 2 * reads.SLICE, Found.FIELDS)
        found = Found(sight)
        scores = cosines(np.array([point.score for point in points], np.float32))
        rows = dict(found.rows(points, scores.tolist()))
        return {name: rows[row] for row, name in found.ids(list(rows)).items()}

    def _query(self, vector: Vectors) -> Vectors:
        query = query_vector(vector, self.generation.dimension)
        if query is None:
            raise mismatch(self._points.place, self.generation, "the query's model", np.size(vector))
        return query

    def _check_model(self) -> None:
        """Another process may have moved the knowledge base to another model since it was opened."""
        now = facts.present(self._points).active
        if now != self.generation:
            raise mismatch(self._points.place, now, self.generation.model, self.generation.dimension)

    def _effort(self) -> tuple[bool, int]:
        """Whether to look at every vector, and the breadth of the search in the graph otherwise."""
        is_exact = self._counts.chunks() <= self._settings.exact_limit
        return is_exact, self._settings.hnsw.ef_search
