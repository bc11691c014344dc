"""Tables of HTML as rows of cells: every cell stands in each row and column that it covers (HTML Living Standard, 4.9.12)."""

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, NamedTuple

from ascertain.documents.formats.dom.elements import HEADINGS, has_class, role_of, whole_number

_MOST_SPAN = 1000
"""Columns that a browser lets a cell cover."""
_MOST_FILLED = 20_000
_MOST_FILLED_CHARACTERS = 1_000_000
"""Cells of a table, and characters, that are written again where a cell covers several; a span beyond stays empty."""
_INNER_BLOCKS = frozenset(("p", "ul", "ol", "dl", "blockquote", "hr", "form"))
_MOST_BLOCKS = 3
"""Blocks in a cell above which it is a column of a page, where the table has no header (by judgement: an address has fewer)."""
_DEEPEST = 8
"""Tables in tables that are looked at; those deeper inside are read as their blocks."""


_GLOSSARY_COLUMNS = 2
_NAMES = frozenset(("code", "kbd", "samp", "tt", "var"))


@dataclass(slots=True)
class _Cell:
    text: str
    is_header: bool
    is_name: bool = False
    """Whether all of its words are written as code is, as the names of options and commands."""


class TablePart(NamedTuple):
    """Rows under one header, or under a row of a single cell that says what they are. ``is_glossary``: each row is a name and what it means."""

    rows: list[list[str]]
    header_rows: int
    caption: str = ""
    is_glossary: bool = False


@dataclass(slots=True)
class TableGrid:
    """Collects the cells of a table in the order in which they stand."""

    rows: list[list[_Cell | None]] = field(default_factory=list[list[_Cell | None]])
    behind: list[Callable[[], None]] = field(default_factory=list[Callable[[], None]])
    """What adds the blocks that lie in cells and cannot be written in them: tables, notes."""
    _head_rows: int = 0
    _covered: list[tuple[int, _Cell]] = field(default_factory=list[tuple[int, _Cell]])
    _is_open: bool = False
    _filled: int = 0
    _filled_characters: int = 0

    def begin_row(self, *, is_head: bool = False) -> None:
        """Begin a row, of the header where ``is_head``."""
        self.end_row()
        self.rows.append([])
        self._is_open = True
        if is_head and self._head_rows == len(self.rows) - 1:
            self._head_rows += 1
        self._fill_covered()

    def end_row(self) -> None:
        """End the row, if there is one."""
        if self._is_open:
            self._is_open = False
            row = self.rows[-1]
            while len(row) < len(self._covered):
                self._fill_covered()
                if len(row) < len(self._covered):
                    row.append(None)

    def end_group(self) -> None:
        """No cell reaches out of its group of rows."""
        self.end_row()
        self._covered = [(0, cell) for _, cell in self._covered]

    def add_cell(self, text: str, element: Any) -> None:
        """Add a cell to the row; it begins one where there is none."""
        if not self._is_open:
            self.begin_row()
        cell = _Cell(text, element.tag == "th" or role_of(element) == "columnheader", _is_name(element))
        wide = min(_MOST_SPAN, max(1, whole_number(element.get("colspan"), 1)))
        high = whole_number(element.get("rowspan"), 1)
        high = _MOST_FILLED if high == 0 else max(1, high)
        for number in range(wide):
            column = len(self.rows[-1])
            self._place(cell, is_first=not number)
            while len(self._covered) <= column:
                self._covered.append((0, cell))
            self._covered[column] = (high - 1, cell)
            if self._filled >= _MOST_FILLED:
                break
        self._fill_covered()

    def finish(self) -> list[TablePart]:
        """The table, in parts where it has no header but rows of one cell that stand over the others."""
        rows, head = self._find_header()
        if head:
            return [TablePart([[_text_of(cell) for cell in row] for row in rows], head)]
        parts: list[TablePart] = []
        caption = ""
        for is_caption, group in groupby(rows, _is_caption):
            if is_caption:
                *others, caption = (_text_of(row[0]) for row in group)
                parts += [TablePart([], 0, each) for each in others]
            else:
                parts.append(_read_part(list(group), caption))
                caption = ""
        return [*parts, TablePart([], 0, caption)] if caption else parts

    def _find_header(self) -> tuple[list[list[_Cell | None]], int]:
        self.end_row()
        rows = [row for row in self.rows if any(cell is not None and cell.text for cell in row)]
        head = sum(1 for row in self.rows[: self._head_rows] if row in rows)
        if not head:
            while head < len(rows) and all(cell is None or cell.is_header or not cell.text for cell in rows[head]):
                head += 1
        if head >= len(rows):
            head = 1 if len(rows) > 1 else 0
        return rows, head

    def _fill_covered(self) -> None:
        """Write cells of rows above that reach into this place."""
        row = self.rows[-1]
        while len(row) < len(self._covered) and self._covered[len(row)][0] > 0:
            left, cell = self._covered[len(row)]
            self._covered[len(row)] = (left - 1, cell)
            self._place(cell, is_first=False)

    def _place(self, cell: _Cell, *, is_first: bool) -> None:
        if not is_first:
            self._filled += 1
            self._filled_characters += len(cell.text)
            if self._filled > _MOST_FILLED or self._filled_characters > _MOST_FILLED_CHARACTERS:
                self.rows[-1].append(None)
                return
        self.rows[-1].append(cell)


