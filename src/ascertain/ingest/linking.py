"""A document's link to the one it repeats, as the store keeps it."""

from __future__ import annotations

from dataclasses import replace

from ascertain.core.documents import DocumentState
from ascertain.ingest.duplicates import Original
from ascertain.stores.ports import CompleteStore, IndexedDocument


def linked(document: IndexedDocument, original: Original | None) -> IndexedDocument:
    """``document`` as a duplicate of ``original``, or as one that repeats nothing."""
    return replace(
        document,
        state=DocumentState.DUPLICATE if original else DocumentState.INDEXED,
        reason=original.reason if original else "",
        duplicate_of=original.id if original else None,
    )


def rewrite_link(store: CompleteStore, document_id: str, original: Original | None) -> None:
    """Link a stored document anew; nothing is embedded again."""
    for stored in store.export([document_id]):
        store.upsert([linked(stored, original)])
