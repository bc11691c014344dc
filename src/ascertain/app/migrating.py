"""Copying a knowledge base from one place to another, vectors, conversations, the graph and what a service keeps included, and proving
that it arrived.

Over the ports of stores alone, so every kind can be copied to every other. Documents are their own progress: a run that was interrupted
is taken up by the same call, which passes over what is equal at both ends.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from ascertain.app.migrating_conversations import copy_conversations
from ascertain.app.migrating_documents import copy_documents
from ascertain.app.migrating_graph import copy_graph, graph_differences, opened_graphs
from ascertain.app.migrating_service import copy_service
from ascertain.app.migration_plan import MigrationScope, opened, plan_migration
from ascertain.app.migration_progress import MigrationListener, Unheard
from ascertain.app.migration_proof import prove
from ascertain.app.store_addresses import Address
from ascertain.core.errors import EmbeddingMismatch, StoreError, UsageError
from ascertain.core.filters import Filter
from ascertain.core.migration import CopiedService, MigrationPlan, MigrationReport
from ascertain.core.settings import GraphSettings


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

        Raises UsageError when something stands in the way and StoreError when a store fails midway.
        """
        heard = listener or Unheard()
        started = time.perf_counter()
        plan = self.plan()
        if plan.obstacles:
            raise UsageError("; ".join(plan.obstacles))
        done = _Done()
        try:
            self._copy(plan, heard, done)
        except EmbeddingMismatch:
            raise
        except StoreError as error:
            arrived = done.written + done.unchanged
            raise StoreError(
                f"{error} ({arrived:,} of {plan.documents:,} documents are known to be in {self.target.place}; the same "
                "migration goes on from there)"
            ) from error
        return self._compared(heard, done, started)

    def verify(self, listener: MigrationListener | None = None) -> MigrationReport:
        """Compare both ends and change nothing; UsageError when there is no target."""
        started = time.perf_counter()
        if not self.plan().target_exists:
            raise UsageError(
                f"there is no knowledge base in {self.target.place} to compare with {self.source.place}"
            )
        return self._compared(listener or Unheard(), _Done(), started)

    def _copy(self, plan: MigrationPlan, listener: MigrationListener, done: _Done) -> None:
        model = (plan.model, plan.dimension)
        with opened(self.source, model) as here, opened(self.target, model, create=True) as there:
            listener.stage("copying", plan.chunks)
            with there.chunks.writing():
                for tenant in plan.tenants:
                    for batch in copy_documents(here.chunks, there.chunks, tenant.tenant):
                        done.written += batch.written
                        done.unchanged += batch.unchanged
                        done.digests |= {
                            (tenant.tenant, name): digest for name, digest in batch.digests.items()
                        }
                        listener.advanced(batch.chunks)
                listener.stage("indexing", 0)
            listener.stage("conversations and files", 0)
            for tenant in plan.tenants:
                turns = copy_conversations(
                    here.conversations, there.conversations, tenant.tenant, self.scope.merge
                )
                done.turns += turns.written
                done.left_out += [(tenant.tenant, *names) for names in turns.left_out]
                records = here.chunks.documents(Filter(tenant=tenant.tenant))
                done.service += copy_service(here.service, there.service, tenant.tenant, records)
        listener.stage("graph", 0)
        with opened_graphs(self.graph, self.source, self.target) as (here_graph, there_graph):
            for tenant in plan.tenants:
                copied = copy_graph(here_graph, there_graph, tenant.tenant, self.scope.merge)
                done.graphs += copied.documents
                done.pins += copied.pins

    def _compared(self, listener: MigrationListener, done: _Done, started: float) -> MigrationReport:
        tenants, differences = prove(self.source, self.target, self.scope, listener, done.digests)
        label = {
            proof.tenant: "" if proof.tenant == "default" else f" of tenant {proof.tenant}"
            for proof in tenants
        }
        with opened_graphs(self.graph, self.source, self.target) as graphs:
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
