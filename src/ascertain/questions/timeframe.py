"""The time a question asks about, from its own words.

"today", "last 30 days", "since March" or a full date become a stretch of time relative to the clock; ``days_back``
overrides them. A bare year, or a date long past, is as often the subject of a document as its date, so it is reported
but marked as not explicit.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from functools import cache
from itertools import islice
from typing import Any, cast

from ascertain.core.errors import UsageError
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
from ascertain.language.languages import KNOWN
from ascertain.language.numbers import SMALL
from ascertain.language.word_lists import load_pairs, load_words

# Full dates that the English rules below do not know: "5 mars 2024", "5. März 2024", "25/12/2024".
#
# dateparser knows the months of other languages. It is asked only about what has the form of a whole date, day, month
# and year, and believed only where it reads the same day and year. What is the 3rd of April to some and the 4th of
# March to others is left alone.

LANGUAGES = ("en", "de", "fr", "es", "it", "pt", "nl", "sv", "da", "pl")
"""Those asked for a month; all of dateparser's two hundred would take seconds."""
_MOST = 3
_WORDED = re.compile(
    r"(?<![\w.-])(?P<day>\d{1,2})(?:\.|er|º)?[ -](?:de )?(?P<month>[^\W\d_]{3,10})\.?[ -](?:de |del )?(?P<year>\d{4})(?![\w-]|\.\d)"
)
_NUMBERED = re.compile(
    r"(?<![\w./-])(?P<one>\d{1,2})(?P<mark>[./])(?P<other>\d{1,2})(?P=mark)(?P<year>\d{4})(?![\w/-]|\.\d)"
)


def find_foreign_dates(text: str) -> Iterator[tuple[int, int, str]]:
    """Where such a date stands in ``text``, and the same as year-month-day, which is never longer."""
    for match in islice(_NUMBERED.finditer(text), _MOST):
        orders = ("DMY",) if match["mark"] == "." else ("DMY", "MDY")
        read = {_read_date(match[0], order) for order in orders}
        yield from _written(match, read)
    for match in islice(_WORDED.finditer(text), _MOST):
        date = _read_date(match[0], "DMY")
        yield from _written(match, {date if date is not None and date.day == int(match["day"]) else None})


def _written(match: re.Match[str], read: set[datetime | None]) -> Iterator[tuple[int, int, str]]:
    date = next(iter(read))
    if len(read) == 1 and date is not None and date.year == int(match["year"]):
        yield match.start(), match.end(), f"{date.year}-{date.month}-{date.day}"


def _read_date(text: str, order: str) -> datetime | None:
    import dateparser  # noqa: PLC0415  # pyright: ignore[reportMissingTypeStubs]  takes a third of a second

    settings = {
        "DATE_ORDER": order,
        "STRICT_PARSING": True,
        "REQUIRE_PARTS": ["day", "month", "year"],
        "PARSERS": ["absolute-time"],
    }
    return cast("datetime | None", cast(Any, dateparser).parse(text, languages=LANGUAGES, settings=settings))


# The readers of stretches of time. Earlier rules go first: "since last March" is read before "last March" and that
# before "March".

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


def _midnight_of(day: date, now: datetime) -> datetime:
    return datetime.combine(day, time(), now.tzinfo)


def _whole_days(days: Days, now: datetime, *, is_explicit: bool = True) -> Window:
    """``days`` in ``now``'s time zone.

    Documents that carry a date without a time stand at midnight UTC, which west of Greenwich falls on the evening
    before; the window then begins there.
    """
    start = min(_midnight_of(days.first, now), datetime.combine(days.first, time(), UTC))
    return Window(max(start, BEGINNING), _midnight_of(days.after, now), is_explicit)


def _window_of_days(days: Days, now: datetime, *, is_explicit: bool = True) -> Window | None:
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


def _read_point(match: re.Match[str], now: datetime) -> Window | None:
    days = named_days(match["point"], now.date())
    if days is None:
        return None
    # "on Sunday" may as well mean every Sunday.
    is_explicit = _is_date_of_publication(days, now) and not _is_weekday(match["point"])
    return _window_of_days(days, now, is_explicit=is_explicit)


def _read_since(match: re.Match[str], now: datetime) -> Window | None:
    days = named_days(match["point"], now.date())
    if days is None:
        return None
    first = days.first if match["bound"].lower() == "since" else days.after
    return _window_of_days(Days(first, now.date() + timedelta(days=1)), now, is_explicit=not days.is_year)


