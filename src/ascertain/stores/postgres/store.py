"""The chunk store on PostgreSQL: the record, the vectors and the words put together."""

from __future__ import annotations

import threading
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager

from ascertain.core.documents import Document
from ascertain.core.filters import Filter
from ascertain.core.passages import Hit
from ascertain.core.profiling import CorpusProfile
from ascertain.stores.generations import Generation, mismatch
from ascertain.stores.ports import HealthReport, IndexedDocument, Reembedding, StoreStats, Vectors
from ascertain.stores.postgres import (
    faults,
    generations,
    health,
    reads,
    record,
    reembedding,
    tallies,
    upkeep,
)
from ascertain.stores.postgres.connections import Connection, Connections
from ascertain.stores.postgres.dense_leg import DenseLeg
from ascertain.stores.postgres.lexical_leg import LexicalLeg
from ascertain.stores.postgres.vector_search import stored_vectors
from ascertain.stores.prepared import Prepared, prepare
from ascertain.stores.relational.generations import find_active
from ascertain.stores.relational.reads import StoredVectors, read_stats
from ascertain.stores.relational.store import TableChunkStore


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
                with faults.translated(self._connections.place):
                    upkeep.finish_run(self._connections, self._dense.generation)
        finally:
            self._runs.depth = depth

    def upsert(self, documents: Sequence[IndexedDocument]) -> None:
        """Write documents, all of a call in one transaction."""
        mine = self._dense.generation
        prepared = prepare(documents)
        for document in prepared:
            width = document.vectors.shape[-1] if len(document.vectors) else mine.dimension
            if width != mine.dimension:
                raise mismatch(self._connections.place, mine, "the model in use", width)
        if prepared:
            with self.writing(), faults.translated(self._connections.place):
                self._connections.change(lambda db: self._put(db, prepared))

    def mark_failed(self, document: Document, reason: str) -> None:
        """Record a failure."""
        with faults.translated(self._connections.place):
            self._connections.change(lambda db: record.mark_failed(db, document, reason))

    def delete(self, filter: Filter) -> int:
        """Delete the documents the filter selects."""

        def work(db: Connection) -> int:
            generations.keep(db)
            return record.delete(db, filter)

        with faults.translated(self._connections.place):
            return self._connections.change(work)

    def dense(
        self, vector: Vectors, k: int, filter: Filter = Filter(), floor: float | None = None
    ) -> list[Hit]:
        """Search by meaning."""
        with faults.translated(self._connections.place):
            return self._dense.hits(vector, k, filter, floor)

    def lexical(self, terms: Mapping[str, float], k: int, filter: Filter = Filter()) -> list[Hit]:
        """Search by words."""
        with faults.translated(self._connections.place):
            return self._lexical.hits(terms, k, filter)

    def similarities(self, vector: Vectors, chunk_ids: Sequence[str]) -> dict[str, float]:
        """Exact cosines of named chunks."""
        with faults.translated(self._connections.place):
            return self._dense.similarities(vector, chunk_ids)

    def lexical_scores(self, terms: Mapping[str, float], chunk_ids: Sequence[str]) -> dict[str, float]:
        """BM25 of named chunks."""
        with faults.translated(self._connections.place):
            return self._lexical.scores(terms, chunk_ids)

    def document_frequencies(self, terms: Sequence[str]) -> dict[str, int]:
        """In how many chunks each term occurs."""
        with faults.translated(self._connections.place):
            return self._lexical.frequencies(terms)

    def fingerprint(self, filter: Filter = Filter()) -> str:
        """Of the searchable documents a filter selects."""
        with self.read_moment() as db:
            return reads.fingerprint(db, filter)

    def count(self, tenant: str = "default") -> int:
        """Searchable chunks of one tenant."""
        with self.read_moment() as db:
            return tallies.chunks(db, tenant)

    def stats(self, tenant: str = "default") -> StoreStats:
        """Counts and sizes."""
        with self.read_moment() as db:
            return read_stats(
                db, tenant, find_active(db), reads.bytes_on_disk(db), tallies.corpus_profile(db, tenant)
            )

    def corpus_profile(self, tenant: str = "default") -> CorpusProfile:
        """What the searchable documents are made of."""
        with self.read_moment() as db:
            return tallies.corpus_profile(db, tenant)

    def check(self, repair: bool = False) -> HealthReport:
        """Look for damage; with ``repair`` rebuild the indexes that are wrong."""
        with faults.translated(self._connections.place):
            examination = health.Examination(self._connections, self._dense.generation)
            return examination.repaired() if repair else examination.report()

    @contextmanager
    def reembed(self, embedder_name: str, dimension: int) -> Generator[Reembedding]:
        """Move to another model; searches and other writers go on."""
        with faults.translated(self._connections.place):
            with reembedding.reembedding(self._connections, embedder_name, dimension) as work:
                yield work
            with self._connections.read() as db:
                self._dense.generation = find_active(db) or self._dense.generation

    def close(self) -> None:
        """Close the connections."""
        self._connections.close()

    @contextmanager
    def read_moment(self) -> Generator[Connection]:
        """A read transaction."""
        with faults.translated(self._connections.place), self._connections.read() as db:
            yield db

    def read_vectors(self, db: Connection, chunk_ids: Sequence[str]) -> StoredVectors:
        """Vectors of the model in use; EmbeddingMismatch when another process has moved to another model."""
        self._dense.check_model(db)
        return stored_vectors(db, self._dense.generation, chunk_ids)

    def _put(self, db: Connection, documents: Sequence[Prepared]) -> None:
        generations.keep(db)
        self._dense.check_model(db)
        record.put(db, documents, self._dense.generation)
