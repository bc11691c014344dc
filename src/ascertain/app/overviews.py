"""Overviews of what a question may see, over the graph of its tenant; where that cannot be had, the question is answered as any other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ascertain.answering.global_answers import GlobalAnswerer, Overview, OverviewRequest
from ascertain.core.answers import Decision
from ascertain.core.clock import Clock
from ascertain.core.errors import ModelError, StoreError
from ascertain.core.filters import Filter
from ascertain.core.runs import Run
from ascertain.core.settings.profiles import Profile
from ascertain.graph.surveying import Surveyor
from ascertain.retrieval.question import prepare

if TYPE_CHECKING:
    from ascertain.app.steps import Surroundings
    from ascertain.models.ports import Chat
    from ascertain.models.prompts import Prompts


@dataclass(frozen=True, slots=True)
class DatedOverviewer:
    """Reads dates out of a question as a search does, then surveys what they leave."""

    answerer: GlobalAnswerer
    profiles: Sequence[Profile]
    clock: Clock
    searched: Callable[[Filter], str]

    def overview(self, request: OverviewRequest, run: Run) -> Overview | None:
        """The main themes; None, with a note on ``run``, where the graph cannot be read."""
        prepared = prepare(
            request.question,
            profiles=self.profiles,
            clock=self.clock,
            filter=request.filter,
            days_back=request.days_back,
        )
        where = "" if prepared.filter.is_plain else self.searched(prepared.filter)
        try:
            return self.answerer.overview(replace(request, filter=prepared.filter, where=where), run)
        except (StoreError, ModelError) as error:
            run.note(Decision("overview", "fell back to a search", f"the graph cannot be surveyed: {error}"))
            return None


def overviewer(
    around: Surroundings,
    searched: Callable[[Filter], str],
    chat: Chat | None = None,
    prompts: Prompts | None = None,
) -> DatedOverviewer | None:
    """What tells the themes; with a chat model it weighs and words them. None where questions never use the graph."""
    graph = around.graph
    if graph is None:
        return None
    surveyor = Surveyor(graph.snapshot, around.store, lambda: around.models.asking_embedder)
    scorer, writer = None, None
    if chat is not None and prompts is not None:
        from ascertain.answering.global_writing import ModelThemeScorer, ModelThemeWriter

        scorer = ModelThemeScorer(chat, prompts)
        writer = ModelThemeWriter(chat, prompts, lambda: graph.store)
    answerer = GlobalAnswerer(surveyor, around.store.document, around.settings.answers, scorer, writer)
    return DatedOverviewer(answerer, around.profiles, around.clock, searched)
