"""Documents checked and in the form that all stores keep: vectors, signatures, records; and the best hits."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np
from numpy.typing import NDArray

from ascertain.core.documents import Chunk, DocumentRecord
from ascertain.core.errors import EmbeddingMismatch, StoreError
from ascertain.core.passages import Hit
from ascertain.stores.ports import IndexedDocument, Vectors


@dataclass(frozen=True, slots=True)
class Generation:
    """One embedding model's vectors."""

    number: int
    model: str
    dimension: int

    def is_of(self, model: str, dimension: int) -> bool:
        """Whether its vectors are of this model and dimension."""
        return (self.model, self.dimension) == (model, dimension)


def mismatch_error(place: object, stored: Generation, model: str, dimension: int) -> EmbeddingMismatch:
    """The error for vectors of another model; ``place`` names the home or the server, without secrets."""
    return EmbeddingMismatch(
        f"the knowledge base in {place} was built with the embedding model {stored.model} "
        f"({stored.dimension} dimensions), not {model} ({dimension} dimensions): set models.embedder to "
        f"{stored.model}, or run `ascertain reindex` to move it to {model}"
    )


# Fetched beyond k, for rows that are gone and for ties at the end.
_SLACK = 32
_TIES_AT_MOST = 10_000

Fetch = Callable[[int], Sequence[tuple[int, float]]]
Resolve = Callable[[Sequence[int]], dict[int, str]]


def top_hits(fetch: Fetch, resolve: Resolve, k: int) -> list[Hit]:
    """The ``k`` best hits, equal scores by chunk id.

    ``fetch(limit)`` gives the best ``limit`` rows with scores, best first; ``resolve(rows)`` the chunk id of each that
    exists. Fetches more while too few exist, or while the k-th score is also the last one fetched (a tie that may go
    on); a tie of more than 10,000 chunks is cut by row.
    """
    if k < 1:
        return []
    limit = k + _SLACK
    while True:
        found = fetch(limit)
        ids = resolve([row for row, _ in found])
        hits = sorted(
            (Hit(ids[row], score) for row, score in found if row in ids), key=lambda hit: (-hit.score, hit.chunk_id)
        )
        is_complete = len(found) < limit or limit > k + _TIES_AT_MOST
        if is_complete or (len(hits) >= k and hits[k - 1].score > found[-1][1]):
            return hits[:k]
        limit *= 4


# A unit vector of up to 4,096 numbers in float16 is shorter or longer than 1 by at most half an ulp of its largest,
# 2^-11.
_HALF_ROUNDING = 2**-11


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


def scale_to_unit(vectors: Vectors) -> Vectors:
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
    return np.where(is_stored, halves, scale_to_unit(array).astype(np.float16))


def cosine_scores(products: NDArray[np.floating]) -> NDArray[np.float64]:
    """Inner products of unit vectors as scores: in -1..1, to six decimals.

    A vector's product differs in the last bits with the code that computes it (graph, scan, gather); without rounding
    equal vectors would not tie. float16 leaves no meaning in the later decimals.
    """
    return np.round(np.clip(products.astype(np.float64), -1, 1), 6)


def query_vector(vector: Vectors, dimension: int) -> Vectors | None:
    """A query as a unit vector of shape ``(dimension,)``; None when it has another length.

    Raises StoreError when it is not finite.
    """
    query = scale_to_unit(np.asarray(vector, np.float32).reshape(-1))
    if len(query) != dimension:
        return None
    if not np.isfinite(query).all():
        raise StoreError("the embedding model returned a query vector that is not finite")
    return np.ascontiguousarray(query)


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
