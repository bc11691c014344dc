"""The chunk store on PostgreSQL: the record, the vectors and the words put together."""

from __future__ import annotations

import threading
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager

from ascertain.core.documents import Document
from ascertain.core.passages import Filter, Hit
from ascertain.core.profiling import CorpusProfile
from ascertain.core.status import HealthReport, StoreStats
from ascertain.stores.ports import IndexedDocument, Reembedding, Vectors
from ascertain.stores.postgres import faults, health, record, schema_database, tallies, vectors
from ascertain.stores.postgres.connections import Connection, Connections
from ascertain.stores.postgres.dialect import encode_sql, vector_table
from ascertain.stores.postgres.vectors import DenseLeg, stored_vectors
from ascertain.stores.postgres.words.search import LexicalLeg, settle_words
from ascertain.stores.preparation import Generation, Prepared, mismatch_error, prepare_documents
from ascertain.stores.relational.reads import StoredVectors, read_stats
from ascertain.stores.relational.reembedding import find_active
from ascertain.stores.relational.store import TableChunkStore

# The server looks for tables that have changed once a minute; the plans for one that has grown by half may be far off until
# then. Smaller tables are read whole whatever the plan.
_CHANGED_ROWS = 1_000
_CHANGED_SHARE = 0.5


def finish_run(connections: Connections, generation: Generation) -> None:
    """Bring up the index of words, the planner's statistics, and the graph over the vectors once there are enough for one.

    Whoever else builds the graph is not waited for.
    """
    connections.change(settle_words)
    with connections.read() as db:
        tables = _changed_tables(db, generation)
        is_due = vectors.is_due(db, generation, connections.settings)
    if tables:
        with connections.alone() as db:
            db.execute(encode_sql(f"ANALYZE (SKIP_LOCKED) {', '.join(tables)}"))
    if is_due:
        vectors.build_graph(connections, generation)


def _changed_tables(db: Connection, generation: Generation) -> list[str]:
    found = db.execute(
        """SELECT s.relname::text FROM pg_stat_user_tables s JOIN pg_class c ON c.oid = s.relid
           WHERE s.schemaname = current_schema() AND s.relname = ANY(%s)
             AND s.n_mod_since_analyze > greatest(%s, %s * c.reltuples) ORDER BY s.relname""",
        (["documents", "chunks", vector_table(generation)], _CHANGED_ROWS, _CHANGED_SHARE),
    )
    return [name for (name,) in found]


