"""The chunk store in Qdrant, put together, and its examination."""

from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from ascertain.core.asking.passages import Filter, Hit
from ascertain.core.documents.documents import Chunk, Document, DocumentRecord
from ascertain.core.documents.profiling import CorpusProfile
from ascertain.core.errors import StoreError
from ascertain.core.service.status import HealthReport, StoreStats
from ascertain.core.settings import StoreSettings
from ascertain.stores.ports.chunks import IndexedDocument, Reembedding, Vectors
from ascertain.stores.qdrant import collection, counts, reads
from ascertain.stores.qdrant.collection import Facts, require_facts
from ascertain.stores.qdrant.counts import RememberedCounts
from ascertain.stores.qdrant.dense_leg import DenseLeg
from ascertain.stores.qdrant.lexical_leg import LexicalLeg, body_words, title_words
from ascertain.stores.qdrant.points import Points
from ascertain.stores.qdrant.schema import IS_CHUNK, IS_DOCUMENT, AnyOf, HasVector, Where, dense_name
from ascertain.stores.qdrant.versions import Versions
from ascertain.stores.qdrant.writes import Weighing, Writer, delete_documents
from ascertain.stores.records.documents import Prepared, check_dimension, prepare_documents
from ascertain.stores.records.text_analysis import build_analyzer
from ascertain.stores.records.vectors import Generation, mismatch_error


