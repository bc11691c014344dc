"""Near-duplicates: the same story in two documents is recognised by MinHash and linked to the one that came first."""

import hashlib
import math
import re
import zlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ascertain.core.asking.passages import Filter
from ascertain.core.documents.documents import Document, DocumentKind, DocumentRecord, DocumentState
from ascertain.language.validity import rank_validity
from ascertain.stores.ports.chunks import CompleteStore, IndexedDocument

# MinHash: the share of equal minima of two shingle sets under random permutations estimates their Jaccard similarity
# (Broder, "On the resemblance and containment of documents", SEQUENCES 1997); with 128 permutations the standard error
# is at most 0.044. A permutation is multiply-shift hashing, (a·x + b mod 2^64) >> 32 with random a and b, which is
# 2-independent on 32-bit x (Dietzfelbinger, STACS 1996). Signatures are stored, so nothing here may depend on the
# version of a library.

PERMUTATIONS = 128
SHINGLE_WORDS = 5
MINIMUM_WORDS = 50
"""Shorter texts share too many shingles by chance (headings, notices) to be called the same story."""

_WORD = re.compile(r"\w+")
_SPACE = re.compile(r"\s")
_PIECE = 500_000
"""Characters taken at a time: finding words and sorting hashes hold up every other thread, these for some 50 ms, and a text
of 18 million characters for two seconds."""
_AT_ONCE = 4096
"""Shingles permuted together, which bounds the memory that a long text takes."""
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
"""The golden ratio in 64 bits (Knuth, TAOCP 6.4): multiplication by it spreads the words over all bits."""
_HALF = np.uint64(32)

_random = hashlib.shake_128(b"ascertain minhash permutations").digest(16 * PERMUTATIONS)
_FACTORS, _ADDENDS = np.frombuffer(_random, "<u8").astype(np.uint64).reshape(2, PERMUTATIONS, 1)


def minhash_signature(text: str) -> bytes | None:
    """The minima over the text's five-word shingles, 128 uint32; None for a text of under 50 words."""
    minima = np.full(PERMUTATIONS, np.iinfo(np.uint32).max, np.uint64)
    before, count = np.empty(0, np.uint64), 0
    for piece in _cut_pieces(text):
        words = _hash_words(_WORD.findall(piece.lower()))
        count += len(words)
        # with the words that shingles over the edge begin with
        words = np.concatenate([before, words])
        shingles = _shingle_hashes(words)
        for start in range(0, len(shingles), _AT_ONCE):
            permuted = (_FACTORS * shingles[start : start + _AT_ONCE] + _ADDENDS) >> _HALF
            minima = np.minimum(minima, permuted.min(axis=1))
        before = words[-(SHINGLE_WORDS - 1) :]
    return minima.astype(np.uint32).tobytes() if count >= MINIMUM_WORDS else None


def estimate_similarity(one: bytes, other: bytes) -> float:
    """Estimated Jaccard similarity of the texts behind two signatures."""
    equal = np.frombuffer(one, np.uint32) == np.frombuffer(other, np.uint32)
    return np.count_nonzero(equal) / PERMUTATIONS


def _cut_pieces(text: str) -> Iterator[str]:
    """``text`` in pieces cut at white space, where neither a word nor what makes a letter small goes on."""
    start = 0
    while start < len(text):
        edge = _SPACE.search(text, start + _PIECE)
        end = edge.end() if edge else len(text)
        yield text[start:end]
        start = end


def _hash_words(words: Sequence[str]) -> NDArray[np.uint64]:
    """CRC-32 of each word; each is computed once, not for all the shingles it is in, which takes ten times as long."""
    of_word = {word: zlib.crc32(word.encode("utf-8", "surrogatepass")) for word in set(words)}
    return np.fromiter((of_word[word] for word in words), np.uint64, len(words))


