"""The results of adding documents, and the runs that added them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from ascertain.core.documents.documents import Completeness


@dataclass(frozen=True, slots=True)
class Failure:
    """A document, file or row that could not be ingested, and why."""

    source: str
    reason: str


@dataclass(frozen=True, slots=True)
class FileCompleteness:
    """How completely one document was read."""

    source: str
    completeness: Completeness


@dataclass(frozen=True, slots=True)
class GraphGain:
    """What a run read into the knowledge graph: ``names`` are the different ones, ``mentions`` the places where they
    stand.
    """

    documents: int = 0
    names: int = 0
    mentions: int = 0
    relations: int = 0


@dataclass(frozen=True, slots=True)
class FigureGain:
    """The report of a run on the pictures of documents. ``remembered`` cost nothing; ``waiting`` were not described, for ``reasons``
    or because the run deferred them, and would take about ``waiting_tokens``.
    """

    model: str = ""
    described: int = 0
    remembered: int = 0
    waiting: int = 0
    waiting_tokens: int = 0
    waiting_usd: float = 0.0
    waiting_in: tuple[str, ...] = ()
    """The sources of their documents."""
    reasons: tuple[str, ...] = ()

    def plus(self, other: FigureGain) -> FigureGain:
        """Both runs together."""
        return FigureGain(
            self.model or other.model,
            self.described + other.described,
            self.remembered + other.remembered,
            self.waiting + other.waiting,
            self.waiting_tokens + other.waiting_tokens,
            self.waiting_usd + other.waiting_usd,
            self.waiting_in + other.waiting_in,
            tuple(dict.fromkeys((*self.reasons, *other.reasons))),
        )


@dataclass(frozen=True, slots=True)
class IngestReport:
    """The report of one run. ``duplicates`` are among the added and changed ones; ``chunks`` are those written.

    ``embedding_seconds`` is the part of ``seconds`` spent inside the embedding model. ``notes`` are remarks that
    are not failures, such as two documents with one id. ``skipped`` are files of unsupported formats, how many of
    each suffix. ``completeness`` say how completely each document that was written has been read.
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
    skipped: Mapping[str, int] = field(default_factory=dict[str, int])
    completeness: tuple[FileCompleteness, ...] = ()
    figures: FigureGain = FigureGain()


class RunState(StrEnum):
    """The state of a run."""

    RUNNING = "running"
    FINISHED = "finished"
    FAILED = "failed"
    INTERRUPTED = "interrupted"
    """Its process ended before the run did."""


@dataclass(frozen=True, slots=True)
class IngestRun:
    """One run of an ingest. Counts are of the work so far; ``bytes_total`` is 0 while unknown."""

    id: str
    engine: str
    what: str
    """The paths it was given, for people."""
    started_at: datetime
    updated_at: datetime
    state: RunState = RunState.RUNNING
    bytes_done: int = 0
    bytes_total: int = 0
    chunks: int = 0
    failures: int = 0
    reason: str = ""
    """Why it failed or was interrupted."""


@dataclass(frozen=True, slots=True)
class Transcribed:
    """A recording and the transcript beside it; ``transcript`` is empty where ``failure`` says why there is none."""

    recording: str
    transcript: str = ""
    segments: int = 0
    seconds: float = 0.0
    """Of the recording, up to the last word."""
    language: str = ""
    is_new: bool = False
    """Whether it was written now, and not there before."""
    failure: str = ""
    gap: str = ""
    """What of a damaged recording could not be read, and so is not in the transcript."""
