"""Paragraphs of a PDF written into a document, as blocks, with their pages noted."""

import re
from collections.abc import Mapping, Sequence
from contextlib import ExitStack

from ascertain.core.documents.blocks import BlockKind
from ascertain.documents.formats.drafts.draft import Draft, clean_line
from ascertain.documents.formats.pdf.layout import Style, level_of
from ascertain.documents.formats.pdf.lines import Line
from ascertain.documents.formats.pdf.paragraphs import Paragraph, Role
from ascertain.documents.formats.pdf.words import Hyphens
from ascertain.documents.formats.plain.text import run_in_heading

Outline = Mapping[tuple[int, str], int]
"""The level of a heading, from 1, by the number of its page and its words in lower case."""

_APART = (Role.CAPTION, Role.NOTE, Role.ADDED)
_MARKER = re.compile(r"(?P<bullet>[•●◦▪‣∙·–*-])\s+|(?P<shown>\(?(?:\d{1,2}|[a-z]|[ivx]{2,4})[.)])\s+")
"""What an item begins with; the numbers of entries of a list of references are a part of them."""
_NOTE_NUMBER = re.compile(r"\[(\d{1,3})\]")
_INDENT = 0.8
"""In sizes of type: an item set in by more than this lies in the one above."""
_DEEPEST_LIST = 6
_KINDS = {
    Role.TABLE: BlockKind.TABLE,
    Role.CODE: BlockKind.CODE,
    Role.CAPTION: BlockKind.CAPTION,
    Role.NOTE: BlockKind.FOOTNOTE,
    Role.TITLE: BlockKind.HEADING,
}


def fold_heading(text: str) -> str:
    """The words of a heading as an outline is searched for them."""
    return clean_line(text).lower()


class Writer:
    """Writes paragraphs into a draft, mending line ends and noting pages."""

    def __init__(self, hyphens: Hyphens, style: Style, outline: Outline) -> None:
        self.draft = Draft()
        self._hyphens = hyphens
        self._style = style
        self._outline = outline
        self._lists: list[tuple[float, ExitStack]] = []

    def line(self, paragraph: Paragraph) -> str:
        """The paragraph on one line."""
        return clean_line("".join(text for _, text in self._split_by_page(paragraph)))

    def add(self, paragraph: Paragraph) -> None:
        """Add a paragraph, a heading as one that begins a section."""
        first = paragraph.lines[0]
        if paragraph.role is Role.HEADING:
            self._leave_lists()
            self.draft.page = first.page
            words = self.line(paragraph)
            outlined = self._outline.get((first.page, fold_heading(words)))
            self.draft.heading(words, outlined or level_of(words, first.size, self._style))
            return
        draft = self.draft
        section = draft.section
        pieces = self._split_by_page(paragraph)
        if paragraph.role in (Role.ASIDE, Role.TITLE):
            draft.section = ()
        elif paragraph.role not in _APART and (name := run_in_heading(pieces[0][1])):
            draft.enter_section(name, 1)
            section = draft.section
        found = _MARKER.match(pieces[0][1]) if paragraph.is_item else None
        if found is None:
            self._leave_lists()
            self._write_pieces(paragraph, pieces)
        else:
            self._enter_list(first)
            pieces[0] = (pieces[0][0], pieces[0][1][found.end() :])
            with draft.item("-" if found["bullet"] else found["shown"]):
                self._write_pieces(paragraph, pieces)
        draft.section = section

    def finish(self, lines: Sequence[Line]) -> None:
        """End the text, with what stands on many pages behind all else."""
        self._leave_lists()
        self.draft.leave_sections()
        self.draft.page = None
        for line in lines:
            self.draft.add(line.text, kind=BlockKind.FURNITURE)

    def _write_pieces(self, paragraph: Paragraph, pieces: Sequence[tuple[int, str]]) -> None:
        kind = paragraph.lines[0].apart or _KINDS.get(paragraph.role, BlockKind.PARAGRAPH)
        label = paragraph.lines[0].label
        if kind is BlockKind.FOOTNOTE and (number := _NOTE_NUMBER.match(pieces[0][1])):
            label = number[1]
        header_rows = int(kind is BlockKind.TABLE and len(paragraph.lines) > 1)
        separator: str | None = None
        for page, piece in pieces:
            self.draft.page = page
            self.draft.add(piece, separator, kind, label=label, header_rows=header_rows)
            # A word cut by the end of a page goes on without a space.
            separator = piece[-1] if piece.endswith((" ", "\n")) else ""
            header_rows = 0

    def _enter_list(self, line: Line) -> None:
        """Go to the list in which an item that begins where ``line`` does stands."""
        indent, reach = line.indent + line.left * (not line.is_backwards), _INDENT * line.size
        while self._lists and indent < self._lists[-1][0] - reach:
            self._lists.pop()[1].close()
        is_deeper = not self._lists or indent > self._lists[-1][0] + reach
        if is_deeper and len(self._lists) < _DEEPEST_LIST:
            opened = ExitStack()
            opened.enter_context(self.draft.inside(BlockKind.LIST))
            self._lists.append((indent, opened))

    def _leave_lists(self) -> None:
        while self._lists:
            self._lists.pop()[1].close()

    def _split_by_page(self, paragraph: Paragraph) -> list[tuple[int, str]]:
        """(page, text) for the part of the paragraph on each page; the text ends with what separates it."""
        pieces: list[tuple[int, str]] = []
        lines = paragraph.lines
        keeps_lines = paragraph.role in (Role.CODE, Role.ROWS, Role.TABLE)
        for index, line in enumerate(lines):
            text, separator = line.text, ""
            if index + 1 < len(lines):
                text, separator = (text, "\n") if keeps_lines else self._hyphens.join(text, lines[index + 1].text)
            if pieces and pieces[-1][0] == line.page:
                pieces[-1] = (line.page, pieces[-1][1] + text + separator)
            else:
                pieces.append((line.page, text + separator))
        return pieces
