"""Dates and times as a spreadsheet shows them, by the codes of their format (ECMA-376 part 1, 18.8.31)."""

import locale
from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import lru_cache

from ascertain.documents.formats.office.sheets.format_codes import Section, Token

_LATEST_DAY = 2_958_466
"""The first day after 9999, counted from 1900."""
_DAY_ONE = datetime(1899, 12, 30)


def _moment_of(serial: float) -> datetime | None:
    """The moment that a number of days means; None before 1900 and after 9999, where none is shown."""
    if not 0 <= serial < _LATEST_DAY:
        return None
    # Excel has a 29 February 1900, so that what is before it is a day late
    return _DAY_ONE + timedelta(days=serial + (1 if serial < 60 else 0))


def show_date(section: Section, value: float, first_day: int) -> str | None:
    """A number of days as a section of a code shows it; None where it means no day."""
    moment = _moment_of(value + first_day)
    if moment is None:
        return None
    tokens = section.tokens
    decimals = 0
    for number, token in enumerate(tokens[:-1]):
        if token == ("mark", ".") and tokens[number + 1].kind == "digit":
            decimals = sum(1 for each in tokens[number + 1 :] if each.kind == "digit")
    has_seconds = any(token.kind in ("date", "elapsed") and token.text[0] == "s" for token in tokens)
    unit = 10**decimals if has_seconds else 1
    ticks = round(value * 86_400 * unit)
    moment = _moment_of(ticks / unit / 86_400 + first_day) or moment
    # to the tick, whatever the division left
    moment = (moment + timedelta(microseconds=500)).replace(microsecond=ticks % unit * (1_000_000 // unit))
    has_half = any(token.kind == "half" for token in tokens)
    return "".join(
        _show_date_token(tokens, number, moment, ticks / unit, language=section.language, has_half=has_half)
        for number in range(len(tokens))
    )


def _show_date_token(
    tokens: Sequence[Token], number: int, moment: datetime, seconds: float, *, language: str | None, has_half: bool
) -> str:
    kind, text = tokens[number]
    if kind == "elapsed":
        amount = int(seconds // {"h": 3600, "m": 60, "s": 1}[text[0]])
        return str(amount).zfill(len(text))
    if kind == "half":
        names = text.split("/") if "/" in text else ["AM", "PM"]
        return names[moment.hour >= 12]
    if kind == "digit":
        places = [each for each in range(number + 1) if tokens[each].kind == "digit"]
        return f"{moment.microsecond:06d}"[len(places) - 1 : len(places)] or "0"
    if kind != "date":
        return text
    if text[0] == "h":
        hour = (moment.hour % 12 or 12) if has_half else moment.hour
        return str(hour).zfill(min(2, len(text)))
    if text[0] == "s":
        return str(moment.second).zfill(min(2, len(text)))
    if text[0] == "m" and len(text) < 3 and _means_minutes(tokens, number):
        return str(moment.minute).zfill(len(text))
    return _show_day_token(text, moment, language)


def _means_minutes(tokens: Sequence[Token], number: int) -> bool:
    """Whether ``m`` stands for minutes: behind hours, or before seconds."""
    clock = [(place, token.text[0]) for place, token in enumerate(tokens) if token.kind in ("date", "elapsed")]
    before = [text for place, text in clock if place < number]
    behind = [text for place, text in clock if place > number]
    return (bool(before) and before[-1] == "h") or (bool(behind) and behind[0] == "s")


def _show_day_token(text: str, moment: datetime, language: str | None) -> str:
    size = len(text)
    if text[0] in "ye":
        return f"{moment.year:04d}" if size > 2 or text[0] == "e" else f"{moment.year % 100:02d}"
    if text[0] == "b":
        return f"{moment.year + 543:04d}"
    if text[0] == "g":
        return ""
    if size < 3:
        return str(moment.month if text[0] == "m" else moment.day).zfill(size)
    if text[0] == "m":
        name = _names(language, "months", is_short=size == 3)[moment.month - 1]
        return name[0] if size == 5 else name
    return _names(language, "days", is_short=size == 3)[moment.weekday()]


@lru_cache(maxsize=256)
def _names(language: str | None, what: str, *, is_short: bool) -> tuple[str, ...]:
    """The names of months, or of the days from Monday on, in the language that a code names by its number (``407``)."""
    # a tenth of a second to import
    from babel import Locale, UnknownLocaleError  # noqa: PLC0415

    try:
        number = int((language or "409").split("-")[0].split(",")[0], 16) & 0xFFFF
        found = Locale.parse(locale.windows_locale.get(number, "en_US"))
    except (ValueError, UnknownLocaleError):
        found = Locale("en")
    names = (found.months if what == "months" else found.days)["format"]["abbreviated" if is_short else "wide"]
    return tuple(str(names[number]).rstrip(".") for number in sorted(names))
