"""What writing documents has in common. Every function runs inside the caller's write transaction."""

from __future__ import annotations

from collections.abc import Mapping

from ascertain.core.documents import Document, DocumentState
from ascertain.stores.fingerprints import version_number
from ascertain.stores.prepared import Prepared
from ascertain.stores.relational.database import Session, marks
from ascertain.stores.rows import document_row


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


def insert_failed(
    db: Session, document: Document, reason: str, values: Mapping[str, object] | None = None
) -> None:
    """Note a failure, with ``values`` of one store alone; an earlier version keeps chunks, text and hash."""
    row = {
        **document_row(document),
        **(values or {}),
        "state": str(DocumentState.FAILED),
        "reason": reason,
        "chunks": 0,
    }
    db.change_rows(
        f"""INSERT INTO documents ({", ".join(row)}) VALUES ({marks(row)})
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
