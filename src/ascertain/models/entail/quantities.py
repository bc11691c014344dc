"""Numbers in text, by value: ``3 million`` is ``3,000,000``, ``a third`` is no number, ``Feb.`` is a month.

A claim's number holds when the evidence has one of the same value and kind. A rounded one (``about 300``) holds when the
evidence is within ``ROUNDING`` of it; a range holds by its ends.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from ascertain.core.spans import Span

ROUNDING = 0.05
"""How far from the evidence a number may lie that calls itself approximate: what people round away in prose."""

_SMALL = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
    " seventeen eighteen nineteen"
).split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_ORDINALS = "zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth".split()
_WORDS = {w: i for i, w in enumerate(_SMALL)} | {w: 10 * i for i, w in enumerate(_TENS, 2)} | {"dozen": 12}
_SCALES = {
    "hundred": 1e2,
    "thousand": 1e3,
    "million": 1e6,
    "billion": 1e9,
    "trillion": 1e12,
    "k": 1e3,
    "m": 1e6,
    "mn": 1e6,
    "bn": 1e9,
    "tn": 1e12,
}
_MONTHS = "january february march april may june july august september october november december".split()

_NUMBER = re.compile(
    r"(?P<approx>\b(?:about|around|approximately|roughly|nearly|almost|some|over|under|more than|less than|up to|circa|ca\.?)\s+|~\s?)?"
    r"(?P<currency>[$€£¥₹]\s?|\b(?:USD|EUR|GBP)\s?)?"
    rf"(?P<number>\d+(?:,\d{{3}})+(?:\.\d+)?|\d+(?:\.\d+)?|\b(?:{'|'.join(_TENS)})(?:[- ](?:{'|'.join(_SMALL[1:10])}))?\b"
    rf"|\b(?:{'|'.join(_SMALL)}|dozen)\b|\b(?:{'|'.join(_ORDINALS[1:])})\b)"
    r"(?P<ordinal>(?:st|nd|rd|th)\b)?"
    r"(?P<scale>\s?(?:hundred|thousand|million|billion|trillion|bn|mn|tn)\b|[kKmM]\b)?"
    r"(?P<unit>\s?%|\s?(?:percent|per cent|percentage)\b|\s?(?:dollars?|euros?|pounds?|USD|EUR|GBP)\b)?",
    re.I,
)
_MONTH = re.compile(
    r"\b(?P<month>Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?"
    r"|Nov(?:ember)?|Dec(?:ember)?)\b\.?"
)


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


def quantities(text: str) -> list[Quantity]:
    """The numbers and months of ``text``, in order. ``one`` alone counts nothing: it is a pronoun more often."""
    found = [_quantity(match) for match in _NUMBER.finditer(text)]
    found = [q for q in found if not (q.text.lower() == "one" and q.kind is Kind.PLAIN)]
    for match in _MONTH.finditer(text):
        month = next(i for i, name in enumerate(_MONTHS, 1) if name.startswith(match["month"].lower()[:3]))
        found.append(Quantity(month, Kind.MONTH, False, Span(*match.span("month")), match["month"]))
    return sorted(found, key=lambda q: q.span)


def holds(claimed: Quantity, evidence: Sequence[Quantity]) -> bool:
    """Whether the evidence has this number. A plain number may be of any kind there but a month, and the reverse."""
    return any(_is_same(claimed, other) for other in evidence)


def _is_same(claimed: Quantity, other: Quantity) -> bool:
    kinds = {claimed.kind, other.kind}
    if len(kinds) == 2 and (Kind.PLAIN not in kinds or Kind.MONTH in kinds):
        return False
    slack = ROUNDING if claimed.is_approximate or other.is_approximate else 1e-9
    return abs(claimed.value - other.value) <= slack * max(abs(other.value), 1e-9)


def _quantity(match: re.Match[str]) -> Quantity:
    written = match["number"].lower()
    value = _value(written)
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


def _value(written: str) -> float:
    if written[0].isdigit():
        return float(written.replace(",", ""))
    if written in _ORDINALS:
        return float(_ORDINALS.index(written))
    return float(sum(_WORDS[part] for part in re.split(r"[- ]", written)))
