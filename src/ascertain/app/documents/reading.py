"""Reading a document in parts: its outline, a stretch of its text within a budget of characters, a quote in the text around it."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from ascertain.core.documents.blocks import Block, BlockKind, Place, Span
from ascertain.core.documents.documents import Document, TextWindow
from ascertain.core.errors import UsageError

if TYPE_CHECKING:
    from ascertain.app.ascertain import Ascertain

MAX_CHARACTERS = 50_000
"""Of one stretch: some twenty pages, about 12,000 tokens of a model's context."""
MOST_NAMED = 10
"""Sections that an error names."""
_STRUCTURES = (BlockKind.SECTION, BlockKind.PART, BlockKind.PAGE, BlockKind.TURN)
"""What a document is divided by, the most telling first."""
CONTEXT_CHARACTERS = 600
"""Text shown on either side of a quote: about a paragraph."""
MAX_CONTEXT_CHARACTERS = 20_000
"""Several pages; who wants more wants the document."""

_WORD_SLACK = 40
"""How much further a window may reach to begin and end with a whole word; longer words are addresses or no words at
all.
"""
_LONGEST_CLUSTER = 64
_JOINERS = frozenset("\u200c\u200d")
_FLAGS = range(0x1F1E6, 0x1F200)
_SKIN_TONES = range(0x1F3FB, 0x1F400)
_HANGUL_ENDS = range(0x1160, 0x1200)
_LOW_SURROGATES = range(0xDC00, 0xE000)


@dataclass(frozen=True, slots=True)
class OutlineEntry:
    """A part of a document. ``name`` is what ``read_section`` takes; ``level`` counts the parts it lies in."""

    name: str
    level: int
    span: Span
    place: Place


@dataclass(frozen=True, slots=True)
class DocumentOutline:
    """The parts of a document in the order of its text; none where it is not divided."""

    document: Document
    entries: tuple[OutlineEntry, ...]


def fetch_document(knowledge: Ascertain, document_id: str) -> Document:
    """The document; raises UsageError for an unknown id."""
    document = knowledge.document(document_id)
    if document is None:
        raise UsageError(f"there is no document {document_id!r}; `ascertain documents` lists ids")
    return document


def text_window(
    knowledge: Ascertain, document_id: str, start: int, end: int, context: int = CONTEXT_CHARACTERS
) -> TextWindow:
    """The text ``[start, end)`` with ``context`` characters around it, widened to whole words where they are not long.

    What lies outside the document is cut off. Raises UsageError for an unknown document, a span that ends before it
    starts, and a context below 0; more than MAX_CONTEXT_CHARACTERS are given as so many.
    """
    document = fetch_document(knowledge, document_id)
    if end < start or context < 0:
        raise UsageError(f"characters {start} to {end} with {context} around them: give start <= end, context >= 0")
    length = len(document.text)
    quote = Span(min(max(0, start), length), min(max(0, end), length))
    around = min(context, MAX_CONTEXT_CHARACTERS)
    window = Span(
        _find_word_start(document.text, max(0, quote.start - around)),
        _find_word_end(document.text, min(length, quote.end + around)),
    )
    return TextWindow(
        document.id,
        document.title,
        window.of(document.text),
        window.start,
        window.end,
        quote.start,
        quote.end,
        document.place_of(quote),
        length,
    )


def outline_document(knowledge: Ascertain, document_id: str) -> DocumentOutline:
    """The sections of a document, else its slides, sheets or chapters, else its pages, else the turns of its speakers.

    Raises UsageError for an unknown document.
    """
    document = fetch_document(knowledge, document_id)
    return DocumentOutline(document, tuple(_list_entries(document)))


def read_from(knowledge: Ascertain, document_id: str, start: int, characters: int) -> TextWindow:
    """At most so many ``characters`` from ``start`` on, up to the end of a word. Raises UsageError for an unknown document."""
    document = fetch_document(knowledge, document_id)
    return _cut(document, Span(min(start, len(document.text)), len(document.text)), characters)


def read_section(
    knowledge: Ascertain, document_id: str, name: str, characters: int, *, start: int = 0
) -> tuple[TextWindow, int]:
    """The same within a part that the outline names, with the parts in it, and where that ends; a ``start`` inside goes on
    from there.

    ``name`` may be the last heading alone. Raises UsageError for an unknown document, and for an unknown part.
    """
    outline = outline_document(knowledge, document_id)
    span = _find_section(outline, name)
    return _cut(outline.document, Span(min(max(start, span.start), span.end), span.end), characters), span.end


