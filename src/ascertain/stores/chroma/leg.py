"""Searching by meaning with Chroma, as the embedded store asks for it."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from ascertain.core.errors import StoreError
from ascertain.core.passages import Filter, Hit
from ascertain.core.settings import StoreSettings
from ascertain.stores.chroma import search
from ascertain.stores.chroma.search import Moment, Scored, Search, Selection, Selections
from ascertain.stores.chroma.server import Chroma, CollectionGone
from ascertain.stores.chroma.vectors import ChromaVectors
from ascertain.stores.embedded import change_log, record
from ascertain.stores.embedded.connections import OpenRecord
from ascertain.stores.embedded.dialect import RecordConnection
from ascertain.stores.embedded.opening import open_record
from ascertain.stores.embedded.store import EmbeddedStore
from ascertain.stores.ports import Vectors
from ascertain.stores.preparation import Generation, mismatch_error, query_vector, top_hits
from ascertain.stores.relational.reads import simplify_filter
from ascertain.stores.relational.reembedding import find_active
from ascertain.stores.relational.store import count_searchable

_logger = logging.getLogger("ascertain.stores")

# Up to so many selected chunks are compared one by one, if store.exact_limit allows it: 35 ms of 384 dimensions, which is
# what Chroma needs to find as many among ten times as many. Its own filters take 350 ms for 50,000 chunks of 100,000.
_SCAN_AT_MOST = 10_000
# A search brings Chroma up itself when it is no further behind than this (about a second); beyond, the writer does.
_FOLLOW_AT_MOST = 2_000


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
        """The ``k`` best chunks among those the filter allows, with at least ``floor``."""
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
            scored = search.of_rows(db, self.generation.number, query, list(ids))
        return {ids[row]: score for row, score in _score_pairs(scored)}

    def check_ready(self) -> None:
        """Raise StoreError when Chroma is away."""
        with self._chroma.using() as client:
            client.heartbeat()

    def keep_up(self) -> None:
        """Bring Chroma up to the record."""
        self._vectors.catch_up(self.generation)

    def renew(self) -> None:
        """Bring Chroma up to the record."""
        self._vectors.catch_up(self.generation)

    def examine(self) -> tuple[list[str], dict[str, str]]:
        """Whether Chroma can be used, and holds what the record has."""
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
        """Delete what Chroma has of this record and write it again."""
        self._vectors.discard()
        self._vectors.catch_up(self.generation)

    def close(self) -> None:
        """Disconnect."""
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
        """Bring Chroma up if that is quickly done and nobody else is writing; a search makes up for the rest."""
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
        return open_record(settings, home, wanted, create, lambda record: ChromaLeg(chroma, record))
    except BaseException:
        chroma.close()
        raise
