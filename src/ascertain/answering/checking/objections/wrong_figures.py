"""Figures, dates and times that are not those of the sources, and do not follow from them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ascertain.answering.checking.arithmetic import follows_from
from ascertain.answering.checking.calendar import Calendar, find_days, find_weekdays, fits_clocks, read_calendar
from ascertain.answering.checking.figures import (
    CLOCK,
    DECADE,
    DURATIONS,
    MONTHS,
    ORDINAL,
    TIMES,
    Figure,
    counted_word,
    find_figures,
    find_months,
    is_same_unit,
    is_same_value,
)
from ascertain.answering.checking.objections.objection import Case, Objection
from ascertain.core.asking.answers import VerdictLabel
from ascertain.language.tokens import STOP_WORDS, WORD, fold_words, stem_word
from ascertain.language.word_lists import load_alternatives

_YEARS = range(1500, 2101)
_MOST_TOLD = 10
"""A number up to this one may count things the sentence itself lists."""
_BEFORE_TOLD = re.compile(rf"\b(?:{load_alternatives('claims', 'enumerating')})\s+$", re.I)


def find_wrong_figure(case: Case) -> Objection | None:
    """The first figure of the claim that is neither in its sources nor follows from them."""
    calendar = read_calendar(
        [case.sources, case.statement.question],
        [each.published_at.date() if each.published_at else None for each in case.evidence],
    )
    in_dates = {figure.span for figure in _find_date_figures(case, calendar)}
    held: list[Figure] = []
    doubtful: list[Figure] = []
    stray = {figure.span for figure in _find_stray_days(case, calendar)}
    for figure in case.figures:
        is_known = figure.span not in stray and _is_held(figure, case, calendar)
        if figure.is_denied or figure.span in in_dates or is_known:
            held.append(figure)
        else:
            doubtful.append(figure)
    operands = [figure for quote in case.quotes for figure in find_figures(quote)]
    operands += find_figures("\n".join((*(each.title for each in case.evidence), case.statement.question)))
    for figure in list(doubtful):
        # a calculated figure may be used further: the 5 devices beyond 35, at 19 euros each
        if follows_from(figure, [*operands, *held], case.text):
            doubtful.remove(figure)
            held.append(figure)
    doubtful = [figure for figure in doubtful if not follows_from(figure, [*operands, *held], case.text)]
    if doubtful:
        return _object_to(doubtful[0], case)
    return _find_wrong_date(case, calendar)


def _is_held(figure: Figure, case: Case, calendar: Calendar) -> bool:
    others = (*case.source_figures, *find_figures(case.statement.question))
    if figure.is_code:
        return figure.text in case.known
    alike = [other for other in others if not other.is_denied and _is_same(figure, other)]
    if alike:
        return not _counts_other_things(figure, alike, case)
    if _lacks_only_scale(figure, others, list(_find_bare_scales(case.sources))):
        return True
    if not figure.unit and figure.value in _YEARS and figure.value == int(figure.value):
        return calendar.has_year(int(figure.value))
    if figure.unit == DECADE:
        return any(int(figure.value) <= year < int(figure.value) + 10 for year in calendar.years)
    if figure.unit in {DURATIONS, MONTHS}:
        return calendar.implies_duration(figure) or fits_clocks(figure, case.source_figures)
    return not figure.unit and figure.value <= _MOST_TOLD and _counts_what_is_told(figure, case)


def _counts_other_things(figure: Figure, alike: Sequence[Figure], case: Case) -> bool:
    """Whether a bare number counts things in the claim, but is a sum, a share or a measure in all the sources."""
    counted = counted_word(figure, case.text, case.language)
    if (
        counted in STOP_WORDS
        or figure.unit
        or figure.scale
        or not counted
        or not all(other.unit in _MEASURES for other in alike)
    ):
        return False
    return any(counted == stem_word(fold_words(word), case.language) for word in WORD.findall(case.sources))


_MEASURES = frozenset({"dollar", "euro", "pound", "yen", "%", "second", "byte", "metre", "kg"})
"""Units that do not count things."""


def _is_same(claimed: Figure, other: Figure) -> bool:
    if other.is_code or {claimed.unit, other.unit} == {CLOCK, ""}:
        return False
    if claimed.per and other.per and claimed.per != other.per:
        return False
    if ORDINAL in {claimed.unit, other.unit} and claimed.unit != other.unit:
        return claimed.written == other.written and "" in {claimed.unit, other.unit}
    return is_same_unit(claimed, other) and is_same_value(claimed, other)


def _lacks_only_scale(claimed: Figure, others: Sequence[Figure], bare_scales: Sequence[float]) -> bool:
    """Whether a source has the number without the scale given elsewhere in it: a table in thousands, "334 thousand, 24 more".

    ``bare_scales`` are those given without a number ("Budget, in thousand euros").
    """
    if any(_is_in_scale(claimed, other, factor) for factor in bare_scales for other in others):
        return True
    scales = {other.scale for other in others if other.scale}
    if claimed.scale:
        return claimed.scale in scales and any(
            not other.scale and not other.unit and abs(other.written - claimed.written) < 1e-9 for other in others
        )
    return (
        bool(scales)
        and not claimed.unit
        and any(other.scale and abs(other.written - claimed.written) < 1e-9 for other in others)
    )


_BARE_SCALE = re.compile(r"(?<![\w.])(?<!\d )(thousand|million|billion)s?\b(?! of\b)", re.I)
_FACTORS = {"thousand": 1e3, "million": 1e6, "billion": 1e9}


def _find_bare_scales(text: str) -> Iterator[float]:
    return (_FACTORS[match[1].lower()] for match in _BARE_SCALE.finditer(text))


def _is_in_scale(claimed: Figure, other: Figure, factor: float) -> bool:
    return (
        not other.scale and not other.is_code and not other.unit and abs(other.value * factor - claimed.number) < 1e-6
    )


def _counts_what_is_told(figure: Figure, case: Case) -> bool:
    """Whether a small number counts things that the sentence names: "the two companies", "three risks: a, b and c"."""
    if _BEFORE_TOLD.search(case.text[: figure.span.start]):
        return True
    if case.text.rstrip().endswith(":"):
        return True  # the list after it is checked by itself
    if ":" not in case.text[figure.span.end :]:
        return False
    listed = re.split(r",\s+(?:and\s+|or\s+)?|(?<!\s)\s+and\s+|;\s*", case.text[figure.span.end :].partition(":")[2])
    return len(listed) == int(figure.value)


def _find_date_figures(case: Case, calendar: Calendar) -> Iterator[Figure]:
    """Figures that are the day of a month which the sources name or imply."""
    for number, month, span in find_days(case.text):
        if calendar.has_day(number, month):
            yield from (figure for figure in case.figures if figure.span.overlap(span))


_NUMERIC_DATE = re.compile(r"\b\d{1,4}([./-])\d{1,2}\1\d{1,4}\b")
"""An all-numeric date in which the month is ambiguous."""


def _find_stray_days(case: Case, calendar: Calendar) -> Iterator[Figure]:
    """Figures that are the day of a month which no source names or implies, whatever else the sources count with the same number."""
    if _NUMERIC_DATE.search(case.sources):
        return
    named = {(number, month) for number, month, _ in find_days(case.known)}
    for number, month, span in find_days(case.text):
        if (number, month) not in named and not calendar.has_day(number, month):
            yield from (figure for figure in case.figures if figure.span.overlap(span) and not figure.unit)


def _find_wrong_date(case: Case, calendar: Calendar) -> Objection | None:
    known = fold_words(case.known)
    for month in find_months(case.text):
        is_word = (
            month.text == "May"
            and not re.search(
                r"\d|\b(?:in|since|until|till|of|from|by|on|to|last|next|this)\s+$",
                case.text[max(0, month.span.start - 8) : month.span.start],
            )
            and not re.match(r"\s+\d", case.text[month.span.end :])
        )
        if not is_word and not calendar.has_month(month.number):
            return Objection(VerdictLabel.NOT_IN_SOURCES, f"no source names {month.text}")
    for name in find_weekdays(case.text):
        if name not in known and not calendar.has_weekday(name):
            return Objection(VerdictLabel.NOT_IN_SOURCES, f"no source names {name.capitalize()}")
    return None


def _object_to(figure: Figure, case: Case) -> Objection:
    """Contradicted where the quotation has a different figure of the same kind, else not in the sources."""
    shown = figure.text.strip()
    if figure.per:
        shown = f"{shown} a {figure.per}"
    if figure.unit == TIMES:
        return Objection(VerdictLabel.NOT_IN_SOURCES, f"no source says {shown}, and its figures do not make it")
    others = [other for quote in case.quotes for other in find_figures(quote) if not other.is_denied]
    counted = counted_word(figure, case.text, case.language)
    for other in others:
        is_rival = bool(figure.unit) and figure.unit == other.unit
        if not is_rival and counted:
            is_rival = any(
                counted_word(other, quote, case.language) == counted for quote in case.quotes if other.text in quote
            )
        if not is_rival and figure.unit in {DURATIONS, MONTHS} and other.unit in {DURATIONS, MONTHS}:
            is_rival = figure.written == other.written
        if is_rival:
            said = (
                f"{other.text.strip()} a {other.per}" if other.per and other.per != figure.per else other.text.strip()
            )
            return Objection(VerdictLabel.CONTRADICTED, f"the quotation says {said}, not {shown}")
    return Objection(VerdictLabel.NOT_IN_SOURCES, f"no source says {shown}")
