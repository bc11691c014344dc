"""Searching by meaning: the tables of vectors, the graph over one (HNSW), and searches exact or through the graph.

Vectors are halfvec: float16, to the bit what ``stores.vectors.stored_form`` made.
"""

import logging
import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from psycopg import errors

from ascertain.core.asking.passages import Filter, Hit
from ascertain.core.settings import StoreSettings
from ascertain.stores.ports.chunks import Vectors
from ascertain.stores.postgres import tallies
from ascertain.stores.postgres.connections import Connection, Connections
from ascertain.stores.postgres.dialect import decode_vectors, encode_marks, vector_table
from ascertain.stores.records.vectors import Generation, cosine_scores, mismatch_error, query_vector, top_hits
from ascertain.stores.relational.database import Condition, select_chunks, select_documents
from ascertain.stores.relational.reads import FROM_CHUNKS, simplify_filter
from ascertain.stores.relational.reembedding import add_generation, find_active

INLINE_DIMENSIONS = 4000
"""A vector of so many float16 numbers fits into a page of 8 kB: larger ones are kept out of line and have no graph."""


def list_generations(db: Connection) -> list[Generation]:
    """Those that have a table with vectors of present chunks: the active one and the one being built."""
    found = db.execute("SELECT number, model, dimension FROM generations WHERE state <> 'retired' ORDER BY number")
    return [Generation(*row) for row in found]


def start_generation(db: Connection, model: str, dimension: int, state: str) -> Generation:
    """A new generation, ``active`` or ``building``, with its table."""
    generation = add_generation(db, model, dimension, state)
    storage = "PLAIN" if dimension <= INLINE_DIMENSIONS else "EXTERNAL"
    db.change_rows(
        f"""CREATE TABLE {vector_table(generation)} (
            document bigint NOT NULL, "row" bigint NOT NULL,
            vector halfvec({dimension}) STORAGE {storage} NOT NULL,
            PRIMARY KEY (document, "row"))"""
    )
    return generation


def drop_retired_tables(db: Connection) -> None:
    """Drop the tables of retired generations."""
    for (number,) in db.fetch_rows("DELETE FROM generations WHERE state = 'retired' RETURNING number"):
        db.change_rows(f"DROP TABLE IF EXISTS vectors_{number}")


def has_vectors(db: Connection, generation: Generation) -> bool:
    """Whether any vector is stored."""
    return bool(db.fetch_rows(f"SELECT 1 FROM {vector_table(generation)} LIMIT 1"))


def hold_generations(db: Connection) -> None:
    """Lock the list of generations until this transaction ends; other writers may do the same."""
    db.execute(f"SELECT pg_advisory_xact_lock_shared({_GENERATIONS_LOCK})")


def lock_generations(db: Connection) -> None:
    """Wait until no writer relies on the present generations and block new ones until this transaction ends."""
    db.execute(f"SELECT pg_advisory_xact_lock({_GENERATIONS_LOCK})")


_GENERATIONS_LOCK = "hashtextextended('ascertain generations ' || current_schema(), 0)"


_logger = logging.getLogger("ascertain.stores")

# While it is built the graph should be in memory: for each vector its numbers and, on average, twice as many links of
# 10 bytes as it has neighbours (pgvector's README, "Index Build Time"). More than the most is left to the disk.
_BYTES_OF_LINK = 20
_OVERHEAD = 1.3
_LEAST_MEMORY_MB, _MOST_MEMORY_MB = 64, 2048
_GRAPH_LOCK = "hashtextextended('ascertain graph ' || current_schema(), 0)"


def index_name(generation: Generation) -> str:
    """The name of the index."""
    return f"{vector_table(generation)}_graph"


def is_possible(generation: Generation) -> bool:
    """Whether vectors of this dimension can have a graph."""
    return generation.dimension <= INLINE_DIMENSIONS


def fetch_state(db: Connection, generation: Generation) -> str:
    """``valid``, ``invalid`` (its building was interrupted) or ``missing``."""
    found = db.fetch_rows(
        """SELECT i.indisvalid FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
           JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = current_schema() AND c.relname = ?""",
        index_name(generation),
    )
    if not found:
        return "missing"
    return "valid" if found[0][0] else "invalid"


def is_due(db: Connection, generation: Generation, settings: StoreSettings) -> bool:
    """Whether there are more vectors than are searched exactly, and no graph over them."""
    return (
        is_possible(generation)
        and tallies.all_chunks(db) > settings.exact_limit
        and fetch_state(db, generation) != "valid"
    )


