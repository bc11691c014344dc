"""The outline of a document: its sections, and in each what can be quoted, in the order of its text.

A unit is a sentence, an entry of a list, a row of a table, or what one speaker says in a sentence. Sections are those of the
document's tree: its headings, sheets and slides, else its messages, else stretches of a conversation.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from ascertain.answering.units.candidates import collapse_spaces
from ascertain.core.asking.answers import Form
from ascertain.core.documents.blocks import Block, BlockKind, Place, Span
from ascertain.core.documents.documents import Document
from ascertain.language.instructions import instruction_spans
from ascertain.language.sentences import MAX_SENTENCE, split_sentences
from ascertain.language.tables import TableFinder, split_cells
from ascertain.language.tokens import WORD, content_terms

READ_CHARACTERS = 400_000
"""Of a document, from its beginning: about 200 pages, read in a second. Longer documents are read, and reported, in part."""
MOST_SECTIONS = 14
"""Sections of an outline that fits a screen; a document with more is outlined by its upper headings."""
_MARKER = re.compile(r"(?:[-*+•◦▪‣·–—]|\(?(?:\d{1,3}|[a-zA-Z]|[ivx]{1,4})(?:\.\d{1,3})*[.)])\s+")
_NUMBERED = re.compile(r"\s*\(?(?:\d{1,3}|[a-zA-Z])[.)]\s")
_SKIPPED = frozenset({BlockKind.HEADING, BlockKind.FURNITURE, BlockKind.CODE, BlockKind.FOOTNOTE, BlockKind.LIST})
_MAIL_FIELDS = re.compile(r"(?:from|to|cc|bcc|date|sent|subject|reply-to|message-id)\s*:", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Unit:
    """Something that can be quoted by itself.

    ``text`` is shown: its words on one line, without the marker of an item; of a row its cells with `` | `` between them.
    ``group`` numbers the list or table it is of, None for a sentence.
    """

    document: Document
    span: Span
    text: str
    form: Form
    columns: tuple[str, ...] = ()
    group: int | None = None
    speaker: str = ""

    def terms(self, language: str) -> frozenset[str]:
        """The stems of its telling words."""
        return frozenset(content_terms(self.text, language))

    @property
    def place(self) -> Place:
        """Its place."""
        return self.document.place_of(self.span)


@dataclass(frozen=True, slots=True)
class Section:
    """``path`` are the headings it is under, outermost first; empty where the document has none there."""

    path: tuple[str, ...]
    units: tuple[Unit, ...]

    @property
    def heading(self) -> str:
        """The headings on one line."""
        return " › ".join(self.path)


@dataclass(frozen=True)
class Outline:
    """``sections`` contain something that can be quoted. ``is_whole``: all of the document was read."""

    document: Document
    sections: tuple[Section, ...]
    is_whole: bool

    @cached_property
    def units(self) -> tuple[Unit, ...]:
        """Those of all sections, in order."""
        return tuple(unit for section in self.sections for unit in section.units)


def outline_document(document: Document) -> Outline:
    """The outline of ``document``; without sections where nothing in it can be quoted."""
    is_whole = len(document.text) <= READ_CHARACTERS
    units = [unit for unit in _list_units(document) if WORD.search(unit.text)]
    grouped: dict[tuple[str, ...], list[Unit]] = {}
    for path, unit in zip(_find_paths(document, units), units, strict=True):
        grouped.setdefault(path, []).append(unit)
    sections = tuple(Section(path, tuple(own)) for path, own in grouped.items())
    return Outline(document, sections, is_whole)


def narrow_outline(outline: Outline, path: Sequence[str]) -> Outline:
    """The part of ``outline`` under the headings ``path``."""
    depth = len(path)
    own = tuple(each for each in outline.sections if each.path[:depth] == tuple(path))
    return Outline(outline.document, own, outline.is_whole)


def raise_outline(outline: Outline) -> Outline:
    """``outline`` by upper headings, where it has more sections than fit a screen."""
    if len(outline.sections) <= MOST_SECTIONS:
        return outline
    deepest = max(len(section.path) for section in outline.sections)
    shared = _count_shared(outline.sections)
    for depth in range(deepest - 1, shared, -1):
        merged: dict[tuple[str, ...], list[Unit]] = {}
        for section in outline.sections:
            merged.setdefault(section.path[:depth], []).extend(section.units)
        if len(merged) <= MOST_SECTIONS or depth == shared + 1:
            sections = tuple(Section(path, tuple(units)) for path, units in merged.items())
            return Outline(outline.document, sections, outline.is_whole)
    return outline


def _count_shared(sections: Sequence[Section]) -> int:
    """How many headings at the beginning of their paths all ``sections`` share."""
    first = sections[0].path
    return next(
        (
            depth
            for depth, name in enumerate(first)
            if any(each.path[depth : depth + 1] != (name,) for each in sections)
        ),
        len(first),
    )


def _find_paths(document: Document, units: Sequence[Unit]) -> Iterator[tuple[str, ...]]:
    """The headings that each of ``units`` is under."""
    by_heading = bool(document.blocks_of(BlockKind.SECTION))
    parts = document.blocks_of(BlockKind.PART)
    by_part = not by_heading and 1 < len(parts) <= 4 * MOST_SECTIONS
    title = collapse_spaces(document.title).casefold()
    for unit in units:
        place = unit.place
        path = tuple(collapse_spaces(each) for each in place.section)
        if len(path) > 1 and path[0].casefold() == title:
            path = path[1:]
        yield path if by_heading else ((place.part,) if by_part and place.part else ())


def _list_units(document: Document) -> Iterator[Unit]:
    content = [block for block in document.tree.content() if block.span.start < READ_CHARACTERS]
    orders = instruction_spans(document.text[:READ_CHARACTERS])
    found = _read_blocks(document, content) if content else _read_plain(document)
    for unit in found:
        if not any(unit.span.overlap(order) for order in orders):
            yield unit


def _read_plain(document: Document) -> Iterator[Unit]:
    """The sentences of a document without blocks: of what each speaker says, or of its text."""
    turns = document.blocks_of(BlockKind.TURN)
    if not turns:
        yield from _split(document, Span(0, min(len(document.text), READ_CHARACTERS)), None)
        return
    for turn in turns:
        if turn.span.start < READ_CHARACTERS:
            speaker = turn.place.speaker or ""
            yield from _split(document, _without_speaker(document, turn.span, speaker), None, speaker=speaker)


def _without_speaker(document: Document, turn: Span, speaker: str) -> Span:
    """What is said in a turn, without the speaker's name at its beginning."""
    named = re.match(rf"\s*{re.escape(speaker)}\s*:\s*", turn.of(document.text)) if speaker else None
    return Span(turn.start + named.end(), turn.end) if named and named.end() < turn.length else turn


