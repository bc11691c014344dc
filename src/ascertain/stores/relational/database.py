"""What the tables need of an engine: its dialect, transactions, and what lends them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from itertools import islice
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from ascertain.stores.generations import Generation
from ascertain.stores.rows import Row

Owner = str | int
"""The token of a participant that is alive as long as it holds a lock; see ``presence.py`` of each store."""

_Result = TypeVar("_Result")
_Value = TypeVar("_Value")

ALL = 2**62
"""As a LIMIT: no limit. SQLite has no OFFSET without one."""

AT_ONCE = 500
"""Values in one list of a statement; SQLite allows 32766 of them, and longer lists are no faster."""


@dataclass(frozen=True, slots=True)
class Condition:
    """A part of a WHERE clause and its parameters, which stand where ``?`` is."""

    sql: str
    parameters: tuple[object, ...]


class Dialect(Protocol):
    """What one engine writes otherwise than another."""

    @property
    def has_key_columns(self) -> bool:
        """Whether names longer than an index takes are found by digests in columns beside them."""
        ...

    def lock_rows(self, *, skip: bool = False) -> str:
        """Ends a SELECT whose rows nobody else may change before the end of the transaction.

        It waits for rows that another has locked, or leaves them out with ``skip``.
        """
        ...

    def keep_rows(self) -> str:
        """Ends a SELECT whose rows nobody else may delete before the end of the transaction."""
        ...

    def match_any(self, column: str, values: Sequence[str]) -> Condition:
        """Rows whose column has one of any number of values."""
        ...

    def match_tenant(self, tenant: str, *, is_narrow: bool) -> Condition:
        """Documents ``d`` of a tenant; ``is_narrow`` where other conditions leave only a few of them."""
        ...

    def match_sources(self, sources: Sequence[str]) -> Condition:
        """Documents ``d`` from one of these sources, which may end in ``*``."""
        ...

    def match_tags(self, tags: Sequence[str]) -> Condition:
        """Documents ``d`` that have one of these tags."""
        ...

    def lacks_vector(self, generation: Generation) -> str:
        """The condition on chunks ``c`` that have no vector of a generation."""
        ...


class Session(Protocol):
    """One transaction. Parameters stand where ``?`` is; any string may be one.

    Strings come back as they were, but from a record of SQLite's that keeps those with lone surrogates as
    bytes (see ``rows.python_text``).
    """

    @property
    def dialect(self) -> Dialect:
        """How the engine writes."""
        ...

    def fetch_rows(self, sql: str, *parameters: object) -> list[Row]:
        """What a statement gives back."""
        ...

    def stream_rows(self, sql: str, *parameters: object) -> Iterator[Row]:
        """What a statement gives back, a part at a time; for one that may give back everything."""
        ...

    def change_rows(self, sql: str, *parameters: object) -> int:
        """How many rows a statement changed."""
        ...

    def insert_rows(self, table: str, columns: str, rows: Sequence[Sequence[object]]) -> None:
        """Add many rows at once; ``columns`` are written as in SQL."""
        ...

    def insert_integers(self, table: str, columns: str, values: NDArray[np.int32]) -> None:
        """Add ``values``, of shape (rows, columns), to columns that hold integers of four bytes."""
        ...

    def fetch_integers(self, sql: str, *parameters: int) -> NDArray[np.int32]:
        """What a statement gives back, of shape (rows, columns), all integers of four bytes."""
        ...

    def replace_vectors(
        self,
        generation: Generation,
        documents: NDArray[np.int64],
        rows: NDArray[np.int64],
        vectors: NDArray[np.float16],
    ) -> None:
        """Write the vectors of chunks, given with the number of their document and their row, over any there are."""
        ...


class Database(ABC):
    """Lends transactions; raises StoreError, with the remedy, when the database cannot be used."""

    nobody: Owner
    """The token of no participant."""

    @property
    @abstractmethod
    def place(self) -> str:
        """Where it is, without secrets."""

    @abstractmethod
    def reading(self) -> AbstractContextManager[Session]:
        """A transaction that reads only, without waiting for writers."""

    @abstractmethod
    def run_change(self, work: Callable[[Session], _Result], *, flushed: bool = True) -> _Result:
        """Run ``work`` in a transaction and commit it; again from the start when others were in the way.

        What is committed survives a kill of this process, and what is ``flushed`` a crash of the machine.
        """

    @abstractmethod
    def announce(self, purpose: str = "a service cannot work on anything") -> Owner:
        """The token of this participant, alive until the database is closed or the process ends.

        ``purpose`` says what cannot be done where nothing can be written.
        """

    @abstractmethod
    def find_gone(self, db: Session, owners: Iterable[Owner]) -> set[Owner]:
        """Which participants are gone; of none, without a statement."""

    @abstractmethod
    def close(self) -> None:
        """Release connections and the sign of life; further calls raise StoreError."""

    def fetch_rows(self, sql: str, *parameters: object) -> list[Row]:
        """What one statement gives back, read for itself."""
        with self.reading() as db:
            return db.fetch_rows(sql, *parameters)

    def change_rows(self, sql: str, *parameters: object) -> int:
        """How many rows one statement changed, in a transaction of its own."""
        return self.run_change(lambda db: db.change_rows(sql, *parameters))


def marks(values: Collection[object]) -> str:
    """Placeholders of a list for IN; of none, a list in which nothing is."""
    return ", ".join("?" * len(values)) or "NULL"


def groups(values: Iterable[_Value]) -> Iterator[list[_Value]]:
    """``values`` in lists of at most AT_ONCE."""
    iterator = iter(values)
    while group := list(islice(iterator, AT_ONCE)):
        yield group
