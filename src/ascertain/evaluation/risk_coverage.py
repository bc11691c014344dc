"""How an answerer trades answers for errors: risk over coverage, and whether its confidence means what it says.

El-Yaniv & Wiener, "On the foundations of noise-free selective classification", JMLR 2010; Guo et al., "On calibration of modern
neural networks", ICML 2017. Risk is the share of wrong answers among those given, coverage the share of questions answered.
"""

from __future__ import annotations

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
    """A point for each distinct confidence, the surest first; empty for no questions."""
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
    """Share of right answers among the surest ``coverage`` of the questions, 0..1; None for no questions."""
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
