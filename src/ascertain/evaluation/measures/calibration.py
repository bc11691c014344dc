"""The quality of a confidence: whether it is calibrated, and whether it separates right from wrong.

Risk over coverage says how answers are traded for errors, calibration whether a confidence means what it says:
El-Yaniv & Wiener, "On the foundations of noise-free selective classification", JMLR 2010; Guo et al., "On calibration
of modern neural networks", ICML 2017. Risk is the share of wrong answers among those given, coverage the share of
questions answered.

AUROC asks only whether the confidence is higher for one kind of question than for the other: the chance that a random question
of the first scores above a random one of the second, ties counting half (the Mann-Whitney U statistic over n·m).
"""

from collections.abc import Sequence
from dataclasses import dataclass

BINS = 10


@dataclass(frozen=True, slots=True)
class Judged:
    """One question: the confidence of its answer, 0..1, and whether that was right."""

    confidence: float
    right: bool


@dataclass(frozen=True, slots=True)
class Point:
    """What answering from ``threshold`` up gives."""

    threshold: float
    coverage: float
    risk: float


def risk_coverage_curve(judged: Sequence[Judged]) -> list[Point]:
    """A point for each distinct confidence, the most confident first; empty for no questions."""
    ordered = sorted(judged, key=lambda one: -one.confidence)
    points: list[Point] = []
    wrong = 0
    for answered, one in enumerate(ordered, start=1):
        wrong += not one.right
        if answered == len(ordered) or ordered[answered].confidence < one.confidence:
            points.append(Point(one.confidence, answered / len(ordered), wrong / answered))
    return points


def area_under_risk_coverage(judged: Sequence[Judged]) -> float | None:
    """Mean risk over all coverages, lower is better; ties share their risk. None for no questions."""
    points = risk_coverage_curve(judged)
    if not points:
        return None
    area = before = 0.0
    for point in points:
        area += point.risk * (point.coverage - before)
        before = point.coverage
    return area


def selective_accuracy(judged: Sequence[Judged], coverage: float) -> float | None:
    """Share of right answers among the most confident ``coverage`` of the questions, 0..1; None for no questions."""
    reached = [point for point in risk_coverage_curve(judged) if point.coverage >= coverage - 1e-9]
    return 1.0 - reached[0].risk if reached else None


def calibration_error(judged: Sequence[Judged]) -> float | None:
    """Expected calibration error over ten bins of equal width: mean gap of confidence and accuracy. None for no questions."""
    bins: list[list[Judged]] = [[] for _ in range(BINS)]
    for one in judged:
        bins[min(int(one.confidence * BINS), BINS - 1)].append(one)
    if not judged:
        return None
    gaps = (abs(sum(one.confidence - one.right for one in held)) for held in bins)
    return sum(gaps) / len(judged)


def brier_score(judged: Sequence[Judged]) -> float | None:
    """Mean squared gap of confidence and outcome, lower is better; None for no questions."""
    if not judged:
        return None
    return sum((one.confidence - one.right) ** 2 for one in judged) / len(judged)


def compute_auroc(positive: Sequence[float], negative: Sequence[float]) -> float | None:
    """Area under the ROC curve of a score that should be higher for ``positive``; None when either is empty."""
    if not positive or not negative:
        return None
    scored = sorted([(score, True) for score in positive] + [(score, False) for score in negative])
    below = 0
    wins = 0.0
    start = 0
    while start < len(scored):
        end = start
        while end < len(scored) and scored[end][0] == scored[start][0]:
            end += 1
        ups = sum(is_positive for _, is_positive in scored[start:end])
        downs = end - start - ups
        wins += ups * (below + downs / 2)
        below += downs
        start = end
    return wins / (len(positive) * len(negative))
