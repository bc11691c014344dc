"""Keeping duplicate links true after the document they point at has changed."""

from __future__ import annotations

from collections.abc import Collection

from ascertain.core.chunks import Chunk
from ascertain.core.documents import DocumentRecord, DocumentState
from ascertain.core.filters import Filter
from ascertain.ingest.duplicates import find_original
from ascertain.ingest.minhash import signature
from ascertain.stores.ports import ChunkStore, IndexedDocument


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
    if original and original.id == record.duplicate_of:
        return
    chunks = list(store.iterate_chunks(Filter(document_ids=(record.id,))))
    vectors = store.vectors([chunk.id for chunk in chunks])
    rewritten = IndexedDocument(
        document,
        (*chunks, *_parents(store, chunks)),
        vectors,
        DocumentState.DUPLICATE if original else DocumentState.INDEXED,
        original.reason if original else "",
        original.id if original else None,
        signed,
    )
    store.upsert([rewritten])


def _parents(store: ChunkStore, chunks: Collection[Chunk]) -> list[Chunk]:
    return store.get(list(dict.fromkeys(chunk.parent_id for chunk in chunks if chunk.parent_id)))
