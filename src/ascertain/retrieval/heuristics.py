"""Heuristic rerank: fused score, title-term match, content-term match and recency, with an explanation.

For material where a fresh, plainly titled article should win over an old one that merely reads alike (news).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from ascertain.core.passages import Passage
from ascertain.core.settings import HeuristicSettings
from ascertain.language.tokens import content_terms

FRESH = timedelta(hours=24)
RECENT = timedelta(hours=72)
RECENT_SCORE = 0.5
"""A day-old article counts fully, one of the last three days half, older ones not."""


def recency(published_at: datetime | None, now: datetime) -> float:
    """1 within 24 hours, 0.5 within 72, else 0; something dated in the future counts as fresh."""
    if published_at is None:
        return 0.0
    age = now - published_at
    if age <= FRESH:
        return 1.0
    return RECENT_SCORE if age <= RECENT else 0.0


def term_match(text: str, question_stems: Sequence[str]) -> float:
    """Share of the question's distinct stems that occur in ``text``, 0..1."""
    asked = set(question_stems)
    return len(asked & set(content_terms(text))) / len(asked) if asked else 0.0


def heuristic_rerank(
    passages: Sequence[Passage], question: str, weights: HeuristicSettings, now: datetime
) -> list[Passage]:
    """The passages by weighted score, best first; the fused score is scaled to 0..1 over the list before."""
    stems = content_terms(question)
    highest = max((passage.score for passage in passages), default=0.0)
    total = weights.fused + weights.title + weights.content + weights.recency
    reranked: list[Passage] = []
    for passage in passages:
        parts = {
            "fused": passage.score / highest if highest > 0 else 0.0,
            "title": term_match(passage.chunk.title, stems),
            "content": term_match(passage.chunk.text, stems),
            "recency": recency(passage.chunk.published_at, now),
        }
        score = (
            weights.fused * parts["fused"]
            + weights.title * parts["title"]
            + weights.content * parts["content"]
            + weights.recency * parts["recency"]
        ) / (total or 1.0)
        scores = {**passage.scores, **parts, "fused": passage.score}
        reranked.append(replace(passage, score=score, scores=scores, explanation=_explain(parts)))
    return sorted(reranked, key=lambda passage: (-passage.score, passage.chunk.id))


def _explain(parts: Mapping[str, float]) -> str:
    words = {
        "fused": "search score",
        "title": "question words in the title",
        "content": "question words in the text",
        "recency": "recency",
    }
    return ", ".join(f"{words[name]} {value:.0%}" for name, value in parts.items())
