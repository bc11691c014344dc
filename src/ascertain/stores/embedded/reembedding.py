"""Moving a home to another embedding model; the caller holds the writer's lock."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from ascertain.stores.embedded import change_log, generations
from ascertain.stores.embedded.connections import Connections
from ascertain.stores.embedded.record_database import RecordDatabase
from ascertain.stores.relational.generations import add_generation
from ascertain.stores.relational.reembedding import TableReembedding, switch_generation, take_up_move

# Old vectors are deleted in transactions of this many, so that none holds the record for long.
_CLEAN_BATCH = 50_000


@contextmanager
def reembedding(database: RecordDatabase, model: str, dimension: int) -> Generator[TableReembedding]:
    """Take up or begin a move to ``model``; switch over at the end, if every chunk has its vector.

    Raises StoreError when some have none. After any error the old vectors stay in use and what was put is kept.
    """
    connections = database.connections
    with connections.write() as db:
        generation = take_up_move(db, model, dimension, add_generation)
    yield TableReembedding(database, generation)
    with connections.write() as db:
        switch_generation(db, generation, database.place)
        change_log.append(db, "embed", 0, 0)
    clean(connections)


def clean(connections: Connections) -> None:
    """Free the vectors of models that are no longer used."""
    while True:
        with connections.write() as db:
            if not generations.has_retired(db) or generations.clean(db, _CLEAN_BATCH) < _CLEAN_BATCH:
                return
