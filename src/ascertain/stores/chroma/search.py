"""Searching by meaning for the embedded store: Chroma's results, scored and completed from the record.

Chroma follows the record, so it may lack rows that were just added and have rows that are gone; another process may
take it ahead of the moment the search looks at. Every row that it could lack is therefore compared here:
those above its position, and those removed from the record after the moment. The rest is its own to find.
"""

from __future__ import annotations

import json
import logging
import sqlite3
import threading
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ascertain.core.asking.passages import Filter, Hit
from ascertain.core.errors import StoreError
from ascertain.core.settings import StoreSettings
from ascertain.stores.chroma.server import Chroma, CollectionGone
from ascertain.stores.chroma.vectors import ChromaVectors, Followed
from ascertain.stores.embedded import change_log, record
from ascertain.stores.embedded.change_log import Position, RowNumbers
from ascertain.stores.embedded.connections import Connections
from ascertain.stores.embedded.dialect import RecordConnection
from ascertain.stores.embedded.opening import open_record
from ascertain.stores.embedded.record import OpenRecord
from ascertain.stores.embedded.store import EmbeddedStore
from ascertain.stores.ports.chunks import Vectors
from ascertain.stores.records.vectors import Generation, cosine_scores, mismatch_error, query_vector, top_hits
from ascertain.stores.relational.reads import select_vectors, simplify_filter
from ascertain.stores.relational.reembedding import find_active
from ascertain.stores.relational.store import count_searchable

_logger = logging.getLogger("ascertain.stores")

# Up to so many selected chunks are compared one by one, if store.exact_limit allows it: 35 ms of 384 dimensions, which
# is what Chroma needs to find as many among ten times as many. Its own filters take 350 ms for 50,000 chunks of
# 100,000.
_SCAN_AT_MOST = 10_000
# A search updates Chroma itself when it is no further behind than this (about a second); beyond, the writer does.
_FOLLOW_AT_MOST = 2_000

# Neighbours asked for, for each hit: the graph looks at as many candidates as it returns. On 100,000 MiniLM vectors of
# real texts recall@132 is 0.981 when 132 are asked for, 0.99 with three times as many, for 2 and 3.5 ms.
_NEIGHBOURS_PER_HIT = 3
# Chroma needs 100 ms for as many; comparing them all in the record does not take much longer and misses none.
_NEIGHBOURS_AT_MOST = 20_000
_MORE = 4

_BATCH = 10_000
_FILTERS_KEPT = 16


@dataclass(frozen=True, slots=True)
class Scored:
    """Rows with their cosines."""

    rows: RowNumbers
    scores: NDArray[np.float64]

    def best(self, limit: int) -> Scored:
        """The ``limit`` of highest score, best first, each row once."""
        rows, places = np.unique(self.rows, return_index=True)
        scores = self.scores[places]
        order = np.lexsort((rows, -scores))[:limit]
        return Scored(rows[order], scores[order])

    def join_with(self, other: Scored) -> Scored:
        """Both together."""
        return Scored(np.concatenate([self.rows, other.rows]), np.concatenate([self.scores, other.scores]))


NOTHING = Scored(np.empty(0, np.int64), np.empty(0, np.float64))


def of_rows(db: sqlite3.Connection, generation: int, query: Vectors, rows: Sequence[int]) -> Scored:
    """Cosine of ``query`` with each of the rows that exist."""
    return _score_rows(
        db.execute(
            """SELECT v.row, v.vector FROM json_each(?) wanted
               CROSS JOIN vectors v ON v.row = wanted.value AND v.generation = ?""",
            (json.dumps(rows), generation),
        ),
        query,
    )


def of_intervals(
    db: sqlite3.Connection, generation: int, query: Vectors, intervals: Sequence[tuple[int, int]]
) -> Scored:
    """Cosine of ``query`` with each row that exists in one of the intervals, ends excluded."""
    return _score_rows(
        db.execute(
            """SELECT v.row, v.vector FROM json_each(?) wanted
               CROSS JOIN vectors v ON v.row >= wanted.value ->> 0 AND v.row < wanted.value ->> 1
                                   AND v.generation = ?""",
            (json.dumps(intervals), generation),
        ),
        query,
    )


