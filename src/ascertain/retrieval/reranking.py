"""Reranking: passages ordered by a model that reads each with the question, repetitions and strays dropped (RE-4).

Besides it the heuristic rerank of searches.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import lru_cache

from ascertain.core.asking.answers import Decision
from ascertain.core.asking.passages import Passage
from ascertain.core.documents.documents import Chunk, DocumentKind
from ascertain.core.errors import ModelError
from ascertain.core.settings import RetrievalSettings
from ascertain.language.tokens import content_terms
from ascertain.language.validity import rank_validity
from ascertain.models.ports import Reranker
from ascertain.retrieval.search.ranking import reciprocal_rank_fusion

# Heuristic rerank is for material where a fresh, plainly titled article should win over an old one that merely reads
# alike (news).

FRESH = timedelta(hours=24)
RECENT = timedelta(hours=72)
RECENT_SCORE = 0.5
"""A day-old article counts fully, one of the last three days half, older ones not."""
HEURISTIC_WEIGHTS = {"fused": 0.35, "title": 0.30, "content": 0.20, "recency": 0.15}
"""What the search score, the question's words in the title and in the text, and recency count for, 1 together; as the
product's requirements set them (RE-4).
"""


def score_recency(published_at: datetime | None, now: datetime) -> float:
    """1 within 24 hours, 0.5 within 72, else 0; something dated in the future counts as fresh."""
    if published_at is None:
        return 0.0
    age = now - published_at
    if age <= FRESH:
        return 1.0
    return RECENT_SCORE if age <= RECENT else 0.0


def term_match(text: str, question_stems: Sequence[str], language: str) -> float:
    """Share of the question's distinct stems that occur in ``text``, 0..1."""
    asked = set(question_stems)
    return len(asked & set(content_terms(text, language))) / len(asked) if asked else 0.0


def heuristic_rerank(passages: Sequence[Passage], question: str, language: str, now: datetime) -> list[Passage]:
    """The passages by weighted score, best first; the fused score is scaled to 0..1 over the list before."""
    stems = content_terms(question, language)
    highest = max((passage.score for passage in passages), default=0.0)
    reranked: list[Passage] = []
    for passage in passages:
        parts = {
            "fused": passage.score / highest if highest > 0 else 0.0,
            "title": term_match(passage.chunk.title, stems, language),
            "content": term_match(passage.chunk.text, stems, language),
            "recency": score_recency(passage.chunk.published_at, now),
        }
        score = sum(weight * parts[name] for name, weight in HEURISTIC_WEIGHTS.items())
        scores = {**passage.scores, **parts, "fused": passage.score}
        reranked.append(replace(passage, score=score, scores=scores, explanation=_explain_parts(parts)))
    return sorted(reranked, key=lambda passage: (-passage.score, passage.chunk.id))


def _explain_parts(parts: Mapping[str, float]) -> str:
    words = {
        "fused": "search score",
        "title": "question words in the title",
        "content": "question words in the text",
        "recency": "recency",
    }
    return ", ".join(f"{words[name]} {value:.0%}" for name, value in parts.items())


NODE = "rerank"
CALIBRATED = ("rerank", "judge")
"""Names of the scores in 0..1 that say how relevant a passage is; fused scores only order."""


@dataclass(frozen=True, slots=True)
class Reranking:
    """``passages`` best first, and what was decided: ``decision.scores`` holds ``measure_diversity`` and
    ``measure_coverage``, each 0..1.

    ``measure_diversity`` is one minus the mean similarity of the passages kept, ``measure_coverage`` the share of the
    question's terms that one of them has.
    """

    passages: tuple[Passage, ...]
    decision: Decision


SHOWN_SCORES = 5
"""Scores of passages that the decision names: about as many passages as an answer quotes from."""
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
NEAR_DUPLICATE = 0.7
"""Share of its terms from which a passage repeats a better one and is dropped, except for the current version: what two versions
of one document share (``answering.versions``).
"""
MOST_RERANKED = 15
"""Passages that a reranker leaves: about twice as many as an answer considers (``answers.passages``)."""


def rerank_passages(
    question: str, language: str, passages: Sequence[Passage], reranker: Reranker | None, *, settings: RetrievalSettings
) -> Reranking:
    """Order ``passages`` by the reranker, drop what repeats or misses the point, keep ``MOST_RERANKED``.

    Before the reranker, the ranks of the legs are fused where ``retrieval.reranking_strategy`` says so. Without a
    reranker the order stays. The floor holds for passages with a calibrated relevance only, from the reranker
    or from a judge before; when all are under it, all are kept: whether they suffice is decided later. Where the
    reranker fails the order stays too, and the decision says so.
    """
    if settings.reranking_strategy in {"rrf", "rrf_mmr"}:
        passages = fuse_ranks(passages)
    ranked, by = _order_passages(question, passages, reranker)
    relevant = [p for p in ranked if _lowest_relevance(p) >= settings.rerank_floor]
    strays = len(ranked) - len(relevant) if relevant else 0
    distinct = _drop_duplicates(question, language, relevant or ranked, NEAR_DUPLICATE)
    repeated = len(ranked) - strays - len(distinct)
    kept = tuple(distinct[:MOST_RERANKED])
    shown = ", ".join(f"{passage.score:.2f}" for passage in kept[:SHOWN_SCORES])
    reason = (
        f"strategy {settings.reranking_strategy}, {by}: {repeated} near-duplicates and {strays} of little relevance dropped"
        f"{f'; scores of the best: {shown}' if shown else ''}"
    )
    scores = {"diversity": measure_diversity(kept, language), "coverage": measure_coverage(question, language, kept)}
    return Reranking(kept, Decision(NODE, f"{len(kept)} of {len(ranked)} passages kept", reason, scores))


