"""What an RTF file is made of once it is parsed: stories of paragraphs and rows."""

from __future__ import annotations

from dataclasses import dataclass, field

from ascertain.documents.formats.office.stories import FormField, Paragraph, Piece, write_pieces
from ascertain.documents.formats.office.style_roles import heading_level, role_of


@dataclass(slots=True)
class RtfStyle:
    """A style of paragraphs."""

    name: str = ""
    outline_level: int | None = None
    """From 0."""
    indent: int = 0


@dataclass(slots=True)
class Format:
    """What holds for the characters and the paragraph of a group; a group that begins takes a copy."""

    raised: int = 0
    struck: bool = False
    hidden: bool = False
    deleted: bool = False
    font: int = 0
    fallback: int = 1
    r"""How many characters after ``\uN`` stand for it in old readers (``\ucN``)."""
    style: int = 0
    outline_level: int | None = None
    in_table: bool = False
    depth: int = 1
    r"""Of tables in each other (``\itapN``)."""
    indent: int = 0
    first_indent: int = 0
    list_id: int = 0
    list_level: int = 0

    def copy(self) -> Format:
        """One of its own for a group that begins, of which there are many."""
        return Format(
            self.raised, self.struck, self.hidden, self.deleted, self.font, self.fallback, self.style, self.outline_level,
            self.in_table, self.depth, self.indent, self.first_indent, self.list_id, self.list_level,
        )  # fmt: skip

    def plain(self) -> None:
        r"""Forget how characters look (``\plain``)."""
        self.raised, self.struck, self.hidden, self.deleted = 0, False, False, False

    def reset_paragraph(self) -> None:
        r"""Forget what the paragraph is (``\pard``)."""
        self.style, self.outline_level, self.in_table, self.depth = 0, None, False, 1
        self.indent = self.first_indent = self.list_id = self.list_level = 0


@dataclass(slots=True)
class Note:
    """A footnote, an endnote or a comment, or the text of a box or a shape."""

    kind: str
    story: Story
    mark: str = ""
    author: str | None = None


@dataclass(slots=True)
class RtfParagraph:
    """A paragraph with how it is set, and what hangs on it."""

    pieces: list[Piece] = field(default_factory=list[Piece])
    marker: str = ""
    format: Format = field(default_factory=Format)
    notes: list[Note] = field(default_factory=list[Note])
    fields: list[FormField] = field(default_factory=list[FormField])

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to show."""
        return not (self.pieces or self.notes or self.fields)

    def read(self, styles: dict[int, RtfStyle]) -> Paragraph:
        """The paragraph for a draft."""
        style = styles.get(self.format.style, RtfStyle())
        names = (style.name,)
        outline = style.outline_level if self.format.outline_level is None else self.format.outline_level
        level = heading_level(names) if outline is None else outline + 1 if 0 <= outline < 9 else None
        role = role_of(names)
        if level is None and role == "title":
            level = 0
        text, marker = write_pieces(self.pieces), self.marker
        if not marker and self.format.first_indent < 0 and level is None:
            marker, text = _hanging_marker(text)
        return Paragraph(
            text,
            marker,
            str(self.format.list_id),
            self.format.list_level,
            level,
            role,
            self.format.indent or style.indent,
        )


_LONGEST_MARKER = 8


def _hanging_marker(text: str) -> tuple[str, str]:
    """The number or bullet that a paragraph writes before its hanging indent, and what follows; some programs know no lists."""
    head, tab, rest = text.partition("\t")
    head = head.strip()
    if not tab or not rest.strip() or not 0 < len(head) <= _LONGEST_MARKER or " " in head:
        return "", text
    if head.endswith((".", ")")) and any(map(str.isalnum, head)):
        return head, rest.strip()
    return ("-", rest.strip()) if not any(map(str.isalnum, head)) else ("", text)


@dataclass(slots=True)
class RtfCell:
    """The paragraphs of a cell."""

    paragraphs: list[RtfParagraph] = field(default_factory=list[RtfParagraph])
    right: int = 0
    """Its right edge, in twentieths of a point."""
    joins_left: bool = False
    joins_above: bool = False


@dataclass(slots=True)
class RtfRow:
    """A row of a table."""

    cells: list[RtfCell]
    is_header: bool = False


@dataclass(slots=True)
class Story:
    """Paragraphs and rows in order."""

    entries: list[RtfParagraph | RtfRow] = field(default_factory=list[RtfParagraph | RtfRow])