def _read_until(match: re.Match[str], now: datetime) -> Window | None:
    days = named_days(match["point"], now.date())
    # "before Sunday" is about the one to come, and "until today" excludes nothing.
    if days is None or _is_weekday(match["point"]):
        return None
    end = days.first if match["bound"].lower() in {"before", "prior to"} else days.after
    if end > now.date():
        return None
    return Window(BEGINNING, _midnight_of(end, now), _is_date_of_publication(days, now))


def _read_range(match: re.Match[str], now: datetime) -> Window | None:
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
    return _window_of_days(Days(first.first, last.after), now, is_explicit=_is_date_of_publication(last, now))


_VAGUE = {"couple": 2, "couple of": 2, "few": 3, "several": 5}
_EXACT = {"a": 1, **{word: number for number, word in enumerate(SMALL[1:10], 1)}}
_NUMBERS = {**_EXACT, **_VAGUE, "ten": 10, "twelve": 12}


def _read_number(match: re.Match[str]) -> int:
    text = match.groupdict().get("number") or "one"
    return _NUMBERS.get(text.lower()) or int(text)


_SHORT_UNITS = {"h": "hour", "d": "day", "w": "week", "y": "year"}
"""As settings and charts write them: ``1y``."""


def _read_rolling(match: re.Match[str], now: datetime) -> Window | None:
    number, unit, today = _read_number(match), match["unit"].lower(), now.date()
    unit = _SHORT_UNITS.get(unit, unit)
    if unit == "hour":
        return Window(now.astimezone(UTC) - timedelta(hours=number), _midnight_of(today + timedelta(days=1), now))
    if unit in {"day", "week"}:
        return last_days(number * (7 if unit == "week" else 1), now)
    months = number * {"month": 1, "quarter": 3, "year": 12}[unit]
    return last_days((today - _months_before(today, months)).days, now)


def _months_before(day: date, months: int) -> date:
    """The same day so many months earlier, or the last day of a shorter month."""
    month = month_days(day.year, day.month - months)
    return min(month.first + timedelta(days=day.day - 1), month.after - timedelta(days=1))


def _read_ago(match: re.Match[str], now: datetime) -> Window | None:
    """The day, week, month or year that was so long ago; for "a few", some time around it."""
    number, unit = _read_number(match), match["unit"].lower()
    if match["number"].lower() in _VAGUE and unit != "year":
        return last_days(2 * number * {"day": 1, "week": 7, "month": 31}[unit], now)
    if unit == "day":
        return _window_of_days(one_day(now.date() - timedelta(days=number)), now)
    # People look back years to what happened, not to what was written then.
    return _window_of_days(calendar_period(unit, number, now.date()), now, is_explicit=unit != "year")


def _read_calendar(match: re.Match[str], now: datetime) -> Window | None:
    back = 0 if match["which"].lower() in {"this", "current"} else 1
    return _window_of_days(calendar_period(match["unit"].lower(), back, now.date()), now)


def _days_ago(first: int, days: int = 1) -> _Reader:
    def read(_: re.Match[str], now: datetime) -> Window | None:
        start = now.date() - timedelta(days=first)
        return _window_of_days(Days(start, start + timedelta(days=days)), now)

    return read


_PRESENT_DAY = re.compile(r"\b(?:still|even|than|known|used|called|exist|exists|modern)\b", re.IGNORECASE)


def _read_today(match: re.Match[str], now: datetime) -> Window | None:
    """Today, unless it is the last word of a name (USA Today); in "is it still spoken today?" it may be our time."""
    if match[0] == "Today" and re.search(
        r"[A-Z]\w{0,40}\s+$", match.string[max(0, match.start() - 40) : match.start()]
    ):
        return None
    return _window_of_days(one_day(now.date()), now, is_explicit=_PRESENT_DAY.search(match.string) is None)


def _read_now(match: re.Match[str], now: datetime) -> Window | None:
    """Today and yesterday, which today's papers are about; not in "what do I do now?"."""
    if re.search(r"\b(?:i|we)\b", match.string, re.IGNORECASE):
        return None
    return _days_ago(1, 2)(match, now)


def _year_to_date(_: re.Match[str], now: datetime) -> Window | None:
    return _window_of_days(calendar_period("year", 0, now.date()), now)


_Reader = Callable[[re.Match[str], datetime], Window | None]
_NUMBER = rf"(?P<number>\d{{1,4}}|{'|'.join(sorted(_NUMBERS, key=len, reverse=True))})"
_LENGTH = r"(?P<unit>hour|day|week|month|quarter|year)s?\b(?!\s+of\b)"
_CALENDAR = r"(?P<unit>week(?:end)?|month|quarter|year)\b(?!\s+of\b)"
_PREPOSITION = "(?:in|during|throughout|from|on|of|for|by|as of|dated)"
_END = r"(?![\w/-])"

