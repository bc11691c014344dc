"""The embedded chunk store: the record, its two derived indexes and the writer's lock put together."""

from __future__ import annotations

import logging
import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager

from ascertain.core.documents import Document
from ascertain.core.errors import AscertainError, StoreError
from ascertain.core.passages import Filter, Hit
from ascertain.core.profiling import CorpusProfile
from ascertain.core.status import HealthReport, StoreStats
from ascertain.stores.embedded import faults, health, record, reembedding
from ascertain.stores.embedded.connections import OpenRecord
from ascertain.stores.embedded.dialect import RecordConnection
from ascertain.stores.embedded.lexical.index import LexicalIndex
from ascertain.stores.embedded.lexical.leg import LexicalLeg
from ascertain.stores.embedded.tables import RecordDatabase
from ascertain.stores.embedded.vectors.leg import DenseSearch
from ascertain.stores.ports import IndexedDocument, Reembedding, Vectors
from ascertain.stores.preparation import Generation, mismatch_error, prepare_documents
from ascertain.stores.relational.reads import StoredVectors, read_stats
from ascertain.stores.relational.reembedding import find_active
from ascertain.stores.relational.store import TableChunkStore, insert_failure

_logger = logging.getLogger("ascertain.stores")

# During a long run of writes the word index is brought up after so many chunks or seconds, whichever is first.
_COMMIT_CHUNKS = 5_000
_COMMIT_SECONDS = 5.0


