"""Copying a whole knowledge base from one place to another, and verifying the copy.

Over the ports of stores alone, so every kind can be copied to every other. Documents are their own progress: a run that
was interrupted is resumed by the same call, which skips what is equal at both ends.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Generator, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field

from ascertain.app.container.store_addresses import Address
from ascertain.app.migration.documents import (
    Advance,
    MigrationListener,
    Unheard,
    copy_conversations,
    copy_documents,
    hash_all_documents,
    hash_conversations,
    sum_digests,
)
from ascertain.app.migration.plan import MigrationScope, OpenedStores, list_tenants, open_stores, plan_migration
from ascertain.app.migration.service import copy_service, service_differences
from ascertain.core.asking.passages import Filter
from ascertain.core.documents.documents import DocumentRecord
from ascertain.core.errors import EmbeddingMismatch, StoreError, UsageError
from ascertain.core.service.migration import Content, CopiedService, MigrationPlan, MigrationReport, TenantProof
from ascertain.core.settings import GraphSettings
from ascertain.stores.ports.graph import GraphStore
from ascertain.stores.registry import embedding_of, open_graph

BATCH_DOCUMENTS = 50
"""Documents read and written at a time; one of a hundred chunks says some thousand things."""


@dataclass(frozen=True, slots=True)
class CopiedGraph:
    """Documents whose graph was written, and decisions about names."""

    documents: int = 0
    pins: int = 0


@contextmanager
def open_graphs(settings: GraphSettings, source: Address, target: Address) -> Generator[tuple[GraphStore, GraphStore]]:
    """The graphs at both ends, where ``settings`` say that graphs are."""
    with ExitStack() as opened:
        graphs: list[GraphStore] = []
        for address in (source, target):
            graphs.append(open_graph(settings, address.store, address.home))
            opened.callback(graphs[-1].close)
        yield graphs[0], graphs[1]


def copy_graph(source: GraphStore, target: GraphStore, tenant: str, merge: bool) -> CopiedGraph:
    """Bring what the documents of ``tenant`` say to ``target``; what is of the same version there is left alone."""
    ours, theirs = source.known(tenant), target.known(tenant)
    written = 0
    for ids in _batch_ids([name for name, version in ours.items() if theirs.get(name) != version]):
        graphs = source.graphs(tenant, ids)
        target.upsert(graphs)
        written += len(graphs)
    if not merge:
        target.delete(tenant, [name for name in theirs if name not in ours])
    there = target.pins(tenant)
    missing = [pin for pin in source.pins(tenant) if pin not in there]
    for pin in missing:
        target.pin(tenant, pin)
    return CopiedGraph(written, len(missing))


def graph_differences(source: GraphStore, target: GraphStore, tenant: str, place: str, merge: bool) -> Iterator[str]:
    """A line for each thing in which the graph at ``place``, the target, differs from its source."""
    ours, theirs = source.known(tenant), target.known(tenant)
    for ids in _batch_ids(list(ours)):
        there = {graph.document_id: graph for graph in target.graphs(tenant, ids)}
        for graph in source.graphs(tenant, ids):
            other = there.get(graph.document_id)
            if other != graph:
                how = "missing" if other is None else "not the same"
                yield f"the graph of document {graph.document_id} is {how} in {place}"
    if not merge:
        yield from (f"{place} has a graph of the document {name}" for name in theirs if name not in ours)
    decided = target.pins(tenant)
    for pin in source.pins(tenant):
        if pin not in decided:
            yield f"the decision about {pin.left!r} and {pin.right!r} is missing in {place}"


def _batch_ids(ids: Sequence[str]) -> Iterator[Sequence[str]]:
    for start in range(0, len(ids), BATCH_DOCUMENTS):
        yield ids[start : start + BATCH_DOCUMENTS]


@dataclass(frozen=True, slots=True)
class _Side:
    """One end, read. ``searchable`` is the store's own count of chunks."""

    place: str
    records: dict[str, DocumentRecord]
    digests: dict[str, bytes]
    turns: dict[str, list[bytes]]
    searchable: int

    def content(self) -> Content:
        turns = [turn for conversation in self.turns.values() for turn in conversation]
        return Content(
            len(self.records),
            sum(record.chunks for record in self.records.values()),
            len(self.turns),
            len(turns),
            sum_digests(self.digests.values()),
            sum_digests(turns),
        )

    def only(self, other: _Side) -> _Side:
        """What it has of the documents and turns of the other side."""
        theirs = {name: set(turns) for name, turns in other.turns.items()}
        return _Side(
            self.place,
            {name: record for name, record in self.records.items() if name in other.records},
            {name: digest for name, digest in self.digests.items() if name in other.records},
            {
                name: [turn for turn in turns if turn in theirs[name]]
                for name, turns in self.turns.items()
                if name in theirs
            },
            other.searchable,
        )


