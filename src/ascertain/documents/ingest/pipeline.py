"""The ingest pipeline on one machine: read, skip what is unchanged, chunk, embed, write.

One thread reads and chunks ahead while this one runs the embedding model and writes. Documents are written in batches and
each one atomically, so that a kill loses at most the current work, and a rerun skips what is stored.
"""

import threading
import time
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Generic, Self, TypeVar

from ascertain.core.asking.passages import Filter
from ascertain.core.documents.documents import Document
from ascertain.core.documents.ingest import Failure, IngestReport
from ascertain.core.settings import IngestSettings
from ascertain.core.settings.profiles import Profile
from ascertain.documents.formats.reader import ReadOptions
from ascertain.documents.ingest.duplicates import SAME_STORY, Candidate, Original, find_original, link_document
from ascertain.documents.ingest.figures.reading import FigureStep
from ascertain.documents.ingest.files import (
    announce_documents,
    delete_old_rows,
    find_files,
    known_hashes,
    known_of,
    read_files,
    relink_after_changes,
)
from ascertain.documents.ingest.preparing import (
    BatchEmbedding,
    Finished,
    Found,
    Read,
    Ready,
    Unchanged,
    Unreadable,
    prepare_documents,
    weigh_item,
)
from ascertain.documents.ingest.report import IngestListener, SilentListener, Tally
from ascertain.documents.ingest.topics import Unwanted
from ascertain.models.ports import Embedder, HostedEmbedder, Vectors
from ascertain.stores.ports.chunks import CompleteStore, IndexedDocument

Item = TypeVar("Item")

_CLOSE_SECONDS = 5.0
"""How long closing waits for the thread; it is a daemon, so a hang does not block the process longer."""


class Prefetch(Generic[Item]):
    """Iterates over ``items``, which a thread takes ahead until what waits weighs ``limit``.

    Errors of ``items`` come out of the iteration at their place. Use it as a context manager: leaving it stops the thread and
    closes ``items``.
    """

    def __init__(
        self, items: Iterator[Item], weight: Callable[[Item], int], limit: int, closing: threading.Event | None = None
    ) -> None:
        """``closing`` is set before the thread is waited for: ``items`` may look at it while they are busy."""
        self._items = items
        self._weight = weight
        self._limit = limit
        self._waiting: deque[Item] = deque()
        self._waiting_weight = 0
        self._error: BaseException | None = None
        self._is_done = False
        self._closing = closing or threading.Event()
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._fill_queue, name="ascertain-prefetch", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._closing.set()
        with self._changed:
            self._changed.notify_all()
        self._thread.join(_CLOSE_SECONDS)

    def __iter__(self) -> Iterator[Item]:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting or self._is_done)
                if not self._waiting:
                    if self._error is not None:
                        raise self._error
                    return
                item = self._waiting.popleft()
                self._waiting_weight -= self._weight(item)
                self._changed.notify_all()
            yield item

    def _fill_queue(self) -> None:
        try:
            for item in self._items:
                if not self._put_item(item):
                    break
        except BaseException as error:  # passed to the thread that iterates, which raises it
            self._error = error
        finally:
            close = getattr(self._items, "close", None)
            if close is not None:
                close()
            with self._changed:
                self._is_done = True
                self._changed.notify_all()

    def _put_item(self, item: Item) -> bool:
        """Pass an item on, once there is room; False when it is no longer wanted."""
        weight = self._weight(item)
        with self._changed:
            self._changed.wait_for(
                lambda: self._closing.is_set() or not self._waiting or self._waiting_weight + weight <= self._limit
            )
            self._waiting.append(item)
            self._waiting_weight += weight
            self._changed.notify_all()
            return not self._closing.is_set()


_WRITE_SECONDS = 5.0
"""How much work a kill may cost at most, beside that of one document: documents are written that often. A transaction takes
some milliseconds, so that more seldom would gain nothing.
"""


