"""How far an answer can be trusted: a calibrated probability that the passages answer the question.

A logistic model over the evidence alone, never over what a generator says of itself. Its weights are in
``data/confidence.json``; ``bench/fit_confidence.py`` fits them and says how well they do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ascertain.answering.candidates import Candidate
from ascertain.answering.composition import Composition
from ascertain.answering.linear_model import load_model, sigmoid
from ascertain.answering.question import Question
from ascertain.answering.similarity import Similarity
from ascertain.core.judgements import Groundedness, RetrievalQuality, Sufficiency
from ascertain.core.passages import Confidence, Level, Passage
from ascertain.models.terms import content_terms

HIGH = 70
MEDIUM = 45

EVIDENCE_FEATURES = (
    "similarity",
    "similarity_lead",
    "coverage_lead",
    "pairs",
    "from_first_passage",
    "unseen_specifics",
)

_BACKGROUND = 8
"""Passages that a lead is measured against; where fewer were found, the rest count as unrelated ones."""
_UNRELATED_SIMILARITY = 0.2
_UNRELATED_COVERAGE = 0.25
"""What passages on another subject commonly score (median of the eighth passage on the development sets)."""

_CAVEATS = {
    Level.MEDIUM: "The sources speak to this, but may not answer it fully.",
    Level.LOW: "The sources only touch on this; check the quotations before relying on them.",
    Level.NONE: "Nothing that was found answers this.",
}


@dataclass(frozen=True, slots=True)
class Evidence:
    """All that the confidence of an answer rests on."""

    question: Question
    candidates: Sequence[Candidate]
    passages: Sequence[Passage]
    similarity: Similarity
    best: int
    """The candidate that leads the answer."""
    pairs: float
    """Share of the question's neighbouring terms that stand close together in that candidate."""


@dataclass(frozen=True, slots=True)
class Assessment:
    """Everything the confidence of a finished answer may rest on."""

    question: str
    composition: Composition
    passages: tuple[Passage, ...]
    quality: RetrievalQuality
    sufficiency: Sufficiency
    groundedness: Groundedness
    attempts: int = 1


def evidence_features(evidence: Evidence) -> list[float]:
    """The columns of ``EVIDENCE_FEATURES``; every one but ``unseen_specifics`` speaks for an answer.

    The leads compare the best passage with the rest: an answer stands out, a mere subject does not.
    """
    question = evidence.question
    read = [set(content_terms(p.chunk.indexed_text)) for p in evidence.passages]
    dense = sorted(_passage_similarities(evidence), reverse=True)[:_BACKGROUND]
    coverage = sorted((question.coverage(terms) for terms in read), reverse=True)[:_BACKGROUND]
    dense += [_UNRELATED_SIMILARITY] * (_BACKGROUND - len(dense))
    coverage += [_UNRELATED_COVERAGE] * (_BACKGROUND - len(coverage))
    unseen = question.specifics - set[str]().union(*read)
    return [
        evidence.similarity.closest,
        dense[0] - float(np.mean(dense)),
        coverage[0] - float(np.median(coverage)),
        evidence.pairs,
        float(evidence.candidates[evidence.best].passage == 0),
        len(unseen) / len(question.specifics) if question.specifics else 0.0,
    ]


def answer_confidence(features: Sequence[float], threshold: int) -> Confidence:
    """Confidence 0..100 with its level; NONE below ``threshold``."""
    log_odds = load_model("confidence", EVIDENCE_FEATURES).scores(np.array([features], dtype=np.float64))
    return confidence_of(round(100 * sigmoid(float(log_odds[0]))), threshold)


def confidence_of(score: int, threshold: int) -> Confidence:
    """The level and caveat of a score 0..100."""
    if score < threshold:
        level = Level.NONE
    elif score >= HIGH:
        level = Level.HIGH
    else:
        level = Level.MEDIUM if score >= MEDIUM else Level.LOW
    return Confidence(level, score, _CAVEATS.get(level))


def _passage_similarities(evidence: Evidence) -> list[float]:
    """The dense score of each passage; where a search made none, that of its best sentence."""
    best = [0.0] * len(evidence.passages)
    for candidate, value in zip(evidence.candidates, evidence.similarity.titled, strict=True):
        if not np.isnan(value):
            best[candidate.passage] = max(best[candidate.passage], float(value))
    return [p.scores.get("dense", value) for p, value in zip(evidence.passages, best, strict=True)]
