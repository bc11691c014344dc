"""What a ``ChunkStore`` in a database reads of documents and chunks."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import partial
from typing import Generic, TypeVar

from ascertain.core.documents import Chunk, Document, DocumentRecord, DocumentState
from ascertain.core.passages import Filter
from ascertain.stores.encoding import version_number
from ascertain.stores.ports import IndexedDocument, Vectors
from ascertain.stores.preparation import Generation, Prepared
from ascertain.stores.relational import reads
from ascertain.stores.relational.database import Session, bind_marks
from ascertain.stores.relational.reads import StoredVectors, count_without_vector
from ascertain.stores.relational.reembedding import find_building
from ascertain.stores.rows import document_row


def find_chunk_problems(db: Session, generation: Generation) -> list[str]:
    """Chunks without a vector, and documents that do not have the chunks they should have."""
    problems: list[str] = []
    if missing := count_without_vector(db, generation):
        problems.append(f"{missing} chunks have no vector: add their documents again")
    claimed = db.fetch_rows("SELECT coalesce(sum(chunks), 0) FROM documents")[0][0]
    stored = count_searchable(db)
    if claimed != stored:
        problems.append(f"documents claim {claimed} chunks, {stored} are stored")
    return problems


def describe_record(db: Session, generation: Generation | None) -> dict[str, str]:
    """How much there is, the model it was built with and the one it is being moved to."""
    documents = db.fetch_rows("SELECT count(*) FROM documents")[0][0]
    facts = {"record": f"{documents} documents, {count_searchable(db)} chunks"}
    if generation is not None:
        facts["embedding model"] = f"{generation.model}, {generation.dimension} dimensions"
    if building := find_building(db):
        facts["unfinished reindex"] = f"to {building.model}: run `ascertain reindex` to go on"
    return facts


def count_searchable(db: Session) -> int:
    """Searchable chunks of all tenants, counted one by one."""
    return int(db.fetch_rows("SELECT count(*) FROM chunks WHERE NOT is_parent")[0][0])


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
        with self.read_moment() as db:
            return reads.fetch_chunks(db, chunk_ids)

    def neighbours(self, chunk_id: str, before: int, after: int) -> list[Chunk]:
        with self.read_moment() as db:
            return reads.fetch_neighbours(db, chunk_id, before, after)

    def vectors(self, chunk_ids: Sequence[str]) -> Vectors:
        with self.read_moment() as db:
            return reads.select_vectors(self.read_vectors(db, chunk_ids), chunk_ids)

    def document(self, document_id: str) -> Document | None:
        with self.read_moment() as db:
            return reads.fetch_document(db, document_id)

    def export(self, document_ids: Sequence[str]) -> list[IndexedDocument]:
        with self.read_moment() as db:
            return reads.export_documents(db, document_ids, partial(self.read_vectors, db))

    def tenants(self) -> list[str]:
        with self.read_moment() as db:
            return reads.list_tenants(db)

    def documents(self, filter: Filter = Filter()) -> list[DocumentRecord]:
        with self.read_moment() as db:
            return reads.list_documents(db, filter)

    def known(self, tenant: str = "default") -> dict[str, str]:
        with self.read_moment() as db:
            return reads.list_known(db, tenant)

    def near_duplicates(self, signature: bytes, threshold: float, tenant: str = "default") -> list[tuple[str, float]]:
        with self.read_moment() as db:
            return reads.find_similar(db, signature, threshold, tenant)

    def iterate_chunks(self, filter: Filter = Filter()) -> Iterator[Chunk]:
        """All searchable chunks as of the first one taken, streamed from one read transaction."""
        with self.read_moment() as db:
            yield from reads.stream_chunks(db, filter)


def prepared_values(prepared: Prepared) -> dict[str, object]:
    """The columns of a document that is written with its chunks, but for those of one store alone."""
    source = prepared.source
    return {
        **document_row(source.document, source.added_at),
        "state": str(source.state),
        "reason": source.reason,
        "chunks": len(prepared.searchable),
        "duplicate_of": source.duplicate_of,
        "signature": source.signature,
        "version": version_number(source.document.id, source.document.content_hash),
    }


def insert_failure(db: Session, document: Document, reason: str, values: Mapping[str, object] | None = None) -> None:
    """Note a failure, with ``values`` of one store alone; an earlier version keeps chunks, text and hash."""
    row = {
        **document_row(document),
        **(values or {}),
        "state": str(DocumentState.FAILED),
        "reason": reason,
        "chunks": 0,
    }
    db.change_rows(
        f"""INSERT INTO documents ({", ".join(row)}) VALUES ({bind_marks(row)})
            ON CONFLICT (id) DO UPDATE SET state = excluded.state, reason = excluded.reason""",
        *row.values(),
    )


def promote_duplicate(db: Session, original: str) -> None:
    """Make the oldest duplicate of a deleted document the original of the others."""
    oldest = "SELECT number, id FROM documents WHERE duplicate_of = ? ORDER BY first_row, number LIMIT 1"
    found = db.fetch_rows(oldest, original)
    if not found:
        return
    number, heir = found[0]
    db.change_rows("UPDATE documents SET duplicate_of = ? WHERE duplicate_of = ?", heir, original)
    db.change_rows(
        """UPDATE documents SET duplicate_of = NULL, reason = '',
               state = CASE state WHEN ? THEN ? ELSE state END WHERE number = ?""",
        *(str(DocumentState.DUPLICATE), str(DocumentState.INDEXED), number),
    )