def _score_rows(found: sqlite3.Cursor, query: Vectors) -> Scored:
    # In double precision: summed in whatever order, equal vectors then have equal scores.
    wide = query.astype(np.float64)
    parts = [Scored(rows, cosine_scores(vectors @ wide)) for rows, vectors in _read_batches(found, len(query))]
    if not parts:
        return NOTHING
    return Scored(np.concatenate([part.rows for part in parts]), np.concatenate([part.scores for part in parts]))


def _read_batches(found: sqlite3.Cursor, dimension: int) -> Iterator[tuple[RowNumbers, NDArray[np.float64]]]:
    while batch := found.fetchmany(_BATCH):
        rows = np.fromiter((row for row, _ in batch), np.int64, len(batch))
        halves = np.frombuffer(b"".join(vector for _, vector in batch), np.float16)
        # By way of single precision, which is twice as fast.
        yield rows, halves.astype(np.float32).astype(np.float64).reshape(len(batch), dimension)


@dataclass(frozen=True, slots=True)
class Selection:
    """Intervals of rows in ascending order, ``ends`` excluded."""

    starts: RowNumbers
    ends: RowNumbers

    @property
    def count(self) -> int:
        """How many rows there are."""
        return int((self.ends - self.starts).sum())

    @property
    def intervals(self) -> list[tuple[int, int]]:
        """As pairs, ends excluded."""
        return list(zip(self.starts.tolist(), self.ends.tolist(), strict=True))

    def has(self, rows: RowNumbers) -> NDArray[np.bool_]:
        """Which of ``rows`` are selected."""
        place = np.searchsorted(self.starts, rows, side="right") - 1
        return (place >= 0) & (rows < self.ends[place]) if len(self.starts) else np.zeros(len(rows), np.bool_)


class Selections:
    """Works out selections; the last ones are cached while the record does not change."""

    def __init__(self) -> None:
        self._mutex = threading.Lock()
        self._kept: OrderedDict[tuple[Filter, int], Selection] = OrderedDict()
        self._total = (-1, 0)

    def of(self, db: RecordConnection, filter: Filter) -> Selection:
        """The rows that ``filter`` selects at the moment of the read transaction ``db``."""
        key = (filter, change_log.latest_sequence(db))
        with self._mutex:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        found = np.asarray(sorted(record.matching_rows(db, filter)), np.int64).reshape(-1, 2)
        selection = _join_intervals(found[:, 0], found[:, 0] + found[:, 1])
        with self._mutex:
            self._kept[key] = selection
            while len(self._kept) > _FILTERS_KEPT:
                self._kept.popitem(last=False)
        return selection

    def everything(self, db: RecordConnection) -> int:
        """How many searchable chunks there are, of all tenants."""
        sequence = change_log.latest_sequence(db)
        known, total = self._total
        if known != sequence:
            total = int(db.execute("SELECT coalesce(sum(chunks), 0) FROM documents").fetchone()[0])
            self._total = (sequence, total)
        return total


def _join_intervals(starts: RowNumbers, ends: RowNumbers) -> Selection:
    """Neighbours made one, so that a selection of everything is a few long intervals."""
    if not len(starts):
        return Selection(starts, ends)
    is_first = np.concatenate([[True], starts[1:] != ends[:-1]])
    is_last = np.concatenate([is_first[1:], [True]])
    return Selection(starts[is_first], ends[is_last])


@dataclass(frozen=True, slots=True)
class Moment:
    """The record at one moment: an open read transaction, and how far it is."""

    db: RecordConnection
    position: Position
    chunks: int
    """Searchable ones, of all tenants."""


