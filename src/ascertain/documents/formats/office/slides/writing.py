"""Slides as text, whatever file they come from: each under its title, lists with their markers, notes, what stands on every slide."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ascertain.core.documents.blocks import BlockKind
from ascertain.core.documents.documents import LeftOut
from ascertain.documents.formats.drafts.draft import Draft, clean_line
from ascertain.documents.formats.drafts.losses import Losses
from ascertain.documents.formats.office.lists import OpenLists
from ascertain.documents.formats.office.stories import FormField

NOTES = "Speaker notes"


class Paragraph(NamedTuple):
    """A paragraph of a slide; ``marker`` is that of the list it is an item of, ``level`` from 0 on."""

    text: str
    marker: str = ""
    level: int = 0


class SlideWriter:
    """Adds slides to a draft."""

    def __init__(self) -> None:
        self.draft = Draft()
        self._furniture: dict[str, None] = {}
        self.losses = Losses()

    def begin_slide(self, number: int, title: str, *, is_hidden: bool) -> None:
        """What is added next stands on this slide."""
        self.draft.part = f"slide {number}" + (" (hidden)" if is_hidden else "")
        line = clean_line(title)
        if line:
            self.draft.heading(line, 1)
        else:
            self.draft.enter_section(f"Slide {number}", 1)

    def add_paragraphs(self, paragraphs: Iterable[Paragraph]) -> None:
        """Paragraphs, the items of lists within lists by their levels."""
        lists = OpenLists(self.draft)
        for text, marker, level in paragraphs:
            if marker:
                lists.begin_item(marker, "", level, level)
            else:
                lists.close()
            self.draft.add(text)
        lists.close()

    def add_chart(self, title: str, rows: Sequence[Sequence[str]]) -> None:
        """A chart as its title and the table of its values."""
        self.draft.add(title, kind=BlockKind.CAPTION)
        if rows:
            self.draft.add_table(rows)

    def add_notes(self, paragraphs: Sequence[Paragraph]) -> None:
        """What the speaker notes to say, in a section below the slide."""
        if paragraphs:
            self.draft.heading(NOTES, 2)
            with self.draft.inside(BlockKind.COMMENT, NOTES):
                self.add_paragraphs(paragraphs)

    def add_fields(self, fields: Iterable[FormField]) -> None:
        """Fields of a form, a block each; those without a name by what they say."""
        for name, value in fields:
            self.draft.add(f"{name}: {value}" if name else value, kind=BlockKind.FIELD, label=name or None)

    def add_comment(self, author: str, text: str) -> None:
        """What a reviewer remarks about a slide."""
        name = clean_line(author)
        if text.strip():
            words = f"Comment by {name}: {text}" if name else f"Comment: {text}"
            self.draft.add(words, kind=BlockKind.COMMENT, label=name or None)

    def note_furniture(self, lines: Iterable[str]) -> None:
        """What stands on every slide, shown once; numbers of slides alone are not."""
        for each in lines:
            line = clean_line(each)
            if any(map(str.isalpha, line)):
                self._furniture.setdefault(line)

    def finish(self) -> tuple[LeftOut, ...]:
        """Add what stands on every slide; what was left out."""
        self.draft.leave_sections()
        self.draft.part = None
        for line in self._furniture:
            self.draft.add(line, kind=BlockKind.FURNITURE)
        return self.losses.left_out()
