"""How far an answer can be trusted: a calibrated probability that the passages answer the question.

Logistic regression over the evidence alone; its weights are in ``data/confidence.json``.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ascertain.answering.answer_kinds import AnswerKind, offers
from ascertain.answering.candidates import Candidate
from ascertain.answering.linear_model import as_row, load_model, sigmoid
from ascertain.answering.question import Question
from ascertain.answering.terms import content_terms
from ascertain.core.passages import Confidence, Level, Passage

Matrix = NDArray[np.float64]

HIGH = 70
MEDIUM = 45

EVIDENCE_FEATURES = (
    "best_similarity",
    "further_similarity",
    "passage_similarity",
    "passage_gap",
    "best_coverage",
    "answer_coverage",
    "passage_coverage",
    "unseen",
    "unseen_specifics",
    "kind_offered",
    "agreement",
    "terms",
)

_CAVEATS = {
    Level.MEDIUM: "The sources speak to this, but may not answer it fully.",
    Level.LOW: "The sources only touch on this; check the quotations before relying on them.",
    Level.NONE: "Nothing that was found answers this.",
}


def evidence_features(
    question: Question,
    candidates: Sequence[Candidate],
    chosen: Sequence[int],
    passages: Sequence[Passage],
    similarity: Matrix,
) -> list[float]:
    """The columns of ``EVIDENCE_FEATURES`` for one question with at least one candidate.

    ``similarity`` holds the cosine of each candidate to the question, NaN where it was not computed; ``chosen`` are the
    candidates of the answer.
    """
    ranked = np.sort(similarity[~np.isnan(similarity)])[::-1]
    best = float(ranked[0]) if ranked.size else 0.0
    dense = sorted((p.scores["dense"] for p in passages if "dense" in p.scores), reverse=True) or [best]
    read = [set(content_terms(p.chunk.indexed_text)) for p in passages]
    everything = set[str]().union(*read)
    answer = set[str]().union(*(candidates[i].terms for i in chosen))
    specifics = question.specifics
    return [
        best,
        float(ranked[:4].mean()) if ranked.size else 0.0,
        dense[0],
        dense[0] - dense[1] if len(dense) > 1 else 0.0,
        max(question.coverage(set(c.terms)) for c in candidates),
        question.coverage(answer),
        max((question.coverage(terms) for terms in read), default=0.0),
        1.0 - question.coverage(everything),
        len(specifics - everything) / len(specifics) if specifics else 0.0,
        _kind_offered(question, [candidates[i] for i in chosen]),
        sum(value >= 0.5 for value in dense) / max(len(dense), 1),
        min(len(question.weights), 10) / 10,
    ]


def answer_confidence(features: Sequence[float], threshold: int) -> Confidence:
    """Confidence 0..100 with its level; NONE below ``threshold``."""
    model = load_model("confidence", EVIDENCE_FEATURES)
    return confidence_of(round(100 * sigmoid(float(model.scores(as_row(features))[0]))), threshold)


def confidence_of(score: int, threshold: int) -> Confidence:
    """The level and caveat of a score 0..100."""
    if score < threshold:
        level = Level.NONE
    elif score >= HIGH:
        level = Level.HIGH
    else:
        level = Level.MEDIUM if score >= MEDIUM else Level.LOW
    return Confidence(level, score, _CAVEATS.get(level))


def _kind_offered(question: Question, answer: Sequence[Candidate]) -> float:
    if question.kind is AnswerKind.ANY:
        return 0.0
    known = question.weights.keys()
    return 1.0 if any(offers(question.kind, c.text, known) for c in answer) else -1.0
