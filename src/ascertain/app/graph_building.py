"""Bringing the graph into step with all documents of a tenant, by hand: after a time without it, or for another extractor."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from ascertain.app.graph_results import BuildReport
from ascertain.graph.catching_up import CatchUpListener, Difference, catch_up, difference
from ascertain.graph.upkeep import GraphUpkeep

if TYPE_CHECKING:
    from ascertain.graph.extraction.ports import Extractor
    from ascertain.stores.graph_ports import GraphStore
    from ascertain.stores.ports import ChunkStore


class GraphBuilding:
    """For one tenant. What is built by hand is built, whether documents are read as they are added or not."""

    def __init__(
        self, chunks: ChunkStore, graph: Callable[[], GraphStore], extractor: Extractor, tenant: str
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
        known = {*self._chunks.known(self._tenant), *found.untrue}
        rest = known.difference(found.untrue)
        return replace(found, otherwise_read=tuple(sorted(rest)))

    def run(self, listener: CatchUpListener | None = None, *, anew: bool = False) -> BuildReport:
        """Read what the graph lacks, or everything ``anew``, and remove what is gone. Interrupted, the same call goes on."""
        started = time.perf_counter()
        with self._upkeep.tallied() as tally:
            done = catch_up(self._chunks, self._upkeep, self._tenant, self.to_do(anew=anew), listener)
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
            notes=tally.notes,
            seconds=time.perf_counter() - started,
        )
