"""Search over one store, and how far its result can be trusted before anything is answered from it.

A logistic model of "does one of these passages answer the question" over the best cosine and the share of the
question's weight (inverse document frequency) that the best of the top passages holds; without the former for keyword
searches, which compute none. The weights are in ``models/weights``, with what they were fitted from. The answer's own
confidence looks closer; this one is for bare searches.
"""

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from ascertain.core.asking.answers import Decision
from ascertain.core.asking.passages import Confidence, Filter, Level, Passage, Strategy
from ascertain.core.asking.requests import SearchResult
from ascertain.core.asking.runs import Clock
from ascertain.core.errors import UsageError
from ascertain.core.settings import RetrievalSettings
from ascertain.core.settings.profiles import Profile
from ascertain.language.languages import say_sentence
from ascertain.language.tokens import content_terms
from ascertain.models.logistic_model import convert_log_odds, load_logistic_model
from ascertain.models.ports import Embedder
from ascertain.models.vectors.similarity import PLAIN, SimilarityScale
from ascertain.retrieval.query.prepared import PreparedQuestion, prepare_question
from ascertain.retrieval.reranking import heuristic_rerank, text_terms
from ascertain.retrieval.search.ranking import Candidates, Legs, rank_candidates
from ascertain.stores.ports.chunks import CompleteStore

SEARCH_FEATURES = ("similarity", "coverage")
WORDS_ONLY_FEATURES = ("coverage",)
ANSWER_LEVELS = ((Level.HIGH, 70), (Level.MEDIUM, 45), (Level.LOW, 30))
"""From which score a level begins: the bounds of answers (``answering.confidence``; the lowest is what ``answers.rejection_threshold`` is by
default), so that one score has one name.
"""
TO_ANSWERS = (1.1, 1.6)
"""Slope and intercept, over log-odds, that bring the score of a search to the scale of answers: fitted by ``bench/retrieval/search_agreement.py`` on
questions of people over office files, manuals and a constitution. Alone the model is right of the sets that it was fitted from, in which half
of the questions have no answer.
"""
ON_SUBJECT = "These passages are on the subject but may not answer the question."
MERELY_NEAREST = "Nothing found fits the question; these are merely the nearest passages."
_CAVEATS = {
    Level.MEDIUM: ON_SUBJECT,
    Level.LOW: "Only loosely related passages were found.",
    Level.NONE: MERELY_NEAREST,
}
FULL_COVERAGE = 0.999
"""A passage with every word of the query is on its subject; a query of two words never comes close by meaning."""


def weigh_coverage(stems: Iterable[str], question_stems: Iterable[str], idf: Mapping[str, float]) -> float:
    """Share of the question's weight that a text's ``stems`` hold, 0..1."""
    held = set(stems)
    asked = set(question_stems)
    total = sum(idf.get(stem, 0.0) for stem in asked)
    return sum(idf.get(stem, 0.0) for stem in asked & held) / total if total > 0 else 0.0


def search_confidence(best_similarity: float | None, best_coverage: float, language: str) -> Confidence:
    """Level, score 0..100 and caveat for a list whose best passage has these features (both 0..1).

    ``best_similarity`` is None where the search computed none.
    """
    if best_similarity is None:
        model = load_logistic_model("search_confidence_words_only", WORDS_ONLY_FEATURES)
        values = {"coverage": best_coverage}
    else:
        model = load_logistic_model("search_confidence", SEARCH_FEATURES)
        values = {"coverage": best_coverage, "similarity": best_similarity}
    # a search by words alone is not asked of by people, so nothing tells how it compares
    slope, intercept = (1.0, 0.0) if best_similarity is None else TO_ANSWERS
    score = round(100 * convert_log_odds(slope * model.weigh_features(values) + intercept))
    if best_coverage >= FULL_COVERAGE:
        score = max(score, dict(ANSWER_LEVELS)[Level.MEDIUM])
    return rate_score(score, language)


def rate_score(score: int, language: str) -> Confidence:
    """The confidence of a list with a score 0..100."""
    level = level_of(score)
    caveat = _CAVEATS.get(level)
    return Confidence(level, score, say_sentence(caveat, language) if caveat else None)


def level_of(score: int) -> Level:
    """The level of a score 0..100."""
    return next((level for level, bound in ANSWER_LEVELS if score >= bound), Level.NONE)


def nothing_found(searched: str) -> Confidence:
    """For an empty list; ``searched`` says what was looked through."""
    return Confidence(Level.NONE, 0, f"Nothing was found in {searched}. Try other words, wider dates or fewer filters.")


CONFIDENCE_DEPTH = 5
"""Passages looked at for the coverage of the question's words."""


@dataclass(frozen=True, slots=True)
class FirstPass:
    """A search with all its candidates: ``ranked`` are the candidates, best first, of which ``result`` holds the first
    ``k``.
    """

    result: SearchResult
    question: PreparedQuestion
    candidates: Candidates
    ranked: Sequence[Passage]


