"""The progress and the report of an ingest."""

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, runtime_checkable

from ascertain.core.documents.documents import Completeness
from ascertain.core.documents.ingest import Failure, FigureGain, FileCompleteness, GraphGain, IngestReport
from ascertain.core.service.status import format_count
from ascertain.documents.formats.registry import describe_remedies, known_suffixes
from ascertain.graph.synchronisation import GraphTally
from ascertain.models.ports import Spent


def merge_reports(report: IngestReport, other: IngestReport) -> IngestReport:
    """Two runs as one."""
    return IngestReport(
        added=report.added + other.added,
        changed=report.changed + other.changed,
        unchanged=report.unchanged + other.unchanged,
        deleted=report.deleted + other.deleted,
        duplicates=report.duplicates + other.duplicates,
        chunks=report.chunks + other.chunks,
        failures=report.failures + other.failures,
        seconds=report.seconds + other.seconds,
        embedding_seconds=report.embedding_seconds + other.embedding_seconds,
        notes=report.notes + other.notes,
        skipped=dict(Counter(report.skipped) + Counter(other.skipped)),
        completeness=report.completeness + other.completeness,
        graph=GraphGain(
            report.graph.documents + other.graph.documents,
            report.graph.names + other.graph.names,
            report.graph.mentions + other.graph.mentions,
            report.graph.relations + other.graph.relations,
        ),
        figures=report.figures.plus(other.figures),
    )


_NAMED_SUFFIXES = 10
"""As many as a line holds; all are in the report's ``skipped``."""


def describe_skipped(skipped: Counter[str]) -> str:
    """``files of other formats skipped: 3 (2 .pptx, 1 without a suffix)``."""
    named = [f"{count:,} {suffix or 'without a suffix'}" for suffix, count in skipped.most_common(_NAMED_SUFFIXES)]
    rest = skipped.total() - sum(count for _, count in skipped.most_common(_NAMED_SUFFIXES))
    others = [f"{rest:,} of other suffixes"] if rest else []
    return (
        f"files of other formats skipped: {skipped.total():,} ({', '.join(named + others)}){describe_remedies(skipped)}"
    )


class IngestListener(Protocol):
    """Listens to progress; called from the thread that runs the ingest."""

    def found(self, total_documents: int | None, total_bytes: int) -> None:
        """The total to do, once, before anything is read; files may hold more than one document."""
        ...

    def report_progress(self, source: str, bytes_done: int, chunks: int) -> None:
        """Bytes and chunks done since the last call; a long document advances in steps."""
        ...

    def failed(self, source: str, reason: str) -> None:
        """A failure; it will be in the report."""
        ...


@runtime_checkable
class FileListener(Protocol):
    """Also listens to the files of an ingest; optional for a listener."""

    def count_files(self, done: int, total: int) -> None:
        """How many files of ``total`` have been fully read; ``total`` is 0 if unknown."""
        ...


def tell_files(listener: IngestListener, done: int, total: int) -> None:
    """Report to a listener how many files have been read, if it listens to files."""
    if isinstance(listener, FileListener):
        listener.count_files(done, total)


class SilentListener:
    """The default listener."""

    def found(self, total_documents: int | None, total_bytes: int) -> None:
        """Ignore it."""

    def report_progress(self, source: str, bytes_done: int, chunks: int) -> None:
        """Ignore it."""

    def failed(self, source: str, reason: str) -> None:
        """Ignore it."""


@dataclass(slots=True)
class Seen:
    """What a run found. ``files`` maps each visited file to whether all of it was read."""

    documents: set[str] = field(default_factory=set[str])
    failed: set[str] = field(default_factory=set[str])
    files: dict[str, bool] = field(default_factory=dict[str, bool])


