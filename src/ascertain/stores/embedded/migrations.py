"""The schema of the record, in numbered steps; the table ``schema_version`` lists those applied."""

import sqlite3
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from ascertain.core.errors import StoreError
from ascertain.core.service.status import SchemaChange
from ascertain.core.system.extras import upgrade_command
from ascertain.stores.embedded.connections import Connections
from ascertain.stores.embedded.home import Layout
from ascertain.stores.records.encoding import version_number
from ascertain.stores.records.rows import python_text
from ascertain.stores.relational.database import Step, read_steps

STEPS = read_steps("ascertain.stores.embedded")


def _apply_step(step: Step, db: sqlite3.Connection) -> None:
    db.create_function("version_number", 2, _number_version, deterministic=True)
    # One by one: executescript would end the transaction.
    for statement in step.statements.split(";\n"):
        db.execute(statement)


def _number_version(document_id: str | bytes, content_hash: str) -> int:
    return version_number(python_text(document_id), content_hash)


MIGRATIONS = tuple(partial(_apply_step, step) for step in STEPS)
"""What applies each step to a connection."""


def schema_version(db: sqlite3.Connection) -> int:
    """The last step applied; 0 for a new database."""
    exists = db.execute("SELECT 1 FROM sqlite_master WHERE name = 'schema_version'").fetchone()
    if exists is None:
        return 0
    return int(db.execute("SELECT coalesce(max(version), 0) FROM schema_version").fetchone()[0])


def check_version(db: sqlite3.Connection, home: Path) -> int:
    """The schema version; raises StoreError for one unknown to this program."""
    version = schema_version(db)
    if version > len(MIGRATIONS):
        raise StoreError(
            f"{home} was written by a newer Ascertain (schema {version}, this one knows {len(MIGRATIONS)}): "
            f"upgrade with `{upgrade_command()}`"
        )
    return version


def describe_change(before: int) -> SchemaChange:
    """From a version of the schema to the newest."""
    return SchemaChange(before, len(STEPS), tuple(step.name for step in STEPS[before:]))


def outdated_error(home: Path) -> StoreError:
    """The error for a home that lacks steps and cannot be written to."""
    return StoreError(
        f"{home} was written by an earlier Ascertain and is read-only: make it writable once, "
        "so that it can be brought up to date"
    )


def apply_missing_steps(db: sqlite3.Connection) -> None:
    """Apply the missing steps; the caller holds a write transaction, so all of them happen or none."""
    db.execute("CREATE TABLE IF NOT EXISTS schema_version (version INTEGER PRIMARY KEY, applied_at TEXT NOT NULL)")
    for number in range(schema_version(db) + 1, len(MIGRATIONS) + 1):
        MIGRATIONS[number - 1](db)
        db.execute("INSERT INTO schema_version VALUES (?, ?)", (number, datetime.now(UTC).isoformat()))


def upgrade_record(layout: Layout, connections: Connections) -> None:
    """Make sure that the record has every step; StoreError for one that cannot be written to or is too new."""
    with connections.read() as db:
        version = check_version(db, layout.home)
    if version == len(MIGRATIONS):
        return
    if connections.read_only:
        raise outdated_error(layout.home)
    # Without the writer's lock: every step only adds to the schema, and a running ingest must not block it.
    with connections.write() as db:
        apply_missing_steps(db)