class Searcher:
    """Hybrid, semantic and keyword search over one store; ``scale`` is that of the embedding model's cosines, ``note`` is what the
    trace says about the model.
    """

    def __init__(
        self,
        store: CompleteStore,
        embedder: Embedder,
        settings: RetrievalSettings,
        profiles: Sequence[Profile],
        clock: Clock,
        *,
        scale: SimilarityScale = PLAIN,
        note: str = "",
    ) -> None:
        self.scale = scale
        self._legs = Legs(store, embedder, settings, scale)
        self._model = embedder.name
        self._note = note
        self._store = store
        self._settings = settings
        self._profiles = profiles
        self._clock = clock

    def search(
        self,
        query: str,
        language: str,
        *,
        strategy: Strategy | None = None,
        k: int | None = None,
        filter: Filter = Filter(),
        days_back: int | None = None,
    ) -> SearchResult:
        """The ``k`` best passages (``retrieval.top_k`` by default), best first; ties by chunk id.

        Dates read from the question are a wish, not an order: when they leave nothing, the search is made again without
        them and the caveat says so. Raises UsageError for an empty query or a ``k`` below 1.
        """
        return self.explore(query, language, strategy=strategy, k=k, filter=filter, days_back=days_back).result

    def explore(
        self,
        query: str,
        language: str,
        *,
        strategy: Strategy | None = None,
        k: int | None = None,
        filter: Filter = Filter(),
        days_back: int | None = None,
    ) -> FirstPass:
        """``search`` with its candidates, for callers that continue from them."""
        started = time.perf_counter()
        if not query.strip():
            raise UsageError("The question is empty. Ask something, for example: ascertain search 'how does it work?'")
        wanted = self._settings.top_k if k is None else k
        if wanted < 1:
            raise UsageError(f"k must be at least 1, not {wanted}")
        chosen = strategy or Strategy(self._settings.strategy)
        question = prepare_question(
            query, language, profiles=self._profiles, clock=self._clock, filter=filter, days_back=days_back
        )
        decisions = list(question.decisions)
        candidates, ranked, confidence, signs = self._find_passages(question, chosen, wanted)
        if not ranked and question.timeframe is not None and days_back is None:
            frame = question.timeframe
            question = replace(question, filter=filter, timeframe=None)
            candidates, ranked, confidence, signs = self._find_passages(question, chosen, wanted)
            decisions.append(Decision("timeframe", "widened", f"nothing is dated within {frame.phrase!r}"))
            confidence = _note_undated(confidence, frame.phrase)
        passages = tuple(ranked[:wanted])
        seconds = time.perf_counter() - started
        decisions.append(
            Decision(
                "search",
                f"{len(passages)} passages",
                f"{chosen} search{self._describe_scale(chosen)}",
                {**signs, "confidence": float(confidence.score)},
                seconds,
            )
        )
        result = SearchResult(query, chosen, passages, confidence, question.filter, tuple(decisions), seconds)
        return FirstPass(result, question, candidates, ranked)

    def ranked_with(self, first: FirstPass, chunk_ids: Sequence[str]) -> list[Passage]:
        """All candidates of ``first`` and the named chunks, ranked for its question."""
        joined = self._legs.joined(first.candidates, chunk_ids)
        return self._rank_passages(joined, first.question.text, first.question.language, first.result.strategy)

    def measure_nearness(self, question: str, passages: Sequence[Passage]) -> list[Passage]:
        """The passages, in their order, with the ``dense`` score that ``question`` gives them; those that a search by
        words alone found have none.
        """
        near = self._legs.similarities(question, [p.chunk.id for p in passages if "dense" in p.scores])
        return [
            replace(passage, scores={**passage.scores, "dense": near[passage.chunk.id]})
            if passage.chunk.id in near
            else passage
            for passage in passages
        ]

    def _find_passages(
        self, question: PreparedQuestion, strategy: Strategy, k: int
    ) -> tuple[Candidates, list[Passage], Confidence, dict[str, float]]:
        candidates = self._legs.candidates(question, strategy, k)
        ranked = self._rank_passages(candidates, question.text, question.language, strategy)
        if not ranked:
            return candidates, [], nothing_found(self._describe_scope(question.filter)), {}
        similarity, covered = _confidence_signs(question, candidates, ranked[:k])
        signs = {"coverage": covered} | ({} if similarity is None else {"similarity": similarity})
        return candidates, ranked, search_confidence(similarity, covered, question.language), signs

    def _rank_passages(self, candidates: Candidates, question: str, language: str, strategy: Strategy) -> list[Passage]:
        passages = rank_candidates(candidates, strategy, self._settings, language)
        if self._settings.rerank == "heuristic":
            return heuristic_rerank(passages, question, language, self._clock.now())
        return passages

    def _describe_scale(self, strategy: Strategy) -> str:
        """How the cosines were scaled; empty for the built-in model."""
        if strategy is Strategy.KEYWORD or not self.scale.origin:
            return self._note
        return f"{self._note}; the nearness that {self._model} finds is {self.scale.describe()}"

    def _describe_scope(self, filter: Filter) -> str:
        size = self._store.stats(filter.tenant)
        narrowed = "" if filter.is_plain else " under the filters given"
        return f"{size.chunks} passages of {size.documents} documents{narrowed}"


def _confidence_signs(
    question: PreparedQuestion, candidates: Candidates, passages: Sequence[Passage]
) -> tuple[float | None, float]:
    """Best cosine, None where the search computed none, and the best coverage of the question's words among the first
    passages.
    """
    asked = content_terms(question.text, question.language)
    idf = _unknown_as_rarest(asked, candidates.idf)
    covered = (
        weigh_coverage(text_terms(passage.chunk.indexed_text, question.language), asked, idf)
        for passage in passages[:CONFIDENCE_DEPTH]
    )
    similarities = [passage.scores["dense"] for passage in passages if "dense" in passage.scores]
    return max(similarities, default=None), max(covered)


def _note_undated(confidence: Confidence, phrase: str) -> Confidence:
    note = f"Nothing found is dated within “{phrase}”; these passages are older or undated."
    return replace(confidence, caveat=note if confidence.caveat is None else f"{note} {confidence.caveat}")


def _unknown_as_rarest(stems: Sequence[str], idf: Mapping[str, float]) -> dict[str, float]:
    """A word of the question that no document holds is what is missing most, so it weighs as much as the rarest."""
    rarest = max(idf.values(), default=1.0)
    return {stem: idf.get(stem, rarest) for stem in stems}
