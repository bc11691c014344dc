"""Moving a store to another embedding model while searches go on with the old one."""

from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from ascertain.core.documents.documents import Chunk
from ascertain.core.errors import StoreError
from ascertain.stores.ports.chunks import Vectors
from ascertain.stores.records.vectors import Generation, mismatch_error, stored_form
from ascertain.stores.relational.database import Database, Session
from ascertain.stores.relational.reads import count_without_vector, fetch_without_vector


def find_active(db: Session) -> Generation | None:
    """The generation that searches use; None before the first one."""
    return _find_in_state(db, "active")


def find_building(db: Session) -> Generation | None:
    """The generation a reembedding is filling, if one is running or was interrupted."""
    return _find_in_state(db, "building")


def add_generation(db: Session, model: str, dimension: int, state: str) -> Generation:
    """A new generation, ``active`` or ``building``."""
    found = db.fetch_rows(
        "INSERT INTO generations (model, dimension, state, created_at) VALUES (?, ?, ?, ?) RETURNING number",
        *(model, dimension, state, datetime.now(UTC).isoformat()),
    )
    return Generation(int(found[0][0]), model, dimension)


def retire_generation(db: Session, state: str) -> None:
    """Mark the generation in ``state`` as no longer needed; each store frees its vectors later."""
    db.change_rows("UPDATE generations SET state = 'retired' WHERE state = ?", state)


def activate_generation(db: Session, generation: Generation) -> None:
    """Make a generation the one that searches use; the former one was retired before."""
    db.change_rows("UPDATE generations SET state = 'active' WHERE number = ?", generation.number)


def keep_generation(
    db: Session, wanted: Generation, place: str, has_vectors: Callable[[Generation], bool]
) -> Generation | None:
    """The active generation if it is of the model wanted; None where nothing is embedded yet.

    Raises EmbeddingMismatch for vectors of another model.
    """
    stored = find_active(db)
    if stored is None or stored.is_of(wanted.model, wanted.dimension):
        return stored
    if has_vectors(stored):
        raise mismatch_error(place, stored, wanted.model, wanted.dimension)
    return None


def _find_in_state(db: Session, state: str) -> Generation | None:
    found = db.fetch_rows("SELECT number, model, dimension FROM generations WHERE state = ?", state)
    return Generation(*found[0]) if found else None


_Session = TypeVar("_Session", bound=Session)


class TableReembedding:
    """A generation of vectors being filled; only one process fills it."""

    def __init__(self, database: Database, generation: Generation) -> None:
        self._database = database
        self._generation = generation
        self._rows: dict[str, int] = {}
        self._put_so_far = 0

    def pending(self, batch: int) -> Iterator[list[Chunk]]:
        """Searchable chunks that have no vector of the new model yet, up to ``batch`` at a time.

        Others may write meanwhile: their additions follow in further rounds.
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
        with self._database.reading() as db:
            return count_without_vector(db, self._generation)

    def _replace_vectors(self, db: Session, chunk_ids: Sequence[str], vectors: NDArray[np.float16]) -> None:
        if find_building(db) != self._generation:
            raise StoreError(
                f"the move of {self._database.place} to {self._generation.model} was abandoned meanwhile: "
                "run `ascertain reindex` again"
            )
        places = {chunk_id: place for place, chunk_id in enumerate(chunk_ids)}
        named = db.dialect.match_any("id", list(places))
        # Locked, so that a process that replaces the document meanwhile deletes these vectors too.
        found = db.fetch_rows(
            f"""SELECT id, document, "row" FROM chunks WHERE {named.sql} AND NOT is_parent
                ORDER BY "row"{db.dialect.keep_rows()}""",
            *named.parameters,
        )
        # A document rewritten since ``pending`` has other rows: the vector would be of deleted text.
        kept = [one for one in found if self._rows.get(one[0], one[2]) == one[2]]
        if kept:
            documents = np.array([document for _, document, _ in kept], np.int64)
            rows = np.array([row for _, _, row in kept], np.int64)
            own = vectors[[places[chunk_id] for chunk_id, _, _ in kept]]
            db.replace_vectors(self._generation, documents, rows, own)


def take_up_move(
    db: _Session, model: str, dimension: int, start: Callable[[_Session, str, int, str], Generation]
) -> Generation:
    """The generation that a move to ``model`` fills: the one started for it, otherwise a new one."""
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
            f"{missing} chunks in {place} have no vector of {generation.model} yet: "
            "run `ascertain reindex` again to go on"
        )


def switch_generation(db: Session, generation: Generation, place: str) -> None:
    """Let searches use a generation from now on, if every chunk has its vector."""
    check_complete(db, generation, place)
    retire_generation(db, "active")
    activate_generation(db, generation)
