"""Figures with what is said of them ("at least", "nearly", "fewer than") as stretches of numbers, and a claim's against a sentence's.

A stretch of the sentence that lies inside the claim's bears it out ("300" and "at least 250"); one that lies apart from it is at
odds with it ("80 percent" and "less than half"); anything between says neither.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto

from ascertain.answering.checking.arithmetic import follows_from
from ascertain.answering.checking.calendar import find_days
from ascertain.answering.checking.figures import (
    APPROXIMATE,
    CLOCK,
    DECADE,
    ORDINAL,
    PERCENT,
    POINT,
    TIMES,
    Figure,
    find_figures,
    is_same_unit,
)
from ascertain.language.languages import ENGLISH
from ascertain.language.tokens import STOP_WORDS, WORD, fold_words, stem_word
from ascertain.language.word_lists import load_pattern, load_patterns, load_words
from ascertain.reports.research.verdicts.wording import Clause, Wording, is_alike, share_terms

NEARLY = 0.1
"""How far below a figure something may lie that is nearly so much: "nearly 70,000" of 65,000 is said, of 50,000 not."""
_YEARS = (1500.0, 2100.0)
_BEFORE = 28
"""Characters before a figure, and behind it, in which its bound stands."""


def _ends_with(topic: str, *names: str) -> re.Pattern[str]:
    joined = "|".join(load_pattern(topic, name) for name in names)
    return re.compile(rf"\b(?:{joined})\s+(?:of\s+)?(?:the\s+|an?\s+)?[$€£¥₹]?$", re.I)


def _begins_with(topic: str, *names: str) -> re.Pattern[str]:
    joined = "|".join(entry for name in names for entry in load_patterns(topic, name))
    return re.compile(rf"(?:\s+[\w-]+){{0,2}}?\s+(?:{joined})\b", re.I)


_NEARLY = _ends_with("verdicts", "nearly")
_LEAST = _ends_with("claims", "at_least")
_MOST = re.compile(rf"{_ends_with('claims', 'at_most').pattern}|{_ends_with('verdicts', 'most_behind').pattern}", re.I)
_MORE = _ends_with("verdicts", "more_than")
_LESS = _ends_with("verdicts", "less_than")
_MORE_BEHIND, _LESS_BEHIND = _begins_with("verdicts", "or_more"), _begins_with("verdicts", "or_less")
_ORDINAL = re.compile(rf"\b(?:{'|'.join(load_words('quantities', 'ordinals')[1:5])}|last|this|next)\s+$", re.I)
_NOT = re.compile(r"\b(?:not|no|never)\s*$", re.I)


class Outcome(Enum):
    """How a figure of a claim stands to a sentence."""

    HELD = auto()
    AT_ODDS = auto()
    MISSING = auto()


@dataclass(frozen=True, slots=True)
class Quantity:
    """A figure as the stretch of values that it may have, in its unit; ``counted`` are the stems right behind it, one of which is what
    it counts; ``before`` is the folded word that leads to it ("holds 8,888"); ``clause`` the place of its clause in the wording.
    """

    figure: Figure
    low: float
    high: float
    is_bound: bool
    counted: frozenset[str]
    before: str
    clause: int
    bound: str = ""

    @property
    def start(self) -> int:
        """Where it begins, with its bound."""
        return self.figure.span.start - len(self.bound)

    @property
    def shown(self) -> str:
        """As it is written, with its bound."""
        return " ".join(f"{self.bound} {self.figure.text}".split()).strip(" .,;:")


@dataclass(frozen=True, slots=True)
class Comparison:
    """What came of comparing one figure; ``rival`` is the one that is at odds with it, ``holder`` one that bears it out."""

    outcome: Outcome
    claimed: Quantity
    rival: Quantity | None = None
    holder: Quantity | None = None


def read_quantities(wording: Wording) -> tuple[Quantity, ...]:
    """The figures of a sentence but for those of dates, clock times, ordinals and codes."""
    text = wording.text
    figures = find_figures(text)
    dated = [span for _, _, span in find_days(text)]
    wholes = [figure.span for figure in figures]
    quantities: list[Quantity] = []
    for figure in figures:
        is_part_of_other = any(other != figure.span and other.contains(figure.span) for other in wholes)
        is_year = (
            not figure.unit and _YEARS[0] <= figure.value <= _YEARS[1] and re.fullmatch(r"\d{4}", figure.text.strip())
        )
        if figure.is_part and _ORDINAL.search(text[: figure.span.start]):
            continue  # "the second quarter" is a time
        is_counted = figure.unit not in {ORDINAL, DECADE} and not figure.is_code and not figure.is_denied
        if is_counted and not is_part_of_other and not is_year and not any(map(figure.span.overlap, dated)):
            quantities.append(_bound_figure(figure, wording))
    return tuple(quantities)


def _bound_figure(figure: Figure, wording: Wording) -> Quantity:
    text = wording.text
    before = text[max(0, figure.span.start - _BEFORE) : figure.span.start]
    behind = text[figure.span.end : figure.span.end + _BEFORE]
    value = figure.value
    slack = max(figure.step / 2 if not figure.is_part else 0.0, abs(value) * 1e-6)
    if figure.is_approximate:
        slack = max(slack, APPROXIMATE * abs(value))
    low, high, is_bound = value - slack, value + slack, True
    if match := _NEARLY.search(before):
        low, high = value * (1 - NEARLY), value
    elif (match := _LEAST.search(before)) or _MORE_BEHIND.match(behind):
        low, high = value, math.inf
    elif (match := _MOST.search(before)) or _LESS_BEHIND.match(behind):
        low, high = -math.inf, value
    elif match := _MORE.search(before):
        is_denied = _NOT.search(before[: match.start()])
        low, high = (-math.inf, value) if is_denied else (math.nextafter(value, math.inf), math.inf)
    elif match := _LESS.search(before):
        is_denied = _NOT.search(before[: match.start()])
        low, high = (value, math.inf) if is_denied else (-math.inf, math.nextafter(value, -math.inf))
    else:
        is_bound = False
    place = wording.find_clause(figure.span.start)
    leading = [term.word.folded for term in wording.clauses[place].terms if term.word.start < figure.span.start]
    led_by, bound = leading[-1] if leading else "", match.group() if match else ""
    return Quantity(figure, low, high, is_bound, _find_counted(text, figure), led_by, place, bound)


def _find_counted(text: str, figure: Figure) -> frozenset[str]:
    found: set[str] = set()
    for match in list(WORD.finditer(text[figure.span.end : figure.span.end + 40]))[:3]:
        word = fold_words(match.group())
        if word.isdigit() or word in _PREPOSITIONS:
            break
        if word not in STOP_WORDS:
            found.add(stem_word(word, ENGLISH))
    return frozenset(found)


_PREPOSITIONS = frozenset("to in on at by from for with and or but than as until since".split())


def compare_quantities(claim: Wording, said: Wording, context: Sequence[Figure]) -> list[Comparison]:
    """Each figure of ``claim`` against those of ``said``; ``context`` are figures of title and headings, which may hold one and
    are never at odds with it.
    """
    others = read_quantities(said)
    return [_compare_figure(each, claim, others, said, context=context) for each in read_quantities(claim)]


def compare_quantity(claimed: Quantity, other: Quantity) -> Outcome | None:
    """How ``other``, which is known to be what the claim speaks of, stands to it; None where their units differ."""
    if not _may_be_compared(claimed, other):
        return None
    if _lies_inside(other, claimed):
        return Outcome.HELD
    return Outcome.AT_ODDS if _lies_apart(other, claimed) else Outcome.MISSING


def _compare_figure(
    claimed: Quantity, claim: Wording, others: Sequence[Quantity], said: Wording, *, context: Sequence[Figure]
) -> Comparison:
    own = claim.clauses[claimed.clause]
    near = [each for each in others if _may_be_compared(claimed, each)]
    weights = {id(each): _weigh_binding(claimed, own, each, said.clauses[each.clause]) for each in near}
    inside = [each for each in near if _lies_inside(each, claimed)]
    stems = frozenset(term.stem for term in claim.terms)
    rivals = [each for each in near if _is_rival(claimed, each, stems)]
    if claimed.is_bound:
        return _compare_bound(claimed, rivals, inside, weights, said=said)
    apart = [each for each in rivals if _lies_apart(each, claimed)]
    if inside:
        best = max(inside, key=lambda each: weights[id(each)])
        rival = max(apart, key=lambda each: weights[id(each)], default=None)
        if rival is not None and weights[id(rival)] > weights[id(best)] + _CLEARLY:
            return Comparison(Outcome.AT_ODDS, claimed, rival)
        return Comparison(Outcome.HELD, claimed, holder=best)
    if any(is_same_unit(claimed.figure, each) and abs(each.value - claimed.figure.value) < 1e-9 for each in context):
        return Comparison(Outcome.HELD, claimed)
    if follows_from(claimed.figure, [each.figure for each in others], claim.text):
        return Comparison(Outcome.MISSING, claimed)
    if apart:
        return Comparison(Outcome.AT_ODDS, claimed, max(apart, key=lambda each: weights[id(each)]))
    return Comparison(Outcome.MISSING, claimed)


_CLEARLY, _LED_ALIKE = 0.5, 3.0
"""Weight of words by which another figure is rather what the claim speaks of; what it weighs that the same word leads to both
("holds 8,888"): more than that the name of what is counted and who counts it stand there."""


def _compare_bound(
    claimed: Quantity,
    rivals: Sequence[Quantity],
    inside: Sequence[Quantity],
    weights: dict[int, float],
    *,
    said: Wording,
) -> Comparison:
    """A bound is held by the figure that it speaks of, not by whichever lies inside."""
    if not rivals:
        return Comparison(Outcome.MISSING, claimed)
    most = max(weights[id(each)] for each in rivals)
    meant = [each for each in rivals if weights[id(each)] >= most - 1e-9]
    if all(each in inside for each in meant) and any(_is_led_alike(claimed, each, said) for each in meant):
        return Comparison(Outcome.HELD, claimed, holder=meant[0])
    if all(_lies_apart(each, claimed) or _turns_bound(each, claimed) for each in meant):
        return Comparison(Outcome.AT_ODDS, claimed, meant[0])
    return Comparison(Outcome.MISSING, claimed)


def _is_led_alike(claimed: Quantity, other: Quantity, said: Wording) -> bool:
    """Whether the sentence has the word that leads to the claim's figure, if it has another one: not "buys 1,088" for "holds 8,000"."""
    if not (claimed.before and other.before):
        return True
    return any(is_alike(claimed.before, word.folded) for word in said.words)


