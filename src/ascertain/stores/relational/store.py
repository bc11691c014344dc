"""Shared by the chunk stores in a database: reading documents and chunks, and the rows that they write."""

from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Any, Generic, TypeVar

from ascertain.core.asking.passages import Filter
from ascertain.core.documents.documents import Chunk, Document, DocumentRecord, DocumentState
from ascertain.core.errors import StoreError
from ascertain.core.service.status import format_count
from ascertain.stores.ports.chunks import IndexedDocument, Vectors
from ascertain.stores.records import rows
from ascertain.stores.records.documents import Prepared, most_similar, signature_bands
from ascertain.stores.records.encoding import version_number
from ascertain.stores.records.rows import document_row, optional_text, python_text
from ascertain.stores.records.vectors import Generation
from ascertain.stores.relational.database import Session, bind_marks, select_chunks, select_documents, split_groups
from ascertain.stores.relational.reads import FROM_CHUNKS, StoredVectors, count_without_vector, select_vectors
from ascertain.stores.relational.reembedding import find_building

_CHUNKS = f"SELECT {rows.CHUNK_COLUMNS} {FROM_CHUNKS}"
_FROM_TEXTS = "FROM documents d JOIN texts t ON t.document = d.number"


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


def find_text_problems(db: Session) -> list[str]:
    """Documents whose text, or what is searched of it, differs from what was written: the database itself does not notice that.

    Each is read whole and compared with its hash, and its chunks with its text.
    """
    sources: list[str] = []
    columns = f"d.number, d.source, d.content_hash, {rows.DOCUMENT_COLUMNS}"
    for number, source, content_hash, *row in db.stream_rows(f"SELECT {columns} {_FROM_TEXTS} ORDER BY d.source"):
        try:
            document = rows.read_document(row)
            stored = db.fetch_rows(f"{_CHUNKS} WHERE c.document = ?", number)
            is_whole = document.content_hash == content_hash and all(
                document.text[chunk.span.start : chunk.span.end] == chunk.text for chunk in map(rows.read_chunk, stored)
            )
        except StoreError:
            is_whole = False
        if not is_whole:
            sources.append(python_text(source))
    if not sources:
        return []
    summary = f"what is stored is damaged in {format_count(len(sources), 'document')}, the first is {sources[0]}"
    return [f"{summary}: delete and add again what is damaged, or restore the record from a backup"]


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


def fetch_chunks(db: Session, chunk_ids: Sequence[str]) -> dict[str, Chunk]:
    """The named chunks that exist, by id."""
    named = db.dialect.match_any("c.id", chunk_ids)
    found = db.fetch_rows(f"{_CHUNKS} WHERE {named.sql}", *named.parameters)
    return {chunk.id: chunk for chunk in map(rows.read_chunk, found)}


SessionT = TypeVar("SessionT", bound=Session)


