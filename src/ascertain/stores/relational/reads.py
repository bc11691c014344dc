"""Reading documents and chunks. Every function runs inside the caller's read transaction."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from ascertain.core.documents import Chunk, Document, DocumentRecord, DocumentState
from ascertain.core.errors import StoreError
from ascertain.core.passages import OWN, Filter
from ascertain.core.profiling import CorpusProfile
from ascertain.core.status import StoreStats
from ascertain.stores import rows
from ascertain.stores.ports import IndexedDocument, Vectors
from ascertain.stores.preparation import Generation, most_similar, signature_bands
from ascertain.stores.relational.database import (
    Condition,
    Session,
    bind_marks,
    select_chunks,
    select_documents,
    select_elsewhere,
    split_groups,
)
from ascertain.stores.rows import optional_python, python_text

StoredVectors = tuple[Sequence[str], NDArray[np.float16]]
"""Ids of chunks and their vectors, of shape (ids, dimension)."""

_FROM_CHUNKS = "FROM chunks c JOIN documents d ON d.number = c.document"
_CHUNKS = f"SELECT {rows.CHUNK_COLUMNS} {_FROM_CHUNKS}"
_FROM_TEXTS = "FROM documents d JOIN texts t ON t.document = d.number"
_SEARCHABLE = "FROM documents WHERE tenant = ? AND first_row IS NOT NULL"


def fetch_chunks(db: Session, chunk_ids: Sequence[str]) -> list[Chunk]:
    """The chunks that exist, in the order asked; parents included."""
    named = db.dialect.match_any("c.id", chunk_ids)
    found = db.fetch_rows(f"{_CHUNKS} WHERE {named.sql}", *named.parameters)
    by_id = {chunk.id: chunk for chunk in map(rows.read_chunk, found)}
    return [by_id[chunk_id] for chunk_id in chunk_ids if chunk_id in by_id]


def fetch_neighbours(db: Session, chunk_id: str, before: int, after: int) -> list[Chunk]:
    """The searchable chunks around one, itself included; none for a parent or an unknown id."""
    found = db.fetch_rows(
        f"""{_CHUNKS} JOIN chunks centre ON centre.document = c.document
            WHERE centre.id = ? AND NOT centre.is_parent AND NOT c.is_parent AND c.position
                BETWEEN centre.position - CAST(? AS bigint) AND centre.position + CAST(? AS bigint)
            ORDER BY c.position""",
        *(chunk_id, before, after),
    )
    return list(map(rows.read_chunk, found))


def stream_chunks(db: Session, filter: Filter) -> Iterator[Chunk]:
    """Searchable chunks, documents in the order they were written, chunks in the order of their text."""
    condition = select_chunks(filter, db.dialect)
    found = db.stream_rows(
        f'{_CHUNKS} WHERE NOT c.is_parent AND {condition.sql} ORDER BY c."row"', *condition.parameters
    )
    return map(rows.read_chunk, found)


def fetch_without_vector(db: Session, generation: Generation, after_row: int, limit: int) -> list[tuple[int, Chunk]]:
    """Up to ``limit`` searchable chunks above a row that lack a vector of ``generation``, with their rows, in order."""
    found = db.fetch_rows(
        f"""SELECT c."row", {rows.CHUNK_COLUMNS} {_FROM_CHUNKS}
            WHERE c."row" > ? AND NOT c.is_parent AND {db.dialect.lacks_vector(generation)}
            ORDER BY c."row" LIMIT ?""",
        *(after_row, limit),
    )
    return [(row[0], rows.read_chunk(row[1:])) for row in found]


def count_without_vector(db: Session, generation: Generation) -> int:
    """How many searchable chunks lack a vector of ``generation``."""
    lacking = f"NOT c.is_parent AND {db.dialect.lacks_vector(generation)}"
    return int(db.fetch_rows(f"SELECT count(*) FROM chunks c WHERE {lacking}")[0][0])


def select_vectors(found: StoredVectors, chunk_ids: Sequence[str]) -> Vectors:
    """The vectors of chunks in the order asked; raises StoreError for one that has none."""
    ids, stored = found
    places = {chunk_id: place for place, chunk_id in enumerate(ids)}
    unknown = next((chunk_id for chunk_id in chunk_ids if chunk_id not in places), None)
    if unknown is not None:
        raise StoreError(f"no vector is stored for the chunk {unknown}: it does not exist or is a parent")
    return stored[[places[chunk_id] for chunk_id in chunk_ids]].astype(np.float32)


def list_tenants(db: Session) -> list[str]:
    """Everyone who has a document, in order of name."""
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


def simplify_filter(db: Session, filter: Filter) -> Filter:
    """``filter`` without a condition that leaves nothing out.

    That is the one on ``within``, where nothing was fetched for other conversations.
    """
    if filter.within is None or OWN not in filter.within:
        return filter
    condition = select_elsewhere(filter.tenant, filter.within)
    others = db.fetch_rows(f"SELECT 1 FROM documents d WHERE {condition.sql} LIMIT 1", *condition.parameters)
    return filter if others else replace(filter, within=None)


def sum_versions(db: Session, condition: Condition) -> int:
    """The sum of the numbers of the searchable versions that are selected (see ``stores.encoding``)."""
    # In halves of 28 bits, since SQLite adds up to 2^63.
    high, low = db.fetch_rows(
        f"""SELECT coalesce(sum(d.version >> 28), 0), coalesce(sum(d.version & {(1 << 28) - 1}), 0)
            FROM documents d WHERE d.chunks > 0 AND {condition.sql}""",
        *condition.parameters,
    )[0]
    return (int(high) << 28) + int(low)


def fetch_document(db: Session, document_id: str) -> Document | None:
    """A document with its text; None when unknown, or when it failed before its text was stored."""
    found = db.fetch_rows(f"SELECT {rows.DOCUMENT_COLUMNS} {_FROM_TEXTS} WHERE d.id = ?", document_id)
    return rows.read_document(found[0]) if found else None


def list_documents(db: Session, filter: Filter) -> list[DocumentRecord]:
    """The records that ``filter`` selects, by source and id."""
    condition = select_documents(filter, db.dialect)
    found = db.fetch_rows(
        f"SELECT {rows.RECORD_COLUMNS} FROM documents d WHERE {condition.sql} ORDER BY d.source, d.id",
        *condition.parameters,
    )
    return list(map(rows.read_record, found))


def list_known(db: Session, tenant: str) -> dict[str, str]:
    """Content hash by document id, failed ones left out."""
    found = db.fetch_rows(
        "SELECT id, content_hash FROM documents WHERE tenant = ? AND state <> ?", *(tenant, str(DocumentState.FAILED))
    )
    return {python_text(document_id): content_hash for document_id, content_hash in found}


def find_similar(db: Session, signature: bytes, threshold: float, tenant: str) -> list[tuple[str, float]]:
    """Searchable documents whose estimated Jaccard similarity reaches ``threshold``, best first, by id."""
    keys = signature_bands(signature)
    candidates = db.fetch_rows(
        f"""SELECT id, signature FROM documents WHERE tenant = ? AND first_row IS NOT NULL AND number IN (
                SELECT document FROM signature_bands WHERE band IN ({bind_marks(keys)}))""",
        *(tenant, *keys),
    )
    return most_similar(signature, ((python_text(name), other) for name, other in candidates), threshold)


def read_stats(
    db: Session, tenant: str, generation: Generation | None, bytes_on_disk: int, corpus: CorpusProfile
) -> StoreStats:
    """Counts over one tenant; documents, kinds and profiles of what can be searched, states of everything."""
    documents, chunks, earliest, latest = db.fetch_rows(
        f"SELECT count(*), coalesce(sum(chunks), 0), min(published), max(published) {_SEARCHABLE}", tenant
    )[0]
    return StoreStats(
        documents=documents,
        chunks=int(chunks),
        by_kind=_count_by(db, "kind", _SEARCHABLE, tenant),
        by_profile=_count_by(db, "profile", _SEARCHABLE, tenant),
        by_state=_count_by(db, "state", "FROM documents WHERE tenant = ?", tenant),
        embedding_model=generation.model if generation else None,
        dimension=generation.dimension if generation else None,
        bytes_on_disk=bytes_on_disk,
        earliest=_find_date(db, tenant, earliest),
        latest=_find_date(db, tenant, latest),
        corpus=corpus,
    )


def export_documents(
    db: Session, document_ids: Sequence[str], read_vectors: Callable[[Sequence[str]], StoredVectors]
) -> list[IndexedDocument]:
    """Whole documents for another store: those that exist and have a text, in the order asked."""
    found: dict[str, rows.Row] = {}
    chunks: dict[str, list[Chunk]] = defaultdict(list)
    for group in split_groups(dict.fromkeys(document_ids)):
        among = f"d.id IN ({bind_marks(group)})"
        for row in db.fetch_rows(
            f"""SELECT {rows.DOCUMENT_COLUMNS}, d.state, d.reason, d.duplicate_of, d.signature, d.added_at
                {_FROM_TEXTS} WHERE {among}""",
            *group,
        ):
            found[python_text(row[0])] = row
        for chunk in map(rows.read_chunk, db.fetch_rows(f'{_CHUNKS} WHERE {among} ORDER BY c."row"', *group)):
            chunks[chunk.document_id].append(chunk)
    stored = read_vectors([chunk.id for own in chunks.values() for chunk in own if not chunk.is_parent])
    exported: list[IndexedDocument] = []
    for document_id in document_ids:
        if row := found.get(document_id):
            state, reason, duplicate_of, signature, added_at = row[-5:]
            own = chunks[document_id]
            exported.append(
                IndexedDocument(
                    rows.read_document(row[:-5]),
                    own,
                    select_vectors(stored, [chunk.id for chunk in own if not chunk.is_parent]),
                    DocumentState(state),
                    python_text(reason),
                    optional_python(duplicate_of),
                    signature,
                    datetime.fromisoformat(added_at),
                )
            )
    return exported


def _count_by(db: Session, column: str, among: str, tenant: str) -> dict[str, int]:
    found = db.fetch_rows(f"SELECT {column}, count(*) {among} GROUP BY {column} ORDER BY {column}", tenant)
    return {python_text(name): number for name, number in found}


def _find_date(db: Session, tenant: str, published: int | None) -> str | None:
    if published is None:
        return None
    found = db.fetch_rows(f"SELECT published_at {_SEARCHABLE} AND published = ? LIMIT 1", tenant, published)
    return str(found[0][0])
