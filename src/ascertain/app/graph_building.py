"""Bringing the graph into step with all documents of a tenant, by hand: after a time without it, or for another extractor."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ascertain.core.chunks import Chunk
from ascertain.core.graph_results import BuildEstimate, BuildReport
from ascertain.graph.catching_up import CatchUpListener, Difference, batches, catch_up, difference
from ascertain.graph.extraction.ports import CostlyExtractor
from ascertain.graph.stored import all_records, stored_chunks
from ascertain.graph.upkeep import GraphUpkeep

if TYPE_CHECKING:
    from ascertain.graph.extraction.ports import Extractor
    from ascertain.stores.graph_ports import GraphStore
    from ascertain.stores.ports import CompleteStore


class GraphBuilding:
    """For one tenant. What is built by hand is built, whether documents are read as they are added or not."""

    def __init__(
        self, chunks: CompleteStore, graph: Callable[[], GraphStore], extractor: Extractor, tenant: str
    ) -> None:
        self._chunks = chunks
        self._upkeep = GraphUpkeep(graph, lambda: extractor)
        self._extractor = extractor
        self._tenant = tenant

    def to_do(self, *, anew: bool = False) -> Difference:
        """What ``run`` would read and remove."""
        found = difference(self._chunks, self._upkeep, self._tenant)
        if not anew:
            return found
        rest = self._upkeep.store.known(self._tenant).keys() - {*found.untrue, *found.gone}
        return replace(found, otherwise_read=tuple(sorted(rest)))

    def estimate(self, *, anew: bool = False) -> BuildEstimate:
        """What ``run`` would do and cost."""
        found = self.to_do(anew=anew)
        wanted = (*found.untrue, *found.otherwise_read)
        chunks = sum(record.chunks for record in all_records(self._chunks, self._tenant, wanted))
        work = BuildEstimate(self._extractor.name, len(wanted), chunks, len(found.gone))
        if not isinstance(self._extractor, CostlyExtractor):
            return work
        cost = self._extractor.estimate(self._texts(wanted))
        return replace(work, calls=cost.calls, tokens=cost.input_tokens + cost.output_tokens, usd=cost.usd)

    def _texts(self, wanted: Sequence[str]) -> Iterator[Sequence[Chunk]]:
        for records in batches(self._chunks, self._tenant, wanted):
            for given in stored_chunks(self._chunks, self._tenant, records):
                yield given.chunks

    def run(self, listener: CatchUpListener | None = None, *, anew: bool = False) -> BuildReport:
        """Read what the graph lacks, or everything ``anew``, and remove what is gone. Interrupted, the same call goes on."""
        started = time.perf_counter()
        with self._upkeep.tallied() as tally:
            done = catch_up(self._chunks, self._upkeep, self._tenant, self.to_do(anew=anew), listener)
            notes = (*tally.notes, *self._upkeep.remarks)
        counts = self._upkeep.store.counts(self._tenant)
        return BuildReport(
            extractor=self._extractor.name,
            read=done.read,
            removed=done.removed,
            left=done.left,
            holds=counts.documents,
            names=counts.names,
            mentions=counts.mentions,
            relations=counts.relations,
            notes=notes,
            seconds=time.perf_counter() - started,
        )


def summed(reports: Sequence[BuildReport]) -> BuildReport:
    """Those of several tenants as one; there is at least one."""
    return BuildReport(
        extractor=reports[0].extractor,
        read=sum(report.read for report in reports),
        removed=sum(report.removed for report in reports),
        left=sum(report.left for report in reports),
        holds=sum(report.holds for report in reports),
        names=sum(report.names for report in reports),
        mentions=sum(report.mentions for report in reports),
        relations=sum(report.relations for report in reports),
        notes=tuple(note for report in reports for note in report.notes),
        seconds=sum(report.seconds for report in reports),
    )


def summed_estimates(estimates: Sequence[BuildEstimate]) -> BuildEstimate:
    """Likewise."""
    first = estimates[0]
    priced = [one.usd for one in estimates if one.usd is not None]
    return BuildEstimate(
        extractor=first.extractor,
        documents=sum(one.documents for one in estimates),
        chunks=sum(one.chunks for one in estimates),
        gone=sum(one.gone for one in estimates),
        calls=None if first.calls is None else sum(one.calls or 0 for one in estimates),
        tokens=None if first.tokens is None else sum(one.tokens or 0 for one in estimates),
        usd=sum(priced) if len(priced) == len(estimates) else None,
        stops=first.stops,
    )
