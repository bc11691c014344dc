"""Writing finished documents: embedded together, linked to what they repeat, each one atomically."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ascertain.core.documents import Document, DocumentState
from ascertain.core.errors import AscertainError
from ascertain.core.settings import IngestSettings
from ascertain.ingest.duplicates import Candidate, Original, find_original
from ascertain.ingest.embedding import BatchEmbedding
from ascertain.ingest.preparing import Ready, describe
from ascertain.ingest.report import Failure, IngestListener, IngestReport
from ascertain.models.ports import Embedder, Vectors
from ascertain.stores.ports import ChunkStore, IndexedDocument


class Writer:
    """Collects documents and writes them once they hold enough chunks; ``report`` counts what was written."""

    def __init__(
        self, store: ChunkStore, embedder: Embedder, settings: IngestSettings, listener: IngestListener
    ) -> None:
        self.report = IngestReport()
        self.changed: set[str] = set()
        self._store = store
        self._settings = settings
        self._listener = listener
        self._embedding = BatchEmbedding(embedder, settings.embed_batch)
        self._counted: set[str] = set()
        self._pending: dict[str, tuple[Ready, bool]] = {}

    @property
    def embedding_seconds(self) -> float:
        """Time spent inside the embedding model."""
        return self._embedding.seconds

    def add(self, ready: Ready, *, is_known: bool) -> None:
        """Take a document; one of the same id that still waits is replaced."""
        identity = ready.document.id
        replaced = self._pending.pop(identity, None)
        if replaced is not None:
            self._listener.advanced(ready.document.source, replaced[0].size, 0)
        self._pending[identity] = (ready, is_known)
        if sum(len(waiting.chunks) for waiting, _ in self._pending.values()) >= self._settings.write_batch:
            self.flush()

    def flush(self) -> None:
        """Write what waits. Durable when this returns."""
        waiting = list(self._pending.values())
        self._pending.clear()
        if not waiting:
            return
        vectors = self._embed([ready for ready, _ in waiting])
        batch: dict[str, Candidate] = {}
        written: list[tuple[Ready, bool, IndexedDocument]] = []
        for (ready, is_known), rows in zip(waiting, vectors, strict=True):
            if rows is not None:
                written.append((ready, is_known, self._indexed(ready, rows, batch)))
        self._store.upsert([indexed for _, _, indexed in written])
        for ready, is_known, indexed in written:
            self._count(ready, is_known, indexed.state is DocumentState.DUPLICATE)

    def fail(self, document: Document, reason: str) -> None:
        """Record that a document could not be ingested."""
        self._store.mark_failed(document, reason)
        self.report_failure(document.source, reason)

    def report_failure(self, source: str, reason: str) -> None:
        """Put a failure into the report only."""
        self.report = replace(self.report, failures=(*self.report.failures, Failure(source, reason)))
        self._listener.failed(source, reason)

    def _embed(self, documents: Sequence[Ready]) -> list[Vectors | None]:
        """Vectors of each document; None for one that made the model fail, which is reported."""
        try:
            return [*self._embedding.embed(documents, self._listener.advanced)]
        except AscertainError:
            raise
        except (
            Exception
        ) as error:  # a text the model cannot take; alone it is found and costs only its document
            if len(documents) == 1:
                self.fail(documents[0].document, f"could not be embedded ({describe(error)})")
                return [None]
            return [vectors for ready in documents for vectors in self._embed([replace(ready, size=0)])]

    def _indexed(self, ready: Ready, vectors: Vectors, batch: dict[str, Candidate]) -> IndexedDocument:
        original: Original | None = None
        if ready.signature is not None:
            threshold = self._settings.duplicate_threshold
            original = find_original(self._store, ready.document, ready.signature, threshold, batch)
            batch[ready.document.id] = Candidate(ready.document, ready.signature, original)
        return IndexedDocument(
            ready.document,
            (*ready.chunks, *ready.parents),
            vectors,
            DocumentState.DUPLICATE if original else DocumentState.INDEXED,
            original.reason if original else "",
            original.id if original else None,
            ready.signature,
        )

    def _count(self, ready: Ready, is_known: bool, is_duplicate: bool) -> None:
        report = self.report
        is_new_here = ready.document.id not in self._counted
        self._counted.add(ready.document.id)
        if is_known:
            self.changed.add(ready.document.id)
        self.report = replace(
            report,
            added=report.added + (is_new_here and not is_known),
            changed=report.changed + (is_new_here and is_known),
            duplicates=report.duplicates + is_duplicate,
            chunks=report.chunks + len(ready.chunks),
        )
