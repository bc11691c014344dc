"""Documents checked before any store writes them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np
from numpy.typing import NDArray

from ascertain.core.chunks import Chunk
from ascertain.core.documents import DocumentRecord
from ascertain.core.errors import StoreError
from ascertain.stores.ports import IndexedDocument, Vectors

# A unit vector of up to 4,096 numbers in float16 is shorter or longer than 1 by at most half an ulp of its largest, 2^-11.
_HALF_ROUNDING = 2**-11


@dataclass(frozen=True, slots=True)
class Prepared:
    """A document checked and ready to be written.

    ``vectors`` are unit vectors as float16, shape ``(searchable chunks, dimension)``: what every store keeps, so that equal
    texts score alike in all of them.
    """

    source: IndexedDocument
    searchable: tuple[Chunk, ...]
    parents: tuple[Chunk, ...]
    vectors: NDArray[np.float16]


def prepare(documents: Sequence[IndexedDocument]) -> list[Prepared]:
    """Check all before any is written; of two versions of one document in a call the last counts.

    Raises StoreError naming the document.
    """
    latest = {document.document.id: document for document in documents}
    return [_prepared(document) for document in latest.values()]


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


def unit(vectors: Vectors) -> Vectors:
    """Rows scaled to length 1, so that inner products are cosines; zero rows stay zero."""
    array = np.asarray(vectors, np.float32)
    norms = np.linalg.norm(array, axis=-1, keepdims=True)
    return np.divide(array, norms, out=np.zeros_like(array), where=norms != 0)


def stored_form(vectors: Vectors) -> NDArray[np.float16]:
    """Unit rows as float16; the cosine of two such rows differs from float32 by less than 0.001.

    Rows that a store gave back are taken as they are, to the bit: their length is 1 but for the rounding.
    """
    array = np.asarray(vectors, np.float32)
    halves = array.astype(np.float16)
    is_stored = (halves == array).all(axis=-1, keepdims=True) & (
        np.abs(np.linalg.norm(array, axis=-1, keepdims=True) - 1) < _HALF_ROUNDING
    )
    return np.where(is_stored, halves, unit(array).astype(np.float16))


def cosines(products: NDArray[np.floating]) -> NDArray[np.float64]:
    """Inner products of unit vectors as scores: in -1..1, to six decimals.

    A vector's product differs in the last bits with the code that computes it (graph, scan, gather); without rounding
    equal vectors would not tie. float16 leaves no meaning in the later decimals.
    """
    return np.round(np.clip(products.astype(np.float64), -1, 1), 6)


def query_vector(vector: Vectors, dimension: int) -> Vectors | None:
    """A query as a unit vector of shape ``(dimension,)``; None when it has another length.

    Raises StoreError when it is not finite.
    """
    query = unit(np.asarray(vector, np.float32).reshape(-1))
    if len(query) != dimension:
        return None
    if not np.isfinite(query).all():
        raise StoreError("the embedding model returned a query vector that is not finite")
    return np.ascontiguousarray(query)


def _prepared(document: IndexedDocument) -> Prepared:
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
