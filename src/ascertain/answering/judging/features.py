"""What the words of a candidate sentence, its place and its passage say about whether it answers, in numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ascertain.answering.matching.kinds import offers_kind
from ascertain.answering.units.candidates import Candidate
from ascertain.core.asking.passages import Passage
from ascertain.language.tokens import content_terms
from ascertain.questions.reading.kinds import AnswerKind
from ascertain.questions.reading.question import Question

# Every feature of a sentence lies in about -1..1 and is computed from the question, the candidate, its neighbours and
# its passage only.

Matrix = NDArray[np.float64]

EVEN = 0.02
"""Difference of two passages' scores from which one surely ranks before the other; below it both share the rank.

Stores that compute the same score differ by up to 0.002, which would move a confidence by a point or so. The first two
passages of 261 questions that people ask were further apart than this in 99 of 100.
"""


def _share_of_lead(scores: Sequence[float]) -> Matrix:
    """``[i, j]``: how far passage i ranks before passage j, 0..1, one half for equal scores."""
    column = np.asarray(scores, dtype=np.float64)
    lead = np.clip(0.5 + (column[:, None] - column[None, :]) / (2 * EVEN), 0.0, 1.0)
    return np.asarray(lead, dtype=np.float64)


def soften_ranks(scores: Sequence[float]) -> list[float]:
    """The rank of each passage, from 0, without a step where two scores are nearly the same."""
    lead = _share_of_lead(scores)
    return [float(lead[:, i].sum() - lead[i, i]) for i in range(len(scores))]


def share_first(scores: Sequence[float]) -> list[float]:
    """How far each passage is the first, 0..1."""
    lead = _share_of_lead(scores)
    np.fill_diagonal(lead, 1.0)
    return [float(share) for share in lead.prod(axis=1)]


SENTENCE_FEATURES = (
    "similarity",
    "passage_score",
    "passage_rank",
    "coverage",
    "pairs",
    "specifics",
    "kind_offered",
    "named_kind_offered",
    "repeats_question",
    "length",
    "fragment",
    "is_question",
)


def sentence_features(
    question: Question, candidates: Sequence[Candidate], passages: Sequence[Passage], similarity: Matrix
) -> Matrix:
    """One row a candidate, columns as in ``SENTENCE_FEATURES``.

    ``similarity`` holds the cosine of each candidate to the question, NaN where it was not computed.
    """
    coverage = np.array([question.coverage(set(c.terms)) for c in candidates])
    known = np.where(np.isnan(similarity), 0.0, similarity)
    best = max((p.score for p in passages), default=0.0)
    ranks = soften_ranks([p.score for p in passages])
    rows = [
        [
            known[i],
            passages[c.passage].score / best if best > 0 else 0.0,
            1.0 / (1.0 + ranks[c.passage]),
            coverage[i],
            score_pairs(question, c),
            _score_specifics(question, c),
            *_score_kind(question, c),
            float(all(term in question.weights for term in c.terms)),
            _score_length(c),
            float(c.is_fragment),
            float(c.text.rstrip("\"'”’)").endswith("?")),
        ]
        for i, c in enumerate(candidates)
    ]
    return np.array(rows, dtype=np.float64).reshape(len(candidates), len(SENTENCE_FEATURES))


def score_pairs(question: Question, candidate: Candidate) -> float:
    """Share of the question's neighbouring terms that are within three content words of each other, in order."""
    if not question.pairs:
        return 0.0
    terms = candidate.terms
    near = {(a, b) for i, a in enumerate(terms) for b in terms[i + 1 : i + 4]}
    return len(question.pairs & near) / len(question.pairs)


def _score_specifics(question: Question, candidate: Candidate) -> float:
    """Share of the question's names and numbers in the sentence or its title; 0 when there are none."""
    if not question.specifics:
        return 0.0
    return len(question.specifics & set(candidate.terms)) / len(question.specifics)


def _score_kind(question: Question, candidate: Candidate) -> tuple[float, float]:
    """Whether the sentence offers the expected kind: for kinds of fact (time, number ...), and for names and places."""
    if question.kind is AnswerKind.ANY:
        return 0.0, 0.0
    sign = 1.0 if offers_kind(question.kind, candidate.text, question.weights.keys(), question.language) else -1.0
    return (0.0, sign) if question.kind in (AnswerKind.NAME, AnswerKind.PLACE) else (sign, 0.0)


WORD_FEATURES = (
    "passage_score",
    "passage_rank",
    "coverage",
    "coverage_with_place",
    "kind_offered",
    "named_kind_offered",
    "length",
    "fragment",
)
"""What is known about a candidate before a model reads it. On ten collections, each left out of the fit, another eleven signals (names and
numbers held, neighbouring words, headings and titles apart, opening with the subject, being a question, a row or a list) changed
nothing: 67.8 and 67.5 of 100 questions had the right sentence first.
"""


def word_features(question: Question, candidates: Sequence[Candidate], passages: Sequence[Passage]) -> Matrix:
    """One row a candidate, columns as in ``WORD_FEATURES``, each about -1..1."""
    best = max((p.score for p in passages), default=0.0)
    ranks = soften_ranks([p.score for p in passages])
    rows = [
        [
            passages[c.passage].score / best if best > 0 else 0.0,
            1.0 / (1.0 + ranks[c.passage]),
            question.coverage(set(c.terms)),
            question.coverage({*c.terms, *_list_place_terms(c, question.language)}),
            *_score_kind(question, c),
            _score_length(c),
            float(c.is_fragment),
        ]
        for c in candidates
    ]
    return np.array(rows, dtype=np.float64).reshape(len(candidates), len(WORD_FEATURES))


def _list_place_terms(candidate: Candidate, language: str) -> tuple[str, ...]:
    """Content terms of the title and of the headings over a candidate."""
    section = candidate.document.place_of(candidate.span).section
    return content_terms(" ".join((candidate.document.title, *section)), language)


def _score_length(candidate: Candidate) -> float:
    return min(math.log1p(len(candidate.terms)) / math.log1p(40), 1.0)
