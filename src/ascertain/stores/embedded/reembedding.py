"""Moving a home to another embedding model while searches go on with the old one."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from ascertain.core.chunks import Chunk
from ascertain.core.errors import StoreError
from ascertain.stores.embedded import change_log, generations, reads
from ascertain.stores.embedded.connections import Connections
from ascertain.stores.generations import Generation
from ascertain.stores.ports import Vectors
from ascertain.stores.prepared import stored_form
from ascertain.stores.relational.generations import (
    activate_generation,
    add_generation,
    find_building,
    retire_generation,
)
from ascertain.stores.relational.reads import count_without_vector, fetch_without_vector

# Old vectors are deleted in transactions of this many, so that none holds the record for long.
_CLEAN_BATCH = 50_000


class EmbeddedReembedding:
    """A generation of vectors being filled. The caller of ``reembedding`` holds the writer's lock."""

    def __init__(self, connections: Connections, generation: Generation) -> None:
        self._connections = connections
        self._generation = generation

    def pending(self, batch: int) -> Iterator[list[Chunk]]:
        """Searchable chunks that have no vector of the new model yet, up to ``batch`` at a time."""
        row = 0
        while True:
            with self._connections.read() as db:
                found = fetch_without_vector(db, self._generation, row, batch)
            if not found:
                return
            row = found[-1][0]
            yield [chunk for _, chunk in found]

    def put(self, chunk_ids: Sequence[str], vectors: Vectors) -> None:
        """Store vectors of the new model; durable when this returns."""
        if vectors.shape != (len(chunk_ids), self._generation.dimension):
            raise StoreError(
                f"{self._generation.model}: vectors of shape {vectors.shape} for {len(chunk_ids)} chunks "
                f"of dimension {self._generation.dimension}"
            )
        blobs = [row.tobytes() for row in stored_form(vectors)]
        with self._connections.write() as db:
            rows = {chunk_id: row for row, chunk_id in reads.row_numbers(db, chunk_ids).items()}
            db.executemany(
                "INSERT OR REPLACE INTO vectors VALUES (?, ?, ?)",
                [
                    (rows[chunk_id], self._generation.number, blob)
                    for chunk_id, blob in zip(chunk_ids, blobs, strict=True)
                    if chunk_id in rows
                ],
            )

    @property
    def total(self) -> int:
        """How many chunks are still without a new vector."""
        with self._connections.read() as db:
            return count_without_vector(db, self._generation)


@contextmanager
def reembedding(
    connections: Connections, home: Path, model: str, dimension: int
) -> Generator[EmbeddedReembedding]:
    """Take up or begin a move to ``model``; switch over at the end, if every chunk has its vector.

    Raises StoreError when some have none. After any error the old vectors stay in use and what was put is kept.
    """
    with connections.write() as db:
        generation = find_building(db)
        if generation is None or (generation.model, generation.dimension) != (model, dimension):
            retire_generation(db, "building")
            generation = add_generation(db, model, dimension, "building")
    work = EmbeddedReembedding(connections, generation)
    yield work
    with connections.write() as db:
        missing = count_without_vector(db, generation)
        if missing:
            raise StoreError(
                f"{missing} chunks in {home} have no vector of {model} yet: run `ascertain reindex` again to go on"
            )
        retire_generation(db, "active")
        activate_generation(db, generation)
        change_log.append(db, "embed", 0, 0)
    clean(connections)


def clean(connections: Connections) -> None:
    """Free the vectors of models that are no longer used."""
    while True:
        with connections.write() as db:
            if not generations.has_retired(db) or generations.clean(db, _CLEAN_BATCH) < _CLEAN_BATCH:
                return
