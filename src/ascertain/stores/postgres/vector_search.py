"""One search by meaning inside a read transaction: exact over what a filter selects, or through the graph (HNSW).

The database orders by its own products; scores are computed here from the vectors it gives back, the same way for searches
and for named chunks, since products with a query in float16 differ from those in float32 in the last decimals.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ascertain.core.filters import Filter
from ascertain.core.settings import StoreSettings
from ascertain.stores.generations import Generation
from ascertain.stores.ports import Vectors
from ascertain.stores.postgres import graph, tallies
from ascertain.stores.postgres.bulk import sent_vectors
from ascertain.stores.postgres.connections import Connection
from ascertain.stores.postgres.dialect import document_condition, row_condition, vector_table
from ascertain.stores.postgres.text import statement
from ascertain.stores.prepared import cosines
from ascertain.stores.relational.database import Condition
from ascertain.stores.relational.reads import simplify_filter

# pgvector takes no more (hnsw.ef_search).
_MOST_BREADTH = 1000
# The graph looks at this many times the candidates that should hold enough of those a filter selects before it goes on step
# by step, which finds them less well (100,000 vectors, a filter of 5 %: recall 0.96, with it 0.97).
_BREADTH_OVER_EXPECTED = 2
# How many vectors the scan of the graph may look at until enough pass the filter: at least pgvector's own default, and some
# times what is to be expected, since what a filter selects may lie far from the query.
_SCANNED_AT_LEAST = 20_000
_SCANNED_OVER_EXPECTED = 4
_SCANNED_AT_MOST = 2**31 - 1
# The memory for them in units of work_mem, which is 4 MB unless the server says otherwise.
_SCAN_MEMORY = 32
# A candidate of the graph takes about as long as so many vectors of an exact search (measured, 100,000 of 384 dimensions).
_VECTORS_PER_CANDIDATE = 8


@dataclass(frozen=True, slots=True)
class Selection:
    """What a filter selects: ``chunks`` of all that there are, counted no further than it matters for the way of searching.

    ``is_exact`` says that way: False for the graph. ``is_everything``: every chunk of every tenant is selected.
    """

    chunks: int
    of: int
    is_exact: bool
    is_everything: bool


class VectorSearch:
    """The vectors nearest to one query, among the chunks of one filter.

    ``query`` is a unit vector of shape ``(dimension,)``.
    """

    def __init__(
        self, db: Connection, generation: Generation, settings: StoreSettings, filter: Filter, query: Vectors
    ) -> None:
        self.ids: dict[int, str] = {}
        """Chunk id by row of everything found."""
        self._db = db
        self._generation = generation
        self._settings = settings
        self._query = query
        self._filter = simplify_filter(db, filter)
        self._selected: Selection | None = None

    def best(self, limit: int) -> list[tuple[int, float]]:
        """Rows and cosines of the ``limit`` nearest, best first."""
        selected = self._selected
        if selected is None:
            exact_limit = self._settings.exact_limit if graph.is_possible(self._generation) else sys.maxsize
            selected = self._selected = selection(self._db, self._filter, exact_limit, limit)
        if selected.chunks == 0:
            return []
        # The graph gives at most so many as it looks at.
        if not selected.is_exact and limit <= _MOST_BREADTH:
            found = self._through_graph(selected, limit)
            if len(found) == limit:
                return found
        return self._exactly(selected, limit)

    def _exactly(self, selected: Selection, limit: int) -> list[tuple[int, float]]:
        # + 0 keeps the order from being the one that the graph is an index of.
        return self._run(selected, "(v.vector <#> %s::halfvec) + 0", limit)

    def _through_graph(self, selected: Selection, limit: int) -> list[tuple[int, float]]:
        expected = limit * selected.of / selected.chunks
        breadth = max(self._settings.hnsw.ef_search, math.ceil(_BREADTH_OVER_EXPECTED * expected))
        scanned = max(_SCANNED_AT_LEAST, math.ceil(_SCANNED_OVER_EXPECTED * expected))
        # Without sorting, the graph is the only way to the order asked for. Out of order here and there, it finds more.
        self._db.execute(
            statement(
                f"""SET LOCAL enable_sort = off; SET LOCAL hnsw.iterative_scan = relaxed_order;
                    SET LOCAL hnsw.ef_search = {min(breadth, _MOST_BREADTH)};
                    SET LOCAL hnsw.max_scan_tuples = {min(scanned, _SCANNED_AT_MOST)};
                    SET LOCAL hnsw.scan_mem_multiplier = {_SCAN_MEMORY}"""
            )
        )
        found = self._run(selected, "v.vector <#> %s::halfvec", limit)
        self._db.execute("SET LOCAL enable_sort = on")
        return found

    def _run(self, selected: Selection, order: str, limit: int) -> list[tuple[int, float]]:
        table = vector_table(self._generation)
        condition, documents = Condition("TRUE", ()), ""
        if not selected.is_everything:
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
        self.ids.update((row, chunk_id) for row, chunk_id, _ in found)
        vectors = sent_vectors([sent for _, _, sent in found], self._generation.dimension)
        scores = similarity(self._query, vectors)
        return [(found[place][0], float(scores[place])) for place in np.argsort(-scores, kind="stable")]


def selection(db: Connection, filter: Filter, exact_limit: int, limit: int) -> Selection:
    """How much ``filter`` selects, and how the ``limit`` nearest of it are found.

    Exactly up to ``exact_limit`` chunks, and also when they are so few of all that the graph would come upon more others on
    its way than looking at each of them takes.
    """
    everything = tallies.all_chunks(db)
    most = max(exact_limit, math.isqrt(_VECTORS_PER_CANDIDATE * limit * everything))
    if filter.is_unrestricted:
        chunks = tallies.chunks(db, filter.tenant)
    elif filter.chunk_ids:
        chunks = len(filter.chunk_ids)
    else:
        chunks = _selected_chunks(db, filter, most)
    is_everything = filter.is_unrestricted and chunks == everything
    return Selection(chunks, everything, chunks <= (exact_limit if is_everything else most), is_everything)


def _selected_chunks(db: Connection, filter: Filter, most: int) -> int:
    """How many chunks ``filter`` selects; where there are more than ``most``, that there are."""
    condition = document_condition(filter)
    row = db.execute(
        statement(
            f"""SELECT coalesce(sum(chunks), 0) FROM (
                    SELECT d.chunks FROM documents d WHERE d.chunks > 0 AND {condition.sql} LIMIT %s) selected"""
        ),
        (*condition.parameters, min(most, sys.maxsize - 1) + 1),
    ).fetchone()
    return int(row[0]) if row else 0


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
                    JOIN {vector_table(generation)} v ON v.document = c.document AND v."row" = c."row"
                    WHERE c.id = ANY(%s)"""
            ),
            (list(chunk_ids),),
        ).fetchall()
    vectors = sent_vectors([sent for _, sent in found], generation.dimension)
    return [chunk_id for chunk_id, _ in found], vectors


def _literal(query: Vectors) -> str:
    return "[" + ",".join(map(str, query.tolist())) + "]"
