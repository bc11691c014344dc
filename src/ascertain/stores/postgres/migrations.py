"""The schema on PostgreSQL (see ``relational.steps``); the table ``schema_version`` lists the steps applied."""

from __future__ import annotations

from typing import LiteralString

from psycopg import sql

from ascertain.core.errors import StoreError
from ascertain.stores.postgres import faults
from ascertain.stores.postgres.connections import Connection, Connections
from ascertain.stores.postgres.extension import require_extension
from ascertain.stores.relational.steps import Step, read_steps
from ascertain.stores.schema import SchemaChange


def steps() -> tuple[Step, ...]:
    """Every step this program knows, in order."""
    return read_steps("ascertain.stores.postgres")


def schema_version(db: Connection, schema: str) -> int:
    """The last step applied; 0 where there is no knowledge base."""
    # Never through the search path: it could find the table of another schema.
    exists = db.execute(
        "SELECT 1 FROM pg_tables WHERE schemaname = %s AND tablename = 'schema_version'", (schema,)
    ).fetchone()
    return _of_steps(db, schema, "max(number)") if exists else 0


def check_version(db: Connection, connections: Connections) -> int:
    """The schema version, 0 for none; raises StoreError for one that this program cannot use."""
    version = schema_version(db, connections.schema)
    known = len(steps())
    if 0 < version < known:
        raise StoreError(
            f"{connections.place} was set up by an earlier Ascertain (schema {version}, this one needs {known}): "
            "run `ascertain db upgrade`"
        )
    if version > known and _of_steps(db, connections.schema, "max(needs)") > known:
        raise StoreError(
            f"{connections.place} was written by a newer Ascertain (schema {version}, this one knows {known}): "
            "upgrade with `pip install -U ascertain`"
        )
    return version


def upgrade(connections: Connections, target: int | None = None) -> SchemaChange:
    """Apply the steps that are missing, up to ``target`` (None: all); safe from several machines at once.

    A schema that is empty gets all its steps in one transaction, others one transaction for each.
    """
    wanted = steps()[:target]
    with faults.translated(connections.place):
        before = _prepare(connections)
        applied: list[str] = []
        while True:
            with connections.write() as db:
                _lock(db, connections.schema)
                version = schema_version(db, connections.schema)
                missing = wanted[version:]
                for step in missing if version == 0 else missing[:1]:
                    _apply(db, connections.schema, step)
                    applied.append(step.name)
            if len(missing) <= 1 or version == 0:
                return SchemaChange(before, max(version, len(wanted)), tuple(applied))


def _prepare(connections: Connections) -> int:
    """Make the schema and the extension, if they are not there; the version now."""
    require_extension(connections, create=True)
    with connections.write() as db:
        _lock(db, connections.schema)
        # Asked first: CREATE SCHEMA IF NOT EXISTS needs the right to create one even where it exists.
        exists = db.execute("SELECT 1 FROM pg_namespace WHERE nspname = %s", (connections.schema,)).fetchone()
        if exists is None:
            db.execute(sql.SQL("CREATE SCHEMA {}").format(sql.Identifier(connections.schema)))
        db.execute(
            """CREATE TABLE IF NOT EXISTS schema_version (
                number integer PRIMARY KEY, name text NOT NULL, needs integer NOT NULL,
                applied_at timestamptz NOT NULL DEFAULT now())"""
        )
        return schema_version(db, connections.schema)


def _of_steps(db: Connection, schema: str, aggregate: LiteralString) -> int:
    table = sql.Identifier(schema, "schema_version")
    row = db.execute(sql.SQL("SELECT coalesce({}, 0) FROM {}").format(sql.SQL(aggregate), table)).fetchone()
    return int(row[0]) if row else 0


def _lock(db: Connection, schema: str) -> None:
    """Wait for whoever upgrades this schema now, however long that takes; let go at the end of the transaction."""
    row = db.execute("SHOW lock_timeout").fetchone()
    db.execute("SET LOCAL lock_timeout = 0")
    db.execute("SELECT pg_advisory_xact_lock(hashtextextended('ascertain schema ' || %s, 0))", (schema,))
    db.execute("SELECT set_config('lock_timeout', %s, true)", row)


def _apply(db: Connection, schema: str, step: Step) -> None:
    db.execute(sql.SQL(step.statements))  # pyright: ignore[reportArgumentType]
    db.execute(
        "INSERT INTO schema_version (number, name, needs) VALUES (%s, %s, %s)",
        (step.number, step.name, step.needs),
    )
