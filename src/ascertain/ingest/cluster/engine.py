"""The driver of an ingest on a cluster: hands out sources, books what comes back, and settles what only it can see."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Protocol

from ascertain.core.documents import Document
from ascertain.ingest.additions import announce, find_files, known_hashes, relink_changed
from ascertain.ingest.cluster.ledger import Ledger, in_lots, size_of
from ascertain.ingest.cluster.parcels import Lot, Outcome, Source
from ascertain.ingest.cluster.settling import Likeness, settle
from ascertain.ingest.cluster.stages import Workplace
from ascertain.ingest.duplicates import SAME_STORY
from ascertain.ingest.report import IngestListener, IngestReport, SilentListener
from ascertain.ingest.tally import Tally
from ascertain.sources.extraction import ReadOptions
from ascertain.stores.ports import CompleteStore

ATTEMPTS = 3
"""How often a file or document is tried whose worker dies; from the second time on it is by itself."""
_LOT_BYTES = 1_000_000
_LOT_SOURCES = 64
_LOTS_PER_WORKER = 4
"""At least so many for each worker where there is enough to do, so that all finish at about the same time."""
_WAVE_CHARACTERS = 200_000_000
"""Documents made by the caller that are handed out at a time; bounds what the driver and the cluster hold of them."""


class Crew(Protocol):
    """Workers at hand, on however many machines."""

    @property
    def workers(self) -> int:
        """How many parcels are embedded at a time."""
        ...

    def outcomes(
        self, lots: Sequence[Lot], known: Mapping[str, str], workplace: Workplace
    ) -> Iterator[Outcome]:
        """Read, embed and write the lots; what came of each parcel, in any order.

        What was in work on a worker that died is missing from it.
        """
        ...


class Cluster(Protocol):
    """Where workers can be had."""

    def crew(self) -> AbstractContextManager[Crew]:
        """Workers until the context ends. Raises MissingExtra or ConfigurationError when there can be none."""
        ...


class ClusterIngestor:
    """Puts documents into a store that several machines can write to."""

    def __init__(self, store: CompleteStore, cluster: Cluster, workplace: Workplace) -> None:
        self._store = store
        self._cluster = cluster
        self._workplace = workplace

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
        resumed_since: datetime | None = None,
    ) -> IngestReport:
        """As ``Ingestor.add_paths``. Every machine must see the files under the same paths.

        ``resumed_since`` is when an earlier run of the same began that was interrupted, after which its links are settled too.
        """
        settings = self._workplace.settings
        options = ReadOptions(profile, tuple(tags), tenant, conversation_id)
        tally = Tally(listener or SilentListener())
        addition = find_files(paths, options, settings)
        tally.listener.found(None, addition.total_bytes)
        tally.passed_over(addition.found.skipped)
        workplace = replace(
            self._workplace, options=addition.options, compares_unchanged=resumed_since is not None
        )
        sources = [Source(number, path) for number, path in enumerate(addition.found.files)]
        run = _Run(self._store, workplace, tally, self._store.known(tenant))
        if sources:
            with self._cluster.crew() as crew:
                run.work(crew, sources)
        run.settle({tenant}, resumed_since)
        addition.bring_into_step(self._store, tally, sync=sync)
        return tally.report()

    def add_documents(
        self, documents: Iterable[Document], listener: IngestListener | None = None
    ) -> IngestReport:
        """As ``Ingestor.add_documents``."""
        tally = Tally(listener or SilentListener())
        tenants = announce(documents, tally)
        run = _Run(self._store, self._workplace, tally, known_hashes(self._store, tenants))
        with self._cluster.crew() as crew:
            for wave in _waves(documents, tally):
                run.work(crew, wave)
        run.settle(tenants)
        return tally.report()


class _Run:
    """One ingest, from the first source handed out to the last link settled."""

    def __init__(
        self, store: CompleteStore, workplace: Workplace, tally: Tally, known: Mapping[str, str]
    ) -> None:
        self._store = store
        self._workplace = workplace
        self._tally = tally
        self._known = known
        self._likeness = Likeness(SAME_STORY)

    def work(self, crew: Crew, sources: Sequence[Source]) -> None:
        """Have the sources dealt with; what is owed after the last attempt is recorded as failed."""
        ledger = Ledger(sources, self._tally)
        for lots in self._attempts(ledger, sources, crew.workers):
            for outcome in crew.outcomes(lots, self._known, self._workplace):
                if outcome.trouble is not None:
                    raise outcome.trouble.error()
                ledger.book(outcome)
                self._likeness.add(outcome)
        reason = (
            f"the worker that had it died, {ATTEMPTS} times in a row: it may need more memory than a worker has, "
            "or crash the program that reads it"
        )
        for document in ledger.lost(self._workplace.options):
            self._store.mark_failed(document, reason)
            self._tally.failed(document.id, document.source, reason)

    def settle(self, tenants: Collection[str], resumed_since: datetime | None = None) -> None:
        """Make the links between near-duplicates what they would be had one worker done it all."""
        self._tally.duplicates = settle(self._store, self._likeness, resumed_since)
        relink_changed(self._store, self._tally, tenants)

    def _attempts(self, ledger: Ledger, sources: Sequence[Source], workers: int) -> Iterator[list[Lot]]:
        sized = [(source, size_of(source.content)) for source in sources]
        largest = min(_LOT_BYTES, sum(size for _, size in sized) // (workers * _LOTS_PER_WORKER))
        most = min(_LOT_SOURCES, -(-len(sources) // (workers * _LOTS_PER_WORKER)))
        yield [Lot(lot) for lot in in_lots(sized, largest, most)]
        for _ in range(ATTEMPTS - 1):
            owed = ledger.owed()
            if not owed:
                return
            yield [Lot((source,), is_careful=True) for source in owed]


def _waves(documents: Iterable[Document], tally: Tally) -> Iterator[list[Source]]:
    """The documents in waves, in order; of those with one id in a wave the last."""
    wave: dict[str, Source] = {}
    size = 0
    for number, document in enumerate(documents):
        replaced = wave.pop(document.id, None)
        if replaced is not None or document.id in tally.seen.documents:
            tally.repeated(document.source)
        if replaced is not None:
            tally.listener.advanced(document.source, size_of(replaced.content), 0)
        wave[document.id] = Source(number, document)
        size += len(document.text)
        if size >= _WAVE_CHARACTERS:
            yield list(wave.values())
            wave, size = {}, 0
    if wave:
        yield list(wave.values())
