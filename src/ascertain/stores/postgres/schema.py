"""The schema on PostgreSQL: ``schema.sql``, whose version is in the table ``schema_version``."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from psycopg import errors, sql

from ascertain.core.errors import SchemaMismatch, StoreError
from ascertain.core.service.status import SchemaChange
from ascertain.stores.postgres import faults
from ascertain.stores.postgres.connections import Connection, Connections

SCHEMA = 1
"""Raised with every change of ``schema.sql``; a knowledge base of another number is refused."""
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


def stored_schema(db: Connection, schema: str) -> int:
    """The version of the schema; 0 where there is no knowledge base."""
    # Never through the search path: it could find the table of another schema.
    if not db.fetch_rows("SELECT 1 FROM pg_tables WHERE schemaname = ? AND tablename = 'schema_version'", schema):
        return 0
    table = sql.Identifier(schema, "schema_version")
    row = db.execute(sql.SQL("SELECT coalesce(max(number), 0) FROM {}").format(table)).fetchone()
    return int(row[0]) if row else 0


def check_schema(db: Connection, connections: Connections) -> bool:
    """Whether there is a knowledge base; raises SchemaMismatch for one of another version of the program."""
    stored = stored_schema(db, connections.schema)
    if stored not in (0, SCHEMA):
        raise SchemaMismatch(connections.place, stored, SCHEMA)
    return stored == SCHEMA


def create_tables(connections: Connections) -> SchemaChange:
    """Create the schema with all its tables where there is none, as a whole; safe from several machines at once."""
    with faults.translate_errors(connections.place):
        require_extension(connections, create=True)
        with connections.write() as db:
            _lock_schema(db, connections.schema)
            if check_schema(db, connections):
                return SchemaChange(SCHEMA, SCHEMA)
            # Asked first: CREATE SCHEMA IF NOT EXISTS needs the right to create one even where it exists.
            if not db.fetch_rows("SELECT 1 FROM pg_namespace WHERE nspname = ?", connections.schema):
                db.execute(sql.SQL("CREATE SCHEMA {}").format(sql.Identifier(connections.schema)))
            db.execute(sql.SQL(_read_statements()))  # pyright: ignore[reportArgumentType]
            db.change_rows("INSERT INTO schema_version (number) VALUES (?)", SCHEMA)
    return SchemaChange(0, SCHEMA)


def _lock_schema(db: Connection, schema: str) -> None:
    """Wait for another process that creates this schema; released at the end of the transaction."""
    row = db.execute("SHOW lock_timeout").fetchone()
    db.execute("SET LOCAL lock_timeout = 0")
    db.execute("SELECT pg_advisory_xact_lock(hashtextextended('ascertain schema ' || %s, 0))", (schema,))
    db.execute("SELECT set_config('lock_timeout', %s, true)", row)


@cache
def _read_statements() -> str:
    return files("ascertain.stores.postgres").joinpath("schema.sql").read_text("utf-8")


_INDEX = re.compile(r"^CREATE (UNIQUE )?INDEX (\w+) ([^;]+);", re.MULTILINE)
_TRIGGER = re.compile(r"^CREATE TRIGGER (\w+) [^;]*? ON (\w+)\s[^;]+;", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that the schema lacks; ``cures`` are the statements that bring it back, outside any transaction."""

    problem: str
    cures: tuple[str, ...]


def find_faults(db: Connection) -> list[Fault]:
    """Indexes and triggers that are missing or not in use, but for the graph over the vectors."""
    return [*_index_faults(db), *_trigger_faults(db)]


def cure_faults(connections: Connections, found: Sequence[Fault]) -> None:
    """Bring everything back, while searches and writers go on."""
    with connections.alone() as db:
        for command in (command for fault in found for command in fault.cures):
            db.change_rows(command)


def _index_faults(db: Connection) -> list[Fault]:
    valid: dict[str, bool] = dict(
        db.execute(
            """SELECT c.relname::text, i.indisvalid FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
               JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = current_schema()"""
        ).fetchall()
    )
    found: list[Fault] = []
    for unique, name, definition in _INDEX.findall(_read_statements()):
        if name not in valid:
            creation = f"CREATE {unique}INDEX CONCURRENTLY IF NOT EXISTS {name} {definition}"
            found.append(Fault(f"the index {name} is missing, so searches may be slow", (creation,)))
        elif not valid[name]:
            found.append(
                Fault(f"the index {name} is not in use, its building failed", (f"REINDEX INDEX CONCURRENTLY {name}",))
            )
    return found


def _trigger_faults(db: Connection) -> list[Fault]:
    states: dict[str, str] = dict(
        db.execute(
            """SELECT c.relname || '.' || t.tgname, t.tgenabled::text FROM pg_trigger t
               JOIN pg_class c ON c.oid = t.tgrelid
               JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = current_schema()"""
        ).fetchall()
    )
    found: list[Fault] = []
    for match in _TRIGGER.finditer(_read_statements()):
        name, table = match.groups()
        state = states.get(f"{table}.{name}")
        if state is None:
            found.append(Fault(f"the trigger {name} of {table} is missing", (match[0],)))
        elif state == "D":
            found.append(
                Fault(f"the trigger {name} of {table} is switched off", (f"ALTER TABLE {table} ENABLE TRIGGER {name}",))
            )
    return found
