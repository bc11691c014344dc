"""The parts that the ask workflow runs on, taken from the packages below."""

from __future__ import annotations

from collections.abc import Sequence

from ascertain.answering.extractive import ExtractiveComposer
from ascertain.core.clock import Clock
from ascertain.core.filters import Filter
from ascertain.core.passages import Passage
from ascertain.core.profiles import Profile
from ascertain.core.settings import Settings
from ascertain.models.ports import Embedder
from ascertain.retrieval.evidence import gather_evidence
from ascertain.retrieval.normalise import normalise
from ascertain.retrieval.search import Searcher
from ascertain.retrieval.timeframe import Timeframe, timeframe
from ascertain.stores.ports import ChunkStore
from ascertain.workflow.ask import Steps
from ascertain.workflow.dates import period

DEPTH = 2
"""Passages searched for each one an answer is written from: near-duplicates among them are told once."""


def build_steps(
    store: ChunkStore,
    embedder: Embedder,
    searcher: Searcher,
    *,
    profiles: Sequence[Profile],
    documents: int,
    clock: Clock,
    settings: Settings,
) -> Steps:
    """Everything that turns one question into an answer, over one store of so many ``documents``."""

    def searched(filter: Filter) -> str:
        # what a filter selects is not counted: on a large store that costs more than the search
        if filter.is_unrestricted:
            return f"{documents:,} document{'' if documents == 1 else 's'}"
        return f"the documents {period(filter) or 'that the filter selects'}"

    def dated(question: str) -> Timeframe | None:
        frame = timeframe(question, clock.now())
        return frame if frame and frame.is_explicit else None

    def evidence(passages: Sequence[Passage]) -> list[Passage]:
        return gather_evidence(store, passages, settings.answers.passages, settings.retrieval)

    return Steps(
        search=searcher,
        evidence=evidence,
        composer=ExtractiveComposer(embedder, store.document, settings.answers),
        timeframe=dated,
        canonical=lambda question: normalise(question, profiles).text,
        searched=searched,
        depth=DEPTH * settings.answers.passages,
        max_characters=settings.answers.max_question_characters,
    )
