"""The chunk store in Qdrant, put together."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np

from ascertain.core.documents import Chunk, Document, DocumentRecord
from ascertain.core.errors import MissingExtra, StoreError
from ascertain.core.passages import Filter, Hit
from ascertain.core.profiling import CorpusProfile
from ascertain.core.settings import StoreSettings
from ascertain.core.status import HealthReport, SchemaChange, StoreStats
from ascertain.stores.ports import IndexedDocument, Reembedding, Vectors
from ascertain.stores.preparation import Generation, Prepared, mismatch_error, prepare_documents
from ascertain.stores.qdrant import counts, facts, reads, reembedding, schema
from ascertain.stores.qdrant.counts import RememberedCounts
from ascertain.stores.qdrant.dense_leg import DenseLeg
from ascertain.stores.qdrant.health import Examination
from ascertain.stores.qdrant.lexical_leg import LexicalLeg, body_words, title_words
from ascertain.stores.qdrant.points import Points
from ascertain.stores.qdrant.reembedding import start_over
from ascertain.stores.qdrant.schema import HasVector, Where, dense_name
from ascertain.stores.qdrant.versions import Versions
from ascertain.stores.qdrant.writes import Weighing, Writer, delete_documents
from ascertain.stores.text_analysis import build_analyzer


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
        with self._begin_writing():
            yield

    def upsert(self, documents: Sequence[IndexedDocument]) -> None:
        """Write documents, each as a whole."""
        generation = self._dense.generation
        prepared = prepare_documents(documents)
        for document in prepared:
            width = document.vectors.shape[-1] if len(document.vectors) else generation.dimension
            if width != generation.dimension:
                raise mismatch_error(self._points.place, generation, "the model in use", width)
        if prepared:
            with self._begin_writing():
                self._writer.put(prepared, self._choose_weighing(prepared))
                self._points.settle()

    def mark_failed(self, document: Document, reason: str) -> None:
        """Record a failure."""
        with self._begin_writing():
            self._writer.mark_failed(document, reason)
            self._points.settle()

    def delete(self, filter: Filter) -> int:
        """Delete the documents the filter selects."""
        with self._begin_writing():
            deleted = delete_documents(self._points, self._versions, self._writer, filter)
            if deleted:
                self._points.settle()
        return deleted

    def dense(self, vector: Vectors, k: int, filter: Filter = Filter(), floor: float | None = None) -> list[Hit]:
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
            found = self._versions.read_consistently(lambda sight: reads.fetch_chunks(self._points, sight, chunk_ids))
        return [found[chunk_id] for chunk_id in chunk_ids if chunk_id in found]

    def neighbours(self, chunk_id: str, before: int, after: int) -> list[Chunk]:
        """Chunks around one."""
        with self._points.operation():
            return reads.fetch_neighbours(self._points, self._versions, chunk_id, before, after)

    def vectors(self, chunk_ids: Sequence[str]) -> Vectors:
        """Stored vectors, float16 precision, in the order asked."""
        name, dimension = dense_name(self._dense.generation.number), self._dense.generation.dimension
        with self._points.operation():
            found = self._versions.read_consistently(
                lambda sight: reads.fetch_vectors(self._points, sight, chunk_ids, name)
            )
        unknown = [chunk_id for chunk_id in chunk_ids if chunk_id not in found]
        if unknown:
            raise StoreError(f"no vector is stored for the chunk {unknown[0]}: it does not exist or is a parent")
        rows = [found[chunk_id] for chunk_id in chunk_ids]
        return np.array(rows, np.float32).reshape(len(rows), dimension)

    def document(self, document_id: str) -> Document | None:
        """A document with its text."""
        with self._points.operation():
            return reads.fetch_document(self._points, self._versions, document_id)

    def export(self, document_ids: Sequence[str]) -> list[IndexedDocument]:
        """Whole documents."""
        generation = self._dense.generation
        name = dense_name(generation.number)
        with self._points.operation():
            found = (
                reads.export_document(self._points, self._versions, each, name, generation.dimension)
                for each in document_ids
            )
            return [document for document in found if document is not None]

    def tenants(self) -> list[str]:
        """Everyone who has a document."""
        return reads.list_tenants(self._points)

    def documents(self, filter: Filter = Filter()) -> list[DocumentRecord]:
        """Records of documents in every state."""
        with self._points.operation():
            return reads.fetch_documents(self._points, self._versions, filter)

    def fingerprint(self, filter: Filter = Filter()) -> str:
        """Of the searchable documents a filter selects."""
        with self._points.operation():
            return reads.compute_fingerprint(self._points, self._versions, filter)

    def known(self, tenant: str = "default") -> dict[str, str]:
        """Content hash by document id."""
        with self._points.operation():
            return reads.fetch_content_hashes(self._points, tenant)

    def near_duplicates(self, signature: bytes, threshold: float, tenant: str = "default") -> list[tuple[str, float]]:
        """Documents with a similar MinHash signature."""
        return reads.find_similar(self._points, signature, threshold, tenant)

    def iterate_chunks(self, filter: Filter = Filter()) -> Iterator[Chunk]:
        """All searchable chunks of the documents there are when the first one is taken."""
        return reads.iterate_chunks(self._points, self._versions, filter)

    def count(self, tenant: str = "default") -> int:
        """Searchable chunks of one tenant."""
        return counts.count_chunks(self._points, tenant)

    def stats(self, tenant: str = "default") -> StoreStats:
        """Counts and sizes."""
        with self._points.operation():
            return counts.collect_stats(self._points, tenant)

    def corpus_profile(self, tenant: str = "default") -> CorpusProfile:
        """What the searchable documents are made of."""
        with self._points.operation():
            return counts.corpus_profile(self._points, tenant)

    def check(self, repair: bool = False) -> HealthReport:
        """Look for damage; with ``repair`` make missing indexes and remove what interrupted writes left."""
        with self._begin_writing() if repair else self._points.operation():
            examination = Examination(self._points, self._writer)
            return examination.repair_and_report() if repair else examination.report()

    @contextmanager
    def reembed(self, embedder_name: str, dimension: int) -> Generator[Reembedding]:
        """Move to another model; searches go on."""
        with self._begin_writing():
            with reembedding.open_reembedding(self._points, self._versions, embedder_name, dimension) as work:
                yield work
            self._dense.generation = facts.require_facts(self._points).active

    def close(self) -> None:
        """Release the folder or the connections."""
        self._points.close()

    @contextmanager
    def _begin_writing(self) -> Generator[None]:
        with self._points.writing():
            try:
                yield
            finally:
                self._counts.forget()

    def _choose_weighing(self, documents: Sequence[Prepared]) -> Weighing:
        """How to write now; the first chunks of all settle the average lengths."""
        while True:
            stored = facts.require_facts(self._points)
            mine = self._dense.generation
            if stored.active != mine:
                raise mismatch_error(self._points.place, stored.active, mine.model, mine.dimension)
            averages = stored.averages or self._mean_lengths(documents)
            if averages is None:
                # No chunk is written, so nothing is weighed.
                averages = (1.0, 1.0)
            elif stored.averages is None and not facts.replace_facts(
                self._points, stored, replace(stored, averages=averages)
            ):
                continue
            return Weighing(mine, self._analyzer, averages)

    def _mean_lengths(self, documents: Sequence[Prepared]) -> tuple[float, float] | None:
        """The mean lengths of the texts and titles of chunks, at least 1; None without chunks."""
        bodies = [len(body_words(self._analyzer, chunk)) for document in documents for chunk in document.searchable]
        titles = [
            len(title_words(self._analyzer, document.source.document.title))
            for document in documents
            for _ in document.searchable
        ]
        if not bodies:
            return None
        return max(1.0, sum(bodies) / len(bodies)), max(1.0, sum(titles) / len(titles))


def open_qdrant(
    settings: StoreSettings, home: Path, embedder_name: str, dimension: int, *, create: bool = True
) -> QdrantStore:
    """The store on the server of ``settings.url``, or in ``<home>/qdrant`` without one.

    Raises StoreError when there is none and ``create`` is False or it cannot be used, EmbeddingMismatch when it was built with
    another model, and MissingExtra when the client is not installed.
    """
    points = open_points(settings, home)
    try:
        stored = _ensure_facts(points, embedder_name, dimension) if create else _require_facts(points)
        return QdrantStore(points, _ensure_generation(points, stored, embedder_name, dimension), settings)
    except BaseException:
        points.close()
        raise


def stored_model(settings: StoreSettings, home: Path) -> tuple[str, int] | None:
    """Name and dimension of the embedding model a knowledge base was built with; None when there is none yet."""
    points = open_points(settings, home)
    try:
        stored = _fetch_facts(points)
    finally:
        points.close()
    return None if stored is None else (stored.active.model, stored.active.dimension)


def pending_qdrant(settings: StoreSettings, home: Path) -> SchemaChange:
    """What ``upgrade_qdrant`` would do."""
    with _open_existing(settings, home) as (points, stored):
        return _schema_change(stored, _missing_indexes(points))


def upgrade_qdrant(settings: StoreSettings, home: Path) -> SchemaChange:
    """Make the payload indexes that are missing and bring the format up to date.

    A collection is made for the vectors of a model, so an empty server stays empty until documents are added.
    """
    with _open_existing(settings, home) as (points, stored), points.writing():
        missing = _missing_indexes(points)
        for field in missing:
            points.add_index(field)
        now = stored
        while now.format < schema.FORMAT:
            facts.replace_facts(points, now, replace(now, format=schema.FORMAT))
            now = facts.require_facts(points)
        return _schema_change(stored, missing)


def open_points(settings: StoreSettings, home: Path) -> Points:
    """The collection that the settings name; raises MissingExtra when what reaches it is not installed."""
    try:
        if settings.url:
            from ascertain.stores.qdrant.server import ServerPoints  # noqa: PLC0415

            return ServerPoints(settings)
        from ascertain.stores.qdrant.edge import EdgePoints  # noqa: PLC0415

        return EdgePoints(settings, home)
    except ModuleNotFoundError as error:
        if error.name not in {"qdrant_client", "qdrant_edge"}:
            raise
        raise MissingExtra("the qdrant store", "qdrant") from error


@contextmanager
def _open_existing(settings: StoreSettings, home: Path) -> Generator[tuple[Points, facts.Facts]]:
    points = open_points(settings, home)
    try:
        yield points, _require_facts(points)
    finally:
        points.close()


def _ensure_facts(points: Points, model: str, dimension: int) -> facts.Facts:
    stored = _fetch_facts(points)
    if stored is None:
        first = Generation(1, model, dimension)
        points.create(dense_name(first.number), dimension)
        stored = facts.insert_facts(points, facts.Facts(first))
    return stored


def _require_facts(points: Points) -> facts.Facts:
    stored = _fetch_facts(points)
    if stored is None:
        raise StoreError(f"there is no knowledge base in {points.place}: run `ascertain add` first")
    return stored


def _missing_indexes(points: Points) -> list[str]:
    return sorted(schema.INDEXES.keys() - points.indexes())


def _schema_change(stored: facts.Facts, missing: list[str]) -> SchemaChange:
    steps = (*schema.STEPS[stored.format :], *(f"index of {field}" for field in missing))
    return SchemaChange(stored.format, schema.FORMAT, steps)


def _fetch_facts(points: Points) -> facts.Facts | None:
    """The facts, where the collection was made completely."""
    return facts.fetch_facts(points) if points.exists() else None


def _ensure_generation(points: Points, stored: facts.Facts, model: str, dimension: int) -> Generation:
    while (stored.active.model, stored.active.dimension) != (model, dimension):
        # While nothing is embedded, the model can still be chosen.
        if points.count(Where((HasVector(dense_name(stored.active.number)),))):
            raise mismatch_error(points.place, stored.active, model, dimension)
        with points.writing():
            start_over(points, stored, model, dimension)
        stored = facts.require_facts(points)
    return stored.active
