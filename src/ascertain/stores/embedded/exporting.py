"""Whole documents out of the record, for another store."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from datetime import datetime

import numpy as np

from ascertain.core.chunks import Chunk
from ascertain.core.documents import DocumentState
from ascertain.stores import rows
from ascertain.stores.embedded import reads
from ascertain.stores.generations import Generation
from ascertain.stores.ports import IndexedDocument
from ascertain.stores.rows import optional_python, python_text, sql_text


def documents(
    db: sqlite3.Connection, document_ids: Sequence[str], generation: Generation
) -> list[IndexedDocument]:
    """Those that exist and have a text, in the order asked."""
    found = (_document(db, document_id, generation) for document_id in document_ids)
    return [document for document in found if document is not None]


def _document(db: sqlite3.Connection, document_id: str, generation: Generation) -> IndexedDocument | None:
    document = reads.document(db, document_id)
    if document is None:
        return None
    state, reason, duplicate_of, signature, added_at = db.execute(
        "SELECT state, reason, duplicate_of, signature, added_at FROM documents WHERE id = ?",
        (sql_text(document_id),),
    ).fetchone()
    chunks = _chunks(db, document_id)
    searchable = [chunk.id for chunk in chunks if not chunk.is_parent]
    blobs = reads.vectors(db, generation.number, searchable)
    halves = np.frombuffer(b"".join(blobs[chunk_id] for chunk_id in searchable), np.float16)
    return IndexedDocument(
        document,
        chunks,
        halves.astype(np.float32).reshape(len(searchable), generation.dimension),
        DocumentState(state),
        python_text(reason),
        optional_python(duplicate_of),
        signature,
        datetime.fromisoformat(added_at),
    )


def _chunks(db: sqlite3.Connection, document_id: str) -> list[Chunk]:
    found = db.execute(
        f"""SELECT {rows.CHUNK_COLUMNS} FROM chunks c JOIN documents d ON d.number = c.document
            WHERE d.id IN (SELECT value FROM json_each(?)) ORDER BY c.row""",
        (json.dumps([document_id]),),
    )
    return list(map(rows.chunk, found))