class Search:
    """Rows for one query; lives as long as the read transaction of its moment."""

    def __init__(
        self, vectors: ChromaVectors, connections: Connections, moment: Moment, followed: Followed, query: Vectors
    ) -> None:
        self._vectors = vectors
        self._connections = connections
        self._moment = moment
        self._followed = followed
        self._query = query

    def exactly(self, selection: Selection) -> Scored:
        """Every selected row, compared with the query."""
        return of_intervals(self._moment.db, self._followed.generation, self._query, selection.intervals)

    def best(self, limit: int, selection: Selection | None) -> Scored:
        """The ``limit`` best rows, those of the record and of ``selection`` only, best first."""
        new = self._score_above(self._followed.position.high_row, selection)
        return (
            self._search_chroma(limit, selection, new)
            .join_with(new)
            .join_with(self._score_lost_rows(selection))
            .best(limit)
        )

    def _search_chroma(self, limit: int, selection: Selection | None, new: Scored) -> Scored:
        collection = self._followed.collection
        known = self._moment.chunks - len(new.rows)
        if collection is None or known <= 0:
            return NOTHING
        share = 1.0 if selection is None else selection.count / self._moment.chunks
        wanted = _NEIGHBOURS_PER_HIT * limit
        asked = int(wanted / share) + 1
        while asked <= _NEIGHBOURS_AT_MOST:
            rows = self._vectors.nearest(collection, self._query, asked)
            chosen = rows if selection is None else rows[selection.has(rows)]
            scored = self._score_rows(chosen[:wanted])
            if len(rows) < min(asked, known):
                break
            if len(scored.rows) >= limit or len(rows) < asked:
                return scored
            asked *= _MORE
        # What is selected lies too far from the query, or the graph cannot reach all it has.
        return self._score_above(0, selection)

    def _score_rows(self, rows: RowNumbers) -> Scored:
        return of_rows(self._moment.db, self._followed.generation, self._query, rows.tolist())

    def _score_above(self, high_row: int, selection: Selection | None) -> Scored:
        """The rows above ``high_row``."""
        if selection is None:
            return self._score_intervals([(high_row + 1, self._moment.position.high_row + 1)])
        return self._score_intervals(
            [(max(start, high_row + 1), end) for start, end in selection.intervals if end > high_row + 1]
        )

    def _score_lost_rows(self, selection: Selection | None) -> Scored:
        """Rows that were removed after the moment, which Chroma may have lost already."""
        with self._connections.read() as later:
            removed = change_log.removed_since(later, self._moment.position)
        scored = self._score_intervals([(first, last + 1) for first, last in removed])
        if selection is None or not len(scored.rows):
            return scored
        chosen = selection.has(scored.rows)
        return Scored(scored.rows[chosen], scored.scores[chosen])

    def _score_intervals(self, intervals: Sequence[tuple[int, int]]) -> Scored:
        if not any(start < end for start, end in intervals):
            return NOTHING
        return of_intervals(self._moment.db, self._followed.generation, self._query, intervals)