class EmbeddedStore(TableChunkStore[RecordConnection]):
    """A ``ChunkStore`` in one folder. Safe to use from several threads; made by ``opening.open_embedded``."""

    def __init__(self, record: OpenRecord, dense: DenseSearch) -> None:
        self._layout = record.layout
        self._connections = record.connections
        self._lock = record.lock
        self._chunks_uncommitted = 0
        self._last_commit = time.monotonic()
        # A process that was killed may have left vectors behind: the first run of writes of each takes them up too.
        self._may_be_behind = True
        words = LexicalIndex(record.layout.lexical, record.connections, record.identity)
        self._lexical = LexicalLeg(
            words, record.connections, record.index_lock, record.names, record.settings.title_boost
        )
        self._dense = dense
        record.lock.before_release = self._flush_indexes

    @contextmanager
    def writing(self) -> Generator[None]:
        """Hold the single writer's right; see the port."""
        if not self._lock.is_held:
            self._dense.check_ready()
        with self._hold_lock():
            yield

    def upsert(self, documents: Sequence[IndexedDocument]) -> None:
        """Write documents, all of a call in one transaction."""
        generation = self._dense.generation
        prepared = prepare_documents(documents)
        for document in prepared:
            width = document.vectors.shape[-1] if len(document.vectors) else generation.dimension
            if width != generation.dimension:
                raise mismatch_error(self._layout.home, generation, "the model in use", width)
        with self.writing():
            with self._connections.write() as db:
                self._check_generation(find_active(db))
                for document in prepared:
                    self._chunks_uncommitted += record.write_document(db, document, generation)
            self._commit_if_due()

    def mark_failed(self, document: Document, reason: str) -> None:
        """Record a failure."""
        with self.writing(), self._connections.write() as db:
            insert_failure(db, document, reason)

    def delete(self, filter: Filter) -> int:
        """Delete the documents the filter selects."""
        with self.writing():
            with self._connections.write() as db:
                deleted = record.delete_by_filter(db, filter)
            if deleted:
                self._commit_if_due()
        return deleted

    def dense(self, vector: Vectors, k: int, filter: Filter = Filter(), floor: float | None = None) -> list[Hit]:
        """Search by meaning."""
        with faults.translate_errors(self._layout.home):
            return self._dense.hits(vector, k, filter, floor)

    def lexical(self, terms: Mapping[str, float], k: int, filter: Filter = Filter()) -> list[Hit]:
        """Search by words."""
        with faults.translate_errors(self._layout.home):
            return self._lexical.hits(terms, k, filter)

    def similarities(self, vector: Vectors, chunk_ids: Sequence[str]) -> dict[str, float]:
        """Exact cosines of named chunks."""
        with faults.translate_errors(self._layout.home):
            return self._dense.similarities(vector, chunk_ids)

    def lexical_scores(self, terms: Mapping[str, float], chunk_ids: Sequence[str]) -> dict[str, float]:
        """BM25 of named chunks."""
        with faults.translate_errors(self._layout.home):
            return self._lexical.scores(terms, chunk_ids)

    def document_frequencies(self, terms: Sequence[str]) -> dict[str, int]:
        """In how many chunks each term occurs."""
        with faults.translate_errors(self._layout.home):
            return self._lexical.frequencies(terms)

    def fingerprint(self, filter: Filter = Filter()) -> str:
        """Of the searchable documents a filter selects."""
        with self.read_moment() as db:
            return record.compute_fingerprint(db, filter)

    def count(self, tenant: str = "default") -> int:
        """Searchable chunks of one tenant."""
        with self.read_moment() as db:
            return record.count_chunks(db, tenant)

    def stats(self, tenant: str = "default") -> StoreStats:
        """Counts and sizes."""
        with self.read_moment() as db:
            return read_stats(
                db, tenant, find_active(db), self._layout.bytes_on_disk(), record.corpus_profile(db, tenant)
            )

    def corpus_profile(self, tenant: str = "default") -> CorpusProfile:
        """What the searchable documents are made of."""
        with self.read_moment() as db:
            return record.corpus_profile(db, tenant)

    def check(self, repair: bool = False) -> HealthReport:
        """Look for damage; with ``repair`` rebuild the derived indexes that are wrong."""
        with faults.translate_errors(self._layout.home):
            examination = health.Examination(self._layout, self._connections, self._lexical, self._dense)
            if not repair:
                return examination.report()
            with self._hold_lock():
                return examination.repair_and_report()

    @contextmanager
    def reembed(self, embedder_name: str, dimension: int) -> Generator[Reembedding]:
        """Move to another model; holds the writer's lock throughout, searches go on."""
        with self.writing():
            with reembedding.run_reembedding(
                RecordDatabase(self._layout, self._connections), embedder_name, dimension
            ) as work:
                yield work
            with self._connections.read() as db:
                self._dense.generation = find_active(db) or self._dense.generation
            self._may_be_behind = True

    def close(self) -> None:
        """Release files and threads."""
        self._connections.close()
        self._lexical.index.abandon()
        self._dense.close()

    @contextmanager
    def read_moment(self) -> Generator[RecordConnection]:
        """A read transaction."""
        with faults.translate_errors(self._layout.home), self._connections.read() as db:
            yield db

    def read_vectors(self, db: RecordConnection, chunk_ids: Sequence[str]) -> StoredVectors:
        """Vectors of the model in use."""
        return record.stored_vectors(db, self._dense.generation, chunk_ids)

    @contextmanager
    def _hold_lock(self) -> Generator[None]:
        if self._connections.read_only:
            raise StoreError(f"{self._layout.home} is read-only: it can be searched but not changed")
        with faults.translate_errors(self._layout.home), self._lock.hold():
            yield

    def _check_generation(self, now: Generation | None) -> None:
        mine = self._dense.generation
        if now is None or now.number != mine.number:
            raise mismatch_error(self._layout.home, now or mine, mine.model, mine.dimension)

    def _commit_if_due(self) -> None:
        self._may_be_behind = True
        waited = time.monotonic() - self._last_commit
        if self._chunks_uncommitted >= _COMMIT_CHUNKS or waited >= _COMMIT_SECONDS:
            self._commit_words()
            self._dense.keep_up()

    def _commit_words(self) -> None:
        self._lexical.catch_up()
        self._chunks_uncommitted = 0
        self._last_commit = time.monotonic()

    def _flush_indexes(self, failed: bool) -> None:
        """Bring the derived indexes up before the lock is let go; after an error, only as far as that works."""
        try:
            self._commit_words()
            self._lexical.index.finish()
            if self._may_be_behind:
                self._dense.renew()
                self._may_be_behind = False
        except (AscertainError, OSError, RuntimeError, ValueError) as error:
            self._lexical.index.abandon()
            if not failed:
                raise self._flush_error(error) from error
            _logger.warning("the indexes of %s are behind (%s); the next use brings them up", self._layout.home, error)

    def _flush_error(self, error: Exception) -> Exception:
        if faults.is_disk_full(error):
            return faults.disk_full(self._layout.home)
        if isinstance(error, AscertainError):
            return error
        return StoreError(
            f"the indexes of {self._layout.home} could not be brought up: {error}; run `ascertain doctor`"
        )
