"""The blocks of one story of Word, in order: its body, a note, a comment, a box, a header."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ascertain.core.blocks import BlockKind
from ascertain.sources.formats.draft import Draft, clean_line, short_line
from ascertain.sources.formats.office.charts import chart_rows, chart_title, drawn_lines
from ascertain.sources.formats.office.docx.numbering import BULLET, Marker
from ascertain.sources.formats.office.docx.paragraphs import (
    DELETED,
    FormField,
    Hanging,
    Line,
    ParagraphReader,
    choose_branch,
    control_field,
)
from ascertain.sources.formats.office.docx.parts import WordParts
from ascertain.sources.formats.office.docx.styles import (
    BODY_LEVEL,
    Look,
    Role,
    Style,
    child_of,
    child_value,
    read_indent,
    read_number,
    read_numbering,
)
from ascertain.sources.formats.office.docx.tables import TableRow, count_header_rows, is_layout, iter_rows
from ascertain.sources.formats.office.grids import Grid, GridCell
from ascertain.sources.formats.office.lists import OpenLists
from ascertain.sources.formats.office.packages import attribute_of, iter_named, local_name

_LONGEST_HEADING = 200
"""Characters of a paragraph with an outline level that is a heading; longer ones are clauses that stand in the outline."""
_EMPTY = frozenset({"sectPr", "tblPr", "tblGrid", "tcPr", "trPr", "sdtPr", "sdtEndPr", "customXmlPr", "pPr", "bookmarkStart", "bookmarkEnd"})  # fmt: skip
_INLINE = frozenset({"r", "hyperlink", "fldSimple", "oMath", "oMathPara"})
_JOINED = {Role.CODE: BlockKind.CODE, Role.CONTENTS: BlockKind.FURNITURE}
"""What is one block over several paragraphs, a line each."""


@dataclass(frozen=True, slots=True)
class _Paragraph:
    """A paragraph as it is read: its text, what Word writes before it, what it is."""

    text: str
    marker: Marker | None
    level: int | None
    role: Role
    indent: int


class StoryReader:
    """Adds the blocks of a story to a draft. ``part`` is the part of the package it stands in."""

    def __init__(self, parts: WordParts, draft: Draft, part: str) -> None:
        self.title: str | None = None
        self._parts = parts
        self._draft = draft
        self._relations = parts.relations_of(part)
        self._runs = ParagraphReader(parts.styles, parts.losses, self._mark_note)
        self._lists = OpenLists(draft)
        self._carried: Line | None = None
        self._joined: tuple[Role, list[str]] = (Role.TEXT, [])
        self._notes: list[tuple[str, str, str]] = []

    def read(self, story: Any) -> None:
        """Add a whole story, with its notes at the end."""
        self._add_blocks(story)
        if self._carried is not None:
            self._place(_Paragraph("", None, None, Role.TEXT, 0), Line())
        self._end_blocks()
        self._add_notes()

    def _mark_note(self, kind: str, note_id: str) -> str:
        note = self._parts.notes.refer(kind, note_id)
        if note is None:
            return ""
        if note.is_new:
            self._notes.append((kind, note_id, note.mark))
        return note.mark

    def _add_blocks(self, parent: Any) -> None:
        for element in () if parent is None else parent:
            name = local_name(element)
            if name == "p":
                self._add_paragraph(element)
            elif name == "tbl":
                self._add_table(element)
            elif name == "sdt":
                self._add_blocks(child_of(element, "sdtContent"))
                found = control_field(element, "")
                self._add_fields([] if found is None else [found])
            elif name == "AlternateContent":
                self._add_blocks(choose_branch(element))
            elif name == "altChunk":
                self._parts.losses.add("embedded documents")
            elif name in DELETED:
                self._runs.lose_deleted(element)
            elif name in _INLINE:
                line = Line()
                self._runs.read_piece(element, line, Look())
                self._place(_Paragraph("", None, None, Role.TEXT, 0), line)
            elif name not in _EMPTY:
                self._add_blocks(element)

    def _read_line(self, element: Any) -> tuple[_Paragraph, Line] | None:
        """A paragraph and what hangs on it; None where it goes on with the next one."""
        properties = child_of(element, "pPr")
        style = self._parts.styles.find(child_value(properties, "pStyle"))
        carried, self._carried = self._carried, None
        line = self._runs.read(element, style.look._replace(font=None), carried)
        mark = child_of(properties, "rPr")
        is_joined = mark is not None and any(local_name(each) in DELETED for each in mark)
        frame = child_of(properties, "framePr")
        if is_joined or (frame is not None and attribute_of(frame, "dropCap") in ("drop", "margin")):
            self._carried = line
            return None
        marker = self._parts.numbering.count(*read_numbering(properties), style)
        level = read_number(child_value(properties, "outlineLvl"))
        level = style.heading_level if level is None else level + 1 if level < BODY_LEVEL else None
        role = style.role
        if level is None and role is Role.TITLE:
            level = 0
        indent = _first(read_indent(properties), marker.indent if marker else None, style.indent) or 0
        return _Paragraph(line.text(), marker if marker and marker.text else None, level, role, indent), line

    def _add_paragraph(self, element: Any) -> None:
        found = self._read_line(element)
        if found is not None:
            self._place(*found)

    def _place(self, paragraph: _Paragraph, line: Line) -> None:
        """Put a paragraph where it belongs, and behind it what hangs on it."""
        if self._carried is not None:
            carried, self._carried = self._carried, None
            line = Line([*carried.pieces, *line.pieces], [*carried.hanging, *line.hanging], [*carried.fields, *line.fields])
        text = paragraph.text or line.text()
        if text:
            self._place_text(text, paragraph)
        if hidden := line.text(hidden=True):
            self._end_joined()
            self._draft.add(f"[hidden] {hidden}", is_hidden=True)
        self._add_fields(line.fields)
        for each in line.hanging:
            self._add_hanging(each)

    def _place_text(self, text: str, paragraph: _Paragraph) -> None:
        marker = paragraph.marker
        if paragraph.level is not None and len(text) <= _LONGEST_HEADING:
            self._end_blocks()
            self._add_notes()
            number = f"{marker.text} " if marker and marker.text != BULLET else ""
            self._draft.heading(number + text, paragraph.level)
            if paragraph.level == 0 and self.title is None:
                self.title = short_line(text)
            return
        if paragraph.role in _JOINED or paragraph.role is Role.QUOTATION:
            self._join(paragraph.role, text if marker is None else f"{marker.text} {text}")
            return
        self._end_joined()
        if marker is not None:
            self._lists.begin_item(marker.text, marker.list_id, marker.level, paragraph.indent)
        elif not self._lists.holds(paragraph.indent):
            self._lists.close()
        self._draft.add(_flow(text), kind=BlockKind.CAPTION if paragraph.role is Role.CAPTION else BlockKind.PARAGRAPH)

    def _join(self, role: Role, text: str) -> None:
        if self._joined[0] is not role:
            self._end_blocks()
            self._joined = (role, [])
        self._joined[1].append(text if role is Role.CODE else _flow(text))

    def _end_joined(self) -> None:
        """End the code, the quotation or the table of contents that is open."""
        (role, lines), self._joined = self._joined, (Role.TEXT, [])
        if role in _JOINED:
            self._draft.add("\n".join(lines), kind=_JOINED[role])
        elif lines:
            with self._draft.inside(BlockKind.QUOTATION):
                for line in lines:
                    self._draft.add(line)

    def _end_blocks(self) -> None:
        self._end_joined()
        self._lists.close()

    def _add_fields(self, fields: list[FormField]) -> None:
        for each in fields:
            self._end_joined()
            self._draft.add(f"{each.name}: {each.value}", kind=BlockKind.FIELD, label=each.name)

    def _add_hanging(self, hanging: Hanging) -> None:
        if hanging.kind == "comment":
            self._add_comment(hanging.content)
            return
        self._end_blocks()
        if hanging.kind == "box":
            self._add_blocks(hanging.content)
            self._end_blocks()
        elif hanging.kind == "lines":
            for line in hanging.content:
                self._draft.add(line)
        elif hanging.kind == "diagram":
            self._add_diagram(self._relations.get(hanging.content, ("", ""))[1])
        elif hanging.kind == "chart":
            self._add_chart(self._relations.get(hanging.content, ("", ""))[1])

    def _add_chart(self, part: str) -> None:
        tree = self._parts.find(part)
        title = "" if tree is None else chart_title(tree)
        rows = [] if tree is None else chart_rows(tree)
        self._draft.add(title, kind=BlockKind.CAPTION)
        if rows:
            self._draft.add_table(rows)
        else:
            self._parts.losses.add("charts", name=title)

    def _add_diagram(self, part: str) -> None:
        tree = self._parts.find(part)
        lines = [] if tree is None else drawn_lines(tree)
        if not lines:
            self._parts.losses.add("diagrams")
        with self._draft.inside(BlockKind.LIST):
            for line in lines:
                with self._draft.item():
                    self._draft.add(line)

    def _add_comment(self, comment_id: str) -> None:
        comment = self._parts.notes.take_comment(comment_id)
        if comment is None:
            return
        self._end_joined()
        author = short_line(attribute_of(comment, "author"), 100)
        marker = f"Comment by {author}: " if author else "Comment: "
        with self._draft.inside(BlockKind.COMMENT, author, marker=marker):
            StoryReader(self._parts, self._draft, self._parts.notes.part_of("comments")).read(comment)

    def _add_notes(self) -> None:
        """The notes that were referred to since the last heading."""
        notes, self._notes = self._notes, []
        for kind, note_id, mark in notes:
            element = self._parts.notes.find(kind, note_id)
            with self._draft.inside(BlockKind.FOOTNOTE, mark, marker=f"[{mark}] "):
                StoryReader(self._parts, self._draft, self._parts.notes.part_of(f"{kind}s")).read(element)

    def _add_table(self, table: Any) -> None:
        self._end_blocks()
        rows = list(self._iter_kept_rows(table))
        if is_layout(rows, self._is_heading):
            for row in rows:
                for cell in row.cells:
                    self._add_blocks(cell.element)
                    self._end_blocks()
            return
        grid, waiting = Grid(), Line()
        for row in rows:
            cells = [GridCell("", row.before)] if row.before else []
            for cell in row.cells:
                text = " / ".join(self._cell_lines(cell.element, waiting))
                cells.append(GridCell(text, cell.columns, goes_on=cell.goes_on))
            grid.add_row(cells)
        grid.add_to(self._draft, count_header_rows(table, rows))
        self._place(_Paragraph("", None, None, Role.TEXT, 0), Line([], waiting.hanging, waiting.fields))
        for text, look in waiting.pieces:
            self._draft.add(f"[hidden] {text}", is_hidden=bool(look.hidden))

    def _iter_kept_rows(self, table: Any) -> Iterator[TableRow]:
        for row in iter_rows(table):
            if row.is_deleted:
                self._runs.lose_deleted(row.element)
                for each in iter_named(row.element, "p"):
                    self._parts.numbering.count(*read_numbering(child_of(each, "pPr")), self._style_of(each))
            else:
                yield row

    def _cell_lines(self, parent: Any, waiting: Line) -> list[str]:
        """The lines of a cell, those of tables in it too; what hangs on them, and what is hidden, waits in ``waiting``."""
        lines: list[str] = []
        for element in () if parent is None else parent:
            name = local_name(element)
            if name == "p":
                found = self._read_line(element)
                if found is None:
                    continue
                paragraph, line = found
                marker = f"{paragraph.marker.text} " if paragraph.marker else ""
                if paragraph.text:
                    lines += [clean_line(each) for each in (marker + paragraph.text).split("\n")]
                if hidden := line.text(hidden=True):
                    waiting.pieces.append((hidden, Look(hidden=True)))
                waiting.hanging += line.hanging
                waiting.fields += line.fields
            elif name == "tbl":
                for row in self._iter_kept_rows(element):
                    cells = (" / ".join(self._cell_lines(cell.element, waiting)) for cell in row.cells)
                    lines.append("; ".join(cell for cell in cells if cell))
            elif name == "sdt":
                inner = self._cell_lines(child_of(element, "sdtContent"), waiting)
                lines += inner
                found_field = control_field(element, " ".join(inner))
                waiting.fields += [] if found_field is None else [found_field]
            elif name == "AlternateContent":
                lines += self._cell_lines(choose_branch(element), waiting)
            elif name == "altChunk":
                self._parts.losses.add("embedded documents")
            elif name not in _EMPTY:
                lines += self._cell_lines(element, waiting)
        return [line for line in lines if line]

    def _style_of(self, paragraph: Any) -> Style:
        return self._parts.styles.find(child_value(child_of(paragraph, "pPr"), "pStyle"))

    def _is_heading(self, paragraph: Any) -> bool:
        return self._style_of(paragraph).heading_level is not None


def _flow(text: str) -> str:
    """A paragraph without indentation and with single spaces; its tabs and line breaks stay."""
    return "\n".join(" ".join(filter(None, line.split(" "))).strip() for line in text.split("\n"))


def _first(*values: int | None) -> int | None:
    return next((value for value in values if value is not None), None)
