"""The knowledge graph of a tenant: built, looked at, put right, written out."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ascertain.app.conversing import Conversing
from ascertain.core.errors import NoGraph
from ascertain.core.filters import OWN

if TYPE_CHECKING:
    from ascertain.app.graph_building import GraphBuilding
    from ascertain.app.graph_exporting import ExportReport, Format
    from ascertain.app.graph_view import GraphView
    from ascertain.core.graph_results import (
        BuildEstimate,
        BuildReport,
        CommunitiesView,
        Decided,
        FoundEntities,
        GraphStats,
        Merges,
        Neighbourhood,
        PathView,
    )
    from ascertain.graph.catching_up import CatchUpListener
    from ascertain.graph.extraction.ports import Extractor
    from ascertain.graph.linking import Linker

TOP = 30
"""Entities named in ``graph_stats``."""


class Exploring(Conversing):
    """What the documents name and how they relate it, of the documents of the tenant that belong to no conversation."""

    def graph_build(self, listener: CatchUpListener | None = None, *, anew: bool = False) -> BuildReport:
        """Bring the graph into step with the documents: read what it lacks, or everything ``anew``, remove what is gone.

        What is added and deleted keeps it in step by itself; this is for what was added while ``graph.build`` was false, for another
        extractor, and after a failure. Interrupted, the same call goes on. Raises UsageError when there is no knowledge base.
        """
        return self._build(self._opened.graph.extractor_of_a_run(), listener, anew=anew)

    def graph_build_all(self, listener: CatchUpListener | None = None, *, anew: bool = False) -> BuildReport:
        """The same for every tenant of the knowledge base, one after the other."""
        from ascertain.app.graph_building import summed

        extractor = self._opened.graph.extractor_of_a_run()
        return summed([one._build(extractor, listener, anew=anew) for one in self._everyone()])

    def graph_estimate(self, *, anew: bool = False) -> BuildEstimate:
        """What ``graph_build_all`` would read and remove, and what that costs."""
        from ascertain.app.graph_building import summed_estimates

        extractor = self._opened.graph.extractor_of_a_run()
        found = summed_estimates([one._building(extractor).estimate(anew=anew) for one in self._everyone()])
        if found.calls is None:
            return found
        limits = self.settings.graph
        stops = (
            f"after {limits.model_calls:,} calls or {limits.model_budget_usd:.2f} USD; rules read the rest"
        )
        return replace(found, stops=stops)

    def graph_stats(self) -> GraphStats:
        """How much the graph holds; zeros where there is none."""
        from ascertain.app.graph_statistics import statistics

        return statistics(self._opened, self.tenant, self._view(is_asked=False), TOP)

    def graph_entities(self, query: str = "", limit: int = 20) -> FoundEntities:
        """Entities whose name is like ``query``, also misspelt or only begun; without one those named most often."""
        return self._view().find(query, limit)

    def graph_entity(
        self, name: str, neighbours: int = 20, evidence: int = 3, passages: int = 10
    ) -> Neighbourhood:
        """What is called ``name`` (or has this id), what it is named with, and the sentences that say so.

        Raises UnknownEntity, with what is called nearly so, when nothing is, and NoGraph when there is no graph.
        """
        view = self._view()
        return view.neighbourhood(view.place(name), neighbours, evidence, passages)

    def graph_path(self, start: str, end: str, paths: int = 3, evidence: int = 2) -> PathView:
        """How two things hang together, each step with the sentences behind it; raises as ``graph_entity``."""
        view = self._view()
        return view.path(view.place(start), view.place(end), paths, evidence)

    def graph_communities(
        self, level: int = 0, limit: int = 50, offset: int = 0, evidence: int = 3
    ) -> CommunitiesView:
        """Groups of entities that documents name together, the largest first; ``level`` 0 has the broadest, each next divides them."""
        from ascertain.app.graph_evidence import EvidenceReader
        from ascertain.app.graph_themes import Themes
        from ascertain.graph.linking import Linker

        self._view()
        reader = EvidenceReader(self._opened.store())
        themes = Themes(
            self._opened.surveyor(),
            lambda snapshot: self._view_of(Linker(snapshot)),
            reader,
            self.tenant,
        )
        return themes.communities(level, limit, offset, evidence)

    def graph_export(self, file: Path | str, format: Format | None = None) -> ExportReport:
        """Write entities and links to ``file``, as GraphML or JSON, which its ending says if ``format`` does not."""
        from ascertain.app.graph_exporting import export, format_of

        chosen = format_of(Path(file), format)
        return export(self._view(), Path(file), chosen)

    def graph_merge(self, left: str, right: str, reason: str = "") -> Decided:
        """Decide that two names are of one thing; ``graph_undo`` takes it back. Raises UnknownEntity for a name that no document has."""
        return self._decide(left, right, same=True, reason=reason)

    def graph_split(self, left: str, right: str, reason: str = "") -> Decided:
        """Decide that two names are not of one thing, whatever rules say; ``graph_undo`` takes it back."""
        return self._decide(left, right, same=False, reason=reason)

    def graph_undo(self, left: str, right: str) -> bool:
        """Take back what was decided about two names; whether anything was."""
        from ascertain.app.graph_decisions import undo

        self._view()
        with self._parts.changing():
            return undo(self._opened.graph.store, self.tenant, left, right)

    def graph_merges(self) -> Merges:
        """What was decided about names, and which names rules take for one thing."""
        from ascertain.app.graph_decisions import merges

        return merges(self._view(), self._opened.graph.store, self.tenant)

    def _decide(self, left: str, right: str, *, same: bool, reason: str) -> Decided:
        from ascertain.app.graph_decisions import decide

        now = self._opened.clock.now()
        with self._parts.changing():
            names = left, right
            store = self._opened.graph.store
            return decide(self._view, store, self.tenant, names, same=same, reason=reason, now=now)

    def _everyone(self) -> list[Exploring]:
        """The knowledge base as each tenant sees it that has anything in it; as this one does, if nobody has."""
        tenants = {*self._opened.store().tenants(), *self._opened.graph.store.tenants()}
        return [self._as(name) for name in sorted(tenants or {self.tenant})]

    def _as(self, tenant: str) -> Exploring:
        other = copy(self)
        other._is_first = False
        other._parts = self._tenants.parts(tenant)
        return other

    def _build(self, extractor: Extractor, listener: CatchUpListener | None, *, anew: bool) -> BuildReport:
        with self._parts.changing():
            return self._building(extractor).run(listener, anew=anew)

    def _building(self, extractor: Extractor) -> GraphBuilding:
        from ascertain.app.graph_building import GraphBuilding

        graph = self._opened.graph
        return GraphBuilding(self._opened.store(), lambda: graph.store, extractor, self.tenant)

    def _view(self, *, is_asked: bool = True) -> GraphView:
        """The graph as it is now; NoGraph, when it ``is_asked`` something, where there is none and none will be."""
        opened = self._opened
        opened.store()
        linker = opened.graph.knowledge.linker(self.tenant)
        if is_asked and not linker.snapshot.documents and not self.settings.graph.build:
            raise NoGraph(
                "there is no knowledge graph: graph.build is false; build it with 'ascertain graph build', or set graph.build = true"
            )
        return self._view_of(linker)

    def _view_of(self, linker: Linker) -> GraphView:
        from ascertain.app.graph_evidence import EvidenceReader
        from ascertain.app.graph_view import GraphView

        return GraphView(linker, linker.snapshot.visible((OWN,)), EvidenceReader(self._opened.store()))