def fetch_parameters(db: Connection, generation: Generation) -> str | None:
    """What the graph was built with, in the form of ``wanted_parameters``; None where there is none in use."""
    if fetch_state(db, generation) != "valid":
        return None
    found = db.fetch_rows(
        """SELECT c.reloptions FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
           WHERE n.nspname = current_schema() AND c.relname = ?""",
        index_name(generation),
    )
    return ", ".join(sorted(found[0][0] or [])) if found else None


def wanted_parameters(settings: StoreSettings) -> str:
    """What a graph is built with by these settings, as the server notes it down."""
    wanted = settings.hnsw
    return f"ef_construction={wanted.ef_construction}, m={wanted.m}"


def build_graph(connections: Connections, generation: Generation, *, again: bool = False) -> bool:
    """Build the graph while searches and writers go on; False when another process is doing so.

    HNSW (Malkov & Yashunin 2018), an index of pgvector, built in one go once there are more vectors than are searched
    exactly: that is many times as quick as adding them one by one. From then on the server keeps it. One that is in use
    already is left as it is, unless ``again`` is set.
    """
    with connections.alone() as db:
        if not db.fetch_rows(f"SELECT pg_try_advisory_lock({_GRAPH_LOCK})")[0][0]:
            return False
        try:
            if again or fetch_state(db, generation) != "valid":
                _build_index(db, connections, generation)
        finally:
            if not db.closed:
                db.execute(f"SELECT pg_advisory_unlock({_GRAPH_LOCK})")
    return True


def _build_index(db: Connection, connections: Connections, generation: Generation) -> None:
    _logger.info("building the vector index of %s", connections.place)
    dropping = f"DROP INDEX CONCURRENTLY IF EXISTS {index_name(generation)}"
    db.change_rows(dropping)
    _raise_memory(db, _memory_mb(db, generation, connections.settings))
    # Inner product: of unit vectors it is the cosine, and it also orders a vector of zeros, which has none.
    creating = f"""CREATE INDEX CONCURRENTLY {index_name(generation)} ON {vector_table(generation)}
                   USING hnsw (vector halfvec_ip_ops) WITH ({wanted_parameters(connections.settings)})"""
    try:
        db.change_rows(creating)
    except (errors.DiskFull, errors.OutOfMemory):
        # Several workers share memory that containers keep small (/dev/shm); one alone needs none.
        db.change_rows(dropping)
        db.execute("SET max_parallel_maintenance_workers = 0")
        db.change_rows(creating)
    finally:
        if not db.closed:
            db.execute("RESET maintenance_work_mem; RESET max_parallel_maintenance_workers")


def _raise_memory(db: Connection, wanted_mb: int) -> None:
    """Give the build at least so much; a server that is set up with more keeps it."""
    now = db.fetch_rows("SELECT setting::bigint / 1024 FROM pg_settings WHERE name = 'maintenance_work_mem'")
    if now[0][0] < wanted_mb:
        db.change_rows(f"SET maintenance_work_mem = '{wanted_mb}MB'")


def _memory_mb(db: Connection, generation: Generation, settings: StoreSettings) -> int:
    vectors = int(db.fetch_rows(f"SELECT count(*) FROM {vector_table(generation)}")[0][0])
    size = generation.dimension * 2 + settings.hnsw.m * _BYTES_OF_LINK
    wanted = math.ceil(vectors * size * _OVERHEAD / 1e6)
    return min(max(wanted, _LEAST_MEMORY_MB), _MOST_MEMORY_MB)


# pgvector takes no more (hnsw.ef_search).
_MOST_BREADTH = 1000
# The graph looks at this many times the candidates that should hold enough of those a filter selects before it goes on
# step by step, which finds them less well (100,000 vectors, a filter of 5 %: recall 0.96, with it 0.97).
_BREADTH_OVER_EXPECTED = 2
# How many vectors the scan of the graph may look at until enough pass the filter: at least pgvector's own default, and
# some times what is to be expected, since what a filter selects may lie far from the query.
_SCANNED_AT_LEAST = 20_000
_SCANNED_OVER_EXPECTED = 4
_SCANNED_AT_MOST = 2**31 - 1
# The memory for them in units of work_mem, which is 4 MB unless the server says otherwise.
_SCAN_MEMORY = 32
# A candidate of the graph takes about as long as so many vectors of an exact search (measured, 100,000 of 384
# dimensions).
_VECTORS_PER_CANDIDATE = 8


