"""The chunk store on PostgreSQL: the record, the vectors and the words put together."""

from __future__ import annotations

import threading
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial

from ascertain.core.chunks import Chunk
from ascertain.core.documents import Document, DocumentRecord
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
from ascertain.stores.relational.reads import (
    export_documents,
    fetch_chunks,
    fetch_document,
    fetch_neighbours,
    find_similar,
    list_documents,
    list_known,
    list_tenants,
    read_stats,
    select_vectors,
    stream_chunks,
)


class PostgresStore:
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

    def get(self, chunk_ids: Sequence[str]) -> list[Chunk]:
        """The chunks that exist, in the order asked."""
        with self._reading() as db:
            return fetch_chunks(db, chunk_ids)

    def neighbours(self, chunk_id: str, before: int, after: int) -> list[Chunk]:
        """Chunks around one."""
        with self._reading() as db:
            return fetch_neighbours(db, chunk_id, before, after)

    def vectors(self, chunk_ids: Sequence[str]) -> Vectors:
        """Stored vectors, float16 precision, in the order asked."""
        with faults.translated(self._connections.place):
            return select_vectors(self._dense.stored(chunk_ids), chunk_ids)

    def document(self, document_id: str) -> Document | None:
        """A document with its text."""
        with self._reading() as db:
            return fetch_document(db, document_id)

    def export(self, document_ids: Sequence[str]) -> list[IndexedDocument]:
        """Whole documents."""
        with self._reading() as db:
            self._dense.check_model(db)
            return export_documents(db, document_ids, partial(stored_vectors, db, self._dense.generation))

    def tenants(self) -> list[str]:
        """Everyone who has a document."""
        with self._reading() as db:
            return list_tenants(db)

    def documents(self, filter: Filter = Filter()) -> list[DocumentRecord]:
        """Records of documents in every state."""
        with self._reading() as db:
            return list_documents(db, filter)

    def fingerprint(self, filter: Filter = Filter()) -> str:
        """Of the searchable documents a filter selects."""
        with self._reading() as db:
            return reads.fingerprint(db, filter)

    def known(self, tenant: str = "default") -> dict[str, str]:
        """Content hash by document id."""
        with self._reading() as db:
            return list_known(db, tenant)

    def near_duplicates(
        self, signature: bytes, threshold: float, tenant: str = "default"
    ) -> list[tuple[str, float]]:
        """Documents with a similar MinHash signature."""
        with self._reading() as db:
            return find_similar(db, signature, threshold, tenant)

    def iterate_chunks(self, filter: Filter = Filter()) -> Iterator[Chunk]:
        """All searchable chunks as of the first one taken, streamed from one read transaction."""
        with self._reading() as db:
            yield from stream_chunks(db, filter)

    def count(self, tenant: str = "default") -> int:
        """Searchable chunks of one tenant."""
        with self._reading() as db:
            return tallies.chunks(db, tenant)

    def stats(self, tenant: str = "default") -> StoreStats:
        """Counts and sizes."""
        with self._reading() as db:
            return read_stats(
                db, tenant, find_active(db), reads.bytes_on_disk(db), tallies.corpus_profile(db, tenant)
            )

    def corpus_profile(self, tenant: str = "default") -> CorpusProfile:
        """What the searchable documents are made of."""
        with self._reading() as db:
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

    def _put(self, db: Connection, documents: Sequence[Prepared]) -> None:
        generations.keep(db)
        self._dense.check_model(db)
        record.put(db, documents, self._dense.generation)

    @contextmanager
    def _reading(self) -> Generator[Connection]:
        with faults.translated(self._connections.place), self._connections.read() as db:
            yield db
