"""Moving a home to another embedding model; the caller holds the writer's lock."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from ascertain.stores.embedded import change_log
from ascertain.stores.embedded.connections import Connections
from ascertain.stores.embedded.dialect import RecordConnection
from ascertain.stores.embedded.tables import RecordDatabase
from ascertain.stores.relational.reembedding import TableReembedding, add_generation, switch_generation, take_up_move


def delete_retired_vectors(db: RecordConnection, limit: int) -> int:
    """Delete up to ``limit`` vectors of retired generations; how many there were."""
    deleted = db.change_rows(
        """DELETE FROM vectors WHERE (row, generation) IN (
               SELECT v.row, v.generation FROM vectors v JOIN generations g ON g.number = v.generation
               WHERE g.state = 'retired' LIMIT ?)""",
        limit,
    )
    if deleted < limit:
        db.execute("DELETE FROM generations WHERE state = 'retired'")
    return deleted


def has_retired_vectors(db: RecordConnection) -> bool:
    """Whether ``delete_retired_vectors`` has something to do."""
    return bool(db.fetch_rows("SELECT 1 FROM generations WHERE state = 'retired'"))


def has_vectors(db: RecordConnection) -> bool:
    """Whether any vector is stored."""
    return bool(db.fetch_rows("SELECT 1 FROM vectors LIMIT 1"))


# Old vectors are deleted in transactions of this many, so that none holds the record for long.
_CLEAN_BATCH = 50_000


@contextmanager
def run_reembedding(database: RecordDatabase, model: str, dimension: int) -> Generator[TableReembedding]:
    """Take up or begin a move to ``model``; switch over at the end, if every chunk has its vector.

    Raises StoreError when some have none. After any error the old vectors stay in use and what was put is kept.
    """
    connections = database.connections
    with connections.write() as db:
        generation = take_up_move(db, model, dimension, add_generation)
    yield TableReembedding(database, generation)
    with connections.write() as db:
        switch_generation(db, generation, database.place)
        change_log.append_change(db, "embed", 0, 0)
    delete_retired_vectors_of_reembedding(connections)


def delete_retired_vectors_of_reembedding(connections: Connections) -> None:
    """Free the vectors of models that are no longer used."""
    while True:
        with connections.write() as db:
            if not has_retired_vectors(db) or delete_retired_vectors(db, _CLEAN_BATCH) < _CLEAN_BATCH:
                return
