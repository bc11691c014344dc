"""The arXiv searcher's words, and the filter of its results: relevance, recency, and citations if known."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import datetime

import numpy as np

from ascertain.core.reports.research import PaperChoice, PaperRecord, ResearchMode
from ascertain.language.tokens import content_terms
from ascertain.models.ports import Embedder

MOST_WORDS = 4
"""Words that a search of arXiv is made of: with more, joined by AND, it finds nothing (by judgement)."""
FOUND = {ResearchMode.QUICK: 10, ResearchMode.DEEP: 25}
"""Papers asked for."""
READ = {ResearchMode.QUICK: 2, ResearchMode.DEEP: 5}
"""Papers read whole: each is some 15,000 words, so that five are what ``budget.seconds`` leaves time for."""
LEAST_RELEVANCE = 0.3
"""Under it a paper is on another subject: as ``retrieval``'s floor of similarity for the news profile (RE-1)."""
RELEVANCE, WORDS, RECENCY = 0.6, 0.25, 0.15
"""Weights of nearness in meaning, of words in common and of recency (by judgement; RE-3 weighs alike)."""
HALF_LIFE_YEARS = 5.0
"""Age at which a paper counts half as recent: about the half-life of citations in fast fields (by judgement)."""


def filter_papers(
    subjects: Sequence[str],
    papers: Sequence[PaperRecord],
    embedder: Embedder,
    most: int,
    *,
    now: datetime,
    language: str,
) -> list[PaperChoice]:
    """Each paper with its relevance to the nearest of ``subjects``: the question, or what a page claims that came without one.

    The ``most`` best are chosen, in order of their worth.
    """
    if not papers or not subjects:
        return []
    texts = [f"{paper.title}\n{paper.abstract}" for paper in papers]
    asked = np.stack([embedder.embed_query(subject) for subject in subjects])
    nearness = (embedder.embed_documents(texts) @ asked.T).max(axis=1)
    wanted = [set(content_terms(subject, language)) for subject in subjects]
    rated: list[tuple[float, PaperChoice]] = []
    for paper, text, near in zip(papers, texts, nearness.tolist(), strict=True):
        held = set(content_terms(text, language))
        shared = max(len(words & held) / len(words) if words else 0.0 for words in wanted)
        recency = measure_recency(paper.published_at, now)
        relevance = min(1.0, max(0.0, near))
        worth = RELEVANCE * relevance + WORDS * shared + RECENCY * recency
        choice = PaperChoice(paper.id, paper.title, relevance, recency, relevance >= LEAST_RELEVANCE, "")
        rated.append((worth, choice))
    rated.sort(key=lambda each: (-each[0], each[1].id))
    return [_decide(choice, place, most) for place, (_, choice) in enumerate(rated)]


def measure_recency(published_at: datetime | None, now: datetime) -> float:
    """1 for today, halved every ``HALF_LIFE_YEARS``; 0 if unknown."""
    if published_at is None:
        return 0.0
    years = max(0.0, (now - published_at).days / 365.25)
    return math.pow(0.5, years / HALF_LIFE_YEARS)


def _decide(choice: PaperChoice, place: int, most: int) -> PaperChoice:
    is_chosen = choice.is_chosen and place < most
    if is_chosen:
        reason = f"relevance {choice.relevance:.2f}, recency {choice.recency:.2f}"
    elif choice.is_chosen:
        reason = f"only the best {most} are read"
    else:
        reason = f"relevance {choice.relevance:.2f} is under {LEAST_RELEVANCE}"
    return PaperChoice(choice.id, choice.title, choice.relevance, choice.recency, is_chosen, reason)
