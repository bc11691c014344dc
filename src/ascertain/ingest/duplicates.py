"""Near-duplicates: the same story told twice is recognised by MinHash and linked to the one that came first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ascertain.core.documents import Document, DocumentKind, DocumentRecord
from ascertain.core.filters import Filter
from ascertain.ingest.minhash import similarity
from ascertain.stores.ports import CompleteStore

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
    store: CompleteStore, document: Document, signed: bytes, threshold: float, batch: Mapping[str, Candidate]
) -> Original | None:
    """The document that ``document`` repeats, written earlier or before it in ``batch``; None when there is none.

    What is found is never itself a duplicate, so links never form chains. Documents of different conversations, or of
    different kinds, are never linked.
    """
    wanted = wanted_similarity(document, threshold)
    found = [
        (similarity(signed, candidate.signature), candidate)
        for candidate in batch.values()
        if candidate.document.tenant == document.tenant and comparable(document, candidate.document)
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
    """How similar a document must be to ``document`` to be told from it no more."""
    return threshold if document.kind in _COMPARED_BY_DEGREE else 1.0


def stored_original(
    store: CompleteStore, document: Document, similar: Sequence[tuple[str, float]]
) -> Original | None:
    """The first of the ``similar`` (id and degree, best first) that ``document`` may be linked to, or what that repeats."""
    for known_id, degree in similar:
        if known_id == document.id:
            continue
        record = _original_record(store, known_id, document.tenant)
        if record is not None and record.id != document.id and comparable(document, record):
            return Original(record.id, record.source, degree)
    return None


def _original_record(store: CompleteStore, document_id: str, tenant: str) -> DocumentRecord | None:
    for _ in range(2):
        records = store.documents(Filter(document_ids=(document_id,), tenant=tenant))
        if not records or records[0].duplicate_of is None:
            return records[0] if records else None
        document_id = records[0].duplicate_of
    return None


def comparable(document: Document | DocumentRecord, other: Document | DocumentRecord) -> bool:
    """Whether the two can be one story: of one kind, in one conversation or in none."""
    return document.conversation_id == other.conversation_id and document.kind is other.kind
