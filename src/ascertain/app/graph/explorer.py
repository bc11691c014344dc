"""The knowledge graph of a tenant: built, viewed, corrected, exported. Reached as ``Ascertain.graph``."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ascertain.core.asking.passages import OWN, Filter
from ascertain.core.documents.documents import fold_topic
from ascertain.core.errors import ConfigurationError, MissingExtra, NoGraph, StoreError

if TYPE_CHECKING:
    from ascertain.app.container.container import Container
    from ascertain.app.graph.building import GraphBuilding
    from ascertain.app.graph.view import GraphView
    from ascertain.core.graph.results import (
        BuildEstimate,
        BuildReport,
        CommunitiesView,
        Decided,
        ExportReport,
        FoundEntities,
        GraphFormat,
        GraphStats,
        Merges,
        Neighbourhood,
        PathView,
    )
    from ascertain.core.service.status import GraphCounts, HealthReport
    from ascertain.graph.catching_up import CatchUpListener
    from ascertain.graph.extraction.ports import Extractor
    from ascertain.graph.linking import Linker

TOP = 30
"""Entities named in ``GraphExplorer.stats``."""


class GraphExplorer:
    """What the documents name and how they relate it, of the documents of the tenant that belong to no conversation."""

    def __init__(self, container: Container, tenant: str) -> None:
        self._container = container
        self.tenant = tenant

    def build(self, listener: CatchUpListener | None = None, *, again: bool = False) -> BuildReport:
        """Bring the graph into step with the documents: read what it lacks, or everything ``again``, remove what is
        gone.

        What is added and deleted keeps it in step by itself; this is for what was added while ``graph.build`` was
        false, for another extractor, and after a failure. Interrupted, the same call goes on. Raises UsageError when
        there is no knowledge base.
        """
        return self._build_graph(self._container.extractor_of_a_run(), listener, again=again)

    def build_all(self, listener: CatchUpListener | None = None, *, again: bool = False) -> BuildReport:
        """The same for every tenant of the knowledge base, one after the other."""
        from ascertain.app.graph.building import merge_reports

        extractor = self._container.extractor_of_a_run()
        return merge_reports([one._build_graph(extractor, listener, again=again) for one in self._list_explorers()])

    def estimate(self, *, again: bool = False) -> BuildEstimate:
        """What ``build_all`` would read and remove, and what that costs."""
        from ascertain.app.graph.building import sum_estimates

        extractor = self._container.extractor_of_a_run()
        found = sum_estimates([one._make_building(extractor).estimate(again=again) for one in self._list_explorers()])
        if found.calls is None:
            return found
        limits = self._container.settings.graph
        stops = f"after {limits.model_calls:,} calls or {limits.model_budget_usd:.2f} USD; rules read the rest"
        return replace(found, stops=stops)

    def stats(self) -> GraphStats:
        """How much the graph holds; zeros where there is none."""
        from ascertain.app.graph.building import count_statistics
        from ascertain.graph.catching_up import find_difference

        container, view = self._container, self._open_view(is_asked=False)
        extractor = container.extractor.name if container.settings.graph.build else ""
        difference = find_difference(container.store(), container.graph_upkeep, self.tenant)
        return count_statistics(view, difference, extractor, TOP)

    def entities(self, query: str = "", limit: int = 20) -> FoundEntities:
        """Entities whose name is like ``query``, also misspelt or only begun; without one those named most often."""
        return self._open_view().find(query, limit)

    def entity(
        self, name: str, neighbours: int = 20, evidence: int = 3, passages: int = 10, *, topic: str = ""
    ) -> Neighbourhood:
        """What is called ``name`` (or has this id), its links, and the sentences that support them.

        With a ``topic`` only what passages about that say.

        Raises UnknownEntity, with similar names, and NoGraph when there is no graph.
        """
        view = self._open_view()
        index = view.place(name)
        if topic:
            view = self._view_of(self._container.knowledge_graph.linker(self.tenant), topic)
        return view.neighbourhood(index, neighbours, evidence, passages)

    def path(self, start: str, end: str, paths: int = 3, evidence: int = 2) -> PathView:
        """How two things are connected, each step with the sentences behind it; raises as ``entity``."""
        view = self._open_view()
        return view.path(view.place(start), view.place(end), paths, evidence)

    def communities(self, level: int = 0, limit: int = 50, offset: int = 0, evidence: int = 3) -> CommunitiesView:
        """Groups of entities that documents name together, the largest first; ``level`` 0 has the broadest, each next
        divides them.
        """
        from ascertain.app.graph.view import EvidenceReader, Themes
        from ascertain.graph.linking import Linker

        self._open_view()
        reader = EvidenceReader(self._container.store())
        themes = Themes(
            self._container.theme_finder(), lambda snapshot: self._view_of(Linker(snapshot)), reader, self.tenant
        )
        return themes.communities(level, limit, offset, evidence)

    def export(self, file: Path | str, format: GraphFormat | None = None) -> ExportReport:
        """Write entities and links to ``file``, as GraphML or JSON, which its ending says if ``format`` does not."""
        from ascertain.app.graph.exporting import export_graph, format_of

        chosen = format_of(Path(file), format)
        return export_graph(self._open_view(), Path(file), chosen)

    def merge(self, left: str, right: str, reason: str = "") -> Decided:
        """Decide that two names mean the same thing; ``undo_decision`` reverts it.

        Raises UnknownEntity for a name that no document has.
        """
        return self._keep_decision(left, right, same=True, reason=reason)

    def split(self, left: str, right: str, reason: str = "") -> Decided:
        """Decide that two names mean different things, overriding the rules; ``undo_decision`` reverts it."""
        return self._keep_decision(left, right, same=False, reason=reason)

    def undo(self, left: str, right: str) -> bool:
        """Revert the decision about two names; whether there was one."""
        from ascertain.app.graph.view import undo_decision

        self._open_view()
        with self._container.changing(self.tenant):
            return undo_decision(self._container.graph_store, self.tenant, left, right)

    def merges(self) -> Merges:
        """What was decided about names, and which names the rules merge."""
        from ascertain.app.graph.view import list_merges

        return list_merges(self._open_view(), self._container.graph_store, self.tenant)

    def _keep_decision(self, left: str, right: str, *, same: bool, reason: str) -> Decided:
        from ascertain.app.graph.view import keep_decision

        now = self._container.clock.now()
        with self._container.changing(self.tenant):
            names = left, right
            store = self._container.graph_store
            return keep_decision(self._open_view, store, self.tenant, names, same=same, reason=reason, now=now)

    def counts(self) -> GraphCounts | None:
        """How much the graph holds; None when it cannot be read; ``check`` reports why."""
        try:
            return self._container.graph_store.counts(self.tenant)
        except (StoreError, ConfigurationError, MissingExtra):
            return None

    def check(self, repair: bool = False) -> HealthReport:
        """Look for damage in the graph of all tenants, for missing documents and for facts that no document states any more.

        With ``repair`` it forgets the latter.
        """
        from ascertain.core.service.status import HealthReport, format_count
        from ascertain.graph.catching_up import find_difference, forget_stale
        from ascertain.graph.extraction.choosing import extractor_note

        container, chunks = self._container, self._container.store()
        store, upkeep = container.graph_store, container.graph_upkeep
        stale, behind, forgotten = 0, 0, 0
        for tenant in sorted({*chunks.tenants(), *store.tenants(), self.tenant}):
            found = find_difference(chunks, upkeep, tenant)
            if repair:
                forgotten += forget_stale(chunks, upkeep, tenant, found)
                found = find_difference(chunks, upkeep, tenant)
            stale += len(found.stale)
            behind += found.behind
        report = store.check()
        facts = {**report.facts, "names are read by": extractor_note(self._container.settings.graph)}
        if behind:
            facts["graph behind"] = f"{format_count(behind, 'document')}: run `ascertain graph build`"
        if forgotten:
            facts["repaired in the graph"] = f"forgot what {format_count(forgotten, 'document')} no longer say"
        stale_note = "it still has facts from deleted or changed documents; answers do not show them"
        problems = (
            [f"{stale_note} ({format_count(stale, 'document')}): run `ascertain doctor --repair`"] if stale else []
        )
        return HealthReport((*report.problems, *problems), facts)

    def _list_explorers(self) -> list[GraphExplorer]:
        """The graph of each tenant that has anything in the knowledge base; of this one, if none has."""
        names = {*self._container.store().tenants(), *self._container.graph_store.tenants()}
        return [GraphExplorer(self._container, name) for name in sorted(names or {self.tenant})]

    def _build_graph(self, extractor: Extractor, listener: CatchUpListener | None, *, again: bool) -> BuildReport:
        with self._container.changing(self.tenant):
            return self._make_building(extractor).run(listener, again=again)

    def _make_building(self, extractor: Extractor) -> GraphBuilding:
        from ascertain.app.graph.building import GraphBuilding

        container = self._container
        return GraphBuilding(container.store(), lambda: container.graph_store, extractor, self.tenant)

    def _open_view(self, *, is_asked: bool = True) -> GraphView:
        """The graph as it is now; NoGraph, when it ``is_asked`` something, where there is none and none will be."""
        container = self._container
        container.store()
        linker = container.knowledge_graph.linker(self.tenant)
        if is_asked and not linker.snapshot.documents and not self._container.settings.graph.build:
            raise NoGraph(
                "there is no knowledge graph: graph.build is false; build it with 'ascertain graph build', or set graph.build = true"
            )
        return self._view_of(linker)

    def _view_of(self, linker: Linker, topic: str = "") -> GraphView:
        from ascertain.app.graph.view import EvidenceReader, GraphView
        from ascertain.retrieval.search.graph_retrieval import visible_chunks

        store = self._container.store()
        if not topic:
            return GraphView(linker, linker.snapshot.visible((OWN,)), EvidenceReader(store))
        on_topic = Filter(topics=(fold_topic(topic),), within=(OWN,), tenant=self.tenant)
        return GraphView(linker, visible_chunks(linker.snapshot, on_topic, store), EvidenceReader(store))
