"""The ways a question names a stretch of time, each a pattern and how to read it.

Earlier rules go first: "since last March" is read before "last March" and that before "March".
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

from ascertain.language.dates import (
    FULL_POINT,
    MONTH,
    NUMBERED_POINT,
    POINT,
    WEEKDAY,
    WEEKDAYS,
    Days,
    calendar_period,
    month_days,
    named_days,
    one_day,
    within_year,
)
from ascertain.language.numbers import SMALL

BEGINNING = datetime(1900, 1, 1, tzinfo=UTC)
"""Start of "before ...": early enough for any dated document, and within what every index can hold."""
SUBJECT_YEARS = 10
"""A calendar date further back than this names an event, not the day something was published."""


@dataclass(frozen=True, slots=True)
class Window:
    """``[start, end)``; ``is_explicit`` as in ``Timeframe``."""

    start: datetime
    end: datetime
    is_explicit: bool = True


def _midnight(day: date, now: datetime) -> datetime:
    return datetime.combine(day, time(), now.tzinfo)


def _whole_days(days: Days, now: datetime, *, is_explicit: bool = True) -> Window:
    """``days`` in ``now``'s time zone.

    Documents that carry a date without a time stand at midnight UTC, which west of Greenwich falls on the
    evening before; the window then begins there.
    """
    start = min(_midnight(days.first, now), datetime.combine(days.first, time(), UTC))
    return Window(max(start, BEGINNING), _midnight(days.after, now), is_explicit)


def _begun(days: Days, now: datetime, *, is_explicit: bool = True) -> Window | None:
    """``days`` unless they are all to come: nothing is dated then."""
    return _whole_days(days, now, is_explicit=is_explicit) if days.first <= now.date() else None


def last_days(days: int, now: datetime) -> Window:
    """So many whole days before today, and today."""
    today = now.date()
    return _whole_days(Days(today - timedelta(days=days), today + timedelta(days=1)), now)


def _is_date_of_publication(days: Days, now: datetime) -> bool:
    return not days.is_year and days.after.year >= now.year - SUBJECT_YEARS


def _is_weekday(text: str) -> bool:
    return text.lower() in WEEKDAYS


def _point(match: re.Match[str], now: datetime) -> Window | None:
    days = named_days(match["point"], now.date())
    if days is None:
        return None
    # "on Sunday" may as well mean every Sunday.
    is_explicit = _is_date_of_publication(days, now) and not _is_weekday(match["point"])
    return _begun(days, now, is_explicit=is_explicit)


def _since(match: re.Match[str], now: datetime) -> Window | None:
    days = named_days(match["point"], now.date())
    if days is None:
        return None
    first = days.first if match["bound"].lower() == "since" else days.after
    return _begun(Days(first, now.date() + timedelta(days=1)), now, is_explicit=not days.is_year)


def _until(match: re.Match[str], now: datetime) -> Window | None:
    days = named_days(match["point"], now.date())
    # "before Sunday" is about the one to come, and "until today" excludes nothing.
    if days is None or _is_weekday(match["point"]):
        return None
    end = days.first if match["bound"].lower() in {"before", "prior to"} else days.after
    if end > now.date():
        return None
    return Window(BEGINNING, _midnight(end, now), _is_date_of_publication(days, now))


def _range(match: re.Match[str], now: datetime) -> Window | None:
    today = now.date()
    last = named_days(match["point"], today)
    # "from Monday to Friday" is a habit.
    if last is None or _is_weekday(match["point"]):
        return None
    first = within_year(match["from"], last.first.year, today)
    if first is not None and first.first > last.first:
        first = within_year(match["from"], last.first.year - 1, today)
    first = first or named_days(match["from"], today)
    if first is None or first.first > last.first:
        return None
    return _begun(Days(first.first, last.after), now, is_explicit=_is_date_of_publication(last, now))


_VAGUE = {"couple": 2, "couple of": 2, "few": 3, "several": 5}
_EXACT = {"a": 1, **{word: number for number, word in enumerate(SMALL[1:10], 1)}}
_NUMBERS = {**_EXACT, **_VAGUE, "ten": 10, "twelve": 12}


def _number(match: re.Match[str]) -> int:
    text = match.groupdict().get("number") or "one"
    return _NUMBERS.get(text.lower()) or int(text)


def _rolling(match: re.Match[str], now: datetime) -> Window | None:
    number, unit, today = _number(match), match["unit"].lower(), now.date()
    if unit == "hour":
        return Window(
            now.astimezone(UTC) - timedelta(hours=number), _midnight(today + timedelta(days=1), now)
        )
    if unit in {"day", "week"}:
        return last_days(number * (7 if unit == "week" else 1), now)
    months = number * {"month": 1, "quarter": 3, "year": 12}[unit]
    return last_days((today - _months_before(today, months)).days, now)


def _months_before(day: date, months: int) -> date:
    """The same day so many months earlier, or the last day of a shorter month."""
    month = month_days(day.year, day.month - months)
    return min(month.first + timedelta(days=day.day - 1), month.after - timedelta(days=1))


def _ago(match: re.Match[str], now: datetime) -> Window | None:
    """The day, week, month or year that was so long ago; for "a few", some time around it."""
    number, unit = _number(match), match["unit"].lower()
    if match["number"].lower() in _VAGUE and unit != "year":
        return last_days(2 * number * {"day": 1, "week": 7, "month": 31}[unit], now)
    if unit == "day":
        return _begun(one_day(now.date() - timedelta(days=number)), now)
    # People look back years to what happened, not to what was written then.
    return _begun(calendar_period(unit, number, now.date()), now, is_explicit=unit != "year")


def _calendar(match: re.Match[str], now: datetime) -> Window | None:
    back = 0 if match["which"].lower() in {"this", "current"} else 1
    return _begun(calendar_period(match["unit"].lower(), back, now.date()), now)


def _days_ago(first: int, days: int = 1) -> _Reader:
    def read(_: re.Match[str], now: datetime) -> Window | None:
        start = now.date() - timedelta(days=first)
        return _begun(Days(start, start + timedelta(days=days)), now)

    return read


_PRESENT_DAY = re.compile(r"\b(?:still|even|than|known|used|called|exist|exists|modern)\b", re.IGNORECASE)


def _today(match: re.Match[str], now: datetime) -> Window | None:
    """Today, unless it is the last word of a name (USA Today); in "is it still spoken today?" it may be our
    time.
    """
    if match[0] == "Today" and re.search(
        r"[A-Z]\w*\s+$", match.string[max(0, match.start() - 40) : match.start()]
    ):
        return None
    return _begun(one_day(now.date()), now, is_explicit=_PRESENT_DAY.search(match.string) is None)


def _now(match: re.Match[str], now: datetime) -> Window | None:
    """Today and yesterday, which today's papers are about; not in "what do I do now?"."""
    if re.search(r"\b(?:i|we)\b", match.string, re.IGNORECASE):
        return None
    return _days_ago(1, 2)(match, now)


