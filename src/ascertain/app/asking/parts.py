"""What the questions of one tenant run on, derived from the stored documents."""

from __future__ import annotations

import logging
import threading
import time
import weakref
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from ascertain.app.chosen_models import Once
from ascertain.app.opened import Opened
from ascertain.core.errors import AscertainError
from ascertain.core.settings.profiles import Profile, load_profile, profile_names
from ascertain.stores.ports.conversations import check_ids

if TYPE_CHECKING:
    from ascertain.answering.checking.verification import Verify
    from ascertain.answering.composition import Composition
    from ascertain.app.adding.files import Adding
    from ascertain.app.asking.analysing import Analysing
    from ascertain.app.asking.asking import Asking
    from ascertain.core.asking.judgements import Groundedness
    from ascertain.core.asking.passages import Passage
    from ascertain.core.asking.requests import SearchResult
    from ascertain.core.asking.runs import Run
    from ascertain.core.service.status import StoreStats
    from ascertain.graph.knowledge_graph import KnowledgeGraph
    from ascertain.retrieval.search.searcher import Searcher
    from ascertain.stores.ports.chunks import CompleteStore
    from ascertain.workflow.ask.steps import Steps

_logger = logging.getLogger(__name__)

MOST_TENANTS = 100
"""Tenants whose profiles and steps are in memory; a few megabytes each at most."""
MOST_SECONDS = 30.0
"""How long what was derived is used while the number of chunks stays the same.

Another process may have replaced documents, which that number does not show; what is derived (profiles in play, shares
of document types, numbers in sentences) may lag so far behind.
"""


@dataclass(frozen=True, slots=True)
class _Derived:
    """Immutable; a question keeps the one it began with."""

    store: CompleteStore
    stats: StoreStats
    profiles: tuple[Profile, ...]
    searcher: Searcher
    steps: Once[Steps]
    analysing: Once[Analysing]
    chunks: int
    version: int
    made_at: float


class Tenants:
    """The parts of every tenant over what is open; those not used lately are dropped and derived again."""

    def __init__(self, opened: Opened) -> None:
        self.opened = opened
        self._lock = threading.Lock()
        self._parts: dict[str, Parts] = {}

    def parts(self, tenant: str) -> Parts:
        """Those of one tenant; UsageError for an invalid name."""
        check_ids([("tenant", tenant)])
        with self._lock:
            parts = self._parts.pop(tenant, None) or Parts(self.opened, tenant)
            self._parts[tenant] = parts
            if len(self._parts) > MOST_TENANTS:
                del self._parts[next(iter(self._parts))]
        return parts

    def forget_derived(self) -> None:
        """Release what depends on the store and the models, which are closed."""
        with self._lock:
            for parts in self._parts.values():
                parts.forget_derived()


