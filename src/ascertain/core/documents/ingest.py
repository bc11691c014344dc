"""The results of adding documents, and the runs that added them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from ascertain.core.documents.documents import Completeness
from ascertain.core.serialisation import Serialisable


@dataclass(frozen=True, slots=True)
class Failure(Serialisable, examples={"source": "scan.pdf", "reason": "no text"}):
    """Something that could not be read, and why."""

    source: str
    reason: str


@dataclass(frozen=True, slots=True)
class FileCompleteness(Serialisable, examples={"source": "/home/me/forms/order.pdf"}):
    """How completely one document was read."""

    source: str
    completeness: Completeness


@dataclass(frozen=True, slots=True)
class GraphGain(Serialisable, examples={"documents": 40, "names": 812, "mentions": 3120, "relations": 96}):
    """What was read into the knowledge graph, or is in it."""

    documents: int = 0
    names: int = 0
    mentions: int = 0
    relations: int = 0


@dataclass(frozen=True, slots=True)
class FigureGain(Serialisable, examples={"waiting_in": [], "reasons": []}):
    """The report on the pictures of documents."""

    model: str = ""
    """The chat model that describes them; empty without one."""
    described: int = 0
    remembered: int = 0
    """Described before, which cost nothing."""
    waiting: int = 0
    """Not described."""
    waiting_tokens: int = 0
    """About what describing those will take."""
    waiting_usd: float = 0.0
    """The same by `models.chat.input_usd_per_million`."""
    waiting_in: tuple[str, ...] = ()
    """The sources of their documents."""
    reasons: tuple[str, ...] = ()
    """Why those wait that the model was asked about."""

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
class IngestReport(
    Serialisable,
    examples={
        "added": 40,
        "unchanged": 2,
        "duplicates": 1,
        "chunks": 118,
        "seconds": 9.1,
        "embedding_seconds": 8.2,
        "skipped": {".pptx": 3, ".png": 1},
    },
):
    """The result of adding, in documents."""

    added: int = 0
    changed: int = 0
    unchanged: int = 0
    deleted: int = 0
    duplicates: int = 0
    """Of those added and changed."""
    chunks: int = 0
    failures: tuple[Failure, ...] = ()
    seconds: float = 0.0
    embedding_seconds: float = 0.0
    """The part of `seconds` that the embedding model took."""
    notes: tuple[str, ...] = ()
    """Further notes, such as what could not be read into the graph."""
    graph: GraphGain = GraphGain()
    """What was read into the knowledge graph."""
    skipped: Mapping[str, int] = field(default_factory=dict[str, int])
    """Files in the folders whose format is not read, by suffix."""
    completeness: tuple[FileCompleteness, ...] = ()
    """How completely each document that was written has been read."""
    figures: FigureGain = FigureGain()
    """The report on pictures (`ingest.describe_figures`)."""


class RunState(StrEnum):
    """The state of a run."""

    RUNNING = "running"
    FINISHED = "finished"
    FAILED = "failed"
    INTERRUPTED = "interrupted"
    """Its process ended before the run did."""


@dataclass(frozen=True, slots=True)
class IngestRun(
    Serialisable,
    examples={
        "id": "5f0c",
        "engine": "local",
        "what": "news/",
        "state": "finished",
        "started_at": "2024-12-05T18:00:00+00:00",
        "updated_at": "2024-12-05T18:01:10+00:00",
        "bytes_done": 90112,
        "bytes_total": 90112,
        "chunks": 118,
    },
):
    """A run that added documents, on whichever machine."""

    id: str
    engine: str
    what: str
    """The paths it was given, for people."""
    started_at: datetime
    updated_at: datetime
    state: RunState = RunState.RUNNING
    bytes_done: int = 0
    bytes_total: int = 0
    """0 while unknown."""
    chunks: int = 0
    failures: int = 0
    reason: str = ""
    """Why it failed or was interrupted."""


@dataclass(frozen=True, slots=True)
class Transcribed(
    Serialisable,
    examples={
        "recording": "talks/opening.mp3",
        "transcript": "talks/opening.mp3.vtt",
        "segments": 212,
        "seconds": 1803.4,
        "language": "english",
        "is_new": True,
    },
):
    """A recording and its transcript."""

    recording: str
    transcript: str = ""
    """Empty where it failed."""
    segments: int = 0
    seconds: float = 0.0
    """Of the recording, up to the last word."""
    language: str = ""
    """As the server names it; empty where it does not."""
    is_new: bool = False
    """Whether the transcript was written now; false if it existed."""
    failure: str = ""
    """Why there is none; empty where all is well."""
    gap: str = ""
    """What of a damaged recording could not be read, and is not in the transcript; empty where all was."""
