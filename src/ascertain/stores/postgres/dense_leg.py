"""Searching by meaning over one schema."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ascertain.core.filters import Filter
from ascertain.core.passages import Hit
from ascertain.stores.generations import Generation, mismatch
from ascertain.stores.hits import top_hits
from ascertain.stores.ports import Vectors
from ascertain.stores.postgres.connections import Connection, Connections
from ascertain.stores.postgres.vector_search import VectorSearch, similarity, stored_vectors
from ascertain.stores.prepared import query_vector
from ascertain.stores.relational.generations import find_active


class DenseLeg:
    """Cosine similarity, for vectors of the model it was opened with."""

    def __init__(self, connections: Connections, generation: Generation) -> None:
        self.generation = generation
        self._connections = connections

    def hits(self, vector: Vectors, k: int, filter: Filter, floor: float | None) -> list[Hit]:
        """The ``k`` best chunks among those the filter allows, with at least ``floor``."""
        query = self._query(vector)
        if k < 1:
            return []
        with self._connections.read() as db:
            self.check_model(db)
            search = VectorSearch(db, self.generation, self._connections.settings, filter, query)
            hits = top_hits(search.best, lambda rows: {row: search.ids[row] for row in rows}, k)
        return hits if floor is None else [hit for hit in hits if hit.score >= floor]

    def similarities(self, vector: Vectors, chunk_ids: Sequence[str]) -> dict[str, float]:
        """Cosine of each named chunk that exists."""
        query = self._query(vector)
        ids, vectors = self.stored(chunk_ids)
        return dict(zip(ids, similarity(query, vectors).tolist(), strict=True))

    def stored(self, chunk_ids: Sequence[str]) -> tuple[list[str], NDArray[np.float16]]:
        """Ids and vectors of the named chunks that have one, in no order."""
        with self._connections.read() as db:
            self.check_model(db)
            return stored_vectors(db, self.generation, chunk_ids)

    def check_model(self, db: Connection) -> None:
        """Raise EmbeddingMismatch when another process has moved the store to another model since it was opened."""
        now, mine = find_active(db), self.generation
        if now is None or now.number != mine.number:
            raise mismatch(self._connections.place, now or mine, mine.model, mine.dimension)

    def _query(self, vector: Vectors) -> Vectors:
        query = query_vector(vector, self.generation.dimension)
        if query is None:
            raise mismatch(self._connections.place, self.generation, "the query's model", np.size(vector))
        return query