class ChromaLeg:
    """Cosine similarity over one record, for vectors of the model it was opened with; a ``DenseSearch``."""

    def __init__(self, chroma: Chroma, record: OpenRecord) -> None:
        self.generation: Generation = record.generation
        self._chroma = chroma
        self._home = record.layout.home
        self._connections = record.connections
        self._lock = record.index_lock
        self._names = record.names
        self._vectors = ChromaVectors(chroma, record)
        self._selections = Selections()
        self._scan_limit = min(record.settings.exact_limit, _SCAN_AT_MOST)
        self._is_behind = False

    def hits(self, vector: Vectors, k: int, filter: Filter, floor: float | None) -> list[Hit]:
        query = self._check_query(vector)
        try:
            hits = self._search_hits(query, k, filter)
        except CollectionGone:
            hits = self._search_hits(query, k, filter)
        return hits if floor is None else [hit for hit in hits if hit.score >= floor]

    def similarities(self, vector: Vectors, chunk_ids: Sequence[str]) -> dict[str, float]:
        """Cosine of each named chunk that exists, from the record."""
        query = self._check_query(vector)
        with self._connections.read() as db:
            self._check_model(db)
            ids = self._names.rows(db, chunk_ids)
            scored = of_rows(db, self.generation.number, query, list(ids))
        return {ids[row]: score for row, score in _score_pairs(scored)}

    def vectors(self, chunk_ids: Sequence[str]) -> Vectors:
        """From the record."""
        with self._connections.read() as db:
            stored = record.stored_vectors(db, self.generation, self._names.rows(db, chunk_ids))
        return select_vectors(stored, chunk_ids)

    def check_ready(self) -> None:
        with self._chroma.using() as client:
            client.heartbeat()

    def keep_up(self) -> None:
        self._vectors.catch_up(self.generation)

    renew = keep_up

    def examine(self) -> tuple[list[str], dict[str, str]]:
        with self._connections.read() as db:
            now = change_log.read_position(db)
            expected = count_searchable(db)
        self._vectors.forget()
        try:
            followed = self._vectors.fetch_progress(self.generation, now)
            count, version = self._vectors.count(self.generation), self._vectors.version()
        except StoreError as error:
            return [str(error)], {}
        facts = {
            "vector index": f"Chroma {version} in {self._chroma.place}, {count} chunks, "
            f"followed up to change {followed.position.sequence}"
        }
        if followed.collection is None and expected:
            return [f"Chroma in {self._chroma.place} lacks the vectors of {self._home}"], facts
        if followed.position == now and count != expected:
            return [f"Chroma in {self._chroma.place} holds {count} chunks, the record {expected}"], facts
        return [], facts

    def rebuild(self) -> None:
        self._vectors.discard()
        self._vectors.catch_up(self.generation)

    def close(self) -> None:
        self._chroma.close()

    def _search_hits(self, query: Vectors, k: int, filter: Filter) -> list[Hit]:
        self._follow_record()
        with self._connections.read() as db:
            self._check_model(db)
            moment = Moment(db, change_log.read_position(db), self._selections.everything(db))
            followed = self._vectors.fetch_progress(self.generation, moment.position)
            search = Search(self._vectors, self._connections, moment, followed, query)
            selection = self._select_rows(db, filter)
            scanned = None
            if selection is not None and selection.count <= self._scan_limit:
                scanned = search.exactly(selection)

            def fetch(limit: int) -> list[tuple[int, float]]:
                return _score_pairs(scanned.best(limit) if scanned else search.best(limit, selection))

            return top_hits(fetch, lambda rows: self._names.ids(db, rows, filter.tenant), k)

    def _select_rows(self, db: RecordConnection, filter: Filter) -> Selection | None:
        effective = simplify_filter(db, filter)
        if effective.is_unrestricted and record.only_tenant(db) == filter.tenant:
            return None
        return self._selections.of(db, effective)

    def _follow_record(self) -> None:
        """Update Chroma if that is quick and no one else is writing; searches cover the rest."""
        if self._lock is None:
            return
        with self._connections.read() as db:
            now = change_log.read_position(db)
            followed = self._vectors.fetch_progress(self.generation, now)
            behind = change_log.rows_since(db, followed.position)
        if followed.position == now:
            return
        if behind <= _FOLLOW_AT_MOST:
            with self._lock.try_hold() as held:
                if held:
                    self._vectors.catch_up(self.generation)
        elif not self._is_behind:
            self._is_behind = True
            _logger.warning(
                "Chroma in %s is %d chunks behind %s, which searches compare one by one: if nothing is being added, "
                "run `ascertain doctor --repair`",
                self._chroma.place,
                behind,
                self._home,
            )

    def _check_query(self, vector: Vectors) -> Vectors:
        query = query_vector(vector, self.generation.dimension)
        if query is None:
            raise mismatch_error(self._home, self.generation, "the query's model", np.size(vector))
        return query

    def _check_model(self, db: RecordConnection) -> None:
        """Another process may have moved the record to another model since it was opened."""
        now = find_active(db)
        if now is not None and now.number != self.generation.number:
            raise mismatch_error(self._home, now, self.generation.model, self.generation.dimension)


def _score_pairs(scored: Scored) -> list[tuple[int, float]]:
    return list(zip(scored.rows.tolist(), scored.scores.tolist(), strict=True))


def open_chroma(
    settings: StoreSettings, home: Path, embedder_name: str, dimension: int, *, create: bool = True
) -> EmbeddedStore:
    """The store with its record in ``home`` and its vectors in Chroma: at ``store.url``, or without one in ``home``.

    Raises what ``open_embedded`` raises, MissingExtra without chromadb, and StoreError when Chroma cannot be used.
    """
    chroma = Chroma(settings, home)
    try:
        if chroma.folder is None:
            with chroma.using() as client:
                client.heartbeat()
        wanted = Generation(0, embedder_name, dimension)
        return open_record(settings, home, wanted, create, search=lambda record: ChromaLeg(chroma, record))
    except BaseException:
        chroma.close()
        raise
