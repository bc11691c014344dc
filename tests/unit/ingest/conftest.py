from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from fnmatch import fnmatchcase

import numpy as np
import pytest

from ascertain.core.chunks import Chunk
from ascertain.core.documents import Document, DocumentRecord, DocumentState
from ascertain.core.filters import Filter
from ascertain.ingest.duplicates import similarity
from ascertain.models.ports import Vectors
from ascertain.stores.ports import IndexedDocument, StoreStats


class HashEmbedder:
    """Unit vectors that depend on nothing but the text; counts what it embeds."""

    name = "hash"
    dimension = 8

    def __init__(self) -> None:
        self.embedded: list[str] = []

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        self.embedded.extend(texts)
        if any("POISON" in text for text in texts):
            raise ValueError("cannot embed this")
        return np.stack([self.embed_query(text) for text in texts])

    def embed_query(self, text: str) -> Vectors:
        seed = zlib.crc32(text.encode("utf-8", "surrogatepass"))
        vector = np.random.default_rng(seed).normal(size=self.dimension)
        return (vector / np.linalg.norm(vector)).astype(np.float32)


class MemoryStore:
    def __init__(self) -> None:
        self.indexed: dict[str, IndexedDocument] = {}
        self.failed: dict[str, tuple[Document, str]] = {}
        self.upserts: list[list[str]] = []
        self.depth = 0

    @contextmanager
    def writing(self) -> Iterator[None]:
        self.depth += 1
        try:
            yield
        finally:
            self.depth -= 1

    def upsert(self, documents: Sequence[IndexedDocument]) -> None:
        assert self.depth
        self.upserts.append([document.document.id for document in documents])
        for document in documents:
            assert len(document.vectors) == sum(not chunk.is_parent for chunk in document.chunks)
            self.indexed[document.document.id] = document
            self.failed.pop(document.document.id, None)

    def mark_failed(self, document: Document, reason: str) -> None:
        self.failed[document.id] = (document, reason)

    def delete(self, filter: Filter) -> int:
        records = self.documents(filter)
        for record in records:
            self.indexed.pop(record.id, None)
            self.failed.pop(record.id, None)
        return len(records)

    def known(self, tenant: str = "default") -> dict[str, str]:
        return {
            key: entry.document.content_hash
            for key, entry in self.indexed.items()
            if key not in self.failed and entry.document.tenant == tenant
        }

    def near_duplicates(
        self, signature: bytes, threshold: float, tenant: str = "default"
    ) -> list[tuple[str, float]]:
        found = [(key, similarity(signature, e.signature)) for key, e in self.indexed.items() if e.signature]
        return sorted((pair for pair in found if pair[1] >= threshold), key=lambda pair: -pair[1])

    def documents(self, filter: Filter = Filter()) -> list[DocumentRecord]:
        records = [self._record(e.document, e) for e in self.indexed.values()]
        records += [self._record(d, None) for d, _ in self.failed.values() if d.id not in self.indexed]
        return [
            record
            for record in sorted(records, key=lambda record: record.source)
            if (not filter.document_ids or record.id in filter.document_ids)
            and (not filter.sources or any(fnmatchcase(record.source, pattern) for pattern in filter.sources))
        ]

    def _record(self, document: Document, entry: IndexedDocument | None) -> DocumentRecord:
        failure = self.failed.get(document.id)
        return DocumentRecord(
            id=document.id,
            title=document.title,
            kind=document.kind,
            source=document.source,
            state=DocumentState.FAILED if failure or not entry else entry.state,
            reason=failure[1] if failure else (entry.reason if entry else ""),
            content_hash=document.content_hash,
            chunks=sum(not chunk.is_parent for chunk in entry.chunks) if entry else 0,
            characters=len(document.text),
            profile=document.profile,
            added_at=datetime.now(UTC),
            conversation_id=document.conversation_id,
            duplicate_of=entry.duplicate_of if entry else None,
        )

    def document(self, document_id: str) -> Document | None:
        entry = self.indexed.get(document_id)
        return entry.document if entry else None

    def iterate_chunks(self, filter: Filter = Filter()) -> Iterator[Chunk]:
        for key in filter.document_ids:
            yield from (chunk for chunk in self.indexed[key].chunks if not chunk.is_parent)

    def get(self, chunk_ids: Sequence[str]) -> list[Chunk]:
        return [c for e in self.indexed.values() for c in e.chunks if c.id in chunk_ids]

    def vectors(self, chunk_ids: Sequence[str]) -> Vectors:
        rows = {
            chunk.id: row
            for entry in self.indexed.values()
            for chunk, row in zip((c for c in entry.chunks if not c.is_parent), entry.vectors, strict=True)
        }
        return np.stack([rows[key] for key in chunk_ids])

    def stats(self, tenant: str = "default") -> StoreStats:
        records = self.documents()
        states = [str(record.state) for record in records]
        counts = {state: states.count(state) for state in set(states)}
        return StoreStats(len(records), 0, {}, {}, counts, "hash", 8, 0, None, None)


@pytest.fixture
def store() -> MemoryStore:
    return MemoryStore()


@pytest.fixture
def embedder() -> HashEmbedder:
    return HashEmbedder()
