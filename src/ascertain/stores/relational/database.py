"""What the tables need from an engine: dialect and transactions; and filters as conditions."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from itertools import islice
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from ascertain.core.asking.passages import OWN, Filter
from ascertain.stores.records.rows import Row, to_microseconds
from ascertain.stores.records.vectors import Generation

Owner = str | int
"""The token of a participant that is alive as long as it holds a lock; see ``Presence`` of each store."""

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
    """Where engines differ."""

    @property
    def has_key_columns(self) -> bool:
        """Whether names longer than an index takes are found by digests in columns beside them."""
        ...

    def lock_rows(self, *, skip: bool = False) -> str:
        """Ends a SELECT whose rows no one else may change before the end of the transaction.

        It waits for rows that another has locked, or leaves them out with ``skip``.
        """
        ...

    def keep_rows(self) -> str:
        """Ends a SELECT whose rows no one else may delete before the end of the transaction."""
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
        """The result of a statement."""
        ...

    def stream_rows(self, sql: str, *parameters: object) -> Iterator[Row]:
        """The result of a statement, in parts; for one that may return everything."""
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
        """The result of a statement, of shape (rows, columns), all integers of four bytes."""
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

    no_owner: Owner
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
        """Run ``work`` in a transaction and commit it; retrying from the start on conflicts.

        What is committed survives a kill of this process, and what is ``flushed`` a crash of the machine.
        """

    @abstractmethod
    def announce(self, purpose: str = "a service cannot work on anything") -> Owner:
        """The token of this participant, alive until the database is closed or the process ends.

        ``purpose`` says what is impossible if nothing can be written.
        """

    @abstractmethod
    def find_gone(self, db: Session, owners: Iterable[Owner]) -> set[Owner]:
        """Which participants are dead; for an empty list, without a statement."""

    @abstractmethod
    def close(self) -> None:
        """Release connections and the heartbeat; further calls raise StoreError."""

    def fetch_rows(self, sql: str, *parameters: object) -> list[Row]:
        """The result of one statement, in a separate transaction."""
        with self.reading() as db:
            return db.fetch_rows(sql, *parameters)

    def change_rows(self, sql: str, *parameters: object) -> int:
        """How many rows one statement changed, in a separate transaction."""
        return self.run_change(lambda db: db.change_rows(sql, *parameters))


def bind_marks(values: Collection[object]) -> str:
    """Placeholders of a list for IN; of none, a list in which nothing is."""
    return ", ".join("?" * len(values)) or "NULL"


def split_groups(values: Iterable[_Value]) -> Iterator[list[_Value]]:
    """``values`` in lists of at most AT_ONCE."""
    iterator = iter(values)
    while group := list(islice(iterator, AT_ONCE)):
        yield group


def select_documents(filter: Filter, dialect: Dialect) -> Condition:
    """Which documents ``filter`` selects; where it names chunks, those that own one of them."""
    is_narrow = bool(
        filter.document_ids
        or filter.names_chunks
        or filter.tags
        or filter.conversation_id
        or (filter.within is not None and OWN not in filter.within)
    )
    parts = [dialect.match_tenant(filter.tenant, is_narrow=is_narrow)]
    for column, values in (
        ("d.id", filter.document_ids),
        ("d.kind", tuple(map(str, filter.kinds))),
        ("d.profile", filter.profiles),
        ("d.language", filter.languages),
    ):
        if values:
            parts.append(dialect.match_any(column, values))
    if filter.sources:
        parts.append(dialect.match_sources(filter.sources))
    if filter.tags:
        parts.append(dialect.match_tags(filter.tags))
    if filter.published_from is not None:
        parts.append(Condition("d.published >= ?", (to_microseconds(filter.published_from),)))
    if filter.published_before is not None:
        parts.append(Condition("d.published < ?", (to_microseconds(filter.published_before),)))
    if filter.conversation_id is not None:
        parts.append(Condition("d.conversation_id = ?", (filter.conversation_id,)))
    if filter.within is not None:
        of_none = "d.conversation_id IS NULL OR " if OWN in filter.within else ""
        parts.append(Condition(f"({of_none}d.conversation_id IN ({bind_marks(filter.within)}))", tuple(filter.within)))
    if filter.names_chunks:
        named = _select_chunk_column("document", filter, dialect)
        parts.append(Condition(f"d.number IN ({named.sql})", named.parameters))
    return join_all(parts)


def select_chunks(filter: Filter, dialect: Dialect, row: str = 'c."row"') -> Condition:
    """Which chunks ``filter`` selects, in a statement where ``row`` is the column with the chunk's row."""
    documents = select_documents(filter, dialect)
    if not filter.names_chunks:
        return documents
    named = _select_chunk_column('"row"', filter, dialect)
    return join_all([documents, Condition(f"{row} IN ({named.sql})", named.parameters)])


def select_elsewhere(tenant: str, within: Sequence[str]) -> Condition:
    """Which searchable documents of a tenant were fetched for other conversations than those named."""
    visible = sorted({OWN, *within})
    return Condition(
        "d.chunks > 0 AND d.tenant = ? AND d.conversation_id IS NOT NULL "
        f"AND d.conversation_id NOT IN ({bind_marks(visible)})",
        (tenant, *visible),
    )


def join_all(conditions: Sequence[Condition], word: str = " AND ") -> Condition:
    """All conditions, or with another word any of them."""
    parameters = (parameter for condition in conditions for parameter in condition.parameters)
    return Condition(word.join(condition.sql for condition in conditions), tuple(parameters))


def _select_chunk_column(column: str, filter: Filter, dialect: Dialect) -> Condition:
    """A column of the chunks that ``filter`` names, by id or by topic."""
    on_topic = dialect.match_any("about.topic", filter.topics)
    if not filter.chunk_ids:
        return Condition(f"SELECT about.{column} FROM chunk_topics about WHERE {on_topic.sql}", on_topic.parameters)
    parts = [dialect.match_any("named.id", filter.chunk_ids)]
    if filter.topics:
        about = f'SELECT about."row" FROM chunk_topics about WHERE {on_topic.sql}'
        parts.append(Condition(f'named."row" IN ({about})', on_topic.parameters))
    named = join_all(parts)
    return Condition(f"SELECT named.{column} FROM chunks named WHERE {named.sql}", named.parameters)