def _shingle_hashes(words: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The distinct 32-bit hashes of the shingles: the words as digits of a polynomial."""
    count = max(0, len(words) - SHINGLE_WORDS + 1)
    shingles = np.zeros(count, np.uint64)
    for place in range(SHINGLE_WORDS):
        shingles = shingles * _MULTIPLIER + words[place : place + count]
    return np.unique(shingles >> _HALF)


SAME_STORY = 0.8
"""Jaccard similarity from which two articles are the same story (by judgement, not measured)."""
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


@dataclass(frozen=True, slots=True)
class Candidate:
    """A document about to be written that others of its batch may repeat."""

    document: Document
    signature: bytes
    original: Original | None


def find_original(
    store: CompleteStore, document: Document, signed: bytes, threshold: float, *, batch: Mapping[str, Candidate]
) -> Original | None:
    """The document that ``document`` repeats, written earlier or before it in ``batch``; None when there is none.

    What is found is never itself a duplicate, so links never form chains. Documents of different conversations, or of
    different kinds, are never linked.
    """
    wanted = wanted_similarity(document, threshold)
    found = [
        (estimate_similarity(signed, candidate.signature), candidate)
        for candidate in batch.values()
        if candidate.document.tenant == document.tenant and are_comparable(document, candidate.document)
    ]
    for degree, candidate in sorted(found, key=lambda pair: -pair[0]):
        if degree >= wanted and candidate.document.id != document.id:
            original = candidate.original
            if original is None:
                return Original(candidate.document.id, candidate.document.source, degree)
            if original.id != document.id:
                return Original(original.id, original.source, degree)
    similar = store.near_duplicates(signed, wanted, document.tenant)
    return stored_original(store, document, [pair for pair in similar if pair[0] not in batch])


def wanted_similarity(document: Document, threshold: float) -> float:
    """How similar a document must be to ``document`` to count as the same."""
    return threshold if document.kind in _COMPARED_BY_DEGREE else 1.0


def stored_original(store: CompleteStore, document: Document, similar: Sequence[tuple[str, float]]) -> Original | None:
    """The first of the ``similar`` (id and degree, best first) that ``document`` may be linked to, or what that repeats."""
    for known_id, degree in similar:
        if known_id == document.id:
            continue
        record = _original_record(store, known_id, document.tenant)
        if record is not None and record.id != document.id and are_comparable(document, record):
            return Original(record.id, record.source, degree)
    return None


def _original_record(store: CompleteStore, document_id: str, tenant: str) -> DocumentRecord | None:
    for _ in range(2):
        records = store.documents(Filter(document_ids=(document_id,), tenant=tenant))
        if not records or records[0].duplicate_of is None:
            return records[0] if records else None
        document_id = records[0].duplicate_of
    return None


def are_comparable(document: Document | DocumentRecord, other: Document | DocumentRecord) -> bool:
    """Whether the two can be one story: of one kind, in one conversation or in none."""
    return document.conversation_id == other.conversation_id and document.kind is other.kind


def link_document(document: IndexedDocument, original: Original | None) -> IndexedDocument:
    """``document`` as a duplicate of ``original``, or as one that repeats nothing."""
    return replace(
        document,
        state=DocumentState.DUPLICATE if original else DocumentState.INDEXED,
        reason=original.reason if original else "",
        duplicate_of=original.id if original else None,
    )


def rewrite_link(store: CompleteStore, document_id: str, original: Original | None) -> None:
    """Relink a stored document; nothing is embedded again."""
    for stored in store.export([document_id]):
        store.upsert([link_document(stored, original)])


def prefer_versions_in_force(store: CompleteStore, links: Mapping[str, str], tenant: str = "default") -> None:
    """Make the current version the original of those that repeat it; ``links`` are the ids of new duplicates with their originals.

    A document that says of itself that it is superseded gives way to one that does not; of two that do not say so, the one of
    the later date is current, for articles the one that came first. Nothing is embedded again.
    """
    for original_id in sorted(set(links.values())):
        group = (original_id, *(known for known, original in links.items() if original == original_id))
        records = {record.id: record for record in store.documents(Filter(document_ids=group, tenant=tenant))}
        original = records.get(original_id)
        if original is None or original.kind is not DocumentKind.PROSE:
            continue
        best = max(records.values(), key=lambda record: (*_rank_validity(store, record), record.id == original_id))
        if best.id != original_id:
            _make_original(store, best, original, tenant)


def _rank_validity(store: CompleteStore, record: DocumentRecord) -> tuple[bool, float]:
    """The larger, the more current."""
    document = store.document(record.id)
    return rank_validity(document.text, record.published_at) if document else (False, -math.inf)


def _make_original(store: CompleteStore, best: DocumentRecord, original: DocumentRecord, tenant: str) -> None:
    """Link ``original`` and what repeats it to ``best``."""
    rewrite_link(store, best.id, None)
    others = [record for record in store.documents(Filter(tenant=tenant)) if record.duplicate_of == original.id]
    signed = _sign_stored(store, best.id)
    for record in (original, *others):
        own = _sign_stored(store, record.id)
        if signed is not None and own is not None and record.id != best.id:
            rewrite_link(store, record.id, Original(best.id, best.source, estimate_similarity(own, signed)))


def _sign_stored(store: CompleteStore, document_id: str) -> bytes | None:
    document = store.document(document_id)
    return minhash_signature(document.text) if document else None


def relink_duplicates(
    store: CompleteStore, changed: Collection[str], threshold: float, tenant: str = "default"
) -> None:
    """Check the tenant's duplicates of changed documents again; nothing is embedded again.

    (When an original is deleted, the store itself makes the oldest duplicate the original.)
    """
    if not changed or not store.stats(tenant).by_state.get(DocumentState.DUPLICATE):
        return
    records = store.documents(Filter(tenant=tenant))
    doubtful = {record.id: record for record in records if record.duplicate_of in changed}
    while doubtful:
        document_id, record = next(iter(doubtful.items()))
        _relink_one(store, record, threshold, doubtful)
        del doubtful[document_id]


def _relink_one(store: CompleteStore, record: DocumentRecord, threshold: float, doubtful: Collection[str]) -> None:
    """``doubtful`` are not followed: two duplicates of one document would keep each other at what it no longer is."""
    document = store.document(record.id)
    signed = minhash_signature(document.text) if document else None
    if document is None or signed is None:
        return
    similar = store.near_duplicates(signed, wanted_similarity(document, threshold), document.tenant)
    original = stored_original(store, document, [pair for pair in similar if pair[0] not in doubtful])
    if original is None or original.id != record.duplicate_of:
        rewrite_link(store, record.id, original)
