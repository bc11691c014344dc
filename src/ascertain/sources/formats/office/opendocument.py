"""ODT: OpenDocument texts by heading; read as XML (OpenDocument 1.3 part 3)."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from ascertain.language.tables import join_cells
from ascertain.sources.formats.draft import Draft, clean_line, short_line
from ascertain.sources.formats.office.packages import (
    Package,
    attribute_of,
    first_named,
    iter_named,
    local_name,
    open_document_facts,
)
from ascertain.sources.formats.reader import Extracted, SourceFile

_LEFT_OUT = frozenset(
    {"tracked-changes", "annotation", "table-of-content", "forms", "sequence-decls", "variable-decls"}
)
"""What was deleted, what others remarked, and what only repeats headings."""
_SPACES = {"s": " ", "tab": " ", "line-break": " "}


def read_odt(file: SourceFile) -> Iterator[Extracted]:
    """The text of an OpenDocument text. Raises SourceError for what is not one, or would not fit in memory."""
    package = Package(file, "odt")
    body = first_named(package.read_tree("content.xml"), "text")
    reader = _TextReader()
    if body is not None:
        reader.add_blocks(body)
    text, blocks = reader.draft.finish()
    facts = open_document_facts(package)
    yield replace(facts, text=text, title=facts.title or reader.title, blocks=blocks)


class _TextReader:
    """Adds blocks to a draft as they come."""

    def __init__(self) -> None:
        self.draft = Draft()
        self.title: str | None = None
        self._level = 0
        self._notes: list[str] = []

    def add_blocks(self, parent: Any) -> None:
        """The blocks below ``parent`` in order."""
        for element in parent:
            name = local_name(element)
            if name in _LEFT_OUT:
                continue
            if name == "h":
                level = attribute_of(element, "outline-level") or "1"
                self.draft.heading(self._line(element), int(level) if level.isdecimal() and len(level) < 3 else 1)
                self._add_notes()
            elif name == "p":
                self._add_paragraph(element)
            elif name == "table":
                self._add_table(element)
            elif name == "list":
                self._level += 1
                self.add_blocks(element)
                self._level -= 1
            else:
                # list items, sections, frames, text boxes, indexes
                self.add_blocks(element)

    def _add_paragraph(self, element: Any) -> None:
        line = self._line(element)
        if line and attribute_of(element, "style-name") == "Title" and self.title is None:
            self.title = short_line(line)
            self.draft.heading(line, 0)
        elif line and self._level:
            self.draft.add(f"{'  ' * (self._level - 1)}- {line}", "\n")
        else:
            self.draft.add(line)
        for box in iter_named(element, "text-box"):
            self.add_blocks(box)
        self._add_notes()

    def _add_notes(self) -> None:
        notes, self._notes = self._notes, []
        for note in notes:
            self.draft.add(note, "\n")

    def _add_table(self, table: Any) -> None:
        for number, row in enumerate(each for each in iter_named(table, "table-row")):
            cells = [
                clean_line(" ".join(self._line(each) for each in iter_named(cell, "p", "h")))
                for cell in row
                if local_name(cell) in ("table-cell", "covered-table-cell")
            ]
            self.draft.add(join_cells(cells), "\n" if number else "\n\n")

    def _line(self, element: Any) -> str:
        """The words of a paragraph on one line; footnotes wait until it is added."""
        pieces: list[str] = []
        self._collect(element, pieces)
        return clean_line("".join(pieces))

    def _collect(self, element: Any, pieces: list[str]) -> None:
        pieces.append(element.text or "")
        for child in element:
            name = local_name(child)
            if name in _SPACES:
                pieces.append(_SPACES[name])
            elif name == "note":
                citation, body = first_named(child, "note-citation"), first_named(child, "note-body")
                mark = clean_line("".join(citation.itertext())) if citation is not None else ""
                words = (
                    clean_line(" ".join("".join(each.itertext()) for each in iter_named(body, "p")))
                    if body is not None
                    else ""
                )
                if words:
                    self._notes.append(f"[{mark}] {words}")
                    pieces.append(f"[{mark}]")
            elif name not in _LEFT_OUT and name != "text-box":
                self._collect(child, pieces)
            pieces.append(child.tail or "")
