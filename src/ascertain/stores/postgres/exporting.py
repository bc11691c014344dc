"""Whole documents, for another store."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from ascertain.core.chunks import Chunk
from ascertain.core.documents import Document, DocumentState
from ascertain.stores import rows
from ascertain.stores.generations import Generation
from ascertain.stores.ports import IndexedDocument
from ascertain.stores.postgres.connections import Connection, statement
from ascertain.stores.postgres.vector_search import stored_vectors


def documents(db: Connection, document_ids: Sequence[str], generation: Generation) -> list[IndexedDocument]:
    """Those that exist and have a text, in the order asked."""
    found = _documents(db, document_ids)
    chunks = _chunks(db, list(found))
    searchable = [chunk.id for own in chunks.values() for chunk in own if not chunk.is_parent]
    ids, stored = stored_vectors(db, generation, searchable)
    places = {chunk_id: place for place, chunk_id in enumerate(ids)}
    exported: list[IndexedDocument] = []
    for document_id in document_ids:
        if document_id in found:
            own = chunks[document_id]
            vectors = stored[[places[chunk.id] for chunk in own if not chunk.is_parent]]
            exported.append(_indexed(*found[document_id], own, vectors))
    return exported


def _documents(db: Connection, document_ids: Sequence[str]) -> dict[str, tuple[Document, rows.Row]]:
    found = db.execute(
        statement(
            f"""SELECT {rows.DOCUMENT_COLUMNS}, d.state, d.reason, d.duplicate_of, d.signature, d.added_at
                FROM documents d JOIN texts t ON t.document = d.number WHERE d.id = ANY(%s)"""
        ),
        (list(document_ids),),
    )
    return {row[0]: (rows.document(row[:-5]), row[-5:]) for row in found}


def _chunks(db: Connection, document_ids: Sequence[str]) -> dict[str, list[Chunk]]:
    found = db.execute(
        statement(
            f"""SELECT {rows.CHUNK_COLUMNS} FROM chunks c JOIN documents d ON d.number = c.document
                WHERE d.id = ANY(%s) ORDER BY c."row" """
        ),
        (list(document_ids),),
    )
    chunks: dict[str, list[Chunk]] = defaultdict(list)
    for chunk in map(rows.chunk, found):
        chunks[chunk.document_id].append(chunk)
    return chunks


def _indexed(
    document: Document, kept: rows.Row, chunks: Sequence[Chunk], vectors: NDArray[np.float16]
) -> IndexedDocument:
    state, reason, duplicate_of, signature, added_at = kept
    return IndexedDocument(
        document,
        chunks,
        vectors.astype(np.float32),
        DocumentState(state),
        reason,
        duplicate_of,
        signature,
        datetime.fromisoformat(added_at),
    )
