"""Searching by meaning: the vector index kept up with the record, and its rows turned into hits."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ascertain.core.filters import Filter
from ascertain.core.passages import Hit
from ascertain.stores.embedded.connections import Connections
from ascertain.stores.embedded.row_names import RowNames
from ascertain.stores.embedded.vector_index import VectorIndex
from ascertain.stores.generations import Generation, mismatch
from ascertain.stores.hits import top_hits
from ascertain.stores.ports import Vectors
from ascertain.stores.prepared import cosines, query_vector


class DenseLeg:
    """Cosine similarity over one home, for vectors of the model it was opened with."""

    def __init__(
        self, index: VectorIndex, connections: Connections, names: RowNames, generation: Generation
    ) -> None:
        self.index = index
        self.generation = generation
        self._connections = connections
        self._names = names

    def hits(self, vector: Vectors, k: int, filter: Filter, floor: float | None) -> list[Hit]:
        """The ``k`` best chunks among those the filter allows, with at least ``floor``."""
        query = self._query(vector)
        view = self.index.freshen()
        self._check_model()
        masks = self.index.masks(view, filter)

        def fetch(limit: int) -> list[tuple[int, float]]:
            scores, rows = self.index.search(view, query, limit, masks)
            return list(zip(rows.tolist(), cosines(scores).tolist(), strict=True))

        hits = top_hits(fetch, lambda rows: self._ids(rows, filter.tenant), k)
        return hits if floor is None else [hit for hit in hits if hit.score >= floor]

    def similarities(self, vector: Vectors, chunk_ids: Sequence[str]) -> dict[str, float]:
        """Cosine of each named chunk that exists."""
        query = self._query(vector)
        view = self.index.freshen()
        self._check_model()
        with self._connections.read() as db:
            ids = self._names.rows(db, chunk_ids)
        found = view.similarities(query, np.fromiter(ids, np.int64, len(ids)))
        scores = cosines(np.fromiter(found.values(), np.float64, len(found)))
        return {ids[row]: score for row, score in zip(found, scores.tolist(), strict=True)}

    def _query(self, vector: Vectors) -> Vectors:
        query = query_vector(vector, self.generation.dimension)
        if query is None:
            home = self._connections.path.parent
            raise mismatch(home, self.generation, "the query's model", np.size(vector))
        return query

    def _check_model(self) -> None:
        """Another process may have moved the home to another model since it was opened."""
        now = self.index.generation
        if now is not None and (now.model, now.dimension) != (
            self.generation.model,
            self.generation.dimension,
        ):
            home = self._connections.path.parent
            raise mismatch(home, now, self.generation.model, self.generation.dimension)

    def _ids(self, rows: Sequence[int], tenant: str) -> dict[int, str]:
        with self._connections.read() as db:
            return self._names.ids(db, rows, tenant)
