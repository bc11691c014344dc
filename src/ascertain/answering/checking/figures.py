"""Figures as claims and sources write them, by value and unit: ``€41 million`` is ``41 million euros``, ``five-day`` is ``5 days``,
``a sixth`` is 0.167, ``4 minutes 10 seconds`` is 250 seconds.

Beside ``language.numbers``, which says what a number counts in general, this one reads units, fractions, multiples, clock times and
what is denied ("not one"), so that a wrong unit is found as a wrong figure is.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache

from ascertain.core.documents.blocks import Span
from ascertain.language.dates import MONTH_FORMS, month_number
from ascertain.language.numbers import SMALL, TENS
from ascertain.language.tokens import WORD, fold_words, stem_word
from ascertain.language.word_lists import load_alternatives, load_pairs, load_phrases, load_words

APPROXIMATE = 0.05
"""How far a figure may lie that calls itself approximate: what people round away in prose."""
_EXACT = 1e-6
MONTHS, DURATIONS, PERCENT, TIMES, POINT, CLOCK, DECADE, ORDINAL = (
    "month",
    "second",
    "%",
    "times",
    "point",
    "clock",
    "decade",
    "ordinal",
)
"""Units that a check depends on."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A number and its place.

    ``value`` has its scale applied and is in the base ``unit`` of its dimension (seconds, metres, ...; "" where none is named);
    ``number`` is the value before that; ``written`` the number without its scale; ``step`` the unit of its last digit, in which
    it may have been rounded, as ``value``.
    ``per`` is the period that a rate is for. A ``is_part`` is a fraction of something ("a sixth of").
    """

    value: float
    unit: str
    step: float
    number: float
    written: float
    span: Span
    text: str
    scale: str = ""
    per: str = ""
    is_approximate: bool = False
    is_denied: bool = False
    is_part: bool = False
    is_code: bool = False
    """A version or a number with several points or a leading zero, which is compared as it is written."""


@dataclass(frozen=True, slots=True)
class Month:
    """A month and its place; ``number`` from 1."""

    number: int
    span: Span
    text: str


_WORDS = {word: value for value, word in enumerate(SMALL)} | {word: 10 * n for n, word in enumerate(TENS, 2)}
_ORDINALS = {word: value for value, word in enumerate(load_words("quantities", "ordinals"))}
_SCALES = {word: float(value) for word, value in load_pairs("quantities", "scales").items()}
_FRACTIONS = {word: float(value) for word, value in load_pairs("claims", "fractions").items()}
_MULTIPLES = {word: float(value) for word, value in load_pairs("claims", "multiples").items()}
_RATES = load_pairs("claims", "rates")
_LONG_SCALES = "|".join(word for word in _SCALES if len(word) > 1)
_NUMERAL = rf"(?:{'|'.join(TENS)})(?:[- ](?:{'|'.join(SMALL[1:10])}))?|{'|'.join(SMALL[::-1])}|dozen"
_DIGITS = r"[0-9]{1,3}(?: [0-9]{3})+(?![0-9])|[0-9]{1,15}(?:[.,][0-9]{1,15}|[’'\u00a0\u202f][0-9]{3})*"
"""No more digits than a number holds exactly; longer ones are names of something."""


@cache
def _load_units() -> dict[str, tuple[str, float]]:
    """The base unit and how many of it each unit is; the later of two lines wins (pounds of money)."""
    units: dict[str, tuple[str, float]] = {}
    for line in load_phrases("claims", "units"):
        pairs = [entry.rsplit(":", 1) for entry in line.split()]
        for name, size in pairs:
            units[name] = (pairs[0][0], float(size))
    return units


_UNIT_WORDS = "|".join(re.escape(unit) for unit in sorted(_load_units(), key=len, reverse=True))
_CODES = load_alternatives("quantities", "currency_codes")
_FIGURE = re.compile(
    rf"(?P<denied>\b(?:{load_alternatives('claims', 'figure_denials')})\s+(?:just\s+|only\s+|the\s+|all\s+)?)?"
    rf"(?P<about>\b(?:{load_alternatives('quantities', 'about')}|ca\.?)\s+|~\s?)?"
    rf"(?P<currency>[$€£¥₹]\s?|\b(?:{_CODES})\s?)?"
    rf"(?:(?<![\w.])(?<![A-Za-z]-)(?P<digits>{_DIGITS})(?P<ordinal>(?:st|nd|rd|th)\b)?|\b(?P<word>{_NUMERAL})\b|\b(?P<place>{'|'.join(list(_ORDINALS)[1:])})\b)"
    rf"(?P<scale>(?:[\s-]?(?:{_LONG_SCALES})\b)+|[kKmM]\b|(?-i:[BT])\b)?"
    rf"(?P<unit>(?:(?:\s?-?\s?)(?:(?:US|basis|percentage)\s)?(?:{_UNIT_WORDS})(?![\w])))?"
    r"(?P<per>\s(?:a|an|per|each|every)\s(?:hour|day|week|month|quarter|year)\b|(?<=[%\w€£$])/(?:hour|day|week|month|year)\b)?",
    re.I,
)
_PARTS = "|".join(sorted(_FRACTIONS, key=len, reverse=True))
_FRACTION = re.compile(
    rf"\b(?:(?P<many>{'|'.join(SMALL[2:10])})[\s-]+(?P<parts>\w+s)\b"
    rf"|(?:(?:an?|one)[\s-]+)?(?P<part>{_PARTS})\b(?=\s+(?:of\b|(?:an?\s|percentage\s)?point\b|more\b|less\b|fewer\b|higher\b|lower\b|larger\b|smaller\b))|(?<=by )(?:an?|one)\s(?P<by>{_PARTS})\b"
    r"|(?P<half>half)\b(?=\s+(?:an?|the|as)\b))",
    re.I,
)
_IS_POINT = re.compile(r"\s+(?:an?\s+|percentage\s+)?point\b", re.I)
_DECADE = re.compile(r"\b((?:1[5-9]|20)\d0)s\b")
_MULTIPLE = re.compile(rf"\b(?:{'|'.join(_MULTIPLES)})\b", re.I)
_CLOCK = re.compile(r"(?<![\d:.])([01]?\d|2[0-3]):([0-5]\d)(?::([0-5]\d))?(?![\d:])")
_CAPITALISED = [form.capitalize() for form in MONTH_FORMS]
_SMALL = [form for form in MONTH_FORMS if not form.startswith("ma")]
"""What is a month in small letters too: not ``may`` or ``march``."""
_MONTH = re.compile(rf"\b(?P<month>{'|'.join((*_CAPITALISED, *_SMALL))})\b\.?")
_JOINT = re.compile(r"[\s,]*(?:and\s+)?")
_NO_FIGURES = frozenset({"first", "second"})
"""Ordinals that more often give an order than a number in prose."""
_ABOUT = re.compile(rf"\b(?:{load_alternatives('quantities', 'about')})\s+(?:an?\s+|one\s+)?$", re.I)
_LOOK_BACK = 60
"""Characters before a figure that may contain the words belonging to it."""
_ONLY_ONE = re.compile(r"\b(?:only|just|exactly|not|a single)\s+$", re.I)


def find_figures(text: str) -> list[Figure]:
    """The figures of ``text`` in order, months aside. ``one`` counts only where it says how many ("only one", "not one")."""
    clocks = [_read_clock(match) for match in _CLOCK.finditer(text)]
    decades = [_read_decade(match) for match in _DECADE.finditer(text)]
    parts = [figure for match in _FRACTION.finditer(text) if (figure := _read_fraction(match)) is not None]
    found = [*clocks, *decades, *parts]
    taken = {place for figure in found for place in range(*figure.span)}
    for match in _FIGURE.finditer(text):
        figure = _read_figure(match)
        if figure is not None and taken.isdisjoint(range(*figure.span)):
            found.append(figure)
    taken = {place for figure in found for place in range(*figure.span)}
    for match in _MULTIPLE.finditer(text):
        span = Span(match.start(), match.end())
        if taken.isdisjoint(range(*span)):
            value = _MULTIPLES[match.group().lower()]
            found.append(Figure(value, TIMES, 0.0, value, value, span, match.group()))
    return _join_durations(sorted(found, key=lambda figure: figure.span), text)


def find_months(text: str) -> list[Month]:
    """The months that ``text`` names."""
    return [
        Month(int(month_number(match["month"])), Span(match.start("month"), match.end("month")), match["month"])
        for match in _MONTH.finditer(text)
    ]


def _read_clock(match: re.Match[str]) -> Figure:
    hours, minutes, seconds = (int(group or 0) for group in match.groups())
    value = 3600.0 * hours + 60 * minutes + seconds
    return Figure(value, CLOCK, 0.0, value, value, Span(match.start(), match.end()), match.group())


def _read_decade(match: re.Match[str]) -> Figure:
    return Figure(
        float(match[1]), DECADE, 0.0, float(match[1]), float(match[1]), Span(match.start(), match.end()), match.group()
    )


def _read_fraction(match: re.Match[str]) -> Figure | None:
    part = (match["parts"] or match["part"] or match["by"] or match["half"]).lower()
    if part not in _FRACTIONS:
        return None
    value = _FRACTIONS[part] * float(_WORDS.get((match["many"] or "").lower(), 1))
    is_point = bool(_IS_POINT.match(match.string, match.end()))
    span = Span(match.start(), match.end())
    about = _ABOUT.search(match.string, max(0, match.start() - _LOOK_BACK), match.start()) is not None
    return Figure(
        value,
        POINT if is_point else "",
        0.0,
        value,
        value,
        span,
        match.group(),
        is_approximate=about,
        is_part=not is_point,
    )


def _read_figure(match: re.Match[str]) -> Figure | None:
    text = match.string
    start = min(match.start(name) for name in ("currency", "digits", "word", "place") if match[name])
    digits, word, place = match["digits"], (match["word"] or "").lower(), (match["place"] or "").lower()
    is_ordinal = bool(match["ordinal"] or place)
    scale_text = (match["scale"] or "").strip().lower()
    unit_text = (match["unit"] or "").strip(" -").lower()
    if word == "one" and not (
        scale_text or unit_text or _ONLY_ONE.search(text[: match.start("word")]) or match["denied"]
    ):
        return None
    if place in _NO_FIGURES:
        return None
    ends = [match.end(name) for name in ("unit", "scale", "digits", "word", "place") if match[name]]
    span = Span(start, ends[0])
    shown = text[span.start : span.end]
    if digits:
        value, step, is_code = read_digits(digits)
    else:
        value = (
            float(_ORDINALS[place])
            if place
            else float(12 if word == "dozen" else sum(_WORDS[part] for part in re.split(r"[- ]", word)))
        )
        step, is_code = 1.0, False
    factor = 1.0
    for name in re.split(r"[\s-]+", scale_text):
        factor *= _SCALES.get(name, 1.0)
    unit, size = (ORDINAL, 1.0) if is_ordinal else _read_unit(match["currency"], unit_text)
    per = _read_rate(match["per"] or "", text[match.end() : match.end() + _LOOK_BACK])
    return Figure(
        value * factor * size,
        unit,
        0.0 if is_ordinal else step * factor * size,
        value * factor,
        value,
        span,
        shown,
        scale=scale_text,
        per=per,
        is_approximate=bool(match["about"]),
        is_denied=bool(match["denied"]),
        is_code=is_code,
    )


def read_digits(written: str) -> tuple[float, float, bool]:
    """The value, the unit of its last digit, and whether it is a code rather than a number (``2.2.7``)."""
    plain = re.sub(r"[’'\u00a0\u202f ](?=\d{3})", "", written)
    plain = re.sub(r",(?=\d{3}(?:\D|$))", "", plain)
    if plain.count(".") > 1:
        if re.fullmatch(r"\d{1,3}(?:\.\d{3})+", plain):
            return float(plain.replace(".", "")), 1.0, False
        return 0.0, 0.0, True
    plain = plain.replace(",", ".") if plain.count(",") == 1 and "." not in plain else plain.replace(",", "")
    return float(plain), 10.0 ** -len(plain.partition(".")[2]), False


def _read_unit(currency: str | None, written: str) -> tuple[str, float]:
    units = _load_units()
    if written.startswith("basis"):
        return POINT, 0.01
    if written.startswith("percentage "):
        return POINT, 1.0
    name = written.removeprefix("us ").strip()
    if currency and name not in {"cent", "cents"}:
        return units.get(currency.strip().lower(), (currency.strip().lower(), 1.0))
    return units.get(name, ("", 1.0))


def _read_rate(per: str, behind: str) -> str:
    """``month`` of "a month", "monthly" and "/month"."""
    if per:
        return re.split(r"[\s/]", per.strip())[-1].lower()
    word = re.match(r"\s(\w+)", behind)
    return _RATES.get(word[1].lower(), "") if word else ""


def _join_durations(figures: Sequence[Figure], text: str) -> list[Figure]:
    """``figures`` with the whole of what is said in two units ("4 minutes 10 seconds", "3 minutes 30") beside its parts."""
    durations: list[Figure] = []
    following = [*figures[1:], None] if figures else []
    for first, second in zip(figures, following, strict=True):
        durations.append(first)
        if second is None or first.unit not in {DURATIONS, MONTHS} or second.unit not in {first.unit, ""}:
            continue
        between = text[first.span.end : second.span.start]
        size = first.value / first.written if first.written else 0.0
        part = second.value if second.unit else second.value * size / 60
        if _JOINT.fullmatch(between) and (second.unit or not between.strip()) and 0 < part < size:
            span = Span(first.span.start, second.span.end)
            whole = first.value + part
            step = second.step if second.unit else second.step * size / 60
            durations.append(
                replace(first, value=whole, number=whole, written=whole, step=step, span=span, text=span.of(text))
            )
    return durations


def counted_word(figure: Figure, text: str, language: str) -> str:
    """The stem of the word after a figure of ``text``: what it counts."""
    match = WORD.search(text, figure.span.end)
    return stem_word(fold_words(match.group()), language) if match and match.start() - figure.span.end <= 2 else ""


def is_same_unit(one: Figure, other: Figure) -> bool:
    """Whether two figures may be of one unit; a bare number may be of any."""
    return one.unit == other.unit or "" in {one.unit, other.unit} or {one.unit, other.unit} == {"%", POINT}


def is_same_value(claimed: Figure, other: Figure) -> bool:
    """Whether ``other`` may be what is claimed, rounded as it is written; a bare number is one of whatever unit."""
    if claimed.unit == other.unit or {claimed.unit, other.unit} == {PERCENT, POINT}:
        return is_near(claimed, other.value, other.step)
    size = claimed.value / claimed.number if claimed.number else 1.0
    bare = replace(claimed, value=claimed.number, step=claimed.step / size)
    return is_near(bare, other.number, other.step * (other.number / other.value if other.value else 1.0))


def is_near(claimed: Figure, value: float, step: float = 0.0) -> bool:
    """Whether ``value``, whose last digit has the unit ``step``, may be what is claimed, in the unit of the claim."""
    slack = max(_EXACT * abs(value), _EXACT)
    if claimed.is_approximate:
        slack = APPROXIMATE * abs(value)
    if step < claimed.step:  # what is claimed has fewer digits
        slack = max(slack, claimed.step / 2)
    return abs(claimed.value - value) <= slack
