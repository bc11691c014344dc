"""The ingest pipeline: read, skip what is unchanged, chunk, embed, write.

One thread reads and chunks ahead while this one runs the embedding model and writes. Documents are written in batches and
each one atomically, so that a kill loses at most what was in work, and a rerun skips what is there.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from ascertain.core.documents import Document
from ascertain.core.settings import IngestSettings
from ascertain.ingest.prefetch import Prefetch
from ascertain.ingest.preparing import Finished, Found, Read, Unchanged, Unreadable, prepare, weight
from ascertain.ingest.reading import read_files
from ascertain.ingest.relinking import relink
from ascertain.ingest.report import Failure, IngestListener, IngestReport, SilentListener
from ascertain.ingest.sync import Seen, delete_vanished, forget_old_failures
from ascertain.ingest.writing import Writer
from ascertain.models.ports import Embedder
from ascertain.sources.files import ReadOptions, discover
from ascertain.sources.formats import SUFFIXES
from ascertain.stores.ports import ChunkStore

__all__ = ["Failure", "IngestListener", "IngestReport", "Ingestor"]

_AHEAD_CHARACTERS = 8_000_000
"""How much may wait between reading and embedding; bounds memory whatever the size of the corpus."""


class Ingestor:
    """Puts documents into a store."""

    def __init__(self, store: ChunkStore, embedder: Embedder, settings: IngestSettings) -> None:
        self._store = store
        self._embedder = embedder
        self._settings = settings

    def add_paths(
        self,
        paths: Sequence[Path],
        *,
        profile: str,
        tags: Sequence[str] = (),
        sync: bool = False,
        listener: IngestListener | None = None,
    ) -> IngestReport:
        """Ingest files and folders; what is unchanged is skipped, what fails is reported and never stops the run.

        With ``sync`` documents from under ``paths`` whose files or rows are gone are deleted. Raises UsageError, before anything
        is done, for a path that does not exist; StoreError and ModelError end the run with what was written intact.
        """
        started = time.perf_counter()
        listener = listener or SilentListener()
        discovery = discover(paths)
        roots = [path.expanduser().resolve() for path in paths]
        listener.found(None, sum(map(_size, discovery.files)))
        options = ReadOptions(
            profile=profile,
            tags=tuple(tags),
            max_bytes=self._settings.max_file_bytes,
            max_characters=self._settings.max_text_characters,
        )
        with self._store.writing():
            run = _Run(self._store, self._embedder, self._settings, listener)
            run.pass_over(discovery.skipped)
            run.ingest(read_files(discovery.files, options))
            forget_old_failures(self._store, roots, run.seen)
            deleted = 0
            if sync:
                skipped = [path for path, _ in discovery.skipped]
                deleted = delete_vanished(self._store, roots, discovery.files, skipped, run.seen)
        return run.report(started, deleted)

    def add_documents(
        self, documents: Iterable[Document], listener: IngestListener | None = None
    ) -> IngestReport:
        """Ingest documents made by the caller, by the same path; their characters count as bytes.

        Unchanged ones are recognised in every tenant when ``documents`` is a sequence, else in the default tenant.
        """
        started = time.perf_counter()
        listener = listener or SilentListener()
        tenants = {"default"}
        if isinstance(documents, Sequence):
            tenants = {document.tenant for document in documents}
            listener.found(len(documents), sum(len(document.text) for document in documents))
        else:
            listener.found(None, 0)
        with self._store.writing():
            run = _Run(self._store, self._embedder, self._settings, listener)
            run.ingest((Found(document, len(document.text)) for document in documents), tenants)
        return run.report(started, 0)


class _Run:
    """One ingest, from the first document to the report."""

    def __init__(
        self, store: ChunkStore, embedder: Embedder, settings: IngestSettings, listener: IngestListener
    ) -> None:
        self.seen = Seen()
        self._store = store
        self._settings = settings
        self._listener = listener
        self._writer = Writer(store, embedder, settings, listener)
        self._unchanged = 0
        self._notes: list[str] = []

    def pass_over(self, skipped: Sequence[tuple[Path, str]]) -> None:
        """Report what was found but not opened: files of other formats in a note, what may not be read as failures."""
        other_formats = 0
        for path, reason in skipped:
            if path.is_file() and path.suffix.lower() not in SUFFIXES:
                other_formats += 1
            else:
                self._writer.report_failure(str(path), reason)
        if other_formats:
            self._notes.append(f"files of other formats passed over: {other_formats:,}")

    def ingest(self, read: Iterator[Read], tenants: Collection[str] = ("default",)) -> None:
        known = {
            identity: found for tenant in tenants for identity, found in self._store.known(tenant).items()
        }
        items = prepare(read, known, self._settings)
        with Prefetch(items, weight, _AHEAD_CHARACTERS) as ahead:
            for item in ahead:
                if isinstance(item, Finished):
                    self.seen.files[item.path] = item.is_whole
                    self._listener.advanced(item.path, item.size, 0)
                elif isinstance(item, Unreadable):
                    self.seen.failed.add(item.document.id)
                    self._writer.fail(item.document, item.reason)
                    self._listener.advanced(item.document.source, item.size, 0)
                elif isinstance(item, Unchanged):
                    self._unchanged += item.document_id not in self.seen.documents
                    self.seen.documents.add(item.document_id)
                    self._listener.advanced(item.source, item.size, 0)
                else:
                    if item.repeats:
                        self._notes.append(
                            f"{item.document.source}: given twice in this run; the last one was kept"
                        )
                    self.seen.documents.add(item.document.id)
                    self._writer.add(item, is_known=item.document.id in known)
        self._writer.flush()
        relink(self._store, self._writer.changed, self._settings.duplicate_threshold)

    def report(self, started: float, deleted: int) -> IngestReport:
        return replace(
            self._writer.report,
            unchanged=self._unchanged,
            deleted=deleted,
            seconds=time.perf_counter() - started,
            embedding_seconds=self._writer.embedding_seconds,
            notes=tuple(self._notes),
        )


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0  # reading it will say what is wrong
