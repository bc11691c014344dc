"""The blocks of a document: what its text contains, and where."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice
from typing import NamedTuple

from ascertain.core.serialisation import Serialisable


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


@dataclass(frozen=True, slots=True)
class Place(
    Serialisable,
    computed={"label": "part"},
    examples={"page": 3, "section": ["Results", "Ablation"], "label": "p. 3, Results › Ablation"},
):
    """Where in a document, in the reader's terms; unknown values are null (`section`: empty)."""

    page: int | None = None
    section: tuple[str, ...] = ()
    """The headings above it, the outermost first."""
    speaker: str | None = None
    start_time: float | None = None
    """Seconds from the start of the recording."""
    end_time: float | None = None
    part: str | None = None
    """What the format counts by: a slide, cells of a sheet, a cell of a notebook, a chapter, a line, a message."""

    @property
    def label(self) -> str:
        """The place in words."""
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


def clock_time(seconds: float) -> str:
    """``mm:ss``, or ``h:mm:ss`` from one hour on."""
    whole = int(seconds)
    hours, minutes, rest = whole // 3600, whole // 60 % 60, whole % 60
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes:02d}:{rest:02d}"


class BlockKind(StrEnum):
    """What a block of a document is.

    Those of ``LAYOUT`` say where text stands; blocks of one such kind never overlap each other. The others say what it is and
    form a tree: they lie inside each other or apart.
    """

    PAGE = "page"
    PART = "part"
    """What the format itself counts by: a slide, a range of a sheet, a cell of a notebook, a chapter, a message."""
    SECTION = "section"
    """A section's own text, its heading included; ``place.section`` is its path."""
    TURN = "turn"
    """What one speaker says without a break, or a part of it with its own time."""
    LINE = "line"
    """A line whose place on the picture of its page is known; present where the text was recognised."""

    HEADING = "heading"
    PARAGRAPH = "paragraph"
    LIST = "list"
    ITEM = "item"
    DEFINITION = "definition"
    """A term with its description."""
    CODE = "code"
    TABLE = "table"
    """Rows on a line each, the header first: ``language.tables`` splits them into cells."""
    QUOTATION = "quotation"
    ADMONITION = "admonition"
    """A box beside the text: a note, a warning."""
    CAPTION = "caption"
    FIGURE = "figure"
    """What a chat model wrote of a picture that stands here: no words of the document. ``Block.figure`` says of which and by which."""
    FOOTNOTE = "footnote"
    FIELD = "field"
    """A field of a form with what is filled in."""
    COMMENT = "comment"
    """What someone wrote in the margin: reviewers, speakers' notes."""
    FURNITURE = "furniture"
    """What is repeated on every page around the text: navigation, running heads. It is stored and shown, not searched."""


LAYOUT = (BlockKind.PAGE, BlockKind.PART, BlockKind.SECTION, BlockKind.TURN, BlockKind.LINE)


class LineBox(NamedTuple):
    """Where a line stands on the picture of its page, in shares of its width and height from the upper left corner."""

    left: float
    top: float
    right: float
    bottom: float
    ink: float
    """How dark the box is on average, from 0 to 1, which identifies the picture."""


@dataclass(frozen=True, slots=True)
class Figure(
    Serialisable,
    examples={
        "digest": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "model": "openai:gpt-5-mini",
    },
):
    """A picture of a document that a chat model described."""

    digest: str
    """SHA-256 of the picture; `/v1/documents/{document_id}/figures/{digest}` gives it."""
    model: str
    """The chat model that described it."""

    @property
    def mark(self) -> str:
        """The prefix of a description wherever it is shown, so that no one takes it for the document's words."""
        return f"[figure, described by {self.model}] "

    @property
    def label(self) -> str:
        """The label of a citation of a description."""
        return f"description of figure by {self.model}"


