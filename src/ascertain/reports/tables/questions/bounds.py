"""The words of a question, and the bounds that figures and days in it set: over 20, at least 1,000 MW, after September 2024, in March."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache

from ascertain.core.documents.blocks import Span
from ascertain.language.dates import MONTH_FORMS, month_number
from ascertain.language.languages import ENGLISH
from ascertain.language.tokens import fold_words, stem_word
from ascertain.language.word_lists import load_pairs, load_patterns
from ascertain.reports.tables.query import Aggregate, Bound, Comparison
from ascertain.reports.tables.values import read_duration

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
    figure.
    """

    comparison: Comparison
    values: tuple[Bound, ...]
    tokens: frozenset[int]
    is_date: bool
    words: str
    adjective: str = ""
    unit: str = ""
    typical: Aggregate | None = None
    """The mean or the median, where that is the bound: its figure is known once the column is."""

    @property
    def compares(self) -> bool:
        """Whether it asks for more or less, and does not merely name a figure or a time."""
        return self.comparison is not Comparison.IN and not self.is_month

    @property
    def period(self) -> str:
        """The words of a time that is named, without what stands before it."""
        return _LEADING.sub("", self.words)

    @property
    def is_month(self) -> bool:
        """Whether it is one month of whatever year."""
        return self.comparison is Comparison.SEASON and self.values[1:] == (_next_period(str(self.values[0])),)

    def drop_years(self) -> Bounds:
        """The same time in whatever year."""
        start, end = str(self.values[0])[5:], str(self.values[-1])[5:]
        if end == "01" and str(self.values[-1])[:4] not in self.words:
            # what comes right behind a year is the January of the next one
            end = "13"
        values = ("01", end) if self.comparison is Comparison.LESS else (start, end)
        if self.comparison is Comparison.AT_LEAST:
            values = (start, "13")
        return replace(self, comparison=Comparison.SEASON, values=values)


def read_tokens(question: str) -> tuple[Token, ...]:
    """The words and figures of a question, in order."""
    tokens: list[Token] = []
    for match in _TOKEN.finditer(question):
        word = fold_words(match[0]).replace("’", "'").removesuffix("'s")
        tokens.append(Token(match[0], word, stem_word(word, ENGLISH), Span(*match.span())))
    return tuple(tokens)


@cache
def load_measures() -> dict[str, tuple[Aggregate, frozenset[str], frozenset[str]]]:
    """By adjective the end that its superlative asks for, the words of columns that measure it, and those that measure its contrary."""
    measures: dict[str, tuple[Aggregate, frozenset[str], frozenset[str]]] = {}
    for adjective, line in load_pairs(_LISTS, "superlatives").items():
        end, *words = line.split()
        plain = frozenset(word for word in words if not word.startswith("-"))
        turned = frozenset(word[1:] for word in words if word.startswith("-"))
        measures[adjective] = (Aggregate.HIGHEST if end == "most" else Aggregate.LOWEST, plain, turned)
    return measures


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


_LEADING = re.compile(r"^(?:in|of|for|during|on|at|within|dated|from|year) ", re.I)
_MONTH = "|".join(MONTH_FORMS)
_DATE = rf"(?:(?P<iso>[12]\d{{3}}-\d\d(?:-\d\d)?)|(?:the )?(?:(?P<day>[0-3]?\d)(?:st|nd|rd|th)? (?:of )?)?(?P<month>(?:{_MONTH})\b\.?)(?: (?P<day2>[0-3]?\d)(?:st|nd|rd|th)?,?(?!\d))?(?:,? (?:of )?(?P<myear>[12]\d{{3}}))?|(?:q(?P<quarter>[1-4])|h(?P<half>[12])(?= (?:of )?[12]\d{{3}})|(?:the )?(?P<nth>first|second|third|fourth|last|1st|2nd|3rd|4th) (?P<part>quarter|half)(?! of (?!the year|[12]\d{{3}})))(?: of the year)?(?:,? (?:of )?(?P<qyear>[12]\d{{3}}))?|(?:the year )?(?P<year>(?:1[5-9]|20)\d\d)(?![\d.,:]\d)(?! ?(?:%|mw|km|kg|eur|usd|gbp|units|rows|people|m\b)))"
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
        rf"(?<![\d,.]){_NUMBER} ?(?:{behind})(?!\w)",
    )
    return tuple(re.compile(pattern.replace(" ", r"\s+").replace(r"\s+?", r"\s*"), re.I) for pattern in patterns)


