"""Cells as values: numbers with separators, units and currencies, percentages, dates, times taken, yes and no.

A column has one notation, which its cells decide together: ``1.234`` is a thousand and more beside ``12,50``, and one and a bit beside
``0.75``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from ascertain.language.dates import MONTH_FORMS, month_number
from ascertain.language.tables import BLANK
from ascertain.language.word_lists import load_word_set, load_words

EMPTY = frozenset(
    {"", BLANK, "-", "--", "—", "?", "na", "n/a", "n.a.", "nan", "null", "none", "#n/a", "not available", "tbd"}
)
"""What stands in a cell that holds no value, in small letters: the marks of spreadsheets, R and pandas."""
_YES, _NO = load_word_set("table_questions", "yes"), load_word_set("table_questions", "no")
HIDDEN_MARK = "[hidden] "
LONGEST_VALUE = 60
"""Characters of a cell from which it is text: no amount or day is longer."""


class ColumnKind(StrEnum):
    """What the cells of a column are."""

    NUMBER = "number"
    MONEY = "money"
    PERCENT = "percent"
    DATE = "date"
    DURATION = "duration"
    YES_NO = "yes or no"
    TEXT = "text"

    @property
    def is_amount(self) -> bool:
        """Whether its values can be added up and compared by size."""
        return self in {ColumnKind.NUMBER, ColumnKind.MONEY, ColumnKind.PERCENT, ColumnKind.DURATION}


@dataclass(frozen=True, slots=True)
class Amount:
    """A number as a cell writes it: before it a currency or nothing, behind it a unit or nothing."""

    value: float
    decimals: int
    before: str
    unit: str


_AMOUNT = re.compile(
    r"(?P<open>\()?(?P<sign>[-+−–]?)\s?(?P<before>[$€£¥₹]|[A-Z]{2,3}\s?[$€£]?\s)?\s?(?P<minus>[-−]?)"
    r"(?P<digits>\d[\d., '’\u00a0\u202f]*\d|\d|[.,]\d+)(?P<exponent>[eE][-+]?\d{1,3})?"
    r"\s?(?P<scale>[kKmMbB](?![\w²³])|million|billion|thousand)?\s?(?P<unit>%|[^\W\d_][\w/²³°·^.-]{0,15}|°\s?[CFK]?|[$€£¥₹])?\s?(?(open)\)|)"
)
_SCALES = {"k": 1e3, "m": 1e6, "b": 1e9, "thousand": 1e3, "million": 1e6, "billion": 1e9}
_CURRENCIES = frozenset("$€£¥₹")
_CODES = frozenset(code.upper() for code in load_words("quantities", "currency_codes"))
_CLOCK = re.compile(r"(?P<hours>\d{1,3}):(?P<minutes>[0-5]\d)(?::(?P<seconds>[0-5]\d)(?:\.\d+)?)?")
_ISO_DATE = re.compile(
    r"(?P<year>[12]\d{3})[-/.](?P<month>0?[1-9]|1[0-2])(?:[-/.](?P<day>0?[1-9]|[12]\d|3[01]))?(?:[T ]\d{1,2}:\d{2}(?::\d{2})?(?:\.\d+)?Z?)?"
)
_DAY_FIRST = re.compile(r"(?P<first>\d{1,2})(?P<mark>[./-])(?P<second>\d{1,2})(?P=mark)(?P<year>[12]\d{3}|\d{2})")
_MONTH = "|".join(MONTH_FORMS)
_WORDED_DATE = re.compile(
    rf"(?:(?P<day>[0-3]?\d)(?:st|nd|rd|th)?\.?[ -])?(?P<month>{_MONTH})\b\.?[ -]?(?:(?P<later>[0-3]?\d)(?:st|nd|rd|th)?,?\b(?!\d))?[ ,-]*(?P<year>[12]\d{{3}})?",
    re.I,
)


@lru_cache(maxsize=100_000)
def clean_cell(cell: str) -> str:
    """A cell without the mark of a hidden one; empty where it holds no value."""
    text = cell.removeprefix(HIDDEN_MARK).strip().strip("*_`").strip()
    return "" if text.lower() in EMPTY else text


def read_amount(cell: str, decimal: str = ".") -> Amount | None:
    """The number that all of a cell is, with its currency or unit; None where it is something else."""
    if len(cell) > LONGEST_VALUE:
        return None
    match = _AMOUNT.fullmatch(cell)
    if match is None:
        return None
    value, decimals = _read_digits(match["digits"] or "", decimal)
    if value is None:
        return None
    exponent = match["exponent"]
    if exponent:
        value *= 10.0 ** int(exponent[1:])
    scale = (match["scale"] or "").lower()
    value *= _SCALES.get(scale, 1.0)
    negative = bool(match["open"] or match["minus"] or (match["sign"] or "+") != "+")
    before, unit = (match["before"] or "").strip(), (match["unit"] or "").strip()
    return Amount(-value if negative else value, 0 if scale else decimals, before, unit)


def _read_digits(digits: str, decimal: str) -> tuple[float | None, int]:
    plain = re.sub(r"[ '’\u00a0\u202f]", "", digits)
    thousands = "," if decimal == "." else "."
    whole, mark, part = plain.partition(decimal)
    groups = whole.split(thousands)
    if decimal in part or thousands in part:
        return None, 0
    if len(groups) > 1 and (
        len(groups[0]) > 3 or not all(len(group) in (2, 3) for group in groups[1:]) or len(groups[-1]) != 3
    ):
        return None, 0
    number = "".join(groups) + (f".{part}" if mark and part else "")
    try:
        return float(number), len(part)
    except ValueError:
        return None, 0


def guess_decimal_mark(cells: Iterable[str]) -> str:
    """The sign before the decimals in the cells of a column: a point unless a comma is seen where only decimals have one."""
    for cell in cells:
        if re.search(r"\d\.\d{3},\d|\d,\d{1,2}(?!\d)|\d,\d{4,}", cell) and not re.search(r"\d,\d{3}\.\d", cell):
            return ","
        if re.search(r"\d,\d{3}\.\d|\d\.\d{1,2}(?!\d)|\d\.\d{4,}", cell):
            return "."
    return "."


def is_currency(text: str) -> bool:
    """Whether ``text`` is the sign or the code of a currency."""
    return bool(text) and (text in _CURRENCIES or text.upper().strip("$€£ ") in _CODES or text[-1] in _CURRENCIES)


def read_duration(cell: str) -> float | None:
    """Seconds of ``3:12:45`` or ``12:45``, which are hours and minutes where two parts stand (as a time of day too)."""
    match = _CLOCK.fullmatch(cell.strip())
    if match is None:
        return None
    hours, minutes, seconds = int(match["hours"]), int(match["minutes"]), int(match["seconds"] or 0)
    return float(hours * 3600 + minutes * 60 + seconds)


def read_yes_no(cell: str) -> bool | None:
    """True or False where a cell says yes or no; None for anything else."""
    word = cell.strip().lower()
    return True if word in _YES else False if word in _NO else None


def read_date(cell: str, *, day_first: bool = True) -> str | None:
    """The day, month or year-and-month that all of a cell is, in ISO form (``2025-09-03``, ``2025-09``; ``--09`` for a bare month)."""
    text = cell.strip()
    if len(text) > LONGEST_VALUE:
        return None
    if match := _ISO_DATE.fullmatch(text):
        return _write_date(match["year"], int(match["month"]), match["day"])
    if match := _DAY_FIRST.fullmatch(text):
        first, second = int(match["first"]), int(match["second"])
        day, month = (first, second) if (day_first and second <= 12) or first > 12 else (second, first)
        year = match["year"] if len(match["year"]) == 4 else f"20{match['year']}"
        return _write_date(year, month, str(day)) if 1 <= month <= 12 and 1 <= day <= 31 else None
    if (match := _WORDED_DATE.fullmatch(text)) and (match["year"] or not match["day"]):
        return _write_date(match["year"] or "", month_number(match["month"]), match["day"] or match["later"])
    return None


def _write_date(year: str, month: int, day: str | None) -> str:
    start = f"{year or '-'}-{month:02d}"
    return f"{start}-{int(day):02d}" if day and year else start


def is_month_first(cells: Sequence[str]) -> bool:
    """Whether days of a column are written ``12/31/2025``: some second part is no month, and no first part is none."""
    parts = [match for cell in cells if (match := _DAY_FIRST.fullmatch(cell.strip()))]
    return any(int(match["second"]) > 12 for match in parts) and all(int(match["first"]) <= 12 for match in parts)
