"""The port over one database."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TypeVar

from ascertain.core.graph import DocumentGraph, Mention, Pin
from ascertain.core.status import GraphCounts, HealthReport
from ascertain.stores.encoding import digest_names
from ascertain.stores.graph_columns import Batch, assemble_columns, batch_graphs, count_problem, describe_counts
from ascertain.stores.graph_ports import GraphColumns
from ascertain.stores.relational.database import Database, Session, bind_marks, split_groups
from ascertain.stores.relational.graph import reading, writing
from ascertain.stores.rows import moment_of, to_microseconds

_LOST = {
    "mentions belong to no document": """graph_mentions m WHERE NOT EXISTS
        (SELECT 1 FROM graph_documents d WHERE d.number = m.document)""",
    "mentions have lost their name": """graph_mentions m WHERE NOT EXISTS
        (SELECT 1 FROM graph_names n WHERE n.number = m.name)""",
    "names are mentioned nowhere": """graph_names n WHERE NOT EXISTS
        (SELECT 1 FROM graph_mentions m WHERE m.name = n.number)""",
    "documents belong to nobody": """graph_documents d WHERE NOT EXISTS
        (SELECT 1 FROM graph_tenants t WHERE t.number = d.tenant)""",
}


def build_report(db: Session) -> HealthReport:
    """What there is of all tenants, and what does not fit together."""
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


def write_pin(db: Session, tenant: int, made: Pin) -> None:
    """Keep a decision in place of an earlier one about the same two names."""
    values = (made.left, made.right, made.same, made.reason, to_microseconds(made.made_at))
    db.change_rows(
        """INSERT INTO graph_pins (tenant, pair_key, one, other, is_same, reason, made) VALUES (?, ?, ?, ?, ?, ?, ?)
           ON CONFLICT (tenant, pair_key) DO UPDATE SET one = excluded.one, other = excluded.other,
               is_same = excluded.is_same, reason = excluded.reason, made = excluded.made""",
        *(tenant, pair_key(made.left, made.right), *values),
    )


def has_pin(db: Session, tenant: int, left: str, right: str) -> bool:
    """Whether something was decided about two names."""
    finding = "SELECT 1 FROM graph_pins WHERE tenant = ? AND pair_key = ?"
    return bool(db.fetch_rows(finding, tenant, pair_key(left, right)))


def delete_pin(db: Session, tenant: int, left: str, right: str) -> bool:
    """Take a decision back."""
    removing = "DELETE FROM graph_pins WHERE tenant = ? AND pair_key = ?"
    return bool(db.change_rows(removing, tenant, pair_key(left, right)))


def list_pins(db: Session, tenant: int) -> list[Pin]:
    """All decisions, in order."""
    found = db.fetch_rows("SELECT one, other, is_same, reason, made FROM graph_pins WHERE tenant = ?", tenant)
    decided = [Pin(one, other, bool(same), reason, moment_of(made)) for one, other, same, reason, made in found]
    return sorted(decided, key=lambda made: (made.left, made.right))


def pair_key(left: str, right: str) -> bytes:
    """A key for two names in either order."""
    return digest_names(*sorted((left, right)))


def fetch_summaries(db: Session, tenant: int, wanted: Collection[str]) -> dict[str, str]:
    """Texts by their digests."""
    found: dict[str, str] = {}
    for group in split_groups({digest_names(one) for one in wanted}):
        reading = f"SELECT digest, text FROM graph_summaries WHERE tenant = ? AND digest_key IN ({bind_marks(group)})"
        found.update(db.fetch_rows(reading, tenant, *group))
    return found


def keep_summaries(db: Session, tenant: int, texts: Mapping[str, str]) -> None:
    """Keep texts over those of the same digests."""
    for name, text in texts.items():
        db.change_rows(
            """INSERT INTO graph_summaries (tenant, digest_key, digest, text) VALUES (?, ?, ?, ?)
               ON CONFLICT (tenant, digest_key) DO UPDATE SET text = excluded.text""",
            *(tenant, digest_names(name), name, text),
        )


def forget_summaries(db: Session, tenant: int, keep: Collection[str]) -> int:
    """Remove all texts but those under the digests in ``keep``."""
    stored = {bytes(key) for (key,) in db.fetch_rows("SELECT digest_key FROM graph_summaries WHERE tenant = ?", tenant)}
    gone = stored - {digest_names(name) for name in keep}
    for group in split_groups(gone):
        db.change_rows(
            f"DELETE FROM graph_summaries WHERE tenant = ? AND digest_key IN ({bind_marks(group)})", tenant, *group
        )
    return len(gone)


NOTHING = "0"
"""The generation of a graph in which nothing is."""


def begin_change(db: Session, tenant: str) -> int:
    """The number of a tenant whose graph this transaction changes, alone until it ends.

    Generations are drawn by lot: a number that is counted up would come again after a backup was restored, with other contents.
    """
    found = db.fetch_rows(
        """INSERT INTO graph_tenants (tenant_key, tenant, generation) VALUES (?, ?, ?)
           ON CONFLICT (tenant_key) DO UPDATE SET generation = excluded.generation RETURNING number""",
        *(digest_names(tenant), tenant, secrets.token_hex(8)),
    )
    return int(found[0][0])


def begin_note(db: Session, tenant: str) -> int:
    """The number of a tenant, whose generation stays as it is."""
    found = db.fetch_rows(
        """INSERT INTO graph_tenants (tenant_key, tenant, generation) VALUES (?, ?, ?)
           ON CONFLICT (tenant_key) DO UPDATE SET tenant = excluded.tenant RETURNING number""",
        *(digest_names(tenant), tenant, NOTHING),
    )
    return int(found[0][0])


def end_change(db: Session, number: int) -> None:
    """Forget a tenant of whom nothing is left."""
    left = " AND ".join(
        f"NOT EXISTS (SELECT 1 FROM {table} WHERE tenant = number)"
        for table in ("graph_documents", "graph_pins", "graph_summaries")
    )
    db.change_rows(
        f"DELETE FROM graph_tenants WHERE number = ? AND {left.replace('number', 'graph_tenants.number')}", number
    )


def fetch_tenant(db: Session, tenant: str) -> tuple[int, str] | None:
    """Number and generation of a tenant; None for one of whom nothing is here."""
    found = db.fetch_rows("SELECT number, generation FROM graph_tenants WHERE tenant_key = ?", digest_names(tenant))
    return (int(found[0][0]), str(found[0][1])) if found else None


def with_documents(db: Session) -> list[str]:
    """Everyone who has a document, in order."""
    having = "EXISTS (SELECT 1 FROM graph_documents d WHERE d.tenant = t.number)"
    return sorted(tenant for (tenant,) in db.fetch_rows(f"SELECT tenant FROM graph_tenants t WHERE {having}"))


_Result = TypeVar("_Result")

_AT_ONCE = 20_000
"""Mentions and the like in one transaction: half a second of writing at most, for which other writers wait."""


class GraphTables:
    """A ``GraphStore``; made by ``open_..._graph`` of the stores that have a database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def upsert(self, graphs: Sequence[DocumentGraph]) -> None:
        """Write what documents say."""
        for tenant, batch in batch_graphs(graphs, _AT_ONCE):
            self._write_batch(tenant, batch)

    def delete(self, tenant: str, document_ids: Sequence[str]) -> int:
        """Remove what documents said."""

        def work(db: Session) -> int:
            if not writing.any_of(db, tenant, document_ids):
                return 0
            number = begin_change(db, tenant)
            count = writing.delete_graphs(db, tenant, document_ids)
            end_change(db, number)
            return count

        return self._database.run_change(work)

    def known(self, tenant: str) -> dict[str, str]:
        """The version of each document."""
        return self._read_tenant(tenant, reading.fetch_versions, {})

    def generation(self, tenant: str) -> str:
        """The mark of the tenant's last change."""
        with self._database.reading() as db:
            found = fetch_tenant(db, tenant)
        return found[1] if found else NOTHING

    def columns(self, tenant: str) -> GraphColumns:
        """Everything of a tenant."""
        with self._database.reading() as db:
            number, generation = fetch_tenant(db, tenant) or (0, NOTHING)
            read = reading.fetch_graph(db, number, generation)
        return assemble_columns(read)

    def mentions(self, tenant: str, keys: Sequence[str], limit: int = 1000) -> list[Mention]:
        """Where names are mentioned."""
        return self._read_tenant(tenant, lambda db, number: reading.fetch_mentions(db, number, keys, limit), [])

    def graphs(self, tenant: str, document_ids: Sequence[str]) -> list[DocumentGraph]:
        """What documents say, whole."""
        return self._read_tenant(tenant, lambda db, _: reading.fetch_graphs(db, tenant, document_ids), [])

    def counts(self, tenant: str) -> GraphCounts:
        """How much there is."""
        return self._read_tenant(tenant, reading.fetch_counts, GraphCounts(0, 0, 0, 0, 0, 0))

    def tenants(self) -> list[str]:
        """Everyone who has a document here."""
        with self._database.reading() as db:
            return with_documents(db)

    def pin(self, tenant: str, pin: Pin) -> None:
        """Keep a decision about two names."""
        self._database.run_change(lambda db: write_pin(db, begin_change(db, tenant), pin))

    def unpin(self, tenant: str, left: str, right: str) -> bool:
        """Take a decision back."""

        def work(db: Session) -> bool:
            found = fetch_tenant(db, tenant)
            if found is None or not has_pin(db, found[0], left, right):
                return False
            number = begin_change(db, tenant)
            was_there = delete_pin(db, number, left, right)
            end_change(db, number)
            return was_there

        return self._database.run_change(work)

    def pins(self, tenant: str) -> list[Pin]:
        """All decisions."""
        return self._read_tenant(tenant, list_pins, [])

    def summaries(self, tenant: str, digests: Sequence[str]) -> dict[str, str]:
        """Texts kept under digests."""
        return self._read_tenant(tenant, lambda db, number: fetch_summaries(db, number, digests), {})

    def keep_summaries(self, tenant: str, texts: Mapping[str, str]) -> None:
        """Keep texts under digests."""
        if texts:
            self._database.run_change(lambda db: keep_summaries(db, begin_note(db, tenant), texts))

    def forget_summaries(self, tenant: str, keep: Sequence[str]) -> int:
        """Remove other texts than those to keep."""

        def work(db: Session) -> int:
            if fetch_tenant(db, tenant) is None:
                return 0
            number = begin_note(db, tenant)
            count = forget_summaries(db, number, keep)
            end_change(db, number)
            return count

        return self._database.run_change(work)

    def check(self) -> HealthReport:
        """What there is, and what is wrong with it."""
        with self._database.reading() as db:
            return build_report(db)

    def close(self) -> None:
        """Release connections."""
        self._database.close()

    def _write_batch(self, tenant: str, batch: Batch) -> None:
        self._database.run_change(lambda db: writing.write_graphs(db, begin_change(db, tenant), batch))

    def _read_tenant(self, tenant: str, read: Callable[[Session, int], _Result], empty: _Result) -> _Result:
        with self._database.reading() as db:
            found = fetch_tenant(db, tenant)
            return read(db, found[0]) if found else empty