def _read_blocks(document: Document, content: Sequence[Block]) -> Iterator[Unit]:
    """The content of the blocks that contain text themselves."""
    tables = TableFinder(document.text, document.tree)
    end, lists = -1, -1
    end_of_list: int | None = None
    speaker = bool(document.blocks_of(BlockKind.TURN))
    for place, block in enumerate(content):
        if block.kind is BlockKind.LIST and block.depth == 0:
            lists += 1
        if block.span.start < end or block.kind in _SKIPPED or block.is_hidden:
            continue
        if block.kind is BlockKind.TABLE:
            lists += 1
            end = block.span.end
            yield from _read_table(document, block, tables, lists)
        elif block.kind is BlockKind.ITEM:
            own = _own_text(content, place)
            end = own.end
            yield from _read_item(document, own, max(lists, 0))
        elif block.kind is BlockKind.DEFINITION:
            lists += end_of_list is None or block.span.start > end_of_list + _GAP
            end = end_of_list = block.span.end
            yield from _read_definition(document, block.span, lists)
        elif block.kind is BlockKind.FIELD and _MAIL_FIELDS.match(block.span.of(document.text)):
            end = block.span.end
        elif not _has_parts(content, place):
            end = block.span.end
            who = (document.place_of(block.span).speaker or "") if speaker else ""
            yield from _split(document, _without_speaker(document, block.span, who), None, speaker=who)


def _has_parts(content: Sequence[Block], place: int) -> bool:
    """Whether the block at ``place`` is divided into others, which are read instead."""
    block = content[place]
    return place + 1 < len(content) and content[place + 1].depth > block.depth and block.kind is not BlockKind.PARAGRAPH


def _own_text(content: Sequence[Block], place: int) -> Span:
    """The text of an item without the lists in it."""
    item = content[place]
    for block in content[place + 1 :]:
        if block.depth <= item.depth:
            break
        if block.kind is BlockKind.LIST:
            return Span(item.span.start, block.span.start)
    return item.span


def _read_item(document: Document, span: Span, group: int) -> Iterator[Unit]:
    text = span.of(document.text)
    stripped = Span(span.start + len(text) - len(text.lstrip()), span.start + len(text.rstrip()))
    if stripped.length <= 0:
        return
    if stripped.length > MAX_SENTENCE:
        yield from _split(document, stripped, group)
        return
    written = stripped.of(document.text)
    form = Form.STEP if _NUMBERED.match(written) else Form.ITEM
    marker = _MARKER.match(written)
    shown = collapse_spaces(written[marker.end() :] if marker else written)
    if shown:
        yield Unit(document, stripped, shown, form, group=group)


_GAP = 2
"""Characters between two definitions of one list: lines that are empty."""


def _read_definition(document: Document, span: Span, group: int) -> Iterator[Unit]:
    """The term with the sentence that follows it as an entry of a list, and the sentences behind it."""
    first, *rest = split_sentences(span.of(document.text), document.language) or [Span(0, span.length)]
    yield from _read_item(document, first.shift(span.start), group)
    if rest:
        yield from _split(document, Span(rest[0].start + span.start, span.end), None)


_LINE = re.compile(r"[^\n]+")


def _read_table(document: Document, block: Block, tables: TableFinder, group: int) -> Iterator[Unit]:
    table = tables.find_at(block.span.start)
    if table is None:
        # rows without a header, as of options and what they do
        for line in _LINE.finditer(document.text, block.span.start, block.span.end):
            yield from _read_item(document, Span(*line.span()), group)
        return
    names = split_cells(table.header.of(document.text))
    for row in table.rows:
        cells = split_cells(row.of(document.text))
        shown = " | ".join(collapse_spaces(cell) for cell in cells)
        if len(cells) == len(names):
            yield Unit(document, row, shown, Form.ROW, names, group)
        else:
            yield Unit(document, row, shown, Form.ITEM, group=group)


def _split(document: Document, span: Span, group: int | None, *, speaker: str = "") -> Iterator[Unit]:
    for sentence in split_sentences(span.of(document.text), document.language):
        own = sentence.shift(span.start)
        yield Unit(document, own, collapse_spaces(own.of(document.text)), Form.TEXT, group=group, speaker=speaker)