_TABLE: tuple[tuple[str, _Reader], ...] = (
    (r"\b(?:the )?day before yesterday\b", _days_ago(2)),
    (rf"\b(?:between|from)\s+(?P<from>{POINT})\s+(?:and|to|until|till|through)\s+(?P<point>{POINT})", _read_range),
    (rf"\b(?P<bound>since|after)\s+(?P<point>{POINT}){_END}", _read_since),
    (rf"\b(?P<bound>before|prior to|until|till|up to)\s+(?P<point>{POINT}){_END}", _read_until),
    (
        rf"\b(?:(?:in|over|within|during|for)\s+)?(?:the\s+)?(?:last|past|previous)\s+{_NUMBER}\s+{_LENGTH}",
        _read_rolling,
    ),
    (rf"\b(?:(?:in|over|within|during|for)\s+)?(?:the\s+(?:last|past)|past)\s+{_LENGTH}", _read_rolling),
    (
        r"\b(?:(?:in|over|within|for|during)\s+)?(?:the\s+)?(?:last|past|over|in|within|for|during)\s+(?P<number>\d{1,3})(?P<unit>[dhwy])\b",
        _read_rolling,
    ),
    (rf"\b(?:a\s+)?{_NUMBER}\s+(?P<unit>day|week|month|year)s?\s+ago\b", _read_ago),
    (rf"\b(?P<which>this|current|last|previous)\s+{_CALENDAR}", _read_calendar),
    (r"\b(?:year[ -]to[ -]date|ytd)\b", _year_to_date),
    (r"\byesterday\b", _days_ago(1)),
    (r"\blast night\b", _days_ago(1, 2)),
    (r"\b(?:tonight(?! show)|this (?:morning|afternoon|evening))\b", _days_ago(0)),
    (r"\btoday\b", _read_today),
    (r"\b(?:right|as of) now\b", _days_ago(1, 2)),
    (r"(?<!until )(?<!for )(?<!by )(?<!from )(?<!to )\bnow(?=[\s?.!]*$)", _read_now),
    # Dates in names are not dates: "claude-2024-10-22", "version 2023-06-01".
    (rf"(?:\b{_PREPOSITION}\s+|(?<!version )(?<![\w/.-]))(?P<point>{FULL_POINT}){_END}", _read_point),
    (rf"\b(?P<point>last\s+(?:{WEEKDAY}|{MONTH}))", _read_point),
    (rf"\b(?:in|during|throughout|from)\s+(?P<point>{POINT}){_END}", _read_point),
    (rf"\b{_PREPOSITION}\s+(?P<point>{NUMBERED_POINT}|{WEEKDAY}){_END}", _read_point),
)
RULES = tuple((re.compile(pattern, re.IGNORECASE), read) for pattern, read in _TABLE)


MAX_DAYS_BACK = 365
_MOST_MENTIONS = 20
"""Of one kind; a text that names more times than this asks about none of them."""


@dataclass(frozen=True, slots=True)
class Timeframe:
    """``[start, end)``, time-zone aware, with the words it was read from and a reason for people.

    ``is_explicit`` says that the words can only mean when something was published or happened, so that a filter is
    right; otherwise they may as well name the subject. Several times in one question give the stretch that holds all.
    """

    start: datetime
    end: datetime
    phrase: str
    reason: str
    is_explicit: bool = True


def find_timeframe(question: str, language: str, now: datetime, days_back: int | None = None) -> Timeframe | None:
    """The time frame of ``question`` as of ``now`` (a naive one is UTC); None when it names none.

    ``days_back`` (1 to 365) asks for the last so many days whatever the question says; UsageError outside that range.
    Days begin at midnight of ``now``'s time zone, weeks on Monday. Stretches still to come give None.
    """
    moment = now if now.tzinfo else now.replace(tzinfo=UTC)
    if days_back is not None:
        if not 1 <= days_back <= MAX_DAYS_BACK:
            raise UsageError(f"days back is {days_back}; give a number from 1 to {MAX_DAYS_BACK}")
        return _build_timeframe(last_days(days_back, moment), f"last {days_back} days", moment)
    text = _mask_quotes(question)
    mentions = list(_find_mentions(text, moment)) or list(_foreign_mentions(text, moment))
    mentions = list(_worded_mentions(text, language, moment)) or mentions
    found = sorted(mentions, key=lambda mention: mention.start)
    chosen = [mention for mention in found if mention.window.is_explicit] or found
    if not chosen:
        return None
    window = Window(
        min(mention.window.start for mention in chosen),
        max(mention.window.end for mention in chosen),
        chosen[0].window.is_explicit,
    )
    return _build_timeframe(window, question[chosen[0].start : chosen[-1].end], moment)


