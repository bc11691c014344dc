"""Computed figures in words: what was read, shares of moods, courses, names; each line stands alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from statistics import median

from ascertain.answering.units.candidates import count_noun
from ascertain.core.reports.analysis import (
    Course,
    Coverage,
    Direction,
    Findings,
    Forecast,
    Mood,
    NameCount,
    TrendPoint,
    TurningPoint,
)
from ascertain.reports.analysis.agreement import format_level
from ascertain.reports.analysis.moods import name_mood
from ascertain.workflow.analysis.steps import Scope
from ascertain.workflow.question_text import format_period

FEWEST_BEFORE = 5
"""Documents below which shares are those of single articles, too few to compare with."""
MOST_FORECASTS, MOST_MOVES, MOST_DISPUTES, MOST_COURSES, MOST_EVENTS, MOST_NAMES, MOST_TURNS = 8, 6, 6, 3, 5, 6, 5
"""Lines of each kind that are shown; the JSON has all (by judgement: what fits a screen or two)."""


def describe_coverage(scope: Scope, coverage: Coverage) -> str:
    """``Read 47 of 47 documents dated 16 May 2025 to 15 June 2025; 3 near-duplicates counted once; 41 are on “crypto”.``"""
    what = "articles" if all(each.kind == "article" for each in scope.records) and scope.records else "documents"
    period = f" {format_period(scope.filter)}" if scope.filter.has_dates else ""
    assumed = ", as no period was named" if scope.is_default else ""
    parts = [f"Read {coverage.read:,} of {coverage.found:,} {what}{period}{assumed}"]
    if coverage.duplicates:
        parts.append(f"{count_noun(coverage.duplicates, 'near-duplicate')} counted once")
    if coverage.unreadable:
        parts.append(f"{coverage.unreadable:,} hold no sentence that can be read")
    if scope.subject.text:
        parts.append(f"{coverage.on_subject:,} {'is' if coverage.on_subject == 1 else 'are'} on “{scope.subject.text}”")
    if coverage.undated:
        parts.append(f"{coverage.undated:,} without a date are in no period")
    if coverage.by_model:
        parts.append(f"{coverage.by_model:,} were read by the chat model, the rest by rules")
    return "; ".join(parts) + "."


def describe_shares(findings: Findings) -> str:
    """``27 of 41 are positive (66 %), 9 neutral (22 %), 5 negative (12 %)``."""
    total = len(findings.documents)
    if total == 1:
        return f"the one document is {next(each.mood for each in findings.shares if each.documents).value}"
    shares = [f"{len(each.documents)} {each.mood.value} ({_percent(each.share)})" for each in findings.shares]
    return f"of {total:,}, {', '.join(shares)}"


def describe_point(point: TrendPoint) -> str:
    """``16 May 2025: 5 documents, mood +0.21``."""
    return f"{_format_span(point)}: {count_noun(len(point.documents), 'document')}, mood {point.mood:+.2f}"


def describe_forecasts(forecasts: Sequence[Forecast]) -> str:
    """How many expect what, by whom."""
    up = sum(each.direction is Direction.UP for each in forecasts)
    down = sum(each.direction is Direction.DOWN for each in forecasts)
    named = sum(each.is_named for each in forecasts)
    counted = f"{count_noun(len(forecasts), 'statement')} about the future, {named} by somebody who is named"
    if not up + down:
        return counted
    sides = (
        f"{up} {'expects' if up == 1 else 'expect'} a rise",
        f"{down} {'expects' if down == 1 else 'expect'} a fall",
    )
    return f"{counted}: {' and '.join(side for side, count in zip(sides, (up, down), strict=True) if count)}"


UNNAMED = "(no speaker named)"


def describe_speaker(forecast: Forecast) -> str:
    """Who makes a statement about the future; the publisher, marked, where its sentence names no one."""
    return forecast.speaker if forecast.is_named else f"{forecast.speaker or 'unnamed'} {UNNAMED}"


def list_figures(findings: Findings) -> list[str]:
    """The figures that were computed, one line each, understandable alone."""
    shares, *others = list_mood_figures(findings)
    lines = [shares, *(f"Sentiment: {line}" for line in others)]
    lines += [_describe_name(each) for each in findings.names[:MOST_NAMES]]
    lines += [_describe_course(each) for each in findings.courses[:MOST_COURSES]]
    lines += [f"Out of the ordinary: {each.why}." for each in findings.outliers[:MOST_TURNS]]
    lines += [describe_turn(each) for each in findings.turning_points[:MOST_TURNS]]
    lines += [
        f"Contradiction between {' and '.join(each.sources)}: {each.why}."
        for each in findings.contradictions[:MOST_DISPUTES]
    ]
    lines += list_differing(findings)
    if findings.forecasts:
        lines.append(f"{describe_forecasts(findings.forecasts)}.")
    return lines


def _describe_name(named: NameCount) -> str:
    before = "" if named.before is None else f", in {named.before} of the period before"
    return f"{named.name} is named in {count_noun(len(named.documents), 'document')}{before}; their mood is {named.mood:+.2f}."


def describe_turn(turn: TurningPoint) -> str:
    """``Bitcoin turned up after 11 November 2022.``"""
    if turn.what == "sentiment":
        went = "best" if turn.before is Direction.UP else "worst"
        return f"Sentiment turned after its {went} around {format_day_of(turn.first)}."
    return f"{turn.what} turned {'down' if turn.before is Direction.UP else 'up'} after {format_day_of(turn.first)}."


def list_mood_figures(findings: Findings) -> Iterator[str]:
    """Shares of moods, those of the period before, and how the mood went."""
    yield f"Sentiment: {describe_shares(findings)}."
    before = findings.before
    if before is not None and 0 < before.documents < FEWEST_BEFORE:
        yield f"Before ({_format_days(before.first, before.after)}): {count_noun(before.documents, 'document')}, too few to compare with."
    elif before is not None and before.documents:
        shares = {each.mood: each.share for each in before.shares}
        then = f"{_percent(shares[Mood.POSITIVE])} positive, {_percent(shares[Mood.NEGATIVE])} negative"
        yield f"Before ({_format_days(before.first, before.after)}, {count_noun(before.documents, 'document')}): {then}."
    elif before is not None:
        yield f"Before ({_format_days(before.first, before.after)}): nothing to compare with."
    if len(findings.trend) > 1:
        halves = _halves(findings.trend)
        yield f"It went from {halves[0]:+.2f} in the first half of the period to {halves[1]:+.2f} in the second (−1 is ill, +1 well)."
        # a day with one article is the best or the worst by chance
        usual = max(2, median(len(each.documents) for each in findings.trend))
        whole = [each for each in findings.trend if len(each.documents) >= usual]
        best, worst = max(whole, key=_mood_of, default=None), min(whole, key=_mood_of, default=None)
        if best is not None and name_mood(best.mood) is Mood.POSITIVE:
            yield f"Best: {describe_point(best)}."
        if worst is not None and name_mood(worst.mood) is Mood.NEGATIVE:
            yield f"Worst: {describe_point(worst)}."


def list_named(findings: Findings) -> Iterator[str]:
    """The names most frequent in the documents, in a line."""
    is_compared = findings.before is not None and findings.before.documents >= FEWEST_BEFORE
    named = [
        f"{each.name} ({len(each.documents) if place else count_noun(len(each.documents), 'document')}{_than_before(each.before if is_compared else None)})"
        for place, each in enumerate(findings.names[:MOST_NAMES])
    ]
    if named:
        yield f"Named most: {', '.join(named)}."


def _than_before(before: int | None) -> str:
    return "" if before is None else f", before {before or 'none'}"


def _describe_course(course: Course) -> str:
    ends = f"{format_level(course.first)} ({format_short_day(course.first.day)}) to {format_level(course.last)} ({format_short_day(course.last.day)})"
    return f"{course.subject}: {ends}, {count_noun(course.moves, 'move')} in {count_noun(len(course.documents), 'document')}."


def list_differing(findings: Findings) -> Iterator[str]:
    """Subjects of which some expect a rise and others a fall."""
    by_subject: dict[str, list[Forecast]] = {}
    for each in findings.forecasts:
        if each.direction is not None and each.subject:
            by_subject.setdefault(each.subject, []).append(each)
    for subject, own in sorted(by_subject.items()):
        ups = sorted({each.speaker for each in own if each.direction is Direction.UP})
        downs = sorted({each.speaker for each in own if each.direction is Direction.DOWN})
        if ups and downs and set(ups) != set(downs):
            yield f"Expectations for {subject} differ: up says {', '.join(ups[:3])}; down says {', '.join(downs[:3])}."


def format_day_of(day: date) -> str:
    """``5 December 2024``."""
    return f"{day.day} {day:%B %Y}"


def format_short_day(day: date | None) -> str:
    """``5 Dec 2024``; the texts, and their readers, may be of another year."""
    return f"{day.day} {day:%b %Y}" if day else "no date"


def _format_days(first: date, after: date) -> str:
    last = after - timedelta(days=1)
    return format_day_of(first) if first == last else f"{format_day_of(first)} to {format_day_of(last)}"


def _format_span(point: TrendPoint) -> str:
    return _format_days(point.first, point.after)


def _mood_of(point: TrendPoint) -> tuple[float, int]:
    # of two alike the one with more documents
    return point.mood, len(point.documents)


def _halves(trend: Sequence[TrendPoint]) -> tuple[float, float]:
    middle = trend[0].first + (trend[-1].after - trend[0].first) / 2
    parts: tuple[list[TrendPoint], list[TrendPoint]] = ([], [])
    for point in trend:
        parts[point.first >= middle].append(point)
    return _mean(parts[0]), _mean(parts[1])


def _mean(points: Sequence[TrendPoint]) -> float:
    total = sum(len(each.documents) for each in points)
    return sum(each.mood * len(each.documents) for each in points) / total if total else 0.0


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"
