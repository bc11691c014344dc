"""What a question asks to be computed, by its own words and before any table is looked at: a count, a sum, a mean, an end, a list, and the
bounds that figures and days in it set.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache

from ascertain.core.documents.blocks import Span
from ascertain.language.tokens import STOP_WORDS
from ascertain.language.word_lists import load_pairs, load_patterns, load_word_set, load_words
from ascertain.reports.tables.query import Aggregate, Comparison
from ascertain.reports.tables.questions.bounds import (
    Bounds,
    Token,
    find_adjective,
    find_bounds,
    find_cues,
    find_times,
    join_times,
    load_measures,
    read_tokens,
)

_LISTS = "table_questions"
LONGEST = 600
"""Characters of a question: as many as the tokens below have in English, with room for long names."""
MOST_TOKENS = 60
"""Words of a question that is read; a longer one is a text, not a question to a table."""


@dataclass(frozen=True, slots=True)
class Contrast:
    """Two things are compared. ``end`` is what the comparative asks for, None of a change or a difference; ``tokens`` say so. ``times`` are the two
    where they are times; else they are values of a column. ``is_choice``: which of both it is, and not whether.
    """

    end: Aggregate | None
    adjective: str
    tokens: frozenset[int]
    times: tuple[Bounds, ...] = ()
    is_choice: bool = False


@dataclass(frozen=True, slots=True)
class Versus:
    """Words that put one amount above or below another ("exceeded", "higher than"), where no figure stands behind them."""

    comparison: Comparison
    tokens: frozenset[int]


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
    contrast: Contrast | None = None
    versus: Versus | None = None

    @property
    def is_computed(self) -> bool:
        """Whether the words ask for more than a look-up: a figure over rows, an end, or the rows that meet a comparison."""
        compares = any(each.compares for each in self.bounds)
        return (
            self.aggregate is not None
            or self.end is not None
            or self.contrast is not None
            or (self.is_listing and compares)
            or bool(self.grouped)
        )


def read_form(question: str) -> QuestionForm | None:
    """The form of a question; None of one that is too long to be one."""
    tokens = read_tokens(question) if len(question) <= LONGEST else ()
    if (
        not tokens
        or len(tokens) > MOST_TOKENS
        or any(pattern.match(question.strip()) for pattern in _compile_marks("ways"))
    ):
        return None
    plain, differences = [token.word for token in tokens], load_word_set(_LISTS, "differences")
    bounds = tuple(join_times(list(find_bounds(question, tokens)), tokens))
    taken = frozenset(token for each in bounds for token in each.tokens)
    marks = {
        name: _mark_tokens(question, tokens, name) - taken
        for name in ("count", "sum", "mean", "median", "share", "grouping")
    }
    superlative = _find_superlative(tokens, taken)
    contrast = None if superlative.end else _find_contrast(question, tokens, taken)
    if contrast is not None:
        marks["share"] = frozenset()
        bounds = tuple(each for each in bounds if not (contrast.times and each.is_date))
    operators = set[int](superlative.tokens | (contrast.tokens if contrast is not None else frozenset[int]()))
    operators |= {
        place for place, word in enumerate(plain[:-1]) if word in differences and plain[place + 1] == "between"
    }
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
        adjective=contrast.adjective if contrast is not None else superlative.adjective,
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
        contrast=contrast,
        versus=_find_versus(question, tokens, taken),
    )


def _find_versus(question: str, tokens: Sequence[Token], taken: frozenset[int]) -> Versus | None:
    found = (Versus(*cue) for cue in find_cues(question, tokens))
    return next((versus for versus in found if not versus.tokens & taken), None)


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
        if token.word in {"first", "last"} and _is_in_time(tokens, place):
            adjective = "early" if token.word == "first" else "late"
            end = load_measures()[adjective][0]
        elif end is not None and token.word in {"most", "least"} and following in load_measures():
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


def _is_in_time(tokens: Sequence[Token], place: int) -> bool:
    """Whether "first" or "last" asks for the earliest or latest of rows: at the end of a clause, or before a noun that is no time and no part of a name."""
    if place == len(tokens) - 1 or tokens[place + 1].word in {"in", "of", "at", "on", "by", "for", "with"}:
        return place > 1 and tokens[place - 1].word != "at"
    is_ordinal = find_adjective(tokens[place + 1].word) or tokens[place + 1].word in load_word_set(_LISTS, "most")
    opening = {token.word for token in tokens[:place]}
    is_asked = bool(opening & {"who", "when", "which", "what"}) and tokens[place - 1].word == "the"
    following = tokens[place + 1].word
    return (
        is_asked
        and not is_ordinal
        and following not in load_word_set(_LISTS, "time_units") | {"name", "time", "quarter", "half"}
    )


def _find_contrast(question: str, tokens: Sequence[Token], taken: frozenset[int]) -> Contrast | None:
    """Two sides that are compared: more in May or in June, the difference between A and B, how much it grew from January to March."""
    words = [token.word for token in tokens]
    joining = [place for place, word in enumerate(words) if word in {"or", "than"} and place not in taken]
    times = find_times(question, tokens)
    pair = tuple(times) if len(times) == 2 and times[0].values != times[1].values else ()
    for place, word in enumerate(words):
        following = words[place + 1] if place + 1 < len(words) else ""
        is_plain = word in {"more", "less", "fewer"}
        used = {place, place + 1} if is_plain and following in load_measures() else {place}
        adjective = following if len(used) > 1 else find_adjective(word)
        if place not in taken and joining and (is_plain or (adjective and not word.endswith("est"))):
            end = load_measures()[adjective][0] if adjective else Aggregate.HIGHEST
            is_choice = all(words[each] == "or" for each in joining)
            return Contrast(
                end if word in {"more"} or not is_plain else _turn(end), adjective, frozenset(used), pair, is_choice
            )
        is_change = bool(pair) and word in load_word_set(_LISTS, "changes") | _CHANGE_NOUNS
        if is_change or (word == "difference" and following in {"between", "in"}):
            return Contrast(None, "", frozenset({place}), pair)
    return None


_CHANGE_NOUNS = frozenset({"difference", "growth", "rise", "drop", "gain"})


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


def find_attribute(tokens: Sequence[Token]) -> int | None:
    """The noun behind "who is the" or "what was the": the head of a department, the lead time for yeast; None in other questions."""
    words = [token.word for token in tokens]
    if words[0] not in {"who", "what"} or words[1:2] not in (["is"], ["was"], ["are"], ["were"]):
        return None
    small = STOP_WORDS | load_word_set(_LISTS, "asking") | load_word_set(_LISTS, "doings")
    first = next((place for place in range(2, len(words)) if words[place] not in small), len(words))
    behind = next((place for place in range(first, len(words)) if words[place] in small), len(words))
    if behind - first > 1 and words[behind - 1] in load_word_set(_LISTS, "identifiers"):
        # the IOC code
        behind -= 1
    return behind - 1 if behind > first else None


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
            following not in {"", "how", "what"}
            and place + 1 not in marks
            and not is_agent
            and not (tokens[place].word == "by" and is_plural(following))
        ):
            found.append(place + 1)
    return tuple(found), marks if found else frozenset()


def is_plural(word: str) -> bool:
    """Whether a word has the ending of several things."""
    return word.endswith("s") and not word.endswith(("ss", "us", "is"))


_GROUPED = frozenset({"grouped", "sorted", "summed", "counted", "ordered"} - {"ordered"})


def _find_negated(tokens: Sequence[Token]) -> frozenset[int]:
    """Tokens behind a word of negation, as far as its phrase goes: two words."""
    negation = load_word_set(_LISTS, "negation")
    return frozenset(place + step for place, token in enumerate(tokens) if token.word in negation for step in (1, 2, 3))


def load_ordinal(rank: int) -> str:
    """``second`` for 2; ``12th`` beyond ten."""
    ordinals = load_words(_LISTS, "ordinals")
    return ordinals[rank - 1] if 0 < rank <= len(ordinals) else f"{rank}th"
