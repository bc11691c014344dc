"""Moving a store to another embedding model while searches, and other writers, go on with the old one."""

from __future__ import annotations

import logging
from collections.abc import Generator
from contextlib import contextmanager

from psycopg import errors

from ascertain.core.errors import StoreBusy
from ascertain.stores.generations import Generation
from ascertain.stores.postgres import generations, graph
from ascertain.stores.postgres.connections import Connection, Connections
from ascertain.stores.postgres.schema_database import SchemaDatabase
from ascertain.stores.relational.reembedding import (
    TableReembedding,
    check_complete,
    switch_generation,
    take_up_move,
)

_logger = logging.getLogger("ascertain.stores")
_LOCK = "hashtextextended('ascertain reembedding ' || current_schema(), 0)"


@contextmanager
def reembedding(connections: Connections, model: str, dimension: int) -> Generator[TableReembedding]:
    """Take up or begin a move to ``model``; switch over at the end, if every chunk has its vector.

    Raises StoreBusy while another process moves the store, and StoreError when some chunks have no vector. After any error
    the old vectors stay in use and what was put is kept.
    """

    def begin(db: Connection) -> Generation:
        generations.change(db)
        return take_up_move(db, model, dimension, generations.start)

    def switch(db: Connection) -> None:
        generations.change(db)
        switch_generation(db, generation, connections.place)

    with _only_one(connections):
        generation = connections.change(begin)
        yield TableReembedding(SchemaDatabase(connections), generation)
        with connections.read() as db:
            check_complete(db, generation, connections.place)
            needs_graph = graph.is_due(db, generation, connections.settings)
        if needs_graph:
            graph.build(connections, generation)
        connections.change(switch)
        try:
            clean(connections)
        except errors.LockNotAvailable:
            # Somebody still reads the old vectors; nothing uses them from now on.
            _logger.warning(
                "the old vectors of %s are in use: `ascertain doctor --repair` frees them", connections.place
            )


def clean(connections: Connections) -> None:
    """Free the vectors of models that are no longer used."""
    connections.change(generations.clean)


@contextmanager
def _only_one(connections: Connections) -> Generator[None]:
    # Of its own: it is held for hours, and there may be only one that is lent.
    with connections.separate() as db:
        row = db.execute(f"SELECT pg_try_advisory_lock({_LOCK})").fetchone()
        if row is None or not row[0]:
            raise StoreBusy(
                f"another process is moving {connections.place} to another embedding model: wait until it has ended"
            )
        yield
