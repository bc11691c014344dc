"""A ``GraphStore`` over one database, in the SQL that SQLite and PostgreSQL have in common.

A writer changes the row of the tenant first, which blocks the tenant's other writers until the end of the
transaction; readers never wait.
"""

import secrets
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TypeVar

from ascertain.core.errors import StoreError
from ascertain.core.graph.nouns import DocumentGraph, Mention, Pin
from ascertain.core.service.status import GraphCounts, HealthReport
from ascertain.stores.ports.graph import GraphColumns
from ascertain.stores.records.encoding import digest_names
from ascertain.stores.records.graph_columns import Batch, assemble_columns, batch_graphs, count_problem, describe_counts
from ascertain.stores.records.rows import guard_reading, moment_of, to_microseconds
from ascertain.stores.relational import graph_rows
from ascertain.stores.relational.database import Database, Session, bind_marks, split_groups

_Result = TypeVar("_Result")

NOTHING = "0"
"""The generation of an empty graph."""

_AT_ONCE = 20_000
"""Mentions and the like in one transaction: half a second of writing at most, for which other writers wait."""

_LOST = {
    "mentions belong to no document": """graph_mentions m WHERE NOT EXISTS
        (SELECT 1 FROM graph_documents d WHERE d.number = m.document)""",
    "mentions have lost their name": """graph_mentions m WHERE NOT EXISTS
        (SELECT 1 FROM graph_names n WHERE n.number = m.name)""",
    "names are mentioned nowhere": """graph_names n WHERE NOT EXISTS
        (SELECT 1 FROM graph_mentions m WHERE m.name = n.number)""",
    "documents have no tenant": """graph_documents d WHERE NOT EXISTS
        (SELECT 1 FROM graph_tenants t WHERE t.number = d.tenant)""",
}


class GraphTables:
    """A ``GraphStore``; made by ``open_..._graph`` of the stores that have a database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def upsert(self, graphs: Sequence[DocumentGraph]) -> None:
        for tenant, batch in batch_graphs(graphs, _AT_ONCE):
            self._write_batch(tenant, batch)

    def delete(self, tenant: str, document_ids: Sequence[str]) -> int:
        return self._database.run_change(lambda db: forget_documents(db, tenant, document_ids))

    def known(self, tenant: str) -> dict[str, str]:
        return self._read_tenant(tenant, graph_rows.fetch_versions, {})

    def generation(self, tenant: str) -> str:
        with self._database.reading() as db:
            found = find_tenant(db, tenant)
        return found[1] if found else NOTHING

    @guard_reading
    def columns(self, tenant: str) -> GraphColumns:
        with self._database.reading() as db:
            number, generation = find_tenant(db, tenant) or (0, NOTHING)
            read = graph_rows.fetch_graph(db, number, generation)
        return assemble_columns(read)

    @guard_reading
    def mentions(self, tenant: str, keys: Sequence[str], limit: int = 1000) -> list[Mention]:
        return self._read_tenant(tenant, lambda db, number: graph_rows.fetch_mentions(db, number, keys, limit), [])

    @guard_reading
    def graphs(self, tenant: str, document_ids: Sequence[str]) -> list[DocumentGraph]:
        return self._read_tenant(tenant, lambda db, _: graph_rows.fetch_graphs(db, tenant, document_ids), [])

    def counts(self, tenant: str) -> GraphCounts:
        return self._read_tenant(tenant, graph_rows.fetch_counts, GraphCounts(0, 0, 0, 0, 0, 0))

    def tenants(self) -> list[str]:
        having = "EXISTS (SELECT 1 FROM graph_documents d WHERE d.tenant = t.number)"
        return sorted(
            name for (name,) in self._database.fetch_rows(f"SELECT tenant FROM graph_tenants t WHERE {having}")
        )

    def pin(self, tenant: str, pin: Pin) -> None:
        values = (pin.left, pin.right, pin.same, pin.reason, to_microseconds(pin.made_at))
        writing = """INSERT INTO graph_pins (tenant, pair_key, one, other, is_same, reason, made)
                     VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (tenant, pair_key) DO UPDATE SET
                         one = excluded.one, other = excluded.other,
                         is_same = excluded.is_same, reason = excluded.reason, made = excluded.made"""
        key = _pair_key(pin.left, pin.right)
        self._database.run_change(lambda db: db.change_rows(writing, hold_tenant(db, tenant), key, *values))

    def unpin(self, tenant: str, left: str, right: str) -> bool:
        pinned, key = "FROM graph_pins WHERE tenant = ? AND pair_key = ?", _pair_key(left, right)

        def work(db: Session) -> bool:
            found = find_tenant(db, tenant)
            if found is None or not db.fetch_rows(f"SELECT 1 {pinned}", found[0], key):
                return False
            number = hold_tenant(db, tenant)
            was_there = bool(db.change_rows(f"DELETE {pinned}", number, key))
            drop_empty_tenant(db, number)
            return was_there

        return self._database.run_change(work)

    @guard_reading
    def pins(self, tenant: str) -> list[Pin]:
        return self._read_tenant(tenant, list_pins, [])

    def summaries(self, tenant: str, digests: Sequence[str]) -> dict[str, str]:
        return self._read_tenant(tenant, lambda db, number: fetch_summaries(db, number, digests), {})

    def keep_summaries(self, tenant: str, texts: Mapping[str, str]) -> None:
        def work(db: Session) -> None:
            number = hold_tenant(db, tenant, is_changed=False)
            for name, text in texts.items():
                db.change_rows(
                    """INSERT INTO graph_summaries (tenant, digest_key, digest, text) VALUES (?, ?, ?, ?)
                       ON CONFLICT (tenant, digest_key) DO UPDATE SET text = excluded.text""",
                    *(number, digest_names(name), name, text),
                )

        if texts:
            self._database.run_change(work)

    def forget_summaries(self, tenant: str, keep: Sequence[str]) -> int:
        kept = {digest_names(name) for name in keep}

        def work(db: Session) -> int:
            if find_tenant(db, tenant) is None:
                return 0
            number = hold_tenant(db, tenant, is_changed=False)
            found = db.fetch_rows("SELECT digest_key FROM graph_summaries WHERE tenant = ?", number)
            gone = {bytes(key) for (key,) in found} - kept
            for group in split_groups(gone):
                among = f"tenant = ? AND digest_key IN ({bind_marks(group)})"
                db.change_rows(f"DELETE FROM graph_summaries WHERE {among}", number, *group)
            drop_empty_tenant(db, number)
            return len(gone)

        return self._database.run_change(work)

    def check(self) -> HealthReport:
        with self._database.reading() as db:
            report = build_report(db)
        damaged: list[str] = []
        for tenant in self.tenants():
            try:
                self.columns(tenant)
            except StoreError as error:
                damaged.append(str(error))
        return HealthReport((*report.problems, *dict.fromkeys(damaged)), report.facts)

    def close(self) -> None:
        self._database.close()

    def _write_batch(self, tenant: str, batch: Batch) -> None:
        self._database.run_change(lambda db: graph_rows.write_graphs(db, hold_tenant(db, tenant), batch))

    def _read_tenant(self, tenant: str, read: Callable[[Session, int], _Result], empty: _Result) -> _Result:
        with self._database.reading() as db:
            found = find_tenant(db, tenant)
            return read(db, found[0]) if found else empty


def forget_documents(db: Session, tenant: str, document_ids: Collection[str]) -> int:
    """Remove the graphs of these documents; how many of them were stored."""
    if not graph_rows.has_any(db, tenant, document_ids):
        return 0
    number = hold_tenant(db, tenant)
    count = graph_rows.delete_graphs(db, tenant, document_ids)
    drop_empty_tenant(db, number)
    return count


def build_report(db: Session) -> HealthReport:
    """The size of all tenants' graphs, and inconsistencies."""
    columns = ("chunks", "mentions", "relations", "aliases")
    sums = ", ".join(f"coalesce(sum({column}), 0)" for column in columns)
    documents, *claims = map(int, db.fetch_rows(f"SELECT count(*), {sums} FROM graph_documents")[0])
    stored = dict(zip(columns, claims, strict=True))
    problems = [
        count_problem(name, stored[name], count)
        for name in columns[1:]
        if (count := _count_rows(db, f"graph_{name}")) != stored[name]
    ]
    for what, where in _LOST.items():
        count = _count_rows(db, where)
        if count:
            problems.append(f"{count} {what}")
    names = _count_rows(db, "(SELECT DISTINCT tenant, key FROM graph_names) AS k")
    return HealthReport(tuple(problems), describe_counts(documents, names, stored["mentions"], stored["relations"]))


