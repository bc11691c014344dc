"""Writes what an analysis found: what was read, then each finding with the sentences that it rests on.

Figures of ours (shares, counts) are told in lines without a citation, and list their documents in the JSON; every figure of a source
stands in its quotation. What a chat model tells of them stands first, and only sentences that they were found to say.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from itertools import dropwhile, takewhile
from statistics import median

from ascertain.analysis.agreement import describe_move, format_level
from ascertain.analysis.moods import name_mood
from ascertain.answering.candidates import collapse_spaces, count_noun
from ascertain.answering.citations import cite_span
from ascertain.core.analysis import (
    AnalysisKind,
    Course,
    Coverage,
    Direction,
    Findings,
    Forecast,
    Mood,
    NameCount,
    NarrativePart,
    NarrativeSentence,
    Quote,
    TrendPoint,
    TurningPoint,
)
from ascertain.core.answers import AnswerSentence, Citation, Verdict, VerdictLabel
from ascertain.core.documents import Document
from ascertain.language.tokens import WORD
from ascertain.workflow.analysis.graph import Scope
from ascertain.workflow.question_text import format_period

MOST_FORECASTS, MOST_MOVES, MOST_DISPUTES, MOST_COURSES, MOST_EVENTS, MOST_NAMES, MOST_TURNS = 8, 6, 6, 3, 5, 6, 5
"""Lines of each kind that are told; the JSON has all (by judgement: what fits a screen or two)."""
DISCLAIMER = "Statements about the future are speculation of those who made them. This product predicts nothing itself, and none of it is advice."


@dataclass(slots=True)
class Written:
    """The text with its quoted sentences and their citations, as they are put together."""

    document: Callable[[str], Document | None]
    lines: list[str] = field(default_factory=list[str])
    sentences: list[AnswerSentence] = field(default_factory=list[AnswerSentence])
    citations: list[Citation] = field(default_factory=list[Citation])
    _numbers: dict[tuple[str, int, int], int] = field(default_factory=dict[tuple[str, int, int], int])

    def tell(self, line: str) -> None:
        """A line of ours."""
        self.lines.append(line)

    def quote(self, quote: Quote, before: str = "") -> bool:
        """A sentence of a document with its citation; ``before`` says whose it is. False where it is not there any more."""
        number = self.cite(quote)
        if number is None:
            return False
        text = collapse_spaces(quote.text)
        self.sentences.append(AnswerSentence(text, Verdict(VerdictLabel.SUPPORTED, 1.0), (number,)))
        self.lines.append(f"{before}{text}")
        return True

    def narrate(self, sentence: NarrativeSentence, before: str = "") -> None:
        """A sentence that was written, with the citations of what it rests on; one that rests on our figures alone is a line of ours."""
        numbers = tuple(number for quote in sentence.quotes if (number := self.cite(quote)) is not None)
        if numbers:
            self.sentences.append(AnswerSentence(sentence.text, sentence.verdict, numbers))
        self.lines.append(f"{before}{sentence.text}")

    def cite(self, quote: Quote) -> int | None:
        """The number of its citation; None where it is not there any more."""
        key = (quote.document_id, quote.span.start, quote.span.end)
        if key not in self._numbers:
            found = self.document(quote.document_id)
            if found is None or quote.span.of(found.text) != quote.text:
                return None
            self._numbers[key] = len(self.citations) + 1
            self.citations.append(cite_span(self._numbers[key], found, quote.span, quote.text))
        return self._numbers[key]

    @property
    def text(self) -> str:
        """All lines."""
        return "\n".join(self.lines).strip()


def write_analysis(
    scope: Scope,
    coverage: Coverage,
    findings: Findings,
    document: Callable[[str], Document | None],
    narrative: Sequence[NarrativeSentence] = (),
) -> Written:
    """The findings in words, what was asked for first; before them the ``narrative``, if there is one."""
    written = Written(document)
    written.tell(describe_coverage(scope, coverage))
    _tell_narrative(written, narrative, scope.asked.kind)
    sections: dict[AnalysisKind, Callable[[Written, Findings], None]] = {
        AnalysisKind.PREDICTION: _tell_forecasts,
        AnalysisKind.MOOD: _tell_moods,
        AnalysisKind.DISAGREEMENT: _tell_disputes,
        AnalysisKind.TREND: _tell_courses,
        AnalysisKind.OVERVIEW: _tell_events,
    }
    order = [
        AnalysisKind.MOOD,
        AnalysisKind.TREND,
        AnalysisKind.OVERVIEW,
        AnalysisKind.DISAGREEMENT,
        AnalysisKind.PREDICTION,
    ]
    first = scope.asked.kind
    if first is not AnalysisKind.OVERVIEW:
        order = [first, *(kind for kind in order if kind is not first)]
    for kind in order:
        sections[kind](written, findings)
    if findings.forecasts:
        written.tell("")
        written.tell(DISCLAIMER)
    return written


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
    told = [f"{len(each.documents)} {each.mood.value} ({_percent(each.share)})" for each in findings.shares]
    return f"of {total:,}, {', '.join(told)}"


def describe_point(point: TrendPoint) -> str:
    """``16 May 2025: 5 documents, mood +0.21``."""
    return f"{_format_span(point)}: {count_noun(len(point.documents), 'document')}, mood {point.mood:+.2f}"


def describe_forecasts(forecasts: Sequence[Forecast]) -> str:
    """How many expect what, by whom."""
    up = sum(each.direction is Direction.UP for each in forecasts)
    down = sum(each.direction is Direction.DOWN for each in forecasts)
    named = sum(each.is_named for each in forecasts)
    told = f"{count_noun(len(forecasts), 'statement')} about the future, {named} by somebody who is named"
    return f"{told}: {up} expect a rise, {down} a fall" if up + down else told


_HEADINGS = {
    NarrativePart.SHORT_TERM: "Expected within three months (speculation of the sources, not fact):",
    NarrativePart.LONGER_TERM: "Expected later (speculation of the sources, not fact):",
}
NARRATED = "In short, as the chat model tells it; each sentence was checked against the figures and quotations below:"


def _tell_narrative(written: Written, narrative: Sequence[NarrativeSentence], asked: AnalysisKind) -> None:
    """The narrative by its parts; what is expected first where that was asked for."""
    if not narrative:
        return
    written.tell("")
    written.tell(NARRATED)
    known, outlook = [NarrativePart.TREND, NarrativePart.PATTERN], list(_HEADINGS)
    for part in (*outlook, *known) if asked is AnalysisKind.PREDICTION else (*known, *outlook):
        own = [each for each in narrative if each.part is part]
        if own and part in _HEADINGS:
            written.tell(_HEADINGS[part])
        for each in own:
            written.narrate(each, f"- [speculation] {_name_unnamed(each)}" if part in _HEADINGS else "- ")


def _name_unnamed(sentence: NarrativeSentence) -> str:
    """Who speculates, of those whom the sentence itself does not name."""
    words = set(WORD.findall(sentence.text))
    unnamed = [each for each in sentence.speakers if each.endswith(UNNAMED) or _find_surname(each) not in words]
    return f"{', '.join(unnamed)}: " if unnamed else ""


def _find_surname(speaker: str) -> str:
    """``Brandt`` of "Elena Brandt, chief analyst at Halden Markets"."""
    words = dropwhile(lambda word: not word[0].isupper(), WORD.findall(speaker))
    return next(reversed(list(takewhile(lambda word: word[0].isupper(), words))), speaker)


UNNAMED = "(no speaker named)"


def describe_speaker(forecast: Forecast) -> str:
    """Who makes a statement about the future; the publisher, marked, where its sentence names nobody."""
    return forecast.speaker if forecast.is_named else f"{forecast.speaker or 'unnamed'} {UNNAMED}"


def list_figures(findings: Findings) -> list[str]:
    """The figures that were computed, a line each, which says by itself what it is of."""
    shares, *others = _list_mood_figures(findings)
    lines = [shares, *(f"Sentiment: {line}" for line in others)]
    lines += [_describe_name(each) for each in findings.names[:MOST_NAMES]]
    lines += [_describe_course(each) for each in findings.courses[:MOST_COURSES]]
    lines += [f"Out of the ordinary: {each.why}." for each in findings.outliers[:MOST_TURNS]]
    lines += [_describe_turn(each) for each in findings.turning_points[:MOST_TURNS]]
    lines += [
        f"Contradiction between {' and '.join(each.sources)}: {each.why}."
        for each in findings.contradictions[:MOST_DISPUTES]
    ]
    lines += _list_differing(findings)
    if findings.forecasts:
        lines.append(f"{describe_forecasts(findings.forecasts)}.")
    return lines


def _describe_name(named: NameCount) -> str:
    before = "" if named.before is None else f", in {named.before} of the period before"
    return f"{named.name} is named in {count_noun(len(named.documents), 'document')}{before}; their mood is {named.mood:+.2f}."


def _describe_turn(turn: TurningPoint) -> str:
    if turn.what == "sentiment":
        went = "best" if turn.before is Direction.UP else "worst"
        return f"Sentiment turned after its {went} around {format_day_of(turn.first)}."
    return f"{turn.what} turned {'down' if turn.before is Direction.UP else 'up'} after {format_day_of(turn.first)}."


def _list_mood_figures(findings: Findings) -> Iterator[str]:
    yield f"Sentiment: {describe_shares(findings)}."
    before = findings.before
    if before is not None and before.documents:
        shares = {each.mood: each.share for each in before.shares}
        then = f"{_percent(shares[Mood.POSITIVE])} positive, {_percent(shares[Mood.NEGATIVE])} negative"
        yield f"Before ({_format_days(before.first, before.after)}, {count_noun(before.documents, 'document')}): {then}."
    elif before is not None:
        yield f"Before ({_format_days(before.first, before.after)}): nothing to compare with."
    if len(findings.trend) > 1:
        # a day with one article is the best or the worst by chance
        usual = median(len(each.documents) for each in findings.trend)
        whole = [each for each in findings.trend if len(each.documents) >= usual]
        best, worst = max(whole, key=_mood_of), min(whole, key=_mood_of)
        halves = _halves(findings.trend)
        yield f"From {halves[0]:+.2f} in the first half to {halves[1]:+.2f} in the second (−1 to +1), by {_step_name(findings.step)}."
        if name_mood(best.mood) is Mood.POSITIVE:
            yield f"Best {describe_point(best)}"
        if name_mood(worst.mood) is Mood.NEGATIVE:
            yield f"Worst {describe_point(worst)}"


def _list_named(findings: Findings) -> Iterator[str]:
    named = [
        f"{each.name} ({len(each.documents)}{_than_before(each.before)}, {each.mood:+.2f})"
        for each in findings.names[:MOST_NAMES]
    ]
    if named:
        yield f"Named most (documents, mood): {', '.join(named)}."


def _tell_moods(written: Written, findings: Findings) -> None:
    written.tell("")
    for line in _list_mood_figures(findings):
        written.tell(line)
    for turn in [each for each in findings.turning_points if each.what == "sentiment"][:MOST_TURNS]:
        went = "best" if turn.before is Direction.UP else "worst"
        line = f"Turned after its {went} around {format_day_of(turn.first)}: "
        if not any(written.quote(each, line) for each in turn.quotes):
            written.tell(line.rstrip(": "))
    for each in findings.voices:
        written.quote(each.quote, f"- {name_mood(each.mood).value}: ")
    for line in _list_named(findings):
        written.tell(line)


def _than_before(before: int | None) -> str:
    return "" if before is None else f" after {before}"


def _tell_courses(written: Written, findings: Findings) -> None:
    courses = findings.courses[:MOST_COURSES]
    moves = sorted(
        (each for each in findings.moves if each.percent is not None), key=lambda each: -(each.percent or 0.0)
    )[:MOST_MOVES]
    if not courses and not moves:
        return
    written.tell("")
    for course in courses:
        written.tell(_describe_course(course))
        for move in dict.fromkeys((course.highest, course.lowest, course.last)):
            written.quote(move.quote, f"{_role_of(course, move)}: ")
    for turn in [each for each in findings.turning_points if each.what != "sentiment"][:MOST_TURNS]:
        line = f"{_describe_turn(turn).removesuffix('.')}: "
        if not any(written.quote(each, line) for each in turn.quotes):
            written.tell(line.rstrip(": "))
    if moves:
        written.tell("Largest moves:")
        for move in moves:
            written.quote(move.quote, f"- {describe_move(move)}: ")
    for outlier in findings.outliers[:MOST_TURNS]:
        written.tell(f"Out of the ordinary: {outlier.why}.")


def _describe_course(course: Course) -> str:
    ends = f"{format_level(course.first)} ({_short(course.first.day)}) to {format_level(course.last)} ({_short(course.last.day)})"
    return f"{course.subject}: {ends}, {count_noun(course.moves, 'move')} in {count_noun(len(course.documents), 'document')}."


def _role_of(course: Course, move: object) -> str:
    roles = [
        name
        for name, each in (("highest", course.highest), ("lowest", course.lowest), ("last", course.last))
        if each is move
    ]
    return f"- {' and '.join(roles)}"


def _tell_disputes(written: Written, findings: Findings) -> None:
    written.tell("")
    if not findings.contradictions:
        agreed = (
            f"; {count_noun(len(findings.agreements), 'move')} told alike by several" if findings.agreements else ""
        )
        written.tell(f"Contradictions between sources: none found{agreed}.")
    else:
        written.tell(f"Contradictions between sources: {len(findings.contradictions)}.")
    for each in findings.contradictions[:MOST_DISPUTES]:
        written.tell(f"{each.why}:")
        written.quote(each.one, f"- {each.sources[0]}: ")
        written.quote(each.other, f"- {each.sources[1]}: ")
    for each in _list_differing(findings):
        written.tell(each)


def _list_differing(findings: Findings) -> Iterator[str]:
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


def _tell_forecasts(written: Written, findings: Findings) -> None:
    if not findings.forecasts:
        written.tell("")
        written.tell("Statements about the future: none found, and this product makes none itself.")
        return
    written.tell("")
    written.tell(f"Speculation, not fact: {describe_forecasts(findings.forecasts)}.")
    for each in findings.forecasts[:MOST_FORECASTS]:
        written.quote(each.quote, f"- [speculation] {describe_speaker(each)}: ")


def _tell_events(written: Written, findings: Findings) -> None:
    if not findings.events:
        return
    written.tell("")
    written.tell("What happened:")
    for each in findings.events[:MOST_EVENTS]:
        written.quote(each.quote, "- ")


def format_day_of(day: date) -> str:
    """``5 December 2024``."""
    return f"{day.day} {day:%B %Y}"


def _short(day: date | None) -> str:
    return f"{day.day} {day:%b}" if day else "no date"


def _format_days(first: date, after: date) -> str:
    last = after - timedelta(days=1)
    return format_day_of(first) if first == last else f"{format_day_of(first)} to {format_day_of(last)}"


def _format_span(point: TrendPoint) -> str:
    return _format_days(point.first, point.after)


def _step_name(step: int) -> str:
    return {1: "day", 7: "week"}.get(step, f"{step} days")


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
