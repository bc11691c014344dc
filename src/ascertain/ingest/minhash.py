"""MinHash signatures of texts.

The share of equal minima of two shingle sets under random permutations estimates their Jaccard similarity (Broder, "On the
resemblance and containment of documents", SEQUENCES 1997); with 128 permutations the standard error is at most 0.044. A
permutation is multiply-shift hashing, (a·x + b mod 2^64) >> 32 with random a and b, which is 2-independent on 32-bit x
(Dietzfelbinger, STACS 1996). Signatures are stored, so nothing here may depend on the version of a library.
"""

from __future__ import annotations

import hashlib
import re
import zlib
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

PERMUTATIONS = 128
SHINGLE_WORDS = 5
MINIMUM_WORDS = 50
"""Shorter texts share too many shingles by chance (headings, notices) to be called the same story."""

_WORD = re.compile(r"\w+")
_AT_ONCE = 4096
"""Shingles permuted together, which bounds the memory that a long text takes."""
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
"""The golden ratio in 64 bits (Knuth, TAOCP 6.4): multiplication by it spreads the words over all bits."""
_HALF = np.uint64(32)

_random = hashlib.shake_128(b"ascertain minhash permutations").digest(16 * PERMUTATIONS)
_FACTORS, _ADDENDS = np.frombuffer(_random, "<u8").astype(np.uint64).reshape(2, PERMUTATIONS, 1)


def signature(text: str) -> bytes | None:
    """The minima over the text's five-word shingles, 128 uint32; None for a text of under 50 words."""
    words = _WORD.findall(text.lower())
    if len(words) < MINIMUM_WORDS:
        return None
    shingles = _shingle_hashes(words)
    minima = np.full(PERMUTATIONS, np.iinfo(np.uint32).max, np.uint64)
    for start in range(0, len(shingles), _AT_ONCE):
        permuted = (_FACTORS * shingles[start : start + _AT_ONCE] + _ADDENDS) >> _HALF
        minima = np.minimum(minima, permuted.min(axis=1))
    return minima.astype(np.uint32).tobytes()


def similarity(one: bytes, other: bytes) -> float:
    """Estimated Jaccard similarity of the texts behind two signatures."""
    equal = np.frombuffer(one, np.uint32) == np.frombuffer(other, np.uint32)
    return np.count_nonzero(equal) / PERMUTATIONS


def _shingle_hashes(words: Sequence[str]) -> NDArray[np.uint64]:
    """The distinct 32-bit hashes of the shingles: CRC-32 of their words as digits of a polynomial.

    Each word is hashed once, not five times; joining and hashing every shingle takes ten times as long.
    """
    of_word = {word: zlib.crc32(word.encode("utf-8", "surrogatepass")) for word in set(words)}
    hashes = np.fromiter((of_word[word] for word in words), np.uint64, len(words))
    count = len(words) - SHINGLE_WORDS + 1
    shingles = np.zeros(count, np.uint64)
    for place in range(SHINGLE_WORDS):
        shingles = shingles * _MULTIPLIER + hashes[place : place + count]
    return np.unique(shingles >> _HALF)