def _turns_bound(other: Quantity, claimed: Quantity) -> bool:
    """Whether one says "at least" and the other "at most" of the same figure."""
    return (
        other.is_bound
        and (math.isinf(other.low) != math.isinf(claimed.low))
        and (abs(_scale_value(other, claimed) - _scale_value(claimed, other)) < 1e-9)
    )


def _weigh_binding(claimed: Quantity, own: Clause, other: Quantity, clause: Clause) -> float:
    """How much the words around two figures have in common."""
    weight = share_terms(own.terms, clause.terms)
    if claimed.counted & other.counted:
        weight += 1.0
    if claimed.before and other.before and is_alike(claimed.before, other.before):
        weight += _LED_ALIKE
    if claimed.figure.unit and claimed.figure.unit == other.figure.unit:
        weight += _CLEARLY
    return weight


def _may_be_compared(claimed: Quantity, other: Quantity) -> bool:
    one, two = claimed.figure, other.figure
    if {one.unit, two.unit} & {TIMES, CLOCK} and one.unit != two.unit:
        return False
    if one.per and two.per and one.per != two.per:
        return False
    if one.is_part != two.is_part:
        return PERCENT in {one.unit, two.unit}
    return is_same_unit(one, two)


def _is_rival(claimed: Quantity, other: Quantity, stems: frozenset[str]) -> bool:
    """Whether two figures may count the same thing; ``stems`` are those of the claim."""
    one, two = claimed.figure, other.figure
    if POINT in {one.unit, two.unit} and one.unit != two.unit:
        return False
    if one.value and two.value and not 1 / _FAR < abs(one.value / two.value) < _FAR:
        return False
    if one.unit and one.unit == two.unit:
        return True
    if one.is_part != two.is_part:
        return True
    if claimed.counted & other.counted:
        return True
    # "now holds 8,888", "212 sold": a number that counts what was named before
    is_led = bool(claimed.before and other.before) and is_alike(claimed.before, other.before)
    return not one.unit and not two.unit and (bool(other.counted & stems) or (is_led and not other.counted))


