"""Search: a question in, ranked passages and how far to trust them out."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ascertain.core.answers import Decision
from ascertain.core.clock import Clock
from ascertain.core.errors import UsageError
from ascertain.core.filters import Filter
from ascertain.core.passages import Confidence, Passage, Strategy
from ascertain.core.results import SearchResult
from ascertain.core.settings import RetrievalSettings
from ascertain.core.settings.profiles import Profile
from ascertain.language.tokens import content_terms
from ascertain.models.ports import Embedder
from ascertain.retrieval.confidence import coverage, nothing_found, search_confidence
from ascertain.retrieval.heuristics import heuristic_rerank
from ascertain.retrieval.legs import Candidates, Legs
from ascertain.retrieval.question import PreparedQuestion, prepare
from ascertain.retrieval.ranking import rank
from ascertain.stores.ports import CompleteStore

CONFIDENCE_DEPTH = 5
"""Passages looked at for the coverage of the question's words."""


@dataclass(frozen=True, slots=True)
class FirstPass:
    """A search with all it looked at: ``ranked`` are the candidates, best first, of which ``result`` holds the first ``k``."""

    result: SearchResult
    question: PreparedQuestion
    candidates: Candidates
    ranked: Sequence[Passage]


class Searcher:
    """Hybrid, semantic and keyword search over one store."""

    def __init__(
        self,
        store: CompleteStore,
        embedder: Embedder,
        settings: RetrievalSettings,
        profiles: Sequence[Profile],
        clock: Clock,
    ) -> None:
        self._legs = Legs(store, embedder, settings)
        self._store = store
        self._settings = settings
        self._profiles = profiles
        self._clock = clock

    def search(
        self,
        query: str,
        *,
        strategy: Strategy | None = None,
        k: int | None = None,
        filter: Filter = Filter(),
        days_back: int | None = None,
    ) -> SearchResult:
        """The ``k`` best passages (``retrieval.top_k`` by default), best first; ties by chunk id.

        Dates read from the question are a wish, not an order: when they leave nothing, the search is made again
        without them and the caveat says so. Raises UsageError for an empty query or a ``k`` below 1.
        """
        return self.explore(query, strategy=strategy, k=k, filter=filter, days_back=days_back).result

    def explore(
        self,
        query: str,
        *,
        strategy: Strategy | None = None,
        k: int | None = None,
        filter: Filter = Filter(),
        days_back: int | None = None,
    ) -> FirstPass:
        """``search`` with its candidates, for whoever goes on from them."""
        started = time.perf_counter()
        if not query.strip():
            raise UsageError(
                "The question is empty. Ask something, for example: ascertain search 'how does it work?'"
            )
        wanted = self._settings.top_k if k is None else k
        if wanted < 1:
            raise UsageError(f"k must be at least 1, not {wanted}")
        chosen = strategy or Strategy(self._settings.strategy)
        question = prepare(
            query, profiles=self._profiles, clock=self._clock, filter=filter, days_back=days_back
        )
        decisions = list(question.decisions)
        candidates, ranked, confidence, signs = self._passages(question, chosen, wanted)
        if not ranked and question.timeframe is not None and days_back is None:
            frame = question.timeframe
            question = replace(question, filter=filter, timeframe=None)
            candidates, ranked, confidence, signs = self._passages(question, chosen, wanted)
            decisions.append(Decision("timeframe", "widened", f"nothing is dated within {frame.phrase!r}"))
            confidence = _undated(confidence, frame.phrase)
        passages = tuple(ranked[:wanted])
        seconds = time.perf_counter() - started
        decisions.append(
            Decision(
                "search",
                f"{len(passages)} passages",
                f"{chosen} search",
                {**signs, "confidence": float(confidence.score)},
                seconds,
            )
        )
        result = SearchResult(query, chosen, passages, confidence, question.filter, tuple(decisions), seconds)
        return FirstPass(result, question, candidates, ranked)

    def ranked_with(self, first: FirstPass, chunk_ids: Sequence[str]) -> list[Passage]:
        """All candidates of ``first`` and the named chunks, ranked for its question."""
        joined = self._legs.joined(first.candidates, chunk_ids)
        return self._ranked(joined, first.question.text, first.result.strategy)

    def _passages(
        self, question: PreparedQuestion, strategy: Strategy, k: int
    ) -> tuple[Candidates, list[Passage], Confidence, dict[str, float]]:
        candidates = self._legs.candidates(question, strategy, k)
        ranked = self._ranked(candidates, question.text, strategy)
        if not ranked:
            return candidates, [], nothing_found(self._searched(question.filter)), {}
        similarity, covered = _signs(question, candidates, ranked[:k])
        signs = {"coverage": covered} | ({} if similarity is None else {"similarity": similarity})
        return candidates, ranked, search_confidence(similarity, covered), signs

    def _ranked(self, candidates: Candidates, question: str, strategy: Strategy) -> list[Passage]:
        passages = rank(candidates, strategy, self._settings)
        if self._settings.rerank == "heuristic":
            return heuristic_rerank(passages, question, self._settings.heuristic, self._clock.now())
        return passages

    def _searched(self, filter: Filter) -> str:
        size = self._store.stats(filter.tenant)
        narrowed = "" if filter.is_plain else " under the filters given"
        return f"{size.chunks} passages of {size.documents} documents{narrowed}"


def _signs(
    question: PreparedQuestion, candidates: Candidates, passages: Sequence[Passage]
) -> tuple[float | None, float]:
    """Best cosine, None where the search computed none, and the best coverage of the question's words among the first passages."""
    asked = content_terms(question.text)
    idf = _unknown_as_rarest(asked, candidates.idf)
    covered = (
        coverage(content_terms(passage.chunk.indexed_text), asked, idf)
        for passage in passages[:CONFIDENCE_DEPTH]
    )
    similarities = [passage.scores["dense"] for passage in passages if "dense" in passage.scores]
    return max(similarities, default=None), max(covered)


def _undated(confidence: Confidence, phrase: str) -> Confidence:
    note = f"Nothing found is dated within “{phrase}”; these passages are older or undated."
    return replace(confidence, caveat=note if confidence.caveat is None else f"{note} {confidence.caveat}")


def _unknown_as_rarest(stems: Sequence[str], idf: Mapping[str, float]) -> dict[str, float]:
    """A word of the question that no document holds is what is missing most, so it weighs as much as the rarest."""
    rarest = max(idf.values(), default=1.0)
    return {stem: idf.get(stem, rarest) for stem in stems}