@dataclass(frozen=True, slots=True)
class Block:
    """A stretch of a document's text with what it is, or where it stands.

    ``depth`` counts the blocks it lies in that are no layout: its parent is the nearest block before it of a smaller depth.
    ``level`` is that of a heading, from 1 (0: the document's title). ``label`` is what distinguishes it from others of its kind as the document
    shows it: the marker of an item (``2.1``, ``(a)``, ``•``) or a footnote, the term of a definition, the language of code,
    the title of an admonition, the name of a field, the author of a comment. ``header_rows`` counts those of a table.
    ``is_hidden`` marks what the format holds but does not show. ``figure`` is what a description is of.
    """

    kind: BlockKind
    span: Span
    place: Place = Place()
    depth: int = 0
    level: int = 0
    label: str | None = None
    header_rows: int = 0
    is_hidden: bool = False
    box: LineBox | None = None
    figure: Figure | None = None


class BlockIndex:
    """The blocks of one document, ready for look-up."""

    __slots__ = ("_by_kind", "_content", "_parents", "_starts")

    def __init__(self, blocks: Sequence[Block]) -> None:
        grouped: dict[BlockKind, list[Block]] = {}
        for block in blocks:
            grouped.setdefault(block.kind, []).append(block)
        self._by_kind = {kind: tuple(sorted(found, key=lambda block: block.span)) for kind, found in grouped.items()}
        self._starts = {kind: [block.span.start for block in found] for kind, found in self._by_kind.items()}
        self._content = tuple(block for block in blocks if block.kind not in LAYOUT)
        self._parents = _find_parents(self._content)

    def of_kind(self, kind: BlockKind) -> tuple[Block, ...]:
        """The blocks of one kind, in text order."""
        return self._by_kind.get(kind, ())

    def at(self, kind: BlockKind, position: int) -> Block | None:
        """The block of a kind of ``LAYOUT`` that holds the character at ``position``."""
        starts = self._starts.get(kind)
        if not starts:
            return None
        block = self._by_kind[kind][max(0, bisect_right(starts, position) - 1)]
        return block if block.span.start <= position < block.span.end else None

    def place_at(self, position: int) -> Place:
        """Page, section, turn and part that hold the character at ``position``."""
        page, part = self.at(BlockKind.PAGE, position), self.at(BlockKind.PART, position)
        section, turn = self.at(BlockKind.SECTION, position), self.at(BlockKind.TURN, position)
        return Place(
            page.place.page if page else None,
            section.place.section if section else (),
            turn.place.speaker if turn else None,
            turn.place.start_time if turn else None,
            turn.place.end_time if turn else None,
            part.place.part if part else None,
        )

    def content(self) -> tuple[Block, ...]:
        """The blocks that are no layout, each before those that lie in it."""
        return self._content

    def around(self, position: int) -> tuple[Block, ...]:
        """The content blocks that hold the character at ``position``, the outermost first."""
        number = bisect_right(self._content, position, key=lambda block: block.span.start) - 1
        found: list[Block] = []
        while number >= 0:
            block = self._content[number]
            if block.span.start <= position < block.span.end:
                found.append(block)
            if block.depth == 0:
                break
            number = self._parents[number]
        return tuple(reversed(found))

    def starting_in(self, span: Span) -> Iterator[Block]:
        """The content blocks that begin inside ``span``, in order."""
        first = bisect_left(self._content, span.start, key=lambda block: block.span.start)
        for block in islice(self._content, first, None):
            if block.span.start >= span.end:
                return
            yield block

    def children_of(self, block: Block) -> tuple[Block, ...]:
        """The content blocks that are direct children of ``block``, one of these, in order."""
        number = bisect_left(self._content, block.span.start, key=lambda each: each.span.start)
        while self._content[number] != block:
            number += 1
        found: list[Block] = []
        for each in islice(self._content, number + 1, None):
            if each.depth <= block.depth:
                break
            if each.depth == block.depth + 1:
                found.append(each)
        return tuple(found)


def _find_parents(content: Sequence[Block]) -> list[int]:
    """The number of each block's parent, -1 for those in none."""
    parents: list[int] = []
    open_blocks: list[int] = []
    for number, block in enumerate(content):
        while open_blocks and content[open_blocks[-1]].depth >= block.depth:
            open_blocks.pop()
        parents.append(open_blocks[-1] if open_blocks else -1)
        open_blocks.append(number)
    return parents
