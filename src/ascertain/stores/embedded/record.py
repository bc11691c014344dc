"""Writing to the record. Every function runs inside the caller's write transaction."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from ascertain.core.documents import Document, DocumentState
from ascertain.core.filters import Filter
from ascertain.stores.embedded import change_log, duplicates
from ascertain.stores.embedded.filters_sql import document_condition
from ascertain.stores.fingerprints import version_number
from ascertain.stores.generations import Generation
from ascertain.stores.prepared import Prepared
from ascertain.stores.rows import chunk_row, document_row, regions_json, sql_text

_INSERT_CHUNK = f"INSERT INTO chunks VALUES ({', '.join('?' * 13)})"
_INSERT_VECTOR = "INSERT INTO vectors VALUES (?, ?, ?)"


def put(db: sqlite3.Connection, document: Prepared, generation: Generation) -> int:
    """Write one document over any earlier version; how many rows were added and removed."""
    removed = remove(db, [document.source.document.id])
    number = _insert_document(db, document)
    first = change_log.position(db).high_row + 1
    chunks = [*document.searchable, *document.parents]
    db.executemany(
        _INSERT_CHUNK, [chunk_row(first + place, number, chunk) for place, chunk in enumerate(chunks)]
    )
    db.executemany(
        _INSERT_VECTOR,
        [
            (first + place, generation.number, vector.tobytes())
            for place, vector in enumerate(document.vectors)
        ],
    )
    count = len(document.searchable)
    db.execute("UPDATE documents SET first_row = ? WHERE number = ?", (first, number))
    if count:
        change_log.append(db, "add", first, first + count - 1)
    return removed + count


def remove(db: sqlite3.Connection, document_ids: Sequence[str]) -> int:
    """Delete documents with everything only they own; how many searchable chunks went."""
    rows = 0
    for document_id in document_ids:
        found = db.execute(
            "SELECT number, first_row, chunks FROM documents WHERE id = ?", (sql_text(document_id),)
        ).fetchone()
        if found is None:
            continue
        number, first, count = found
        db.execute("DELETE FROM documents WHERE number = ?", (number,))
        if count:
            change_log.append(db, "remove", first, first + count - 1)
            rows += count
    return rows


def delete(db: sqlite3.Connection, filter: Filter) -> int:
    """Delete the documents that ``filter`` selects; how many there were."""
    condition = document_condition(filter)
    found = db.execute(f"SELECT d.id FROM documents d WHERE {condition.sql}", condition.parameters).fetchall()
    remove(db, [document_id for (document_id,) in found])
    for (document_id,) in found:
        _promote_duplicate(db, document_id)
    return len(found)


def mark_failed(db: sqlite3.Connection, document: Document, reason: str) -> None:
    """Note a failure; an earlier version keeps its chunks, text and hash."""
    updated = db.execute(
        "UPDATE documents SET state = ?, reason = ? WHERE id = ?",
        (str(DocumentState.FAILED), sql_text(reason), sql_text(document.id)),
    ).rowcount
    if not updated:
        values = {
            **document_row(document),
            "state": str(DocumentState.FAILED),
            "reason": sql_text(reason),
            "chunks": 0,
        }
        _insert(db, "documents", values)


def _insert_document(db: sqlite3.Connection, document: Prepared) -> int:
    source = document.source
    values = {
        **document_row(source.document, source.added_at),
        "state": str(source.state),
        "reason": sql_text(source.reason),
        "chunks": len(document.searchable),
        "duplicate_of": source.duplicate_of,
        "signature": source.signature,
        "version": version_number(source.document.id, source.document.content_hash),
    }
    number = _insert(db, "documents", values)
    db.execute(
        "INSERT INTO texts VALUES (?, ?, ?)",
        (number, sql_text(source.document.text), regions_json(source.document.regions)),
    )
    db.executemany(
        "INSERT INTO document_tags VALUES (?, ?)",
        [(number, sql_text(tag)) for tag in set(source.document.tags)],
    )
    if source.signature is not None:
        duplicates.store_bands(db, number, source.signature)
    return number


def _insert(db: sqlite3.Connection, table: str, values: dict[str, object]) -> int:
    marks = ", ".join("?" * len(values))
    number = db.execute(
        f"INSERT INTO {table} ({', '.join(values)}) VALUES ({marks})", tuple(values.values())
    ).lastrowid
    return number or 0


def _promote_duplicate(db: sqlite3.Connection, original: str | bytes) -> None:
    """Make the oldest duplicate of a deleted document the original of the others."""
    heir = db.execute(
        "SELECT number, id FROM documents WHERE duplicate_of = ? ORDER BY number LIMIT 1", (original,)
    ).fetchone()
    if heir is None:
        return
    number, heir_id = heir
    db.execute("UPDATE documents SET duplicate_of = ? WHERE duplicate_of = ?", (heir_id, original))
    db.execute(
        """UPDATE documents SET duplicate_of = NULL, reason = '', state = CASE state WHEN ? THEN ? ELSE state END
           WHERE number = ?""",
        (str(DocumentState.DUPLICATE), str(DocumentState.INDEXED), number),
    )
