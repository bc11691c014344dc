"""The embedded chunk store: the record, two derived indexes and the writer's lock together, and their check."""

import logging
import shutil
import threading
import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager

from ascertain.core.asking.passages import Filter, Hit
from ascertain.core.documents.documents import Chunk, Document
from ascertain.core.documents.profiling import CorpusProfile
from ascertain.core.errors import AscertainError, StoreError
from ascertain.core.service.status import HealthReport, StoreStats
from ascertain.stores.embedded import change_log, faults, record, schema
from ascertain.stores.embedded.change_log import read_state
from ascertain.stores.embedded.connections import Connections
from ascertain.stores.embedded.dialect import RecordConnection
from ascertain.stores.embedded.home import Layout
from ascertain.stores.embedded.lexical.index import LexicalIndex
from ascertain.stores.embedded.lexical.leg import LexicalLeg
from ascertain.stores.embedded.record import KeptChunks, OpenRecord
from ascertain.stores.embedded.tables import RecordDatabase
from ascertain.stores.embedded.vectors.leg import DenseSearch
from ascertain.stores.ports.chunks import IndexedDocument, Reembedding, Vectors
from ascertain.stores.records.documents import check_dimension, prepare_documents
from ascertain.stores.records.rows import DAMAGE_REMEDY
from ascertain.stores.records.vectors import Generation, mismatch_error
from ascertain.stores.relational.reads import StoredVectors, read_stats
from ascertain.stores.relational.reembedding import (
    TableReembedding,
    add_generation,
    find_active,
    switch_generation,
    take_up_move,
)
from ascertain.stores.relational.store import (
    TableChunkStore,
    count_searchable,
    describe_record,
    fetch_chunks,
    find_chunk_problems,
    find_text_problems,
    insert_failure,
)

_logger = logging.getLogger("ascertain.stores")

# During a long run of writes the word index is brought up after so many chunks or seconds, whichever is first.
_COMMIT_CHUNKS = 5_000
_COMMIT_SECONDS = 5.0