_FAR = 1000.0
"""Times as much from which two figures measure other things: a price and what was raised by it."""


def _scale(quantity: Quantity, other: Quantity) -> tuple[float, float]:
    """The stretch of ``quantity`` in the unit of ``other``: a part in percent, a bare number as it is written."""
    one, two = quantity.figure, other.figure
    factor = 1.0
    if one.is_part and two.unit == PERCENT:
        factor = 100.0
    elif one.unit and not two.unit and one.value and not two.is_part:
        factor = one.number / one.value
    return quantity.low * factor, quantity.high * factor


def _lies_inside(other: Quantity, claimed: Quantity) -> bool:
    low, high = _scale(other, claimed)
    least, most = _scale(claimed, other)
    if claimed.is_bound and not other.is_bound:
        low = high = _scale_value(other, claimed)
    elif not claimed.is_bound and not other.is_bound:
        # each is rounded as it is written: the coarser one has to hold the other
        middle, own = _scale_value(other, claimed), _scale_value(claimed, other)
        return least <= middle <= most or (low <= own <= high and other.figure.is_approximate)
    return low >= least and high <= most


def _lies_apart(other: Quantity, claimed: Quantity) -> bool:
    low, high = _scale(other, claimed)
    least, most = _scale(claimed, other)
    if not other.is_bound and claimed.is_bound:
        low = high = _scale_value(other, claimed)
    return high < least or low > most


def _scale_value(quantity: Quantity, other: Quantity) -> float:
    one, two = quantity.figure, other.figure
    if one.is_part and two.unit == PERCENT:
        return one.value * 100.0
    if one.unit and not two.unit and not two.is_part:
        return one.number
    return one.value
