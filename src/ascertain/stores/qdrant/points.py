"""What the store needs from Qdrant, however it is reached."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ascertain.stores.qdrant.schema import Where

ACORN_SELECTIVITY = 0.6
"""Filters that leave no more than this share of the points are searched by ACORN (Patel et al. 2024), which looks past
neighbours that a filter leaves out. Of 40,000 chunks at 50 % recall of 100 rises from .943 to .999, for 1.5 times the
time.
"""

Payload = Mapping[str, object]
Vector = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Weights:
    """A sparse vector: ``values`` at ``places``, each place once."""

    places: Sequence[int]
    values: Sequence[float]


@dataclass(frozen=True, slots=True)
class Point:
    """A point to write. ``dense`` holds vectors by name; ``words`` is the sparse one."""

    id: str
    payload: Payload
    dense: Mapping[str, Vector] = field(default_factory=dict[str, Vector])
    words: Weights | None = None


@dataclass(frozen=True, slots=True)
class Stored:
    """A point as it was read, with the fields and the vector asked for."""

    id: str
    payload: Payload
    vector: Vector | None = None


@dataclass(frozen=True, slots=True)
class Scored:
    """A point that a search found."""

    id: str
    score: float
    payload: Payload


@dataclass(frozen=True, slots=True)
class Search:
    """What to look for: a dense vector of a name, or weights of words. ``exact`` looks at every vector."""

    query: Vector | Weights
    vector: str
    exact: bool = True
    breadth: int = 0
    """Candidates to look at in a graph, where it is not exact."""


class Points(Protocol):
    """The points of one collection. Every method raises StoreError with the remedy when Qdrant cannot be used.

    ``fields`` names the payload fields to read. Writes are done, and searches see them, when their method returns.
    """

    @property
    def place(self) -> str:
        """The folder or the server, without secrets."""
        ...

    @property
    def is_shared(self) -> bool:
        """Whether other machines may write at the same time."""
        ...

    def exists(self) -> bool:
        """Whether there is a collection."""
        ...

    def create(self, vector: str, dimension: int) -> None:
        """Make the collection with its payload indexes; does nothing if it exists."""
        ...

    def operation(self) -> AbstractContextManager[None]:
        """Several calls in a row, for which what is expensive to begin is begun once."""
        ...

    def writing(self) -> AbstractContextManager[None]:
        """A run of writes; see ``ChunkStore.writing``."""
        ...

    def upsert(self, points: Sequence[Point]) -> None:
        """Write points, each over what it was."""
        ...

    def insert(self, points: Sequence[Point]) -> None:
        """Write each point unless there is one of its id; each in one step."""
        ...

    def replace(self, points: Sequence[Point], where: Where) -> None:
        """Write each point over the present one if there is one that meets ``where``; each in one step."""
        ...

    def set_payload(self, where: Where, payload: Payload) -> None:
        """Set fields of the points that meet ``where``; others stay. None clears."""
        ...

    def put_vectors(self, vectors: Mapping[str, Vector], name: str) -> None:
        """Set one dense vector of points by their id; missing ones are ignored."""
        ...

    def delete(self, where: Where) -> None:
        """Delete the points that meet ``where``."""
        ...

    def settle(self) -> None:
        """Make what was written durable, and bring up the engine's own indexes if that is worth it."""
        ...

    def search(self, search: Search, where: Where, limit: int, fields: Sequence[str]) -> list[Scored]:
        """The best ``limit`` points, best first; of a search by words only those with a match."""
        ...

    def retrieve(self, ids: Sequence[str], fields: Sequence[str]) -> list[Stored]:
        """Those of the points that exist."""
        ...

    def scroll(self, where: Where, fields: Sequence[str], vector: str | None = None) -> Iterator[Stored]:
        """The points that meet ``where``, page by page, in order of id."""
        ...

    def count(self, where: Where) -> int:
        """How many points meet ``where``."""
        ...

    def estimate(self, where: Where) -> int:
        """About how many points meet ``where``, from the indexes alone; those deleted of late may be counted still."""
        ...

    def facet(self, key: str, where: Where) -> dict[str | int, int]:
        """How many of the points that meet ``where`` have each value of an indexed field."""
        ...

    def extreme(self, key: str, where: Where, last: bool) -> Stored | None:
        """The first or last point by a field whose index has an order, with its ``body``; None where there is none."""
        ...

    def indexes(self) -> set[str]:
        """The payload fields that have an index."""
        ...

    def add_index(self, field: str) -> None:
        """Index one of ``schema.INDEXES``."""
        ...

    def add_vector(self, name: str, dimension: int) -> None:
        """Allow for a dense vector; does nothing if the name exists."""
        ...

    def remove_vector(self, name: str) -> None:
        """Drop a dense vector from all points; does nothing if there is none."""
        ...

    def bytes_on_disk(self) -> int:
        """What everything takes."""
        ...

    def condition(self) -> tuple[tuple[str, ...], dict[str, str]]:
        """The problems of the engine, and facts about it."""
        ...

    def close(self) -> None:
        """Release what is open; further calls raise StoreError."""
        ...
