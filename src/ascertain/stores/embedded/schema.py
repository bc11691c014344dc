"""The schema of the record: ``schema.sql``, whose version SQLite keeps in ``user_version``."""

import sqlite3
from functools import cache
from importlib.resources import files
from pathlib import Path

from ascertain.core.errors import SchemaMismatch, StoreError
from ascertain.stores.embedded.connections import Connections
from ascertain.stores.embedded.home import Layout

SCHEMA = 1
"""Raised with every change of ``schema.sql``; a record of another number is refused."""


def stored_schema(db: sqlite3.Connection) -> int | None:
    """The version of the record's schema; None for a record that has no tables yet."""
    if db.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone() is None:
        return None
    return int(db.execute("PRAGMA user_version").fetchone()[0])


def check_schema(db: sqlite3.Connection, home: Path) -> bool:
    """Whether the record has its tables; raises SchemaMismatch for those of another version of the program."""
    stored = stored_schema(db)
    if stored not in (None, SCHEMA):
        raise SchemaMismatch(str(home), stored, SCHEMA)
    return stored is not None


def create_tables(db: sqlite3.Connection) -> None:
    """Create the tables where there are none; the caller holds a write transaction, so all of them are there or none."""
    if stored_schema(db) is not None:
        return
    # One by one: executescript would end the transaction.
    for statement in _read_statements():
        db.execute(statement)
    db.execute(f"PRAGMA user_version = {SCHEMA}")


def ensure_tables(layout: Layout, connections: Connections) -> None:
    """Make sure that the record has its tables; StoreError for one of another version, or that cannot be written to."""
    with connections.read() as db:
        if check_schema(db, layout.home):
            return
    if connections.read_only:
        raise unfinished_error(layout.home)
    # Without the writer's lock: another process that does the same has made them when this one's transaction begins.
    with connections.write() as db:
        create_tables(db)


def unfinished_error(home: Path) -> StoreError:
    """The error for a home that lacks something which cannot be written to it."""
    return StoreError(f"{home} is read-only and was never set up completely: make it writable once")


@cache
def _read_statements() -> tuple[str, ...]:
    text = files("ascertain.stores.embedded").joinpath("schema.sql").read_text("utf-8")
    return tuple(text.split(";\n"))
