"""Searching by meaning."""

from collections.abc import Sequence
from typing import ClassVar
from uuid import UUID

import numpy as np

from ascertain.core.asking.passages import Filter, Hit
from ascertain.core.settings import StoreSettings
from ascertain.stores.ports.chunks import Vectors
from ascertain.stores.qdrant import reads
from ascertain.stores.qdrant.collection import require_facts
from ascertain.stores.qdrant.counts import RememberedCounts
from ascertain.stores.qdrant.payloads import text_of
from ascertain.stores.qdrant.points import Points
from ascertain.stores.qdrant.schema import IS_CHUNK, Where, chunks_where, dense_name
from ascertain.stores.qdrant.terms import Scored, Search
from ascertain.stores.qdrant.versions import Sight, Versions
from ascertain.stores.records.vectors import Generation, cosine_scores, mismatch_error, query_vector, top_hits


class Found:
    """Remembers what was found in one reading, to tell later which of it is current."""

    FIELDS: ClassVar = ("id", "owner", "version")
    """The fields of a chunk that have to be read."""

    def __init__(self, sight: Sight) -> None:
        self._sight = sight
        self._points: dict[int, tuple[str, tuple[str, str]]] = {}

    def rows(self, points: Sequence[Scored], scores: Sequence[float]) -> list[tuple[int, float]]:
        """The points as rows with their scores, in the same order."""
        rows: list[tuple[int, float]] = []
        for point, score in zip(points, scores, strict=True):
            row = UUID(point.id).int
            payload = point.payload
            self._points[row] = text_of(payload["id"]), (str(payload["owner"]), str(payload["version"]))
            rows.append((row, score))
        return rows

    def ids(self, rows: Sequence[int]) -> dict[int, str]:
        """The chunk id of each row that is current."""
        shown = self._sight.visible({row: self._points[row][1] for row in rows})
        return {row: self._points[row][0] for row in rows if row in shown}


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
        query = self._check_query(vector)
        search = Search(query, dense_name(self.generation.number), *self._choose_effort())
        where = chunks_where(filter)
        self._check_model()

        def read(sight: Sight) -> list[Hit]:
            found = Found(sight)

            def fetch(limit: int) -> list[tuple[int, float]]:
                points = self._points.search(search, where, limit, Found.FIELDS)
                scores = cosine_scores(np.array([point.score for point in points], np.float32))
                return found.rows(points, scores.tolist())

            return top_hits(fetch, found.ids, k)

        hits = self._versions.read_consistently(read)
        return hits if floor is None else [hit for hit in hits if hit.score >= floor]

    def similarities(self, vector: Vectors, chunk_ids: Sequence[str]) -> dict[str, float]:
        """Cosine of each named chunk that exists."""
        search = Search(self._check_query(vector), dense_name(self.generation.number))
        self._check_model()

        def read(sight: Sight) -> dict[str, float]:
            scores: dict[str, float] = {}
            for where in reads.build_id_conditions(chunk_ids, IS_CHUNK):
                scores |= self._fetch_scores(search, where, sight)
            return scores

        return self._versions.read_consistently(read)

    def _fetch_scores(self, search: Search, where: Where, sight: Sight) -> dict[str, float]:
        # Twice: a chunk may be there in the version that was and in the one that will be.
        points = self._points.search(search, where, 2 * reads.SLICE, Found.FIELDS)
        found = Found(sight)
        scores = cosine_scores(np.array([point.score for point in points], np.float32))
        rows = dict(found.rows(points, scores.tolist()))
        return {name: rows[row] for row, name in found.ids(list(rows)).items()}

    def _check_query(self, vector: Vectors) -> Vectors:
        query = query_vector(vector, self.generation.dimension)
        if query is None:
            raise mismatch_error(self._points.place, self.generation, "the query's model", np.size(vector))
        return query

    def _check_model(self) -> None:
        """Another process may have moved the knowledge base to another model since it was opened."""
        now = require_facts(self._points).active
        if now != self.generation:
            raise mismatch_error(self._points.place, now, self.generation.model, self.generation.dimension)

    def _choose_effort(self) -> tuple[bool, int]:
        """Whether to look at every vector, and the breadth of the search in the graph otherwise."""
        is_exact = self._counts.chunks() <= self._settings.exact_limit
        return is_exact, self._settings.hnsw.ef_search
