"""Vectors of generations that are no longer needed."""

from __future__ import annotations

from ascertain.stores.embedded.dialect import RecordConnection


def clean(db: RecordConnection, limit: int) -> int:
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


def has_retired(db: RecordConnection) -> bool:
    """Whether ``clean`` has something to do."""
    return bool(db.fetch_rows("SELECT 1 FROM generations WHERE state = 'retired'"))


def has_vectors(db: RecordConnection) -> bool:
    """Whether any vector is stored."""
    return bool(db.fetch_rows("SELECT 1 FROM vectors LIMIT 1"))
