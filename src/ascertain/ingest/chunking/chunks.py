"""From a document to its chunks: spans by the kind of document, then everything a chunk carries."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from ascertain.core.chunks import Chunk, chunk_id
from ascertain.core.documents import Document, DocumentKind, RegionKind
from ascertain.core.settings import ChunkerSettings
from ascertain.core.spans import Span
from ascertain.ingest.chunking.atoms import sentence_atoms
from ascertain.ingest.chunking.outline import Section, outline, section_at
from ascertain.ingest.chunking.paper import paper_spans
from ascertain.ingest.chunking.places import Places
from ascertain.ingest.chunking.recursive import parent_spans, recursive_spans
from ascertain.ingest.chunking.turns import turn_atoms, turn_spans

LONGEST_HEADING = 200
"""Of a chunk's heading; a longer one would crowd the text out of the embedding model's window."""


def chunk_document(document: Document, settings: ChunkerSettings) -> list[Chunk]:
    """The chunks of ``document`` in text order, then its parents.

    ``document.text[c.span.start:c.span.end] == c.text`` for every chunk; the chunks cover every character that is not white
    space, and so do the parents, which do not overlap. There are no parents when one chunk holds everything.
    """
    sections = outline(document)
    spans, parents = _spans(document, sections, settings)
    builder = _ChunkBuilder(document, sections)
    parent_starts = [parent.start for parent in parents]
    chunks: list[Chunk] = []
    for index, span in enumerate(spans):
        parent = parents[bisect_right(parent_starts, span.start) - 1] if parents else None
        before = max(0, spans[index - 1].end - span.start) if index else 0
        after = max(0, span.end - spans[index + 1].start) if index + 1 < len(spans) else 0
        chunks.append(builder.build(index, span, parent, (before, after)))
    chunks.extend(builder.build(-1, parent, None, (0, 0)) for parent in parents)
    return chunks


def _spans(
    document: Document, sections: Sequence[Section], settings: ChunkerSettings
) -> tuple[list[Span], list[Span]]:
    """The spans of the chunks and those of their parents."""
    text = document.text
    size = min(settings.size, settings.parent_size)
    turns = document.regions_of(RegionKind.TURN)
    if document.kind is DocumentKind.TRANSCRIPT and turns:
        atoms = turn_atoms(text, turns, size)
        spans = turn_spans(text, atoms, settings)
    else:
        atoms = sentence_atoms(text, size, [section.start for section in sections])
        is_paper = document.kind is DocumentKind.PAPER
        spans = (
            paper_spans(text, atoms, sections, settings)
            if is_paper
            else recursive_spans(text, atoms, settings)
        )
    return spans, parent_spans(text, atoms, settings) if len(spans) > 1 else []


class _ChunkBuilder:
    def __init__(self, document: Document, sections: Sequence[Section]) -> None:
        self._document = document
        self._sections = sections
        self._places = Places(document)

    def build(self, index: int, span: Span, parent: Span | None, overlaps: tuple[int, int]) -> Chunk:
        """A chunk, or with index -1 a parent."""
        document = self._document
        section = section_at(self._sections, span.start)
        return Chunk(
            id=chunk_id(document.id, span, is_parent=index < 0),
            document_id=document.id,
            index=index,
            span=span,
            text=span.of(document.text),
            heading=heading(document.title, section),
            title=document.title,
            kind=document.kind,
            source=document.source,
            place=self._places.of(span, section),
            url=document.url,
            author=document.author,
            published_at=document.published_at,
            language=document.language,
            tags=document.tags,
            profile=document.profile,
            conversation_id=document.conversation_id,
            tenant=document.tenant,
            parent_id=chunk_id(document.id, parent, is_parent=True) if parent else None,
            is_parent=index < 0,
            overlap_previous=overlaps[0],
            overlap_next=overlaps[1],
            document_profile=document.document_profile,
        )


def heading(title: str, section: Sequence[str]) -> str:
    """Title and heading path joined by ``›``, without saying the title twice, cut at ``LONGEST_HEADING``."""
    path = [name for name in section if name]
    if title and (not path or path[0] != title):
        path.insert(0, title)
    joined = " › ".join(" ".join(name.split()) for name in path)
    return joined if len(joined) <= LONGEST_HEADING else joined[: LONGEST_HEADING - 1].rstrip() + "…"
