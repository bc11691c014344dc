"""The schema on PostgreSQL, in numbered steps; the table ``schema_version`` lists those applied."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import LiteralString

from psycopg import errors, sql

from ascertain.core.errors import StoreError
from ascertain.core.service.status import SchemaChange
from ascertain.core.system.extras import upgrade_command
from ascertain.stores.postgres import faults
from ascertain.stores.postgres.connections import Connection, Connections
from ascertain.stores.relational.database import Step, read_steps

OLDEST = (0, 8)
"""The first version whose index scans go on until enough rows pass a filter."""


def require_extension(connections: Connections, *, create: bool) -> None:
    """Make sure that vectors can be stored in this database; StoreError with the remedy otherwise.

    Once for a database: several knowledge bases share the extension, so it is kept out of their schemas.
    """
    if connections.find_extension() is None:
        if not create:
            raise _missing_error(connections.place, "it is not installed")
        _install_extension(connections)
        connections.find_extension()
    with connections.read() as db:
        found = db.fetch_rows("SELECT extversion FROM pg_extension WHERE extname = 'vector'")
    version = str(found[0][0]) if found else "none"
    if tuple(int(part) for part in re.findall(r"\d+", version)[:2]) < OLDEST:
        raise StoreError(
            f"{connections.place} has version {version} of the vector extension, Ascertain needs "
            f"{OLDEST[0]}.{OLDEST[1]}: install a newer pgvector there and run ALTER EXTENSION vector UPDATE"
        )


def _install_extension(connections: Connections) -> None:
    with connections.alone() as db:
        try:
            db.execute("CREATE EXTENSION IF NOT EXISTS vector WITH SCHEMA public")
        except errors.UniqueViolation:
            # Another process created it at the same moment.
            return
        except errors.InsufficientPrivilege as error:
            raise _missing_error(connections.place, "this user may not install it") from error
        except (errors.UndefinedFile, errors.FeatureNotSupported, errors.InvalidSchemaName) as error:
            raise _missing_error(connections.place, str(error.diag.message_primary)) from error


def _missing_error(place: str, why: str) -> StoreError:
    return StoreError(
        f"{place} lacks the vector extension ({why}): let an administrator of the database install pgvector and run "
        "CREATE EXTENSION vector"
    )


def list_steps() -> tuple[Step, ...]:
    """Every step this program knows, in order."""
    return read_steps("ascertain.stores.postgres")


def schema_version(db: Connection, schema: str) -> int:
    """The last step applied; 0 where there is no knowledge base."""
    # Never through the search path: it could find the table of another schema.
    exists = db.fetch_rows("SELECT 1 FROM pg_tables WHERE schemaname = ? AND tablename = 'schema_version'", schema)
    return _read_steps_applied(db, schema, "max(number)") if exists else 0


def check_version(db: Connection, connections: Connections) -> int:
    """The schema version, 0 for none; raises StoreError for one that this program cannot use."""
    version = schema_version(db, connections.schema)
    known = len(list_steps())
    if 0 < version < known:
        raise StoreError(
            f"{connections.place} was set up by an earlier Ascertain (schema {version}, this one needs {known}): "
            "run `ascertain db upgrade`"
        )
    if version > known and _read_steps_applied(db, connections.schema, "max(needs)") > known:
        raise StoreError(
            f"{connections.place} was written by a newer Ascertain (schema {version}, this one knows {known}): "
            f"upgrade with `{upgrade_command()}`"
        )
    return version


def apply_missing_steps(connections: Connections, target: int | None = None) -> SchemaChange:
    """Apply the steps that are missing, up to ``target`` (None: all); safe from several machines at once.

    A schema that is empty gets all its steps in one transaction, others one transaction for each.
    """
    wanted = list_steps()[:target]
    with faults.translate_errors(connections.place):
        before = _prepare_schema(connections)
        applied: list[str] = []
        while True:
            with connections.write() as db:
                _lock_schema(db, connections.schema)
                version = schema_version(db, connections.schema)
                missing = wanted[version:]
                for step in missing if version == 0 else missing[:1]:
                    _apply_step(db, connections.schema, step)
                    applied.append(step.name)
            if len(missing) <= 1 or version == 0:
                return SchemaChange(before, max(version, len(wanted)), tuple(applied))


def _prepare_schema(connections: Connections) -> int:
    """Create the schema and the extension if missing; returns the current version."""
    require_extension(connections, create=True)
    with connections.write() as db:
        _lock_schema(db, connections.schema)
        # Asked first: CREATE SCHEMA IF NOT EXISTS needs the right to create one even where it exists.
        if not db.fetch_rows("SELECT 1 FROM pg_namespace WHERE nspname = ?", connections.schema):
            db.execute(sql.SQL("CREATE SCHEMA {}").format(sql.Identifier(connections.schema)))
        db.execute(
            """CREATE TABLE IF NOT EXISTS schema_version (
                number integer PRIMARY KEY, name text NOT NULL, needs integer NOT NULL,
                applied_at timestamptz NOT NULL DEFAULT now())"""
        )
        return schema_version(db, connections.schema)


def _read_steps_applied(db: Connection, schema: str, aggregate: LiteralString) -> int:
    table = sql.Identifier(schema, "schema_version")
    row = db.execute(sql.SQL("SELECT coalesce({}, 0) FROM {}").format(sql.SQL(aggregate), table)).fetchone()
    return int(row[0]) if row else 0


def _lock_schema(db: Connection, schema: str) -> None:
    """Wait for another upgrade of this schema, however long that takes; released at the end of the transaction."""
    row = db.execute("SHOW lock_timeout").fetchone()
    db.execute("SET LOCAL lock_timeout = 0")
    db.execute("SELECT pg_advisory_xact_lock(hashtextextended('ascertain schema ' || %s, 0))", (schema,))
    db.execute("SELECT set_config('lock_timeout', %s, true)", row)


def _apply_step(db: Connection, schema: str, step: Step) -> None:
    db.execute(sql.SQL(step.statements))  # pyright: ignore[reportArgumentType]
    noting = "INSERT INTO schema_version (number, name, needs) VALUES (?, ?, ?)"
    db.change_rows(noting, step.number, step.name, step.needs)


_INDEX = re.compile(r"^CREATE (UNIQUE )?INDEX (\w+) ([^;]+);", re.MULTILINE)
_TRIGGER = re.compile(r"^CREATE TRIGGER (\w+) [^;]*? ON (\w+)\s[^;]+;", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that the schema lacks; ``cures`` are the statements that bring it back, outside any transaction."""

    problem: str
    cures: tuple[str, ...]


