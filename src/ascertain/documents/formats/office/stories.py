"""Paragraphs of a text document put into a draft: headings, items of lists, quotations, code, notes and comments.

Word, RTF and OpenDocument know paragraphs with a style; what is one block over several of them is found here.
"""

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, NamedTuple

from ascertain.core.documents.blocks import BlockKind
from ascertain.documents.formats.drafts.draft import HIDDEN, Draft, lowered, raised, short_line, struck
from ascertain.documents.formats.office.lists import OpenLists
from ascertain.documents.formats.office.style_roles import Role

BULLET = "-"
"""What stands for a bullet of any look."""
_LONGEST_HEADING = 200
"""Characters of a paragraph with an outline level that is a heading; longer ones are clauses that stand in the outline."""
_JOINED = {Role.CODE: BlockKind.CODE, Role.CONTENTS: BlockKind.FURNITURE}
"""What is one block over several paragraphs, a line each."""


class Look(NamedTuple):
    """How a run is shown, as far as it changes what is read. None: not said here."""

    raised: int | None = None
    """1 superscript, -1 subscript, 0 neither."""
    struck: bool | None = None
    hidden: bool | None = None
    font: str | None = None

    def over(self, other: "Look") -> "Look":
        """What is said here, else by ``other``."""
        return Look(
            other.raised if self.raised is None else self.raised,
            other.struck if self.struck is None else self.struck,
            other.hidden if self.hidden is None else self.hidden,
            self.font or other.font,
        )


Piece = tuple[str, Look]


def write_pieces(pieces: Sequence[Piece], *, hidden: bool = False) -> str:
    """The words of runs that are shown, or those that are ``hidden``: raised, lowered, and struck ones between ``~~``."""
    shown = [(text, look) for text, look in pieces if bool(look.hidden) is hidden and text]
    written: list[str] = []
    for (shift, is_struck), group in groupby(shown, key=lambda piece: (piece[1].raised or 0, bool(piece[1].struck))):
        text = "".join(piece for piece, _ in group)
        text = raised(text) if shift > 0 else lowered(text) if shift < 0 else text
        written.append(struck(text) if is_struck else text)
    return "".join(written).strip()


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph as it is read: its text, the number or bullet before it, what it is, how far it is set in."""

    text: str
    marker: str = ""
    list_id: str = ""
    list_level: int = 0
    level: int | None = None
    """That of a heading, 0 for the title of the document; None for other text."""
    role: Role = Role.TEXT
    indent: int = 0


class FormField(NamedTuple):
    """A field of a form and what is filled in."""

    name: str
    value: str


@dataclass(slots=True)
class Line:
    """A paragraph's words, with how each is shown, and what hangs on it: notes, comments, drawings."""

    pieces: list[Piece] = field(default_factory=list[Piece])
    hanging: list[Any] = field(default_factory=list[Any])
    fields: list[FormField] = field(default_factory=list[FormField])

    def text(self, *, hidden: bool = False) -> str:
        """The words that are shown, or those that are ``hidden``."""
        return write_pieces(self.pieces, hidden=hidden)


class StoryWriter:
    """Puts the paragraphs of one story (a body, a note, a comment, a box, a header) into a draft."""

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self.title: str | None = None
        """The first paragraph that is styled as the document's title."""
        self._lists = OpenLists(draft)
        self._joined: tuple[Role, list[str]] = (Role.TEXT, [])
        self._notes: list[tuple[str, Callable[[], None]]] = []

    def add(self, paragraph: Paragraph) -> None:
        """Put a paragraph where it belongs; one without words is left out."""
        text, marker, role = paragraph.text, paragraph.marker, paragraph.role
        if not text:
            return
        if paragraph.level is not None and len(text) <= _LONGEST_HEADING:
            self._add_heading(paragraph)
        elif role in _JOINED or role is Role.QUOTATION:
            self._join(role, f"{marker} {text}" if marker else text)
        else:
            self.end_joined()
            if marker:
                self._lists.begin_item(marker, paragraph.list_id, paragraph.list_level, paragraph.indent)
            else:
                self._lists.end_before(paragraph.indent)
            self.draft.add(_flow(text), kind=BlockKind.CAPTION if role is Role.CAPTION else BlockKind.PARAGRAPH)

    def add_line(self, paragraph: Paragraph, line: Line) -> None:
        """Put in a paragraph with what is hidden in its line, and the fields of forms in it."""
        self.add(paragraph)
        self.add_hidden(line.text(hidden=True))
        self.add_fields(line.fields)

    def _add_heading(self, paragraph: Paragraph) -> None:
        self.end_blocks()
        self.add_notes()
        number = f"{paragraph.marker} " if paragraph.marker not in ("", BULLET) else ""
        self.draft.heading(number + paragraph.text, paragraph.level or 0)
        if paragraph.level == 0 and self.title is None:
            self.title = short_line(paragraph.text)

    def add_hidden(self, text: str) -> None:
        """Put in what the file holds and does not show."""
        if text:
            self.end_joined()
            self.draft.add(HIDDEN + _flow(text), is_hidden=True)

    def add_fields(self, fields: Sequence[FormField]) -> None:
        """Put in fields of a form, a block each."""
        for each in fields:
            self.end_joined()
            self.draft.add(f"{each.name}: {each.value}", kind=BlockKind.FIELD, label=each.name)

    def wait_note(self, mark: str, add: Callable[[], None]) -> None:
        """Have ``add`` put a note into the draft before the next heading, or at the end."""
        self._notes.append((mark, add))

    def add_notes(self) -> None:
        """Put in the notes that wait."""
        notes, self._notes = self._notes, []
        for mark, add in notes:
            with self.draft.inside(BlockKind.FOOTNOTE, mark, marker=f"[{mark}] "):
                add()

    @contextmanager
    def comment(self, author: str | None) -> Generator[None]:
        """What is put in within is a comment."""
        self.end_joined()
        marker = f"Comment by {author}: " if author else "Comment: "
        with self.draft.inside(BlockKind.COMMENT, author, marker=marker):
            yield

    def end_joined(self) -> None:
        """End the code, the quotation or the table of contents that is open."""
        (role, lines), self._joined = self._joined, (Role.TEXT, [])
        if role in _JOINED:
            self.draft.add("\n".join(lines), kind=_JOINED[role])
        elif lines:
            with self.draft.inside(BlockKind.QUOTATION):
                for line in lines:
                    self.draft.add(line)

    def end_blocks(self) -> None:
        """End what is open, lists too."""
        self.end_joined()
        self._lists.close()

    def finish(self) -> None:
        """End what is open, and put in the notes that wait."""
        self.end_blocks()
        self.add_notes()

    def _join(self, role: Role, text: str) -> None:
        if self._joined[0] is not role:
            self.end_blocks()
            self._joined = (role, [])
        self._joined[1].append(text if role is Role.CODE else _flow(text))


def _flow(text: str) -> str:
    """A paragraph without indentation and with single spaces; its tabs and line breaks stay."""
    return "\n".join(" ".join(filter(None, line.split(" "))).strip() for line in text.split("\n"))
