"""Full dates that the English rules of ``timeframe_rules`` do not know: "5 mars 2024", "5. März 2024", "25/12/2024".

dateparser knows the months of other languages. It is asked only about what has the form of a whole date, day, month and year, and
believed only where it reads the same day and year. What is the 3rd of April to some and the 4th of March to others is left alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from itertools import islice
from typing import Any, cast

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
