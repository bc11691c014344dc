"""A question as a query over the columns of a table: what is computed, of which rows, for which groups."""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from ascertain.core.asking.answers import GroupFigure

Bound = float | str


class Aggregate(StrEnum):
    """What is computed of the rows."""

    COUNT = "count"
    DISTINCT = "distinct"
    SUM = "sum"
    MEAN = "mean"
    MEDIAN = "median"
    HIGHEST = "highest"
    LOWEST = "lowest"
    SHARE = "share"
    """The part of all rows that meets the conditions, or of what a column adds up to, in percent."""
    LIST = "list"
    """The rows themselves, with the values of a column."""


class Comparison(StrEnum):
    """How a value of a column stands to the bounds of a condition."""

    IN = "in"
    NOT_IN = "not in"
    LESS = "<"
    AT_MOST = "<="
    MORE = ">"
    AT_LEAST = ">="
    WITHIN = "within"
    """From the first bound up to the second, both included; of days up to but without it, in any of several pairs of bounds."""
    SEASON = "season"
    """As ``WITHIN``, by month and day of whatever year: from ``03`` up to but without ``05``."""


_ORDERS: dict[Comparison, Callable[[Any, Any], bool]] = {
    Comparison.LESS: operator.lt,
    Comparison.AT_MOST: operator.le,
    Comparison.MORE: operator.gt,
    Comparison.AT_LEAST: operator.ge,
}


class Part(StrEnum):
    """A part of a day that groups are made by."""

    WHOLE = ""
    YEAR = "year"
    QUARTER = "quarter"
    MONTH = "month"


@dataclass(frozen=True, slots=True)
class Condition:
    """``column`` counts the columns of the query's table, or of the joined one where ``is_joined``. ``words`` says it to people. ``other`` is the
    column whose value of the same row is the bound, where there are no ``bounds``.
    """

    column: int
    comparison: Comparison
    bounds: tuple[Bound, ...]
    words: str
    is_joined: bool = False
    other: int | None = None

    def holds_between(self, value: Bound | None, other: Bound | None) -> bool:
        """Whether the values of two columns stand to each other as they should; a row without one of them does not meet it."""
        if value is None or other is None or isinstance(value, str) != isinstance(other, str):
            return False
        return _ORDERS[self.comparison](value, other)

    def holds(self, value: Bound | None) -> bool:
        """Whether a value meets it, as the database decides it."""
        bounds, comparison = self.bounds, self.comparison
        if value is None or comparison in (Comparison.IN, Comparison.NOT_IN):
            return value is not None and (value in bounds) is (comparison is Comparison.IN)
        if isinstance(value, str) != isinstance(bounds[0], str):
            return False
        if comparison in _ORDERS:
            return _ORDERS[comparison](value, bounds[0])
        if not isinstance(value, str):
            return float(bounds[0]) <= value <= float(bounds[1])
        day = value if comparison is Comparison.WITHIN else value.replace("--", "0000-")[5:]
        pairs = [(str(start), str(end)) for start, end in zip(bounds[::2], bounds[1::2], strict=True)]
        return any(start <= day < end if start <= end else day >= start or day < end for start, end in pairs)


@dataclass(frozen=True, slots=True)
class Grouping:
    """The column whose values make the groups; ``part`` of its days where it holds days. ``sides`` are two conditions on it whose rows are
    compared, called by their words.
    """

    column: int
    part: Part = Part.WHOLE
    is_joined: bool = False
    sides: tuple[Condition, ...] = ()


@dataclass(frozen=True, slots=True)
class Join:
    """Another table, by its place, whose rows belong to those of the first: ``own`` equals ``other``, which is unique there."""

    table: int
    own: int
    other: int


@dataclass(frozen=True, slots=True)
class TableQuery:
    """``measure`` is the column that is computed with, None where rows are counted or listed. ``shown`` is the column that answers (who, which,
    when), None where the figure does. With a ``grouping`` every group gets its figure; ``end`` asks for the groups, or rows, of the highest
    or lowest figure, ``rank`` says from which place on and ``most`` how many. ``whole`` are those of the conditions that hold for all of what a share
    is of.
    """

    table: int
    aggregate: Aggregate
    measure: int | None = None
    conditions: tuple[Condition, ...] = ()
    grouping: Grouping | None = None
    shown: int | None = None
    end: Aggregate | None = None
    rank: int = 1
    most: int = 1
    join: Join | None = None
    whole: tuple[Condition, ...] = ()


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a query gives. ``rows`` are the places of those it rests on, the most telling first; ``matching`` counts all that meet the conditions,
    ``empty`` those among them without a value. ``joined`` are rows of the other table. ``ties``: rows or groups that share the last place shown.
    ``share`` is the part and the whole of a share.
    """

    value: float | None
    rows: tuple[int, ...]
    matching: int
    groups: tuple[GroupFigure, ...] = ()
    empty: int = 0
    joined: tuple[int, ...] = ()
    ties: int = 0
    share: tuple[float, float] = (0.0, 0.0)
