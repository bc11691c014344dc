"""The tables that a question may be about: read from stored documents, typed, and kept while nothing changes."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from pathlib import PurePath

from ascertain.core.asking.passages import Filter, Passage
from ascertain.core.documents.documents import DocumentKind, DocumentRecord, DocumentState
from ascertain.language.languages import ENGLISH
from ascertain.language.tables import is_row
from ascertain.language.tokens import content_terms
from ascertain.reports.tables.columns import TypedTable, type_table
from ascertain.reports.tables.reading import TABLE_SUFFIXES, ReadingTooLong, read_tables
from ascertain.stores.ports.chunks import CompleteStore

MOST_FILES = 40
"""Files that are looked into for one question; of more, those that the search finds or that the question names (by judgement: some tenths of a
second for files of a thousand rows)."""
LARGEST_TABLE = 200_000_000
"""Characters of one table that is computed, some two million rows; a larger one belongs into a database."""
SECONDS = 40.0
"""For reading what was not read before; what is not read then is left out, and no answer is given from a part of a table."""
KEPT_CELLS = 20_000_000
"""Cells of tables that are kept for further questions."""

FindPassages = Callable[[str, Filter], Sequence[Passage]]


class TableLibrary:
    """Reads the tables of one store as questions need them. Safe to use from several threads."""

    def __init__(self, store: CompleteStore, find: FindPassages) -> None:
        self._store = store
        self._find = find
        self._lock = threading.Lock()
        self._listed: tuple[Filter, str, dict[str, list[DocumentRecord]]] | None = None
        self._kept: OrderedDict[tuple[tuple[str, str], ...], tuple[TypedTable, ...]] = OrderedDict()

    def find_tables(self, question: str, filter: Filter) -> tuple[list[TypedTable], list[str]]:
        """The tables that ``question`` may be about, of what ``filter`` selects, and what could not be read of them, in words."""
        files = self._choose_files(question, filter)
        deadline = time.monotonic() + SECONDS
        tables: list[TypedTable] = []
        problems: list[str] = []
        for records in files:
            name = PurePath(records[0].source.partition("#")[0]).name
            if sum(record.characters for record in records) > LARGEST_TABLE:
                problems.append(f"{name} is too large to be computed")
            elif time.monotonic() > deadline:
                problems.append(f"{name} was not read in {SECONDS:.0f} seconds")
            else:
                try:
                    tables += self._read(records, deadline)
                except ReadingTooLong as error:
                    problems.append(f"{name}: {error}")
        return tables, problems

    def has_files(self, filter: Filter) -> bool:
        """Whether there are files of tables among what ``filter`` selects."""
        return any(_is_tabular(source) for source in self._list_files(filter))

    def _list_files(self, filter: Filter) -> dict[str, list[DocumentRecord]]:
        """The documents of every file, listed again once the documents have changed."""
        version = self._store.fingerprint(filter)
        with self._lock:
            if self._listed is not None and self._listed[:2] == (filter, version):
                return self._listed[2]
        files: dict[str, list[DocumentRecord]] = {}
        for record in self._store.documents(filter):
            # rows that are articles or turns of a talk are documents of their own, and no table
            if record.state is DocumentState.INDEXED and record.kind is DocumentKind.PROSE:
                files.setdefault(record.source.partition("#")[0], []).append(record)
        with self._lock:
            self._listed = (filter, version, files)
        return files

    def _choose_files(self, question: str, filter: Filter) -> list[list[DocumentRecord]]:
        """The documents of each file that may hold the table: the files of tables, or, of very many, those whose names the question has words of;
        of other files those in which the search finds rows.
        """
        files = self._list_files(filter)
        tabular = [source for source in files if _is_tabular(source)]
        if len(tabular) > MOST_FILES:
            words = set(content_terms(question, ENGLISH))
            tabular = [source for source in tabular if words & set(content_terms(_name_of(source), ENGLISH))]
        chosen = dict.fromkeys(tabular[:MOST_FILES])
        if len(tabular) < len(files):
            found = self._find(question, filter)
            chosen |= {passage.chunk.source.partition("#")[0]: None for passage in found if _holds_row(passage)}
        return [files[source] for source in chosen if source in files]

    def _read(self, records: Sequence[DocumentRecord], deadline: float) -> tuple[TypedTable, ...]:
        key = tuple((record.id, record.content_hash) for record in records)
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        found = (self._store.document(record.id) for record in _in_order(records))
        tables = read_tables((document for document in found if document is not None), deadline)
        typed = tuple(type_table(table) for table in tables)
        with self._lock:
            self._kept[key] = typed
            while len(self._kept) > 1 and sum(map(_count_cells, self._kept.values())) > KEPT_CELLS:
                self._kept.popitem(last=False)
        return typed


def _is_tabular(source: str) -> bool:
    return PurePath(source).suffix.lower() in TABLE_SUFFIXES


def _name_of(source: str) -> str:
    return PurePath(source).stem.replace("_", " ").replace("-", " ")


def _holds_row(passage: Passage) -> bool:
    return any(is_row(line) for line in passage.chunk.text.split("\n"))


def _count_cells(tables: Iterable[TypedTable]) -> int:
    return sum(len(typed.table.rows) * len(typed.columns) for typed in tables)


def _in_order(records: Sequence[DocumentRecord]) -> list[DocumentRecord]:
    """The parts of a long table by the number of their first row."""

    def first(record: DocumentRecord) -> tuple[int, str]:
        digits = record.source.partition("#")[2].partition("-")[0]
        return (int(digits), "") if digits.isdigit() else (0, record.source)

    return sorted(records, key=first)
