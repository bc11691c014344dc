"""The chunks of a document with their headings and places."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby

from ascertain.core.documents.blocks import LAYOUT, Block, BlockKind, Place, Span
from ascertain.core.documents.documents import Chunk, Document, DocumentKind, chunk_id
from ascertain.core.settings import ChunkerSettings
from ascertain.documents.ingest.chunking.atoms import Atom, block_atoms, turn_atoms
from ascertain.documents.ingest.chunking.outline import Section, outline_document, section_at
from ascertain.documents.ingest.chunking.packing import paper_spans, parent_spans, recursive_spans, turn_spans
from ascertain.language.tables import TableFinder


class Places:
    """The blocks of one document, ready for look-up."""

    def __init__(self, document: Document) -> None:
        self._blocks = {kind: document.blocks_of(kind) for kind in LAYOUT}
        self._ends = {kind: [block.span.end for block in blocks] for kind, blocks in self._blocks.items()}
        self._starts = {kind: [block.span.start for block in blocks] for kind, blocks in self._blocks.items()}

    def of(self, span: Span, section: tuple[str, ...]) -> Place:
        """The page, part and turn where ``span`` begins, and the time at which the last turn in it ends.

        Equal to ``Document.place_of`` where its first character lies in blocks; a label before a turn counts as that turn.
        """
        page = self._first_block(BlockKind.PAGE, span)
        part = self._first_block(BlockKind.PART, span)
        turn = self._first_block(BlockKind.TURN, span)
        place = Place(page.place.page if page else None, section, part=part.place.part if part else None)
        if turn is None:
            return place
        speaker, start_time = turn.place.speaker, turn.place.start_time
        return replace(place, speaker=speaker, start_time=start_time, end_time=self._end_time(span))

    def _first_block(self, kind: BlockKind, span: Span) -> Block | None:
        number = bisect_right(self._ends[kind], span.start)
        blocks = self._blocks[kind]
        return blocks[number] if number < len(blocks) and blocks[number].span.start < span.end else None

    def _end_time(self, span: Span) -> float | None:
        number = bisect_left(self._starts[BlockKind.TURN], span.end)
        return self._blocks[BlockKind.TURN][number - 1].place.end_time if number else None


LONGEST_HEADING = 200
"""Of a chunk's heading; a longer one would crowd the text out of the embedding model's window."""


def chunk_document(document: Document, settings: ChunkerSettings) -> list[Chunk]:
    """The chunks of ``document`` in text order, then its parents.

    ``document.text[c.span.start:c.span.end] == c.text`` for every chunk; the chunks cover every character that is neither white
    space nor part of the page's furniture, and so do the parents, which do not overlap. There are no parents when one chunk holds everything.
    """
    sections = outline_document(document)
    spans, parents = _chunk_spans(document, sections, settings)
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


def _chunk_spans(
    document: Document, sections: Sequence[Section], settings: ChunkerSettings
) -> tuple[list[Span], list[Span]]:
    """The spans of the chunks and those of their parents."""
    text = document.text
    size = settings.size
    turns = document.blocks_of(BlockKind.TURN)
    if document.kind is DocumentKind.TRANSCRIPT and turns:
        atoms = turn_atoms(text, turns, size, document.language)
        spans = turn_spans(text, atoms, settings)
    else:
        atoms = block_atoms(document, size, sections)
        is_paper = document.kind is DocumentKind.PAPER
        groups = _part_at_furniture(document, atoms)
        spans = [
            span
            for group in groups
            for span in (
                paper_spans(text, group, sections, settings) if is_paper else recursive_spans(text, group, settings)
            )
        ]
        if len(spans) <= 1:
            return spans, []
        return spans, [parent for group in groups for parent in parent_spans(text, group, settings)]
    return spans, parent_spans(text, atoms, settings) if len(spans) > 1 else []


def _part_at_furniture(document: Document, atoms: Sequence[Atom]) -> list[list[Atom]]:
    """The atoms in groups separated by furniture: no chunk goes across it."""
    starts = [block.span.start for block in document.blocks_of(BlockKind.FURNITURE)]
    return [list(group) for _, group in groupby(atoms, key=lambda atom: bisect_right(starts, atom.span.start))]


class _ChunkBuilder:
    def __init__(self, document: Document, sections: Sequence[Section]) -> None:
        self._document = document
        self._sections = sections
        self._places = Places(document)
        self._tables = TableFinder(document.text, document.tree)

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
            heading=self._head_rows(heading_of(document.title, section), span),
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

    def _head_rows(self, heading: str, span: Span) -> str:
        """``heading`` and, over a chunk that begins among the rows of a table, the header of the table."""
        table = self._tables.find_at(span.start)
        if table is None or span.start < table.rows[0].start:
            return heading
        return f"{heading}\n{table.header.of(self._document.text)[:LONGEST_HEADING]}".lstrip()


def heading_of(title: str, section: Sequence[str]) -> str:
    """Title and heading path joined by ``›``, without saying the title twice, cut at ``LONGEST_HEADING``."""
    path = [name for name in section if name]
    if title and (not path or path[0] != title):
        path.insert(0, title)
    joined = " › ".join(" ".join(name.split()) for name in path)
    return joined if len(joined) <= LONGEST_HEADING else joined[: LONGEST_HEADING - 1].rstrip() + "…"


__all__ = ["chunk_document"]
