"""What the maps of many documents say together: shares, trends, turning points, courses, first and last mentions.

Pure functions of the maps; nothing here depends on their order, so that all patterns of reading come to the same.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date, timedelta
from statistics import fmean, median, pstdev

from ascertain.core.reports.analysis import (
    Before,
    Course,
    Coverage,
    Direction,
    DocumentMap,
    Findings,
    Forecast,
    Mood,
    Move,
    NameCount,
    Outlier,
    Quote,
    Share,
    Statement,
    TrendPoint,
    TurningPoint,
)
from ascertain.language.numbers import find_quantities
from ascertain.reports.analysis.agreement import find_agreements, find_contradictions
from ascertain.reports.analysis.disputes import find_disputes
from ascertain.reports.analysis.moods import name_mood
from ascertain.reports.analysis.subject import Subject
from ascertain.reports.analysis.written_names import find_whole_names

BY_DAY, BY_WEEK = 45, 400
"""Days of a period up to which its trend is shown by day, and by week; longer ones by 30 days (a line of 10 to 60 points reads best)."""
MOST_VOICES = 3
_SHORTEST, _LONGEST = 30, 320
"""Characters of a sentence that is worth quoting by itself."""
_REFERENCE = re.compile(r"[\W\d]{0,6}[A-Z][\w’'-]{1,40}, [A-Z]\.")
"""Of a list of references: "Malkov, Y., Yashunin, D.: Efficient and robust"."""
MOST_NAMES, MOST_EVENTS, MOST_OUTLIERS = 12, 12, 8
FEWEST_FOR_TURNS = 12
"""Documents below which a course of moods is that of single articles."""
SMOOTHING = 3
"""Points on either side that are averaged with one before a turn is looked for: a week of days."""
TURN = 0.3
"""Mood by which a course must go back before it counts as turned: two days of mixed news differ by .1 to .2 by chance (generated
corpora of seeds that are not reported).
"""
LEVEL_TURN, LEAST_RANGE = 0.5, 0.08
"""Share of its range by which a level must go back to have turned, and the least range, as a share of the level, of which turns are reported."""
MOST_APART = 10.0
"""Times the middle of its levels from which a sum that was read beside a subject is no price of it: a market value (by judgement)."""
FAR_OUT = 6.0
"""Median deviations from which a move is an outlier; 6 is 4 standard deviations of a normal distribution."""
FEWEST_MOVES = 8
BUSY = 3.0
"""Standard deviations above the mean from which a day has unusually many documents."""


def reduce_maps(maps: Iterable[DocumentMap], subject: Subject, days: tuple[date, date] | None) -> Findings:
    """What ``maps``, all of documents on the subject, say together. ``days`` is the period, the last day not included; without it
    the one of the documents is taken.
    """
    ordered = sorted((subject.focus_map(each) for each in maps), key=_order_of)
    first, after = days or _days_of(ordered)
    step = _choose_step((after - first).days)
    trend = tuple(_build_trend(ordered, first, step))
    own = [each for document in ordered for each in document.moves if subject.names_move(each)]
    courses = tuple(_build_courses(own, ordered))
    return Findings(
        documents=tuple(each.document_id for each in ordered),
        shares=count_shares(ordered),
        trend=trend,
        step=step,
        turning_points=(*_turns_of_mood(trend, ordered), *_turns_of_levels(own)),
        names=tuple(_count_names(ordered)),
        courses=courses,
        moves=tuple(merge_moves(own)),
        forecasts=tuple(_collect_forecasts(ordered, subject)),
        agreements=tuple(find_agreements(ordered)),
        contradictions=tuple(find_contradictions(ordered)),
        outliers=tuple(_find_outliers(own, trend, ordered)),
        events=tuple(_choose_events(ordered, subject)),
        voices=tuple(_choose_voices(ordered, subject)),
        gists=tuple(_choose_gists(ordered, subject)),
        disputes=tuple(find_disputes(ordered, subject)),
    )


def count_shares(maps: Sequence[DocumentMap]) -> tuple[Share, ...]:
    """How many documents are of each mood, in the order good, neutral, bad."""
    by_mood: dict[Mood, list[str]] = {mood: [] for mood in Mood}
    for each in maps:
        by_mood[name_mood(each.mood)].append(each.document_id)
    return tuple(Share(mood, tuple(ids), len(ids) / max(1, len(maps))) for mood, ids in by_mood.items())


def compare_before(
    findings: Findings, maps: Sequence[DocumentMap], subject: Subject, days: tuple[date, date]
) -> Findings:
    """``findings`` with what the period before, ``days``, was like: its documents on the subject, moods and names."""
    own = [subject.focus_map(each) for each in maps]
    counts = Counter(name for each in own for name, _ in each.names)
    names = tuple(replace(each, before=counts.get(each.name, 0)) for each in findings.names)
    return replace(findings, names=names, before=Before(*days, len(own), count_shares(own)))


def rate_analysis(coverage: Coverage, findings: Findings) -> int:
    """How far an analysis can be trusted, 0..100: how much was read, how many documents there are, how many hold sentences, and how far
    their sources agree.

    A product of shares, so that one that is poor makes the whole poor; 3 documents count half, 12 count .8.
    """
    if not findings.documents:
        return 0
    covered = coverage.read / max(1, coverage.found)
    readable = 1 - coverage.unreadable / max(1, coverage.read)
    number = len(findings.documents)
    enough = number / (number + 3)
    checked = len(findings.agreements) + len(findings.contradictions)
    disputed = len(findings.contradictions) / (checked + 3)
    return round(100 * covered * readable * math.sqrt(enough) * (1 - 0.4 * disputed))


def merge_moves(moves: Sequence[Move]) -> list[Move]:
    """``moves`` without those that say the same of one day again, by day and then by size."""
    kept: dict[tuple[object, ...], Move] = {}
    for move in moves:
        for key, held in kept.items():
            if _is_same_move(held, move):
                if (move.percent is not None) + (move.level is not None) > (held.percent is not None) + (
                    held.level is not None
                ):
                    kept[key] = move
                break
        else:
            kept[(move.subject, move.direction, move.day, move.percent, move.level, move.quote.document_id)] = move
    return sorted(
        kept.values(), key=lambda each: (each.day or date.min, -(each.percent or 0.0), each.subject, each.quote.text)
    )


def _is_same_move(one: Move, other: Move) -> bool:
    if (one.subject.lower(), one.direction, one.day) != (other.subject.lower(), other.direction, other.day):
        return False
    sizes = one.percent is None or other.percent is None or abs(one.percent - other.percent) < 0.051
    levels = one.level is None or other.level is None or abs(one.level - other.level) <= 0.002 * abs(one.level)
    return sizes and levels


def _order_of(document: DocumentMap) -> tuple[str, str]:
    # never by id, which hangs on where a folder lies: the same documents give the same analysis anywhere
    day = document.published_at.isoformat() if document.published_at else ""
    return day, f"{document.title}\n{document.content_hash}"


def _day_of(document: DocumentMap) -> date | None:
    return document.published_at.date() if document.published_at else None


def _days_of(maps: Sequence[DocumentMap]) -> tuple[date, date]:
    days = [day for each in maps if (day := _day_of(each)) is not None]
    if not days:
        return date.min, date.min + timedelta(days=1)
    return min(days), max(days) + timedelta(days=1)


def _choose_step(days: int) -> int:
    return 1 if days <= BY_DAY else 7 if days <= BY_WEEK else 30


def _build_trend(maps: Sequence[DocumentMap], first: date, step: int) -> Iterable[TrendPoint]:
    buckets: dict[date, list[DocumentMap]] = defaultdict(list)
    for each in maps:
        day = _day_of(each)
        if day is not None:
            buckets[first + timedelta(days=(day - first).days // step * step)].append(each)
    for start in sorted(buckets):
        held = buckets[start]
        ids = tuple(each.document_id for each in held)
        yield TrendPoint(
            start, start + timedelta(days=step), ids, round(fmean(each.mood for each in held), 4), count_shares(held)
        )


def _concerns(subject: Subject, named: str, document: DocumentMap, quote: Quote) -> bool:
    """Whether something said of ``named`` is about the subject: of whatever there is, or by its name or sentence."""
    if subject.is_whole:
        return True
    if named.islower() and subject.names_event(Statement(quote, 0.0, (), frozenset()), document.title):
        # the revenue of whom the document is about
        return True
    place = next((place for place, each in enumerate(document.statements) if each.quote.span == quote.span), None)
    statement = document.statements[place] if place is not None else None
    before = document.statements[place - 1] if place else None
    leans = named not in quote.text
    if leans and (subject.names_title(document.title) or (before is not None and subject.names_statement(before))):
        # "she expects prices to rise", under the title or behind the sentence that says which
        return True
    about = Statement(quote, 0.0, (named,), frozenset())
    return subject.names_statement(about) or (statement is not None and subject.names_statement(statement))


def find_turns(values: Sequence[float], least: float) -> list[tuple[int, Direction]]:
    """Where a course turned, with where it had been going: extremes from which it went back by ``least`` (a zigzag)."""
    turns: list[tuple[int, Direction]] = []
    if not values:
        return turns
    low = high = 0
    heading: Direction | None = None
    for place, value in enumerate(values):
        if value > values[high]:
            high = place
        if value < values[low]:
            low = place
        if heading is not Direction.DOWN and values[high] - value >= least:
            if heading is Direction.UP or high > 0:
                turns.append((high, Direction.UP))
            heading, low = Direction.DOWN, place
            high = place
        elif heading is not Direction.UP and value - values[low] >= least:
            if heading is Direction.DOWN or low > 0:
                turns.append((low, Direction.DOWN))
            heading, high = Direction.UP, place
            low = place
    return turns


def _turns_of_mood(trend: Sequence[TrendPoint], maps: Sequence[DocumentMap]) -> list[TurningPoint]:
    if len(maps) < FEWEST_FOR_TURNS or len(trend) < 2 * SMOOTHING:
        return []
    smooth: list[float] = []
    for place in range(len(trend)):
        near = trend[max(0, place - SMOOTHING) : place + SMOOTHING + 1]
        smooth.append(sum(each.mood * len(each.documents) for each in near) / sum(len(each.documents) for each in near))
    by_id = {each.document_id: each for each in maps}
    found: list[TurningPoint] = []
    for place, before in find_turns(smooth, TURN):
        documents = [by_id[each] for each in trend[place].documents]
        found.append(TurningPoint("sentiment", trend[place].first, before, tuple(_quotes_for(documents, before))))
    return found


def _quotes_for(maps: Sequence[DocumentMap], before: Direction) -> Iterable[Quote]:
    """A telling sentence of the documents at a turn: of the best where it had been going up, else of the worst."""
    sign = 1 if before is Direction.UP else -1
    for each in sorted(maps, key=lambda one: (-sign * one.mood, _order_of(one)))[:1]:
        if each.key:
            yield each.statements[each.key[0]].quote


def _levels_of(moves: Sequence[Move]) -> dict[tuple[str, str], list[Move]]:
    """Moves with a level by subject and unit, in order of days; without those that can be no price of it beside the others."""
    series: dict[tuple[str, str], list[Move]] = defaultdict(list)
    for move in sorted(moves, key=lambda each: (each.day or date.min, each.quote.text, each.quote.span)):
        if move.level is not None and move.day is not None:
            series[(move.subject, move.unit)].append(move)
    return {key: _drop_misread(each) for key, each in series.items()}


def _drop_misread(series: list[Move]) -> list[Move]:
    middle = median(map(_level_of, series))
    return [each for each in series if middle / MOST_APART <= _level_of(each) <= middle * MOST_APART] or series


def _daily(series: Sequence[Move]) -> list[Move]:
    """One a day, the first."""
    by_day: dict[date | None, Move] = {}
    for move in series:
        by_day.setdefault(move.day, move)
    return list(by_day.values())


def _level_of(move: Move) -> float:
    return move.level or 0.0


def _build_courses(moves: Sequence[Move], maps: Sequence[DocumentMap]) -> Iterable[Course]:
    counts = Counter(move.subject for move in merge_moves(moves))
    for (subject, unit), series in sorted(_levels_of(moves).items(), key=lambda each: (-len(each[1]), each[0])):
        if len(_daily(series)) < 2:
            continue
        highest, lowest = max(series, key=_level_of), min(series, key=_level_of)
        own = dict.fromkeys(move.quote.document_id for move in moves if move.subject == subject)
        yield Course(subject, unit, series[0], highest, lowest, series[-1], counts[subject], tuple(own))


def _turns_of_levels(moves: Sequence[Move]) -> list[TurningPoint]:
    found: list[TurningPoint] = []
    for (subject, _), every in sorted(_levels_of(moves).items()):
        series = _daily(every)
        levels = [_level_of(move) for move in series]
        reach = max(levels) - min(levels)
        if len(series) < 5 or reach < LEAST_RANGE * abs(fmean(levels)):
            continue
        for place, before in find_turns(levels, LEVEL_TURN * reach):
            day = series[place].day
            if day is not None:
                found.append(TurningPoint(subject, day, before, (series[place].quote,)))
    return found


def _count_names(maps: Sequence[DocumentMap]) -> Iterable[NameCount]:
    held: dict[str, list[DocumentMap]] = defaultdict(list)
    whole = find_whole_names({name for each in maps for name, _ in each.names})
    for each in maps:
        for name in dict.fromkeys(whole.get(name, name) for name, _ in each.names):
            held[name].append(each)
    ranked = sorted(held.items(), key=lambda each: (-len(each[1]), each[0]))
    for name, own in ranked[:MOST_NAMES]:
        if len(own) < 2:
            break
        days = [day for each in own if (day := _day_of(each)) is not None]
        mood = round(fmean(_mood_towards(name, each) for each in own), 4)
        ids = tuple(each.document_id for each in own)
        yield NameCount(name, ids, mood, min(days, default=None), max(days, default=None))


def _mood_towards(name: str, document: DocumentMap) -> float:
    own = [each.mood for each in document.statements if name in each.names]
    return fmean(own) if own else document.mood


def _collect_forecasts(maps: Sequence[DocumentMap], subject: Subject) -> Iterable[Forecast]:
    """What is expected, each statement of one speaker once, newest first; those who are named first."""
    kept: dict[tuple[str, frozenset[str]], tuple[str, Forecast]] = {}
    for document in maps:
        for each in document.forecasts:
            if _concerns(subject, each.subject, document, each.quote) and not _is_headline_of(each, document):
                words = frozenset(each.quote.text.lower().split())
                kept[(each.speaker, words)] = (_order_of(document)[0], each)
    newest = sorted(kept.values(), key=lambda each: (each[0], each[1].quote.text), reverse=True)
    return sorted((each for _, each in newest), key=lambda each: (not each.is_named, each.direction is None))


def _is_headline_of(forecast: Forecast, document: DocumentMap) -> bool:
    """Whether it is the title of a document that repeats it below, with the same figures or the same names."""
    if forecast.quote.text.strip() != document.title.strip():
        return False
    figures = {each.value for each in find_quantities(forecast.quote.text)}
    return any(
        other is not forecast and (figures <= {each.value for each in find_quantities(other.quote.text)})
        for other in document.forecasts
    )


def _find_outliers(moves: Sequence[Move], trend: Sequence[TrendPoint], maps: Sequence[DocumentMap]) -> list[Outlier]:
    found: list[Outlier] = []
    by_subject: dict[str, list[Move]] = defaultdict(list)
    for move in merge_moves(moves):
        if move.percent is not None:
            by_subject[move.subject].append(move)
    for subject, own in sorted(by_subject.items()):
        sizes = [move.percent or 0.0 for move in own]
        middle = median(sizes)
        spread = median(abs(size - middle) for size in sizes)
        for move in own if len(own) >= FEWEST_MOVES else ():
            size = move.percent or 0.0
            if size - middle > FAR_OUT * max(spread, 0.2):
                found.append(Outlier(f"{subject} moved by {size:g} %, where {middle:g} % is usual", (move.quote,)))
    counts = [len(each.documents) for each in trend]
    by_id = {each.document_id: each for each in maps}
    if len(counts) >= FEWEST_MOVES and (spread := pstdev(counts)):
        for point in trend:
            if len(point.documents) > fmean(counts) + BUSY * spread:
                documents = [by_id[each] for each in point.documents[:2]]
                quotes = tuple(each.statements[each.key[0]].quote for each in documents if each.key)
                found.append(
                    Outlier(
                        f"{len(point.documents)} documents {_format_span(point)}, where {fmean(counts):.1f} are usual",
                        quotes,
                    )
                )
    return found[:MOST_OUTLIERS]


def _format_span(point: TrendPoint) -> str:
    last = point.after - timedelta(days=1)
    return f"on {point.first}" if last == point.first else f"from {point.first} to {last}"


def _choose_events(maps: Sequence[DocumentMap], subject: Subject) -> Iterable[Statement]:
    """What happened, by how many documents tell of it and how telling the sentence is; newest first."""
    groups: list[list[Statement]] = []
    for document in reversed(maps):
        used = {each.quote.span for each in document.moves} | {each.quote.span for each in document.forecasts}
        for place in document.key:
            statement = document.statements[place]
            is_own = subject.names_event(statement, document.title)
            if not statement.is_event or not is_own or statement.quote.span in used:
                continue
            own = next((group for group in groups if _tells_same(group[0], statement)), None)
            if own is None:
                groups.append([statement])
            else:
                own.append(statement)
    ranked = sorted(range(len(groups)), key=lambda each: (-len(groups[each]), -abs(groups[each][0].mood), each))
    return (groups[place][0] for place in sorted(ranked[:MOST_EVENTS]))


def _choose_voices(maps: Sequence[DocumentMap], subject: Subject) -> Iterable[Statement]:
    """The sentences that speak best, and those that speak worst of the subject, one a document, first of those that take the same side;
    where all are neutral the most informative.
    """
    best: list[tuple[bool, float, Statement]] = []
    plain: list[Statement] = []
    for document in maps:
        own = [each for each in document.statements if _SHORTEST <= len(each.quote.text) <= _LONGEST]
        own = [each for each in own if (each.names or subject.is_whole) and subject.names_event(each, "")] or [
            each for each in own if subject.names_event(each, document.title)
        ]
        strong = max(own, key=lambda each: abs(each.mood), default=None)
        if strong is not None and name_mood(strong.mood) is not Mood.NEUTRAL:
            best.append((name_mood(document.mood) is Mood.NEUTRAL, strong.mood, strong))
        key = [document.statements[place] for place in document.key]
        plain += [each for each in key if each in own and _says_something(each, document)][:1]
    best.sort(key=lambda each: (each[0], -abs(each[1]), each[2].quote.text))
    good = [each for _, mood, each in best if mood > 0][:MOST_VOICES]
    bad = [each for _, mood, each in best if mood < 0][:MOST_VOICES]
    yield from (*good, *bad) if good or bad else plain[-MOST_VOICES:]


def _choose_gists(maps: Sequence[DocumentMap], subject: Subject) -> Iterable[Quote]:
    """What each document says of the subject in a sentence: its most telling one that names it, else its most telling one."""
    for document in maps:
        key = [document.statements[place] for place in document.key]
        key = [each for each in key if _says_something(each, document)]
        own = [each for each in document.statements if _SHORTEST <= len(each.quote.text) <= _LONGEST]
        own = [each for each in own if _says_something(each, document)]
        chosen = [each for each in (*key, *own) if subject.names_statement(each)] or key
        if chosen:
            yield chosen[0].quote


def _says_something(statement: Statement, document: DocumentMap) -> bool:
    """Whether a sentence is neither the title of its document nor an entry of a list of references."""
    text = statement.quote.text
    return text.strip() != document.title.strip() and _REFERENCE.match(text) is None


def _tells_same(one: Statement, other: Statement) -> bool:
    return len(one.terms & other.terms) >= 0.5 * max(1, len(one.terms | other.terms))
