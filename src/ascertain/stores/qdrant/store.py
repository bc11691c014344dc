"""The chunk store in Qdrant, put together."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace

import numpy as np

from ascertain.core.chunks import Chunk
from ascertain.core.documents import Document, DocumentRecord
from ascertain.core.errors import StoreError
from ascertain.core.filters import Filter
from ascertain.core.passages import Hit
from ascertain.core.profiling import CorpusProfile
from ascertain.core.settings import StoreSettings
from ascertain.stores.analysis import build_analyzer
from ascertain.stores.generations import Generation, mismatch
from ascertain.stores.ports import HealthReport, IndexedDocument, Reembedding, StoreStats, Vectors
from ascertain.stores.prepared import Prepared, prepare
from ascertain.stores.qdrant import counts, facts, reads, reembedding
from ascertain.stores.qdrant.deleting import delete_documents
from ascertain.stores.qdrant.dense_leg import DenseLeg
from ascertain.stores.qdrant.health import Examination
from ascertain.stores.qdrant.lexical_leg import LexicalLeg
from ascertain.stores.qdrant.names import dense_name
from ascertain.stores.qdrant.points import Points
from ascertain.stores.qdrant.remembered_counts import RememberedCounts
from ascertain.stores.qdrant.versions import Versions
from ascertain.stores.qdrant.word_weights import body_words, title_words
from ascertain.stores.qdrant.writes import Weighing, Writer


class QdrantStore:
    """A ``ChunkStore`` over one collection. Safe to use from several threads; made by ``opening.open_qdrant``."""

    def __init__(self, points: Points, generation: Generation, settings: StoreSettings) -> None:
        self._points = points
        self._analyzer = build_analyzer()
        self._versions = Versions(points)
        self._writer = Writer(points)
        self._counts = RememberedCounts(points)
        self._dense = DenseLeg(points, self._counts, self._versions, generation, settings)
        self._lexical = LexicalLeg(points, self._counts, self._versions, self._analyzer, settings.title_boost)

    @contextmanager
    def writing(self) -> Generator[None]:
        """A run of writes; in a folder, the single writer's right."""
        with self._changing():
            yield

    def upsert(self, documents: Sequence[IndexedDocument]) -> None:
        """Write documents, each as a whole."""
        generation = self._dense.generation
        prepared = prepare(documents)
        for document in prepared:
            width = document.vectors.shape[-1] if len(document.vectors) else generation.dimension
            if width != generation.dimension:
                raise mismatch(self._points.place, generation, "the model in use", width)
        if prepared:
            with self._changing():
                self._writer.put(prepared, self._weighing(prepared))
                self._points.settle()

    def mark_failed(self, document: Document, reason: str) -> None:
        """Record a failure."""
        with self._changing():
            self._writer.mark_failed(document, reason)
            self._points.settle()

    def delete(self, filter: Filter) -> int:
        """Delete the documents the filter selects."""
        with self._changing():
            deleted = delete_documents(self._points, self._versions, self._writer, filter)
            if deleted:
                self._points.settle()
        return deleted

    def dense(
        self, vector: Vectors, k: int, filter: Filter = Filter(), floor: float | None = None
    ) -> list[Hit]:
        """Search by meaning."""
        with self._points.operation():
            return self._dense.hits(vector, k, filter, floor)

    def lexical(self, terms: Mapping[str, float], k: int, filter: Filter = Filter()) -> list[Hit]:
        """Search by words."""
        with self._points.operation():
            return self._lexical.hits(terms, k, filter)

    def similarities(self, vector: Vectors, chunk_ids: Sequence[str]) -> dict[str, float]:
        """Exact cosines of named chunks."""
        with self._points.operation():
            return self._dense.similarities(vector, chunk_ids)

    def lexical_scores(self, terms: Mapping[str, float], chunk_ids: Sequence[str]) -> dict[str, float]:
        """BM25 of named chunks."""
        with self._points.operation():
            return self._lexical.scores(terms, chunk_ids)

    def document_frequencies(self, terms: Sequence[str]) -> dict[str, int]:
        """In how many chunks each term occurs."""
        with self._points.operation():
            return self._lexical.frequencies(terms)

    def get(self, chunk_ids: Sequence[str]) -> list[Chunk]:
        """The chunks that exist, in the order asked."""
        with self._points.operation():
            found = self._versions.settled(lambda sight: reads.chunks(self._points, sight, chunk_ids))
        return [found[chunk_id] for chunk_id in chunk_ids if chunk_id in found]

    def neighbours(self, chunk_id: str, before: int, after: int) -> list[Chunk]:
        """Chunks around one."""
        with self._points.operation():
            return reads.neighbours(self._points, self._versions, chunk_id, before, after)

    def vectors(self, chunk_ids: Sequence[str]) -> Vectors:
        """Stored vectors, float16 precision, in the order asked."""
        name, dimension = dense_name(self._dense.generation.number), self._dense.generation.dimension
        with self._points.operation():
            found = self._versions.settled(lambda sight: reads.vectors(self._points, sight, chunk_ids, name))
        unknown = [chunk_id for chunk_id in chunk_ids if chunk_id not in found]
        if unknown:
            raise StoreError(
                f"no vector is stored for the chunk {unknown[0]}: it does not exist or is a parent"
            )
        rows = [found[chunk_id] for chunk_id in chunk_ids]
        return np.array(rows, np.float32).reshape(len(rows), dimension)

    def document(self, document_id: str) -> Document | None:
        """A document with its text."""
        with self._points.operation():
            return reads.document(self._points, self._versions, document_id)

    def export(self, document_ids: Sequence[str]) -> list[IndexedDocument]:
        """Whole documents."""
        generation = self._dense.generation
        name = dense_name(generation.number)
        with self._points.operation():
            found = (
                reads.exported(self._points, self._versions, each, name, generation.dimension)
                for each in document_ids
            )
            return [document for document in found if document is not None]

    def tenants(self) -> list[str]:
        """Everyone who has a document."""
        return reads.tenants(self._points)

    def documents(self, filter: Filter = Filter()) -> list[DocumentRecord]:
        """Records of documents in every state."""
        with self._points.operation():
            return reads.documents(self._points, self._versions, filter)

    def fingerprint(self, filter: Filter = Filter()) -> str:
        """Of the searchable documents a filter selects."""
        with self._points.operation():
            return reads.fingerprint(self._points, self._versions, filter)

    def known(self, tenant: str = "default") -> dict[str, str]:
        """Content hash by document id."""
        with self._points.operation():
            return reads.known(self._points, tenant)

    def near_duplicates(
        self, signature: bytes, threshold: float, tenant: str = "default"
    ) -> list[tuple[str, float]]:
        """Documents with a similar MinHash signature."""
        return reads.similar(self._points, signature, threshold, tenant)

    def iterate_chunks(self, filter: Filter = Filter()) -> Iterator[Chunk]:
        """All searchable chunks of the documents there are when the first one is taken."""
        return reads.iterate(self._points, self._versions, filter)

    def count(self, tenant: str = "default") -> int:
        """Searchable chunks of one tenant."""
        return counts.count(self._points, tenant)

    def stats(self, tenant: str = "default") -> StoreStats:
        """Counts and sizes."""
        with self._points.operation():
            return counts.stats(self._points, tenant)

    def corpus_profile(self, tenant: str = "default") -> CorpusProfile:
        """What the searchable documents are made of."""
        with self._points.operation():
            return counts.corpus_profile(self._points, tenant)

    def check(self, repair: bool = False) -> HealthReport:
        """Look for damage; with ``repair`` make missing indexes and remove what interrupted writes left."""
        with self._changing() if repair else self._points.operation():
            examination = Examination(self._points, self._writer)
            return examination.repaired() if repair else examination.report()

    @contextmanager
    def reembed(self, embedder_name: str, dimension: int) -> Generator[Reembedding]:
        """Move to another model; searches go on."""
        with self._changing():
            with reembedding.reembedding(self._points, self._versions, embedder_name, dimension) as work:
                yield work
            self._dense.generation = facts.present(self._points).active

    def close(self) -> None:
        """Release the folder or the connections."""
        self._points.close()

    @contextmanager
    def _changing(self) -> Generator[None]:
        with self._points.writing():
            try:
                yield
            finally:
                self._counts.forget()

    def _weighing(self, documents: Sequence[Prepared]) -> Weighing:
        """How to write now; the first chunks of all settle the average lengths."""
        while True:
            stored = facts.present(self._points)
            mine = self._dense.generation
            if stored.active != mine:
                raise mismatch(self._points.place, stored.active, mine.model, mine.dimension)
            averages = stored.averages or self._lengths(documents)
            if averages is None:
                # No chunk is written, so nothing is weighed.
                averages = (1.0, 1.0)
            elif stored.averages is None and not facts.change(
                self._points, stored, replace(stored, averages=averages)
            ):
                continue
            return Weighing(mine, self._analyzer, averages)

    def _lengths(self, documents: Sequence[Prepared]) -> tuple[float, float] | None:
        """The mean lengths of the texts and titles of chunks, at least 1; None without chunks."""
        bodies = [
            len(body_words(self._analyzer, chunk)) for document in documents for chunk in document.searchable
        ]
        titles = [
            len(title_words(self._analyzer, document.source.document.title))
            for document in documents
            for _ in document.searchable
        ]
        if not bodies:
            return None
        return max(1.0, sum(bodies) / len(bodies)), max(1.0, sum(titles) / len(titles))