def _count_rows(db: Session, what: str) -> int:
    return int(db.fetch_rows(f"SELECT count(*) FROM {what}")[0][0])


def hold_tenant(db: Session, tenant: str, *, is_changed: bool = True) -> int:
    """The number of a tenant to write for, alone until the transaction ends; ``is_changed`` gives a new generation.

    Generations are drawn by lot: a number that is counted up would come again after a backup was restored, with other
    contents.
    """
    column, generation = ("generation", secrets.token_hex(8)) if is_changed else ("tenant", NOTHING)
    found = db.fetch_rows(
        f"""INSERT INTO graph_tenants (tenant_key, tenant, generation) VALUES (?, ?, ?)
            ON CONFLICT (tenant_key) DO UPDATE SET {column} = excluded.{column} RETURNING number""",
        *(digest_names(tenant), tenant, generation),
    )
    return int(found[0][0])


def drop_empty_tenant(db: Session, number: int) -> None:
    """Remove a tenant without data."""
    left = " AND ".join(
        f"NOT EXISTS (SELECT 1 FROM {table} WHERE tenant = graph_tenants.number)"
        for table in ("graph_documents", "graph_pins", "graph_summaries")
    )
    db.change_rows(f"DELETE FROM graph_tenants WHERE number = ? AND {left}", number)


def find_tenant(db: Session, tenant: str) -> tuple[int, str] | None:
    """Number and generation of a tenant; None for one without data here."""
    found = db.fetch_rows("SELECT number, generation FROM graph_tenants WHERE tenant_key = ?", digest_names(tenant))
    return (int(found[0][0]), str(found[0][1])) if found else None


def list_pins(db: Session, tenant: int) -> list[Pin]:
    """All decisions, by left and right."""
    found = db.fetch_rows("SELECT one, other, is_same, reason, made FROM graph_pins WHERE tenant = ?", tenant)
    decided = [Pin(one, other, bool(same), reason, moment_of(made)) for one, other, same, reason, made in found]
    return sorted(decided, key=lambda made: (made.left, made.right))


def fetch_summaries(db: Session, tenant: int, wanted: Sequence[str]) -> dict[str, str]:
    """Texts by their digests."""
    summaries: dict[str, str] = {}
    for group in split_groups({digest_names(one) for one in wanted}):
        reading = f"SELECT digest, text FROM graph_summaries WHERE tenant = ? AND digest_key IN ({bind_marks(group)})"
        summaries.update(db.fetch_rows(reading, tenant, *group))
    return summaries


def _pair_key(left: str, right: str) -> bytes:
    """A key for two names in either order."""
    return digest_names(*sorted((left, right)))