RANKED_BY = ("dense", "lexical", "sub_query", "variant", "graph", "recency")
"""Scores that each make a ranking of their own: the legs, parts and other wordings, the graph, and how fresh a passage
is where the heuristic rerank looked at that.
"""


def fuse_ranks(passages: Sequence[Passage]) -> list[Passage]:
    """The passages by reciprocal rank fusion of the rankings behind them, which no score decides alone.

    ``score`` and ``scores["rrf"]`` are the fused one, 1 for what leads every ranking; ties stay in the order given.
    """
    rankings: list[list[int]] = []
    for name in RANKED_BY:
        ranked = [index for index, passage in enumerate(passages) if passage.scores.get(name, 0.0) > 0]
        if ranked:
            rankings.append(_sort_by_score(ranked, passages, name))
    if not rankings:
        return list(passages)
    fused = reciprocal_rank_fusion(rankings)
    order = sorted(range(len(passages)), key=lambda index: (-fused.get(index, 0.0), index))
    return [_with_fused(passages[index], fused.get(index, 0.0)) for index in order]


def _sort_by_score(indices: Sequence[int], passages: Sequence[Passage], name: str) -> list[int]:
    return sorted(indices, key=lambda index: -passages[index].scores[name])


def _with_fused(passage: Passage, score: float) -> Passage:
    return replace(passage, score=score, scores={**passage.scores, "rrf": score})


def measure_diversity(passages: Sequence[Passage], language: str) -> float:
    """One minus the mean Jaccard similarity of the passages' terms over all pairs; 1 for a single passage."""
    terms = [text_terms(p.chunk.text, language) for p in passages]
    pairs = [_jaccard_similarity(a, b) for i, a in enumerate(terms) for b in terms[:i]]
    return 1.0 - sum(pairs) / len(pairs) if pairs else 1.0


def measure_coverage(question: str, language: str, passages: Sequence[Passage]) -> float:
    """Share of the question's content terms that at least one passage has; 1 for a question without any."""
    asked = set(content_terms(question, language))
    held = set[str]().union(*(text_terms(p.chunk.text, language) for p in passages))
    return len(asked & held) / len(asked) if asked else 1.0


def _order_passages(question: str, passages: Sequence[Passage], reranker: Reranker | None) -> tuple[list[Passage], str]:
    if reranker is None or not passages:
        return list(passages), "in the order found"
    try:
        scores = reranker.scores(question, [p.chunk.indexed_text for p in passages])
    except ModelError as error:
        return list(passages), f"fell back to the order found, {error}"
    scored = [
        replace(passage, score=score, scores={**passage.scores, "rerank": score})
        for passage, score in zip(passages, scores, strict=True)
    ]
    return sorted(scored, key=lambda passage: -passage.score), f"by {reranker.name}"


def _lowest_relevance(passage: Passage) -> float:
    return min((passage.scores[name] for name in CALIBRATED if name in passage.scores), default=1.0)


@dataclass(slots=True)
class _Repeated:
    """A passage and what repeats it: of versions of a text the one in force, or of a year that the question names, stands beside
    the best, for it says other things.
    """

    place: int
    best: Passage
    terms: frozenset[str]
    in_force: tuple[int, Passage]
    years: frozenset[str]
    """Those that the question names."""

    def add(self, place: int, passage: Passage) -> None:
        """Take what repeats the best where it is of a version that is rather in force."""
        one, other = passage.chunk, self.in_force[1].chunk
        if one.document_id == other.document_id or {one.kind, other.kind} != {DocumentKind.PROSE}:
            return
        if self._rank(one) <= self._rank(other):
            return
        if one.text == self.best.chunk.text:
            self.best = replace(passage, score=self.best.score)
            place, passage = self.place, self.best
        self.in_force = place, passage

    def _rank(self, chunk: Chunk) -> tuple[bool, bool, float]:
        is_named = chunk.published_at is not None and str(chunk.published_at.year) in self.years
        return is_named, *rank_validity(chunk.text, chunk.published_at)


def _drop_duplicates(question: str, language: str, passages: Sequence[Passage], threshold: float) -> list[Passage]:
    """The passages in their order without those that repeat a better one, but for the one in force of several versions."""
    groups: list[_Repeated] = []
    years = frozenset(_YEAR.findall(question))
    for place, passage in enumerate(passages):
        terms = text_terms(passage.chunk.text, language)
        first = next((each for each in groups if _jaccard_similarity(terms, each.terms) > threshold), None)
        if first is None:
            groups.append(_Repeated(place, passage, terms, (place, passage), years))
        else:
            first.add(place, passage)
    kept = dict(each for group in groups for each in ((group.place, group.best), group.in_force))
    return [kept[place] for place in sorted(kept)]


@lru_cache(maxsize=500)
def text_terms(text: str, language: str) -> frozenset[str]:
    """The different ``content_terms`` of a passage's text; remembered, as the same passage is compared four times for a question."""
    return frozenset(content_terms(text, language))


def _jaccard_similarity(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / len(one | other) if one or other else 1.0