def read_around(knowledge: Ascertain, document_id: str, span: Span, characters: int) -> TextWindow:
    """The text around a passage or a quote, as much on either side; the beginning of the passage where that alone is more than
    ``characters``. Raises UsageError for an unknown document, and a span that ends before it starts.
    """
    if span.length > characters:
        return read_from(knowledge, document_id, span.start, characters)
    window = text_window(knowledge, document_id, *span, context=max(0, (characters - span.length) // 2 - _WORD_SLACK))
    if window.end - window.start <= characters:
        return window
    # widened to whole words it would exceed the requested size
    return _cut(fetch_document(knowledge, document_id), Span(window.quote_start, window.quote_end), characters)


def _list_entries(document: Document) -> Iterator[OutlineEntry]:
    for kind in _STRUCTURES:
        blocks = document.blocks_of(kind)
        if kind is BlockKind.SECTION and blocks:
            yield from _list_sections(blocks)
            return
        if len(blocks) > 1:
            yield from map(_make_entry, blocks)
            return


def _list_sections(blocks: Sequence[Block]) -> Iterator[OutlineEntry]:
    for path, own in groupby(blocks, lambda block: block.place.section):
        spans = [block.span for block in own]
        if path:
            yield OutlineEntry(
                " › ".join(path), len(path) - 1, Span(spans[0].start, spans[-1].end), Place(section=path)
            )


def _make_entry(block: Block) -> OutlineEntry:
    return OutlineEntry(block.place.label, 0, block.span, block.place)


def _find_section(outline: DocumentOutline, name: str) -> Span:
    """The characters of a part and of those in it."""
    wanted = _fold(name)
    entries = outline.entries
    chosen = next((at for at, each in enumerate(entries) if _fold(each.name) == wanted), None)
    if chosen is None:
        chosen = next((at for at, each in enumerate(entries) if _fold(each.name.rpartition(" › ")[2]) == wanted), None)
    if chosen is None:
        named = "; ".join(each.name for each in entries[:MOST_NAMED])
        more = f"; and {len(entries) - MOST_NAMED} more" if len(entries) > MOST_NAMED else ""
        there = f"it has: {named}{more}" if named else "it is not divided; read it from a start"
        raise UsageError(f"{outline.document.title} has no part {name!r}; {there}")
    first = entries[chosen]
    end = first.span.end
    for each in entries[chosen + 1 :]:
        if each.level <= first.level:
            break
        end = each.span.end
    return Span(first.span.start, end)


def _fold(name: str) -> str:
    return " ".join(name.replace(">", "›").split()).casefold()


def _cut(document: Document, span: Span, characters: int) -> TextWindow:
    """The beginning of ``span``, up to the end of a line or else a word where it is cut."""
    most = min(characters, MAX_CHARACTERS)
    end = span.end
    if span.length > most:
        end = span.start + most
        text = document.text[span.start : end]
        for mark in ("\n", " "):
            if (found := text.rfind(mark)) >= most // 2:
                end = span.start + found + 1
                break
    found_span = Span(span.start, end)
    return TextWindow(
        document.id,
        document.title,
        found_span.of(document.text),
        span.start,
        end,
        span.start,
        span.start,
        document.place_of(found_span),
        len(document.text),
    )


def _find_word_start(text: str, position: int) -> int:
    """``position`` or a little before: where a word, or at least a character as people see it, begins."""
    for start in range(position, max(-1, position - _WORD_SLACK), -1):
        if start == 0 or text[start - 1].isspace():
            return start
    return _cluster_start(text, position)


def _find_word_end(text: str, position: int) -> int:
    """``position`` or a little after: where a word, or at least a character as people see it, ends."""
    for end in range(position, min(len(text), position + _WORD_SLACK) + 1):
        if end == len(text) or text[end].isspace():
            return end
    end = position
    while end < len(text) and end - position < _LONGEST_CLUSTER and _cluster_start(text, end) != end:
        end += 1
    return end


def _cluster_start(text: str, position: int) -> int:
    """Where the character that people see around ``position`` begins, which may be several code points (a base, then
    what changes it).

    The rules of Unicode's UAX 29 that matter in running text: marks, joiners, emoji with skin tones, flags, Hangul
    syllables.
    """
    start = position
    while 0 < start < len(text) and position - start < _LONGEST_CLUSTER and _belongs_to_before(text, start):
        start -= 1
    return start


def _belongs_to_before(text: str, position: int) -> bool:
    character, before = text[position], text[position - 1]
    code = ord(character)
    if unicodedata.category(character).startswith("M") or character in _JOINERS or before == "\u200d":
        return True
    if code in _SKIN_TONES or code in _HANGUL_ENDS or code in _LOW_SURROGATES:
        return True
    if code not in _FLAGS:
        return False
    first = position
    while first > 0 and position - first < _LONGEST_CLUSTER and ord(text[first - 1]) in _FLAGS:
        first -= 1
    return (position - first) % 2 == 1