@cache
def _compile_cues() -> re.Pattern[str]:
    """Words that put one amount above or below another: higher than, exceeded, more in stock than."""
    plain = "|".join(rf"(?P<{name}>{_alternatives(name)})" for name in ("more_than", "less_than"))
    apart = "|".join(rf"(?P<{name}>{_alternatives(name)})" for name in ("more_of", "less_of"))
    spaced = plain.replace(" ", r"[\s-]+")
    return re.compile(rf"(?<!\w)(?:{spaced}|(?:{apart})(?P<between>(?:\s+\w+){{1,3}}?)\s+than)(?!\w)", re.I)


@cache
def _compile_typical() -> re.Pattern[str]:
    kinds = rf"(?:(?P<mean>{_alternatives('plain_mean')})|(?P<median>median))"
    return re.compile(rf"{_compile_cues().pattern}[\s-]+(?:(?:the|its|their|an?) +)?{kinds}(?!\w)", re.I)


def find_cues(question: str, tokens: Sequence[Token]) -> Iterator[tuple[Comparison, frozenset[int]]]:
    """Each of these words, by its tokens, with how it compares."""
    for match in _compile_cues().finditer(question):
        yield _read_cue(match, tokens)


def _read_cue(match: re.Match[str], tokens: Sequence[Token]) -> tuple[Comparison, frozenset[int]]:
    places = _overlapping(tokens, Span(*match.span()))
    if match["between"]:
        places -= _overlapping(tokens, Span(*match.span("between")))
    return Comparison.MORE if match["more_than"] or match["more_of"] else Comparison.LESS, places


def _find_typical(question: str, tokens: Sequence[Token]) -> Iterator[Bounds]:
    """Above the average, below the median, more visitors than the mean."""
    for match in _compile_typical().finditer(question):
        comparison, places = _read_cue(match, tokens)
        adjective = next((adj for word in match[0].lower().split()[:3] if (adj := find_adjective(word))), "")
        kind = Aggregate.MEAN if match["mean"] else Aggregate.MEDIAN
        yield Bounds(comparison, (), places, False, " ".join(match[0].split()), adjective, typical=kind)


def find_times(question: str, tokens: Sequence[Token]) -> list[Bounds]:
    """Each day, month or year that is named, in order, whatever stands before it: both ends of a range."""
    return [
        Bounds(found[0], found[1], _overlapping(tokens, Span(*match.span())), True, " ".join(match[0].split()))
        for match in _compile_bounds()[2].finditer(question)
        if (found := _read_date_named(match)) is not None
    ]


def join_times(bounds: Sequence[Bounds], tokens: Sequence[Token]) -> list[Bounds]:
    """Times that stand side by side are one condition: in May and June."""
    times: list[Bounds] = []
    for each in sorted(bounds, key=lambda each: min(each.tokens)):
        last = times[-1] if times else None
        if last is not None and last.is_date and each.is_date and last.comparison is each.comparison:
            between = {tokens[place].word for place in range(max(last.tokens) + 1, min(each.tokens))}
            if between <= {"and", "or", "in"} and each.comparison in (Comparison.IN, Comparison.SEASON):
                words = f"{last.words} or {each.words}"
                times[-1] = replace(
                    last, values=(*last.values, *each.values), tokens=last.tokens | each.tokens, words=words
                )
                continue
        times.append(each)
    return times