class TableChunkStore(ABC, Generic[SessionT]):
    """The reading of documents; each store adds how it writes and searches."""

    @abstractmethod
    def read_moment(self) -> AbstractContextManager[SessionT]:
        """A read transaction; errors in it are raised as StoreError."""

    @abstractmethod
    def read_vectors(self, db: SessionT, chunk_ids: Sequence[str]) -> StoredVectors:
        """Ids and vectors of the named chunks that have one, in no order."""

    def get(self, chunk_ids: Sequence[str]) -> list[Chunk]:
        with self.read_moment() as db:
            by_id = fetch_chunks(db, chunk_ids)
        return [by_id[chunk_id] for chunk_id in chunk_ids if chunk_id in by_id]

    def neighbours(self, chunk_id: str, before: int, after: int) -> list[Chunk]:
        with self.read_moment() as db:
            found = db.fetch_rows(
                f"""{_CHUNKS} JOIN chunks centre ON centre.document = c.document
                    WHERE centre.id = ? AND NOT centre.is_parent AND NOT c.is_parent AND c.position
                        BETWEEN centre.position - CAST(? AS bigint) AND centre.position + CAST(? AS bigint)
                    ORDER BY c.position""",
                *(chunk_id, before, after),
            )
        return list(map(rows.read_chunk, found))

    def iterate_chunks(self, filter: Filter = Filter()) -> Iterator[Chunk]:
        """All searchable chunks as of the first one taken, in the order in which their documents were written."""
        with self.read_moment() as db:
            condition = select_chunks(filter, db.dialect)
            selecting = f'{_CHUNKS} WHERE NOT c.is_parent AND {condition.sql} ORDER BY c."row"'
            yield from map(rows.read_chunk, db.stream_rows(selecting, *condition.parameters))

    def vectors(self, chunk_ids: Sequence[str]) -> Vectors:
        with self.read_moment() as db:
            return select_vectors(self.read_vectors(db, chunk_ids), chunk_ids)

    def document(self, document_id: str) -> Document | None:
        with self.read_moment() as db:
            found = db.fetch_rows(f"SELECT {rows.DOCUMENT_COLUMNS} {_FROM_TEXTS} WHERE d.id = ?", document_id)
        return rows.read_document(found[0]) if found else None

    def export(self, document_ids: Sequence[str]) -> list[IndexedDocument]:
        found: dict[str, Sequence[Any]] = {}
        chunks: dict[str, list[Chunk]] = defaultdict(list)
        columns = f"d.id, d.state, d.reason, d.duplicate_of, d.signature, d.added_at, {rows.DOCUMENT_COLUMNS}"
        with self.read_moment() as db:
            for group in split_groups(dict.fromkeys(document_ids)):
                among = f"d.id IN ({bind_marks(group)})"
                for document_id, *row in db.fetch_rows(f"SELECT {columns} {_FROM_TEXTS} WHERE {among}", *group):
                    found[python_text(document_id)] = row
                for row in db.fetch_rows(f'{_CHUNKS} WHERE {among} ORDER BY c."row"', *group):
                    chunk = rows.read_chunk(row)
                    chunks[chunk.document_id].append(chunk)
            searchable = [chunk.id for own in chunks.values() for chunk in own if not chunk.is_parent]
            stored = self.read_vectors(db, searchable)
        return [
            _read_export(found[document_id], chunks[document_id], stored)
            for document_id in document_ids
            if document_id in found
        ]

    def tenants(self) -> list[str]:
        with self.read_moment() as db:
            # From one tenant to the next in the index, instead of through all documents.
            found = db.fetch_rows(
                """WITH RECURSIVE each(tenant) AS (
                       SELECT min(tenant) FROM documents
                       UNION ALL
                       SELECT (SELECT d.tenant FROM documents d WHERE d.tenant > each.tenant
                               ORDER BY d.tenant LIMIT 1)
                       FROM each WHERE each.tenant IS NOT NULL)
                   SELECT tenant FROM each WHERE tenant IS NOT NULL"""
            )
        return sorted(python_text(name) for (name,) in found)

    def documents(self, filter: Filter = Filter()) -> list[DocumentRecord]:
        with self.read_moment() as db:
            condition = select_documents(filter, db.dialect)
            selecting = f"SELECT {rows.RECORD_COLUMNS} FROM documents d WHERE {condition.sql} ORDER BY d.source, d.id"
            return list(map(rows.read_record, db.fetch_rows(selecting, *condition.parameters)))

    def known(self, tenant: str = "default") -> dict[str, str]:
        selecting = "SELECT id, content_hash FROM documents WHERE tenant = ? AND state <> ?"
        with self.read_moment() as db:
            found = db.fetch_rows(selecting, tenant, str(DocumentState.FAILED))
        return {python_text(document_id): content_hash for document_id, content_hash in found}

    def near_duplicates(self, signature: bytes, threshold: float, tenant: str = "default") -> list[tuple[str, float]]:
        keys = signature_bands(signature)
        with self.read_moment() as db:
            owned = db.dialect.match_tenant(tenant, is_narrow=True)  # else SQLite goes through all documents each time
            candidates = db.fetch_rows(
                f"""SELECT d.id, d.signature FROM documents d WHERE {owned.sql} AND d.first_row IS NOT NULL AND d.number IN (
                        SELECT document FROM signature_bands WHERE band IN ({bind_marks(keys)}))""",
                *(*owned.parameters, *keys),
            )
        return most_similar(signature, ((python_text(name), other) for name, other in candidates), threshold)


@rows.guard_reading
def _read_export(row: Sequence[Any], chunks: Sequence[Chunk], vectors: StoredVectors) -> IndexedDocument:
    state, reason, duplicate_of, signature, added_at, *document = row
    return IndexedDocument(
        rows.read_document(document),
        chunks,
        select_vectors(vectors, [chunk.id for chunk in chunks if not chunk.is_parent]),
        DocumentState(state),
        python_text(reason),
        optional_text(duplicate_of),
        signature,
        datetime.fromisoformat(added_at),
    )


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
