"""Documents as an extractor takes them, read back from the chunk store."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ascertain.core.chunks import Chunk
from ascertain.core.documents import DocumentRecord, DocumentState
from ascertain.core.filters import Filter
from ascertain.core.graph import DocumentGraph
from ascertain.stores.ports import CompleteStore

_ASKED = 500
"""Documents asked for at once by their ids; databases bound how long a condition may be."""


@dataclass(frozen=True, slots=True)
class Given:
    """A document to be read: its searchable chunks, in order."""

    document_id: str
    content_hash: str
    chunks: Sequence[Chunk]
    conversation_id: str | None
    tenant: str

    def says_nothing(self, extractor: str) -> DocumentGraph:
        """What a document without chunks says."""
        return DocumentGraph(
            self.document_id,
            version(self.content_hash, extractor),
            (),
            conversation_id=self.conversation_id,
            tenant=self.tenant,
        )


def version(content_hash: str, extractor: str) -> str:
    """``DocumentGraph.version`` of a document that the extractor of this name has read."""
    return f"{content_hash}:{extractor}"


def is_version_of(written: str, content_hash: str) -> bool:
    """Whether some extractor has read the document of this content hash for it."""
    return written.startswith(f"{content_hash}:")


def stored_records(
    chunks: CompleteStore, tenant: str, document_ids: Sequence[str]
) -> dict[str, DocumentRecord]:
    """The documents that can be searched, of those named; one that failed counts while an earlier version of it is there."""
    if not document_ids:
        return {}
    found = chunks.documents(Filter(document_ids=tuple(document_ids), tenant=tenant))
    return {
        record.id: record for record in found if record.chunks or record.state is not DocumentState.FAILED
    }


def all_records(chunks: CompleteStore, tenant: str, document_ids: Sequence[str]) -> Iterator[DocumentRecord]:
    """The same, for any number of documents."""
    for some in portions(document_ids):
        yield from stored_records(chunks, tenant, some).values()


def portions(document_ids: Sequence[str]) -> Iterator[Sequence[str]]:
    """The documents in turns, few enough to be asked for by their ids."""
    for start in range(0, len(document_ids), _ASKED):
        yield document_ids[start : start + _ASKED]


def stored_chunks(chunks: CompleteStore, tenant: str, records: Mapping[str, DocumentRecord]) -> list[Given]:
    """The documents with all their searchable chunks, in the order of ``records``."""
    own: dict[str, list[Chunk]] = {name: [] for name in records}
    if own:
        for chunk in chunks.iterate_chunks(Filter(document_ids=tuple(records), tenant=tenant)):
            own.setdefault(chunk.document_id, []).append(chunk)
    return [
        Given(name, record.content_hash, own[name], record.conversation_id, tenant)
        for name, record in records.items()
    ]
