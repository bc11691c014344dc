"""How far an answer can be trusted: a calibrated probability that the passages answer the question.

A logistic model over the evidence alone, never over a generator's own claims. Its weights are in
``models/weights``; ``bench/fit/confidence.py`` fits them and says how well they do.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

from ascertain.answering.composition import Composition
from ascertain.answering.evidence import CHOICE, EVIDENCE_FEATURES
from ascertain.answering.judging.reading import READER_EVIDENCE, SECOND_READER_EVIDENCE
from ascertain.answering.units.candidates import UNNAMED, find_missing_names, is_of_unknown_name
from ascertain.core.asking.answers import AnswerType
from ascertain.core.asking.judgements import EvaluatedBy, Evaluation, Groundedness, RetrievalQuality, Sufficiency
from ascertain.core.asking.passages import Confidence, Level, Passage
from ascertain.core.settings import AnswerSettings
from ascertain.language.languages import NAMES, say_sentence
from ascertain.models.logistic_model import compute_sigmoid, convert_log_odds, load_logistic_model
from ascertain.models.vectors.similarity import CROSSING, find_crossing, rate_crossing
from ascertain.questions.reading.question import Question

# Scores become probabilities, and a stated risk a threshold, from questions with known outcome: Platt, "Probabilistic outputs for support vector machines", 1999, for the probabilities; Clopper & Pearson, Biometrika
# 1934, for the bound on the risk; fixed-sequence testing after Angelopoulos et al., "Learn then Test", arXiv
# 2110.01052, so that trying many thresholds does not spoil the bound.

Array = NDArray[np.float64]

_STEPS, _HALVINGS = 100, 30
_CONVERGED = 1e-9
_RIDGE = 0.05
"""Pull of the slope towards 1 and of the intercept towards 0, in outcomes: a few labels should not undo what many
fitted.
"""


@dataclass(frozen=True, slots=True)
class Calibration:
    """``p = sigmoid(slope · log-odds + intercept)``; the identity by default."""

    slope: float = 1.0
    intercept: float = 0.0

    def apply(self, probability: float) -> float:
        """``probability``, 0..1, corrected."""
        return convert_log_odds(self.slope * log_odds(probability) + self.intercept)


@dataclass(frozen=True, slots=True)
class RiskThreshold:
    """``score``: the lowest at which answering keeps within the risk. ``answered`` and ``wrong`` count the labelled
    questions at or above it; ``bound`` is the highest share of wrong answers they leave plausible.
    """

    score: int
    answered: int
    wrong: int
    bound: float


def log_odds(probability: float) -> float:
    """Log-odds of a probability; 0 and 1 are clipped at one in a thousand."""
    held = min(max(probability, 1e-3), 1 - 1e-3)
    return math.log(held / (1 - held))


def fit_calibration(probabilities: Sequence[float], right: Sequence[bool]) -> Calibration:
    """Platt scaling with his smoothed targets, by Newton's method with shorter steps where a whole one leads up (Lin, Lin
    and Weng, "A Note on Platt's Probabilistic Outputs", 2007); the identity where all outcomes are alike or none is
    given.

    ``probabilities`` are 0..1; the slope is never negative, so that the order of questions is preserved.
    """
    labels = np.array(right, dtype=np.float64)
    positive, negative = float(labels.sum()), float((1 - labels).sum())
    if positive == 0 or negative == 0:
        return Calibration()
    target = np.where(labels == 1, (positive + 1) / (positive + 2), 1 / (negative + 2))
    scores: Array = np.array([log_odds(p) for p in probabilities], dtype=np.float64)
    design = np.column_stack([scores, np.ones_like(scores)])
    start = np.array([1.0, 0.0])
    point = start.copy()
    for _ in range(_STEPS):
        p = compute_sigmoid(design @ point)
        slope = design.T @ (p - target) + _RIDGE * (point - start)
        curvature = (design.T * np.maximum(p * (1 - p), 1e-9)) @ design + _RIDGE * np.eye(2)
        step: Array = np.linalg.solve(curvature, slope).astype(np.float64)
        point = _step_down(lambda at: _measure_loss(design, target, at, start), point, step)
        if float(np.abs(step).max()) < _CONVERGED:
            break
    return Calibration(max(float(point[0]), 0.0), float(point[1]))


def _measure_loss(design: Array, target: Array, point: Array, start: Array) -> float:
    odds = design @ point
    return float((np.logaddexp(0, odds) - target * odds).sum() + _RIDGE / 2 * np.square(point - start).sum())


def _step_down(measure: Callable[[Array], float], point: Array, step: Array) -> Array:
    """``point`` after the largest part of ``step`` that does not raise the loss."""
    before = measure(point)
    for halvings in range(_HALVINGS):
        shorter = point - step / 2**halvings
        if measure(shorter) <= before:
            return shorter
    return point


def choose_threshold(
    scores: Sequence[int], right: Sequence[bool], risk: float, certainty: float
) -> RiskThreshold | None:
    """The lowest score from which at most a share ``risk`` of answers is wrong, with probability ``certainty``.

    Thresholds are tried downwards from the first with enough answered questions for a bound to be possible, until one
    fails. None when none qualifies: there are too few questions, or too many wrong ones among the surest.
    """
    needed = math.ceil(math.log(1 - certainty) / math.log(1 - risk))
    threshold: RiskThreshold | None = None
    for score in sorted(set(scores), reverse=True):
        outcomes = [ok for value, ok in zip(scores, right, strict=True) if value >= score]
        if len(outcomes) < needed:
            continue
        wrong = outcomes.count(False)
        bound = upper_bound(wrong, len(outcomes), certainty)
        if bound > risk:
            break
        threshold = RiskThreshold(score, len(outcomes), wrong, bound)
    return threshold


def upper_bound(wrong: int, answered: int, certainty: float) -> float:
    """Clopper-Pearson: the highest share of wrong answers that ``wrong`` of ``answered`` leaves plausible; 1 for none
    answered.
    """
    if answered == 0 or wrong >= answered:
        return 1.0
    low, high = wrong / answered, 1.0
    while high - low > 1e-9:
        middle = (low + high) / 2
        if _at_most(wrong, answered, middle) > 1 - certainty:
            low = middle
        else:
            high = middle
    return high


def _at_most(wrong: int, answered: int, share: float) -> float:
    """Chance of at most ``wrong`` in ``answered`` draws at ``share`` (0 < share < 1)."""
    if share <= 0:
        return 1.0
    logs = [
        math.lgamma(answered + 1)
        - math.lgamma(k + 1)
        - math.lgamma(answered - k + 1)
        + k * math.log(share)
        + (answered - k) * math.log1p(-share)
        for k in range(wrong + 1)
    ]
    return math.fsum(math.exp(value) for value in logs)


HIGH = 70
MEDIUM = 45
STRONG = 55
"""Confidence of the evidence from which a chat model that twice finds no answer does not suppress it (by judgement)."""

_CAVEATS = {
    Level.MEDIUM: "The sources speak to this, but may not answer it fully.",
    Level.LOW: "The sources only touch on this; check the quotations before relying on them.",
    Level.NONE: "Nothing that was found answers this.",
}


@dataclass(frozen=True, slots=True)
class Assessment:
    """Everything the confidence of a finished answer may depend on; ``evaluation`` is None until it is evaluated."""

    question: Question
    composition: Composition
    passages: tuple[Passage, ...]
    quality: RetrievalQuality
    sufficiency: Sufficiency
    groundedness: Groundedness
    evaluation: Evaluation | None = None
    withheld: tuple[int, ...] = ()
    """Confidence, 0..100, of earlier attempts at the same question that were too uncertain to be shown."""
    is_declined: bool = False
    """Whether a chat model found no answer twice: when it judged the passages and when it was to write, or twice when it was to
    write, with nothing new in between."""
    is_off_topic: bool = False
    """Whether the rules find no passage on the subject, though a chat model does."""
    lies_outside: bool = False
    """Whether something it quotes is outside the requested period."""
    was_fetched: bool = False
    """Whether it rests on what a news provider found for the question, which vouches that this is about the names in it."""


ANSWER_FEATURES = ("evidence", "evaluation", CHOICE)
"""Of an evaluated quoted answer; fitted by ``bench/fit/answer_confidence.py``."""
BESIDE = 0.25
"""The highest confidence of an answer that only repeats the question or shares nothing with it: of sixteen such answers of ``asked``,
``wild`` (dev) and ``xquad_en`` a quarter were right.
"""
MOST_PRAISE = 90
"""Score of an evaluation above which it is no longer informative: right and wrong answers are distributed alike from there to 100."""
WRITTEN_EVIDENCE, WRITTEN_EVALUATION = 0.2, 0.8
"""Weights of the log-odds of evidence and evaluation in those of a written answer."""
_EVIDENCE_BOUNDS, _EVALUATION_BOUNDS = (0.1, 0.9), (0.03, 0.97)
"""Between which the two are weighed: a writer may find in poor passages what no sentence of them says, good passages
do not make an irrelevant answer right, and no evaluation is certain.
"""
DOUBTED = "The chat model found no answer in these sources; these are the nearest sentences."


def assess_confidence(assessment: Assessment, settings: AnswerSettings) -> Confidence:
    """How far a finished answer can be trusted; low at most where it is not from the requested period."""
    sure = _assess_evidence(assessment, settings)
    if not assessment.lies_outside or sure.score < MEDIUM:
        return sure
    return confidence_of(MEDIUM - 1, settings.rejection_threshold, assessment.question.language)


def _assess_evidence(assessment: Assessment, settings: AnswerSettings) -> Confidence:
    """The calibrated probability, in percent, that a finished answer is right and supported (AN-7).

    Of a quoted answer: the evidence where the composition holds it, the retrieval's quality otherwise, weighed with its
    evaluation, and averaged with earlier attempts that were withheld: the best of several tries looks surer than it is
    (docs/confidence.md). Of a written one: evidence and evaluation weighed, since the writer may
    have read what no single sentence says. Either is lowered by the share of claims without support, and never high where
    it fails its evaluation. The level is NONE
    below ``settings.rejection_threshold``, and for a rejection always.
    """
    composition, evaluation = assessment.composition, assessment.evaluation
    if composition.type is AnswerType.REJECTION or not assessment.passages:
        return confidence_of(0, 1, assessment.question.language)
    crossing = find_crossing(assessment.passages)
    if crossing is not None and composition.quoted is None:
        score = min(round(100 * rate_crossing(crossing) * assessment.groundedness.score), HIGH - 1)
        sure = confidence_of(score, settings.rejection_threshold, assessment.question.language)
        if sure.level is Level.NONE:
            return sure
        languages = sorted({NAMES.get(code, code) for code in _list_languages(assessment.passages)})
        told = say_sentence(OTHER_LANGUAGE, assessment.question.language, language=", ".join(languages))
        return replace(sure, caveat=f"{told} {sure.caveat or ''}".strip())
    question = assessment.question
    missing = find_missing_names(question, assessment.passages)
    if composition.quoted is not None and not assessment.groundedness.unsupported:
        # a writer whose every claim has support may know a name in another form, the UK as the United Kingdom
        missing = ()
    likely = predict_probability(composition.evidence) if composition.evidence else assessment.quality.score / 100
    before = _of_probability(likely * assessment.groundedness.score, missing, settings, assessment.question.language)
    if evaluation is not None:
        is_written = composition.quoted is not None and evaluation.by is not EvaluatedBy.RULES
        likely = (
            _weigh_written(likely, evaluation)
            if is_written
            else _weigh_quoted(likely, evaluation, composition.evidence)
        )
        is_told = composition.quoted is not None and evaluation.is_sufficient(assessment.quality)
        if assessment.is_off_topic and not is_told:
            return confidence_of(0, 1, assessment.question.language)
    sure = _of_probability(likely * assessment.groundedness.score, missing, settings, assessment.question.language)
    if evaluation is not None and not evaluation.is_sufficient(assessment.quality):
        sure = _with_score(sure, min(sure.score, HIGH - 1), missing, settings, language=assessment.question.language)
    is_found_elsewhere = composition.quoted is not None or assessment.was_fetched
    if not is_found_elsewhere and is_of_unknown_name(question, assessment.passages):
        sure = _with_score(
            sure,
            min(sure.score, settings.rejection_threshold - 1),
            missing,
            settings,
            language=assessment.question.language,
        )
    if assessment.withheld and composition.quoted is None:
        sure = _with_score(
            sure,
            round(fmean([sure.score, *assessment.withheld])),
            missing,
            settings,
            language=assessment.question.language,
        )
    if composition.is_doubted and evaluation is not None:
        is_consistent = assessment.is_declined and before.score < STRONG
        return _doubt_confidence(sure, missing, settings, assessment.question.language, is_consistent=is_consistent)
    return sure


OTHER_LANGUAGE = "The sources are in another language ({language}); their words are quoted as they stand."


def _list_languages(passages: Sequence[Passage]) -> set[str]:
    return {passage.chunk.language or "" for passage in passages if CROSSING in passage.scores}


def answer_features(likely: float, evaluation: Evaluation, evidence: Mapping[str, float]) -> dict[str, float]:
    """What the confidence of a quoted answer depends on, by name; ``likely`` is the chance by the ``evidence``, 0..1.

    How far the first sentence stands out does not show whether the passages answer, only whether it is the one that does.
    """
    return {
        "evidence": log_odds(likely),
        "evaluation": min(evaluation.score, MOST_PRAISE) / 100,
        CHOICE: evidence.get(CHOICE, 0.0),
    }


def weigh_as_quoted(evidence: Mapping[str, float], evaluation: Evaluation) -> float:
    """The chance, 0..1, that an answer with this evidence and evaluation would have if it were quoted."""
    return _weigh_quoted(predict_probability(evidence), evaluation, evidence)


def _weigh_quoted(likely: float, evaluation: Evaluation, evidence: Mapping[str, float]) -> float:
    model = load_logistic_model("answer_confidence", ANSWER_FEATURES)
    chance = convert_log_odds(model.weigh_features(answer_features(likely, evaluation, evidence)))
    return chance if evaluation.score else min(chance, BESIDE)


def _weigh_written(likely: float, evaluation: Evaluation) -> float:
    evidence = log_odds(_hold_within(likely, _EVIDENCE_BOUNDS))
    evaluated = log_odds(_hold_within(evaluation.score / 100, _EVALUATION_BOUNDS))
    return convert_log_odds(WRITTEN_EVIDENCE * evidence + WRITTEN_EVALUATION * evaluated)


def _hold_within(value: float, bounds: tuple[float, float]) -> float:
    return min(max(value, bounds[0]), bounds[1])


def _doubt_confidence(
    sure: Confidence, missing: Sequence[str], settings: AnswerSettings, language: str, *, is_consistent: bool
) -> Confidence:
    """Low at most; NONE where the model found no answer for the second time, and the evidence is not strong.

    A model's silence alone withholds nothing more: one that always declines would suppress every document.
    """
    if sure.level is Level.NONE or is_consistent:
        return confidence_of(min(sure.score, settings.rejection_threshold - 1), settings.rejection_threshold, language)
    lowered = _with_score(sure, min(sure.score, MEDIUM - 1), missing, settings, language=language)
    return replace(lowered, caveat=f"{say_sentence(DOUBTED, language)} {lowered.caveat or ''}".strip())


def _with_score(
    sure: Confidence, score: int, missing: Sequence[str], settings: AnswerSettings, *, language: str
) -> Confidence:
    if score == sure.score:
        return sure
    agreed = confidence_of(score, settings.rejection_threshold, language)
    return replace(agreed, caveat=_note_missing(missing, agreed.caveat, language))


def evidence_confidence(
    evidence: Mapping[str, float], missing: Sequence[str], settings: AnswerSettings, language: str
) -> Confidence:
    """The confidence that ``evidence`` (see ``answering.evidence``) gives where the passages never mention ``missing``."""
    return _of_probability(predict_probability(evidence), missing, settings, language)


def _of_probability(value: float, missing: Sequence[str], settings: AnswerSettings, language: str) -> Confidence:
    calibration = Calibration(settings.calibration_slope, settings.calibration_intercept)
    lowered = value * (UNNAMED if missing else 1.0)
    sure = confidence_of(round(100 * calibration.apply(lowered)), settings.rejection_threshold, language)
    return replace(sure, caveat=_note_missing(missing, sure.caveat, language))


def _note_missing(missing: Sequence[str], caveat: str | None, language: str) -> str | None:
    if not missing:
        return caveat
    named = ", ".join(f"“{name}”" for name in missing)
    return (
        f"{say_sentence('No passage that was found mentions {named}.', language, named=named)} {caveat or ''}".strip()
    )


def predict_probability(evidence: Mapping[str, float]) -> float:
    """The chance, 0..1, that passages with this evidence answer; by the weights for the parts available."""
    names: tuple[str, ...] = EVIDENCE_FEATURES
    model = "confidence"
    if all(name in evidence for name in READER_EVIDENCE):
        names, model = (*names, *READER_EVIDENCE), "confidence_with_reader"
        if all(name in evidence for name in SECOND_READER_EVIDENCE):
            names, model = (*names, *SECOND_READER_EVIDENCE), "confidence_with_both_readers"
    return convert_log_odds(load_logistic_model(model, names).weigh_features(evidence))


def confidence_of(score: int, threshold: int, language: str) -> Confidence:
    """The level and caveat of a score 0..100."""
    if score < threshold:
        level = Level.NONE
    elif score >= HIGH:
        level = Level.HIGH
    else:
        level = Level.MEDIUM if score >= MEDIUM else Level.LOW
    caveat = _CAVEATS.get(level)
    return Confidence(level, score, say_sentence(caveat, language) if caveat else None)
