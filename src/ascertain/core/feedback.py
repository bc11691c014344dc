"""Feedback: which answers satisfied people, by kind of question and way of searching (UI-6)."""

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from ascertain.core.service import GivenAnswer

Z = 1.959964
"""Standard normal quantile of a 95 % interval."""


@dataclass(frozen=True, slots=True)
class Satisfaction:
    """Feedback on the answers to one kind of question that were searched for in one way.

    ``low`` and ``high`` bound the share of thumbs up, by Wilson's interval.
    """

    question_kind: str
    strategy: str
    judged: int
    up: int
    low: float
    high: float

    @property
    def share(self) -> float:
        """Thumbs up of all feedback, 0..1."""
        return self.up / self.judged


@dataclass(frozen=True, slots=True)
class FeedbackSummary:
    """``rows`` are ordered by kind of question, within one the more satisfying strategy first."""

    judged: int
    up: int
    rows: tuple[Satisfaction, ...]


def summarise_feedback(judged: Iterable[GivenAnswer]) -> FeedbackSummary:
    """The feedback in ``judged`` counted by kind of question and strategy; answers nobody judged are left out."""
    counts: Counter[tuple[str, str]] = Counter()
    ups: Counter[tuple[str, str]] = Counter()
    for answer in judged:
        if answer.thumb is None:
            continue
        key = (answer.question_kind, answer.strategy)
        counts[key] += 1
        ups[key] += answer.thumb == "up"
    rows = [Satisfaction(*key, number, ups[key], *wilson_interval(ups[key], number)) for key, number in counts.items()]
    rows.sort(key=lambda row: (row.question_kind, -row.low, row.strategy))
    return FeedbackSummary(counts.total(), ups.total(), tuple(rows))


def wilson_interval(successes: int, trials: int) -> tuple[float, float]:
    """The 95 % score interval of a share, each bound 0..1; (0, 1) without trials.

    Wilson, JASA 1927; holds for few trials too.
    """
    if trials == 0:
        return 0.0, 1.0
    share = successes / trials
    spread = Z * math.sqrt(share * (1 - share) / trials + Z * Z / (4 * trials * trials))
    middle, scale = share + Z * Z / (2 * trials), 1 + Z * Z / trials
    # the share itself bounds what rounding leaves at the ends
    return max(0.0, min(share, (middle - spread) / scale)), min(1.0, max(share, (middle + spread) / scale))
