"""Generations of vectors: the embedding model a store was built with, and the one it is being moved to."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

from ascertain.stores.generations import Generation, mismatch
from ascertain.stores.relational.database import Session


def find_active(db: Session) -> Generation | None:
    """The generation that searches use; None before the first one."""
    return _find_in_state(db, "active")


def find_building(db: Session) -> Generation | None:
    """The generation a reembedding is filling, if one is under way or was interrupted."""
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
        raise mismatch(place, stored, wanted.model, wanted.dimension)
    return None


def _find_in_state(db: Session, state: str) -> Generation | None:
    found = db.fetch_rows("SELECT number, model, dimension FROM generations WHERE state = ?", state)
    return Generation(*found[0]) if found else None