@dataclass(frozen=True, slots=True)
class Selection:
    """What a filter selects: ``chunks`` of all, counted no further than it matters for the way of searching.

    ``is_exact`` says that way: False for the graph. ``is_everything``: every chunk of every tenant is selected.
    """

    chunks: int
    of: int
    is_exact: bool
    is_everything: bool


class VectorSearch:
    """The vectors nearest to one query among the chunks of a filter, by an exact search or through the graph.

    ``query`` is a unit vector of shape ``(dimension,)``. The database orders by its own products; scores are computed
    here from the vectors it gives back, since products with a query in float16 differ from those in float32 in the last
    decimals.
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
            exact_limit = self._settings.exact_limit if is_possible(self._generation) else sys.maxsize
            selected = self._selected = plan_selection(self._db, self._filter, exact_limit, limit)
        if selected.chunks == 0:
            return []
        # The graph gives at most so many as it looks at.
        if not selected.is_exact and limit <= _MOST_BREADTH:
            found = self._through_graph(selected, limit)
            if len(found) == limit:
                return found
        return self._search_exactly(selected, limit)

    def _search_exactly(self, selected: Selection, limit: int) -> list[tuple[int, float]]:
        # + 0 keeps the order from being the one that the graph is an index of.
        return self._run_query(selected, "(v.vector <#> ?::halfvec) + 0", limit)

    def _through_graph(self, selected: Selection, limit: int) -> list[tuple[int, float]]:
        expected = limit * selected.of / selected.chunks
        breadth = max(self._settings.hnsw.ef_search, math.ceil(_BREADTH_OVER_EXPECTED * expected))
        scanned = max(_SCANNED_AT_LEAST, math.ceil(_SCANNED_OVER_EXPECTED * expected))
        # Without sorting, the graph is the only way to the order asked for. Out of order here and there, it finds more.
        self._db.change_rows(
            f"""SET LOCAL enable_sort = off; SET LOCAL hnsw.iterative_scan = relaxed_order;
                SET LOCAL hnsw.ef_search = {min(breadth, _MOST_BREADTH)};
                SET LOCAL hnsw.max_scan_tuples = {min(scanned, _SCANNED_AT_MOST)};
                SET LOCAL hnsw.scan_mem_multiplier = {_SCAN_MEMORY}"""
        )
        found = self._run_query(selected, "v.vector <#> ?::halfvec", limit)
        self._db.execute("SET LOCAL enable_sort = on")
        return found

    def _run_query(self, selected: Selection, order: str, limit: int) -> list[tuple[int, float]]:
        table = vector_table(self._generation)
        condition, documents = Condition("TRUE", ()), ""
        if not selected.is_everything:
            condition = select_chunks(self._filter, self._db.dialect, 'v."row"')
            documents = "JOIN documents d ON d.number = v.document"
        with self._db.cursor(binary=True) as cursor:
            found = cursor.execute(
                encode_marks(
                    f"""SELECT top."row", c.id, halfvec_send(top.vector) FROM (
                            SELECT v."row", v.vector FROM {table} v {documents}
                            WHERE {condition.sql} ORDER BY {order} LIMIT ?) top
                        JOIN chunks c ON c."row" = top."row" """
                ),
                (*condition.parameters, _vector_literal(self._query), limit),
            ).fetchall()
        self.ids.update((row, chunk_id) for row, chunk_id, _ in found)
        vectors = decode_vectors([sent for _, _, sent in found], self._generation.dimension)
        scores = compute_cosines(self._query, vectors)
        return [(found[place][0], float(scores[place])) for place in np.argsort(-scores, kind="stable")]


def plan_selection(db: Connection, filter: Filter, exact_limit: int, limit: int) -> Selection:
    """How much ``filter`` selects, and how the ``limit`` nearest of it are found.

    Exactly up to ``exact_limit`` chunks, and also when they are so few of all that the graph would come upon more
    others on its way than looking at each of them takes.
    """
    everything = tallies.all_chunks(db)
    most = max(exact_limit, math.isqrt(_VECTORS_PER_CANDIDATE * limit * everything))
    if filter.is_unrestricted:
        chunks = tallies.count_chunks(db, filter.tenant)
    elif filter.chunk_ids:
        chunks = len(filter.chunk_ids)
    elif filter.topics:
        chunks = _count_on_topic(db, filter, most)
    else:
        chunks = _selected_chunks(db, filter, most)
    is_everything = filter.is_unrestricted and chunks == everything
    return Selection(chunks, everything, chunks <= (exact_limit if is_everything else most), is_everything)


def _selected_chunks(db: Connection, filter: Filter, most: int) -> int:
    """How many chunks ``filter`` selects; where there are more than ``most``, that there are."""
    condition = select_documents(filter, db.dialect)
    found = db.fetch_rows(
        f"""SELECT coalesce(sum(chunks), 0) FROM (
                SELECT d.chunks FROM documents d WHERE d.chunks > 0 AND {condition.sql} LIMIT ?) selected""",
        *(*condition.parameters, min(most, sys.maxsize - 1) + 1),
    )
    return int(found[0][0])


def _count_on_topic(db: Connection, filter: Filter, most: int) -> int:
    """How many chunks ``filter`` selects by what they are about; where there are more than ``most``, that there are."""
    condition = select_chunks(filter, db.dialect)
    found = db.fetch_rows(
        f"""SELECT count(*) FROM (SELECT 1 {FROM_CHUNKS} WHERE NOT c.is_parent AND {condition.sql} LIMIT ?) selected""",
        *(*condition.parameters, min(most, sys.maxsize - 1) + 1),
    )
    return int(found[0][0])


def compute_cosines(query: Vectors, vectors: NDArray[np.float16]) -> NDArray[np.float64]:
    """Cosines of a unit query with stored vectors of shape ``(n, dimension)``, as every score is given."""
    return cosine_scores(vectors.astype(np.float32) @ query)


def stored_vectors(
    db: Connection, generation: Generation, chunk_ids: Sequence[str]
) -> tuple[list[str], NDArray[np.float16]]:
    """Ids and vectors of the named chunks that have one, in no order."""
    with db.cursor(binary=True) as cursor:
        found = cursor.execute(
            encode_marks(
                f"""SELECT c.id, halfvec_send(v.vector) FROM chunks c
                    JOIN {vector_table(generation)} v ON v.document = c.document AND v."row" = c."row"
                    WHERE c.id = ANY(?)"""
            ),
            (list(chunk_ids),),
        ).fetchall()
    vectors = decode_vectors([sent for _, sent in found], generation.dimension)
    return [chunk_id for chunk_id, _ in found], vectors


def _vector_literal(query: Vectors) -> str:
    return "[" + ",".join(map(str, query.tolist())) + "]"


class DenseLeg:
    """Cosine similarity, for vectors of the model it was opened with."""

    def __init__(self, connections: Connections, generation: Generation) -> None:
        self.generation = generation
        self._connections = connections

    def hits(self, vector: Vectors, k: int, filter: Filter, floor: float | None) -> list[Hit]:
        query = self._prepare_query(vector)
        if k < 1:
            return []
        with self._connections.read() as db:
            self.check_model(db)
            search = VectorSearch(db, self.generation, self._connections.settings, filter, query)
            hits = top_hits(search.best, lambda rows: {row: search.ids[row] for row in rows}, k)
        return hits if floor is None else [hit for hit in hits if hit.score >= floor]

    def similarities(self, vector: Vectors, chunk_ids: Sequence[str]) -> dict[str, float]:
        query = self._prepare_query(vector)
        ids, vectors = self.fetch_vectors(chunk_ids)
        return dict(zip(ids, compute_cosines(query, vectors).tolist(), strict=True))

    def fetch_vectors(self, chunk_ids: Sequence[str]) -> tuple[list[str], NDArray[np.float16]]:
        """Ids and vectors of the named chunks that have one, in no order."""
        with self._connections.read() as db:
            self.check_model(db)
            return stored_vectors(db, self.generation, chunk_ids)

    def check_model(self, db: Connection) -> None:
        """Raise EmbeddingMismatch when another process has moved the store to another model since it was opened."""
        now, mine = find_active(db), self.generation
        if now is None or now.number != mine.number:
            raise mismatch_error(self._connections.place, now or mine, mine.model, mine.dimension)

    def _prepare_query(self, vector: Vectors) -> Vectors:
        query = query_vector(vector, self.generation.dimension)
        if query is None:
            raise mismatch_error(self._connections.place, self.generation, "the query's model", np.size(vector))
        return query