class EmbeddedStore(TableChunkStore[RecordConnection]):
    """A ``ChunkStore`` in one folder. Safe to use from several threads; made by ``opening.open_embedded_store``."""

    def __init__(self, record: OpenRecord, dense: DenseSearch) -> None:
        self._layout = record.layout
        self._connections = record.connections
        self._lock = record.lock
        self._names = record.names
        self._kept = KeptChunks()
        self._chunks_uncommitted = 0
        self._last_commit = time.monotonic()
        self._counted: dict[
            str, tuple[int, int]
        ] = {}  # by tenant: the change that it was counted after, and the number
        # A process that was killed may have left vectors behind: the first run of writes of each takes them up too.
        self._may_be_behind = True
        words = LexicalIndex(record.layout.lexical, record.connections, record.identity)
        self._runs = threading.local()
        self._lexical = LexicalLeg(
            words, record.connections, record.index_lock, record.names, record.settings.title_boost
        )
        self._dense = dense
        record.lock.before_release = self._flush_indexes

    @contextmanager
    def writing(self) -> Generator[None]:
        if not self._lock.is_held:
            self._dense.check_ready()
        is_outermost = not getattr(self._runs, "depth", 0)
        with self._hold_lock():
            self._runs.depth = 1
            try:
                yield
            finally:
                self._runs.depth = 0 if is_outermost else 1
            if is_outermost and self._lock.writers > 1 and self._chunks_uncommitted:
                # the run that continues writing updates the indexes at the end; what this run wrote is found from now on
                self._commit_words()

    def upsert(self, documents: Sequence[IndexedDocument]) -> None:
        """Write documents, all of a call in one transaction."""
        generation = self._dense.generation
        prepared = prepare_documents(documents)
        check_dimension(prepared, generation, self._layout.home)
        with self.writing():
            with self._connections.write() as db:
                self._check_generation(find_active(db))
                for document in prepared:
                    self._chunks_uncommitted += record.write_document(db, document, generation)
            self._commit_if_due()

    def mark_failed(self, document: Document, reason: str) -> None:
        with self.writing(), self._connections.write() as db:
            insert_failure(db, document, reason)

    def delete(self, filter: Filter) -> int:
        with self.writing():
            with self._connections.write() as db:
                deleted = record.delete_by_filter(db, filter)
            if deleted:
                self._commit_if_due()
        return deleted

    def get(self, chunk_ids: Sequence[str]) -> list[Chunk]:
        with self.read_moment() as db:
            sequence = change_log.latest_sequence(db)
            found = self._kept.find(sequence, chunk_ids)
            if missing := [chunk_id for chunk_id in chunk_ids if chunk_id not in found]:
                read = fetch_chunks(db, missing)
                self._kept.keep(sequence, read)
                found |= read
        return [found[chunk_id] for chunk_id in chunk_ids if chunk_id in found]

    def dense(self, vector: Vectors, k: int, filter: Filter = Filter(), floor: float | None = None) -> list[Hit]:
        with faults.translate_errors(self._layout.home):
            return self._dense.hits(vector, k, filter, floor)

    def lexical(self, terms: Mapping[str, float], k: int, filter: Filter = Filter()) -> list[Hit]:
        with faults.translate_errors(self._layout.home):
            return self._lexical.hits(terms, k, filter)

    def similarities(self, vector: Vectors, chunk_ids: Sequence[str]) -> dict[str, float]:
        with faults.translate_errors(self._layout.home):
            return self._dense.similarities(vector, chunk_ids)

    def vectors(self, chunk_ids: Sequence[str]) -> Vectors:
        with faults.translate_errors(self._layout.home):
            return self._dense.vectors(chunk_ids)

    def lexical_scores(self, terms: Mapping[str, float], chunk_ids: Sequence[str]) -> dict[str, float]:
        with faults.translate_errors(self._layout.home):
            return self._lexical.scores(terms, chunk_ids)

    def document_frequencies(self, terms: Sequence[str]) -> dict[str, int]:
        with faults.translate_errors(self._layout.home):
            return self._lexical.frequencies(terms)

    def read_model(self) -> tuple[str, int] | None:
        with self.read_moment() as db:
            schema.check_schema(db, self._layout.home)
            generation = find_active(db)
        return None if generation is None else (generation.model, generation.dimension)

    def fingerprint(self, filter: Filter = Filter()) -> str:
        with self.read_moment() as db:
            return record.compute_fingerprint(db, filter)

    def count(self, tenant: str = "default") -> int:
        with self.read_moment() as db:
            # Every search asks three times, and counting 10,000 documents takes 2 ms: as long as nothing changes, the number stays.
            sequence = change_log.latest_sequence(db)
            counted, number = self._counted.get(tenant, (-1, 0))
            if counted != sequence:
                number = record.count_chunks(db, tenant)
                self._counted[tenant] = sequence, number
            return number

    def stats(self, tenant: str = "default") -> StoreStats:
        with self.read_moment() as db:
            return read_stats(
                db, tenant, find_active(db), self._layout.bytes_on_disk(), corpus=record.corpus_profile(db, tenant)
            )

    def corpus_profile(self, tenant: str = "default") -> CorpusProfile:
        with self.read_moment() as db:
            return record.corpus_profile(db, tenant)

    def check(self, repair: bool = False) -> HealthReport:
        with faults.translate_errors(self._layout.home):
            examination = Examination(self._layout, self._connections, self._lexical, self._dense)
            if not repair:
                return examination.report()
            with self._hold_lock():
                return examination.repair_and_report()

    @contextmanager
    def reembed(self, embedder_name: str, dimension: int) -> Generator[Reembedding]:
        """Move to another model; holds the writer's lock throughout, searches go on."""
        with self.writing():
            with run_reembedding(RecordDatabase(self._layout, self._connections), embedder_name, dimension) as work:
                yield work
            with self._connections.read() as db:
                self._dense.generation = find_active(db) or self._dense.generation
            self._may_be_behind = True

    def close(self) -> None:
        self._connections.close()
        self._lexical.index.abandon()
        self._dense.close()

    @contextmanager
    def read_moment(self) -> Generator[RecordConnection]:
        with faults.translate_errors(self._layout.home), self._connections.read() as db:
            yield db

    def read_vectors(self, db: RecordConnection, chunk_ids: Sequence[str]) -> StoredVectors:
        """Vectors of the model in use."""
        return record.stored_vectors(db, self._dense.generation, self._names.rows(db, chunk_ids))

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
        """Update the derived indexes before the lock is released; after an error, only as far as that works."""
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


# Old vectors are deleted in transactions of this many, so that none holds the record for long.
_CLEAN_BATCH = 50_000


