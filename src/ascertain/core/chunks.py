"""Chunks: the pieces of documents that are indexed."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from ascertain.core.documents import DocumentKind, Place
from ascertain.core.profiling import DocumentProfile
from ascertain.core.spans import Span


@dataclass(frozen=True, slots=True)
class Chunk:
    """A stretch of one document; ``document.text[span.start:span.end] == text`` always.

    ``heading`` (title and heading path) is put before the text when it is embedded or indexed and is not
    part of the span. ``parent_id`` names the larger chunk this one was cut from, for hierarchical
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

    @property
    def indexed_text(self) -> str:
        """What is embedded and indexed: the heading, a line break, the text."""
        return f"{self.heading}\n{self.text}" if self.heading else self.text


def chunk_id(document_id: str, span: Span, is_parent: bool = False) -> str:
    """``<document>:<start>-<end>``, with ``p`` before the span of a parent."""
    return f"{document_id}:{'p' if is_parent else ''}{span.start}-{span.end}"
