"""Whether two sentences, one of which denies the other by its words, are about the same thing.

The checker of claims compares words, and finds a denial in many sentences on a related subject: another thing, another
day, or the same with less said. A reported disagreement of sources has to pass here too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ascertain.language.numbers import Kind, Quantity, find_quantities, holds_quantity
from ascertain.language.tokens import WORD
from ascertain.language.word_lists import compile_pattern, load_word_set
from ascertain.reports.analysis.agreement import list_names

_DENIAL = compile_pattern("forecasts", "denials")
_GAP = 2
"""Characters between the parts of a date: a space, a comma and a space."""


def can_dispute(one: str, other: str) -> bool:
    """Whether one of the two may deny the other: of the same names, of the same days, and with other figures where the
    other's are not in it.
    """
    names, others = set(list_names(one)), set(list_names(other))
    if names and others and not (names <= others or others <= names):
        return False
    (days, figures), (other_days, other_figures) = _read_numbers(one), _read_numbers(other)
    lacking = _list_missing(figures, other_figures)
    adding = _list_missing(other_figures, figures)
    if days and other_days and not days & other_days:
        # two days of one event are at odds; two figures of two days are two events
        return not lacking and not adding
    is_denied = bool(_DENIAL.search(one)) != bool(_DENIAL.search(other))
    if lacking:
        return is_denied or any(each.kind is figure.kind for each in adding for figure in lacking)
    # the same figures deny nothing by themselves; which way they went may
    went, others_went = _read_directions(one), _read_directions(other)
    return is_denied or not figures or bool(went and others_went and not went & others_went)


def _read_directions(text: str) -> set[str]:
    """Whether it reports something that rose ("up_verbs"), that fell ("down_verbs"), of both or neither."""
    words = set(WORD.findall(text.lower()))
    return {name for name in ("up_verbs", "down_verbs") if words & load_word_set("moves", name)}


def _list_missing(figures: Sequence[Quantity], others: Sequence[Quantity]) -> list[Quantity]:
    return [each for each in figures if not holds_quantity(each, others)]


def _read_numbers(text: str) -> tuple[set[tuple[float, float]], list[Quantity]]:
    """The days of the year (month, day) that a sentence names, and its figures that are part of no date."""
    quantities = find_quantities(text)
    dates: set[Quantity] = set()
    days: set[tuple[float, float]] = set()
    for month in (each for each in quantities if each.kind is Kind.MONTH):
        parts = list(_list_beside(month, quantities))
        dates |= {month, *parts}
        days |= {(month.value, each.value) for each in parts if each.value <= 31}
    return days, [each for each in quantities if each not in dates]


def _list_beside(month: Quantity, quantities: Sequence[Quantity]) -> Iterator[Quantity]:
    """The day and the year beside a month."""
    edge = month
    for each in quantities:
        if each.kind not in {Kind.PLAIN, Kind.ORDINAL}:
            continue
        before, behind = month.span.start - each.span.end, each.span.start - edge.span.end
        if 0 <= before <= _GAP:
            yield each
        elif 0 <= behind <= _GAP:
            edge = each
            yield each
