"""Figures that a claim calculates from those of its sources: sums, differences, products, ratios and shares."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, permutations

from ascertain.answering.checking.figures import PERCENT, POINT, TIMES, Figure, is_near
from ascertain.language.tokens import WORD
from ascertain.language.word_lists import load_word_set

MOST_OPERANDS = 12
"""Most figures of the sources used in calculations: of more, two give nearly any third by chance."""
_CUES = load_word_set("claims", "arithmetic_cues")
_NEARLY = 0.05
"""How far a ratio may lie from the fraction or multiple that prose makes of it ("about a sixth")."""


def has_arithmetic(text: str) -> bool:
    """Whether ``text`` has a word that states a sum or a difference."""
    return any(word.lower() in _CUES for word in WORD.findall(text))


def follows_from(claimed: Figure, others: Sequence[Figure], text: str) -> bool:
    """Whether ``claimed``, in a sentence ``text``, follows from two of ``others``, or as a sum from all of one unit."""
    operands = _choose_operands(others)
    if _is_ratio(claimed):
        return any(_is_ratio_near(claimed, value) for value in _list_ratios(claimed, operands))
    if not has_arithmetic(text):
        return False
    return any(is_near(claimed, value) for value in _list_results(claimed, operands))


def _choose_operands(others: Sequence[Figure]) -> list[Figure]:
    distinct = {(figure.value, figure.unit): figure for figure in others if not figure.is_code}
    return list(distinct.values())[:MOST_OPERANDS]


def _is_ratio(claimed: Figure) -> bool:
    return claimed.unit in {PERCENT, TIMES, POINT} or claimed.is_part


def _list_results(claimed: Figure, operands: Sequence[Figure]) -> Iterator[float]:
    alike = [figure for figure in operands if _may_add(claimed, figure)]
    for one, other in combinations(alike, 2):
        if one.unit == other.unit or "" in {one.unit, other.unit}:
            yield one.value + other.value
            yield abs(one.value - other.value)
    for unit in {figure.unit for figure in alike}:
        same = [figure.value for figure in alike if figure.unit == unit]
        if len(same) > 2:
            yield sum(same)
    for one, other in combinations(operands, 2):
        if "" in {one.unit, other.unit} and claimed.unit in {one.unit, other.unit, ""}:
            yield one.value * other.value
            for third in alike:
                if third not in {one, other}:
                    yield third.value + one.value * other.value


def _may_add(claimed: Figure, figure: Figure) -> bool:
    return claimed.unit in {figure.unit, ""} or not figure.unit


def _list_ratios(claimed: Figure, operands: Sequence[Figure]) -> Iterator[float]:
    """In the unit of ``claimed``."""
    scale = 100.0 if claimed.unit in {PERCENT, POINT} else 1.0
    for figure in operands:
        if figure.unit == PERCENT:
            yield figure.value if scale > 1 else figure.value / 100
            yield 100 - figure.value if scale > 1 else 1 - figure.value / 100
        if figure.is_part:
            yield scale * figure.value
            yield scale * (1 - figure.value)
    for one, other in combinations([figure for figure in operands if figure.unit in {PERCENT, POINT}], 2):
        yield abs(one.value - other.value) * scale / 100
        yield (one.value + other.value) * scale / 100
    for one, other in permutations(operands, 2):
        if other.value and (one.unit == other.unit or "" in {one.unit, other.unit}):
            yield scale * one.value / other.value
            yield scale * abs(one.value - other.value) / abs(other.value)


def _is_ratio_near(claimed: Figure, value: float) -> bool:
    if claimed.is_part or claimed.unit == TIMES or claimed.is_approximate:
        return abs(claimed.value - value) <= (2 if claimed.is_approximate else 1) * _NEARLY * abs(value)
    return is_near(claimed, value)
