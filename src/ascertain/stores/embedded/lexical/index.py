"""The lexical index: Tantivy, derived from the record, and whether its files are whole.

BM25 with k1 = 1.2 and b = 0.75 (fixed by Tantivy). Deleted chunks count in its statistics until their segment is
merged, so scores can differ slightly from those of an index built afresh.
"""

from __future__ import annotations

import json
import logging
import os
import shutil
import struct
import threading
import uuid
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, cast

from tantivy import FieldType, Index, IndexWriter, Query, Searcher

from ascertain.core.system.private_files import make_private_folder
from ascertain.stores.embedded import change_log
from ascertain.stores.embedded.change_log import (
    START,
    DerivedState,
    Position,
    damaged_files,
    read_fingerprints,
    read_state,
    write_state,
)
from ascertain.stores.embedded.connections import Connections
from ascertain.stores.embedded.lexical.query import (
    ANALYZER,
    FORMAT,
    build_document,
    build_schema,
    rows_condition,
    term_query,
)
from ascertain.stores.records.text_analysis import QueryTerm, build_analyzer

_MAGIC = 1337
_SUFFIXES = ("fast", "fieldnorm", "idx", "pos", "store", "term")
_BLOCK = 1 << 20


def segment_files(folder: Path) -> list[str] | None:
    """Names of the files that the last commit refers to; None when the list itself cannot be read."""
    try:
        meta = json.loads((folder / "meta.json").read_text())
        names: list[str] = []
        for segment in meta["segments"]:
            stem = str(segment["segment_id"]).replace("-", "")
            names.extend(f"{stem}.{suffix}" for suffix in _SUFFIXES)
            if segment["deletes"] is not None:
                names.append(f"{stem}.{segment['deletes']['opstamp']}.del")
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return names


def is_whole(path: Path) -> bool:
    """Whether a segment file's checksum is that of its footer.

    The footer is a JSON object with the CRC-32 of what is before it, the JSON's length and the number 1337, both 4
    bytes little-endian (tantivy/src/directory/footer.rs).
    """
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            file.seek(size - 8)
            length, magic = struct.unpack("<II", file.read(8))
            if magic != _MAGIC or length > size - 8:
                return False
            file.seek(size - 8 - length)
            expected = json.loads(file.read(length))["crc"]
            file.seek(0)
            return _compute_checksum(file.read, size - 8 - length) == expected
    except (OSError, ValueError, KeyError, TypeError, struct.error):
        return False


def file_checksum(path: Path) -> int:
    """CRC-32 of a whole file."""
    with path.open("rb") as file:
        return _compute_checksum(file.read, path.stat().st_size)


def _compute_checksum(read: Callable[[int], bytes], length: int) -> int:
    checksum = 0
    while length > 0 and (block := read(min(_BLOCK, length))):
        checksum = zlib.crc32(block, checksum)
        length -= len(block)
    return checksum


_logger = logging.getLogger("ascertain.stores")

_HEAP_BYTES = 64_000_000
# From so many chunks on, a second indexing thread pays for the extra segments it leaves.
_PARALLEL_FROM = 20_000
_DELETE_BATCH = 10_000


