"""What an ingest says while it runs and when it is over."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Failure:
    """A document, file or row that could not be ingested, and why."""

    source: str
    reason: str


@dataclass(frozen=True, slots=True)
class GraphGain:
    """What a run read into the knowledge graph: ``names`` are the different ones, ``mentions`` the places where they stand."""

    documents: int = 0
    names: int = 0
    mentions: int = 0
    relations: int = 0


@dataclass(frozen=True, slots=True)
class IngestReport:
    """What came of one run. ``duplicates`` are among the added and changed ones; ``chunks`` are those written.

    ``embedding_seconds`` is the part of ``seconds`` spent inside the embedding model. ``notes`` are things to know that
    are no failures, such as two documents with one id.
    """

    added: int = 0
    changed: int = 0
    unchanged: int = 0
    deleted: int = 0
    duplicates: int = 0
    chunks: int = 0
    failures: tuple[Failure, ...] = ()
    seconds: float = 0.0
    embedding_seconds: float = 0.0
    notes: tuple[str, ...] = ()
    graph: GraphGain = GraphGain()


def merged(report: IngestReport, other: IngestReport) -> IngestReport:
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
        graph=GraphGain(
            report.graph.documents + other.graph.documents,
            report.graph.names + other.graph.names,
            report.graph.mentions + other.graph.mentions,
            report.graph.relations + other.graph.relations,
        ),
    )


class IngestListener(Protocol):
    """Hears of progress; called from the thread that runs the ingest."""

    def found(self, total_documents: int | None, total_bytes: int) -> None:
        """How much there is to do, once, before anything is read; files may hold more than one document."""
        ...

    def advanced(self, source: str, bytes_done: int, chunks: int) -> None:
        """So many more bytes and chunks are done since the last call; a long document advances in steps."""
        ...

    def failed(self, source: str, reason: str) -> None:
        """One failure more; it will be in the report."""
        ...


class SilentListener:
    """The listener where nobody watches."""

    def found(self, total_documents: int | None, total_bytes: int) -> None:
        """Say nothing."""

    def advanced(self, source: str, bytes_done: int, chunks: int) -> None:
        """Say nothing."""

    def failed(self, source: str, reason: str) -> None:
        """Say nothing."""