class PostgresStore(TableChunkStore[Connection]):
    """A ``ChunkStore`` in one schema of a database. Safe to use from several threads; made by ``opening.open_postgres``."""

    def __init__(self, connections: Connections, generation: Generation) -> None:
        self._connections = connections
        self._dense = DenseLeg(connections, generation)
        self._lexical = LexicalLeg(connections, connections.settings.title_boost)
        self._runs = threading.local()

    @contextmanager
    def writing(self) -> Generator[None]:
        """A run of writes, beside those of others; the indexes are brought up at the end of it."""
        depth = getattr(self._runs, "depth", 0)
        self._runs.depth = depth + 1
        try:
            yield
            if depth == 0:
                with faults.translate_errors(self._connections.place):
                    finish_run(self._connections, self._dense.generation)
        finally:
            self._runs.depth = depth

    def upsert(self, documents: Sequence[IndexedDocument]) -> None:
        """Write documents, all of a call in one transaction."""
        mine = self._dense.generation
        prepared = prepare_documents(documents)
        for document in prepared:
            width = document.vectors.shape[-1] if len(document.vectors) else mine.dimension
            if width != mine.dimension:
                raise mismatch_error(self._connections.place, mine, "the model in use", width)
        if prepared:
            with self.writing(), faults.translate_errors(self._connections.place):
                self._connections.change(lambda db: self._write_documents(db, prepared))

    def mark_failed(self, document: Document, reason: str) -> None:
        """Record a failure."""
        with faults.translate_errors(self._connections.place):
            self._connections.change(lambda db: record.write_failure(db, document, reason))

    def delete(self, filter: Filter) -> int:
        """Delete the documents the filter selects."""

        def work(db: Connection) -> int:
            vectors.hold_generations(db)
            return record.delete_by_filter(db, filter)

        with faults.translate_errors(self._connections.place):
            return self._connections.change(work)

    def dense(self, vector: Vectors, k: int, filter: Filter = Filter(), floor: float | None = None) -> list[Hit]:
        """Search by meaning."""
        with faults.translate_errors(self._connections.place):
            return self._dense.hits(vector, k, filter, floor)

    def lexical(self, terms: Mapping[str, float], k: int, filter: Filter = Filter()) -> list[Hit]:
        """Search by words."""
        with faults.translate_errors(self._connections.place):
            return self._lexical.hits(terms, k, filter)

    def similarities(self, vector: Vectors, chunk_ids: Sequence[str]) -> dict[str, float]:
        """Exact cosines of named chunks."""
        with faults.translate_errors(self._connections.place):
            return self._dense.similarities(vector, chunk_ids)

    def lexical_scores(self, terms: Mapping[str, float], chunk_ids: Sequence[str]) -> dict[str, float]:
        """BM25 of named chunks."""
        with faults.translate_errors(self._connections.place):
            return self._lexical.scores(terms, chunk_ids)

    def document_frequencies(self, terms: Sequence[str]) -> dict[str, int]:
        """In how many chunks each term occurs."""
        with faults.translate_errors(self._connections.place):
            return self._lexical.frequencies(terms)

    def fingerprint(self, filter: Filter = Filter()) -> str:
        """Of the searchable documents a filter selects."""
        with self.read_moment() as db:
            return record.compute_fingerprint(db, filter)

    def count(self, tenant: str = "default") -> int:
        """Searchable chunks of one tenant."""
        with self.read_moment() as db:
            return tallies.count_chunks(db, tenant)

    def stats(self, tenant: str = "default") -> StoreStats:
        """Counts and sizes."""
        with self.read_moment() as db:
            return read_stats(db, tenant, find_active(db), record.bytes_on_disk(db), tallies.corpus_profile(db, tenant))

    def corpus_profile(self, tenant: str = "default") -> CorpusProfile:
        """What the searchable documents are made of."""
        with self.read_moment() as db:
            return tallies.corpus_profile(db, tenant)

    def check(self, repair: bool = False) -> HealthReport:
        """Look for damage; with ``repair`` rebuild the indexes that are wrong."""
        with faults.translate_errors(self._connections.place):
            examination = health.Examination(self._connections, self._dense.generation)
            return examination.repair_and_report() if repair else examination.report()

    @contextmanager
    def reembed(self, embedder_name: str, dimension: int) -> Generator[Reembedding]:
        """Move to another model; searches and other writers go on."""
        with faults.translate_errors(self._connections.place):
            with schema_database.run_reembedding(self._connections, embedder_name, dimension) as work:
                yield work
            with self._connections.read() as db:
                self._dense.generation = find_active(db) or self._dense.generation

    def close(self) -> None:
        """Close the connections."""
        self._connections.close()

    @contextmanager
    def read_moment(self) -> Generator[Connection]:
        """A read transaction."""
        with faults.translate_errors(self._connections.place), self._connections.read() as db:
            yield db

    def read_vectors(self, db: Connection, chunk_ids: Sequence[str]) -> StoredVectors:
        """Vectors of the model in use; EmbeddingMismatch when another process has moved to another model."""
        self._dense.check_model(db)
        return stored_vectors(db, self._dense.generation, chunk_ids)

    def _write_documents(self, db: Connection, documents: Sequence[Prepared]) -> None:
        vectors.hold_generations(db)
        self._dense.check_model(db)
        record.write_documents(db, documents, self._dense.generation)
