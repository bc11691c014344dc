"""The blocks of one story of OpenDocument, in order: its body, a note, a comment, a box, a header."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from ascertain.core.documents.blocks import BlockKind
from ascertain.documents.formats.drafts.draft import Draft, clean_line, short_line
from ascertain.documents.formats.drafts.losses import Losses
from ascertain.documents.formats.office.grids import MOST_COLUMNS, Grid, GridCell
from ascertain.documents.formats.office.odf_forms import control_fields
from ascertain.documents.formats.office.odf_text import chart_title, find_formula
from ascertain.documents.formats.office.odt.inlines import InlineReader
from ascertain.documents.formats.office.odt.styles import (
    MOST_LEVELS,
    ListCounter,
    ListStyle,
    OdtStyle,
    OdtStyles,
    read_count,
)
from ascertain.documents.formats.office.packages import attribute_of, first_named, iter_named, local_name
from ascertain.documents.formats.office.stories import FormField, Line, Look, Paragraph, StoryWriter
from ascertain.documents.formats.office.style_roles import Role, heading_level, role_of

_EMPTY = frozenset(
    "tracked-changes forms sequence-decls variable-decls user-field-decls dde-connection-decls table-of-content-source "
    "illustration-index-source table-index-source object-index-source user-index-source alphabetical-index-source "
    "bibliography-source soft-page-break creator date creator-initials title desc glue-point enhanced-geometry".split()
)
"""What shows nothing where it stands; deletions are counted elsewhere."""
_INDEXES = frozenset(
    "table-of-content illustration-index table-index object-index user-index alphabetical-index".split()
)
_MOST_REPEATED = 1000
"""Of a row or cell that is written once for many: more of the same says nothing more (by judgement)."""


@dataclass(slots=True)
class OdtFile:
    """What the stories of a file share."""

    styles: OdtStyles
    losses: Losses
    find_object: Callable[[str], Any]
    """The content of an embedded object by its name."""
    read_part: Callable[[str], bytes]
    """The bytes of a part; KeyError where there is none."""
    controls: dict[str, FormField] = field(default_factory=dict[str, FormField])
    outline: ListCounter = field(init=False)
    lists: dict[str, ListCounter] = field(default_factory=dict[str, ListCounter])
    """By the id of a list, and by the name of a style the last list that has it."""
    notes: int = 0
    list_count: int = 0

    def __post_init__(self) -> None:
        self.outline = ListCounter("outline", self.styles.outline)


@dataclass(frozen=True, slots=True)
class _ListLevel:
    """A list that is open: what counts it, how deep it lies, how it is numbered."""

    counter: ListCounter
    level: int
    style: ListStyle


class OdtStory:
    """Adds the blocks of a story to a draft."""

    def __init__(self, odt: OdtFile, draft: Draft) -> None:
        self._odt = odt
        self._draft = draft
        self._writer = StoryWriter(draft)
        self._inlines = InlineReader(odt.styles, self._read_formula, self._mark_note)
        self._marker: tuple[str, _ListLevel] | None = None
        self._list: _ListLevel | None = None
        self._role: Role | None = None
        self._hidden = False

    @property
    def title(self) -> str | None:
        """The first paragraph that is styled as the document's title."""
        return self._writer.title

    def read(self, story: Any) -> None:
        """Add a whole story, with its notes at the end."""
        for forms in iter_named(story, "forms"):
            self._odt.controls.update(control_fields(forms))
        self._add_blocks(story)
        self._writer.finish()

    def _add_blocks(self, parent: Any) -> None:
        for element in parent:
            name = local_name(element)
            if not name or name in _EMPTY:
                continue
            if name in ("p", "h"):
                self._add_line(*self._read_line(element))
            elif name in ("list", "numbered-paragraph"):
                self._add_list(element)
            elif name == "table":
                self._add_table(element)
            elif name == "section":
                self._add_section(element)
            elif name in _INDEXES:
                self._writer.end_blocks()
                before, self._role = self._role, Role.CONTENTS
                self._add_blocks(element)
                self._role = before
            elif name in ("frame", "annotation", "control") or name in _SHAPES_WITH_TEXT:
                self._add_hanging(element)
            else:
                self._add_blocks(element)

    def _add_section(self, section: Any) -> None:
        before = self._hidden
        self._hidden = self._hidden or attribute_of(section, "display") in ("none", "condition")
        self._add_blocks(section)
        self._hidden = before

    def _read_line(self, element: Any) -> tuple[Paragraph, Line]:
        style = self._odt.styles.find("paragraph", attribute_of(element, "style-name"))
        concealed = first_named(element, "hidden-paragraph")
        hidden = self._hidden or (concealed is not None and attribute_of(concealed, "is-hidden") == "true")
        line = self._inlines.read(element, Look(hidden=True) if hidden else style.look)
        level = self._level_of(element, style)
        marker, found = self._take_marker(element, level)
        role = self._role or role_of(style.names)
        if level is None and role is Role.TITLE:
            level = 0
        inner = found or self._list
        list_id, list_level = (inner.counter.list_id, inner.level) if inner else ("", 0)
        # what lies in a list is set in
        indent = max(1, inner.style.indents.get(inner.level, 0)) if inner else 0
        return Paragraph(line.text(), marker, list_id, list_level, level, role, indent), line

    def _level_of(self, element: Any, style: OdtStyle) -> int | None:
        if self._role is Role.CONTENTS:
            return None
        if local_name(element) == "h":
            return min(read_count(attribute_of(element, "outline-level")), 99)
        return heading_level(style.names)

    def _take_marker(self, element: Any, level: int | None) -> tuple[str, _ListLevel | None]:
        """The number before a paragraph: that of the item it begins, else of the outline."""
        waiting, self._marker = self._marker, None
        if waiting is not None and (waiting[0] or level is None):
            return waiting
        if level and local_name(element) == "h" and attribute_of(element, "is-list-header") != "true":
            start = (
                attribute_of(element, "start-value") if attribute_of(element, "restart-numbering") == "true" else None
            )
            return self._odt.outline.next_marker(level - 1, read_count(start) if start else None), None
        return "", None

    def _add_line(self, paragraph: Paragraph, line: Line) -> None:
        self._writer.add_line(paragraph, line)
        for each in line.hanging:
            self._add_hanging(each)

    def _add_list(self, element: Any) -> None:
        before = self._list
        self._list = self._open_list(element)
        if local_name(element) == "numbered-paragraph":
            self._begin_item(element, self._list)
            self._add_blocks(element)
        for item in element:
            if local_name(item) == "list-item":
                self._begin_item(item, self._list)
            if local_name(item) in ("list-item", "list-header"):
                self._add_blocks(item)
                self._marker = None
        self._list = before

    def _begin_item(self, item: Any, opened: _ListLevel) -> None:
        """Number an item when it begins with words; one that holds a list alone is not shown."""
        first = next((local_name(each) for each in item if local_name(each) != "soft-page-break"), "")
        if first in ("list", ""):
            return
        start = attribute_of(item, "start-value")
        marker = opened.counter.next_marker(opened.level, read_count(start) if start else None, opened.style)
        self._marker = (marker, opened)

    def _open_list(self, element: Any) -> _ListLevel:
        name = attribute_of(element, "style-name")
        if self._list is not None and local_name(element) == "list":
            style = self._odt.styles.lists.get(name or "", self._list.style)
            return _ListLevel(self._list.counter, min(self._list.level + 1, MOST_LEVELS - 1), style)
        level = min(read_count(attribute_of(element, "level")) - 1, MOST_LEVELS - 1)
        style = self._odt.styles.lists.get(name or "") or ListStyle(dict.fromkeys(range(MOST_LEVELS)))
        counter = self._continued(element, name)
        if counter is None:
            self._odt.list_count += 1
            counter = ListCounter(str(self._odt.list_count), style)
        for key in (attribute_of(element, "id"), attribute_of(element, "list-id"), f"style {name}"):
            if key:
                self._odt.lists[key] = counter
        return _ListLevel(counter, max(0, level), style)

    def _continued(self, element: Any, style_name: str | None) -> ListCounter | None:
        """What counts a list that goes on with one before it."""
        key = attribute_of(element, "continue-list") or attribute_of(element, "list-id")
        if key in self._odt.lists:
            return self._odt.lists[key]
        if attribute_of(element, "continue-numbering") == "true":
            return self._odt.lists.get(f"style {style_name}")
        return None

    def _mark_note(self, note: Any) -> str:
        self._odt.notes += 1
        citation, body = first_named(note, "note-citation"), first_named(note, "note-body")
        shown = clean_line("".join(map(str, citation.itertext()))) if citation is not None else ""
        mark = shown or str(self._odt.notes)
        if body is not None:
            self._writer.wait_note(mark, partial(self._read_apart, body))
        return mark

    def _read_apart(self, story: Any) -> None:
        OdtStory(self._odt, self._draft).read(story)

    def _object_of(self, frame: Any) -> Any:
        """What a frame shows first, of what it holds in several forms."""
        return next((each for each in frame if local_name(each) not in _EMPTY and isinstance(each.tag, str)), None)

    def _read_formula(self, frame: Any) -> str:
        shown = self._object_of(frame)
        if shown is None or local_name(shown) != "object":
            return ""
        name = attribute_of(shown, "href")
        return find_formula(self._odt.find_object(name) if name else shown)

    def _add_hanging(self, element: Any) -> None:
        name = local_name(element)
        if name == "annotation":
            creator = first_named(element, "creator")
            with self._writer.comment(short_line(creator.text if creator is not None else None, 100)):
                self._read_apart(element)
        elif name == "control":
            found = self._odt.controls.get(attribute_of(element, "control") or "")
            self._writer.add_fields([] if found is None else [found])
        elif name == "frame":
            self._add_frame(element)
        else:
            self._writer.end_blocks()
            marker, self._marker, before, self._list = self._marker, None, self._list, None
            self._add_blocks(element)
            self._marker, self._list = marker, before
            self._writer.end_blocks()

    def _add_frame(self, frame: Any) -> None:
        shown = self._object_of(frame)
        name = "" if shown is None else local_name(shown)
        title = next((str(each.text) for each in frame if local_name(each) in ("title", "desc") and each.text), None)
        if name == "text-box":
            self._writer.end_blocks()
            before, self._list = self._list, None
            self._add_blocks(shown)
            self._list = before
            self._writer.end_blocks()
        elif name == "image":
            self._odt.losses.add("pictures", name=title)
            part = (attribute_of(shown, "href") or "").removeprefix("./")
            self._draft.add_picture(partial(self._odt.read_part, part), title)
            self._add_blocks(shown)
        elif name == "object":
            self._add_object(shown, title)
        elif name == "table":
            self._add_table(shown)
        elif shown is not None:
            self._odt.losses.add("embedded objects", name=title or attribute_of(frame, "name"))

    def _add_object(self, element: Any, title: str | None) -> None:
        name = attribute_of(element, "href")
        tree = self._odt.find_object(name) if name else element
        formula = "" if tree is None else find_formula(tree)
        if formula:
            self._writer.end_joined()
            self._draft.add(formula)
            return
        chart = first_named(tree, "chart")
        if chart is None:
            self._odt.losses.add("embedded objects", name=title)
            return
        self._writer.end_blocks()
        self._draft.add(chart_title(chart), kind=BlockKind.CAPTION)
        table = first_named(chart, "table")
        if table is None:
            self._odt.losses.add("charts", name=title)
        else:
            self._add_table(table, header_rows=1)

    def _add_table(self, table: Any, header_rows: int = 0) -> None:
        self._writer.end_blocks()
        grid, waiting = Grid(), Line()
        rows = list(_iter_rows(table))
        if all(sum(local_name(cell) == "table-cell" for cell in row) <= 1 for row, _ in rows):
            for row, _ in rows:
                for cell in row:
                    self._add_blocks(cell)
                    self._writer.end_blocks()
            return
        heads = next((number for number, (_, is_header) in enumerate(rows) if not is_header), len(rows))
        for row, _ in rows:
            times = read_count(attribute_of(row, "number-rows-repeated"))
            cells = self._read_row(row, waiting)
            if times > _MOST_REPEATED and any(cell.text for cell in cells):
                self._odt.losses.add("repeated rows", count=times - _MOST_REPEATED)
            for _ in range(min(times, _MOST_REPEATED) if any(cell.text for cell in cells) else 1):
                grid.add_row(cells)
        grid.add_to(self._draft, heads or header_rows or self._has_heading(rows[0][0]))
        self._add_line(Paragraph(""), waiting)

    def _has_heading(self, row: Any) -> int:
        """1 where the paragraphs of a row are styled as heads of columns."""
        styles = (attribute_of(each, "style-name") for each in iter_named(row, "p"))
        return int(any("Table Heading" in self._odt.styles.find("paragraph", style).names for style in styles))

    def _read_row(self, row: Any, waiting: Line) -> list[GridCell]:
        cells: list[GridCell] = []
        covered = 0
        for cell in row:
            name = local_name(cell)
            times = min(read_count(attribute_of(cell, "number-columns-repeated")), MOST_COLUMNS)
            if name == "covered-table-cell":
                spared = min(covered, times)
                covered -= spared
                cells += [GridCell("", goes_on=True)] * (times - spared)
                self._count_covered(cell)
            elif name == "table-cell":
                columns = min(read_count(attribute_of(cell, "number-columns-spanned")), MOST_COLUMNS)
                covered = columns - 1
                text = " / ".join(self._cell_lines(cell, waiting))
                cells += [GridCell(text, columns)] * (times if columns == 1 else 1)
        return cells[:MOST_COLUMNS]

    def _count_covered(self, cell: Any) -> None:
        words = " ".join(map(str, cell.itertext()))
        if words.strip():
            self._odt.losses.add("cells under merged ones", words)

    def _cell_lines(self, parent: Any, waiting: Line) -> list[str]:
        """The lines of a cell, those of tables in it too; what hangs on them, and is hidden, waits in ``waiting``."""
        lines: list[str] = []
        for element in parent:
            name = local_name(element)
            if name in ("p", "h"):
                paragraph, line = self._read_line(element)
                marker = f"{paragraph.marker} " if paragraph.marker else ""
                if paragraph.text:
                    lines += [clean_line(each) for each in (marker + paragraph.text).split("\n")]
                if hidden := line.text(hidden=True):
                    waiting.pieces.append((f"{hidden} ", Look(hidden=True)))
                waiting.hanging += line.hanging
                waiting.fields += line.fields
            elif name == "list":
                lines += self._list_lines(element, waiting)
            elif name == "table":
                for row, _ in _iter_rows(element):
                    cells = (
                        " / ".join(self._cell_lines(cell, waiting)) for cell in row if local_name(cell) == "table-cell"
                    )
                    lines.append("; ".join(cell for cell in cells if cell))
            elif name in ("frame", "annotation", "control"):
                waiting.hanging.append(element)
            elif name and name not in _EMPTY:
                lines += self._cell_lines(element, waiting)
        return [line for line in lines if line]

    def _list_lines(self, element: Any, waiting: Line) -> list[str]:
        before = self._list
        self._list = self._open_list(element)
        lines: list[str] = []
        for item in element:
            if local_name(item) == "list-item":
                self._begin_item(item, self._list)
            lines += self._cell_lines(item, waiting)
            self._marker = None
        self._list = before
        return lines


_SHAPES_WITH_TEXT = frozenset(
    "custom-shape rect line polyline polygon regular-polygon path circle ellipse g connector caption".split()
)


def _iter_rows(table: Any, *, is_header: bool = False) -> Iterator[tuple[Any, bool]]:
    """The rows of a table, and whether each is repeated on every page."""
    for element in table:
        name = local_name(element)
        if name == "table-row":
            yield element, is_header
        elif name in ("table-header-rows", "table-rows", "table-row-group"):
            yield from _iter_rows(element, is_header=is_header or name == "table-header-rows")
