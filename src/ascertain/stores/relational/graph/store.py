"""The port over one database."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from ascertain.core.graph import DocumentGraph, Mention, Pin
from ascertain.stores.graph_batches import Batch, batches
from ascertain.stores.graph_columns import assembled
from ascertain.stores.graph_ports import GraphColumns, GraphCounts
from ascertain.stores.ports import HealthReport
from ascertain.stores.relational.database import Database, Session
from ascertain.stores.relational.graph import documents, health, notes, reading, tenants, whole

_Result = TypeVar("_Result")

_AT_ONCE = 20_000
"""Mentions and the like in one transaction: half a second of writing at most, for which other writers wait."""


class GraphTables:
    """A ``GraphStore``; made by ``open_..._graph`` of the stores that have a database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def upsert(self, graphs: Sequence[DocumentGraph]) -> None:
        """Write what documents say."""
        for tenant, batch in batches(graphs, _AT_ONCE):
            self._write(tenant, batch)

    def delete(self, tenant: str, document_ids: Sequence[str]) -> int:
        """Remove what documents said."""

        def work(db: Session) -> int:
            if not documents.any_of(db, tenant, document_ids):
                return 0
            number = tenants.begin_change(db, tenant)
            count = documents.remove(db, tenant, document_ids)
            tenants.end_change(db, number)
            return count

        return self._database.run_change(work)

    def known(self, tenant: str) -> dict[str, str]:
        """The version of each document."""
        return self._read(tenant, reading.known, {})

    def generation(self, tenant: str) -> str:
        """The mark of the tenant's last change."""
        with self._database.reading() as db:
            found = tenants.find(db, tenant)
        return found[1] if found else tenants.NOTHING

    def columns(self, tenant: str) -> GraphColumns:
        """Everything of a tenant."""
        with self._database.reading() as db:
            number, generation = tenants.find(db, tenant) or (0, tenants.NOTHING)
            read = reading.graph(db, number, generation)
        return assembled(read)

    def mentions(self, tenant: str, keys: Sequence[str], limit: int = 1000) -> list[Mention]:
        """Where names are mentioned."""
        return self._read(tenant, lambda db, number: reading.mentions(db, number, keys, limit), [])

    def graphs(self, tenant: str, document_ids: Sequence[str]) -> list[DocumentGraph]:
        """What documents say, whole."""
        return self._read(tenant, lambda db, _: whole.graphs(db, tenant, document_ids), [])

    def counts(self, tenant: str) -> GraphCounts:
        """How much there is."""
        return self._read(tenant, reading.counts, GraphCounts(0, 0, 0, 0, 0, 0))

    def tenants(self) -> list[str]:
        """Everyone who has a document here."""
        with self._database.reading() as db:
            return tenants.with_documents(db)

    def pin(self, tenant: str, pin: Pin) -> None:
        """Keep a decision about two names."""
        self._database.run_change(lambda db: notes.pin(db, tenants.begin_change(db, tenant), pin))

    def unpin(self, tenant: str, left: str, right: str) -> bool:
        """Take a decision back."""

        def work(db: Session) -> bool:
            found = tenants.find(db, tenant)
            if found is None or not notes.is_pinned(db, found[0], left, right):
                return False
            number = tenants.begin_change(db, tenant)
            was_there = notes.unpin(db, number, left, right)
            tenants.end_change(db, number)
            return was_there

        return self._database.run_change(work)

    def pins(self, tenant: str) -> list[Pin]:
        """All decisions."""
        return self._read(tenant, notes.pins, [])

    def summaries(self, tenant: str, digests: Sequence[str]) -> dict[str, str]:
        """Texts kept under digests."""
        return self._read(tenant, lambda db, number: notes.summaries(db, number, digests), {})

    def keep_summaries(self, tenant: str, texts: Mapping[str, str]) -> None:
        """Keep texts under digests."""
        if texts:
            self._database.run_change(
                lambda db: notes.keep_summaries(db, tenants.begin_note(db, tenant), texts)
            )

    def forget_summaries(self, tenant: str, keep: Sequence[str]) -> int:
        """Remove other texts than those to keep."""

        def work(db: Session) -> int:
            if tenants.find(db, tenant) is None:
                return 0
            number = tenants.begin_note(db, tenant)
            count = notes.forget_summaries(db, number, keep)
            tenants.end_change(db, number)
            return count

        return self._database.run_change(work)

    def check(self) -> HealthReport:
        """What there is, and what is wrong with it."""
        with self._database.reading() as db:
            return health.report(db)

    def close(self) -> None:
        """Release connections."""
        self._database.close()

    def _write(self, tenant: str, batch: Batch) -> None:
        self._database.run_change(lambda db: documents.write(db, tenants.begin_change(db, tenant), batch))

    def _read(self, tenant: str, read: Callable[[Session, int], _Result], empty: _Result) -> _Result:
        with self._database.reading() as db:
            found = tenants.find(db, tenant)
            return read(db, found[0]) if found else empty
