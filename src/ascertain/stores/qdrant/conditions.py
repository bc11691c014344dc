"""Conditions on points in terms that both ways to Qdrant are told in: its REST interface and the engine in the process."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class AnyOf:
    """One of the values; an array matches when one of its elements does."""

    key: str
    values: Sequence[str] | Sequence[int]


@dataclass(frozen=True, slots=True)
class StartsWith:
    """A text that begins with ``prefix``."""

    key: str
    prefix: str


@dataclass(frozen=True, slots=True)
class Phrase:
    """The tokens next to each other in this order."""

    key: str
    tokens: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AnyWord:
    """One of the tokens."""

    key: str
    tokens: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Period:
    """A moment from ``start`` on and before ``end``, as RFC 3339."""

    key: str
    start: str | None
    end: str | None


@dataclass(frozen=True, slots=True)
class Numbers:
    """A number from ``first`` to ``last``, both included; up to 2^53 exact."""

    key: str
    first: int | None = None
    last: int | None = None


@dataclass(frozen=True, slots=True)
class Lacks:
    """A point without this field."""

    key: str


@dataclass(frozen=True, slots=True)
class Points:
    """One of the points."""

    ids: Sequence[str]


@dataclass(frozen=True, slots=True)
class HasVector:
    """A point with a vector of this name."""

    name: str


@dataclass(frozen=True, slots=True)
class Where:
    """All of ``must``, one of ``should`` where there are any, and none of ``must_not``."""

    must: tuple[Condition, ...] = ()
    should: tuple[Condition, ...] = ()
    must_not: tuple[Condition, ...] = ()

    def also(self, *conditions: Condition) -> Where:
        """These conditions and further ones."""
        return Where((*self.must, *conditions), self.should, self.must_not)

    def without(self, *conditions: Condition) -> Where:
        """These conditions, and none of the others."""
        return Where(self.must, self.should, (*self.must_not, *conditions))


Condition = AnyOf | StartsWith | Phrase | AnyWord | Period | Numbers | Lacks | Points | HasVector | Where
