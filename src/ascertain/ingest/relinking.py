"""Keeping duplicate links true after the document they point at has changed."""

from __future__ import annotations

from collections.abc import Collection

from ascertain.core.documents import DocumentRecord, DocumentState
from ascertain.ingest.duplicates import find_original
from ascertain.ingest.linking import rewrite_link
from ascertain.ingest.minhash import signature
from ascertain.stores.ports import ChunkStore


def relink(store: ChunkStore, changed: Collection[str], threshold: float) -> None:
    """Look again at the duplicates of documents that changed; nothing is embedded anew.

    (When an original is deleted, the store itself makes the oldest duplicate the original.)
    """
    if not changed or not store.stats().by_state.get(DocumentState.DUPLICATE):
        return
    for record in store.documents():
        if record.duplicate_of in changed:
            _relink(store, record, threshold)


def _relink(store: ChunkStore, record: DocumentRecord, threshold: float) -> None:
    document = store.document(record.id)
    signed = signature(document.text) if document else None
    if document is None or signed is None:
        return
    original = find_original(store, document, signed, threshold, {})
    if original is None or original.id != record.duplicate_of:
        rewrite_link(store, record.id, original)
