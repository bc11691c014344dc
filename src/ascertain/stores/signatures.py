"""MinHash signatures of documents, as stores look them up.

A signature is 128 MinHash values as bytes (uint32, or uint64 as datasketch writes them). It is cut into 32 bands of 4
values; documents sharing a band are compared in full. Two documents of Jaccard similarity s share a band with
probability 1 - (1 - s^4)^32: 0.87 at 0.5, 0.9999 at 0.7. Broder 1997; Leskovec, Rajaraman & Ullman, chapter 3.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

import numpy as np

from ascertain.core.errors import StoreError

PERMUTATIONS = 128
BANDS = 32
_ROWS = PERMUTATIONS // BANDS


def bands(signature: bytes) -> list[int]:
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


def jaccard(one: bytes, other: bytes) -> float:
    """The share of equal values: an unbiased estimate of the Jaccard similarity of the two shingle sets."""
    item = np.uint32 if _item_size(one) == 4 else np.uint64
    equal = np.frombuffer(one, item) == np.frombuffer(other, item)
    return int(np.count_nonzero(equal)) / PERMUTATIONS


def most_similar(
    signature: bytes, candidates: Iterable[tuple[str, bytes]], threshold: float
) -> list[tuple[str, float]]:
    """Of ``(document id, signature)`` pairs those that reach ``threshold``, best first, then by id."""
    found = [
        (document_id, jaccard(signature, other))
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