def drop_time_words(phrase: str, question: str) -> str:
    """The question less its words about time; the whole question when nothing else would be left."""
    rest = re.sub(re.escape(phrase), " ", question, flags=re.IGNORECASE)
    rest = re.sub(r"(?<!\s)\s+([?!.,;])", r"\1", " ".join(rest.split())).lstrip(" ,;.")
    return rest if any(character.isalnum() for character in rest) else question


def names_time_within(text: str, written_at: datetime, start: datetime, end: datetime) -> bool:
    """Whether ``text``, written at that moment, names a time that lies wholly in ``[start, end)``: "in May"."""
    moment = written_at if written_at.tzinfo else written_at.replace(tzinfo=UTC)
    mentions = _find_mentions(_mask_quotes(text), moment)
    return any(start <= each.window.start and each.window.end <= end for each in mentions)


@dataclass(frozen=True, slots=True)
class _Mention:
    start: int
    end: int
    window: Window


def _build_timeframe(window: Window, phrase: str, now: datetime) -> Timeframe:
    first = "the beginning" if window.start == BEGINNING else f"{window.start:%Y-%m-%d %H:%M}"
    reason = f"“{phrase}” as of {now:%Y-%m-%d} is {first} to {window.end:%Y-%m-%d %H:%M}"
    if not window.is_explicit:
        reason += ", which may be the subject rather than the date of publication"
    return Timeframe(window.start, window.end, phrase, reason, window.is_explicit)


def _mask_quotes(question: str) -> str:
    """``question`` with what is in quotes blanked out, so that it is read literally; positions stay."""
    return re.sub(r"\"[^\"]*\"|“[^“”]*”|`[^`]*`", lambda match: "\0" * len(match[0]), question)


def _foreign_mentions(text: str, now: datetime) -> Iterator[_Mention]:
    """What the rules find once dates of other languages are written as they know them; positions stay."""
    dates = list(find_foreign_dates(text))
    for start, end, iso in dates:
        text = f"{text[:start]}{iso.ljust(end - start, chr(0))}{text[end:]}"
    for mention in _find_mentions(text, now) if dates else ():
        ends = [end for start, end, _ in dates if start < mention.end <= end]
        yield replace(mention, end=max(ends, default=mention.end))


def _worded_mentions(text: str, language: str, now: datetime) -> Iterator[_Mention]:
    """Times in words of ``language``, each read as the English that means the same; none for English."""
    taken: list[tuple[int, int]] = []
    for pattern, english, months in _compile_timeframes(language) if language in KNOWN else ():
        for match in islice(pattern.finditer(text), _MOST_MENTIONS):
            if any(match.start() < end and start < match.end() for start, end in taken):
                continue
            taken.append(match.span())
            phrase = match.expand(
                english.replace(r"\g<month>", months.get((match.groupdict().get("month") or "").casefold(), ""))
            )
            for mention in islice(_find_mentions(phrase, now), 1):
                yield replace(mention, start=match.start(), end=match.end())


@cache
def _compile_timeframes(language: str) -> tuple[tuple[re.Pattern[str], str, dict[str, str]], ...]:
    months = dict(zip(load_words("words", "months", language), load_words("months_and_days", "months"), strict=True))
    month = f"(?P<month>{'|'.join(months)})"
    pairs = load_pairs("questions", "timeframes", language)
    return tuple(
        (re.compile(rf"(?<!\w){worded.replace('{month}', month)}(?!\w)", re.IGNORECASE), english, months)
        for worded, english in pairs.items()
    )


def _find_mentions(text: str, now: datetime) -> Iterator[_Mention]:
    """What the rules find, earlier rules first; a stretch of text is read once, also when it has no result."""
    taken: list[tuple[int, int]] = []
    for pattern, read in RULES:
        for match in islice(pattern.finditer(text), _MOST_MENTIONS):
            start, end = match.span()
            if any(start < other_end and other_start < end for other_start, other_end in taken):
                continue
            taken.append((start, end))
            try:
                window = read(match, now)
            except (ValueError, OverflowError):
                # "the last 9999 years" begin before the calendar does.
                continue
            if window is not None and window.start < window.end:
                yield _Mention(start, end, window)
