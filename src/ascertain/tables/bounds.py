"""The words of a question, and the bounds that figures and days in it set: over 20, at least 1,000 MW, after September 2024, in March."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from ascertain.core.blocks import Span
from ascertain.language.dates import MONTH_FORMS, month_number
from ascertain.language.tokens import fold_words, stem_word
from ascertain.language.word_lists import load_pairs, load_patterns
from ascertain.tables.query import Aggregate, Bound, Comparison
from ascertain.tables.values import read_duration

_LISTS = "table_questions"
_TOKEN = re.compile(r"\d[\d.,:]*\d|\d|[^\W\d_][^\W_]*(?:['’][^\W\d_]+)?|[^\W_]+")


@dataclass(frozen=True, slots=True)
class Token:
    """A word or figure of the question; ``word`` is folded, without a possessive ending, ``stem`` its stem."""

    text: str
    word: str
    stem: str
    span: Span


@dataclass(frozen=True, slots=True)
class Bounds:
    """A comparison with a figure or a day that the question states. ``comparison`` is IN for one that is merely named ("in 2007", "floor 2").
    ``tokens`` are its places among the tokens; ``adjective`` is that of its comparative ("longer than"), ``unit`` what stands behind the
    figure. ``year`` and ``month`` are set for a day or a part of one that is named.
    """

    comparison: Comparison
    values: tuple[Bound, ...]
    tokens: frozenset[int]
    is_date: bool
    words: str
    adjective: str = ""
    unit: str = ""

    @property
    def compares(self) -> bool:
        """Whether it asks for more or less, and does not merely name a figure or a time."""
        return self.comparison not in (Comparison.IN, Comparison.OF_MONTH)


def read_tokens(question: str) -> tuple[Token, ...]:
    """The words and figures of a question, in order."""
    found: list[Token] = []
    for match in _TOKEN.finditer(question):
        word = fold_words(match[0]).replace("’", "'").removesuffix("'s")
        found.append(Token(match[0], word, stem_word(word), Span(*match.span())))
    return tuple(found)


@cache
def load_measures() -> dict[str, tuple[Aggregate, frozenset[str], frozenset[str]]]:
    """By adjective the end that its superlative asks for, the words of columns that measure it, and those that measure its contrary."""
    found: dict[str, tuple[Aggregate, frozenset[str], frozenset[str]]] = {}
    for adjective, line in load_pairs(_LISTS, "superlatives").items():
        end, *words = line.split()
        plain = frozenset(word for word in words if not word.startswith("-"))
        turned = frozenset(word[1:] for word in words if word.startswith("-"))
        found[adjective] = (Aggregate.HIGHEST if end == "most" else Aggregate.LOWEST, plain, turned)
    return found


def find_adjective(word: str) -> str:
    """The adjective of a superlative or a comparative (``longest``, ``longer``); empty where it is none that measures something."""
    irregular = load_pairs(_LISTS, "irregular").get(word)
    if irregular:
        return irregular
    measures = load_measures()
    for ending in ("est", "er"):
        stem = word.removesuffix(ending)
        if stem != word and len(stem) >= 2:
            forms = (
                stem,
                f"{stem}e",
                stem[:-1] if len(stem) > 2 and stem[-1] == stem[-2] else stem,
                f"{stem[:-1]}y" if stem.endswith("i") else stem,
            )
            adjective = next((form for form in forms if form in measures), "")
            if adjective:
                return adjective
    return ""


_MONTH = "|".join(MONTH_FORMS)
_DATE = rf"(?:(?P<iso>[12]\d{{3}}-\d\d(?:-\d\d)?)|(?:the )?(?:(?P<day>[0-3]?\d)(?:st|nd|rd|th)? (?:of )?)?(?P<month>(?:{_MONTH})\b\.?)(?: (?P<day2>[0-3]?\d)(?:st|nd|rd|th)?,?(?!\d))?(?:,? (?:of )?(?P<myear>[12]\d{{3}}))?|q(?P<quarter>[1-4])(?: (?:of )?(?P<qyear>[12]\d{{3}}))?|(?:the year )?(?P<year>(?:1[5-9]|20)\d\d)(?![\d.,:]\d)(?! ?(?:%|mw|km|kg|eur|usd|gbp|units|rows|people|m\b)))"
_NUMBER = r"(?P<currency>[$€£¥]\s?)?(?P<number>\d{1,3}:\d\d(?::\d\d)?|\d[\d,]*(?:\.\d+)?)(?P<scale>[km]\b|\s?(?:million|billion|thousand|bn)\b)?\s?(?P<unit>%|[^\W\d_]+/[^\W\d_]+|°\s?[cf]|[^\W\d_]+)?"
_SCALES = {"k": 1e3, "m": 1e6, "million": 1e6, "billion": 1e9, "bn": 1e9, "thousand": 1e3}


def _alternatives(name: str) -> str:
    return "|".join(load_patterns(_LISTS, name))


@cache
def _compile_bounds() -> tuple[re.Pattern[str], ...]:
    """Of days: a range, one with a word before it, one named; of figures: a range, one with a word before it, one with a word behind it."""
    date_cues = "|".join(rf"(?P<{name}>{_alternatives(name)})" for name in ("after", "since", "before", "until"))
    cues = "|".join(rf"(?P<{name}>{_alternatives(name)})" for name in ("at_least", "at_most", "more_than", "less_than"))
    second = _DATE.replace("(?P<", "(?P<b_")
    two = _NUMBER.replace("(?P<", "(?P<b_")
    behind = rf"(?P<or_more>{_alternatives('or_more')})|(?P<or_less>{_alternatives('or_less')})"
    patterns = (
        rf"\b(?:between|from) {_DATE} (?:and|to|until|through) {second}",
        rf"\b(?:{date_cues}) {_DATE}",
        rf"\b(?:in|of|for|during|on|at|within|dated|from|year)? ?\b{_DATE}(?:'s)?\b",
        rf"\b(?:between|from) {_NUMBER} (?:and|to) {two}",
        rf"(?:\b|(?<=\s))(?:{cues}) ?(?:than )?{_NUMBER}",
        rf"{_NUMBER} ?(?:{behind})(?!\w)",
    )
    return tuple(re.compile(pattern.replace(" ", r"\s+").replace(r"\s+?", r"\s*"), re.I) for pattern in patterns)


def find_bounds(question: str, tokens: Sequence[Token]) -> Iterator[Bounds]:
    """The comparisons with figures and days in ``question``, whose tokens are given; each stretch of it is read once."""
    taken: list[Span] = []

    def claim(match: re.Match[str]) -> frozenset[int] | None:
        span = Span(*match.span())
        if any(span.overlap(other) for other in taken):
            return None
        taken.append(span)
        return frozenset(place for place, token in enumerate(tokens) if span.overlap(token.span))

    date_range, date_bound, date_named, range_, bound, behind = _compile_bounds()
    for pattern, read in (
        (range_, _read_range),
        (date_range, _read_date_range),
        (date_bound, _read_date_bound),
        (bound, _read_bound),
        (behind, _read_behind),
        (date_named, _read_date_named),
    ):
        for match in pattern.finditer(question):
            made = read(match)
            if made is None:
                continue
            claimed = claim(match)
            if claimed is not None:
                comparison, values, is_date, unit = made
                adjective = next((adj for word in match[0].lower().split()[:3] if (adj := find_adjective(word))), "")
                yield Bounds(comparison, values, claimed, is_date, " ".join(match[0].split()), adjective, unit)


_Read = tuple[Comparison, tuple[Bound, ...], bool, str]


def _read_day(match: re.Match[str], prefix: str = "") -> tuple[str, str] | None:
    """The first day, month or year of what a match names, in ISO form, and what comes right behind it; of a bare month ``03`` twice."""
    groups = {
        name.removeprefix(prefix): value
        for name, value in match.groupdict().items()
        if name.startswith(prefix) and value
    }
    if iso := groups.get("iso"):
        return iso, _next_period(iso)
    if quarter := groups.get("quarter"):
        year = groups.get("qyear")
        first = 3 * int(quarter) - 2
        return (f"{year}-{first:02d}", _next_period(f"{year}-{first + 2:02d}")) if year else None
    if year := groups.get("year"):
        return year, str(int(year) + 1)
    month = groups.get("month")
    if not month:
        return None
    number = month_number(month.rstrip("."))
    # "may" as a verb is no month: it has a day, a year, or a capital letter
    day, year = groups.get("day") or groups.get("day2"), groups.get("myear")
    if (
        month.rstrip(".").lower() in {"may", "march", "mar", "sun", "dec", "jan"}
        and month.islower()
        and month.startswith("may")
        and not (day or year)
    ):
        return None
    if not year:
        return (f"{number:02d}", f"{number:02d}") if not day else None
    start = f"{year}-{number:02d}" + (f"-{int(day):02d}" if day else "")
    return start, _next_period(start)


def _next_period(start: str) -> str:
    """What comes right behind a year, a month or a day, by the order of texts."""
    parts = [int(part) for part in start.split("-")]
    if len(parts) == 1:
        return f"{parts[0] + 1:04d}"
    if len(parts) == 2:
        return f"{parts[0] + 1:04d}-01" if parts[1] == 12 else f"{parts[0]:04d}-{parts[1] + 1:02d}"
    # no day sorts between the last second of one day and this
    return f"{start}~"


def _read_date_range(match: re.Match[str]) -> _Read | None:
    plain = re.compile(r"\bb_")
    first = _read_day(match)
    second = _read_day(match, "b_")
    del plain
    if first is None or second is None:
        return None
    start, end = first[0], second[1]
    if len(start) == 2 and len(second[0]) > 2:
        start = f"{second[0][:4]}-{start}"
    if len(start) == 2:
        return None
    return Comparison.WITHIN, (start, end), True, ""


def _read_date_bound(match: re.Match[str]) -> _Read | None:
    found = _read_day(match)
    if found is None or len(found[0]) == 2:
        return None
    start, after = found
    if match["after"]:
        return Comparison.AT_LEAST, (after,), True, ""
    if match["since"]:
        return Comparison.AT_LEAST, (start,), True, ""
    return (Comparison.LESS, (start,), True, "") if match["before"] else (Comparison.LESS, (after,), True, "")


def _read_date_named(match: re.Match[str]) -> _Read | None:
    found = _read_day(match)
    if found is None:
        return None
    if len(found[0]) == 2:
        return Comparison.OF_MONTH, (found[0],), True, ""
    return Comparison.IN, found, True, ""


def _read_figure(match: re.Match[str], prefix: str = "") -> tuple[float, str] | None:
    text = match[f"{prefix}number"]
    if ":" in text:
        seconds = read_duration(text)
        return None if seconds is None else (seconds, "")
    value = float(text.replace(",", ""))
    scale = (match[f"{prefix}scale"] or "").strip().lower()
    unit = match[f"{prefix}currency"] or match[f"{prefix}unit"] or ""
    return value * _SCALES.get(scale, 1.0), fold_words(unit.strip())


def _read_range(match: re.Match[str]) -> _Read | None:
    low, high = _read_figure(match), _read_figure(match, "b_")
    if low is None or high is None:
        return None
    is_year = all(1500 <= each[0] <= 2100 and each[0] == int(each[0]) for each in (low, high)) and not high[1].strip(
        "?"
    )
    if is_year:
        return Comparison.WITHIN, (f"{low[0]:.0f}", f"{high[0] + 1:.0f}"), True, ""
    return Comparison.WITHIN, (low[0], high[0]), False, high[1] or low[1]


def _read_bound(match: re.Match[str]) -> _Read | None:
    figure = _read_figure(match)
    if figure is None:
        return None
    if match["at_least"]:
        comparison = Comparison.AT_LEAST
    elif match["at_most"]:
        comparison = Comparison.AT_MOST
    else:
        comparison = Comparison.MORE if match["more_than"] else Comparison.LESS
    return comparison, (figure[0],), False, figure[1]


def _read_behind(match: re.Match[str]) -> _Read | None:
    figure = _read_figure(match)
    if figure is None:
        return None
    return (Comparison.AT_LEAST if match["or_more"] else Comparison.AT_MOST), (figure[0],), False, figure[1]
