"""What the questions of one tenant run on, derived from its documents as they are stored."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from ascertain.app.container.opening import opened_once, release_opened
from ascertain.core.errors import AscertainError
from ascertain.core.settings.profiles import Profile, load_profile, profile_names

if TYPE_CHECKING:
    from ascertain.answering.composition import Composition
    from ascertain.app.asking.analysing import Analysing
    from ascertain.app.container.chosen_models import ChosenModels
    from ascertain.core.asking.judgements import Groundedness
    from ascertain.core.asking.passages import Passage
    from ascertain.core.asking.requests import SearchResult
    from ascertain.core.asking.runs import Clock, Run
    from ascertain.core.service.status import StoreStats
    from ascertain.core.settings import Settings
    from ascertain.graph.knowledge_graph import KnowledgeGraph
    from ascertain.models.vectors.similarity import SimilarityScale
    from ascertain.retrieval.search.searcher import Searcher
    from ascertain.stores.home.document_maps import DocumentMaps
    from ascertain.stores.ports.chunks import CompleteStore
    from ascertain.workflow.ask.steps import Steps

_logger = logging.getLogger(__name__)

MOST_SECONDS = 30.0
"""How long a view is used while the number of chunks stays the same.

Another process may have replaced documents, which that number does not show; what is derived (profiles in play, shares
of document types, numbers in sentences) may lag so far behind.
"""


class TenantView:
    """The documents of a tenant with what is derived from them; a question keeps the view it began with.

    ``open_graph`` and ``open_maps`` give what is stored beside the documents, ``build_steps`` what the ask workflow runs on: each is
    called when the first question needs it.
    """

    def __init__(
        self,
        store: CompleteStore,
        stats: StoreStats,
        *,
        settings: Settings,
        clock: Clock,
        models: ChosenModels,
        scale: SimilarityScale,
        open_graph: Callable[[], KnowledgeGraph],
        open_maps: Callable[[], DocumentMaps],
        build_steps: Callable[[TenantView], Steps],
    ) -> None:
        self.store = store
        self.stats = stats
        self.settings = settings
        self.clock = clock
        self.models = models
        self.scale = scale
        self.profiles = _list_profiles(settings, stats)
        """The configured profile first, then those of the stored documents: whose slang a question may use."""
        self._open_graph = open_graph
        self._open_maps = open_maps
        self._build_steps = build_steps
        self._state = (-1, -1)
        self._looked_at = 0.0

    def is_current(self, store: CompleteStore, chunks: int, version: int) -> bool:
        """Whether the documents are still those that it was derived from, as far as numbers show and not for longer than a while."""
        is_same = self.store is store and self._state == (chunks, version)
        return is_same and time.monotonic() - self._looked_at < MOST_SECONDS

    def note_state(self, chunks: int, version: int) -> None:
        """The documents were found to be those that it was derived from, by these numbers, now."""
        self._state, self._looked_at = (chunks, version), time.monotonic()

    @opened_once
    def searcher(self) -> Searcher:
        """What finds passages, with the profiles in play."""
        from ascertain.retrieval.search.searcher import Searcher

        embedder, retrieval = self.models.asking_embedder, self.settings.retrieval
        is_other = self.models.is_searching_with_another
        note = f"; the vectors are still those of {embedder.name}: run `ascertain reindex`" if is_other else ""
        return Searcher(self.store, embedder, retrieval, self.profiles, self.clock, scale=self.scale, note=note)

    @opened_once
    def steps(self) -> Steps:
        """What the ask workflow runs on."""
        return self._build_steps(self)

    @opened_once
    def analysing(self) -> Analysing:
        """What analyses whole periods."""
        from ascertain.app.asking.analysing import Analysing

        def verify(
            composition: Composition, passages: Sequence[Passage], question: str, language: str, run: Run
        ) -> Groundedness:
            return self.steps.checking.verifier.verify(composition, passages, question, language, run)

        maps, chat = self._open_maps(), self.models.chat
        return Analysing(self.store, self.profiles, self.clock, self.settings, maps, chat, verify)

    @opened_once
    def graph(self) -> KnowledgeGraph | None:
        """What questions may use of the graph; without it they are answered from passages alone."""
        if self.settings.graph.use == "never":
            return None
        try:
            return self._open_graph()
        except AscertainError as error:
            _logger.warning("questions are answered without the graph: %s", error)
            return None

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

        settings = self.settings.retrieval.model_copy(update={"context": context})
        return replace(found, passages=tuple(with_context(self.store, found.passages, settings)))

    def release(self) -> None:
        """Let go of what was derived, which holds the models: a knowledge base that is closed must not keep them."""
        release_opened(self)


def _list_profiles(settings: Settings, stats: StoreStats) -> tuple[Profile, ...]:
    own = settings.home / "profiles"
    names = dict.fromkeys((settings.profile, *sorted(stats.by_profile)))
    known = set(profile_names(own))
    return tuple(load_profile(name, own) for name in names if name in known)
