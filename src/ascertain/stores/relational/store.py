"""What a ``ChunkStore`` in a database reads of documents and chunks."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from functools import partial
from typing import Generic, TypeVar

from ascertain.core.chunks import Chunk
from ascertain.core.documents import Document, DocumentRecord
from ascertain.core.filters import Filter
from ascertain.stores.ports import IndexedDocument, Vectors
from ascertain.stores.relational import reads
from ascertain.stores.relational.database import Session
from ascertain.stores.relational.reads import StoredVectors

SessionT = TypeVar("SessionT", bound=Session)


class TableChunkStore(ABC, Generic[SessionT]):
    """The reading of documents; each store adds how it writes and searches."""

    @abstractmethod
    def read_moment(self) -> AbstractContextManager[SessionT]:
        """A read transaction; what fails in it is raised as StoreError."""

    @abstractmethod
    def read_vectors(self, db: SessionT, chunk_ids: Sequence[str]) -> StoredVectors:
        """Ids and vectors of the named chunks that have one, in no order."""

    def get(self, chunk_ids: Sequence[str]) -> list[Chunk]:
        """The chunks that exist, in the order asked."""
        with self.read_moment() as db:
            return reads.fetch_chunks(db, chunk_ids)

    def neighbours(self, chunk_id: str, before: int, after: int) -> list[Chunk]:
        """Chunks around one."""
        with self.read_moment() as db:
            return reads.fetch_neighbours(db, chunk_id, before, after)

    def vectors(self, chunk_ids: Sequence[str]) -> Vectors:
        """Stored vectors, float16 precision, in the order asked."""
        with self.read_moment() as db:
            return reads.select_vectors(self.read_vectors(db, chunk_ids), chunk_ids)

    def document(self, document_id: str) -> Document | None:
        """A document with its text."""
        with self.read_moment() as db:
            return reads.fetch_document(db, document_id)

    def export(self, document_ids: Sequence[str]) -> list[IndexedDocument]:
        """Whole documents."""
        with self.read_moment() as db:
            return reads.export_documents(db, document_ids, partial(self.read_vectors, db))

    def tenants(self) -> list[str]:
        """Everyone who has a document."""
        with self.read_moment() as db:
            return reads.list_tenants(db)

    def documents(self, filter: Filter = Filter()) -> list[DocumentRecord]:
        """Records of documents in every state."""
        with self.read_moment() as db:
            return reads.list_documents(db, filter)

    def known(self, tenant: str = "default") -> dict[str, str]:
        """Content hash by document id."""
        with self.read_moment() as db:
            return reads.list_known(db, tenant)

    def near_duplicates(
        self, signature: bytes, threshold: float, tenant: str = "default"
    ) -> list[tuple[str, float]]:
        """Documents with a similar MinHash signature."""
        with self.read_moment() as db:
            return reads.find_similar(db, signature, threshold, tenant)

    def iterate_chunks(self, filter: Filter = Filter()) -> Iterator[Chunk]:
        """All searchable chunks as of the first one taken, streamed from one read transaction."""
        with self.read_moment() as db:
            yield from reads.stream_chunks(db, filter)
