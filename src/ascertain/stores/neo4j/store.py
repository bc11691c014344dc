"""The port over a Bolt server."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from ascertain.core.errors import StoreBusy
from ascertain.core.graph import DocumentGraph, Mention, Pin
from ascertain.stores.graph_batches import Batch, batches
from ascertain.stores.graph_columns import ReadGraph, assembled
from ascertain.stores.graph_ports import GraphColumns, GraphCounts
from ascertain.stores.neo4j import health, notes, reading, scopes, whole, writing
from ascertain.stores.neo4j.connection import Bolt, Work
from ascertain.stores.neo4j.scopes import Scope
from ascertain.stores.ports import HealthReport

_Result = TypeVar("_Result")

_AT_ONCE = 5_000
"""Mentions and the like in one transaction, which the server holds in memory until it is committed."""

_TRIES = 3
"""How often everything is read without keeping writers out; a graph that is written without a pause is read with its writers waiting."""


class Neo4jGraph:
    """A ``GraphStore``; made by ``open_neo4j_graph``. ``base`` tells knowledge bases apart that share a database."""

    def __init__(self, bolt: Bolt, base: str) -> None:
        self._bolt = bolt
        self._base = base

    def upsert(self, graphs: Sequence[DocumentGraph]) -> None:
        """Write what documents say."""
        for tenant, batch in batches(graphs, _AT_ONCE):
            self._write(Scope(self._base, tenant), batch)

    def delete(self, tenant: str, document_ids: Sequence[str]) -> int:
        """Remove what documents said."""
        scope = Scope(self._base, tenant)

        def work(tx: Work) -> int:
            if not writing.any_of(tx, scope, document_ids):
                return 0
            scopes.begin_change(tx, scope)
            count = writing.remove(tx, scope, document_ids)
            scopes.end_change(tx, scope)
            return count

        return self._bolt.change(work)

    def known(self, tenant: str) -> dict[str, str]:
        """The version of each document."""
        return self._read(tenant, reading.known)

    def generation(self, tenant: str) -> str:
        """The mark of the tenant's last change."""
        return self._read(tenant, scopes.generation)

    def columns(self, tenant: str) -> GraphColumns:
        """Everything of a tenant."""
        scope = Scope(self._base, tenant)

        def alone(tx: Work) -> ReadGraph:
            scopes.settled_generation(tx, scope)
            return reading.graph(tx, scope)

        for attempt in range(2 * _TRIES):
            if attempt < _TRIES:
                read = self._bolt.read(lambda tx: reading.graph(tx, scope))
            else:
                read = self._bolt.undo(alone)
            if self._bolt.undo(lambda tx: scopes.settled_generation(tx, scope)) == read.generation:
                return assembled(read)
        raise StoreBusy(f"{self._bolt.place} is written without a pause: try again when that has ended")

    def mentions(self, tenant: str, keys: Sequence[str], limit: int = 1000) -> list[Mention]:
        """Where names are mentioned."""
        return self._read(tenant, lambda tx, scope: reading.mentions(tx, scope, keys, limit))

    def graphs(self, tenant: str, document_ids: Sequence[str]) -> list[DocumentGraph]:
        """What documents say, whole."""
        return self._read(tenant, lambda tx, scope: whole.graphs(tx, scope, document_ids))

    def counts(self, tenant: str) -> GraphCounts:
        """How much there is."""
        return self._read(tenant, reading.counts)

    def tenants(self) -> list[str]:
        """Everyone who has a document here."""
        return self._bolt.read(lambda tx: scopes.with_documents(tx, self._base))

    def pin(self, tenant: str, pin: Pin) -> None:
        """Keep a decision about two names."""
        scope = Scope(self._base, tenant)

        def work(tx: Work) -> None:
            scopes.begin_change(tx, scope)
            notes.pin(tx, scope, pin)

        self._bolt.change(work)

    def unpin(self, tenant: str, left: str, right: str) -> bool:
        """Take a decision back."""
        scope = Scope(self._base, tenant)

        def work(tx: Work) -> bool:
            if not notes.is_pinned(tx, scope, left, right):
                return False
            scopes.begin_change(tx, scope)
            notes.unpin(tx, scope, left, right)
            scopes.end_change(tx, scope)
            return True

        return self._bolt.change(work)

    def pins(self, tenant: str) -> list[Pin]:
        """All decisions."""
        return self._read(tenant, notes.pins)

    def summaries(self, tenant: str, digests: Sequence[str]) -> dict[str, str]:
        """Texts kept under digests."""
        return self._read(tenant, lambda tx, scope: notes.summaries(tx, scope, digests))

    def keep_summaries(self, tenant: str, texts: Mapping[str, str]) -> None:
        """Keep texts under digests."""
        scope = Scope(self._base, tenant)

        def work(tx: Work) -> None:
            scopes.begin_note(tx, scope)
            notes.keep_summaries(tx, scope, texts)

        if texts:
            self._bolt.change(work)

    def forget_summaries(self, tenant: str, keep: Sequence[str]) -> int:
        """Remove other texts than those to keep."""
        scope = Scope(self._base, tenant)

        def work(tx: Work) -> int:
            count = notes.forget_summaries(tx, scope, keep)
            if count:
                scopes.begin_note(tx, scope)
                scopes.end_change(tx, scope)
            return count

        return self._bolt.change(work)

    def check(self) -> HealthReport:
        """What there is, on which server, and what is wrong with it."""
        found = self._bolt.read(lambda tx: health.report(tx, self._base))
        server = {"graph server": f"{self._bolt.server()} at {self._bolt.place}"}
        return HealthReport(found.problems, {**found.facts, **server})

    def close(self) -> None:
        """Close the connections."""
        self._bolt.close()

    def _write(self, scope: Scope, batch: Batch) -> None:
        def work(tx: Work) -> None:
            counters = scopes.begin_change(tx, scope)
            scopes.count_up(tx, scope, writing.write(tx, scope, batch, counters))

        self._bolt.change(work)

    def _read(self, tenant: str, read: Callable[[Work, Scope], _Result]) -> _Result:
        scope = Scope(self._base, tenant)
        return self._bolt.read(lambda tx: read(tx, scope))