class Writer:
    """Collects documents and writes them once they hold enough chunks; what was written goes into the tally.

    At first, and where the model is slow, that is sooner than after ``write_batch`` chunks: written documents are not lost
    in a kill, and the next run continues there. Once ``goes_on`` returns false, documents whose embedding takes longer are dropped.
    """

    def __init__(
        self,
        store: CompleteStore,
        embedder: Embedder,
        settings: IngestSettings,
        tally: Tally,
        goes_on: Callable[[], bool] = lambda: True,
    ) -> None:
        self._store = store
        self._goes_on = goes_on
        self._began = 0.0
        self.has_let_go = False
        """Whether documents were not written because the run was cancelled."""
        self._settings = settings
        self._tally = tally
        self._embedding = BatchEmbedding(embedder, settings.embed_batch)
        self._pending: dict[str, tuple[Ready, bool]] = {}
        self._chunks_written = 0
        self._waits_since = 0.0

    def add(self, ready: Ready, *, is_known: bool) -> None:
        """Take a document; one of the same id that still waits is replaced."""
        identity = ready.document.id
        replaced = self._pending.pop(identity, None)
        if replaced is not None:
            self._tally.listener.report_progress(ready.document.source, replaced[0].size, 0)
        if not self._pending:
            self._waits_since = time.monotonic()
        self._pending[identity] = (ready, is_known)
        waiting = sum(len(waiting.chunks) for waiting, _ in self._pending.values())
        if waiting >= self._choose_batch() or time.monotonic() - self._waits_since >= _WRITE_SECONDS:
            self.flush()

    def _choose_batch(self) -> int:
        """Chunks to be embedded and written together: as many as the model takes in the time that may be lost."""
        least, most = self._settings.embed_batch, self._settings.write_batch
        seconds = self._embedding.seconds
        pace = self._chunks_written / seconds if seconds else 0.0
        return min(most, max(least, int(pace * _WRITE_SECONDS)))

    def flush(self) -> None:
        """Write the waiting documents. Durable when this returns."""
        waiting = list(self._pending.values())
        self._pending.clear()
        if not waiting:
            return
        self._began = time.monotonic()
        try:
            embedded = self._embedding.embed_each([ready for ready, _ in waiting], self._report_progress)
        except Unwanted:
            self.has_let_go = True
            return
        self._tally.embedding_seconds = self._embedding.seconds
        batch: dict[str, Candidate] = {}
        written: list[tuple[Ready, bool, IndexedDocument]] = []
        for (ready, is_known), vectors in zip(waiting, embedded, strict=True):
            if isinstance(vectors, str):
                self.fail(ready.document, vectors)
            else:
                written.append((ready, is_known, self._build_indexed(ready, vectors, batch)))
        self._store.upsert([indexed for _, _, indexed in written])
        self._chunks_written += sum(len(ready.chunks) for ready, _, _ in written)
        for ready, is_known, indexed in written:
            document = ready.document
            self._tally.written(
                document.id, document.source, document.completeness, len(ready.chunks), is_known=is_known
            )
            if indexed.duplicate_of is not None:
                self._tally.links[document.id] = indexed.duplicate_of

    def _report_progress(self, source: str, bytes_done: int, chunks: int) -> None:
        """After each batch. Raises Unwanted so that a cancelled run does not embed a book to its end."""
        self._tally.listener.report_progress(source, bytes_done, chunks)
        if time.monotonic() - self._began > _WRITE_SECONDS and not self._goes_on():
            raise Unwanted

    def fail(self, document: Document, reason: str, size: int = 0) -> None:
        """Record that a document could not be ingested."""
        self._store.mark_failed(document, reason)
        self._tally.failed(document.id, document.source, reason, size)

    def _build_indexed(self, ready: Ready, vectors: Vectors, batch: dict[str, Candidate]) -> IndexedDocument:
        original: Original | None = None
        if ready.signature is not None:
            original = find_original(self._store, ready.document, ready.signature, SAME_STORY, batch=batch)
            batch[ready.document.id] = Candidate(ready.document, ready.signature, original)
        plain = IndexedDocument(ready.document, (*ready.chunks, *ready.parents), vectors, signature=ready.signature)
        return link_document(plain, original)


__all__ = ["Failure", "IngestListener", "IngestReport", "Ingestor"]

_AHEAD_CHARACTERS = 8_000_000
"""How much may wait between reading and embedding; bounds memory whatever the size of the corpus."""

_FEW = 100
"""Documents up to which their records are requested by id, instead of all records."""


