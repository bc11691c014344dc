"""Reranking: passages ordered by a model that reads each with the question, repetitions and strays dropped (RE-4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ascertain.core.answers import Decision
from ascertain.core.errors import ModelError
from ascertain.core.passages import Passage
from ascertain.core.settings import RetrievalSettings
from ascertain.language.tokens import content_terms
from ascertain.models.ports import Reranker

NODE = "rerank"
CALIBRATED = ("rerank", "judge")
"""Names of the scores in 0..1 that say how relevant a passage is; fused scores only order."""


@dataclass(frozen=True, slots=True)
class Reranking:
    """``passages`` best first, and what was decided: ``decision.scores`` holds ``diversity`` and ``coverage``, each 0..1.

    ``diversity`` is one minus the mean similarity of the passages kept, ``coverage`` the share of the question's terms
    that one of them has.
    """

    passages: tuple[Passage, ...]
    decision: Decision


def rerank(
    question: str,
    passages: Sequence[Passage],
    reranker: Reranker | None,
    settings: RetrievalSettings,
) -> Reranking:
    """Order ``passages`` by the reranker, drop what repeats or misses the point, keep ``retrieval.rerank_keep``.

    Without a reranker the order stays. The floor holds for passages with a calibrated relevance only, from the reranker
    or from a judge before; when all are under it, all are kept: whether they suffice is decided later. Where the reranker
    fails the order stays too, and the decision says so.
    """
    ranked, by = _ordered(question, passages, reranker)
    relevant = [p for p in ranked if _relevance(p) >= settings.rerank_floor]
    strays = len(ranked) - len(relevant) if relevant else 0
    distinct = _distinct(relevant or ranked, settings.near_duplicate)
    repeated = len(ranked) - strays - len(distinct)
    kept = tuple(distinct[: settings.rerank_keep])
    reason = f"{by}: {repeated} near-duplicates and {strays} of little relevance dropped"
    scores = {"diversity": diversity(kept), "coverage": coverage(question, kept)}
    return Reranking(kept, Decision(NODE, f"{len(kept)} of {len(ranked)} passages kept", reason, scores))


def diversity(passages: Sequence[Passage]) -> float:
    """One minus the mean Jaccard similarity of the passages' terms over all pairs; 1 for a single passage."""
    terms = [_terms(p) for p in passages]
    pairs = [_jaccard(a, b) for i, a in enumerate(terms) for b in terms[:i]]
    return 1.0 - sum(pairs) / len(pairs) if pairs else 1.0


def coverage(question: str, passages: Sequence[Passage]) -> float:
    """Share of the question's content terms that at least one passage has; 1 for a question without any."""
    asked = set(content_terms(question))
    held = set[str]().union(*(_terms(p) for p in passages))
    return len(asked & held) / len(asked) if asked else 1.0


def _ordered(
    question: str, passages: Sequence[Passage], reranker: Reranker | None
) -> tuple[list[Passage], str]:
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


def _relevance(passage: Passage) -> float:
    return min((passage.scores[name] for name in CALIBRATED if name in passage.scores), default=1.0)


def _distinct(passages: Sequence[Passage], threshold: float) -> list[Passage]:
    kept: list[Passage] = []
    seen: list[frozenset[str]] = []
    for passage in passages:
        terms = _terms(passage)
        if all(_jaccard(terms, other) <= threshold for other in seen):
            kept.append(passage)
            seen.append(terms)
    return kept


def _terms(passage: Passage) -> frozenset[str]:
    return frozenset(content_terms(passage.chunk.text))


def _jaccard(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / len(one | other) if one or other else 1.0
