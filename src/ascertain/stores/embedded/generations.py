"""Generations of vectors: which embedding model the record was built with, and the one being moved to."""

from __future__ import annotations

import sqlite3
from datetime import UTC, datetime

from ascertain.stores.generations import Generation


def active(db: sqlite3.Connection) -> Generation | None:
    """The generation that searches use; None before the first one."""
    return _of_state(db, "active")


def building(db: sqlite3.Connection) -> Generation | None:
    """The generation a reembedding is filling, if one is under way or was interrupted."""
    return _of_state(db, "building")


def start(db: sqlite3.Connection, model: str, dimension: int, state: str) -> Generation:
    """A new generation, ``active`` or ``building``."""
    number = db.execute(
        "INSERT INTO generations (model, dimension, state, created_at) VALUES (?, ?, ?, ?)",
        (model, dimension, state, datetime.now(UTC).isoformat()),
    ).lastrowid
    return Generation(number or 0, model, dimension)


def retire(db: sqlite3.Connection, state: str) -> None:
    """Mark the generation in ``state`` as no longer needed; ``clean`` frees its vectors."""
    db.execute("UPDATE generations SET state = 'retired' WHERE state = ?", (state,))


def activate(db: sqlite3.Connection, generation: Generation) -> None:
    """Make a generation the one that searches use; the former one was retired before."""
    db.execute("UPDATE generations SET state = 'active' WHERE number = ?", (generation.number,))


def clean(db: sqlite3.Connection, limit: int) -> int:
    """Delete up to ``limit`` vectors of retired generations; how many there were."""
    deleted = db.execute(
        """DELETE FROM vectors WHERE (row, generation) IN (
               SELECT v.row, v.generation FROM vectors v JOIN generations g ON g.number = v.generation
               WHERE g.state = 'retired' LIMIT ?)""",
        (limit,),
    ).rowcount
    if deleted < limit:
        db.execute("DELETE FROM generations WHERE state = 'retired'")
    return deleted


def has_retired(db: sqlite3.Connection) -> bool:
    """Whether ``clean`` has something to do."""
    return db.execute("SELECT 1 FROM generations WHERE state = 'retired'").fetchone() is not None


def has_vectors(db: sqlite3.Connection) -> bool:
    """Whether any vector is stored."""
    return db.execute("SELECT 1 FROM vectors LIMIT 1").fetchone() is not None


def _of_state(db: sqlite3.Connection, state: str) -> Generation | None:
    row = db.execute("SELECT number, model, dimension FROM generations WHERE state = ?", (state,)).fetchone()
    return Generation(*row) if row else None
