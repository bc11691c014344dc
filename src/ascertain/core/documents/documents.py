"""Documents, the places inside them, and the chunks they are cut into."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from functools import cached_property

from ascertain.core.documents.blocks import Block, BlockIndex, BlockKind, Figure, Place, Span
from ascertain.core.documents.profiling import DocumentProfile
from ascertain.core.serialisation import Serialisable


class DocumentKind(StrEnum):
    """What a document is, which decides how it is chunked and cited."""

    PROSE = "prose"
    ARTICLE = "article"
    PAPER = "paper"
    TRANSCRIPT = "transcript"


class DocumentState(StrEnum):
    """The state of a document in ingest; ``DocumentRecord.reason`` says why."""

    INDEXED = "indexed"
    DUPLICATE = "duplicate"
    """Indexed and linked to the near-duplicate that came first; never cited beside it."""
    FAILED = "failed"


def fold_topic(text: str) -> str:
    """A topic as it is stored and compared: in lower case, words set apart by one space."""
    return " ".join(text.lower().split())


_PLURAL = re.compile(r"ies\b|(?<!s)s\b")
"""The ending of the first noun in the plural of what was left out."""
COMPLETE = 0.98
"""The share of a file's words below which the user is warned."""


@dataclass(frozen=True, slots=True)
class LeftOut(Serialisable, examples={"what": "form fields", "count": 3, "words": 163, "names": []}):
    """Something of a file that was not stored."""

    what: str
    """In the plural."""
    count: int = 1
    words: int = 0
    """In all of them, as far as they are known."""
    names: tuple[str, ...] = ()
    """Of the first few."""
    is_shown: bool = True
    """False for hidden parts of the file."""

    @property
    def label(self) -> str:
        """``3 pictures (a.png, b.png)``, ``1 form field (14 words)``, ``1 formula without a saved value``."""
        singular = _PLURAL.sub(lambda noun: "y" if noun[0] == "ies" else "", self.what, count=1)
        words = f"{self.words:,} {'word' if self.words == 1 else 'words'}" if self.words else ""
        about = ", ".join((*self.names, *filter(None, (words,))))
        return f"{self.count:,} {singular if self.count == 1 else self.what}{f' ({about})' if about else ''}"


@dataclass(frozen=True, slots=True)
class Completeness(
    Serialisable,
    computed={"share": "words", "label": "notes"},
    examples={
        "words": 12400,
        "share": 0.987025,
        "notes": [],
        "label": "98.7 % of 12,563 words; left out: 3 form fields (163 words)",
    },
):
    """How completely a document was read."""

    words: int
    """That are stored."""
    left_out: tuple[LeftOut, ...] = ()
    notes: tuple[str, ...] = ()
    """Further notes, such as a guessed encoding."""

    @property
    def words_shown(self) -> int:
        """How many words the file shows: those that are stored and those that are missing."""
        return self.words + sum(each.words for each in self.left_out if each.is_shown)

    @property
    def share(self) -> float:
        """Of the words that the file shows, 0 to 1."""
        return self.words / self.words_shown if self.words_shown else 1.0

    @property
    def is_complete(self) -> bool:
        """Whether enough of the file is stored that no warning is needed."""
        return self.share >= COMPLETE

    @property
    def label(self) -> str:
        """All of it in words."""
        total = self.words_shown
        # 99.96 must not read as all of it
        share = min(99.9, round(100 * self.share, 1)) if self.share < 1 else 100
        left_out = f"; left out: {', '.join(each.label for each in self.left_out)}" if self.left_out else ""
        return "; ".join((f"{share:g} % of {total:,} {'word' if total == 1 else 'words'}{left_out}", *self.notes))


@dataclass(frozen=True)
class Document:
    """A source turned into clean, stable text.

    ``text`` is what every span of the system points into, so it never changes for one ``content_hash``.
    ``id`` is stable for one ``source``: re-reading a changed file gives the same id and a new hash.
    ``source`` names where it came from: a path, ``path#row`` for a row of a table, later a URL or feed id.
    ``blocks`` are those of layout, sorted by kind and start, then the others, each before those that lie in it.
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
    blocks: tuple[Block, ...] = ()
    completeness: Completeness | None = None
    """The completeness that the reader reports; not part of ``content_hash``, None where no file was read."""
    document_profile: DocumentProfile | None = None
    """Derived from the rest when the document is ingested; not part of ``content_hash``."""

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
            self.blocks,
            self.text,
        )
        return hashlib.sha256(repr(shown).encode("utf-8", "surrogatepass")).hexdigest()

    @cached_property
    def tree(self) -> BlockIndex:
        """The blocks, ready for look-up."""
        return BlockIndex(self.blocks)

    def place_of(self, span: Span) -> Place:
        """The place where ``span`` begins: page, innermost section, turn and part that hold its first character."""
        return self.tree.place_at(span.start)

    def blocks_of(self, kind: BlockKind) -> tuple[Block, ...]:
        """The blocks of one kind, in text order."""
        return self.tree.of_kind(kind)

    def figure_in(self, span: Span) -> Figure | None:
        """The first figure whose description ``span`` has characters of; None where all of it are the document's own words."""
        return next((block.figure for block in self.blocks_of(BlockKind.FIGURE) if block.span.overlap(span)), None)


def document_id(source: str, tenant: str = "default", conversation_id: str | None = None) -> str:
    """A stable id for what ``source`` names, 20 hex digits."""
    key = "\0".join((tenant, conversation_id or "", source))
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()[:20]


@dataclass(frozen=True, slots=True)
class DocumentRecord(
    Serialisable,
    examples={
        "id": "2b5c5f3e0e9d4f1c8a77",
        "title": "Gas fees",
        "kind": "article",
        "source": "/home/me/news/gas.txt",
        "reason": "",
        "chunks": 3,
        "characters": 2210,
        "profile": "news",
        "added_at": "2024-12-05T18:00:00+00:00",
        "language": "en",
        "content_hash": "9f86d0...",
    },
):
    """The metadata of a document, without its text."""

    id: str
    title: str
    kind: DocumentKind
    source: str
    state: DocumentState
    """A `duplicate` is linked to `duplicate_of`."""
    reason: str
    """Why it is in this state."""
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
    """The conversation that it was fetched for alone."""
    duplicate_of: str | None = None
    document_profile: DocumentProfile | None = None
    """Null for a document that was stored without one."""
    completeness: Completeness | None = None
    """Null where no file was read."""


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
    """What it is about, the strongest first; derived from its text, empty on documents added before there were topics."""

    @property
    def indexed_text(self) -> str:
        """What is embedded and indexed: the heading, a line break, the text."""
        return f"{self.heading}\n{self.text}" if self.heading else self.text


def chunk_id(document_id: str, span: Span, is_parent: bool = False) -> str:
    """``<document>:<start>-<end>``, with ``p`` before the span of a parent."""
    return f"{document_id}:{'p' if is_parent else ''}{span.start}-{span.end}"


@dataclass(frozen=True, slots=True)
class TextWindow(
    Serialisable,
    examples={
        "document_id": "2b5c5f3e0e9d4f1c8a77",
        "title": "Gas fees",
        "text": "Gas fees are what a transaction pays.",
        "start": 0,
        "end": 37,
        "quote_start": 0,
        "quote_end": 8,
        "characters": 2210,
    },
):
    """A stretch of a document's text around a quotation; positions are code points of the whole text."""

    document_id: str
    title: str
    text: str
    start: int
    end: int
    quote_start: int
    quote_end: int
    place: Place
    """Where the quotation begins."""
    characters: int
    """Of the whole document."""