def _overlapping(tokens: Sequence[Token], span: Span) -> frozenset[int]:
    return frozenset(place for place, token in enumerate(tokens) if span.overlap(token.span))


def find_bounds(question: str, tokens: Sequence[Token]) -> Iterator[Bounds]:
    """The comparisons with figures and days in ``question``, whose tokens are given; each stretch of it is read once."""
    typical = list(_find_typical(question, tokens))
    yield from typical
    taken = [tokens[place].span for each in typical for place in each.tokens]

    def claim(match: re.Match[str]) -> frozenset[int] | None:
        span = Span(*match.span())
        if any(span.overlap(other) for other in taken):
            return None
        taken.append(span)
        return _overlapping(tokens, span)

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
    if quarter := _find_part(groups):
        first, length = quarter
        year = groups.get("qyear")
        start, end = f"{first:02d}", f"{first + length:02d}"
        return (f"{year}-{start}", _next_period(f"{year}-{first + length - 1:02d}")) if year else (start, end)
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
    start = (f"{year}-" if year else "") + f"{number:02d}" + (f"-{int(day):02d}" if day else "")
    return start, _next_period(start)


_PLACES = {"first": 1, "second": 2, "third": 3, "fourth": 4}


def _find_part(groups: dict[str, str]) -> tuple[int, int] | None:
    """The first month of a quarter or a half of a year, and how many months it has."""
    nth = groups.get("nth", "").lower()
    is_half = "half" in groups or groups.get("part", "").lower() == "half"
    parts, length = (2, 6) if is_half else (4, 3)
    digits = groups.get("quarter") or groups.get("half") or nth[:1]
    place = parts if nth == "last" else int(digits) if digits.isdigit() else _PLACES.get(nth, 0)
    return (length * (place - 1) + 1, length) if 0 < place <= parts else None


def _has_year(period: str) -> bool:
    return period[:4].isdigit() and len(period) >= 4


def _next_period(start: str) -> str:
    """What comes right behind a year, a month or a day, by the order of texts."""
    if not _has_year(start):
        return f"{int(start) + 1:02d}" if len(start) == 2 else f"{start}~"
    parts = [int(part) for part in start.split("-")]
    if len(parts) == 1:
        return f"{parts[0] + 1:04d}"
    if len(parts) == 2:
        return f"{parts[0] + 1:04d}-01" if parts[1] == 12 else f"{parts[0]:04d}-{parts[1] + 1:02d}"
    # no day sorts between the last second of one day and this
    return f"{start}~"


def _read_date_range(match: re.Match[str]) -> _Read | None:
    first = _read_day(match)
    second = _read_day(match, "b_")
    if first is None or second is None:
        return None
    start, end = first[0], second[1]
    if not _has_year(start) and not _has_year(second[0]):
        return Comparison.SEASON, (start, end), True, ""
    if not _has_year(start):
        start = f"{second[0][:4]}-{start}"
    if not _has_year(second[0]):
        end = _next_period(f"{start[:4]}-{second[0]}")
    return Comparison.WITHIN, (start, end), True, ""


def _read_date_bound(match: re.Match[str]) -> _Read | None:
    found = _read_day(match)
    if found is None:
        return None
    start, after = found
    if not _has_year(start):
        season = (after, "13") if match["after"] else (start, "13") if match["since"] else ("01", start)
        return Comparison.SEASON, season if not match["until"] else ("01", after), True, ""
    if match["after"]:
        return Comparison.AT_LEAST, (after,), True, ""
    if match["since"]:
        return Comparison.AT_LEAST, (start,), True, ""
    return (Comparison.LESS, (start,), True, "") if match["before"] else (Comparison.LESS, (after,), True, "")


def _read_date_named(match: re.Match[str]) -> _Read | None:
    found = _read_day(match)
    if found is None:
        return None
    return Comparison.IN if _has_year(found[0]) else Comparison.SEASON, found, True, ""


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
    if low is None or high is None or any(re.fullmatch(_MONTH, each[1]) for each in (low, high)):
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