class Tally:
    """Counts one run, whichever engine does the work. A document counts once, however often it is given or tried.

    ``graph`` is what the workers of a cluster did to it; of an ingest in this process the caller knows.
    """

    def __init__(self, listener: IngestListener) -> None:
        self.listener = listener
        self.seen = Seen()
        self.changed: set[str] = set()
        self.links: dict[str, str] = {}
        """The documents that this run found to be duplicates, each with its original."""
        self.deleted = 0
        self.embedding_seconds = 0.0
        self.graph = GraphTally()
        self.figures = FigureGain()
        self._started = time.perf_counter()
        self._added = 0
        self._unchanged = 0
        self._chunks = 0
        self._written: set[str] = set()
        self._failures: list[Failure] = []
        self._completeness: dict[str, FileCompleteness] = {}
        self._notes: list[str] = []
        self._skipped: Counter[str] = Counter()
        self._files = 0

    def found_files(self, files: int, total_bytes: int) -> None:
        """The total to read."""
        self._files = files
        self.listener.found(None, total_bytes)
        tell_files(self.listener, 0, files)

    def passed_over(self, skipped: Sequence[tuple[Path, str]]) -> None:
        """What was found but not opened: files of other formats make a note, unreadable ones are failures."""
        for path, reason in skipped:
            if path.is_file() and path.suffix.lower() not in known_suffixes():
                self._skipped[path.suffix.lower()] += 1
            else:
                self.failure(str(path), reason)
        if self._skipped:
            self._notes.append(describe_skipped(self._skipped))

    def finished(self, path: str, size: int, *, is_whole: bool) -> None:
        """A file has been read, to its end or as far as possible."""
        self.seen.files[path] = is_whole
        self.listener.report_progress(path, size, 0)
        tell_files(self.listener, len(self.seen.files), self._files)

    def unchanged(self, document_id: str, source: str, size: int) -> None:
        """A document is in the store as it is."""
        self._unchanged += document_id not in self.seen.documents
        self.seen.documents.add(document_id)
        self.listener.report_progress(source, size, 0)

    def note(self, line: str) -> None:
        """Add a line for people to the report."""
        self._notes.append(line)

    def failed(self, document_id: str, source: str, reason: str, size: int = 0) -> None:
        """A document, or what should have been one, could not be ingested."""
        self.seen.failed.add(document_id)
        self.failure(source, reason)
        self.listener.report_progress(source, size, 0)

    def failure(self, source: str, reason: str) -> None:
        """A failure without a document."""
        self._failures.append(Failure(source, reason))
        self.listener.failed(source, reason)

    def note_repeat(self, source: str) -> None:
        """The run has been given another document with the same id."""
        self._notes.append(f"{source}: given twice in this run; the last one was used")

    def note_spending(self, model: str, spent: Spent) -> None:
        """What a model on a server has cost since it was opened; nothing if it was not called."""
        if spent.requests:
            price = f", ${spent.usd:.4f}" if spent.usd else ""
            self._notes.append(f"{model}: {spent.tokens:,} tokens in {format_count(spent.requests, 'request')}{price}")

    def written(
        self, document_id: str, source: str, completeness: Completeness | None, chunks: int, *, is_known: bool
    ) -> None:
        """A document is in the store, for the first time or (``is_known``) over an earlier version."""
        self._chunks += chunks
        if completeness is not None:
            self._completeness[document_id] = FileCompleteness(source, completeness)
        if document_id in self._written:
            return
        self._written.add(document_id)
        if is_known:
            self.changed.add(document_id)
        else:
            self._added += 1

    def report(self) -> IngestReport:
        """The report so far."""
        return IngestReport(
            added=self._added,
            changed=len(self.changed),
            unchanged=self._unchanged,
            deleted=self.deleted,
            duplicates=len(self.links),
            chunks=self._chunks,
            failures=tuple(self._failures),
            seconds=time.perf_counter() - self._started,
            embedding_seconds=self.embedding_seconds,
            notes=(*self._notes, *self.graph.notes),
            skipped=dict(self._skipped.most_common()),
            completeness=tuple(self._completeness.values()),
            graph=GraphGain(self.graph.documents, len(self.graph.names), self.graph.mentions, self.graph.relations),
            figures=self.figures,
        )
