"""How far an answer can be trusted: a calibrated probability that the passages answer the question.

A logistic model over the evidence alone, never over what a generator says of itself. Its weights are in
``models/weights``; ``bench/fit_confidence.py`` fits them and says how well they do.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean

from ascertain.answering.calibration import Calibration
from ascertain.answering.composition import Composition
from ascertain.answering.evidence import EVIDENCE_FEATURES, TOKEN_FEATURES
from ascertain.answering.mentions import UNNAMED, unnamed
from ascertain.answering.question import analyse
from ascertain.core.answers import AnswerType
from ascertain.core.judgements import Groundedness, RetrievalQuality, Sufficiency
from ascertain.core.passages import Confidence, Level, Passage
from ascertain.core.settings import AnswerSettings
from ascertain.models.logistic_model import convert_log_odds, load_logistic_model

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
    earlier: tuple[int, ...] = ()
    """Confidence, 0..100, of the earlier attempts at the same question."""


def assess(assessment: Assessment, settings: AnswerSettings) -> Confidence:
    """The calibrated probability, in percent, that a finished answer is right and supported (AN-7).

    The evidence where the composition holds it, the retrieval's quality otherwise; then lowered by the share
    of claims without support, and averaged with the earlier attempts at the same question: the best of
    several tries looks surer than it is (docs/confidence.md). The level is NONE below
    ``settings.rejection_threshold``, and for a rejection always.
    """
    composition = assessment.composition
    if composition.type is AnswerType.REJECTION or not assessment.passages:
        return confidence_of(0, 1)
    missing = unnamed(analyse(assessment.question), assessment.passages)
    likely = probability(composition.evidence) if composition.evidence else assessment.quality.score / 100
    likely *= assessment.groundedness.score
    sure = _of_probability(likely, missing, settings)
    if not assessment.earlier:
        return sure
    score = round(fmean([sure.score, *assessment.earlier]))
    agreed = confidence_of(score, settings.rejection_threshold)
    return replace(agreed, caveat=_noted(missing, agreed.caveat))


def evidence_confidence(
    evidence: Mapping[str, float], missing: Sequence[str], settings: AnswerSettings
) -> Confidence:
    """The confidence that ``evidence`` (see ``answering.evidence``) gives where the passages never name
    ``missing``.
    """
    return _of_probability(probability(evidence), missing, settings)


def _of_probability(value: float, missing: Sequence[str], settings: AnswerSettings) -> Confidence:
    calibration = Calibration(settings.calibration_slope, settings.calibration_intercept)
    lowered = value * (UNNAMED if missing else 1.0)
    sure = confidence_of(round(100 * calibration.apply(lowered)), settings.rejection_threshold)
    return replace(sure, caveat=_noted(missing, sure.caveat))


def _noted(missing: Sequence[str], caveat: str | None) -> str | None:
    if not missing:
        return caveat
    named = ", ".join(f"“{name}”" for name in missing)
    return f"No passage that was found mentions {named}. {caveat or ''}".strip()


def probability(evidence: Mapping[str, float]) -> float:
    """The chance, 0..1, that passages with this evidence answer; by the weights without tokens where it has
    none.
    """
    has_tokens = all(name in evidence for name in TOKEN_FEATURES)
    names = (*EVIDENCE_FEATURES, *TOKEN_FEATURES) if has_tokens else EVIDENCE_FEATURES
    model = load_logistic_model("confidence" if has_tokens else "confidence_without_tokens", names)
    return convert_log_odds(model.weigh_features(evidence))


def confidence_of(score: int, threshold: int) -> Confidence:
    """The level and caveat of a score 0..100."""
    if score < threshold:
        level = Level.NONE
    elif score >= HIGH:
        level = Level.HIGH
    else:
        level = Level.MEDIUM if score >= MEDIUM else Level.LOW
    return Confidence(level, score, _CAVEATS.get(level))
