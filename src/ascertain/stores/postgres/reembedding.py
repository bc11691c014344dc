"""Moving a store to another embedding model while searches, and other writers, go on with the old one."""

from __future__ import annotations

import logging
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager

import numpy as np
from numpy.typing import NDArray
from psycopg import errors

from ascertain.core.chunks import Chunk
from ascertain.core.errors import StoreBusy, StoreError
from ascertain.stores.generations import Generation
from ascertain.stores.ports import Vectors
from ascertain.stores.postgres import faults, generations, graph
from ascertain.stores.postgres.bulk import copy_vectors
from ascertain.stores.postgres.connections import Connection, Connections
from ascertain.stores.postgres.dialect import vector_table
from ascertain.stores.postgres.text import statement
from ascertain.stores.prepared import stored_form
from ascertain.stores.relational.generations import activate_generation, find_building, retire_generation
from ascertain.stores.relational.reads import count_without_vector, fetch_without_vector

_logger = logging.getLogger("ascertain.stores")
_LOCK = "hashtextextended('ascertain reembedding ' || current_schema(), 0)"


class PostgresReembedding:
    """A generation of vectors being filled; the caller of ``reembedding`` is the only one to do so."""

    def __init__(self, connections: Connections, generation: Generation) -> None:
        self._connections = connections
        self._generation = generation
        self._rows: dict[str, int] = {}
        self._put_so_far = 0

    def pending(self, batch: int) -> Iterator[list[Chunk]]:
        """Searchable chunks that have no vector of the new model yet, up to ``batch`` at a time.

        Others may write meanwhile: what they add comes too, in further rounds once what came before was put.
        """
        row, given, given_before = 0, 0, -1
        while given > given_before and given <= self._put_so_far:
            given_before = given
            row = 0
            while True:
                with faults.translated(self._connections.place), self._connections.read() as db:
                    found = fetch_without_vector(db, self._generation, row, batch)
                if not found:
                    break
                row = found[-1][0]
                given += len(found)
                self._rows = {chunk.id: row for row, chunk in found}
                yield [chunk for _, chunk in found]

    def put(self, chunk_ids: Sequence[str], vectors: Vectors) -> None:
        """Store vectors of the new model; durable when this returns."""
        if vectors.shape != (len(chunk_ids), self._generation.dimension):
            raise StoreError(
                f"{self._generation.model}: vectors of shape {vectors.shape} for {len(chunk_ids)} chunks "
                f"of dimension {self._generation.dimension}"
            )
        halves = stored_form(vectors)
        with faults.translated(self._connections.place):
            self._connections.change(lambda db: self._put(db, chunk_ids, halves))
        self._put_so_far += len(chunk_ids)

    @property
    def total(self) -> int:
        """How many chunks are still without a new vector."""
        with faults.translated(self._connections.place), self._connections.read() as db:
            return count_without_vector(db, self._generation)

    def _put(self, db: Connection, chunk_ids: Sequence[str], vectors: NDArray[np.float16]) -> None:
        if find_building(db) != self._generation:
            raise StoreError(
                f"the move of {self._connections.place} to {self._generation.model} was given up meanwhile: "
                "run `ascertain reindex` again"
            )
        places = {chunk_id: place for place, chunk_id in enumerate(chunk_ids)}
        # Locked, so that whoever replaces the document meanwhile deletes these vectors too.
        found = db.execute(
            'SELECT id, document, "row" FROM chunks WHERE id = ANY(%s) AND NOT is_parent ORDER BY "row" FOR KEY SHARE',
            (list(places),),
        ).fetchall()
        # A document written anew since ``pending`` has other rows: the vector would be of words that are gone.
        kept = [
            found_one for found_one in found if self._rows.get(found_one[0], found_one[2]) == found_one[2]
        ]
        if not kept:
            return
        rows = [row for _, _, row in kept]
        table = vector_table(self._generation)
        db.execute(
            statement(f'DELETE FROM {table} WHERE document = ANY(%s) AND "row" = ANY(%s)'),
            ([document for _, document, _ in kept], rows),
        )
        copy_vectors(
            db,
            table,
            np.array([document for _, document, _ in kept], np.int64),
            np.array(rows, np.int64),
            vectors[[places[chunk_id] for chunk_id, _, _ in kept]],
        )


@contextmanager
def reembedding(connections: Connections, model: str, dimension: int) -> Generator[PostgresReembedding]:
    """Take up or begin a move to ``model``; switch over at the end, if every chunk has its vector.

    Raises StoreBusy while another process moves the store, and StoreError when some chunks have no vector. After any error
    the old vectors stay in use and what was put is kept.
    """
    with _only_one(connections):
        generation = connections.change(lambda db: _taken_up(db, model, dimension))
        yield PostgresReembedding(connections, generation)
        with connections.read() as db:
            _check_complete(db, connections, generation)
            needs_graph = graph.is_due(db, generation, connections.settings)
        if needs_graph:
            graph.build(connections, generation)
        connections.change(lambda db: _switch(db, connections, generation))
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


def _taken_up(db: Connection, model: str, dimension: int) -> Generation:
    generations.change(db)
    generation = find_building(db)
    if generation is None or (generation.model, generation.dimension) != (model, dimension):
        retire_generation(db, "building")
        generation = generations.start(db, model, dimension, "building")
    return generation


def _switch(db: Connection, connections: Connections, generation: Generation) -> None:
    generations.change(db)
    _check_complete(db, connections, generation)
    retire_generation(db, "active")
    activate_generation(db, generation)


def _check_complete(db: Connection, connections: Connections, generation: Generation) -> None:
    missing = count_without_vector(db, generation)
    if missing:
        raise StoreError(
            f"{missing} chunks in {connections.place} have no vector of {generation.model} yet: "
            "run `ascertain reindex` again to go on"
        )
