"""Moving a store to another embedding model while searches go on with the old one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from ascertain.core.chunks import Chunk
from ascertain.core.errors import StoreError
from ascertain.stores.generations import Generation
from ascertain.stores.ports import Vectors
from ascertain.stores.prepared import stored_form
from ascertain.stores.relational.database import Database, Session
from ascertain.stores.relational.generations import activate_generation, find_building, retire_generation
from ascertain.stores.relational.reads import count_without_vector, fetch_without_vector

_Session = TypeVar("_Session", bound=Session)


class TableReembedding:
    """A generation of vectors being filled; whoever makes it is the only one to do so."""

    def __init__(self, database: Database, generation: Generation) -> None:
        self._database = database
        self._generation = generation
        self._rows: dict[str, int] = {}
        self._put_so_far = 0

    def pending(self, batch: int) -> Iterator[list[Chunk]]:
        """Searchable chunks that have no vector of the new model yet, up to ``batch`` at a time.

        Others may write meanwhile: what they add comes too, in further rounds once what came before was put.
        """
        given, given_before = 0, -1
        while given > given_before and given <= self._put_so_far:
            given_before, row = given, 0
            while True:
                with self._database.reading() as db:
                    found = fetch_without_vector(db, self._generation, row, batch)
                if not found:
                    break
                row = found[-1][0]
                given += len(found)
                self._rows = {chunk.id: place for place, chunk in found}
                yield [chunk for _, chunk in found]

    def put(self, chunk_ids: Sequence[str], vectors: Vectors) -> None:
        """Store vectors of the new model; durable when this returns."""
        if vectors.shape != (len(chunk_ids), self._generation.dimension):
            raise StoreError(
                f"{self._generation.model}: vectors of shape {vectors.shape} for {len(chunk_ids)} chunks "
                f"of dimension {self._generation.dimension}"
            )
        halves = stored_form(vectors)
        self._database.run_change(lambda db: self._replace_vectors(db, chunk_ids, halves))
        self._put_so_far += len(chunk_ids)

    @property
    def total(self) -> int:
        """How many chunks are still without a new vector."""
        with self._database.reading() as db:
            return count_without_vector(db, self._generation)

    def _replace_vectors(self, db: Session, chunk_ids: Sequence[str], vectors: NDArray[np.float16]) -> None:
        if find_building(db) != self._generation:
            raise StoreError(
                f"the move of {self._database.place} to {self._generation.model} was given up meanwhile: "
                "run `ascertain reindex` again"
            )
        places = {chunk_id: place for place, chunk_id in enumerate(chunk_ids)}
        named = db.dialect.match_any("id", list(places))
        # Kept, so that whoever replaces the document meanwhile deletes these vectors too.
        found = db.fetch_rows(
            f"""SELECT id, document, "row" FROM chunks WHERE {named.sql} AND NOT is_parent
                ORDER BY "row"{db.dialect.keep_rows()}""",
            *named.parameters,
        )
        # A document written anew since ``pending`` has other rows: the vector would be of words that are gone.
        kept = [one for one in found if self._rows.get(one[0], one[2]) == one[2]]
        if kept:
            documents = np.array([document for _, document, _ in kept], np.int64)
            rows = np.array([row for _, _, row in kept], np.int64)
            own = vectors[[places[chunk_id] for chunk_id, _, _ in kept]]
            db.replace_vectors(self._generation, documents, rows, own)


def take_up_move(
    db: _Session, model: str, dimension: int, start: Callable[[_Session, str, int, str], Generation]
) -> Generation:
    """The generation that a move to ``model`` fills: the one that was begun for it, otherwise a new one."""
    generation = find_building(db)
    if generation is not None and generation.is_of(model, dimension):
        return generation
    retire_generation(db, "building")
    return start(db, model, dimension, "building")


def check_complete(db: Session, generation: Generation, place: str) -> None:
    """Raise StoreError when a chunk has no vector of a generation."""
    missing = count_without_vector(db, generation)
    if missing:
        raise StoreError(
            f"{missing} chunks in {place} have no vector of {generation.model} yet: run `ascertain reindex` again to go on"
        )


def switch_generation(db: Session, generation: Generation, place: str) -> None:
    """Let searches use a generation from now on, if every chunk has its vector."""
    check_complete(db, generation, place)
    retire_generation(db, "active")
    activate_generation(db, generation)
