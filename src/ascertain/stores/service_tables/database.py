"""What the tables of the service, and those of the knowledge graph, need of an engine."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import AbstractContextManager
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from ascertain.stores.rows import Row

Owner = str | int
"""The token of a participant that is alive as long as it holds a lock; see ``presence.py`` of each store."""

_Result = TypeVar("_Result")

ALL = 2**62
"""As a LIMIT: no limit. SQLite has no OFFSET without one."""


class Session(Protocol):
    """One transaction. Parameters stand where ``?`` is; any string may be one and comes back as it was."""

    def lock_rows(self, *, skip: bool = False) -> str:
        """Ends a SELECT whose rows nobody else may change before the end of the transaction.

        It waits for rows that another has locked, or leaves them out with ``skip``.
        """
        ...

    def rows(self, sql: str, *parameters: object) -> list[Row]:
        """What a statement gives back."""
        ...

    def change(self, sql: str, *parameters: object) -> int:
        """How many rows a statement changed."""
        ...

    def insert(self, table: str, columns: str, rows: Sequence[Sequence[object]]) -> None:
        """Add many rows at once; ``columns`` are written as in SQL."""
        ...

    def insert_integers(self, table: str, columns: str, values: NDArray[np.int32]) -> None:
        """Add the rows of ``values``, of shape (rows, columns), to columns that hold integers of four bytes."""
        ...

    def integers(self, sql: str, *parameters: int) -> NDArray[np.int32]:
        """What a statement gives back whose columns all are integers of four bytes, never NULL; of shape (rows, columns)."""
        ...

    def dead(self, owners: Iterable[Owner]) -> Collection[Owner]:
        """Which participants are gone."""
        ...


class Database(Protocol):
    """Lends transactions; raises StoreError when the database cannot be used."""

    def reading(self) -> AbstractContextManager[Session]:
        """A transaction that reads only, without waiting for writers."""
        ...

    def change(self, work: Callable[[Session], _Result], *, flushed: bool = True) -> _Result:
        """Run ``work`` in a transaction and commit it; it may be run again from the start when others were in the way.

        What is committed survives any kill of this process, and what is ``flushed`` a crash of the machine too.
        """
        ...

    def announce(self) -> Owner:
        """The token of this participant, alive until the stores are closed or the process ends."""
        ...

    def close(self) -> None:
        """Release connections and the sign of life; further calls raise StoreError."""
        ...


def marks(values: Collection[object]) -> str:
    """Placeholders of a list for IN; of none, a list in which nothing is."""
    return ", ".join("?" * len(values)) or "NULL"
