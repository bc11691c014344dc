"""Numbers in text, by value: ``3 million`` is ``3,000,000``, ``a third`` is no number, ``Feb.`` is a month.

A claim's number holds when the evidence has one of the same value and kind. A rounded one (``about 300``) holds when
the evidence is within ``ROUNDING`` of it; a range holds by its ends.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from ascertain.core.documents.blocks import Span
from ascertain.language.dates import MONTH_FORMS, month_number
from ascertain.language.word_lists import load_alternatives, load_pairs, load_words

ROUNDING = 0.05
"""How far from the evidence a number may lie that calls itself approximate: what people round away in prose."""

SMALL = load_words("quantities", "small")
"""Numerals from 0 to 19."""
TENS = load_words("quantities", "tens")
_ORDINALS = load_words("quantities", "ordinals")
_WORDS = {w: i for i, w in enumerate(SMALL)} | {w: 10 * i for i, w in enumerate(TENS, 2)} | {"dozen": 12}
_SCALES = {word: float(value) for word, value in load_pairs("quantities", "scales").items()}
_LONG_SCALES = "|".join(word for word in _SCALES if len(word) > 1)
_CODES = load_alternatives("quantities", "currency_codes")
_CURRENCIES = load_alternatives("quantities", "currencies")
_PERCENT = load_alternatives("quantities", "percent")

_NUMBER = re.compile(
    rf"(?P<approx>\b(?:{load_alternatives('quantities', 'about')}|ca\.?)\s+|~\s?)?"
    rf"(?P<currency>[$€£¥₹]\s?|\b(?:{_CODES})\s?)?"
    rf"(?P<number>\d+(?:,\d{{3}})+(?:\.\d+)?|\d+(?:\.\d+)?|\b(?:{'|'.join(TENS)})(?:[- ](?:{'|'.join(SMALL[1:10])}))?\b"
    rf"|\b(?:{'|'.join(SMALL)}|dozen)\b|\b(?:{'|'.join(_ORDINALS[1:])})\b)"
    r"(?P<ordinal>(?:st|nd|rd|th)\b)?"
    rf"(?P<scale>\s?(?:{_LONG_SCALES})\b|[kKmM]\b|(?-i:[BT])\b)?"
    rf"(?P<unit>\s?%|\s?(?:{_PERCENT})\b|\s?(?:{_CURRENCIES}|{_CODES})\b)?",
    re.I,
)
_MONTH = re.compile(rf"\b(?P<month>{'|'.join(form.capitalize() for form in MONTH_FORMS)})\b\.?")


class Kind(StrEnum):
    """What a number counts."""

    PLAIN = "plain"
    PERCENT = "percent"
    MONEY = "money"
    ORDINAL = "ordinal"
    MONTH = "month"


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number where it stands; ``value`` with its scale applied, months from 1."""

    value: float
    kind: Kind
    is_approximate: bool
    span: Span
    text: str


def find_quantities(text: str) -> list[Quantity]:
    """The numbers and months of ``text``, in order. ``one`` alone counts nothing: it is a pronoun more often."""
    quantities = [_read_quantity(match) for match in _NUMBER.finditer(text)]
    quantities = [q for q in quantities if not (q.text.lower() == "one" and q.kind is Kind.PLAIN)]
    for match in _MONTH.finditer(text):
        quantities.append(
            Quantity(month_number(match["month"]), Kind.MONTH, False, Span(*match.span("month")), match["month"])
        )
    return sorted(quantities, key=lambda q: q.span)


def holds_quantity(claimed: Quantity, evidence: Sequence[Quantity]) -> bool:
    """Whether the evidence has this number. A plain number may be of any kind there but a month, and the reverse."""
    return any(_is_same(claimed, other) for other in evidence)


def _is_same(claimed: Quantity, other: Quantity) -> bool:
    kinds = {claimed.kind, other.kind}
    if len(kinds) == 2 and (Kind.PLAIN not in kinds or Kind.MONTH in kinds):
        return False
    slack = ROUNDING if claimed.is_approximate or other.is_approximate else 1e-9
    return abs(claimed.value - other.value) <= slack * max(abs(other.value), 1e-9)


def _read_quantity(match: re.Match[str]) -> Quantity:
    written = match["number"].lower()
    value = _read_value(written)
    scale = (match["scale"] or "").strip().lower()
    unit = (match["unit"] or "").strip().lower()
    if unit.startswith(("%", "per")):
        kind = Kind.PERCENT
    elif unit or match["currency"]:
        kind = Kind.MONEY
    else:
        kind = Kind.ORDINAL if match["ordinal"] or written in _ORDINALS else Kind.PLAIN
    start = match.start("currency") if match["currency"] else match.start("number")
    span = Span(start, match.end())
    return Quantity(
        value * _SCALES.get(scale, 1.0), kind, bool(match["approx"]), span, match.string[start : match.end()]
    )


def _read_value(written: str) -> float:
    if written[0].isdigit():
        return float(written.replace(",", ""))
    if written in _ORDINALS:
        return float(_ORDINALS.index(written))
    return float(sum(_WORDS[part] for part in re.split(r"[- ]", written)))


_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}\b)")
_KILO = re.compile(r"\b(\d+)k\b", re.I)


def spell_figures(text: str) -> str:
    """``text`` with its figures written alike: "1,500" and "20k" without marks."""
    return _KILO.sub(r"\g<1>000", _THOUSANDS.sub("", text))
