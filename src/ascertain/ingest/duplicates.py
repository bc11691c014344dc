"""Near-duplicates: the same story told twice is recognised by MinHash and linked to the one that came first.

Broder, "On the resemblance and containment of documents", SEQUENCES 1997: the share of equal minima of two shingle sets under
random permutations estimates their Jaccard similarity; with 128 permutations its standard error is at most 0.044.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from datasketch import MinHash  # pyright: ignore[reportMissingTypeStubs]
from numpy.typing import NDArray

from ascertain.core.documents import Document, DocumentKind, DocumentRecord
from ascertain.core.filters import Filter
from ascertain.stores.ports import ChunkStore

PERMUTATIONS = 128
SHINGLE_WORDS = 5
MINIMUM_WORDS = 50
"""Shorter texts share too many shingles by chance (headings, notices) to be called the same story."""

_AT_ONCE = 8192
"""Shingles permuted together; datasketch makes a matrix of 128 columns of them."""
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
"""The golden ratio in 64 bits (Knuth, TAOCP 6.4): multiplication by it spreads the words over all bits."""
_WORD = re.compile(r"\w+")
_COMPARED_BY_DEGREE = frozenset({DocumentKind.ARTICLE, DocumentKind.PROSE})
"""Of the other kinds, two versions are two documents (a preprint and its revision); only the same text is a duplicate."""


@dataclass(frozen=True, slots=True)
class Original:
    """The document that came first, and how similar the later one is, 0..1."""

    id: str
    source: str
    similarity: float

    @property
    def reason(self) -> str:
        """Why the later document is marked."""
        if self.similarity >= 1:
            return f"same text as {self.source}"
        # 0.996 must not read as 1.00, which would say that the texts are the same
        return f"near-duplicate of {self.source} (similarity {min(self.similarity, 0.99):.2f})"


def signature(document: Document) -> bytes | None:
    """MinHash of the text's five-word shingles, 128 uint32; None for a text of under 50 words."""
    words = _WORD.findall(document.text.lower())
    if len(words) < MINIMUM_WORDS:
        return None
    sketch = cast(Any, MinHash)(num_perm=PERMUTATIONS, seed=1, hashfunc=int, scheme="affine32")
    hashes = _shingle_hashes(words)
    for start in range(0, len(hashes), _AT_ONCE):
        sketch.update_batch(hashes[start : start + _AT_ONCE])
    return cast("NDArray[np.uint32]", sketch.hashvalues).tobytes()


def _shingle_hashes(words: Sequence[str]) -> list[int]:
    """The distinct 32-bit hashes of the shingles: CRC-32 of their words as digits of a polynomial.

    Each word is hashed once, not five times; joining and hashing every shingle took ten times as long.
    """
    of_word = {word: zlib.crc32(word.encode("utf-8", "surrogatepass")) for word in set(words)}
    hashes = np.fromiter((of_word[word] for word in words), np.uint64, len(words))
    count = len(words) - SHINGLE_WORDS + 1
    shingles = np.zeros(count, np.uint64)
    for place in range(SHINGLE_WORDS):
        shingles = shingles * _MULTIPLIER + hashes[place : place + count]
    return np.unique((shingles ^ (shingles >> np.uint64(29))) & np.uint64(0xFFFFFFFF)).tolist()


def similarity(one: bytes, other: bytes) -> float:
    """Estimated Jaccard similarity of the texts behind two signatures."""
    equal = np.frombuffer(one, np.uint32) == np.frombuffer(other, np.uint32)
    return np.count_nonzero(equal) / PERMUTATIONS


@dataclass(frozen=True, slots=True)
class Candidate:
    """A document about to be written that others of its batch may repeat."""

    document: Document
    signature: bytes
    original: Original | None


def find_original(
    store: ChunkStore, document: Document, signed: bytes, threshold: float, batch: Mapping[str, Candidate]
) -> Original | None:
    """The document that ``document`` repeats, written earlier or before it in ``batch``; None when there is none.

    What is found is never itself a duplicate, so links never form chains. Documents of different conversations, or of
    different kinds, are never linked.
    """
    wanted = threshold if document.kind in _COMPARED_BY_DEGREE else 1.0
    found = [
        (similarity(signed, candidate.signature), candidate)
        for candidate in batch.values()
        if candidate.document.tenant == document.tenant and _comparable(document, candidate.document)
    ]
    for degree, candidate in sorted(found, key=lambda pair: -pair[0]):
        if degree >= wanted and candidate.document.id != document.id:
            original = candidate.original
            if original is None:
                return Original(candidate.document.id, candidate.document.source, degree)
            if original.id != document.id:
                return Original(original.id, original.source, degree)
    for known_id, degree in store.near_duplicates(signed, wanted, document.tenant):
        if known_id == document.id or known_id in batch:
            continue
        record = _original_record(store, known_id, document.tenant)
        if record is not None and record.id != document.id and _comparable(document, record):
            return Original(record.id, record.source, degree)
    return None


def _original_record(store: ChunkStore, document_id: str, tenant: str) -> DocumentRecord | None:
    for _ in range(2):
        records = store.documents(Filter(document_ids=(document_id,), tenant=tenant))
        if not records or records[0].duplicate_of is None:
            return records[0] if records else None
        document_id = records[0].duplicate_of
    return None


def _comparable(document: Document, other: Document | DocumentRecord) -> bool:
    return document.conversation_id == other.conversation_id and document.kind is other.kind