class Parts:
    """One tenant's share of the open parts."""

    def __init__(self, opened: Opened, tenant: str) -> None:
        self.opened = opened
        self.tenant = tenant
        self._lock = threading.Lock()
        self._version = 0
        self._derived: _Derived | None = None

    @property
    def adding(self) -> Adding:
        """What puts documents into the store; creates the knowledge base if there is none."""
        from ascertain.app.adding.figures import open_figure_step
        from ascertain.app.adding.files import Adding

        opened = self.opened
        return Adding(
            opened.settings,
            lambda: opened.store_for_vectors(create=True),
            lambda: opened.models.embedder,
            opened.models.given,
            self.tenant,
            open_figures=lambda defers: open_figure_step(opened, defers=defers),
        )

    @property
    def searcher(self) -> Searcher:
        """What finds passages, with the profiles in play."""
        return self._current_parts().searcher

    @property
    def steps(self) -> Steps:
        """What the ask workflow runs on."""
        return self._current_parts().steps.get()

    @property
    def asking(self) -> Asking:
        """What answers questions."""
        from ascertain.app.asking.asking import Asking

        return Asking(self.opened, self.tenant, lambda: self.steps)

    @property
    def analysing(self) -> Analysing:
        """What analyses whole periods."""
        return self._current_parts().analysing.get()

    def lower_unnamed(self, query: str, language: str, found: SearchResult) -> SearchResult:
        """``found`` with less confidence where no passage mentions a name of ``query``, as an answer from it would have."""
        from ascertain.answering.units.candidates import UNNAMED, find_missing_names
        from ascertain.questions.reading.question import read_question
        from ascertain.retrieval.search.searcher import rate_score

        missing = find_missing_names(read_question(query, language), found.passages) if found.passages else ()
        if not missing:
            return found
        lowered = rate_score(round(UNNAMED * found.confidence.score), language)
        named = ", ".join(f"“{name}”" for name in missing)
        unmentioned = f"No passage that was found mentions {named}."
        return replace(found, confidence=replace(lowered, caveat=f"{unmentioned} {lowered.caveat or ''}".strip()))

    def widen_passages(self, found: SearchResult, context: Literal["none", "neighbours", "parents"]) -> SearchResult:
        """``found`` with the text around its passages."""
        from ascertain.retrieval.search.evidence import with_context

        settings = self.opened.settings.retrieval.model_copy(update={"context": context})
        return replace(found, passages=tuple(with_context(self.opened.store(), found.passages, settings)))

    def profile(self, name: str) -> Profile:
        """A built-in profile or one of the home's; ConfigurationError names the nearest."""
        return load_profile(name, self.opened.home / "profiles")

    @contextmanager
    def changing(self) -> Generator[None]:
        """Documents are changed in the context; later questions see what is derived from the new ones."""
        try:
            yield
        finally:
            with self._lock:
                self._version += 1

    def forget_derived(self) -> None:
        """Drop what was derived from the documents."""
        self._derived = None

    def _current_parts(self) -> _Derived:
        """What was derived from the documents as they are now, or were a moment ago."""
        store = self.opened.store_for_search()
        chunks = store.count(self.tenant)
        with self._lock:
            version, derived = self._version, self._derived
        if (
            derived is not None
            and derived.store is store
            and (derived.chunks, derived.version) == (chunks, version)
            and time.monotonic() - derived.made_at < MOST_SECONDS
        ):
            return derived
        # several threads may do this at once; each is right, and the last one's is kept
        self._derived = derived = self._derive_again(derived, store, chunks, version)
        return derived

    def _derive_again(self, before: _Derived | None, store: CompleteStore, chunks: int, version: int) -> _Derived:
        from ascertain.retrieval.search.searcher import Searcher

        opened, stats = self.opened, store.stats(self.tenant)
        if before is not None and before.store is store and before.stats == stats:
            return replace(before, chunks=chunks, version=version, made_at=time.monotonic())
        profiles = self._list_profiles(stats)
        embedder, scale = opened.models.asking_embedder, opened.similarity_scale()
        is_other = opened.models.is_searching_with_another
        note = f"; the vectors are still those of {embedder.name}: run `ascertain reindex`" if is_other else ""
        searcher = Searcher(store, embedder, opened.settings.retrieval, profiles, opened.clock, scale=scale, note=note)

        def verify(
            composition: Composition, passages: Sequence[Passage], question: str, language: str, run: Run
        ) -> Groundedness:
            # held weakly: the steps hold the analyst, and together they would keep the models of a closed knowledge base
            made = held()
            checking = self.steps if made is None else made.get()
            return checking.verifier.verify(composition, passages, question, language, run)

        analysing = Once(lambda: self._build_analysing(store, profiles, verify))
        steps = Once(lambda: self._build_steps(store, stats, profiles, searcher, analysing))
        held = weakref.ref(steps)
        return _Derived(store, stats, profiles, searcher, steps, analysing, chunks, version, time.monotonic())

    def _build_analysing(self, store: CompleteStore, profiles: tuple[Profile, ...], verify: Verify) -> Analysing:
        from ascertain.app.asking.analysing import Analysing

        opened = self.opened
        maps = opened.document_maps()
        return Analysing(store, profiles, opened.clock, opened.settings, maps, opened.models.chat, verify)

    def _build_steps(
        self,
        store: CompleteStore,
        stats: StoreStats,
        profiles: tuple[Profile, ...],
        searcher: Searcher,
        analysing: Once[Analysing],
    ) -> Steps:
        from ascertain.app.asking.steps import Surroundings, build_steps
        from ascertain.app.researching.answering import ReportWriter

        return build_steps(
            Surroundings(
                store=store,
                models=self.opened.models,
                searcher=searcher,
                profiles=profiles,
                documents=stats.documents,
                corpus=stats.corpus,
                clock=self.opened.clock,
                settings=self.opened.settings,
                graph=self._find_graph(),
                analysing=analysing,
                report_writer=ReportWriter(self.opened, searcher, lambda: self.steps),
            )
        )

    def _find_graph(self) -> KnowledgeGraph | None:
        """What questions may use; without it they are answered from passages alone."""
        if self.opened.settings.graph.use == "never":
            return None
        try:
            return self.opened.graph.knowledge
        except AscertainError as error:
            _logger.warning("questions are answered without the graph: %s", error)
            return None

    def _list_profiles(self, stats: StoreStats) -> tuple[Profile, ...]:
        """The configured profile first, then those of the stored documents: whose slang a question may use."""
        names = dict.fromkeys((self.opened.settings.profile, *sorted(stats.by_profile)))
        known = set(profile_names(self.opened.home / "profiles"))
        return tuple(self.profile(name) for name in names if name in known)
