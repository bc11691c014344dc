"""What a query asks for as text queries of PostgreSQL, and which chunks can reach a score at all.

No text of a user is syntax: every word is quoted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ascertain.stores.analysis import QueryTerm
from ascertain.stores.postgres.words import SHORT, STRONG, quoted
from ascertain.stores.postgres.words_statistics import Statistics, inverse_document_frequency

SATURATION, LENGTH_SHARE = 1.2, 0.75
"""k1 and b of BM25 (Robertson & Zaragoza 2009, section 3.5), fixed in Tantivy."""

_MOST_PARTS = 48
"""Parts of a condition on candidates. Each costs every chunk that is looked at; more shut out few chunks beyond these."""
_COMBINED = 10
"""Units whose combinations are looked through in guessing a score."""

_ROUNDING = 1e-9
"""A bound and a score that are equal in theory may differ by so much of their size."""


@dataclass(frozen=True, slots=True)
class Unit:
    """One unit of a query. Its share of a score is ``weight * tf / (tf + norm)`` for the text, and likewise for the title."""

    term: QueryTerm
    weight: float
    title_weight: float
    share: float
    """Of the chunks, that contain it."""

    @property
    def in_text(self) -> str:
        """Chunks whose heading or text contain it."""
        return self._phrase("BC")

    @property
    def in_title(self) -> str:
        """Chunks whose title contains it."""
        return self._phrase("A")

    @property
    def anywhere(self) -> str:
        """Chunks that may contain it; the index knows no positions and no weights."""
        return _all(self.term.tokens)

    @property
    def strong(self) -> str:
        """Chunks that may contain it several times, or that are short."""
        return _all([token + STRONG for token in self.term.tokens])

    @property
    def most(self) -> float:
        """What it can add to a score at most."""
        return self.weight + self.title_weight

    def _phrase(self, weights: str) -> str:
        return f"({' <-> '.join(f'{quoted(token)}:{weights}' for token in self.term.tokens)})"


def weighed_units(
    terms: Mapping[QueryTerm, float], statistics: Statistics, title_boost: float
) -> tuple[Unit, ...]:
    """The units that occur in the knowledge base. A phrase is as telling as its words together, as in Tantivy."""
    units: list[Unit] = []
    for term, weight in terms.items():
        text = _telling(term, statistics.in_chunks, statistics.chunks)
        title = _telling(term, statistics.in_titles, statistics.chunks) if title_boost > 0 else 0.0
        if text or title:
            share = min(
                statistics.in_chunks.get(token, 0) + (statistics.in_titles.get(token, 0) if title else 0)
                for token in term.tokens
            ) / max(1, statistics.chunks)
            factor = weight * (SATURATION + 1)
            units.append(Unit(term, factor * text, factor * title_boost * title, min(1.0, share)))
    return tuple(units)


def any_of(units: Sequence[Unit]) -> str:
    """Chunks that may contain one of the units."""
    return " | ".join(unit.anywhere for unit in units)


def norm(length: float, average_length: float) -> float:
    """How many occurrences of a word in a text of ``length`` words have half of the greatest effect."""
    relative = length / average_length if average_length else 1.0
    return SATURATION * (1 - LENGTH_SHARE + LENGTH_SHARE * relative)


def likely_score(units: Sequence[Unit], chunks: int, wanted: float) -> float:
    """A score that about ``wanted`` chunks reach, if words were independent and once in a chunk of average length; 0 when fewer."""
    best = sorted(units, key=lambda unit: -unit.most)[:_COMBINED]
    combinations = [(0.0, float(chunks))]
    for unit in best:
        effect = unit.weight / (1 + SATURATION) + unit.title_weight / (1 + SATURATION)
        combinations = [(score, number * (1 - unit.share)) for score, number in combinations] + [
            (score + effect, number * unit.share) for score, number in combinations
        ]
    reached = 0.0
    for score, number in sorted(combinations, reverse=True):
        reached += number
        if reached >= wanted:
            return score
    return 0.0


def reaching(units: Sequence[Unit], statistics: Statistics, floor: float) -> str:
    """Chunks whose score may be ``floor`` or more; every chunk that scores so much is among them.

    Turtle & Flood's MaxScore (1995), as a condition that the index can look up: a chunk must contain so many of the units
    that what these can add at most reaches the floor. A unit that is not marked as strong adds at most what one
    occurrence in a text of SHORT words does.
    """
    if floor <= 0:
        return any_of(units)
    floor *= 1 - _ROUNDING
    once = 1 / (1 + norm(SHORT, statistics.average_length))
    bounds = sorted((_bound(unit, once) for unit in units), key=lambda bound: -bound.most)
    # The least telling are taken as given when a condition with all of them would be too long.
    for number in range(len(bounds), 0, -1):
        given = sum(bound.most for bound in bounds[number:])
        condition = _Condition(bounds[:number])
        found = condition.reaching(0, floor - given)
        if found is not None and condition.parts <= _MOST_PARTS:
            return found or any_of(units)
    return any_of(units)


@dataclass(frozen=True, slots=True)
class _Bound:
    present: str
    strong: str
    once: float
    most: float


class _Condition:
    """Puts together which of ``bounds`` must be met; gives up beyond _MOST_PARTS."""

    def __init__(self, bounds: Sequence[_Bound]) -> None:
        self._bounds = bounds
        self._rest = [sum(bound.most for bound in bounds[start:]) for start in range(len(bounds) + 1)]
        self.parts = 0

    def reaching(self, start: int, floor: float) -> str | None:
        """What the bounds from ``start`` on must meet to add up to ``floor``: empty for nothing, None for what cannot be."""
        if floor <= 0:
            return ""
        if self._rest[start] < floor or self.parts > _MOST_PARTS:
            return None
        bound = self._bounds[start]
        without = self.reaching(start + 1, floor)
        if without == "":
            return ""
        once = self.reaching(start + 1, floor - bound.once)
        choices = [without]
        if once != without:
            choices.append(self._both(bound.present, once))
        if once != "":
            strong = self.reaching(start + 1, floor - bound.most)
            if strong != once:
                choices.append(self._both(bound.strong, strong))
        found = [choice for choice in choices if choice is not None]
        return " | ".join(found) if found else None

    def _both(self, present: str, rest: str | None) -> str | None:
        if rest is None:
            return None
        self.parts += 1
        return f"{present} & ({rest})" if rest else present


def _bound(unit: Unit, once: float) -> _Bound:
    return _Bound(unit.anywhere, unit.strong, unit.weight * once + unit.title_weight, unit.most)


def _telling(term: QueryTerm, frequencies: Mapping[str, int], chunks: int) -> float:
    if any(token not in frequencies for token in term.tokens):
        return 0.0
    return sum(inverse_document_frequency(frequencies[token], chunks) for token in term.tokens)


def _all(tokens: Sequence[str]) -> str:
    return f"({' & '.join(map(quoted, tokens))})"
