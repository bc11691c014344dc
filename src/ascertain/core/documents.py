"""Documents, the places inside them, and the chunks they are cut into."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from ascertain.core.profiling import DocumentProfile


class Span(NamedTuple):
    """``[start, end)`` in code points; ``text[span.start:span.end]`` is what it covers."""

    start: int
    end: int

    @property
    def length(self) -> int:
        """Number of code points covered."""
        return self.end - self.start

    def of(self, text: str) -> str:
        """The characters of ``text`` under this span."""
        return text[self.start : self.end]

    def shift(self, offset: int) -> Span:
        """The same interval moved right by ``offset`` code points."""
        return Span(self.start + offset, self.end + offset)

    def overlap(self, other: Span) -> int:
        """Number of code points both spans cover."""
        return max(0, min(self.end, other.end) - max(self.start, other.start))

    def contains(self, other: Span) -> bool:
        """Whether ``other`` lies wholly inside this span."""
        return self.start <= other.start and other.end <= self.end


class DocumentKind(StrEnum):
    """What a document is, which decides how it is chunked and cited."""

    PROSE = "prose"
    ARTICLE = "article"
    PAPER = "paper"
    TRANSCRIPT = "transcript"


class DocumentState(StrEnum):
    """Where a document stands in ingest; ``DocumentRecord.reason`` says why."""

    INDEXED = "indexed"
    DUPLICATE = "duplicate"
    """Indexed and linked to the near-duplicate that came first; never cited beside it."""
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Place:
    """Where in a document some characters stand, in the terms a reader would look them up by.

    ``section`` is the heading path, outermost first. ``start_time`` and ``end_time`` are seconds from
    the start of the recording. ``part`` is what the format itself counts by: ``slide 7``, ``A7:D7`` of a sheet, ``cell 12``
    of a notebook, ``chapter 3``, ``line 40``, ``message 2``.
    """

    page: int | None = None
    section: tuple[str, ...] = ()
    speaker: str | None = None
    start_time: float | None = None
    end_time: float | None = None
    # no part of ``repr``, which ``Document.content_hash`` is made of: documents without parts keep their hashes
    part: str | None = field(default=None, repr=False)

    @property
    def label(self) -> str:
        """A short human form: ``Sam Soffes, 03:46``, ``p. 3, Results``, ``sheet Prices, A7:D7``; empty when nothing is known."""
        parts: list[str] = []
        if self.speaker:
            parts.append(self.speaker)
        if self.start_time is not None:
            parts.append(clock_time(self.start_time))
        if self.page is not None:
            parts.append(f"p. {self.page}")
        if self.section:
            parts.append(" › ".join(self.section))
        if self.part:
            parts.append(self.part)
        return ", ".join(parts)


def fold_topic(text: str) -> str:
    """A topic as it is stored and compared: in lower case, words set apart by one space."""
    return " ".join(text.lower().split())


def clock_time(seconds: float) -> str:
    """``mm:ss``, or ``h:mm:ss`` from one hour on."""
    whole = int(seconds)
    hours, minutes, rest = whole // 3600, whole // 60 % 60, whole % 60
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes:02d}:{rest:02d}"


class RegionKind(StrEnum):
    """What a region marks; regions of one kind never overlap each other."""

    PAGE = "page"
    SECTION = "section"
    TURN = "turn"
    PART = "part"
    LINE = "line"
    """A line whose place on the picture of its page is known; there are such where the text was recognised."""


class LineBox(NamedTuple):
    """Where a line stands on the picture of its page, in shares of its width and height from the upper left corner."""

    left: float
    top: float
    right: float
    bottom: float
    ink: float
    """How dark the box is on average, from 0 to 1, by which another picture is told."""


@dataclass(frozen=True, slots=True)
class Region:
    """A stretch of a document's text with a known place: a page, a section's own text, a speaker turn, a part, or a line."""

    kind: RegionKind
    span: Span
    place: Place
    box: LineBox | None = None


@dataclass(frozen=True, slots=True)
class Document:
    """A source turned into clean, stable text.

    ``text`` is what every span of the system points into, so it never changes for one ``content_hash``.
    ``id`` is stable for one ``source``: re-reading a changed file gives the same id and a new hash.
    ``source`` names where it came from: a path, ``path#row`` for a row of a table, later a URL or feed id.
    ``regions`` are sorted by kind and start.
    """

    id: str
    text: str
    title: str
    kind: DocumentKind
    source: str
    url: str | None = None
    author: str | None = None
    published_at: datetime | None = None
    """Time-zone aware; a date without a time is midnight UTC."""
    language: str | None = None
    """ISO 639-1 code."""
    tags: tuple[str, ...] = ()
    profile: str = "docs"
    conversation_id: str | None = None
    tenant: str = "default"
    regions: tuple[Region, ...] = field(default=())
    document_profile: DocumentProfile | None = None
    """Derived from the rest when the document is ingested; no part of ``content_hash``."""

    @property
    def content_hash(self) -> str:
        """SHA-256 over everything a search or a citation could show; equal means nothing to re-index."""
        shown = (
            self.title,
            self.kind,
            self.url,
            self.author,
            self.published_at.isoformat() if self.published_at else None,
            self.tags,
            self.profile,
            self.conversation_id,
            tuple((r.kind, tuple(r.span), r.place) for r in self.regions),
            self.text,
        )
        if parts := tuple(region.place.part for region in self.regions if region.place.part):
            shown = (*shown, parts)
        if boxes := tuple(tuple(region.box) for region in self.regions if region.box):
            shown = (*shown, boxes)
        return hashlib.sha256(repr(shown).encode("utf-8", "surrogatepass")).hexdigest()

    def place_of(self, span: Span) -> Place:
        """The place where ``span`` begins: page, innermost section, turn and part that hold its first character."""
        page: int | None = None
        section: tuple[str, ...] = ()
        speaker: str | None = None
        start_time: float | None = None
        end_time: float | None = None
        part: str | None = None
        for region in self.regions:
            if not region.span.start <= span.start < region.span.end:
                continue
            if region.kind is RegionKind.PAGE:
                page = region.place.page
            elif region.kind is RegionKind.SECTION:
                section = region.place.section
            elif region.kind is RegionKind.PART:
                part = region.place.part
            elif region.kind is RegionKind.TURN:
                speaker = region.place.speaker
                start_time = region.place.start_time
                end_time = region.place.end_time
        return Place(page, section, speaker, start_time, end_time, part)

    def regions_of(self, kind: RegionKind) -> tuple[Region, ...]:
        """The regions of one kind, in text order."""
        return tuple(region for region in self.regions if region.kind is kind)


def document_id(source: str, tenant: str = "default", conversation_id: str | None = None) -> str:
    """A stable id for what ``source`` names, 20 hex digits."""
    key = "\0".join((tenant, conversation_id or "", source))
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()[:20]


@dataclass(frozen=True, slots=True)
class DocumentRecord:
    """What the store knows of a document, without its text."""

    id: str
    title: str
    kind: DocumentKind
    source: str
    state: DocumentState
    reason: str
    """Why it is in this state; empty when it is plainly indexed."""
    content_hash: str
    chunks: int
    characters: int
    profile: str
    added_at: datetime
    url: str | None = None
    author: str | None = None
    published_at: datetime | None = None
    language: str | None = None
    tags: tuple[str, ...] = ()
    conversation_id: str | None = None
    duplicate_of: str | None = None
    document_profile: DocumentProfile | None = None
    """None for what was added before profiles were kept, until it is added again."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """A stretch of one document; ``document.text[span.start:span.end] == text`` always.

    ``heading`` (title and heading path, and the header of a table that the text begins in the middle of) is put before
    the text when it is embedded or indexed and is not part of the span. ``parent_id`` names the larger chunk this one was cut from, for hierarchical
    retrieval; parents are stored and fetched by id but not searched (``is_parent``).
    """

    id: str
    document_id: str
    index: int
    """Position among the document's searchable chunks, from 0; -1 for parents."""
    span: Span
    text: str
    heading: str
    title: str
    kind: DocumentKind
    source: str
    place: Place = Place()
    url: str | None = None
    author: str | None = None
    published_at: datetime | None = None
    language: str | None = None
    tags: tuple[str, ...] = ()
    profile: str = "docs"
    conversation_id: str | None = None
    tenant: str = "default"
    parent_id: str | None = None
    is_parent: bool = False
    overlap_previous: int = 0
    """Code points shared with the chunk before."""
    overlap_next: int = 0
    document_profile: DocumentProfile | None = None
    """Of the document it belongs to."""
    topics: tuple[str, ...] = ()
    """What it is about, the strongest first; derived from its text, none on what was added before there were any."""

    @property
    def indexed_text(self) -> str:
        """What is embedded and indexed: the heading, a line break, the text."""
        return f"{self.heading}\n{self.text}" if self.heading else self.text


def chunk_id(document_id: str, span: Span, is_parent: bool = False) -> str:
    """``<document>:<start>-<end>``, with ``p`` before the span of a parent."""
    return f"{document_id}:{'p' if is_parent else ''}{span.start}-{span.end}"


@dataclass(frozen=True, slots=True)
class TextWindow:
    """A stretch of a document with a quote in it.

    All four numbers count code points of the document's text: the window is ``[start, end)``, the quote ``[quote_start,
    quote_end)`` inside it. ``place`` is where the quote begins: page, section, or speaker turn with its times.
    ``characters`` is the length of the whole document.
    """

    document_id: str
    title: str
    text: str
    start: int
    end: int
    quote_start: int
    quote_end: int
    place: Place
    characters: int
