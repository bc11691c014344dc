"""Writing finished documents: embedded together, linked to what they repeat, each one atomically."""

from __future__ import annotations

from ascertain.core.documents import Document
from ascertain.core.settings import IngestSettings
from ascertain.ingest.duplicates import SAME_STORY, Candidate, Original, find_original
from ascertain.ingest.embedding import BatchEmbedding
from ascertain.ingest.linking import linked
from ascertain.ingest.preparing import Ready
from ascertain.ingest.tally import Tally
from ascertain.models.ports import Embedder, Vectors
from ascertain.stores.ports import CompleteStore, IndexedDocument


class Writer:
    """Collects documents and writes them once they hold enough chunks; what was written goes into the tally."""

    def __init__(
        self, store: CompleteStore, embedder: Embedder, settings: IngestSettings, tally: Tally
    ) -> None:
        self._store = store
        self._settings = settings
        self._tally = tally
        self._embedding = BatchEmbedding(embedder, settings.embed_batch)
        self._pending: dict[str, tuple[Ready, bool]] = {}

    def add(self, ready: Ready, *, is_known: bool) -> None:
        """Take a document; one of the same id that still waits is replaced."""
        identity = ready.document.id
        replaced = self._pending.pop(identity, None)
        if replaced is not None:
            self._tally.listener.advanced(ready.document.source, replaced[0].size, 0)
        self._pending[identity] = (ready, is_known)
        if sum(len(waiting.chunks) for waiting, _ in self._pending.values()) >= self._settings.write_batch:
            self.flush()

    def flush(self) -> None:
        """Write what waits. Durable when this returns."""
        waiting = list(self._pending.values())
        self._pending.clear()
        if not waiting:
            return
        embedded = self._embedding.embed_each([ready for ready, _ in waiting], self._tally.listener.advanced)
        self._tally.embedding_seconds = self._embedding.seconds
        batch: dict[str, Candidate] = {}
        written: list[tuple[Ready, bool, IndexedDocument]] = []
        for (ready, is_known), vectors in zip(waiting, embedded, strict=True):
            if isinstance(vectors, str):
                self.fail(ready.document, vectors)
            else:
                written.append((ready, is_known, self._indexed(ready, vectors, batch)))
        self._store.upsert([indexed for _, _, indexed in written])
        for ready, is_known, indexed in written:
            self._tally.written(ready.document.id, len(ready.chunks), is_known=is_known)
            self._tally.duplicates += indexed.duplicate_of is not None

    def fail(self, document: Document, reason: str, size: int = 0) -> None:
        """Record that a document could not be ingested."""
        self._store.mark_failed(document, reason)
        self._tally.failed(document.id, document.source, reason, size)

    def _indexed(self, ready: Ready, vectors: Vectors, batch: dict[str, Candidate]) -> IndexedDocument:
        original: Original | None = None
        if ready.signature is not None:
            original = find_original(self._store, ready.document, ready.signature, SAME_STORY, batch)
            batch[ready.document.id] = Candidate(ready.document, ready.signature, original)
        plain = IndexedDocument(
            ready.document, (*ready.chunks, *ready.parents), vectors, signature=ready.signature
        )
        return linked(plain, original)