def _text_of(cell: _Cell | None) -> str:
    return cell.text if cell else ""


def _is_caption(row: list[_Cell | None]) -> bool:
    """Whether one cell covers all columns."""
    return len(row) > 1 and row[0] is not None and all(cell is row[0] for cell in row)


def _read_part(rows: list[list[_Cell | None]], caption: str) -> TablePart:
    """Rows without a header, without the columns in which none has anything: those indent the others."""
    width = max(len(row) for row in rows)
    used = [at for at in range(width) if any(_text_of(cell) for row in rows for cell in row[at : at + 1])]
    cells = [[row[at] if at < len(row) else None for at in used] for row in rows]
    is_glossary = len(used) == _GLOSSARY_COLUMNS and all(
        name is not None and name.is_name and _text_of(meaning) for name, meaning in cells
    )
    return TablePart([[_text_of(cell) for cell in row] for row in cells], 0, caption, is_glossary)


def _is_name(element: Any) -> bool:
    named = " ".join("".join(each.itertext()) for each in element.iter(*_NAMES) if each.getparent().tag not in _NAMES)
    return bool(named) and named.split() == "".join(element.itertext()).split()


def holds_data(table: Any, depth: int) -> bool:
    """Whether the rows of a table belong together; a page that is laid out by a table is read as its blocks.

    ``depth`` is how many tables it lies in.
    """
    if depth >= _DEEPEST or role_of(table) in ("presentation", "none") or has_class(table, "layout"):
        return False
    columns = widest = blocks = 0
    has_header = is_page = False
    level = 0
    for element, is_end in _events(table):
        tag = element.tag
        if tag == "table":
            level += -1 if is_end else 1
            is_page = is_page or level > 1
        elif level != 1 or is_end:
            continue
        elif tag == "tr":
            columns = 0
        elif tag in ("td", "th"):
            columns += 1
            widest = max(widest, columns)
            has_header = has_header or tag == "th"
            blocks = 0
        elif tag in _INNER_BLOCKS:
            blocks += 1
            is_page = is_page or blocks > _MOST_BLOCKS
        elif tag in HEADINGS or tag == "pre":
            is_page = True
    return widest > 1 and (has_header or not is_page)


def _events(root: Any) -> Any:
    """Each element below ``root``, itself too, when it begins and when it ends."""
    waiting = [(root, False)]
    while waiting:
        element, is_end = waiting.pop()
        yield element, is_end
        if not is_end:
            waiting.append((element, True))
            waiting += [(child, False) for child in reversed(element)]