def prove_migration(
    source: Address,
    target: Address,
    scope: MigrationScope,
    listener: MigrationListener,
    *,
    copied: Mapping[tuple[str, str], bytes],
) -> tuple[tuple[TenantProof, ...], tuple[str, ...]]:
    """Counts and checksums of both ends by tenant, and a line for each difference.

    ``copied`` has the checksums of documents as they were copied, by tenant and id, so that one that has changed since
    is distinguished from one that was copied wrongly. Raises UsageError when either end no longer exists.
    """
    proofs: list[TenantProof] = []
    differences: list[str] = []
    with open_stores(source, _find_model(source)) as here, open_stores(target, _find_model(target)) as there:
        tenants = list_tenants(here, scope)
        if not scope.merge:
            tenants = sorted({*tenants, *list_tenants(there, scope)})
        counts = [stores.chunks.count(tenant) for tenant in tenants for stores in (here, there)]
        listener.stage("verifying", sum(counts))
        for tenant in tenants:
            ours = _read_side(source.place, here, tenant, listener.report_progress)
            theirs = _read_side(target.place, there, tenant, listener.report_progress)
            if scope.merge:
                theirs = theirs.only(ours)
            proofs.append(TenantProof(tenant, ours.content(), theirs.content()))
            known = {name: digest for (owner, name), digest in copied.items() if owner == tenant}
            label = "" if tenant == "default" else f" of tenant {tenant}"
            kept = service_differences(here.service, there.service, tenant, ours.records.values(), place=target.place)
            differences += [f"{line}{label}" for line in (*_list_differences(ours, theirs, known), *kept)]
    return tuple(proofs), tuple(differences)


def _find_model(address: Address) -> tuple[str, int]:
    model = embedding_of(address.store, address.home)
    if model is None:
        raise UsageError(f"the knowledge base in {address.place} no longer exists")
    return model


def _read_side(place: str, stores: OpenedStores, tenant: str, advance: Advance) -> _Side:
    records = {record.id: record for record in stores.chunks.documents(Filter(tenant=tenant))}
    return _Side(
        place,
        records,
        hash_all_documents(stores.chunks, list(records.values()), advance),
        hash_conversations(stores.conversations, tenant),
        stores.chunks.count(tenant),
    )


def _list_differences(ours: _Side, theirs: _Side, copied: Mapping[str, bytes]) -> Iterator[str]:
    for name, record in ours.records.items():
        was = copied.get(name)
        if ours.digests[name] == theirs.digests.get(name):
            continue
        title = f"{record.source} ({name})"
        if copied and was != ours.digests[name]:
            change = "changed" if was else "was added"
            yield f"{title} {change} in {ours.place} while it was copied"
        elif name not in theirs.records:
            yield f"{title} is missing in {theirs.place}"
        else:
            yield f"{title} is not the same in {theirs.place}"
    for name in _find_extra(theirs.records, ours.records):
        gone = " any more" if name in copied else ""
        yield f"{theirs.records[name].source} ({name}) is in {theirs.place}, but not in {ours.place}{gone}"
    if ours.searchable != theirs.searchable:
        yield f"{ours.searchable:,} searchable chunks in {ours.place}, {theirs.searchable:,} in {theirs.place}"
    for name, turns in ours.turns.items():
        if turns != theirs.turns.get(name):
            where = f"is not the same in {theirs.place}" if name in theirs.turns else f"is missing in {theirs.place}"
            yield f"conversation {name} {where}"
    for name in _find_extra(theirs.turns, ours.turns):
        yield f"conversation {name} is in {theirs.place}, but not in {ours.place}"


def _find_extra(more: Collection[str], names: Collection[str]) -> list[str]:
    return [name for name in more if name not in names]


