"""The days, months and years of a claim against those of a sentence and of its document."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from ascertain.answering.checking.calendar import find_days, read_calendar
from ascertain.answering.checking.figures import find_months
from ascertain.language.dates import MONTHS

_YEAR = re.compile(r"(?<![\w.,$€£-])(?:1[5-9]|20)\d\d(?![\w%]|[.,]\d)")
_AS_MONTH = re.compile(r"\d\s*$|\b(?:in|since|until|till|of|from|by|on|to|last|next|this|late|early|mid)[\s-]+$", re.I)


@dataclass(frozen=True, slots=True)
class DayComparison:
    """``rival`` is the day that the sentence names in the place of the claim's ``claimed``; ``missing`` one that it does not name."""

    claimed: str = ""
    rival: str = ""
    missing: str = ""


@dataclass(frozen=True, slots=True)
class _Named:
    days: tuple[tuple[int, int], ...]
    months: tuple[int, ...]
    years: tuple[int, ...]


def compare_days(claim: str, said: str, context: Sequence[str], published: date | None) -> DayComparison:
    """The first day, month or year of ``claim`` that ``said``, what stands over it and the date of its document do not have.

    Another one is named as its rival only where the sentence itself names one.
    """
    wanted, there = _read_named(claim), _read_named(said)
    if not (wanted.days or wanted.months or wanted.years):
        return DayComparison()
    calendar = read_calendar([said, *context], [published])
    for number, month in wanted.days:
        if not calendar.has_day(number, month):
            return _name_rival(_show_day(number, month), [_show_day(*day) for day in there.days])
    for month in wanted.months:
        if not calendar.has_month(month):
            return _name_rival(MONTHS[month - 1].capitalize(), [MONTHS[each - 1].capitalize() for each in there.months])
    for year in wanted.years:
        if not calendar.has_year(year):
            return _name_rival(str(year), list(map(str, there.years)))
    return DayComparison()


def _name_rival(claimed: str, rivals: Sequence[str]) -> DayComparison:
    return DayComparison(claimed, rivals[0]) if rivals else DayComparison(missing=claimed)


def _read_named(text: str) -> _Named:
    days = tuple(dict.fromkeys((number, month) for number, month, _ in find_days(text)))
    months = [
        each.number
        for each in find_months(text)
        if each.text != "May" or _AS_MONTH.search(text[: each.span.start]) or re.match(r"\s+\d", text[each.span.end :])
    ]
    return _Named(days, tuple(dict.fromkeys(months)), tuple(dict.fromkeys(map(int, _YEAR.findall(text)))))


def _show_day(number: int, month: int) -> str:
    return f"{number} {MONTHS[month - 1].capitalize()}"