class QdrantStore:
    """A ``ChunkStore`` over one collection. Safe to use from several threads; made by ``open_qdrant``."""

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
        """A run of writes; writers work side by side."""
        with self._begin_writing():
            yield

    def upsert(self, documents: Sequence[IndexedDocument]) -> None:
        prepared = prepare_documents(documents)
        check_dimension(prepared, self._dense.generation, self._points.place)
        if prepared:
            with self._begin_writing():
                self._writer.put(prepared, self._choose_weighing(prepared))

    def mark_failed(self, document: Document, reason: str) -> None:
        with self._begin_writing():
            self._writer.mark_failed(document, reason)

    def delete(self, filter: Filter) -> int:
        with self._begin_writing():
            return delete_documents(self._points, self._versions, self._writer, filter)

    def dense(self, vector: Vectors, k: int, filter: Filter = Filter(), floor: float | None = None) -> list[Hit]:
        return self._dense.hits(vector, k, filter, floor)

    def lexical(self, terms: Mapping[str, float], k: int, filter: Filter = Filter()) -> list[Hit]:
        return self._lexical.hits(terms, k, filter)

    def similarities(self, vector: Vectors, chunk_ids: Sequence[str]) -> dict[str, float]:
        return self._dense.similarities(vector, chunk_ids)

    def lexical_scores(self, terms: Mapping[str, float], chunk_ids: Sequence[str]) -> dict[str, float]:
        return self._lexical.scores(terms, chunk_ids)

    def document_frequencies(self, terms: Sequence[str]) -> dict[str, int]:
        return self._lexical.frequencies(terms)

    def get(self, chunk_ids: Sequence[str]) -> list[Chunk]:
        found = self._versions.read_consistently(lambda sight: reads.fetch_chunks(self._points, sight, chunk_ids))
        return [found[chunk_id] for chunk_id in chunk_ids if chunk_id in found]

    def neighbours(self, chunk_id: str, before: int, after: int) -> list[Chunk]:
        return reads.fetch_neighbours(self._points, self._versions, chunk_id, before, after=after)

    def vectors(self, chunk_ids: Sequence[str]) -> Vectors:
        name, dimension = dense_name(self._dense.generation.number), self._dense.generation.dimension
        found = self._versions.read_consistently(
            lambda sight: reads.fetch_vectors(self._points, sight, chunk_ids, name)
        )
        unknown = [chunk_id for chunk_id in chunk_ids if chunk_id not in found]
        if unknown:
            raise StoreError(f"no vector is stored for the chunk {unknown[0]}: it does not exist or is a parent")
        rows = [found[chunk_id] for chunk_id in chunk_ids]
        return np.array(rows, np.float32).reshape(len(rows), dimension)

    def document(self, document_id: str) -> Document | None:
        return reads.fetch_document(self._points, self._versions, document_id)

    def export(self, document_ids: Sequence[str]) -> list[IndexedDocument]:
        generation = self._dense.generation
        name = dense_name(generation.number)
        found = (
            reads.export_document(self._points, self._versions, each, name, dimension=generation.dimension)
            for each in document_ids
        )
        return [document for document in found if document is not None]

    def tenants(self) -> list[str]:
        return reads.list_tenants(self._points)

    def documents(self, filter: Filter = Filter()) -> list[DocumentRecord]:
        return reads.fetch_documents(self._points, self._versions, filter)

    def fingerprint(self, filter: Filter = Filter()) -> str:
        return reads.compute_fingerprint(self._points, self._versions, filter)

    def known(self, tenant: str = "default") -> dict[str, str]:
        return reads.fetch_content_hashes(self._points, tenant)

    def near_duplicates(self, signature: bytes, threshold: float, tenant: str = "default") -> list[tuple[str, float]]:
        return reads.find_similar(self._points, signature, threshold, tenant)

    def iterate_chunks(self, filter: Filter = Filter()) -> Iterator[Chunk]:
        return reads.iterate_chunks(self._points, self._versions, filter)

    def count(self, tenant: str = "default") -> int:
        return counts.count_chunks(self._points, tenant)

    def stats(self, tenant: str = "default") -> StoreStats:
        return counts.collect_stats(self._points, tenant)

    def corpus_profile(self, tenant: str = "default") -> CorpusProfile:
        return counts.corpus_profile(self._points, tenant)

    def check(self, repair: bool = False) -> HealthReport:
        examination = _Examination(self._points, self._writer)
        if not repair:
            return examination.report()
        with self._begin_writing():
            return examination.repair_and_report()

    @contextmanager
    def reembed(self, embedder_name: str, dimension: int) -> Generator[Reembedding]:
        with self._begin_writing():
            with collection.open_reembedding(self._points, self._versions, embedder_name, dimension) as work:
                yield work
            self._dense.generation = require_facts(self._points).active

    def close(self) -> None:
        self._points.close()

    @contextmanager
    def _begin_writing(self) -> Generator[None]:
        try:
            yield
        finally:
            self._counts.forget()

    def _choose_weighing(self, documents: Sequence[Prepared]) -> Weighing:
        """How to write now; the first chunks of all settle the average lengths."""
        while True:
            stored = require_facts(self._points)
            mine = self._dense.generation
            if stored.active != mine:
                raise mismatch_error(self._points.place, stored.active, mine.model, mine.dimension)
            averages = stored.averages or self._mean_lengths(documents)
            if averages is None:
                # No chunk is written, so nothing is weighed.
                averages = (1.0, 1.0)
            elif stored.averages is None and not collection.replace_facts(
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
    """The store on the server of ``settings.url``.

    Raises StoreError when there is none and ``create`` is False or it cannot be used, and EmbeddingMismatch when it was
    built with another model. ``home`` is not used.
    """
    points = Points(settings)
    try:
        return QdrantStore(points, collection.choose_generation(points, embedder_name, dimension, create), settings)
    except BaseException:
        points.close()
        raise


@dataclass(frozen=True, slots=True)
class _Inventory:
    """The parts that documents name, and all others."""

    documents: int
    chunks: int
    abandoned: list[str]
    """Versions that no document has any more, whose writers are gone."""
    incomplete: list[str]
    """Points of documents that lack chunks."""
    unfinished: int
    """Parts that are in no document, of writers that may be at work."""


class _Examination:
    """Compares the points of one collection with each other."""

    def __init__(self, points: Points, writer: Writer) -> None:
        self._points = points
        self._writer = writer

    def report(self) -> HealthReport:
        """The current problems, and the facts."""
        problems, inform = self._points.condition()
        found = require_facts(self._points)
        inventory = self._take_inventory()
        active = found.active
        inform |= {
            "collection": f"{inventory.documents} documents, {inventory.chunks} chunks",
            "format": f"version {found.format}",
            "embedding model": f"{active.model}, {active.dimension} dimensions",
        }
        if found.building is not None:
            inform["unfinished reindex"] = f"to {found.building.model}: run `ascertain reindex` to go on"
        if inventory.unfinished:
            inform["writes under way"] = f"{inventory.unfinished} parts, or of a writer that was just killed"
        return HealthReport((*problems, *self._find_problems(found, inventory)), inform)

    def repair_and_report(self) -> HealthReport:
        """Make the indexes that are missing, delete what was abandoned, and report again."""
        inventory = self._take_inventory()
        missing = collection.add_missing_indexes(self._points)
        for start in range(0, len(inventory.abandoned), reads.SLICE):
            versions = inventory.abandoned[start : start + reads.SLICE]
            self._points.delete(Where((AnyOf("version", versions),), must_not=(IS_DOCUMENT,)))
        after = self.report()
        done = [
            f"indexes of {', '.join(missing)}" if missing else "",
            f"parts of {len(inventory.abandoned)} interrupted writes removed" if inventory.abandoned else "",
        ]
        repairs = "; ".join(filter(None, done))
        return HealthReport(after.problems, {**after.facts, "repaired": repairs} if repairs else after.facts)

    def _find_problems(self, found: Facts, inventory: _Inventory) -> list[str]:
        problems: list[str] = []
        missing = collection.missing_indexes(self._points)
        if missing:
            problems.append(f"fields have no index: {', '.join(missing)}: run `ascertain doctor --repair`")
        without = self._points.count(Where((IS_CHUNK,), must_not=(HasVector(dense_name(found.active.number)),)))
        if without:
            problems.append(f"{without} chunks have no vector: add their documents again")
        if inventory.incomplete:
            problems.append(f"{len(inventory.incomplete)} documents lack chunks: add them again")
        if inventory.abandoned:
            problems.append(
                f"{len(inventory.abandoned)} interrupted writes left parts behind: run `ascertain doctor --repair`"
            )
        return problems

    def _take_inventory(self) -> _Inventory:
        stale = self._writer.abandoned()
        parts = self._points.facet("version", Where((IS_CHUNK,)))
        old = self._points.facet("version", stale)
        # After the parts: what became current meanwhile is not taken for abandoned.
        documents = {
            str(point.payload["version"]): (point.id, int(str(point.payload.get("chunks", 0))))
            for point in self._points.scroll(Where((IS_DOCUMENT,)), ("version", "chunks"))
        }
        incomplete = [
            point for version, (point, chunks) in documents.items() if version in parts and parts[version] < chunks
        ]
        return _Inventory(
            len(documents),
            sum(chunks for _, chunks in documents.values()),
            [str(version) for version in old if version not in documents],
            incomplete,
            sum(number for version, number in parts.items() if version not in documents and version not in old),
        )
