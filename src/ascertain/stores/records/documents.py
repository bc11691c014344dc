"""Documents checked and in the form that all stores keep: vectors, signatures, records; and which of them a filter selects."""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np
from numpy.typing import NDArray

from ascertain.core.asking.passages import OWN, Filter
from ascertain.core.documents.documents import Chunk, DocumentRecord
from ascertain.core.errors import StoreError
from ascertain.stores.ports.chunks import IndexedDocument
from ascertain.stores.records.vectors import Generation, mismatch_error, stored_form


@dataclass(frozen=True, slots=True)
class Prepared:
    """A document checked and ready to be written.

    ``vectors`` are unit vectors as float16, shape ``(searchable chunks, dimension)``: what every store keeps, so that
    equal texts score alike in all of them.
    """

    source: IndexedDocument
    searchable: tuple[Chunk, ...]
    parents: tuple[Chunk, ...]
    vectors: NDArray[np.float16]


def prepare_documents(documents: Sequence[IndexedDocument]) -> list[Prepared]:
    """Check all before any is written; of two versions of one document in a call the last counts.

    Raises StoreError naming the document.
    """
    latest = {document.document.id: document for document in documents}
    return [_prepare_document(document) for document in latest.values()]


def check_dimension(documents: Iterable[Prepared], generation: Generation, place: object) -> None:
    """Raise EmbeddingMismatch for vectors of another dimension than those in the store at ``place`` have."""
    for document in documents:
        width = document.vectors.shape[-1] if len(document.vectors) else generation.dimension
        if width != generation.dimension:
            raise mismatch_error(place, generation, "the model in use", width)


def summarize_document(written: IndexedDocument) -> DocumentRecord:
    """The record of a document that is kept as it was written."""
    document = written.document
    return DocumentRecord(
        id=document.id,
        title=document.title,
        kind=document.kind,
        source=document.source,
        state=written.state,
        reason=written.reason,
        content_hash=document.content_hash,
        chunks=sum(not chunk.is_parent for chunk in written.chunks),
        characters=len(document.text),
        profile=document.profile,
        added_at=written.added_at or datetime.now(UTC),
        url=document.url,
        author=document.author,
        published_at=document.published_at,
        language=document.language,
        tags=document.tags,
        conversation_id=document.conversation_id,
        duplicate_of=written.duplicate_of,
        document_profile=document.document_profile,
    )


def _prepare_document(document: IndexedDocument) -> Prepared:
    name = document.document.source
    searchable = tuple(chunk for chunk in document.chunks if not chunk.is_parent)
    if len(searchable) != len(document.vectors):
        raise StoreError(f"{name}: {len(searchable)} searchable chunks but {len(document.vectors)} vectors")
    if any(chunk.document_id != document.document.id for chunk in document.chunks):
        raise StoreError(f"{name}: a chunk belongs to another document")
    if len({chunk.id for chunk in document.chunks}) != len(document.chunks):
        raise StoreError(f"{name}: two chunks have the same id")
    vectors = stored_form(document.vectors)
    if not np.isfinite(vectors).all():
        raise StoreError(f"{name}: the embedding model returned a vector that is not finite")
    parents = tuple(chunk for chunk in document.chunks if chunk.is_parent)
    return Prepared(document, searchable, parents, vectors)


# The signature of a document is 128 MinHash values as bytes (uint32, or uint64 as datasketch writes them). It is cut
# into 32 bands of 4 values; documents sharing a band are compared in full. Two documents of Jaccard similarity s share
# a band with probability 1 - (1 - s^4)^32: 0.87 at 0.5, 0.9999 at 0.7. Broder 1997; Leskovec, Rajaraman & Ullman,
# chapter 3.

PERMUTATIONS = 128
BANDS = 32
_ROWS = PERMUTATIONS // BANDS


def signature_bands(signature: bytes) -> list[int]:
    """One 63-bit key per band; raises StoreError for a signature of another length."""
    width = _item_size(signature) * _ROWS
    return [
        int.from_bytes(
            hashlib.blake2b(
                signature[start : start + width], digest_size=8, salt=(start // width).to_bytes(2, "little")
            ).digest()
        )
        >> 1
        for start in range(0, len(signature), width)
    ]


def estimate_jaccard(one: bytes, other: bytes) -> float:
    """The share of equal values: an unbiased estimate of the Jaccard similarity of the two shingle sets."""
    item = np.uint32 if _item_size(one) == 4 else np.uint64
    equal = np.frombuffer(one, item) == np.frombuffer(other, item)
    return int(np.count_nonzero(equal)) / PERMUTATIONS


def most_similar(
    signature: bytes, candidates: Iterable[tuple[str, bytes]], threshold: float
) -> list[tuple[str, float]]:
    """Of ``(document id, signature)`` pairs those that reach ``threshold``, best first, then by id."""
    found = [
        (document_id, estimate_jaccard(signature, other))
        for document_id, other in candidates
        if len(other) == len(signature)
    ]
    return sorted((pair for pair in found if pair[1] >= threshold), key=lambda pair: (-pair[1], pair[0]))


def _item_size(signature: bytes) -> int:
    size, rest = divmod(len(signature), PERMUTATIONS)
    if rest or size not in {4, 8}:
        raise StoreError(
            f"a MinHash signature has {PERMUTATIONS} values of 4 or 8 bytes, this one has {len(signature)} bytes"
        )
    return size


CHILD_SEPARATORS = ("/", "#")
"""A source names a folder of files, or a table file whose rows are ``path#row``."""


def list_prefixes(source: str) -> tuple[str, ...]:
    """The prefixes that ``source`` stands for besides itself: a glob ending in ``*``, or a folder's contents."""
    if source.endswith("*"):
        return (source[:-1],)
    if source.endswith(CHILD_SEPARATORS):
        return (source,)
    return tuple(source + separator for separator in CHILD_SEPARATORS)


def list_ancestors(source: str) -> list[str]:
    """Every prefix of ``source`` that ends in a separator: the folders it is in, and the table file it is a row of."""
    return [source[: place + 1] for place, character in enumerate(source) if character in CHILD_SEPARATORS]


def matches_filter(written: IndexedDocument, filter: Filter) -> bool:
    """Whether ``filter`` selects a document; where it names chunks, whether it has one of them."""
    document, moment = written.document, written.document.published_at
    return (
        document.tenant == filter.tenant
        and (not filter.document_ids or document.id in filter.document_ids)
        and (not filter.kinds or document.kind in filter.kinds)
        and (not filter.profiles or document.profile in filter.profiles)
        and (not filter.languages or document.language in filter.languages)
        and (not filter.tags or not set(filter.tags).isdisjoint(document.tags))
        and (not filter.sources or any(_contains_source(source, document.source) for source in filter.sources))
        and (filter.published_from is None or (moment is not None and moment >= filter.published_from))
        and (filter.published_before is None or (moment is not None and moment < filter.published_before))
        and (filter.conversation_id is None or document.conversation_id == filter.conversation_id)
        and (filter.within is None or (document.conversation_id or OWN) in filter.within)
        and (not filter.names_chunks or any(matches_chunk(chunk, filter) for chunk in written.chunks))
    )


def matches_chunk(chunk: Chunk, filter: Filter) -> bool:
    """Whether ``filter`` selects a chunk of a document that it selects."""
    return (not filter.chunk_ids or chunk.id in filter.chunk_ids) and (
        not filter.topics or not set(filter.topics).isdisjoint(chunk.topics)
    )


def _contains_source(wanted: str, source: str) -> bool:
    return source == wanted or source.startswith(list_prefixes(wanted))
