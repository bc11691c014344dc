"""The retriever that reflects on what it found, and the reranker that chooses for relevance, diversity and coverage.

After each search the rules of ``ask`` say what is missing. The gap is named, the question is worded for it, and the
way of searching follows its kind: a missing name by words, a missing concept by meaning. At most
``SEARCHES`` for a sub-question; no search is made twice.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ascertain.core.asking.judgements import Gap, GapKind, Shortfall, Sufficiency
from ascertain.core.asking.passages import Filter, Passage, Strategy
from ascertain.core.asking.plans import Complexity, Intent, Plan, QuestionType
from ascertain.core.asking.requests import SearchResult
from ascertain.core.asking.runs import Run
from ascertain.core.reports.research import Ranked, ResearchMode, Retrieved, SearchLoop, SubQuestion
from ascertain.core.settings import RetrievalSettings
from ascertain.models.ports import Reranker, Vectors
from ascertain.retrieval.model_judging import RetrievalJudge, SufficiencyCheck
from ascertain.retrieval.query.refinement import Refiner
from ascertain.retrieval.reranking import rerank_passages
from ascertain.retrieval.search.evidence import MMR_LAMBDA, maximal_marginal_relevance, without_duplicates
from ascertain.retrieval.search.retriever import RetrievalRequest
from ascertain.stores.ports.chunks import CompleteStore
from ascertain.stores.records.vectors import fetch_vectors

DEPTH = 16
"""Passages requested in each search: twice what an answer considers (``answers.passages``)."""
CHOSEN = 8
"""Passages that a sub-question is answered from: as ``answers.passages``."""
SEARCHES = {ResearchMode.QUICK: 2, ResearchMode.DEEP: 3}
"""The question as it stands, and a search for each of the two kinds of gap: a name by words, a concept by meaning."""
_STRATEGIES = {GapKind.NAME: Strategy.KEYWORD, GapKind.CONCEPT: Strategy.SEMANTIC}

Search = Callable[[RetrievalRequest, Run], SearchResult]


def simple_plan(question: str) -> Plan:
    """The plan of one sub-question, which is asked as it stands."""
    return Plan(Intent.KNOWLEDGE, QuestionType.FACTUAL, Complexity.SIMPLE, "a sub-question", wording=question)


@dataclass(frozen=True, slots=True)
class ReflectingRetriever:
    """``search`` finds passages; the others are the steps of ``ask`` by those names."""

    search: Search
    sufficiency: SufficiencyCheck
    judge: RetrievalJudge
    refiner: Refiner

    def retrieve(
        self, index: int, asked: SubQuestion, filter: Filter, mode: ResearchMode, run: Run, *, language: str
    ) -> Retrieved:
        """What is found for sub-question ``index``, in at most ``SEARCHES`` searches."""
        held: dict[str, Passage] = {}
        loops: list[SearchLoop] = []
        query, strategy, gap = asked.text, Strategy.HYBRID, ""
        missing: tuple[str, ...] = ()
        while len(loops) < SEARCHES[mode]:
            request = RetrievalRequest(query, language, strategy, DEPTH, filter, asked=asked.text)
            found = self.search(request, run).passages
            fresh = _keep_best(held, found)
            ranked = _sort_passages(held)[:DEPTH]
            verdict = self.sufficiency.check(
                asked.text, simple_plan(asked.text), ranked, filter, run, language=language
            )
            loops.append(SearchLoop(query, gap, fresh, verdict.is_sufficient))
            missing = tuple(dict.fromkeys(_name_gap(each) for each in verdict.gaps))
            if verdict.is_sufficient or run.is_out_of_time:
                break
            query, strategy, gap = self._reword(asked.text, strategy, ranked, verdict, run=run, language=language)
            if any(loop.query == query for loop in loops):
                break
        chunks = tuple((passage.chunk.id, passage.score) for passage in _sort_passages(held)[: 2 * DEPTH])
        return Retrieved(index, chunks, tuple(loops), missing)

    def _reword(
        self,
        asked: str,
        strategy: Strategy,
        passages: Sequence[Passage],
        verdict: Sufficiency,
        *,
        run: Run,
        language: str,
    ) -> tuple[str, Strategy, str]:
        """How the next search is worded, how it searches, and the gap that it is for."""
        quality = self.judge.judge(asked, language, simple_plan(asked), passages, run)
        shortfall = Shortfall(asked, language, strategy, tuple(passages), quality, verdict)
        gap = verdict.gaps[0] if verdict.gaps else Gap(GapKind.AMOUNT, verdict.reason)
        return self.refiner.refine(shortfall, run).query, _STRATEGIES.get(gap.kind, Strategy.HYBRID), _name_gap(gap)


def _name_gap(gap: Gap) -> str:
    """What is missing, in words for people."""
    return "passages that come near enough" if gap.kind is GapKind.AMOUNT else gap.what


def _keep_best(held: dict[str, Passage], found: Sequence[Passage]) -> int:
    """Take ``found`` up, each passage with its best score; how many are new."""
    before = len(held)
    for passage in found:
        known = held.get(passage.chunk.id)
        if known is None or passage.score > known.score:
            held[passage.chunk.id] = passage
    return len(held) - before


def _sort_passages(held: dict[str, Passage]) -> list[Passage]:
    return sorted(held.values(), key=lambda passage: (-passage.score, passage.chunk.id))


def read_passages(store: CompleteStore, chunks: Sequence[tuple[str, float]]) -> list[Passage]:
    """The passages of recorded chunks; those no longer stored are left out."""
    scores = dict(chunks)
    return [Passage(chunk, scores[chunk.id]) for chunk in store.get([identity for identity, _ in chunks])]


@dataclass(frozen=True, slots=True)
class DiverseReranker:
    """Orders by the reranker of the settings, where one is named, then chooses by maximal marginal relevance."""

    store: CompleteStore
    reranker: Reranker | None
    settings: RetrievalSettings

    def rank(
        self, found: Retrieved, asked: str, nearness: Callable[[str, Sequence[Passage]], list[Passage]], language: str
    ) -> Ranked:
        """The passages that ``asked`` is answered from. ``nearness`` measures how near passages are to it."""
        passages = without_duplicates(self.store, nearness(asked, read_passages(self.store, found.chunks)))
        ranked = rerank_passages(asked, language, passages, self.reranker, settings=self.settings).passages
        # one may have been deleted since it was found
        there, vectors = fetch_vectors(self.store, [passage.chunk.id for passage in ranked])
        ranked = [passage for passage in ranked if passage.chunk.id in there]
        if len(ranked) < 2:
            return Ranked(found.sub_question, tuple((p.chunk.id, p.score) for p in ranked))
        order = maximal_marginal_relevance([p.score for p in ranked], vectors, CHOSEN, MMR_LAMBDA)
        chosen = [ranked[index] for index in order]
        return Ranked(
            found.sub_question,
            tuple((passage.chunk.id, passage.score) for passage in chosen),
            round(_measure_diversity(vectors[order]), 6),
        )


def _measure_diversity(vectors: Vectors) -> float:
    """One minus the mean similarity of any two."""
    count = len(vectors)
    if count < 2:
        return 0.0
    likeness = vectors @ vectors.T
    return float(1.0 - (np.sum(likeness) - np.trace(likeness)) / (count * (count - 1)))
