"""The tables of generations of vectors.

Vectors are halfvec: float16, to the bit what ``prepared.stored_form`` made.
"""

from __future__ import annotations

from psycopg import sql

from ascertain.stores.generations import Generation
from ascertain.stores.postgres.connections import Connection
from ascertain.stores.postgres.dialect import vector_table
from ascertain.stores.postgres.text import statement
from ascertain.stores.relational.generations import add_generation

INLINE_DIMENSIONS = 4000
"""A vector of so many float16 numbers fits into a page of 8 kB: larger ones are kept out of line and have no graph."""


def in_use(db: Connection) -> list[Generation]:
    """Those that have a table with vectors of present chunks: the active one and the one being built."""
    found = db.execute(
        "SELECT number, model, dimension FROM generations WHERE state <> 'retired' ORDER BY number"
    )
    return [Generation(*row) for row in found]


def start(db: Connection, model: str, dimension: int, state: str) -> Generation:
    """A new generation, ``active`` or ``building``, with its table."""
    generation = add_generation(db, model, dimension, state)
    storage = "PLAIN" if dimension <= INLINE_DIMENSIONS else "EXTERNAL"
    db.execute(
        statement(
            f"""CREATE TABLE {vector_table(generation)} (
                document bigint NOT NULL, "row" bigint NOT NULL,
                vector halfvec({dimension}) STORAGE {storage} NOT NULL,
                PRIMARY KEY (document, "row"))"""
        )
    )
    return generation


def clean(db: Connection) -> None:
    """Drop the tables of retired generations."""
    gone = db.execute("DELETE FROM generations WHERE state = 'retired' RETURNING number").fetchall()
    for (number,) in gone:
        db.execute(sql.SQL("DROP TABLE IF EXISTS {}").format(sql.Identifier(f"vectors_{number}")))


def has_vectors(db: Connection, generation: Generation) -> bool:
    """Whether any vector is stored."""
    return db.execute(statement(f"SELECT 1 FROM {vector_table(generation)} LIMIT 1")).fetchone() is not None


def keep(db: Connection) -> None:
    """Let no other transaction change which generations there are until this one ends; writers do not exclude each other."""
    db.execute(f"SELECT pg_advisory_xact_lock_shared({_LOCK})")


def change(db: Connection) -> None:
    """Wait until no writer relies on the present generations and let none begin until this transaction ends."""
    db.execute(f"SELECT pg_advisory_xact_lock({_LOCK})")


_LOCK = "hashtextextended('ascertain generations ' || current_schema(), 0)"
