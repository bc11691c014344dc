"""The narrative by rules: the figures and quotations of an analysis in a few sentences."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ascertain.core.reports.analysis import AnalysisKind, Course, Direction, Findings, Forecast, Horizon, Mood, Move
from ascertain.reports.analysis.agreement import describe_move, format_level
from ascertain.reports.analysis.forecasts import find_horizon
from ascertain.workflow.analysis.figures import (
    FEWEST_BEFORE,
    MOST_COURSES,
    MOST_TURNS,
    describe_turn,
    format_short_day,
    list_differing,
)
from ascertain.workflow.analysis.steps import Scope

MOST_SPEAKERS, MOST_SINGLE = 3, 3
ALIKE = 0.15
"""Difference of shares up to which two periods are alike (by judgement: one article of seven)."""


def tell_in_short(scope: Scope, findings: Findings) -> list[str]:
    """What rose, what turned, how it is spoken of, and who expects what by when; the requested part first."""
    courses = [_word_course(each) for each in findings.courses[:MOST_COURSES]]
    courses += [describe_turn(each) for each in findings.turning_points[:MOST_TURNS]]
    parts = {
        AnalysisKind.DISAGREEMENT: list(list_differing(findings)),
        AnalysisKind.TREND: courses or list(_word_moves(scope, findings.moves)),
        AnalysisKind.MOOD: [_word_moods(findings)],
        AnalysisKind.PREDICTION: list(_word_expectations(findings.forecasts)),
    }
    asked = parts.pop(scope.asked.kind, [])
    parts.pop(AnalysisKind.DISAGREEMENT, None)
    return [*asked, *(line for part in parts.values() for line in part)]


def _word_course(course: Course) -> str:
    first, last = course.first.level or 0.0, course.last.level or 0.0
    change = 100 * (last - first) / first if first else 0.0
    went = "stayed near" if abs(change) < 1 else "rose from" if change > 0 else "fell from"
    size = "" if abs(change) < 1 else f" to {_word_level(course.last)}, by {abs(change):.0f} %"
    ends = [
        f"the {name} that the texts tell is {_word_level(each)}"
        for name, each in (("highest", course.highest), ("lowest", course.lowest))
        if each.level not in {course.first.level, course.last.level}
    ]
    over = f"; {_word_years(course)}{' and '.join(ends)}" if ends else ""
    return f"{course.subject} {went} {_word_level(course.first)}{size}{over}."


def _word_level(move: Move) -> str:
    return f"{format_level(move)} ({format_short_day(move.day)})"


def _word_years(course: Course) -> str:
    """The years of a highest and a lowest, where there are several."""
    first, last = course.first.day, course.last.day
    return f"from {first.year} to {last.year} " if first and last and first.year != last.year else ""


def _word_moves(scope: Scope, moves: Sequence[Move]) -> Iterator[str]:
    """The largest moves, each by its day or by that of the document that tells it."""
    published_on = {each.id: each.published_at for each in scope.records}
    largest = sorted((each for each in moves if each.percent is not None), key=lambda each: -(each.percent or 0.0))
    for move in largest[:MOST_SINGLE]:
        published = published_on.get(move.quote.document_id)
        as_of = f", as told on {format_short_day(published.date())}" if published and move.day is None else ""
        yield f"{_capitalise(describe_move(move))}{as_of}."


def _capitalise(text: str) -> str:
    return text[:1].upper() + text[1:]


def _word_moods(findings: Findings) -> str:
    counts = {each.mood: len(each.documents) for each in findings.shares}
    total, good, bad = len(findings.documents), counts[Mood.POSITIVE], counts[Mood.NEGATIVE]
    if total == 1:
        return f"The one document is {next(mood for mood, count in counts.items() if count).value} in tone."
    if good + bad == 0:
        return f"None of the {total:,} documents takes a side."
    tone = f"In tone {good or 'none'} of {total:,} documents {'is' if good == 1 else 'are'} positive, {bad or 'none'} negative"
    before = findings.before
    if before is None or before.documents < FEWEST_BEFORE:
        return f"{tone}."
    then = {each.mood: each.share for each in before.shares}
    change = (good - bad) / total - (then[Mood.POSITIVE] - then[Mood.NEGATIVE])
    how = "much as" if abs(change) < ALIKE else "better than" if change > 0 else "worse than"
    return f"{tone}: {how} in the period before."


_BY_WHEN = {Horizon.MONTH: "Within a month", Horizon.YEAR: "Within a year", Horizon.OPEN: "Later, or without a time"}


def _word_expectations(forecasts: Sequence[Forecast]) -> Iterator[str]:
    """Who expects what, by when; of what, where they speak of several things."""
    directed = [each for each in forecasts if each.direction is not None]
    subjects = list(dict.fromkeys(each.subject for each in directed))
    for horizon, by_when in _BY_WHEN.items():
        own = [each for each in directed if find_horizon(each.quote.text) is horizon]
        sides = [
            f"{_join_names(each.speaker or 'someone' for each in side)} {verb} {what}{of}"
            for subject in subjects
            for what, direction in (("a rise", Direction.UP), ("a fall", Direction.DOWN))
            if (side := [each for each in own if each.direction is direction and each.subject == subject])
            for verb in ("expects" if len({each.speaker for each in side}) == 1 else "expect",)
            for of in (f" of {subject}" if subject and len(subjects) > 1 else "",)
        ]
        if sides:
            yield f"{by_when}: {'; '.join(sides)}."


def _join_names(names: Iterable[str]) -> str:
    shown = list(dict.fromkeys(names))
    more = f" and {len(shown) - MOST_SPEAKERS} more" if len(shown) > MOST_SPEAKERS else ""
    if more or len(shown) == 1:
        return ", ".join(shown[:MOST_SPEAKERS]) + more
    return f"{', '.join(shown[:-1])} and {shown[-1]}"
