"""A chunk store whose graph follows: whoever writes to it or deletes from it, by whatever way, has the graph do the same."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager

from ascertain.core.chunks import Chunk
from ascertain.core.documents import Document, DocumentRecord
from ascertain.core.filters import Filter
from ascertain.core.passages import Hit
from ascertain.core.profiling import CorpusProfile
from ascertain.graph.upkeep import GraphUpkeep
from ascertain.stores.ports import (
    ChunkStore,
    HealthReport,
    IndexedDocument,
    Reembedding,
    StoreStats,
    Vectors,
)


class FollowedStore:
    """A ``ChunkStore`` over ``plain``. Chunks are written first, then what they say; deleted first, then what they said."""

    def __init__(self, plain: ChunkStore, graph: GraphUpkeep) -> None:
        self.plain = plain
        self._graph = graph

    def upsert(self, documents: Sequence[IndexedDocument]) -> None:
        """See ``ChunkStore.upsert``."""
        self.plain.upsert(documents)
        # one that says when it was added comes back from this store with another link; what it says is the same
        fresh = [document for document in documents if document.added_at is None]
        self._graph.written(self.plain, fresh)

    def delete(self, filter: Filter) -> int:
        """See ``ChunkStore.delete``."""
        gone = [record.id for record in self.plain.documents(filter)]
        deleted = self.plain.delete(filter)
        self._graph.forgotten(filter.tenant, gone)
        return deleted

    def writing(self) -> AbstractContextManager[None]:
        """See ``ChunkStore.writing``."""
        return self.plain.writing()

    def mark_failed(self, document: Document, reason: str) -> None:
        """See ``ChunkStore.mark_failed``; an earlier version stays, and with it what it says."""
        self.plain.mark_failed(document, reason)

    def dense(
        self, vector: Vectors, k: int, filter: Filter = Filter(), floor: float | None = None
    ) -> list[Hit]:
        """See ``ChunkStore.dense``."""
        return self.plain.dense(vector, k, filter, floor)

    def lexical(self, terms: Mapping[str, float], k: int, filter: Filter = Filter()) -> list[Hit]:
        """See ``ChunkStore.lexical``."""
        return self.plain.lexical(terms, k, filter)

    def similarities(self, vector: Vectors, chunk_ids: Sequence[str]) -> dict[str, float]:
        """See ``ChunkStore.similarities``."""
        return self.plain.similarities(vector, chunk_ids)

    def lexical_scores(self, terms: Mapping[str, float], chunk_ids: Sequence[str]) -> dict[str, float]:
        """See ``ChunkStore.lexical_scores``."""
        return self.plain.lexical_scores(terms, chunk_ids)

    def document_frequencies(self, terms: Sequence[str]) -> dict[str, int]:
        """See ``ChunkStore.document_frequencies``."""
        return self.plain.document_frequencies(terms)

    def get(self, chunk_ids: Sequence[str]) -> list[Chunk]:
        """See ``ChunkStore.get``."""
        return self.plain.get(chunk_ids)

    def neighbours(self, chunk_id: str, before: int, after: int) -> list[Chunk]:
        """See ``ChunkStore.neighbours``."""
        return self.plain.neighbours(chunk_id, before, after)

    def vectors(self, chunk_ids: Sequence[str]) -> Vectors:
        """See ``ChunkStore.vectors``."""
        return self.plain.vectors(chunk_ids)

    def document(self, document_id: str) -> Document | None:
        """See ``ChunkStore.document``."""
        return self.plain.document(document_id)

    def export(self, document_ids: Sequence[str]) -> list[IndexedDocument]:
        """See ``ChunkStore.export``."""
        return self.plain.export(document_ids)

    def tenants(self) -> list[str]:
        """See ``ChunkStore.tenants``."""
        return self.plain.tenants()

    def documents(self, filter: Filter = Filter()) -> list[DocumentRecord]:
        """See ``ChunkStore.documents``."""
        return self.plain.documents(filter)

    def fingerprint(self, filter: Filter = Filter()) -> str:
        """See ``ChunkStore.fingerprint``."""
        return self.plain.fingerprint(filter)

    def known(self, tenant: str = "default") -> dict[str, str]:
        """See ``ChunkStore.known``."""
        return self.plain.known(tenant)

    def near_duplicates(
        self, signature: bytes, threshold: float, tenant: str = "default"
    ) -> list[tuple[str, float]]:
        """See ``ChunkStore.near_duplicates``."""
        return self.plain.near_duplicates(signature, threshold, tenant)

    def iterate_chunks(self, filter: Filter = Filter()) -> Iterator[Chunk]:
        """See ``ChunkStore.iterate_chunks``."""
        return self.plain.iterate_chunks(filter)

    def count(self, tenant: str = "default") -> int:
        """See ``ChunkStore.count``."""
        return self.plain.count(tenant)

    def stats(self, tenant: str = "default") -> StoreStats:
        """See ``ChunkStore.stats``."""
        return self.plain.stats(tenant)

    def corpus_profile(self, tenant: str = "default") -> CorpusProfile:
        """See ``ChunkStore.corpus_profile``."""
        return self.plain.corpus_profile(tenant)

    def check(self, repair: bool = False) -> HealthReport:
        """See ``ChunkStore.check``."""
        return self.plain.check(repair)

    def reembed(self, embedder_name: str, dimension: int) -> AbstractContextManager[Reembedding]:
        """See ``ChunkStore.reembed``."""
        return self.plain.reembed(embedder_name, dimension)

    def close(self) -> None:
        """See ``ChunkStore.close``."""
        self.plain.close()
