"""Writing to the record. Every function runs inside the caller's write transaction."""

from __future__ import annotations

from collections.abc import Iterable

from ascertain.core.filters import Filter
from ascertain.stores.embedded import change_log
from ascertain.stores.embedded.dialect import RecordConnection
from ascertain.stores.generations import Generation
from ascertain.stores.prepared import Prepared
from ascertain.stores.relational.database import marks
from ascertain.stores.relational.filters import select_documents
from ascertain.stores.relational.writes import prepared_values, promote_duplicate
from ascertain.stores.rows import CHUNK_ROW, chunk_row, python_text, regions_json
from ascertain.stores.signatures import bands


def put(db: RecordConnection, document: Prepared, generation: Generation) -> int:
    """Write one document over any earlier version; how many rows were added and removed."""
    removed = remove(db, [document.source.document.id])
    first = change_log.position(db).high_row + 1
    number = _insert_document(db, document, first)
    chunks = [*document.searchable, *document.parents]
    db.insert_rows(
        "chunks", CHUNK_ROW, [chunk_row(first + place, number, chunk) for place, chunk in enumerate(chunks)]
    )
    db.executemany(
        "INSERT INTO vectors (row, generation, vector) VALUES (?, ?, ?)",
        [
            (first + place, generation.number, vector.tobytes())
            for place, vector in enumerate(document.vectors)
        ],
    )
    count = len(document.searchable)
    if count:
        change_log.append(db, "add", first, first + count - 1)
    return removed + count


def remove(db: RecordConnection, document_ids: Iterable[str]) -> int:
    """Delete documents with everything only they own; how many searchable chunks went."""
    rows = 0
    for document_id in document_ids:
        found = db.fetch_rows("SELECT number, first_row, chunks FROM documents WHERE id = ?", document_id)
        for number, first, count in found:
            db.execute("DELETE FROM documents WHERE number = ?", (number,))
            if count:
                change_log.append(db, "remove", first, first + count - 1)
                rows += count
    return rows


def delete(db: RecordConnection, filter: Filter) -> int:
    """Delete the documents that ``filter`` selects; how many there were."""
    condition = select_documents(filter, db.dialect)
    found = db.fetch_rows(f"SELECT d.id FROM documents d WHERE {condition.sql}", *condition.parameters)
    deleted = [python_text(document_id) for (document_id,) in found]
    remove(db, deleted)
    for document_id in deleted:
        promote_duplicate(db, document_id)
    return len(deleted)


def _insert_document(db: RecordConnection, prepared: Prepared, first_row: int) -> int:
    document, signature = prepared.source.document, prepared.source.signature
    values = {**prepared_values(prepared), "first_row": first_row}
    adding = f"INSERT INTO documents ({', '.join(values)}) VALUES ({marks(values)})"
    number = db.execute(adding, db.encode_values(values.values())).lastrowid or 0
    db.insert_rows(
        "texts", "document, text, regions", [(number, document.text, regions_json(document.regions))]
    )
    db.insert_rows("document_tags", "document, tag", [(number, tag) for tag in set(document.tags)])
    if signature is not None:
        own = [(band, number) for band in set(bands(signature))]
        db.executemany("INSERT INTO signature_bands (band, document) VALUES (?, ?)", own)
    return number