def _year_to_date(_: re.Match[str], now: datetime) -> Window | None:
    return _begun(calendar_period("year", 0, now.date()), now)


_Reader = Callable[[re.Match[str], datetime], Window | None]
_NUMBER = rf"(?P<number>\d{{1,4}}|{'|'.join(sorted(_NUMBERS, key=len, reverse=True))})"
_LENGTH = r"(?P<unit>hour|day|week|month|quarter|year)s?\b(?!\s+of\b)"
_CALENDAR = r"(?P<unit>week(?:end)?|month|quarter|year)\b(?!\s+of\b)"
_PREPOSITION = "(?:in|during|throughout|from|on|of|for|by|as of|dated)"
_END = r"(?![\w/-])"

_TABLE: tuple[tuple[str, _Reader], ...] = (
    (r"\b(?:the )?day before yesterday\b", _days_ago(2)),
    (rf"\b(?:between|from)\s+(?P<from>{POINT})\s+(?:and|to|until|till|through)\s+(?P<point>{POINT})", _range),
    (rf"\b(?P<bound>since|after)\s+(?P<point>{POINT}){_END}", _since),
    (rf"\b(?P<bound>before|prior to|until|till|up to)\s+(?P<point>{POINT}){_END}", _until),
    (
        rf"\b(?:(?:in|over|within|during|for)\s+)?(?:the\s+)?(?:last|past|previous)\s+{_NUMBER}\s+{_LENGTH}",
        _rolling,
    ),
    (rf"\b(?:(?:in|over|within|during|for)\s+)?(?:the\s+(?:last|past)|past)\s+{_LENGTH}", _rolling),
    (rf"\b(?:a\s+)?{_NUMBER}\s+(?P<unit>day|week|month|year)s?\s+ago\b", _ago),
    (rf"\b(?P<which>this|current|last|previous)\s+{_CALENDAR}", _calendar),
    (r"\b(?:year[ -]to[ -]date|ytd)\b", _year_to_date),
    (r"\byesterday\b", _days_ago(1)),
    (r"\blast night\b", _days_ago(1, 2)),
    (r"\b(?:tonight(?! show)|this (?:morning|afternoon|evening))\b", _days_ago(0)),
    (r"\btoday\b", _today),
    (r"\b(?:right|as of) now\b", _days_ago(1, 2)),
    (r"(?<!until )(?<!for )(?<!by )(?<!from )(?<!to )\bnow(?=\s*[?.!]*\s*$)", _now),
    # Dates in names are not dates: "claude-2024-10-22", "version 2023-06-01".
    (rf"(?:\b{_PREPOSITION}\s+|(?<!version )(?<![\w/.-]))(?P<point>{FULL_POINT}){_END}", _point),
    (rf"\b(?P<point>last\s+(?:{WEEKDAY}|{MONTH}))", _point),
    (rf"\b(?:in|during|throughout|from)\s+(?P<point>{POINT}){_END}", _point),
    (rf"\b{_PREPOSITION}\s+(?P<point>{NUMBERED_POINT}|{WEEKDAY}){_END}", _point),
)
RULES = tuple((re.compile(pattern, re.IGNORECASE), read) for pattern, read in _TABLE)
