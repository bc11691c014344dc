"""Copying the documents of one tenant from store to store, and comparing them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from ascertain.app import checksums
from ascertain.core.documents import Document, DocumentRecord, DocumentState
from ascertain.core.filters import Filter
from ascertain.stores.ports import CompleteStore, IndexedDocument

BATCH_CHUNKS = 512
"""Chunks read and written at a time: a few megabytes of text and vectors, and few enough transactions not to be felt."""
BATCH_DOCUMENTS = 256


class Advance(Protocol):
    """Hears that so many more chunks are done."""

    def __call__(self, chunks: int) -> None:
        """``chunks`` more."""
        ...


@dataclass(frozen=True, slots=True)
class CopiedBatch:
    """Documents written and those that were there already; ``digests`` of all of them as they were read, by document id."""

    written: int
    unchanged: int
    chunks: int
    digests: dict[str, bytes]


def copy_documents(source: CompleteStore, target: CompleteStore, tenant: str) -> Iterator[CopiedBatch]:
    """Bring every document of ``tenant`` to ``target``; those that are equal there already are left alone.

    The oldest come first, so that a store that hands on an original to its oldest duplicate goes on doing so.
    """
    there = {record.id: record for record in target.documents(Filter(tenant=tenant))}
    for batch in batches(source.documents(Filter(tenant=tenant))):
        ids = [record.id for record in batch]
        read = {found.document.id: found for found in source.export(ids)}
        known = digests(target, [there[document_id] for document_id in ids if document_id in there])
        # one without text that is no failure was deleted since it was listed
        present = [r for r in batch if r.id in read or r.state is DocumentState.FAILED]
        now = {record.id: _digest(record, read.get(record.id)) for record in present}
        changed = [record for record in present if known.get(record.id) != now[record.id]]
        if whole := [read[record.id] for record in changed if record.id in read]:
            target.upsert(whole)
        for record in changed:
            if record.id not in read:
                _copy_failure(target, record, tenant, is_there=record.id in there)
        chunks = sum(record.chunks for record in batch)
        yield CopiedBatch(len(changed), len(present) - len(changed), chunks, now)


def all_digests(
    store: CompleteStore, records: Sequence[DocumentRecord], advance: Advance
) -> dict[str, bytes]:
    """The checksum of each of the documents, by id."""
    found: dict[str, bytes] = {}
    for batch in batches(records):
        found |= digests(store, batch)
        advance(sum(record.chunks for record in batch))
    return found


def digests(store: CompleteStore, records: Sequence[DocumentRecord]) -> dict[str, bytes]:
    """Checksums of a few documents by id."""
    read = {found.document.id: found for found in store.export([record.id for record in records])}
    return {record.id: _digest(record, read.get(record.id)) for record in records}


def batches(records: Sequence[DocumentRecord]) -> Iterator[list[DocumentRecord]]:
    """The records, oldest first, in lists of bounded size; a document of more chunks stands alone."""
    batch: list[DocumentRecord] = []
    chunks = 0
    for record in sorted(records, key=lambda record: (record.added_at, record.id)):
        if batch and (chunks + record.chunks > BATCH_CHUNKS or len(batch) == BATCH_DOCUMENTS):
            yield batch
            batch, chunks = [], 0
        batch.append(record)
        chunks += record.chunks
    if batch:
        yield batch


def _copy_failure(target: CompleteStore, record: DocumentRecord, tenant: str, is_there: bool) -> None:
    """Note a document that could not be read; what the target has of it from before goes."""
    if is_there:
        target.delete(Filter(document_ids=(record.id,), tenant=tenant))
    unread = Document(
        id=record.id,
        text="",
        title=record.title,
        kind=record.kind,
        source=record.source,
        url=record.url,
        author=record.author,
        published_at=record.published_at,
        language=record.language,
        tags=record.tags,
        profile=record.profile,
        conversation_id=record.conversation_id,
        tenant=tenant,
        document_profile=record.document_profile,
    )
    target.mark_failed(unread, record.reason)


def _digest(record: DocumentRecord, found: IndexedDocument | None) -> bytes:
    """Of a document as it was exported; of its record where it has no text because it was never read."""
    return checksums.of_document(found) if found else checksums.of_failure(record)
