"""The graph over a generation's vectors (HNSW: Malkov & Yashunin 2018), an index of pgvector.

It is built in one go once there are more vectors than are searched exactly: that is many times as quick as adding them to a
graph one by one. From then on the server keeps it.
"""

from __future__ import annotations

import logging
import math

from psycopg import errors

from ascertain.core.settings import StoreSettings
from ascertain.stores.generations import Generation
from ascertain.stores.postgres import generations, tallies
from ascertain.stores.postgres.connections import Connection, Connections
from ascertain.stores.postgres.dialect import vector_table
from ascertain.stores.postgres.text import statement

_logger = logging.getLogger("ascertain.stores")

# While it is built the graph should be in memory: for each vector its numbers and, on average, twice as many links of 10 bytes
# as it has neighbours (pgvector's README, "Index Build Time"). More than the most is left to the disk.
_BYTES_OF_LINK = 20
_OVERHEAD = 1.3
_LEAST_MEMORY_MB, _MOST_MEMORY_MB = 64, 2048
_LOCK = "hashtextextended('ascertain graph ' || current_schema(), 0)"


def name(generation: Generation) -> str:
    """The name of the index."""
    return f"{vector_table(generation)}_graph"


def is_possible(generation: Generation) -> bool:
    """Whether vectors of this dimension can have a graph."""
    return generation.dimension <= generations.INLINE_DIMENSIONS


def state(db: Connection, generation: Generation) -> str:
    """``valid``, ``invalid`` (its building was interrupted) or ``missing``."""
    row = db.execute(
        """SELECT i.indisvalid FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
           JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = current_schema() AND c.relname = %s""",
        (name(generation),),
    ).fetchone()
    if row is None:
        return "missing"
    return "valid" if row[0] else "invalid"


def is_due(db: Connection, generation: Generation, settings: StoreSettings) -> bool:
    """Whether there are more vectors than are searched exactly, and no graph over them."""
    return (
        is_possible(generation)
        and tallies.all_chunks(db) > settings.exact_limit
        and state(db, generation) != "valid"
    )


def parameters(db: Connection, generation: Generation) -> str | None:
    """What the graph was built with, in the form of ``wanted_parameters``; None where there is none in use."""
    if state(db, generation) != "valid":
        return None
    row = db.execute(
        """SELECT c.reloptions FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
           WHERE n.nspname = current_schema() AND c.relname = %s""",
        (name(generation),),
    ).fetchone()
    return ", ".join(sorted(row[0] or [])) if row else None


def wanted_parameters(settings: StoreSettings) -> str:
    """What a graph is built with by these settings, as the server notes it down."""
    wanted = settings.hnsw
    return f"ef_construction={wanted.ef_construction}, m={wanted.m}"


def build(connections: Connections, generation: Generation, *, anew: bool = False) -> bool:
    """Build the graph while searches and writers go on; False when another process is doing so.

    One that is in use already is left as it is, unless it is to be built ``anew``.
    """
    with connections.alone() as db:
        row = db.execute(f"SELECT pg_try_advisory_lock({_LOCK})").fetchone()
        if row is None or not row[0]:
            return False
        try:
            if anew or state(db, generation) != "valid":
                _build(db, connections, generation)
        finally:
            if not db.closed:
                db.execute(f"SELECT pg_advisory_unlock({_LOCK})")
    return True


def _build(db: Connection, connections: Connections, generation: Generation) -> None:
    _logger.info("building the vector index of %s", connections.place)
    db.execute(statement(f"DROP INDEX CONCURRENTLY IF EXISTS {name(generation)}"))
    _raise_memory(db, _memory_mb(db, generation, connections.settings))
    # Inner product: of unit vectors it is the cosine, and it also orders a vector of zeros, which has none.
    creation = statement(
        f"""CREATE INDEX CONCURRENTLY {name(generation)} ON {vector_table(generation)}
            USING hnsw (vector halfvec_ip_ops)
            WITH ({wanted_parameters(connections.settings)})"""
    )
    try:
        db.execute(creation)
    except (errors.DiskFull, errors.OutOfMemory):
        # Several workers share memory that containers keep small (/dev/shm); one alone needs none.
        db.execute(statement(f"DROP INDEX CONCURRENTLY IF EXISTS {name(generation)}"))
        db.execute("SET max_parallel_maintenance_workers = 0")
        db.execute(creation)
    finally:
        if not db.closed:
            db.execute("RESET maintenance_work_mem; RESET max_parallel_maintenance_workers")


def _raise_memory(db: Connection, wanted_mb: int) -> None:
    """Give the build at least so much; a server that is set up with more keeps it."""
    row = db.execute(
        "SELECT setting::bigint / 1024 FROM pg_settings WHERE name = 'maintenance_work_mem'"
    ).fetchone()
    if row is None or int(row[0]) < wanted_mb:
        db.execute(statement(f"SET maintenance_work_mem = '{wanted_mb}MB'"))


def _memory_mb(db: Connection, generation: Generation, settings: StoreSettings) -> int:
    row = db.execute(statement(f"SELECT count(*) FROM {vector_table(generation)}")).fetchone()
    vectors = int(row[0]) if row else 0
    size = generation.dimension * 2 + settings.hnsw.m * _BYTES_OF_LINK
    wanted = math.ceil(vectors * size * _OVERHEAD / 1e6)
    return min(max(wanted, _LEAST_MEMORY_MB), _MOST_MEMORY_MB)