@dataclass(slots=True)
class _Done:
    """``digests`` are of what was read at the source, by tenant and document id."""

    written: int = 0
    unchanged: int = 0
    turns: int = 0
    graphs: int = 0
    pins: int = 0
    service: CopiedService = CopiedService()
    left_out: list[tuple[str, str, str]] = field(default_factory=list[tuple[str, str, str]])
    digests: dict[tuple[str, str], bytes] = field(default_factory=dict[tuple[str, str], bytes])


@dataclass(frozen=True, slots=True)
class Migration:
    """A copy of what ``scope`` names, from one place to another; ``graph`` says where both ends have their graph.

    Every method raises UsageError when there is no source.
    """

    source: Address
    target: Address
    scope: MigrationScope = MigrationScope()
    graph: GraphSettings = GraphSettings()

    def plan(self) -> MigrationPlan:
        """What would be copied and what stands in the way; changes nothing."""
        return plan_migration(self.source, self.target, self.scope)

    def run(self, listener: MigrationListener | None = None) -> MigrationReport:
        """Copy and compare both ends; safe to call again, and from two processes at once.

        Raises UsageError when something prevents it and StoreError when a store fails midway.
        """
        heard = listener or Unheard()
        started = time.perf_counter()
        plan = self.plan()
        if plan.obstacles:
            raise UsageError("; ".join(plan.obstacles))
        done = _Done()
        try:
            self._copy_contents(plan, heard, done)
        except EmbeddingMismatch:
            raise
        except StoreError as error:
            arrived = done.written + done.unchanged
            raise StoreError(
                f"{error} ({arrived:,} of {plan.documents:,} documents are known to be in {self.target.place}; the same "
                "migration goes on from there)"
            ) from error
        return self._compare_contents(heard, done, started)

    def verify(self, listener: MigrationListener | None = None) -> MigrationReport:
        """Compare both ends and change nothing; UsageError when there is no target."""
        started = time.perf_counter()
        if not self.plan().target_exists:
            raise UsageError(f"there is no knowledge base in {self.target.place} to compare with {self.source.place}")
        return self._compare_contents(listener or Unheard(), _Done(), started)

    def _copy_contents(self, plan: MigrationPlan, listener: MigrationListener, done: _Done) -> None:
        model = (plan.model, plan.dimension)
        with open_stores(self.source, model) as here, open_stores(self.target, model, create=True) as there:
            listener.stage("copying", plan.chunks)
            with there.chunks.writing():
                for tenant in plan.tenants:
                    for batch in copy_documents(here.chunks, there.chunks, tenant.tenant):
                        done.written += batch.written
                        done.unchanged += batch.unchanged
                        done.digests |= {(tenant.tenant, name): digest for name, digest in batch.digests.items()}
                        listener.report_progress(batch.chunks)
                listener.stage("indexing", 0)
            listener.stage("conversations and files", 0)
            for tenant in plan.tenants:
                turns = copy_conversations(here.conversations, there.conversations, tenant.tenant, self.scope.merge)
                done.turns += turns.written
                done.left_out += [(tenant.tenant, *names) for names in turns.left_out]
                records = here.chunks.documents(Filter(tenant=tenant.tenant))
                done.service += copy_service(here.service, there.service, tenant.tenant, records)
        listener.stage("graph", 0)
        with open_graphs(self.graph, self.source, self.target) as (here_graph, there_graph):
            for tenant in plan.tenants:
                copied = copy_graph(here_graph, there_graph, tenant.tenant, self.scope.merge)
                done.graphs += copied.documents
                done.pins += copied.pins

    def _compare_contents(self, listener: MigrationListener, done: _Done, started: float) -> MigrationReport:
        tenants, differences = prove_migration(self.source, self.target, self.scope, listener, copied=done.digests)
        label = {proof.tenant: "" if proof.tenant == "default" else f" of tenant {proof.tenant}" for proof in tenants}
        with open_graphs(self.graph, self.source, self.target) as graphs:
            of_graphs = [
                f"{line}{label[proof.tenant]}"
                for proof in tenants
                for line in graph_differences(*graphs, proof.tenant, self.target.place, self.scope.merge)
            ]
        return MigrationReport(
            self.source.place,
            self.target.place,
            done.written,
            done.unchanged,
            done.turns,
            done.graphs,
            done.pins,
            done.service,
            tuple(done.left_out),
            tenants,
            (*differences, *of_graphs),
            time.perf_counter() - started,
        )