class Ingestor:
    """Puts documents into a store."""

    def __init__(
        self,
        store: CompleteStore,
        embedder: Embedder,
        settings: IngestSettings,
        profiles: Mapping[str, Profile] | None = None,
        figures: FigureStep | None = None,
    ) -> None:
        """``profiles`` by name have the vocabulary that documents are tagged with; ``figures`` describes pictures, None leaves them out."""
        self._figures = figures
        self._store = store
        self._embedder = embedder
        self._settings = settings
        self._profiles = profiles or {}

    def add_paths(
        self,
        paths: Sequence[Path],
        *,
        profile: str,
        tags: Sequence[str] = (),
        tenant: str = "default",
        conversation_id: str | None = None,
        sync: bool = False,
        listener: IngestListener | None = None,
    ) -> IngestReport:
        """Ingest files and folders; unchanged ones are skipped, failures are reported and never stop the run.

        They belong to the conversation, where one is named. With ``sync`` documents from under ``paths`` whose files or rows are gone
        are deleted. Raises UsageError, before anything is done, for a path that does not exist; StoreError and ModelError end the
        run with what was written intact.
        """
        options = ReadOptions(profile, tuple(tags), tenant, conversation_id, reads_pictures=self._figures is not None)
        tally = Tally(listener or SilentListener())
        addition = find_files(paths, options, self._settings)
        tally.found_files(len(addition.found.files), addition.total_bytes)
        tally.passed_over(addition.found.skipped)
        closing = threading.Event()
        read_options = replace(addition.options, goes_on=lambda: not closing.is_set())
        with self._store.writing():
            self._ingest_items(read_files(addition.found.files, read_options), tally, {tenant}, closing=closing)
            addition.bring_into_step(self._store, tally, sync=sync)
        return tally.report()

    def add_documents(self, documents: Iterable[Document], listener: IngestListener | None = None) -> IngestReport:
        """Ingest documents made by the caller, by the same path; their characters count as bytes.

        Unchanged ones are recognised in every tenant when ``documents`` is a sequence, else in the default tenant.
        """
        tally = Tally(listener or SilentListener())
        tenants = announce_documents(documents, tally)
        found = (Found(document, len(document.text)) for document in documents)
        with self._store.writing():
            known: Mapping[str, str] | None = None
            if isinstance(documents, Sequence) and len(documents) <= _FEW:
                known = known_of(self._store, documents)
            self._ingest_items(found, tally, tenants, known=known)
        return tally.report()

    def add_read(
        self,
        read: Iterator[Read | Unchanged],
        under: Filter,
        size: int,
        *,
        listener: IngestListener | None = None,
        goes_on: Callable[[], bool] = lambda: True,
    ) -> IngestReport:
        """Ingest ``size`` bytes that the caller reads, of the tenant, the conversation and the sources of ``under``.

        What a fully read source no longer gives is deleted. Once ``goes_on`` returns false, the documents in
        work are finished, or dropped where that would take more than seconds, and the rest is left for another run.
        """
        tally = Tally(listener or SilentListener())
        tally.listener.found(None, size)
        with self._store.writing():
            if self._ingest_items(read, tally, {under.tenant}, goes_on):
                tally.deleted = delete_old_rows(self._store, under, tally.seen)
        return tally.report()

    def _ingest_items(
        self,
        read: Iterator[Read | Unchanged],
        tally: Tally,
        tenants: Collection[str],
        goes_on: Callable[[], bool] = lambda: True,
        *,
        known: Mapping[str, str] | None = None,
        closing: threading.Event | None = None,
    ) -> bool:
        """Whether all of it was taken. ``known`` are the stored content hashes by id, where they were looked up already;
        ``closing`` is set once nothing more will be read.
        """
        known = known_hashes(self._store, tenants) if known is None else known
        writer = Writer(self._store, self._embedder, self._settings, tally, goes_on)
        if self._figures is not None:
            read = self._figures.describe_found(read, lambda: goes_on() and not (closing and closing.is_set()))
        items = prepare_documents(read, known, self._settings, self._profiles, goes_on)
        is_whole = True
        with Prefetch(items, weigh_item, _AHEAD_CHARACTERS, closing) as ahead:
            for item in ahead:
                if not (is_whole := goes_on()):
                    break
                if isinstance(item, Finished):
                    tally.finished(item.path, item.size, is_whole=item.is_whole)
                elif isinstance(item, Unreadable):
                    writer.fail(item.document, item.reason, item.size)
                elif isinstance(item, Unchanged):
                    tally.unchanged(item.document_id, item.source, item.size)
                else:
                    if item.repeats:
                        tally.note_repeat(item.document.source)
                    tally.seen.documents.add(item.document.id)
                    writer.add(item, is_known=item.document.id in known)
        writer.flush()
        if isinstance(self._embedder, HostedEmbedder):
            tally.note_spending(self._embedder.name, self._embedder.spent)
        if self._figures is not None:
            tally.figures = self._figures.gain
        relink_after_changes(self._store, tally, tenants)
        return is_whole and goes_on() and not writer.has_let_go
