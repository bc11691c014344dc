"""Putting a document's text together while noting where each piece stands.

A reader sets ``page``, ``part``, ``section`` or begins a turn and adds pieces in reading order; the draft knows the exact
span of each piece, so the blocks are right by construction.
"""

import re
from collections.abc import Callable, Generator, Hashable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import groupby, pairwise
from typing import NamedTuple

from ascertain.core.documents.blocks import LAYOUT, Block, BlockIndex, BlockKind, Place, Span
from ascertain.language.tables import join_cells, join_headers

HIDDEN = "[hidden] "
"""What stands before the text of a block, a row or a cell that the file holds and does not show."""

# Text is cleaned in pieces before they are put together, never in a finished document: what is stored is what a person
# would read, and every span stays exact.

_LINE_BREAKS = re.compile("\r\n?|[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
# Controls, lone surrogates, non-characters, soft hyphens, zero-width and bidirectional marks: invisible, and they
# would stop "exam<soft hyphen>ple" from matching "example". Joiners (U+200C, U+200D) carry meaning and stay.
_INVISIBLE = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb"
    "\ufdd0-\ufdef\ufffe\uffff\ud800-\udfff]"
)
_WIDE_SPACES = re.compile("[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]")
# The look-behind keeps long runs of spaces inside a line from being tried from each of their characters.
_TRAILING = re.compile(r"(?<![ \t])[ \t]+(?=\n|\Z)")
_BLANK_LINES = re.compile(r"\n{3,}")
_SPACES = re.compile(r"\s+")


def clean_text(text: str) -> str:
    """``text`` with unified line ends, no invisible characters, no trailing spaces, no runs of blank lines.

    Idempotent. Line breaks and indentation inside stay; surrounding blank lines and closing spaces go.
    """
    text = _LINE_BREAKS.sub("\n", text)
    text = _INVISIBLE.sub("", text)
    text = _WIDE_SPACES.sub(" ", text)
    text = _TRAILING.sub("", text)
    text = _BLANK_LINES.sub("\n\n", text)
    return text.strip("\n").rstrip()


def clean_line(text: str) -> str:
    """``text`` cleaned and on one line, with single spaces; for titles, names and headings."""
    if text.isascii() and text.isprintable():
        # most cells of tables: nothing to clean but spaces
        return " ".join(text.split())
    return _SPACES.sub(" ", clean_text(text)).strip()


def short_line(text: object, limit: int = 300) -> str | None:
    """A cleaned line of at most ``limit`` characters, or None when nothing readable is left."""
    line = clean_line(text) if isinstance(text, str) else ""
    return line[:limit].rstrip() or None