class LexicalIndex:
    """Rows of chunks by BM25. Reads are safe from any thread; writes need the writer's lock, except in memory.

    In memory (``folder`` None) it serves homes that cannot be written to.
    """

    def __init__(self, folder: Path | None, connections: Connections, identity: str) -> None:
        self.schema = build_schema()
        self.analyzer = build_analyzer()
        self._folder = folder
        self._connections = connections
        self._identity = identity
        self._mutex = threading.RLock()
        self._index: Index | None = None
        self._links: TemporaryDirectory[str] | None = None
        self._writer: IndexWriter | None = None
        self._state = self._new_state()

    def twin_in_memory(self) -> LexicalIndex:
        """An empty index over the same record that lives in memory."""
        return LexicalIndex(None, self._connections, self._identity)

    @property
    def position(self) -> Position:
        """How much of the change log can be searched."""
        return self._state.position

    @property
    def is_open(self) -> bool:
        """Whether there is an index to search."""
        return self._index is not None

    def load(self) -> str:
        """Open what is on disk, or load the changes of another process; returns why that failed, empty if it did not."""
        with self._mutex:
            if self._folder is None:
                return "" if self._index is not None else "the one on disk cannot be used"
            state = read_state(self._folder)
            if state is not None and self._index is not None and state.build == self._state.build:
                if state.sequence != self._state.sequence:
                    self._index.reload()
                    self._state = state
                return ""
            reason = self.damage(state)
            if reason or state is None:
                self._index = None
                return reason
            try:
                self._index = self._configure_index(self._open_index(self._folder))
            except (ValueError, OSError) as error:
                return f"it cannot be opened: {error}"
            self._state = state
            return ""

    def damage(self, state: DerivedState | None, thorough: bool = False) -> str:
        """Why the files on disk cannot be used; empty when they can."""
        if self._folder is None or state is None:
            return "it is missing"
        if state.format != FORMAT:
            return f"it has format {state.format}, this version writes {FORMAT}"
        if state.identity != self._identity:
            return "it belongs to another record"
        with self._connections.read() as db:
            if state.sequence > change_log.latest_sequence(db):
                return "it is ahead of the record"
        while True:
            names = segment_files(self._folder)
            if names is None:
                return "its list of segments is damaged"
            broken = damaged_files(self._folder, names, state, is_whole, thorough=thorough)
            # A writer that merges segments meanwhile deletes files and changes the list.
            if not broken or segment_files(self._folder) == names:
                return f"{broken[0]} is damaged" if broken else ""

    def catch_up(self) -> None:
        """Apply the missing changes of the record, and make them searchable; rebuild the index if it is unusable."""
        with self._mutex:
            reason = self.load()
            if self._index is None:
                self._start_afresh(reason)
            with self._connections.read() as db:
                target = change_log.read_position(db)
                if target == self.position:
                    return
                writer = self._open_writer(target.high_row - self.position.high_row)
                removed = [
                    row
                    for first, last in change_log.removed_since(db, self.position)
                    for row in range(first, min(last, self.position.high_row) + 1)
                ]
                for start in range(0, len(removed), _DELETE_BATCH):
                    # Not delete_documents_by_term: in tantivy 0.27 that finds nothing in unsigned fields.
                    writer.delete_documents_by_query(
                        rows_condition(self.schema, removed[start : start + _DELETE_BATCH])
                    )
                for row in change_log.lexical_rows(db, self.position.high_row):
                    writer.add_document(build_document(row))
                writer.commit()
            self._write_position(target)
            if self._index is not None:
                self._index.reload()

    def finish(self) -> None:
        """End a run of ``catch_up``: wait for merges and free the writer's threads and memory."""
        with self._mutex:
            if self._writer is None or self._folder is None:
                return
            writer, self._writer = self._writer, None
            writer.wait_merging_threads()
            self._write_position(self.position)
            if self._index is not None:
                self._index.reload()

    def abandon(self) -> None:
        """Drop the writer and the open index after a failure; the next use opens or rebuilds it."""
        with self._mutex:
            self._writer = None
            self._index = None
            self._state = self._new_state()
            if self._links is not None:
                self._links.cleanup()
                self._links = None

    def discard(self) -> None:
        """Delete the files, so that the next ``catch_up`` rebuilds them."""
        with self._mutex:
            self.abandon()
            if self._folder is not None:
                shutil.rmtree(self._folder, ignore_errors=True)

    def search(self, query: Query, limit: int) -> list[tuple[int, float]]:
        """Up to ``limit`` rows with their scores, best first; none while there is no index."""
        index = self._index
        if index is None or limit < 1:
            return []
        searcher = index.searcher()
        # count=True would switch off the skipping of blocks that cannot reach the top.
        hits = searcher.search(query, limit, count=False).hits
        rows = searcher.fast_field_values("row", [address for _, address in hits])
        return [(int(row), float(score)) for row, (score, _) in zip(rows, hits, strict=True) if row is not None]

    def frequency(self, terms: Sequence[QueryTerm]) -> int:
        """In how many chunks all the units occur; for several units the rarest one's count, an upper bound."""
        index = self._index
        if index is None or not terms:
            return 0
        searcher = index.searcher()
        return min(self._count_term(searcher, term) for term in terms)

    def count(self) -> int:
        """Chunks that can be found."""
        return 0 if self._index is None else self._index.searcher().num_docs

    def _count_term(self, searcher: Searcher, term: QueryTerm) -> int:
        if len(term.tokens) == 1:
            return searcher.doc_freq("body", term.tokens[0])
        # The stub of tantivy 0.27 leaves out SearchResult.count.
        found = cast(Any, searcher.search(term_query(self.schema, "body", term), 1, count=True))
        return int(found.count)

    def _new_state(self) -> DerivedState:
        return DerivedState(FORMAT, self._identity, uuid.uuid4().hex, START.sequence, START.high_row)

    def _open_index(self, folder: Path) -> Index:
        try:
            return Index.open(str(folder))
        except ValueError:
            if os.access(folder, os.W_OK):
                raise
        # Tantivy creates a lock file even for reading, so a folder of links stands in for one on a read-only disk.
        self._links = TemporaryDirectory(prefix="ascertain-")
        for path in folder.iterdir():
            if path.suffix != ".lock":
                (Path(self._links.name) / path.name).symlink_to(path.absolute())
        return Index.open(self._links.name)

    def _start_afresh(self, reason: str) -> None:
        with self._connections.read() as db:
            if change_log.read_position(db).high_row:
                # A missing folder is a new home, or was deleted on purpose; anything else is damage.
                level = logging.WARNING if self._folder and self._folder.exists() else logging.INFO
                place = self._folder or "memory"
                _logger.log(level, "building the word index in %s from the record: %s", place, reason)
        self.discard()
        if self._folder is None:
            self._index = self._configure_index(Index(self.schema))
            return
        make_private_folder(self._folder)
        self._index = self._configure_index(Index(self.schema, path=str(self._folder), reuse=False))
        write_state(self._folder, self._state)

    def _configure_index(self, index: Index) -> Index:
        index.register_tokenizer(ANALYZER, self.analyzer)
        index.config_reader("manual")
        index.reload()
        return index

    def _open_writer(self, additions: int) -> IndexWriter:
        if self._writer is None and self._index is not None:
            threads = min(4, os.cpu_count() or 1) if additions >= _PARALLEL_FROM else 1
            self._writer = self._index.writer(_HEAP_BYTES * threads, threads)
            # A process killed between a commit and its note left rows that would otherwise be added again.
            leftovers = Query.range_query(
                self.schema, "row", FieldType.Unsigned, self.position.high_row, None, include_lower=False
            )
            self._writer.delete_documents_by_query(leftovers)
        if self._writer is None:
            raise RuntimeError("a writer needs an open index")
        return self._writer

    def _write_position(self, position: Position) -> None:
        files: dict[str, tuple[int, int]] = {}
        if self._folder is not None:
            files = read_fingerprints(self._folder, segment_files(self._folder) or ())
        state = self._state
        self._state = DerivedState(
            FORMAT, state.identity, state.build, position.sequence, position.high_row, files, state.details
        )
        if self._folder is not None:
            write_state(self._folder, self._state)
