"""Feedback: which answers satisfied people, by kind of question and way of searching (UI-6), and recent changes."""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from statistics import fmean, stdev

from ascertain.core.serialisation import Serialisable
from ascertain.core.service.service import GivenAnswer

Z = 1.959964
"""Standard normal quantile of a 95 % interval."""


@dataclass(frozen=True, slots=True)
class Satisfaction(
    Serialisable,
    computed={"share": "up"},
    examples={
        "question_kind": "factual",
        "strategy": "hybrid",
        "judged": 12,
        "up": 9,
        "share": 0.75,
        "low": 0.467695,
        "high": 0.911058,
    },
):
    """Feedback on answers to one kind of question found in one way."""

    question_kind: str
    strategy: str
    judged: int
    up: int
    low: float
    """`low` and `high` bound the share (95 %)."""
    high: float

    @property
    def share(self) -> float:
        """Thumbs up of all feedback."""
        return self.up / self.judged


@dataclass(frozen=True, slots=True)
class FeedbackSummary(Serialisable, examples={"judged": 12, "up": 9}):
    """Feedback counted; see [cache-and-feedback.md](cache-and-feedback.md)."""

    judged: int
    up: int
    rows: tuple[Satisfaction, ...]


def summarise_feedback(judged: Iterable[GivenAnswer]) -> FeedbackSummary:
    """The feedback in ``judged`` counted by kind of question and strategy; answers without feedback are left out."""
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


@dataclass(frozen=True, slots=True)
class Figure(Serialisable, examples={"value": 0.12, "low": 0.07, "high": 0.2}):
    """A mean or share with its 95 % interval."""

    value: float | None
    """Null without data."""
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Period(
    Serialisable,
    examples={"begin": "2026-11-15T10:00:00+00:00", "end": "2026-11-22T10:00:00+00:00", "answers": 120, "judged": 14},
):
    """The answers of some days."""

    begin: datetime
    end: datetime
    answers: int
    judged: int
    confidence: Figure
    """The mean, 0 to 100."""
    declined: Figure
    """The share of questions without an answer."""
    up: Figure
    """Thumbs up of all feedback."""


@dataclass(frozen=True, slots=True)
class UnansweredTheme(Serialisable, examples={"word": "invoice", "questions": ["Where do I find my invoice?"]}):
    """Questions without an answer that share a word."""

    word: str
    questions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Drift(Serialisable, examples={"moved": ["declined"]}):
    """Recent changes in the answers."""

    recent: Period
    earlier: Period
    """The time before, four times as long."""
    moved: tuple[str, ...]
    """Of `confidence`, `declined` and `up`, those whose intervals do not overlap."""
    course: tuple[Period, ...]
    """Both in periods of one length, the oldest first."""
    unanswered: tuple[UnansweredTheme, ...]
    """Recent questions without an answer, by a word they share."""


COURSE = 5
"""Periods of a course: the recent one and four before it, which it is compared with."""
MOVING = ("confidence", "declined", "up")


def compare_periods(
    answers: Sequence[GivenAnswer], now: datetime, days: int
) -> tuple[Period, Period, tuple[str, ...], tuple[Period, ...]]:
    """The last ``days`` before ``now``, the four times as many before, the figures that moved, and the course."""
    length = timedelta(days=days)
    ends = [now - length * back for back in reversed(range(COURSE))]
    course = tuple(_measure_period(answers, end - length, end) for end in ends)
    earlier = _measure_period(answers, begin_course(now, days), now - length)
    moved = tuple(name for name in MOVING if _lie_apart(getattr(course[-1], name), getattr(earlier, name)))
    return course[-1], earlier, moved, course


def begin_course(now: datetime, days: int) -> datetime:
    """The moment before which no answer counts in the periods that are compared."""
    return now - COURSE * timedelta(days=days)


def _measure_period(answers: Sequence[GivenAnswer], begin: datetime, end: datetime) -> Period:
    held = [answer for answer in answers if begin < answer.answered_at <= end]
    judged = [answer for answer in held if answer.thumb is not None]
    return Period(
        begin=begin,
        end=end,
        answers=len(held),
        judged=len(judged),
        confidence=_average_confidence([answer.confidence for answer in held]),
        declined=_measure_share(sum(answer.answer_type == "rejection" for answer in held), len(held)),
        up=_measure_share(sum(answer.thumb == "up" for answer in judged), len(judged)),
    )


def _average_confidence(scores: Sequence[int]) -> Figure:
    """With the interval of a normal mean, which a few answers make wide; none for one answer."""
    if not scores:
        return Figure(None, 0.0, 100.0)
    mean = fmean(scores)
    spread = Z * stdev(scores) / math.sqrt(len(scores)) if len(scores) > 1 else 100.0
    return Figure(mean, max(0.0, mean - spread), min(100.0, mean + spread))


def _measure_share(part: int, whole: int) -> Figure:
    return Figure(part / whole if whole else None, *wilson_interval(part, whole))


def _lie_apart(one: Figure, other: Figure) -> bool:
    return None not in (one.value, other.value) and (one.low > other.high or one.high < other.low)
