"""Days, months, quarters and years named in English or ISO form, as stretches of whole days.

A name without a year means its latest occurrence that has begun: in November, "March" is this year's and "December"
last year's.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from enum import Enum, auto

from ascertain.language.word_lists import load_patterns, load_words

MONTHS = load_words("months_and_days", "months")
WEEKDAYS = load_words("months_and_days", "weekdays")

MONTH_FORMS = load_patterns("months_and_days", "month_forms")
"""A regular expression for each month, in lower case."""

_MONTH = rf"(?P<month>{'|'.join(MONTH_FORMS)})\b\.?"
_YEAR = r"(?P<year>(?:1\d|20)\d\d)(?![\w%]|[-/.:,]\d)"
_DAY = r"(?P<day>3[01]|[12]\d|0?[1-9])(?:st|nd|rd|th)?\b"
_PART = r"(?:(?:early|mid|late|the (?:start|beginning|middle|end) of)[\s-]+)?"
_ORDINALS = load_words("quantities", "ordinals")[1:5]
_QUARTER = r"q(?P<quarter>[1-4])\b"
_ORDINAL_QUARTER = rf"the (?P<quarter>{'|'.join(_ORDINALS)}) quarter"
"""Only with a year: games have a fourth quarter too."""
MONTH = _MONTH.replace("?P<month>", "?:")
WEEKDAY = "(?:" + "|".join(WEEKDAYS) + r")\b"


@dataclass(frozen=True, slots=True)
class Days:
    """From ``first`` up to but without ``after``. ``is_year`` when only a year was named."""

    first: date
    after: date
    is_year: bool = False


def named_days(text: str, today: date) -> Days | None:
    """What ``text``, matched by a pattern below, names; None when there is no such day (30 February)."""
    for pattern, resolve in _RESOLVERS:
        match = pattern.fullmatch(text)
        if match is not None:
            try:
                return resolve(match, today)
            except (ValueError, OverflowError):
                return None
    return None


def within_year(text: str, year: int, today: date) -> Days | None:
    """As ``named_days``, for a text that names no year itself."""
    return named_days(f"{text} {year}", today)


def month_days(year: int, month: int) -> Days:
    """A calendar month; ``month`` may run past either end of the year."""
    year, index = year + (month - 1) // 12, (month - 1) % 12
    return Days(date(year, index + 1, 1), date(year + index // 11, (index + 1) % 12 + 1, 1))


def quarter_days(year: int, quarter: int) -> Days:
    """A calendar quarter; ``quarter`` 0 is the last of the year before."""
    return Days(month_days(year, 3 * quarter - 2).first, month_days(year, 3 * quarter).after)


def year_days(year: int) -> Days:
    """A calendar year."""
    return Days(date(year, 1, 1), date(year + 1, 1, 1), is_year=True)


def one_day(day: date) -> Days:
    """A single day."""
    return Days(day, day + timedelta(days=1))


def format_day(day: date) -> str:
    """``5 December 2024``."""
    return f"{day.day} {day:%B %Y}"


def _read_iso_date(match: re.Match[str], _: date) -> Days:
    return one_day(date(int(match["year"]), int(match["number"]), int(match["day"])))


def month_number(name: str) -> int:
    """1 to 12 for the name of a month or its beginning of three letters or more."""
    start = name[:3].lower()
    return next(number for number, month in enumerate(MONTHS, 1) if month.startswith(start))


def _optional_group(match: re.Match[str], name: str) -> str:
    """The group, or an empty text where the form that matched has none of that name."""
    return match.groupdict().get(name) or ""


def _day_of_month(match: re.Match[str], today: date) -> Days:
    month, day = month_number(match["month"]), int(match["day"])
    if year := _optional_group(match, "year"):
        return one_day(date(int(year), month, day))
    # 29 February may lie up to eight years back (1896 to 1904).
    for year in range(today.year, today.year - 9, -1):
        try:
            found = date(year, month, day)
        except ValueError:
            continue
        if found <= today:
            return one_day(found)
    raise ValueError(match[0])


def _read_month(match: re.Match[str], today: date) -> Days:
    month = month_number(match["month"])
    if year := _optional_group(match, "year"):
        return month_days(int(year), month)
    which = _optional_group(match, "which").lower()
    if which == "this":
        return month_days(today.year, month)
    latest = today.month - 1 if which else today.month
    return month_days(today.year - (month > latest), month)


def _read_quarter(match: re.Match[str], today: date) -> Days:
    name = match["quarter"].lower()
    number = _ORDINALS.index(name) + 1 if name in _ORDINALS else int(name)
    if year := _optional_group(match, "year"):
        return quarter_days(int(year), number)
    return quarter_days(today.year - (number > (today.month + 2) // 3), number)


def _read_year(match: re.Match[str], _: date) -> Days:
    return year_days(int(match["year"]))


def _read_weekday(match: re.Match[str], today: date) -> Days:
    back = (today.weekday() - WEEKDAYS.index(match["weekday"].lower())) % 7
    if back == 0 and match["last"]:
        back = 7
    return one_day(today - timedelta(days=back))


def _read_near_day(match: re.Match[str], today: date) -> Days:
    return one_day(today - timedelta(days=match["near"].lower() == "yesterday"))


def calendar_period(unit: str, back: int, today: date) -> Days:
    """The calendar week (from Monday), month, quarter, year or weekend ``back`` before the one of ``today``.

    The weekend of a week is its Saturday and Sunday; before Saturday "this weekend" is the one to come.
    """
    if unit == "week":
        monday = today - timedelta(days=today.weekday() + 7 * back)
        return Days(monday, monday + timedelta(days=7))
    if unit == "weekend":
        saturday = today - timedelta(days=today.weekday() - 5 + 7 * back)
        return Days(saturday, saturday + timedelta(days=2))
    if unit == "month":
        return month_days(today.year, today.month - back)
    if unit == "quarter":
        return quarter_days(today.year, (today.month + 2) // 3 - back)
    days = year_days(today.year - back)
    return Days(days.first, days.after)


def _read_calendar_unit(match: re.Match[str], today: date) -> Days:
    which = match["which"].lower()
    return calendar_period(match["unit"].lower(), int(which != "this"), today)


def _start_of(match: re.Match[str], today: date) -> Days:
    which = match["which"].lower()
    return one_day(calendar_period(match["unit"].lower(), int(which == "last"), today).first)


class _Form(Enum):
    """How surely a form is a date, from certain to only after a word like "in"."""

    FULL = auto()
    NUMBERED = auto()
    WORD = auto()


_TABLE: tuple[tuple[_Form, str, Callable[[re.Match[str], date], Days]], ...] = (
    (
        _Form.FULL,
        r"(?P<year>(?:19|20)\d\d)[-/](?P<number>1[0-2]|0?[1-9])[-/](?P<day>3[01]|[12]\d|0?[1-9])\b",
        _read_iso_date,
    ),
    (_Form.FULL, rf"(?:the )?{_DAY}\s+(?:of\s+)?{_MONTH},?\s+{_YEAR}", _day_of_month),
    (_Form.FULL, rf"{_MONTH}\s+(?:the\s+)?{_DAY},?\s+{_YEAR}", _day_of_month),
    (_Form.FULL, rf"{_PART}{_MONTH}(?:\s+of)?,?\s+{_YEAR}", _read_month),
    (_Form.FULL, rf"{_QUARTER}(?:\s+of)?,?\s+{_YEAR}", _read_quarter),
    (_Form.FULL, rf"{_ORDINAL_QUARTER}(?:\s+of)?,?\s+{_YEAR}", _read_quarter),
    (_Form.FULL, rf"{_YEAR}[\s-]{_QUARTER}", _read_quarter),
    (_Form.NUMBERED, rf"(?:the )?{_DAY}\s+(?:of\s+)?{_MONTH}", _day_of_month),
    (_Form.NUMBERED, rf"{_MONTH}\s+(?:the\s+)?{_DAY}", _day_of_month),
    (_Form.NUMBERED, _QUARTER, _read_quarter),
    (_Form.NUMBERED, rf"{_PART}{_YEAR}", _read_year),
    (_Form.WORD, rf"{_PART}(?:(?P<which>last|this)\s+)?{_MONTH}(?!,?\s+\d)", _read_month),
    (_Form.WORD, rf"(?:(?P<last>last)\s+|this\s+)?(?P<weekday>{'|'.join(WEEKDAYS)})\b", _read_weekday),
    (_Form.WORD, r"(?P<near>yesterday|today)\b", _read_near_day),
    (_Form.WORD, r"(?P<which>last|this)\s+(?P<unit>week(?:end)?|month|quarter|year)\b", _read_calendar_unit),
    (_Form.WORD, r"the (?:start|beginning) of (?P<which>the|this|last) (?P<unit>week|month|quarter|year)\b", _start_of),
)
_RESOLVERS = tuple((re.compile(pattern, re.IGNORECASE), resolve) for _, pattern, resolve in _TABLE)


def _join_patterns(*forms: _Form) -> str:
    """The patterns of these forms as one, without group names."""
    patterns = [re.sub(r"\?P<\w+>", "?:", pattern) for form, pattern, _ in _TABLE if form in forms]
    return f"(?:{'|'.join(patterns)})"


POINT = _join_patterns(*_Form)
"""Any of the forms, names of months among them; only after a word like "in" or "since"."""
NUMBERED_POINT = _join_patterns(_Form.FULL, _Form.NUMBERED)
"""Forms with a number: ``5 December``, ``Q3``, ``2024``; only after a preposition."""
FULL_POINT = _join_patterns(_Form.FULL)
"""Forms with a year and more, which are dates wherever they stand."""
