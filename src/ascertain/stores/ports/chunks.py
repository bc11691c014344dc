"""The port of the chunk store, its results, and its optional methods; and the port of the ingest log.

Every adapter passes ``ascertain.testing.ChunkStoreContract``; docs/extending.md has an adapter in 80 lines. One of the
ingest log passes ``tests/contract/test_ingest_log.py``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from ascertain.core.asking.passages import Filter, Hit
from ascertain.core.documents.documents import Chunk, Document, DocumentRecord, DocumentState
from ascertain.core.documents.ingest import IngestRun
from ascertain.core.documents.profiling import CorpusProfile
from ascertain.core.service.status import HealthReport, StoreStats

Vectors = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class IndexedDocument:
    """A document ready to write: its chunks (parents included) and one vector per searchable chunk.

    ``vectors`` has shape ``(searchable chunks, dimension)`` in the order of the chunks that are not parents.
    """

    document: Document
    chunks: Sequence[Chunk]
    vectors: Vectors
    state: DocumentState = DocumentState.INDEXED
    reason: str = ""
    duplicate_of: str | None = None
    signature: bytes | None = None
    """MinHash signature for near-duplicate look-up; None for kinds that are not compared."""
    added_at: datetime | None = None
    """When it was first written, for documents that come from another store; None is now."""


class ChunkStore(Protocol):
    """Documents, chunks and vectors: everything that a store must implement. ``defaults`` builds the rest on these nine.

    Reads see whole documents only: a document and all its chunks appear, change and vanish in one step. Scores of one
    leg are comparable within one call. Ties are broken by chunk id, ascending. A filter's conditions are those of the
    document a chunk belongs to; a source also selects what it contains: the files under a folder (``source/...``) and
    the rows of a table file (``source#...``). Every method raises StoreError with the remedy when the store cannot be
    used; once a server is back, so is the store.
    """

    def upsert(self, documents: Sequence[IndexedDocument]) -> None:
        """Write documents with their chunks, replacing earlier versions; each one atomically.

        Durable when this returns. Raises EmbeddingMismatch when the dimension is not the store's.
        """
        ...

    def delete(self, filter: Filter) -> int:
        """Delete the documents that ``filter`` selects, with everything only they own; how many there were."""
        ...

    def dense(self, vector: Vectors, k: int, filter: Filter = Filter(), floor: float | None = None) -> list[Hit]:
        """The ``k`` chunks of highest cosine similarity (>= ``floor``), best first."""
        ...

    def get(self, chunk_ids: Sequence[str]) -> list[Chunk]:
        """The chunks that exist, in the given order."""
        ...

    def export(self, document_ids: Sequence[str]) -> list[IndexedDocument]:
        """Documents as ``upsert`` takes them, in the given order; unknown ones and those without a text are left out.

        Vectors are unit vectors. Written to another store, documents come back from its ``export`` equal.
        """
        ...

    def documents(self, filter: Filter = Filter()) -> list[DocumentRecord]:
        """All documents in every state, in order of source."""
        ...

    def tenants(self) -> list[str]:
        """All tenants with a document in any state, by name."""
        ...

    def reembed(self, embedder_name: str, dimension: int) -> AbstractContextManager[Reembedding]:
        """Prepare vectors of another model beside the present ones; switches over when the context ends well.

        ``reembedding.spool_vectors`` does all of it but the switching. Raises StoreError when a chunk has no new vector
        at the end.
        """
        ...

    def close(self) -> None:
        """Release files; further calls raise StoreError."""
        ...


class ExclusiveWriting(Protocol):
    """Optional: runs of writes that block other writers, or are cheaper together. By default a run does nothing."""

    def writing(self) -> AbstractContextManager[None]:
        """A run of writes. Re-entrant; single writes begin one by themselves. Derived indexes are flushed on leaving.

        A store in a folder lets one process write at a time: it waits for another writer, announcing it through the
        logger ``ascertain.stores``, and raises StoreBusy after the configured time. On a server writers work side by
        side.
        """
        ...

    def mark_failed(self, document: Document, reason: str) -> None:
        """Record that a document could not be ingested. An indexed earlier version stays searchable."""
        ...


class WordSearch(Protocol):
    """Optional: ranking by words. By default BM25 over an index in memory, rebuilt when documents have changed."""

    def lexical(self, terms: Mapping[str, float], k: int, filter: Filter = Filter()) -> list[Hit]:
        """The ``k`` chunks of highest BM25 over weighted query terms, best first; only chunks with a match.

        ``terms`` maps a word or a quoted phrase as a user writes it (the store analyses it as it did the documents)
        to its weight.
        """
        ...

    def lexical_scores(self, terms: Mapping[str, float], chunk_ids: Sequence[str]) -> dict[str, float]:
        """BM25 of each named chunk, on the scale of ``lexical``; those without a match are left out."""
        ...

    def document_frequencies(self, terms: Sequence[str]) -> dict[str, int]:
        """In how many chunks each term occurs, after analysis; 0 for unknown terms."""
        ...


class StoredVectors(Protocol):
    """Optional: vectors by chunk. By default a search among the named chunks, and whole documents."""

    def similarities(self, vector: Vectors, chunk_ids: Sequence[str]) -> dict[str, float]:
        """Exact cosine of each named chunk that exists."""
        ...

    def vectors(self, chunk_ids: Sequence[str]) -> Vectors:
        """Stored vectors, one row per id in the given order; raises StoreError for an unknown id."""
        ...


class DocumentReading(Protocol):
    """Optional: parts of documents. By default whole ones are read and the part is cut out."""

    def document(self, document_id: str) -> Document | None:
        """A stored document with its full text."""
        ...

    def neighbours(self, chunk_id: str, before: int, after: int) -> list[Chunk]:
        """Up to so many searchable chunks on either side in the same document, the chunk itself included, in order."""
        ...

    def iterate_chunks(self, filter: Filter = Filter()) -> Iterator[Chunk]:
        """All searchable chunks, by document and index, without loading them all into memory."""
        ...


class Duplicates(Protocol):
    """Optional: likeness of documents. By default the signatures of all, read once and cached, are compared."""

    def near_duplicates(self, signature: bytes, threshold: float, tenant: str = "default") -> list[tuple[str, float]]:
        """Documents whose signature's estimated Jaccard similarity reaches ``threshold``, best first."""
        ...


class Tallies(Protocol):
    """Optional: figures over many documents. By default from the records of all of them."""

    def fingerprint(self, filter: Filter = Filter()) -> str:
        """A digest of the versions that the filter selects: equal where a search over it would find the same.

        Only documents that can be searched count. Cheap enough for every question.
        """
        ...

    def known(self, tenant: str = "default") -> dict[str, str]:
        """Content hash by document id, for deciding what is unchanged. Failed documents are not in it."""
        ...

    def count(self, tenant: str = "default") -> int:
        """How many searchable chunks there are; cheap enough for every search."""
        ...

    def stats(self, tenant: str = "default") -> StoreStats:
        """Counts and sizes."""
        ...

    def corpus_profile(self, tenant: str = "default") -> CorpusProfile:
        """What the searchable documents are made of; cheap enough for every question."""
        ...


class HealthCheck(Protocol):
    """Optional: a check of a store. By default every document is read and its chunks are counted."""

    def check(self, repair: bool = False) -> HealthReport:
        """Compare the derived indexes with the record and look for damage; with ``repair`` rebuild what is wrong."""
        ...


@runtime_checkable
class ModelReading(Protocol):
    """Optional: which model it has vectors of, read by its own connections. By default the store is opened to see."""

    def read_model(self) -> tuple[str, int] | None:
        """Name and dimension of the embedding model in use now, which another process may have changed; cheap enough for every
        search.
        """
        ...


@runtime_checkable
class CompleteStore(
    ChunkStore, ExclusiveWriting, WordSearch, StoredVectors, DocumentReading, Duplicates, Tallies, HealthCheck, Protocol
):
    """A store with everything, as the rest of the code sees it; see ``defaults.complete_store``."""


class Reembedding(Protocol):
    """A switch to another embedding model in progress; searches go on with the old vectors until it ends.

    Interrupted, it can be resumed: ``pending`` skips what was already put.
    """

    def pending(self, batch: int) -> Iterator[list[Chunk]]:
        """Searchable chunks that have no vector of the new model yet."""
        ...

    def put(self, chunk_ids: Sequence[str], vectors: Vectors) -> None:
        """Store vectors of the new model."""
        ...

    @property
    def total(self) -> int:
        """How many chunks are still without a new vector."""
        ...


KEPT_RUNS = 100
"""Runs that a tenant's log holds."""

PROCESS_ENDED = "the process ended before the run did; run the same command again to go on"
"""Reason of an interrupted run."""


class IngestLog(Protocol):
    """Current and earlier runs of adding documents: it shows people the progress of a run, on
    any machine. Documents are their own progress: each is written whole, and a rerun skips stored ones.

    Runs of one knowledge base by tenant. Changes are durable when their method returns. Safe to use from threads.

    Every method raises StoreError with the remedy when the store cannot be used.
    """

    def record(self, run: IngestRun, tenant: str = "default") -> None:
        """Store the current state of a run, replacing the last one; runs beyond the last 100 are deleted.

        While its state is running, the calling process owns it: when that ends, the run becomes interrupted.
        """
        ...

    def runs(self, tenant: str = "default", limit: int = 10) -> list[IngestRun]:
        """The latest runs, last started first."""
        ...

    def close(self) -> None:
        """Release what is open; further calls raise StoreError."""
        ...
