"""What a question asks to be computed, by its own words and before any table is looked at: a count, a sum, a mean, an end, a list, and the
bounds that figures and days in it set.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache

from ascertain.core.blocks import Span
from ascertain.language.dates import MONTH_FORMS, month_number
from ascertain.language.tokens import fold_words, stem_word
from ascertain.language.word_lists import load_pairs, load_patterns, load_word_set, load_words
from ascertain.tables.query import Aggregate, Bound, Comparison
from ascertain.tables.values import read_duration

_LISTS = "table_questions"
_TOKEN = re.compile(r"\d[\d.,:]*\d|\d|[^\W\d_][^\W_]*(?:['’][^\W\d_]+)?|[^\W_]+")
MOST_TOKENS = 60
"""Words of a question that is read; a longer one is a text, not a question to a table."""


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


@dataclass(frozen=True)
class QuestionForm:
    """``aggregate`` is None where nothing says what is computed: a look-up. ``end`` is the superlative's; ``adjective`` what it measures ("long"
    of "longest"). ``operators`` are the tokens that say so. ``counted`` is the token behind "how many", ``asked`` those behind "which".
    """

    tokens: tuple[Token, ...]
    aggregate: Aggregate | None
    end: Aggregate | None = None
    adjective: str = ""
    rank: int = 1
    most: int = 1
    operators: frozenset[int] = frozenset()
    end_tokens: frozenset[int] = frozenset()
    counted: int | None = None
    asked: int | None = None
    asks_who: bool = False
    asks_when: bool = False
    is_listing: bool = False
    is_yes_no: bool = False
    grouped: tuple[int, ...] = ()
    bounds: tuple[Bounds, ...] = ()
    negated: frozenset[int] = field(default_factory=frozenset[int])

    @property
    def is_computed(self) -> bool:
        """Whether the words ask for more than a look-up: a figure over rows, an end, or the rows that meet a comparison."""
        compares = any(each.compares for each in self.bounds)
        return (
            self.aggregate is not None or self.end is not None or (self.is_listing and compares) or bool(self.grouped)
        )


def read_tokens(question: str) -> tuple[Token, ...]:
    """The words and figures of a question, in order."""
    found: list[Token] = []
    for match in _TOKEN.finditer(question):
        word = fold_words(match[0]).replace("’", "'").removesuffix("'s")
        found.append(Token(match[0], word, stem_word(word), Span(*match.span())))
    return tuple(found)


def read_form(question: str) -> QuestionForm | None:
    """The form of a question; None of one that is too long to be one."""
    tokens = read_tokens(question)
    if (
        not tokens
        or len(tokens) > MOST_TOKENS
        or any(pattern.match(question.strip()) for pattern in _compile_marks("ways"))
    ):
        return None
    bounds = tuple(_find_bounds(question, tokens))
    taken = frozenset(token for each in bounds for token in each.tokens)
    marks = {
        name: _mark_tokens(question, tokens, name) - taken
        for name in ("count", "sum", "mean", "median", "share", "grouping")
    }
    superlative = _find_superlative(tokens, taken)
    operators = set(superlative.tokens)
    aggregate = _choose_aggregate(marks)
    for name in ("count", "sum", "mean", "median", "share"):
        operators |= marks[name]
    counted = _find_counted(tokens, marks["count"])
    opening = tokens[0].word
    asked = _find_asked(tokens)
    grouped, group_words = _find_grouped(tokens, marks["grouping"], marks["count"])
    words = {token.word for token in tokens[:4]}
    return QuestionForm(
        tokens=tokens,
        aggregate=aggregate,
        end=superlative.end,
        adjective=superlative.adjective,
        rank=superlative.rank,
        most=superlative.most,
        operators=frozenset(operators) | group_words,
        end_tokens=superlative.tokens,
        counted=counted,
        asked=asked,
        asks_who=bool(words & {"who", "whose", "whom"}),
        asks_when="when" in words or (("day" in words or "date" in words) and asked is not None),
        is_listing=asked is not None
        or opening in {"list", "show", "name", "who", "enumerate", "display"}
        or question.lower().startswith("give me"),
        is_yes_no=opening in load_word_set("question_signs", "yes_or_no"),
        grouped=grouped,
        bounds=bounds,
        negated=_find_negated(tokens),
    )


def _choose_aggregate(marks: dict[str, frozenset[int]]) -> Aggregate | None:
    if marks["median"]:
        return Aggregate.MEDIAN
    if marks["share"]:
        return Aggregate.SHARE
    if marks["mean"]:
        return Aggregate.MEAN
    if marks["count"]:
        return Aggregate.COUNT
    return Aggregate.SUM if marks["sum"] else None


@cache
def _compile_marks(name: str) -> tuple[re.Pattern[str], ...]:
    return tuple(
        re.compile(rf"(?:\b|(?<!\w)){pattern}" if not pattern.startswith(r"\b") else pattern, re.I)
        for pattern in load_patterns(_LISTS, name)
    )


def _mark_tokens(question: str, tokens: Sequence[Token], name: str) -> frozenset[int]:
    spans = [Span(*match.span()) for pattern in _compile_marks(name) for match in pattern.finditer(question)]
    return frozenset(place for place, token in enumerate(tokens) if any(span.overlap(token.span) for span in spans))


@dataclass(frozen=True, slots=True)
class _Superlative:
    end: Aggregate | None = None
    adjective: str = ""
    rank: int = 1
    most: int = 1
    tokens: frozenset[int] = frozenset()


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


_NUMERALS = {word: number for number, word in enumerate(load_words("quantities", "small")) if number}


def _find_superlative(tokens: Sequence[Token], taken: frozenset[int]) -> _Superlative:
    most, least = load_word_set(_LISTS, "most"), load_word_set(_LISTS, "least")
    ordinals = load_words(_LISTS, "ordinals")
    not_one = load_word_set("question_signs", "no_extremes")
    for place, token in enumerate(tokens):
        if place in taken or token.word in not_one:
            continue
        before = tokens[place - 1].word if place else ""
        following = tokens[place + 1].word if place + 1 < len(tokens) else ""
        if (
            before == "at"
            or (
                token.word in {"most", "top", "best"}
                and following in {"of", "likely", "recent"}
                and token.word != "top"
            )
        ) and not (token.word == "most" and following == "recent"):
            continue
        places = {place}
        end = Aggregate.HIGHEST if token.word in most else Aggregate.LOWEST if token.word in least else None
        adjective = ""
        if end is not None and token.word in {"most", "least"} and following in load_measures():
            adjective = following
            places.add(place + 1)
            turned = load_measures()[adjective][0] is Aggregate.LOWEST
            end = _turn(end) if turned else end
        elif end is None:
            adjective = (
                find_adjective(token.word)
                if token.word.endswith("est")
                or (token.word in load_pairs(_LISTS, "irregular") and token.word.endswith("st"))
                else ""
            )
            end = load_measures()[adjective][0] if adjective else None
        elif token.word.endswith("est"):
            adjective = find_adjective(token.word)
        if end is None:
            continue
        rank, number = 1, 1
        if before in ordinals:
            rank = ordinals.index(before) + 1
            places.add(place - 1)
        for near in (place - 1, place + 1):
            word = tokens[near].word if 0 <= near < len(tokens) else ""
            figure = int(word) if word.isdecimal() and int(word) <= 100 else _NUMERALS.get(word, 0)
            if figure > 1 and near not in taken:
                number = figure
                places.add(near)
        return _Superlative(end, adjective, rank, number, frozenset(places))
    return _Superlative()


def _turn(end: Aggregate) -> Aggregate:
    return Aggregate.LOWEST if end is Aggregate.HIGHEST else Aggregate.HIGHEST


def _find_counted(tokens: Sequence[Token], marks: frozenset[int]) -> int | None:
    """The first telling token behind the words that ask for a count."""
    if not marks:
        return None
    asking = load_word_set(_LISTS, "asking") - {"people", "days", "day", "months", "years", "times", "items", "units"}
    start = max(place for place in marks if place - 1 in marks or place == min(marks)) + 1
    return next(
        (place for place in range(start, len(tokens)) if tokens[place].word not in asking and place not in marks), None
    )


def _find_asked(tokens: Sequence[Token]) -> int | None:
    """The token behind the first "which" or "what" that may name a column."""
    for place, token in enumerate(tokens[:6]):
        if token.word in {"which", "what"}:
            following = tokens[place + 1].word if place + 1 < len(tokens) else ""
            if following in {"is", "are", "was", "were", "did", "do", "does", "of", "the", "had", "has", "have", ""}:
                return place + 2 if following in {"of"} and place + 2 < len(tokens) else place
            return place + 1
    return None


def _find_grouped(
    tokens: Sequence[Token], marks: frozenset[int], counts: frozenset[int]
) -> tuple[tuple[int, ...], frozenset[int]]:
    """The tokens behind the words that ask for a figure of each group, and those words."""
    found: list[int] = []
    for place in sorted(marks):
        following = tokens[place + 1].word if place + 1 < len(tokens) else ""
        # "ordered by customers" says who did it; "orders by customer" asks for groups
        is_agent = (
            tokens[place].word == "by"
            and place
            and tokens[place - 1].word.endswith("ed")
            and tokens[place - 1].word not in _GROUPED
        )
        if (
            following
            and place + 1 not in marks
            and not is_agent
            and not (tokens[place].word == "by" and _is_plural(following))
        ):
            found.append(place + 1)
    return tuple(found), marks if found else frozenset()


def _is_plural(word: str) -> bool:
    return word.endswith("s") and not word.endswith(("ss", "us", "is"))


_GROUPED = frozenset({"grouped", "sorted", "summed", "counted", "ordered"} - {"ordered"})


def _find_negated(tokens: Sequence[Token]) -> frozenset[int]:
    """Tokens behind a word of negation, as far as its phrase goes: two words."""
    negation = load_word_set(_LISTS, "negation")
    return frozenset(place + step for place, token in enumerate(tokens) if token.word in negation for step in (1, 2, 3))


_MONTH = "|".join(MONTH_FORMS)
_DATE = rf"(?:(?P<iso>[12]\d{{3}}-\d\d(?:-\d\d)?)|(?:the )?(?:(?P<day>[0-3]?\d)(?:st|nd|rd|th)? (?:of )?)?(?P<month>(?:{_MONTH})\b\.?)(?: (?P<day2>[0-3]?\d)(?:st|nd|rd|th)?,?(?!\d))?(?:,? (?:of )?(?P<myear>[12]\d{{3}}))?|q(?P<quarter>[1-4])(?: (?:of )?(?P<qyear>[12]\d{{3}}))?|(?:the year )?(?P<year>(?:1[5-9]|20)\d\d)(?![\d.,:]\d)(?! ?(?:%|mw|km|kg|eur|usd|gbp|units|rows|people|m\b)))"
_NUMBER = r"(?P<currency>[$€£¥]\s?)?(?P<number>\d{1,3}:\d\d(?::\d\d)?|\d[\d,]*(?:\.\d+)?)(?P<scale>\s?(?:k|m|million|billion|thousand|bn)\b)?\s?(?P<unit>%|[^\W\d_]+/[^\W\d_]+|°\s?[cf]|[^\W\d_]+)?"
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


def _find_bounds(question: str, tokens: Sequence[Token]) -> Iterator[Bounds]:
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


def load_ordinal(rank: int) -> str:
    """``second`` for 2; ``12th`` beyond ten."""
    ordinals = load_words(_LISTS, "ordinals")
    return ordinals[rank - 1] if 0 < rank <= len(ordinals) else f"{rank}th"
