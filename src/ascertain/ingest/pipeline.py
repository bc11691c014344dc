"""The ingest pipeline on one machine: read, skip what is unchanged, chunk, embed, write.

One thread reads and chunks ahead while this one runs the embedding model and writes. Documents are written in batches and
each one atomically, so that a kill loses at most what was in work, and a rerun skips what is there.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from ascertain.core.documents import Document
from ascertain.core.filters import Filter
from ascertain.core.settings import IngestSettings
from ascertain.ingest.additions import announce, find_files, known_hashes, known_of, relink_changed
from ascertain.ingest.prefetch import Prefetch
from ascertain.ingest.preparing import Finished, Found, Read, Unchanged, Unreadable, prepare, weight
from ascertain.ingest.reading import read_files
from ascertain.ingest.report import Failure, IngestListener, IngestReport, SilentListener
from ascertain.ingest.sync import delete_superseded
from ascertain.ingest.tally import Tally
from ascertain.ingest.writing import Writer
from ascertain.models.ports import Embedder
from ascertain.sources.extraction import ReadOptions
from ascertain.stores.ports import CompleteStore

__all__ = ["Failure", "IngestListener", "IngestReport", "Ingestor"]

_AHEAD_CHARACTERS = 8_000_000
"""How much may wait between reading and embedding; bounds memory whatever the size of the corpus."""

_FEW = 100
"""Documents up to which what is known of them is asked for by their ids, and not for everything."""


class Ingestor:
    """Puts documents into a store."""

    def __init__(self, store: CompleteStore, embedder: Embedder, settings: IngestSettings) -> None:
        self._store = store
        self._embedder = embedder
        self._settings = settings

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
        """Ingest files and folders; what is unchanged is skipped, what fails is reported and never stops the run.

        They belong to the conversation, where one is named. With ``sync`` documents from under ``paths`` whose files or rows are gone
        are deleted. Raises UsageError, before anything is done, for a path that does not exist; StoreError and ModelError end the
        run with what was written intact.
        """
        options = ReadOptions(profile, tuple(tags), tenant, conversation_id)
        tally = Tally(listener or SilentListener())
        addition = find_files(paths, options, self._settings)
        tally.listener.found(None, addition.total_bytes)
        tally.passed_over(addition.found.skipped)
        with self._store.writing():
            self._ingest(read_files(addition.found.files, addition.options), tally, {tenant})
            addition.bring_into_step(self._store, tally, sync=sync)
        return tally.report()

    def add_documents(
        self, documents: Iterable[Document], listener: IngestListener | None = None
    ) -> IngestReport:
        """Ingest documents made by the caller, by the same path; their characters count as bytes.

        Unchanged ones are recognised in every tenant when ``documents`` is a sequence, else in the default tenant.
        """
        tally = Tally(listener or SilentListener())
        tenants = announce(documents, tally)
        found = (Found(document, len(document.text)) for document in documents)
        with self._store.writing():
            known: Mapping[str, str] | None = None
            if isinstance(documents, Sequence) and len(documents) <= _FEW:
                known = known_of(self._store, documents)
            self._ingest(found, tally, tenants, known=known)
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

        What a source that is read to its end gave before and gives no more is deleted. Once ``goes_on`` says no, the documents in
        work are finished and the rest is left for another run.
        """
        tally = Tally(listener or SilentListener())
        tally.listener.found(None, size)
        with self._store.writing():
            if self._ingest(read, tally, {under.tenant}, goes_on):
                tally.deleted = delete_superseded(self._store, under, tally.seen)
        return tally.report()

    def _ingest(
        self,
        read: Iterator[Read | Unchanged],
        tally: Tally,
        tenants: Collection[str],
        goes_on: Callable[[], bool] = lambda: True,
        known: Mapping[str, str] | None = None,
    ) -> bool:
        """Whether all of it was taken. ``known`` are the content hashes that are there, by id, where they were looked up already."""
        known = known_hashes(self._store, tenants) if known is None else known
        writer = Writer(self._store, self._embedder, self._settings, tally)
        items = prepare(read, known, self._settings)
        is_whole = True
        with Prefetch(items, weight, _AHEAD_CHARACTERS) as ahead:
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
                        tally.repeated(item.document.source)
                    tally.seen.documents.add(item.document.id)
                    writer.add(item, is_known=item.document.id in known)
        writer.flush()
        relink_changed(self._store, tally, tenants)
        return is_whole
