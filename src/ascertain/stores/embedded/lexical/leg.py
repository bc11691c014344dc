"""Searching by words: the lexical index kept up with the record, and its rows turned into hits."""

import logging
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from tantivy import Query

from ascertain.core.asking.passages import Filter, Hit
from ascertain.core.errors import AscertainError, StoreError
from ascertain.stores.embedded import change_log, faults, record
from ascertain.stores.embedded.connections import Connections
from ascertain.stores.embedded.home import WriterLock
from ascertain.stores.embedded.lexical.index import LexicalIndex
from ascertain.stores.embedded.lexical.query import filter_conditions, restrict_query, rows_condition, text_query
from ascertain.stores.embedded.record import RowNames
from ascertain.stores.records.text_analysis import query_terms, weighted_terms
from ascertain.stores.records.vectors import top_hits
from ascertain.stores.relational.reads import simplify_filter

_logger = logging.getLogger("ascertain.stores")
_Result = TypeVar("_Result")

_MOST_IN_SEARCH = 500
"""Chunks that a search indexes itself, about 50 ms, while this process writes. More are left to the writer, which takes seconds for a
text of 18 million characters; until then the existing index is searched, as in other processes.
"""


class LexicalLeg:
    """BM25 over one home.

    The index on disk is written only under the writer's lock. A process that cannot get the lock searches what is
    there; when nothing usable is there it builds an index in memory.
    """

    def __init__(
        self,
        index: LexicalIndex,
        connections: Connections,
        lock: WriterLock | None,
        names: RowNames,
        title_boost: float,
    ) -> None:
        self.index = index
        self._in_memory = index.twin_in_memory()
        self._names = names
        self._connections = connections
        self._home = connections.path.parent
        self._lock = lock
        self._title_boost = title_boost

    def hits(self, terms: Mapping[str, float], k: int, filter: Filter) -> list[Hit]:
        def search(index: LexicalIndex) -> list[Hit]:
            weighted = weighted_terms(index.analyzer, terms)
            if not weighted or k < 1:
                return []
            conditions = self._build_conditions(index, filter)
            if conditions is None:
                return []
            query = restrict_query(text_query(index.schema, weighted, self._title_boost), conditions)
            return top_hits(
                lambda limit: index.search(query, limit), lambda rows: self._fetch_ids(rows, filter.tenant), k
            )

        return self._with_index(search)

    def scores(self, terms: Mapping[str, float], chunk_ids: Sequence[str]) -> dict[str, float]:
        def search(index: LexicalIndex) -> dict[str, float]:
            weighted = weighted_terms(index.analyzer, terms)
            with self._connections.read() as db:
                rows = self._names.rows(db, chunk_ids)
            if not weighted or not rows:
                return {}
            query = text_query(index.schema, weighted, self._title_boost)
            found = index.search(restrict_query(query, [rows_condition(index.schema, list(rows))]), len(rows))
            return {rows[row]: score for row, score in found}

        return self._with_index(search)

    def frequencies(self, terms: Sequence[str]) -> dict[str, int]:
        return self._with_index(
            lambda index: {term: index.frequency(query_terms(index.analyzer, term)) for term in terms}
        )

    def catch_up(self) -> None:
        """Bring the index on disk up to the record; the caller holds the writer's lock."""
        try:
            self.index.catch_up()
        except BaseException as error:
            self.index.abandon()
            if isinstance(error, AscertainError) or not _is_of_index(error) or faults.is_disk_full(error):
                raise _as_store_error(error, self._home) from error
            _logger.warning("the word index of %s failed (%s)", self._home, error)
            self.index.discard()
            self.index.catch_up()

    def _with_index(self, search: Callable[[LexicalIndex], _Result]) -> _Result:
        try:
            return search(self._freshen_index())
        except BaseException as error:
            if isinstance(error, AscertainError) or not _is_of_index(error):
                raise
            _logger.warning("the word index of %s cannot be read (%s)", self._home, error)
            self.index.abandon()
            self._discard_broken()
        try:
            return search(self._freshen_index())
        except (ValueError, RuntimeError) as error:
            raise StoreError(f"the word index of {self._home} failed ({error}): run `ascertain doctor`") from error

    def _freshen_index(self) -> LexicalIndex:
        with self._connections.read() as db:
            latest = change_log.latest_sequence(db)
            if self.index.is_open and self.index.position.sequence >= latest:
                return self.index
            is_writing = self.index.is_open and self._lock is not None and self._lock.writers > 0
            if is_writing and change_log.rows_since(db, self.index.position) > _MOST_IN_SEARCH:
                return self.index
        if not self.index.load() and self.index.position.sequence >= latest:
            return self.index
        if self._lock is not None:
            with self._lock.try_hold() as held:
                if held:
                    self.catch_up()
        if self.index.is_open:
            return self.index
        self._in_memory.catch_up()
        return self._in_memory

    def _discard_broken(self) -> None:
        if self._lock is not None:
            with self._lock.try_hold() as held:
                if held:
                    self.index.discard()

    def _build_conditions(self, index: LexicalIndex, filter: Filter) -> list[Query] | None:
        with self._connections.read() as db:
            only = record.only_tenant(db)
            effective = simplify_filter(db, filter)
            conditions = filter_conditions(index.schema, effective, with_tenant=only != filter.tenant)
            if filter.names_chunks:
                rows = [first for first, _ in record.matching_rows(db, effective)]
                if not rows:
                    return None
                conditions.append(rows_condition(index.schema, rows))
        return conditions

    def _fetch_ids(self, rows: Sequence[int], tenant: str) -> dict[int, str]:
        with self._connections.read() as db:
            return self._names.ids(db, rows, tenant)


def _is_of_index(error: BaseException) -> bool:
    return isinstance(error, ValueError | OSError | RuntimeError) or faults.is_panic(error)


def _as_store_error(error: BaseException, home: Path) -> BaseException:
    if faults.is_disk_full(error):
        return faults.disk_full(home)
    return error if not faults.is_panic(error) else StoreError(f"the word index of {home} failed: {error}")
