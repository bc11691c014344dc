"""What the embedded store needs of its search by meaning, so that another index can take the place of FAISS."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from ascertain.core.filters import Filter
from ascertain.core.passages import Hit
from ascertain.stores.generations import Generation
from ascertain.stores.ports import Vectors


class DenseSearch(Protocol):
    """Cosine similarity over the vectors of one record, which all of it can be built from again.

    It finds what the record has at the time of the search, however far behind its index is. Safe to use from several
    threads; raises StoreError with the remedy when it cannot be used.
    """

    generation: Generation
    """Whose vectors are searched; set anew when the record has moved to another model."""

    def hits(self, vector: Vectors, k: int, filter: Filter, floor: float | None) -> list[Hit]:
        """The ``k`` best chunks among those the filter allows, with at least ``floor``."""
        ...

    def similarities(self, vector: Vectors, chunk_ids: Sequence[str]) -> dict[str, float]:
        """Cosine of each named chunk that exists."""
        ...

    def check_ready(self) -> None:
        """Raise StoreError when its index could not follow a change of the record; asked before each run of writes."""
        ...

    def keep_up(self) -> None:
        """Let its index follow in the midst of a long run of writes, if it should; under the writer's lock."""
        ...

    def renew(self) -> None:
        """Bring its index up to the record at the end of a run; under the writer's lock."""
        ...

    def examine(self) -> tuple[list[str], dict[str, str]]:
        """What is wrong with its index, and facts about it."""
        ...

    def rebuild(self) -> None:
        """Build its index from the record alone; under the writer's lock."""
        ...

    def close(self) -> None:
        """Release files, connections and threads."""
        ...
