"""Indexes and triggers that the schema should have, by what its steps say, and what became of them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ascertain.stores.postgres import migrations
from ascertain.stores.postgres.connections import Connection, Connections
from ascertain.stores.postgres.text import statement

_INDEX = re.compile(r"^CREATE (UNIQUE )?INDEX (\w+) ([^;]+);", re.MULTILINE)
_TRIGGER = re.compile(r"^CREATE TRIGGER (\w+) [^;]*? ON (\w+)\s[^;]+;", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that the schema lacks; ``cures`` are the statements that bring it back, outside any transaction."""

    problem: str
    cures: tuple[str, ...]


def faults(db: Connection) -> list[Fault]:
    """Indexes and triggers that are missing, or are there and not in use; the graph over the vectors is not among them."""
    applied = "\n".join(step.statements for step in migrations.steps())
    return [*_index_faults(db, applied), *_trigger_faults(db, applied)]


def cure(connections: Connections, found: Sequence[Fault]) -> None:
    """Bring everything back, while searches and writers go on."""
    with connections.alone() as db:
        for command in (command for fault in found for command in fault.cures):
            db.execute(statement(command))


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
                Fault(
                    f"the index {name} is not in use, its building failed",
                    (f"REINDEX INDEX CONCURRENTLY {name}",),
                )
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
                Fault(
                    f"the trigger {name} of {table} is switched off",
                    (f"ALTER TABLE {table} ENABLE TRIGGER {name}",),
                )
            )
    return found
