"""The blocks of one story of Word, in order: its body, a note, a comment, a box, a header."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

from ascertain.core.documents.blocks import BlockKind
from ascertain.documents.formats.drafts.draft import Draft, clean_line, short_line
from ascertain.documents.formats.office.charts import chart_rows, chart_title
from ascertain.documents.formats.office.docx.paragraphs import (
    DELETED,
    Hanging,
    ParagraphReader,
    choose_branch,
    control_field,
)
from ascertain.documents.formats.office.docx.parts import WordParts
from ascertain.documents.formats.office.docx.styles import BODY_LEVEL, Style, read_indent, read_number, read_numbering
from ascertain.documents.formats.office.docx.tables import TableRow, count_header_rows, is_layout, iter_rows
from ascertain.documents.formats.office.drawings import diagram_lines, drawn_lines
from ascertain.documents.formats.office.grids import Grid, GridCell
from ascertain.documents.formats.office.lists import OpenLists
from ascertain.documents.formats.office.packages import attribute_of, child_of, child_value, iter_named, local_name
from ascertain.documents.formats.office.stories import BULLET, Line, Look, Paragraph, StoryWriter
from ascertain.documents.formats.office.style_roles import Role

_EMPTY = frozenset({"sectPr", "tblPr", "tblGrid", "tcPr", "trPr", "sdtPr", "sdtEndPr", "customXmlPr", "pPr", "bookmarkStart", "bookmarkEnd"})  # fmt: skip
_INLINE = frozenset({"r", "hyperlink", "fldSimple", "oMath", "oMathPara"})


class StoryReader:
    """Adds the blocks of a story to a draft. ``part`` is the part of the package it stands in."""

    def __init__(self, parts: WordParts, draft: Draft, part: str) -> None:
        self._parts = parts
        self._draft = draft
        self._writer = StoryWriter(draft)
        self._relations = parts.relations_of(part)
        self._runs = ParagraphReader(parts.styles, parts.losses, self._mark_note)
        self._carried: Line | None = None

    @property
    def title(self) -> str | None:
        """The first paragraph that is styled as the document's title."""
        return self._writer.title

    def read(self, story: Any) -> None:
        """Add a whole story, with its notes at the end."""
        self._add_blocks(story)
        self._place(Paragraph(""), Line())
        self._writer.finish()

    def _mark_note(self, kind: str, note_id: str) -> str:
        note = self._parts.notes.refer(kind, note_id)
        if note is None:
            return ""
        if note.is_new:
            self._writer.wait_note(note.mark, partial(self._add_note, kind, note_id))
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
                self._writer.add_fields([] if found is None else [found])
            elif name == "AlternateContent":
                self._add_blocks(choose_branch(element))
            elif name == "altChunk":
                self._parts.losses.add("embedded documents")
            elif name in DELETED:
                self._runs.lose_deleted(element)
            elif name in _INLINE:
                line = Line()
                self._runs.read_piece(element, line, Look())
                self._place(Paragraph(""), line)
            elif name not in _EMPTY:
                self._add_blocks(element)

    def _read_line(self, element: Any) -> tuple[Paragraph, Line] | None:
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
        text, list_id, list_level = (marker.text, marker.list_id, marker.level) if marker else ("", "", 0)
        return Paragraph(line.text(), text, list_id, list_level, level, role, indent), line

    def _add_paragraph(self, element: Any) -> None:
        found = self._read_line(element)
        if found is not None:
            self._place(*found)

    def _place(self, paragraph: Paragraph, line: Line) -> None:
        """Put a paragraph where it belongs, and behind it what hangs on it."""
        if self._carried is not None:
            carried, self._carried = self._carried, None
            line = Line(
                [*carried.pieces, *line.pieces], [*carried.hanging, *line.hanging], [*carried.fields, *line.fields]
            )
            paragraph = replace(paragraph, text=line.text())
        self._writer.add_line(paragraph, line)
        for each in line.hanging:
            self._add_hanging(each)

    def _add_hanging(self, hanging: Hanging) -> None:
        if hanging.kind == "comment":
            self._add_comment(hanging.content)
            return
        if hanging.kind == "picture":
            relation, title = hanging.content
            part = self._relations.get(relation, ("", ""))[1]
            self._draft.add_picture(partial(self._parts.read_bytes, part), title)
            return
        self._writer.end_blocks()
        if hanging.kind == "box":
            self._add_blocks(hanging.content)
            self._writer.end_blocks()
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
        for kind, name in self._parts.relations_of(part).values():
            shapes = self._parts.find(name) if kind == "chartUserShapes" else None
            for line in () if shapes is None else drawn_lines(shapes):
                self._draft.add(line)

    def _add_diagram(self, part: str) -> None:
        tree = self._parts.find(part)
        lines = [] if tree is None else diagram_lines(tree)
        if not lines:
            self._parts.losses.add("diagrams")
        lists = OpenLists(self._draft)
        for level, line in lines:
            lists.begin_item(BULLET, "", level, level)
            self._draft.add(line)
        lists.close()

    def _add_comment(self, comment_id: str) -> None:
        comment = self._parts.notes.take_comment(comment_id)
        if comment is None:
            return
        with self._writer.comment(short_line(attribute_of(comment, "author"), 100)):
            StoryReader(self._parts, self._draft, self._parts.part_of("comments")).read(comment)

    def _add_note(self, kind: str, note_id: str) -> None:
        StoryReader(self._parts, self._draft, self._parts.part_of(f"{kind}s")).read(
            self._parts.notes.find(kind, note_id)
        )

    def _add_table(self, table: Any) -> None:
        self._writer.end_blocks()
        rows = list(self._iter_kept_rows(table))
        if is_layout(rows, self._is_heading):
            for row in rows:
                for cell in row.cells:
                    self._add_blocks(cell.element)
                    self._writer.end_blocks()
            return
        grid, waiting = Grid(), Line()
        for row in rows:
            cells = [GridCell("", row.before)] if row.before else []
            for cell in row.cells:
                text = " / ".join(self._cell_lines(cell.element, waiting))
                cells.append(GridCell(text, cell.columns, goes_on=cell.goes_on))
            grid.add_row(cells)
        grid.add_to(self._draft, count_header_rows(table, rows))
        self._place(Paragraph(""), waiting)

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
                marker = f"{paragraph.marker} " if paragraph.marker else ""
                if paragraph.text:
                    lines += [clean_line(each) for each in (marker + paragraph.text).split("\n")]
                if hidden := line.text(hidden=True):
                    waiting.pieces += [(f"{hidden} ", Look(hidden=True))]
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


def _first(*values: int | None) -> int | None:
    return next((value for value in values if value is not None), None)