def find_faults(db: Connection) -> list[Fault]:
    """Indexes and triggers that are missing or not in use, but for the graph over the vectors."""
    applied = "\n".join(step.statements for step in list_steps())
    return [*_index_faults(db, applied), *_trigger_faults(db, applied)]


def cure_faults(connections: Connections, found: Sequence[Fault]) -> None:
    """Bring everything back, while searches and writers go on."""
    with connections.alone() as db:
        for command in (command for fault in found for command in fault.cures):
            db.change_rows(command)


def _index_faults(db: Connection, applied: str) -> list[Fault]:
    valid: dict[str, bool] = dict(
        db.execute(
            """SELECT c.relname::text, i.indisvalid FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
               JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = current_schema()"""
        ).fetchall()
    )
    found: list[Fault] = []
    for unique, name, definition in _INDEX.findall(applied):
        if name not in valid:
            creation = f"CREATE {unique}INDEX CONCURRENTLY IF NOT EXISTS {name} {definition}"
            found.append(Fault(f"the index {name} is missing, so searches may be slow", (creation,)))
        elif not valid[name]:
            found.append(
                Fault(f"the index {name} is not in use, its building failed", (f"REINDEX INDEX CONCURRENTLY {name}",))
            )
    return found


def _trigger_faults(db: Connection, applied: str) -> list[Fault]:
    states: dict[str, str] = dict(
        db.execute(
            """SELECT c.relname || '.' || t.tgname, t.tgenabled::text FROM pg_trigger t
               JOIN pg_class c ON c.oid = t.tgrelid
               JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = current_schema()"""
        ).fetchall()
    )
    found: list[Fault] = []
    for match in _TRIGGER.finditer(applied):
        name, table = match.groups()
        state = states.get(f"{table}.{name}")
        if state is None:
            found.append(Fault(f"the trigger {name} of {table} is missing", (match[0],)))
        elif state == "D":
            found.append(
                Fault(f"the trigger {name} of {table} is switched off", (f"ALTER TABLE {table} ENABLE TRIGGER {name}",))
            )
    return found
