"""Dates that sources name, and those that follow from them: "on Monday" in an article of the 7th, sixteen months before June 2025, the days
between two dates.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import combinations

from ascertain.answering.checking.figures import CLOCK, DURATIONS, MONTHS, Figure, find_figures, find_months
from ascertain.core.documents.blocks import Span
from ascertain.language.dates import MONTH_FORMS, WEEKDAYS, month_number
from ascertain.language.word_lists import load_words

_MONTH = "|".join(MONTH_FORMS)
_ONES = load_words("quantities", "ordinals")[1:]
_TEENS = "thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth".split()
_ORDINAL_DAYS = (*_ONES, *_TEENS, *(f"twenty-{one}" for one in _ONES[:9]), "thirtieth", "thirty-first")
"""The days of a month in words, from the first."""
_DAY = rf"(?:the\s+)?(?P<day>3[01]|[12]\d|0?[1-9]|{'|'.join(sorted(_ORDINAL_DAYS, key=len, reverse=True))})(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>(?:1[5-9]|20)\d\d)"
_DATES = (
    re.compile(rf"\b{_DAY}(?:\s+of)?\s+(?P<month>{_MONTH})\b\.?(?:,?\s+{_YEAR}\b)?", re.I),
    re.compile(rf"\b(?P<month>{_MONTH})\b\.?\s+{_DAY}\b(?!:)(?:,?\s+{_YEAR}\b)?", re.I),
)
_ISO = re.compile(r"\b(\d{4})-(\d\d)-(\d\d)\b")
_MONTH_OF_YEAR = re.compile(rf"\b(?P<month>{_MONTH})\b\.?,?\s+(?:of\s+)?{_YEAR}\b", re.I)
_WEEKDAY = re.compile(rf"\b({'|'.join(WEEKDAYS)})\b", re.I)
_BOUNDARY = re.compile(rf"\b(?P<where>end|start|beginning) of (?:the )?(?P<month>{_MONTH})\b", re.I)
_OTHER_YEAR = re.compile(r"\b(last|previous|next|following|coming) year\b", re.I)
_QUARTER = re.compile(r"\bq([1-4])\b|\b(first|second|third|fourth) quarter\b", re.I)
_QUARTERS = {"first": 1, "second": 2, "third": 3, "fourth": 4}
DAY_SECONDS = 86_400
_DAYS_A_MONTH = 30.44
_LONGEST_SPAN = 4000
"""Days from which a period is given in years."""
MOST_DATES = 12
"""Most dates of a text compared with each other; with more, something between two of them fits by chance."""


@dataclass(frozen=True, slots=True)
class Calendar:
    """The days and months that some texts name or imply. ``months`` are (year, month), year 0 where none is known."""

    days: frozenset[date]
    months: frozenset[tuple[int, int]]
    years: frozenset[int]

    def has_month(self, number: int) -> bool:
        """Whether this month is among them, in whatever year."""
        return any(month == number for _, month in self.months) or any(day.month == number for day in self.days)

    def has_year(self, year: int) -> bool:
        """Whether this year is among them."""
        return year in self.years

    def has_day(self, number: int, month: int) -> bool:
        """Whether this day of this month is among them."""
        return any((day.day, day.month) == (number, month) for day in self.days)

    def has_weekday(self, name: str) -> bool:
        """Whether a day of this name, in lower case, is among them."""
        return any(f"{day:%A}".lower() == name for day in self.days)

    def implies_duration(self, figure: Figure) -> bool:
        """Whether this much time lies between two of the days; a value given as less or more may be a tenth off."""
        return any(_fits(figure, abs((one - other).days)) for one, other in combinations(sorted(self.days), 2))


def read_calendar(texts: Sequence[str], published: Iterable[date | None]) -> Calendar:
    """What ``texts`` name, what follows from their publication days, and dates apart by a period they name."""
    known = {day for day in published if day is not None}
    text = "\n".join(texts)
    years = {day.year for day in known} | {int(year) for year in re.findall(r"\b(?:1[5-9]|20)\d\d\b", text)}
    days = set(known)
    for pattern in _DATES:
        for match in pattern.finditer(text):
            days.update(_resolve_days(match, years))
    days.update(day for match in _ISO.finditer(text) if (day := _build_day(*map(int, match.groups()))))
    for match in _WEEKDAY.finditer(text):
        days.update(_near_weekdays(match[1], known))
    for match in _OTHER_YEAR.finditer(text):
        step = -1 if match[1].lower() in {"last", "previous"} else 1
        years.update({day.year + step for day in known})
    months = {(day.year, day.month) for day in days}
    months.update((int(match["year"]), int(month_number(match["month"]))) for match in _MONTH_OF_YEAR.finditer(text))
    for found in find_months(text):
        months.update((year, found.number) for year in years or {0})
    for match in _BOUNDARY.finditer(text):
        number = int(month_number(match["month"]))
        shift = 1 if match["where"].lower() == "end" else -1
        months.update(_shift_month((year, number), shift) for year in years or {0})
    for match in _QUARTER.finditer(text):
        quarter = int(match[1]) if match[1] else _QUARTERS[match[2].lower()]
        months.update((year, 3 * quarter - k) for year in years or {0} for k in range(3))
    stretches = [round(figure.value) for figure in find_figures(text) if figure.unit == MONTHS and figure.value < 1200]
    months.update(
        _shift_month(month, sign * stretch) for month in tuple(months) for stretch in stretches for sign in (-1, 1)
    )
    spans = [figure.value / DAY_SECONDS for figure in find_figures(text) if figure.unit == DURATIONS]
    shifted = {
        moved
        for day in days
        for span in spans
        if 1 <= span < _LONGEST_SPAN
        for sign in (-1, 1)
        if (moved := _shift_day(day, sign * span)) is not None
    }
    days.update(shifted if len(shifted) <= MOST_DATES**2 else ())
    years.update(year for year, _ in months)
    years.update(day.year for day in days)
    return Calendar(frozenset(days), frozenset(months), frozenset(years))


def fits_clocks(figure: Figure, others: Sequence[Figure]) -> bool:
    """Whether this much time lies between two times of day among ``others``."""
    clocks = sorted({other.value for other in others if other.unit == CLOCK})[:MOST_DATES]
    return any(_fits(figure, (later - earlier) / DAY_SECONDS) for earlier, later in combinations(clocks, 2))


def find_weekdays(text: str) -> Iterator[str]:
    """The weekdays that ``text`` names, in lower case."""
    return (match[1].lower() for match in _WEEKDAY.finditer(text))


def find_days(text: str) -> Iterator[tuple[int, int, Span]]:
    """The days of a month that ``text`` names, each with the number of its month, and where the day number is."""
    for pattern in _DATES:
        for match in pattern.finditer(text):
            yield _read_day(match["day"]), int(month_number(match["month"])), Span(match.start("day"), match.end("day"))


def _fits(figure: Figure, days: float) -> bool:
    if not days:
        return False
    if figure.unit == MONTHS:
        months = days / _DAYS_A_MONTH
        return abs(figure.value - months) <= max(0.5 * figure.step, 0.1 * months if figure.is_approximate else 0.0)
    value = days * DAY_SECONDS
    return abs(figure.value - value) <= max(
        0.5 * figure.step if figure.step > 60 else 1.0, 0.1 * value if figure.is_approximate else 0
    )


def _read_day(written: str) -> int:
    return int(written) if written.isdigit() else _ORDINAL_DAYS.index(written.lower()) + 1


def _resolve_days(match: re.Match[str], years: Iterable[int]) -> Iterator[date]:
    month, number = int(month_number(match["month"])), _read_day(match["day"])
    for year in [int(match["year"])] if match["year"] else years:
        if day := _build_day(year, month, number):
            yield day


def _build_day(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _near_weekdays(name: str, published: Iterable[date]) -> Iterator[date]:
    """The day of this name on or before a date, and the next one."""
    number = [weekday.lower() for weekday in WEEKDAYS].index(name.lower())
    for day in published:
        back = (day.weekday() - number) % 7
        yield day - timedelta(days=back)
        yield day + timedelta(days=7 - back)


def _shift_day(day: date, by: float) -> date | None:
    try:
        return day + timedelta(days=by)
    except OverflowError:
        return None


def _shift_month(month: tuple[int, int], by: int) -> tuple[int, int]:
    year, index = divmod(month[0] * 12 + month[1] - 1 + by, 12)
    return year, index + 1