@contextmanager
def run_reembedding(database: RecordDatabase, model: str, dimension: int) -> Generator[TableReembedding]:
    """Take up or begin a move to ``model``; switch over at the end, if every chunk has its vector.

    Raises StoreError when some have none. After any error the old vectors stay in use and what was put is kept.
    """
    connections = database.connections
    with connections.write() as db:
        generation = take_up_move(db, model, dimension, add_generation)
    yield TableReembedding(database, generation)
    with connections.write() as db:
        switch_generation(db, generation, database.place)
        change_log.append_change(db, "embed", 0, 0)
    free_retired_vectors(connections)


def free_retired_vectors(connections: Connections) -> None:
    """Free the vectors of models that are no longer used."""
    while True:
        with connections.write() as db:
            if not record.has_retired_vectors(db) or record.delete_retired_vectors(db, _CLEAN_BATCH) < _CLEAN_BATCH:
                return


_LOW_DISK_BYTES = 200_000_000


class Examination:
    """Compares the derived indexes with the record of one home."""

    def __init__(self, layout: Layout, connections: Connections, lexical: LexicalLeg, dense: DenseSearch) -> None:
        self._layout = layout
        self._connections = connections
        self._lexical = lexical
        self._dense = dense

    def report(self) -> HealthReport:
        """What is wrong now, and the facts."""
        with self._connections.read() as db:
            problems = _record_problems(db)
            facts = _record_facts(db)
        words, words_facts = self._word_index()
        vectors, vectors_facts = self._dense.examine()
        free = shutil.disk_usage(self._layout.home).free
        if free < _LOW_DISK_BYTES:
            problems.append(f"only {free // 1_000_000} MB are free in {self._layout.home}: free some space")
        facts |= words_facts | vectors_facts | {"free space": f"{free / 1e9:.1f} GB"}
        return HealthReport((*problems, *words, *vectors), facts)

    def repair_and_report(self) -> HealthReport:
        """Rebuild what is wrong and report again; the caller holds the writer's lock."""
        free_retired_vectors(self._connections)
        words, _ = self._word_index()
        vectors, _ = self._dense.examine()
        if words:
            self._lexical.index.discard()
        self._lexical.catch_up()
        self._lexical.index.finish()
        if vectors:
            self._dense.rebuild()
        else:
            self._dense.renew()
        after = self.report()
        repaired = "; ".join((*words, *vectors))
        return HealthReport(after.problems, {**after.facts, "repaired": repaired} if repaired else after.facts)

    def _word_index(self) -> tuple[list[str], dict[str, str]]:
        index = self._lexical.index
        damage = index.damage(read_state(self._layout.lexical), thorough=True)
        expected = self._count_chunks()
        if damage:
            if not expected and not self._layout.lexical.exists():
                return [], {"word index": "empty"}
            return [f"the word index cannot be used: {damage}"], {}
        index.load()
        facts = {"word index": f"{index.count()} chunks, change {index.position.sequence}"}
        if index.position.sequence == self._fetch_sequence() and index.count() != expected:
            return [f"the word index holds {index.count()} chunks, the record {expected}"], facts
        return [], facts

    def _count_chunks(self) -> int:
        with self._connections.read() as db:
            return count_searchable(db)

    def _fetch_sequence(self) -> int:
        with self._connections.read() as db:
            return change_log.latest_sequence(db)


def _record_problems(db: RecordConnection) -> list[str]:
    # not quick_check: an index that has lost a row hides a document from some questions and shows it to others
    found = [message for (message,) in db.execute("PRAGMA integrity_check(10)") if message != "ok"]
    problems = [f"the record is damaged: {message}" for message in found]
    if found:
        problems.append(f"what to do about the damaged record: {DAMAGE_REMEDY}")
        return problems
    orphans = db.execute("PRAGMA foreign_key_check").fetchall()
    if orphans:
        problems.append(f"the record has {len(orphans)} rows that belong to nothing, the first in {orphans[0][0]}")
    problems += find_chunk_problems(db, find_active(db) or Generation(0, "", 0))
    return [*problems, *find_text_problems(db)]


def _record_facts(db: RecordConnection) -> dict[str, str]:
    facts = describe_record(db, find_active(db))
    version = db.execute("SELECT sqlite_version()").fetchone()[0]
    return {
        **facts,
        "record": f"{facts['record']}, change {change_log.latest_sequence(db)}",
        "schema": f"version {schema.stored_schema(db)}, SQLite {version}",
    }
