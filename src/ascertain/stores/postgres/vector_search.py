"""One search by meaning inside a read transaction: exact over what a filter selects, or through the graph (HNSW).

The database orders by its own products; scores are computed here from the vectors it gives back, the same way for searches
and for named chunks, since products with a query in float16 differ from those in float32 in the last decimals.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ascertain.core.filters import Filter
from ascertain.core.settings_store import StoreSettings
from ascertain.stores.generations import Generation
from ascertain.stores.ports import Vectors
from ascertain.stores.postgres import generations, tallies
from ascertain.stores.postgres.bulk import sent_vectors
from ascertain.stores.postgres.conditions import Condition, document_condition, row_condition
from ascertain.stores.postgres.connections import Connection, statement
from ascertain.stores.prepared import cosines

# pgvector takes no more (hnsw.ef_search).
_MOST_BREADTH = 1000
# How many vectors the scan of the graph may look at until enough pass the filter: at least pgvector's own default, and some
# times what is to be expected, since what a filter selects may lie far from the query.
_SCANNED_AT_LEAST = 20_000
_SCANNED_OVER_EXPECTED = 4
_SCANNED_AT_MOST = 2**31 - 1
# The memory for them in units of work_mem, which is 4 MB unless the server says otherwise.
_SCAN_MEMORY = 32


# Documents counted of what a filter selects: enough to tell its share of the store from a few thousandths on.
_COUNTED_AT_LEAST = 5_000


@dataclass(frozen=True, slots=True)
class Selection:
    """What a filter selects: ``chunks`` counts them no further than it matters for the way of searching."""

    chunks: int
    of: int
    """All chunks of the store, of every tenant."""
    is_everything: bool = False


class VectorSearch:
    """The vectors nearest to one query, among the chunks of one filter.

    ``query`` is a unit vector of shape ``(dimension,)``.
    """

    def __init__(
        self, db: Connection, generation: Generation, settings: StoreSettings, query: Vectors, filter: Filter
    ) -> None:
        self.ids: dict[int, str] = {}
        """Chunk id by row of everything found."""
        self._db = db
        self._generation = generation
        self._settings = settings
        self._query = query
        self._filter = filter
        self._selected = selection(db, filter, settings.exact_limit)
        self._is_exact = (
            self._selected.chunks <= settings.exact_limit
            or generation.dimension > generations.INLINE_DIMENSIONS
        )

    def best(self, limit: int) -> list[tuple[int, float]]:
        """Rows and cosines of the ``limit`` nearest, best first."""
        if self._selected.chunks == 0:
            return []
        # The graph gives at most so many as it looks at.
        if not self._is_exact and limit <= _MOST_BREADTH:
            found = self._through_graph(limit)
            if len(found) == limit:
                return found
        return self._exactly(limit)

    def _exactly(self, limit: int) -> list[tuple[int, float]]:
        # + 0 keeps the order from being the one that the graph is an index of.
        return self._run("(v.vector <#> %s::halfvec) + 0", limit)

    def _through_graph(self, limit: int) -> list[tuple[int, float]]:
        share = max(self._selected.chunks, 1) / max(self._selected.of, 1)
        scanned = max(_SCANNED_AT_LEAST, math.ceil(_SCANNED_OVER_EXPECTED * limit / share))
        breadth = min(max(self._settings.vector_index.search_breadth, limit), _MOST_BREADTH)
        # Without sorting, the graph is the only way to the order asked for.
        self._db.execute(
            statement(
                f"""SET LOCAL enable_sort = off; SET LOCAL hnsw.iterative_scan = strict_order;
                    SET LOCAL hnsw.ef_search = {breadth};
                    SET LOCAL hnsw.max_scan_tuples = {min(scanned, _SCANNED_AT_MOST)};
                    SET LOCAL hnsw.scan_mem_multiplier = {_SCAN_MEMORY}"""
            )
        )
        found = self._run("v.vector <#> %s::halfvec", limit)
        self._db.execute("SET LOCAL enable_sort = on")
        return found

    def _run(self, order: str, limit: int) -> list[tuple[int, float]]:
        table = generations.table(self._generation)
        condition, documents = Condition("TRUE", ()), ""
        if not self._selected.is_everything:
            condition = row_condition(self._filter, 'v."row"')
            documents = "JOIN documents d ON d.number = v.document"
        with self._db.cursor(binary=True) as cursor:
            cursor.execute(
                statement(
                    f"""SELECT top."row", c.id, halfvec_send(top.vector) FROM (
                            SELECT v."row", v.vector FROM {table} v {documents}
                            WHERE {condition.sql} ORDER BY {order} LIMIT %s) top
                        JOIN chunks c ON c."row" = top."row" """
                ),
                (*condition.parameters, _literal(self._query), limit),
            )
            found = cursor.fetchall()
        rows = [row for row, _, _ in found]
        self.ids.update((row, chunk_id) for row, chunk_id, _ in found)
        scores = similarity(
            self._query, sent_vectors([sent for _, _, sent in found], self._generation.dimension)
        )
        ranked = np.argsort(-scores, kind="stable")
        return [(rows[place], float(scores[place])) for place in ranked]


def selection(db: Connection, filter: Filter, exact_limit: int) -> Selection:
    """How much ``filter`` selects, without counting further than it matters."""
    if filter.is_unrestricted:
        chunks, everything = tallies.chunks(db, filter.tenant), tallies.all_chunks(db)
        return Selection(chunks, everything, is_everything=chunks == everything)
    if filter.chunk_ids:
        chunks = len(filter.chunk_ids)
    else:
        condition = document_condition(filter)
        row = db.execute(
            statement(
                f"""SELECT coalesce(sum(chunks), 0) FROM (
                        SELECT d.chunks FROM documents d WHERE d.chunks > 0 AND {condition.sql} LIMIT %s) selected"""
            ),
            (*condition.parameters, max(exact_limit, _COUNTED_AT_LEAST) + 1),
        ).fetchone()
        chunks = int(row[0]) if row else 0
    return Selection(chunks, tallies.all_chunks(db) if chunks > exact_limit else chunks)


def similarity(query: Vectors, vectors: NDArray[np.float16]) -> NDArray[np.float64]:
    """Cosines of a unit query with stored vectors of shape ``(n, dimension)``, as every score is given."""
    return cosines(vectors.astype(np.float32) @ query)


def stored_vectors(
    db: Connection, generation: Generation, chunk_ids: Sequence[str]
) -> tuple[list[str], NDArray[np.float16]]:
    """Ids and vectors of the named chunks that have one, in no order."""
    with db.cursor(binary=True) as cursor:
        found = cursor.execute(
            statement(
                f"""SELECT c.id, halfvec_send(v.vector) FROM chunks c
                    JOIN {generations.table(generation)} v ON v.document = c.document AND v."row" = c."row"
                    WHERE c.id = ANY(%s)"""
            ),
            (list(chunk_ids),),
        ).fetchall()
    vectors = sent_vectors([sent for _, sent in found], generation.dimension)
    return [chunk_id for chunk_id, _ in found], vectors


def _literal(query: Vectors) -> str:
    return "[" + ",".join(map(str, query.tolist())) + "]"