_RAISED = str.maketrans("0123456789+-\u2212=()ni", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁿⁱ")
_LOWERED = str.maketrans("0123456789+-\u2212=()aehijklmnoprstuvx", "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ")
_AS_RAISED = frozenset("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱ")
_AS_LOWERED = frozenset("₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ")
_ORDINALS = frozenset(("st", "nd", "rd", "th", "er", "re", "ère", "ème", "º", "ª"))
"""Small letters behind a number that change nothing: ``1st``."""
_SIGNS = {"tm": "™", "sm": "℠"}


def raised(text: str) -> str:
    """Superscript as plain text: ``²⁶`` where Unicode has all of it raised, else ``^(a b)``: 10²⁶ must not become 1026.

    Ordinal letters, signs such as ``®`` and ``*`` and the marks of footnotes (``[1]``) stand as they are.
    """
    return _shift(text, _raise_words)


def _raise_words(text: str) -> str:
    if text.lower() in _SIGNS:
        return _SIGNS[text.lower()]
    if (
        text.lower() in _ORDINALS
        or text.startswith("[")
        or not any(each.isalnum() or each in "+-\u2212" for each in text)
    ):
        return text
    small = text.translate(_RAISED)
    return small if _AS_RAISED.issuperset(small) else f"^({text})"


def lowered(text: str) -> str:
    """Subscript as plain text: ``₂``, ``ᵢ`` where Unicode has it, else ``_(max)``; a word stays whole, so that it is found."""
    return _shift(text, _lower_words)


def _lower_words(text: str) -> str:
    if not any(each.isalnum() or each in "+-\u2212" for each in text):
        return text
    small = text.translate(_LOWERED)
    is_word = sum(each.isalpha() for each in text) > 1
    return small if _AS_LOWERED.issuperset(small) and not is_word else f"_({text})"


def struck(text: str) -> str:
    """Text that is shown as struck through, between ``~~``; the white space around it stays outside."""
    words = text.strip()
    return text.replace(words, f"~~{words}~~", 1) if words else text


def _shift(text: str, change: Callable[[str], str]) -> str:
    """``text`` with its words changed and the white space around them as it is."""
    words = clean_line(text)
    if not words:
        return text
    start = len(text) - len(text.lstrip())
    return f"{text[:start]}{change(words)}{text[len(text.rstrip()) :]}"


_HEADING_LIMIT = 200


class DrawnPicture(NamedTuple):
    """A picture that a document shows. ``position`` counts the characters of the text before it; ``load`` gives the bytes as the file has
    them, and raises whatever damage leads to.
    """

    load: Callable[[], bytes]
    position: int
    place: Place
    caption: str
    """What the file says of it, to those who cannot see."""
    key: bytes = b""
    """What it is known again by where ``load`` gives a drawing of it, which may differ by a hair."""


class _Mark(NamedTuple):
    """A piece of a draft and where it stands."""

    span: Span
    page: int | None
    section: tuple[str, ...]
    turn: tuple[int, Place] | None
    part: str | None


@dataclass(slots=True)
class _Open:
    """A block that pieces are being added to; ``number`` is its place among the blocks, None before its first piece."""

    block: Block
    marker: str = ""
    number: int | None = None


class Draft:
    """A growing text with its blocks.

    ``page``, ``part`` and ``section`` hold for the pieces added after they are set. ``add`` appends a piece as a block of its own,
    inside of those that are open (``inside``, ``item``).
    """

    def __init__(self) -> None:
        self.page: int | None = None
        self.part: str | None = None
        self.section: tuple[str, ...] = ()
        self._turn: tuple[int, Place] | None = None
        self._turns = 0
        self._parts: list[str] = []
        self._length = 0
        self._marks: list[_Mark] = []
        self._headings: list[tuple[int, str]] = []
        self._blocks: list[Block] = []
        self._open: list[_Open] = []
        self._follows_item = False
        self.pictures: list[DrawnPicture] = []
        """Those that ``add_picture`` noted, in order."""

    @property
    def length(self) -> int:
        """Code points so far."""
        return self._length

    def add(
        self,
        text: str,
        separator: str | None = None,
        kind: BlockKind = BlockKind.PARAGRAPH,
        *,
        level: int = 0,
        label: str | None = None,
        header_rows: int = 0,
        is_hidden: bool = False,
    ) -> None:
        """Append a piece, cleaned, after ``separator``; a piece with nothing readable is left out.

        Without a separator an item of a list, and what follows the first line of one, stands on the next line, everything else
        behind an empty one. A separator without a line break makes the piece go on with the block before it.
        """
        piece = clean_text(text)
        if not piece:
            return
        is_item = any(each.marker and each.block.kind is BlockKind.ITEM for each in self._open)
        if any(each.marker for each in self._open):
            piece = "".join(each.marker for each in self._open) + piece
        if separator is None:
            separator = "\n" if self._follows_item and self._in_list() else "\n\n"
        goes_on = bool(self._parts) and "\n" not in separator
        if self._parts and separator:
            self._parts.append(separator)
            self._length += len(separator)
        span = Span(self._length, self._length + len(piece))
        self._parts.append(piece)
        self._length = span.end
        self._marks.append(_Mark(span, self.page, self.section, self._turn, self.part))
        self._begin_open(span)
        last = self._blocks[-1] if self._blocks else None
        if goes_on and last is not None and (last.kind, last.depth) == (kind, len(self._open)):
            self._blocks[-1] = replace(last, span=Span(last.span.start, span.end))
        # a turn of a speaker is a block by itself
        elif self._turn is None or self._open or kind is not BlockKind.PARAGRAPH:
            depth = len(self._open)
            self._blocks.append(Block(kind, span, Place(), depth, level, label, header_rows, is_hidden))
        self._follows_item = is_item

    def add_table(self, rows: Sequence[Sequence[str]], header_rows: int = 1) -> None:
        """Append a table; several header rows become one, each name with those above it (``2025 Units``)."""
        lines = [tuple(clean_line(cell) for cell in row) for row in rows]
        head = [join_headers(lines[:header_rows])] if header_rows else []
        self.add_lines([join_cells(cells) for cells in (*head, *lines[header_rows:])], header_rows=min(1, header_rows))

    def add_lines(
        self, lines: Sequence[str], *, header_rows: int = 1, parts: Sequence[str] = (), is_hidden: bool = False
    ) -> None:
        """Append a table whose rows are written already; ``parts`` are those of the rows, where each has one of its own."""
        text = "\n".join(line for line in lines if line)
        self.add(text, kind=BlockKind.TABLE, header_rows=header_rows, is_hidden=is_hidden)
        if text and parts:
            whole = self._marks.pop()
            start = whole.span.end - len(text)
            for part, line in zip(parts, lines, strict=True):
                if line:
                    self._marks.append(whole._replace(span=Span(start, start + len(line)), part=part))
                    start += len(line) + 1

    def add_picture(self, load: Callable[[], bytes], caption: str | None = None) -> None:
        """Note that a picture stands here, on the page, in the part and the section that hold now; the text stays as it is."""
        place = Place(page=self.page, section=self.section, part=self.part)
        self.pictures.append(DrawnPicture(load, self._length, place, caption or ""))

    @contextmanager
    def inside(
        self, kind: BlockKind, label: str | None = None, *, marker: str = "", is_hidden: bool = False
    ) -> Generator[None]:
        """Pieces added within lie in a block of ``kind``; ``marker`` is put before the first of them. Without pieces there is none."""
        self._open.append(_Open(Block(kind, Span(0, 0), label=label, is_hidden=is_hidden), marker))
        try:
            yield
        finally:
            self._close_block(self._open.pop())

    @contextmanager
    def item(self, marker: str = "-") -> Generator[None]:
        """Pieces added within are an item of the list that is open, with ``marker`` as the document shows it before the first."""
        depth = sum(each.block.kind is BlockKind.LIST for each in self._open)
        with self.inside(BlockKind.ITEM, marker, marker="  " * max(0, depth - 1) + f"{marker} "):
            yield

    def include(self, text: str, blocks: Sequence[Block], separator: str = "\n\n") -> None:
        """Append a finished text with the blocks in it; its sections lie in those that are open here."""
        if not text:
            return
        if self._parts and separator:
            self._parts.append(separator)
            self._length += len(separator)
        start = self._length
        self._parts.append(text)
        self._length += len(text)
        tree = BlockIndex(blocks)
        edges = {0, len(text), *(edge for kind in LAYOUT for each in tree.of_kind(kind) for edge in each.span)}
        for left, right in pairwise(sorted(edges)):
            place = tree.place_at(left)
            turn = tree.at(BlockKind.TURN, left)
            piece = text[left:right]
            if piece.strip():
                first = start + left + len(piece) - len(piece.lstrip("\n"))
                self._marks.append(
                    _Mark(
                        Span(first, first + len(piece.strip("\n").rstrip())),
                        place.page or self.page,
                        (*self.section, *place.section),
                        (-turn.span.start - 1, turn.place) if turn else self._turn,
                        place.part or self.part,
                    )
                )
        self._begin_open(Span(start, self._length))
        depth = len(self._open)
        self._blocks += (
            replace(block, span=block.span.shift(start), depth=block.depth + depth) for block in tree.content()
        )
        self._follows_item = False

    def enter_section(self, name: str, level: int) -> None:
        """Begin a section without adding its name to the text; it replaces its level and all deeper ones."""
        self._headings = [(above, heading) for above, heading in self._headings if above < level]
        self._headings.append((level, name[:_HEADING_LIMIT]))
        self.section = tuple(heading for _, heading in self._headings)

    def leave_sections(self) -> None:
        """What is added from here on stands in no section."""
        self._headings = []
        self.section = ()

    @contextmanager
    def outside_sections(self) -> Generator[None]:
        """Pieces added within stand in no section; those that are open go on behind them."""
        headings, section = self._headings, self.section
        self.leave_sections()
        try:
            yield
        finally:
            self._headings, self.section = headings, section

    @contextmanager
    def inner_sections(self) -> Generator[None]:
        """Sections that begin within end with it; only a heading of the first level goes on where none stood above."""
        headings = self._headings
        try:
            yield
        finally:
            has_title = any(level <= 1 for level, _ in headings)
            self._headings = headings if has_title else [each for each in self._headings if each[0] <= 1] or headings
            self.section = tuple(heading for _, heading in self._headings)

    def heading(self, text: str, level: int) -> None:
        """Begin a section whose first line is its heading."""
        line = clean_line(text)
        if line:
            self.enter_section(line, level)
            self.add(line, kind=BlockKind.HEADING, level=level)

    def turn(self, place: Place) -> None:
        """Begin a speaker turn, or a part of one with its own time."""
        self._turns += 1
        self._turn = (self._turns, place)

    def finish(self) -> tuple[str, tuple[Block, ...]]:
        """The text and its blocks: those of layout by kind and start, then the others, each before those that lie in it."""
        pages = [(mark.span, mark.page, Place(page=mark.page)) for mark in self._marks if mark.page is not None]
        sections = [(mark.span, mark.section, Place(section=mark.section)) for mark in self._marks if mark.section]
        turns = [(mark.span, mark.turn[0], mark.turn[1]) for mark in self._marks if mark.turn]
        parts = [(mark.span, (mark.section, mark.part), Place(part=mark.part)) for mark in self._marks if mark.part]
        blocks = (
            *_merge_marks(BlockKind.PAGE, pages),
            *_merge_marks(BlockKind.PART, parts),
            *_merge_marks(BlockKind.SECTION, self._close_gaps(sections)),
            *_merge_marks(BlockKind.TURN, turns),
            *_drop_single_paragraphs(self._blocks),
        )
        return "".join(self._parts), blocks

    def _in_list(self) -> bool:
        """Whether a list is open that has begun."""
        return any(each.block.kind is BlockKind.LIST and each.number is not None for each in self._open)

    def _begin_open(self, span: Span) -> None:
        """Note the blocks that begin with the piece under ``span``."""
        for depth, each in enumerate(self._open):
            each.marker = ""
            if each.number is None:
                each.number = len(self._blocks)
                self._blocks.append(replace(each.block, span=span, depth=depth))

    def _close_block(self, closed: _Open) -> None:
        if closed.number is not None:
            block = self._blocks[closed.number]
            self._blocks[closed.number] = replace(block, span=Span(block.span.start, self._length))

    def _close_gaps(
        self, sections: Sequence[tuple[Span, tuple[str, ...], Place]]
    ) -> list[tuple[Span, Hashable, Place]]:
        """Sections keyed so that a stretch outside any section ends the one before it."""
        outside = [mark.span.start for mark in self._marks if not mark.section]
        keyed: list[tuple[Span, Hashable, Place]] = []
        passed = 0
        for span, path, place in sections:
            while passed < len(outside) and outside[passed] < span.start:
                passed += 1
            keyed.append((span, (passed, path), place))
        return keyed


def _merge_marks(kind: BlockKind, marks: Sequence[tuple[Span, Hashable, Place]]) -> list[Block]:
    """One block for each run of pieces with the same key."""
    blocks: list[Block] = []
    for _, group in groupby(marks, key=lambda mark: mark[1]):
        run = list(group)
        blocks.append(Block(kind, Span(run[0][0].start, run[-1][0].end), run[0][2]))
    return blocks


def _drop_single_paragraphs(blocks: Sequence[Block]) -> Iterator[Block]:
    """The blocks without the paragraph that is all there is in an item or another block."""
    before: Block | None = None
    for block in blocks:
        # a hidden one says so, and may hold others
        is_bare = block.kind is BlockKind.PARAGRAPH and not block.is_hidden
        is_all = before is not None and is_bare and block.span == before.span
        if not (is_all and before is not None and before.depth == block.depth - 1):
            yield block
        before = block


def list_paragraphs(text: str) -> tuple[Block, ...]:
    """A block for each paragraph of a text of which nothing else is known."""
    return tuple(Block(BlockKind.PARAGRAPH, Span(*match.span())) for match in _PARAGRAPH.finditer(text))


_PARAGRAPH = re.compile(r"\S(?:[^\n]|\n(?!\n))*")
