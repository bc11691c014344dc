"""The time a question asks about, from its own words.

"today", "last 30 days", "since March" or a full date become a stretch of time relative to the clock; ``days_back``
overrides them. A bare year, or a date long past, is as often the subject of a document as its date, so it is reported
but marked as not explicit.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import islice

from ascertain.core.errors import UsageError
from ascertain.retrieval.foreign_dates import find_foreign_dates
from ascertain.retrieval.timeframe_rules import BEGINNING, RULES, Window, last_days

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


def timeframe(question: str, now: datetime, days_back: int | None = None) -> Timeframe | None:
    """The time frame of ``question`` as of ``now`` (a naive one is UTC); None when it names none.

    ``days_back`` (1 to 365) asks for the last so many days whatever the question says; UsageError outside that range.
    Days begin at midnight of ``now``'s time zone, weeks on Monday. Stretches still to come give None.
    """
    moment = now if now.tzinfo else now.replace(tzinfo=UTC)
    if days_back is not None:
        if not 1 <= days_back <= MAX_DAYS_BACK:
            raise UsageError(f"days back is {days_back}; give a number from 1 to {MAX_DAYS_BACK}")
        return _frame(last_days(days_back, moment), f"last {days_back} days", moment)
    text = _masked(question)
    mentions = list(_mentions(text, moment)) or list(_foreign_mentions(text, moment))
    found = sorted(mentions, key=lambda mention: mention.start)
    chosen = [mention for mention in found if mention.window.is_explicit] or found
    if not chosen:
        return None
    window = Window(
        min(mention.window.start for mention in chosen),
        max(mention.window.end for mention in chosen),
        chosen[0].window.is_explicit,
    )
    return _frame(window, question[chosen[0].start : chosen[-1].end], moment)


@dataclass(frozen=True, slots=True)
class _Mention:
    start: int
    end: int
    window: Window


def _frame(window: Window, phrase: str, now: datetime) -> Timeframe:
    first = "the beginning" if window.start == BEGINNING else f"{window.start:%Y-%m-%d %H:%M}"
    reason = f"“{phrase}” as of {now:%Y-%m-%d} is {first} to {window.end:%Y-%m-%d %H:%M}"
    if not window.is_explicit:
        reason += ", which may be the subject rather than the date of publication"
    return Timeframe(window.start, window.end, phrase, reason, window.is_explicit)


def _masked(question: str) -> str:
    """``question`` with what is in quotes blanked out, so that it is read literally; positions stay."""
    return re.sub(r"\"[^\"]*\"|“[^“”]*”|`[^`]*`", lambda match: "\0" * len(match[0]), question)


def _foreign_mentions(text: str, now: datetime) -> Iterator[_Mention]:
    """What the rules find once dates of other languages are written as they know them; positions stay."""
    dates = list(find_foreign_dates(text))
    for start, end, iso in dates:
        text = f"{text[:start]}{iso.ljust(end - start, chr(0))}{text[end:]}"
    for mention in _mentions(text, now) if dates else ():
        ends = [end for start, end, _ in dates if start < mention.end <= end]
        yield replace(mention, end=max(ends, default=mention.end))


def _mentions(text: str, now: datetime) -> Iterator[_Mention]:
    """What the rules find, earlier rules first; a stretch of text is read once, also when it comes to nothing."""
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
