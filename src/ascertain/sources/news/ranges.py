"""How far back "a month" reaches: to the same day of the month before, or its last one."""

from __future__ import annotations

import calendar
from datetime import datetime, timedelta

_DAYS = {"day": 1, "week": 7}
_MONTHS = {"month": 1, "year": 12}
NAMES = ("any", *_DAYS, *_MONTHS)


def beginning_of(range: str, now: datetime) -> datetime | None:
    """The moment a range of ``NAMES`` begins, by the clock of ``now``; None for "any". ValueError for another name."""
    if range == "any":
        return None
    if range in _DAYS:
        return now - timedelta(days=_DAYS[range])
    if range not in _MONTHS:
        raise ValueError(f"{range!r} is not one of {', '.join(NAMES)}")
    year, month = divmod(now.year * 12 + now.month - 1 - _MONTHS[range], 12)
    last = calendar.monthrange(year, month + 1)[1]
    return now.replace(year=year, month=month + 1, day=min(now.day, last))
