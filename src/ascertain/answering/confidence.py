"""How far an answer can be trusted: a calibrated probability that the passages answer the question.

A logistic model over the evidence alone, never over what a generator says of itself. Its weights are in
``data/confidence.json``; ``bench/fit_confidence.py`` fits them and says how well they do.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ascertain.answering.composition import Composition
from ascertain.answering.evidence import EVIDENCE_FEATURES
from ascertain.answering.linear_model import load_model, sigmoid
from ascertain.answering.mentions import UNNAMED, unnamed
from ascertain.answering.question import analyse
from ascertain.core.answers import AnswerType
from ascertain.core.judgements import Groundedness, RetrievalQuality, Sufficiency
from ascertain.core.passages import Confidence, Level, Passage
from ascertain.core.settings import AnswerSettings

HIGH = 70
MEDIUM = 45

_CAVEATS = {
    Level.MEDIUM: "The sources speak to this, but may not answer it fully.",
    Level.LOW: "The sources only touch on this; check the quotations before relying on them.",
    Level.NONE: "Nothing that was found answers this.",
}


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


def assess(assessment: Assessment, settings: AnswerSettings) -> Confidence:
    """The calibrated probability, in percent, that a finished answer is right and supported (AN-7).

    The evidence where the composition holds it, the retrieval's quality otherwise; then lowered by the share of claims
    without support. The level is NONE below ``settings.rejection_threshold``, and for a rejection always.
    """
    composition = assessment.composition
    if composition.type is AnswerType.REJECTION or not assessment.passages:
        return confidence_of(0, 1)
    missing = unnamed(analyse(assessment.question), assessment.passages)
    if composition.evidence:
        sure = evidence_confidence(composition.evidence, missing, settings)
    else:
        sure = less_sure(
            confidence_of(assessment.quality.score, settings.rejection_threshold),
            missing,
            settings.rejection_threshold,
        )
    score = round(sure.score * assessment.groundedness.score)
    return replace(sure, score=score, level=confidence_of(score, settings.rejection_threshold).level)


def evidence_confidence(
    evidence: Mapping[str, float], missing: Sequence[str], settings: AnswerSettings
) -> Confidence:
    """The confidence that ``evidence`` (see ``answering.evidence``) gives where the passages never name ``missing``."""
    row = [evidence[name] for name in EVIDENCE_FEATURES]
    threshold = settings.rejection_threshold
    return less_sure(answer_confidence(row, threshold), missing, threshold)


def answer_confidence(features: Sequence[float], threshold: int) -> Confidence:
    """Confidence 0..100 with its level; NONE below ``threshold``. ``features`` in the order of ``EVIDENCE_FEATURES``."""
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


def less_sure(confidence: Confidence, missing: Sequence[str], threshold: int) -> Confidence:
    """``confidence`` when the passages never name ``missing``: lower, with a caveat that says so."""
    if not missing:
        return confidence
    lowered = confidence_of(round(UNNAMED * confidence.score), threshold)
    named = ", ".join(f"“{name}”" for name in missing)
    note = f"No passage that was found mentions {named}."
    return replace(lowered, caveat=f"{note} {lowered.caveat or ''}".strip())
