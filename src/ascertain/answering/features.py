"""What speaks for a sentence as part of the answer, in numbers.

Every feature lies in about -1..1 and is computed from the question, the candidate, its neighbours and its passage only.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ascertain.answering.answer_kinds import AnswerKind, offers
from ascertain.answering.candidates import Candidate
from ascertain.answering.question import Question
from ascertain.core.passages import Passage

Matrix = NDArray[np.float64]

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
    rows = [
        [
            known[i],
            passages[c.passage].score / best if best > 0 else 0.0,
            1.0 / (1 + c.passage),
            coverage[i],
            _pairs(question, c),
            _specifics(question, c),
            *_kind(question, c),
            float(all(term in question.weights for term in c.terms)),
            min(math.log1p(len(c.terms)) / math.log1p(40), 1.0),
            float(c.is_fragment),
            float(c.text.rstrip("\"'”’)").endswith("?")),
        ]
        for i, c in enumerate(candidates)
    ]
    return np.array(rows, dtype=np.float64).reshape(len(candidates), len(SENTENCE_FEATURES))


def _pairs(question: Question, candidate: Candidate) -> float:
    """Share of the question's neighbouring terms that stand within three content words of each other, in order."""
    if not question.pairs:
        return 0.0
    terms = candidate.terms
    near = {(a, b) for i, a in enumerate(terms) for b in terms[i + 1 : i + 4]}
    return len(question.pairs & near) / len(question.pairs)


def _specifics(question: Question, candidate: Candidate) -> float:
    """Share of the question's names and numbers that the sentence, or the title over it, holds; 0 when there are none."""
    if not question.specifics:
        return 0.0
    return len(question.specifics & set(candidate.terms)) / len(question.specifics)


def _kind(question: Question, candidate: Candidate) -> tuple[float, float]:
    """Whether the expected kind is offered: for kinds of fact (time, number ...), and for names and places."""
    if question.kind is AnswerKind.ANY:
        return 0.0, 0.0
    sign = 1.0 if offers(question.kind, candidate.text, question.weights.keys()) else -1.0
    return (0.0, sign) if question.kind in (AnswerKind.NAME, AnswerKind.PLACE) else (sign, 0.0)
