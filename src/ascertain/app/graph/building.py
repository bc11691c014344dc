"""Syncing the graph with the documents: as they are added, or all of them by command."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ascertain.app.graph.exporting import count_pairs
from ascertain.core.documents.documents import Chunk
from ascertain.core.documents.ingest import GraphGain, IngestReport
from ascertain.core.errors import AscertainError
from ascertain.core.graph.results import BuildEstimate, BuildReport, GraphStats
from ascertain.graph.catching_up import CatchUpListener, Difference, batch_documents, catch_up, find_difference
from ascertain.graph.extraction.ports import CostlyExtractor
from ascertain.graph.synchronisation import GraphUpkeep, all_records, stored_chunks

if TYPE_CHECKING:
    from ascertain.app.container.container import Container
    from ascertain.app.graph.view import GraphView
    from ascertain.graph.extraction.ports import Extractor
    from ascertain.graph.synchronisation import GraphTally
    from ascertain.stores.ports.chunks import CompleteStore
    from ascertain.stores.ports.graph import GraphStore


class GraphBuilding:
    """For one tenant. What is built by hand is built, whether documents are read as they are added or not."""

    def __init__(
        self, chunks: CompleteStore, graph: Callable[[], GraphStore], extractor: Extractor, tenant: str
    ) -> None:
        self._chunks = chunks
        self._upkeep = GraphUpkeep(graph, lambda: extractor)
        self._extractor = extractor
        self._tenant = tenant

    def to_do(self, *, again: bool = False) -> Difference:
        """What ``run`` would read and remove."""
        found = find_difference(self._chunks, self._upkeep, self._tenant)
        if not again:
            return found
        rest = self._upkeep.store.known(self._tenant).keys() - {*found.untrue, *found.gone}
        return replace(found, otherwise_read=tuple(sorted(rest)))

    def estimate(self, *, again: bool = False) -> BuildEstimate:
        """What ``run`` would do and cost."""
        found = self.to_do(again=again)
        wanted = (*found.untrue, *found.otherwise_read)
        chunks = sum(record.chunks for record in all_records(self._chunks, self._tenant, wanted))
        work = BuildEstimate(self._extractor.name, len(wanted), chunks, len(found.gone))
        if not isinstance(self._extractor, CostlyExtractor):
            return work
        cost = self._extractor.estimate(self._fetch_chunks(wanted))
        return replace(work, calls=cost.calls, tokens=cost.input_tokens + cost.output_tokens, usd=cost.usd)

    def _fetch_chunks(self, wanted: Sequence[str]) -> Iterator[Sequence[Chunk]]:
        for records in batch_documents(self._chunks, self._tenant, wanted):
            for given in stored_chunks(self._chunks, self._tenant, records):
                yield given.chunks

    def run(self, listener: CatchUpListener | None = None, *, again: bool = False) -> BuildReport:
        """Read what the graph lacks, or everything ``again``, and remove what is gone.

        Interrupted, the same call goes on.
        """
        started = time.perf_counter()
        with self._upkeep.open_tally() as tally:
            done = catch_up(self._chunks, self._upkeep, self._tenant, self.to_do(again=again), listener)
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


def merge_reports(reports: Sequence[BuildReport]) -> BuildReport:
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


def sum_estimates(estimates: Sequence[BuildEstimate]) -> BuildEstimate:
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


CAUGHT_UP_AT_ONCE = 200
"""Documents that are caught up when others are added: seconds of work, as after a kill.

More are left to ``ascertain graph build``, so that adding one file to what was filled without a graph does not take
minutes.
"""


@contextmanager
def track_graph_upkeep(container: Container, tenant: str) -> Generator[FollowedGraph]:
    """For a context in which documents of ``tenant`` are added; gives what completes their report."""
    upkeep = container.graph_upkeep
    with container.changing(tenant), upkeep.open_tally() as tally:
        yield FollowedGraph(container.store, upkeep, tenant, tally)


class FollowedGraph:
    """For one addition."""

    def __init__(self, store: Callable[[], CompleteStore], upkeep: GraphUpkeep, tenant: str, tally: GraphTally) -> None:
        self._store = store
        self._upkeep = upkeep
        self._tenant = tenant
        self._tally = tally

    def complete_report(self, report: IngestReport, *, catches_up: bool = False) -> IngestReport:
        """``report`` with what was read into the graph, and what was not and why.

        ``catches_up`` compares the graph with all documents of the tenant, whose hashes an addition of files and
        addresses asks for too.
        """
        tally = self._tally
        own = GraphGain(tally.documents, len(tally.names), tally.mentions, tally.relations)
        late = self._catch_up() if catches_up and self._upkeep.reads else ()
        gain = report.graph if report.graph.documents else own
        return replace(report, graph=gain, notes=(*report.notes, *tally.notes, *self._upkeep.remarks, *late))

    def _catch_up(self) -> tuple[str, ...]:
        """Its problems; one that was reported before and is fixed now is not reported again."""
        from ascertain.graph.synchronisation import REMEDY

        upkeep, problems = self._upkeep, self._tally.problems
        before = dict(problems)
        try:
            store = self._store()
            found = find_difference(store, upkeep, self._tenant)
            small = replace(found, otherwise_read=())
            if len(found.untrue) > CAUGHT_UP_AT_ONCE:
                small = replace(small, missing=(), outdated=())
            done = catch_up(store, upkeep, self._tenant, small)
        except AscertainError as error:
            return () if before else (f"the graph could not be compared with the documents: {error}",)
        problems.clear()
        behind = len(found.untrue) - len(small.untrue)
        if done.left:
            problems.update(before)
        return (f"the graph lacks {behind:,} of the documents; {REMEDY}",) if behind else ()


def count_statistics(view: GraphView, difference: Difference, extractor: str, top: int) -> GraphStats:
    """Counts over what ``view`` shows, with its ``top`` entities; ``extractor`` is empty where documents are not read as they are added."""
    snapshot, rows = view.snapshot, view.shown
    chunks = np.unique(snapshot.mention_chunk[rows])
    named = np.flatnonzero(view.chunk_counts)
    kinds = Counter(snapshot.kinds[index] or "unknown" for index in named.tolist())
    return GraphStats(
        enabled=bool(extractor) or bool(snapshot.documents),
        extractor=extractor,
        documents=view.documents,
        chunks=len(chunks),
        entities=len(named),
        mentions=len(rows),
        relations=sum(view.shows(relation.chunk_id) for relation in snapshot.relations),
        links=len(count_pairs(view)[0]),
        behind=difference.behind if extractor else len(difference.stale),
        by_kind=dict(kinds.most_common()),
        top=tuple(view.top(top)),
    )
