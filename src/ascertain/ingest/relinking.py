"""Keeping duplicate links true after the document they point at has changed."""

from __future__ import annotations

from collections.abc import Collection

from ascertain.core.documents import DocumentRecord, DocumentState
from ascertain.core.filters import Filter
from ascertain.ingest.duplicates import stored_original, wanted_similarity
from ascertain.ingest.linking import rewrite_link
from ascertain.ingest.minhash import signature
from ascertain.stores.ports import CompleteStore


def relink(store: CompleteStore, changed: Collection[str], threshold: float, tenant: str = "default") -> None:
    """Look again at the tenant's duplicates of documents that changed; nothing is embedded anew.

    (When an original is deleted, the store itself makes the oldest duplicate the original.)
    """
    if not changed or not store.stats(tenant).by_state.get(DocumentState.DUPLICATE):
        return
    records = store.documents(Filter(tenant=tenant))
    doubtful = {record.id: record for record in records if record.duplicate_of in changed}
    while doubtful:
        document_id, record = next(iter(doubtful.items()))
        _relink(store, record, threshold, doubtful)
        del doubtful[document_id]


def _relink(
    store: CompleteStore, record: DocumentRecord, threshold: float, doubtful: Collection[str]
) -> None:
    """``doubtful`` are not followed: two duplicates of one document would keep each other at what it no longer is."""
    document = store.document(record.id)
    signed = signature(document.text) if document else None
    if document is None or signed is None:
        return
    similar = store.near_duplicates(signed, wanted_similarity(document, threshold), document.tenant)
    original = stored_original(store, document, [pair for pair in similar if pair[0] not in doubtful])
    if original is None or original.id != record.duplicate_of:
        rewrite_link(store, record.id, original)
