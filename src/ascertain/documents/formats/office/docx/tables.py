"""Rows and cells of Word's tables: which are deleted, merged, heads of columns, or only lay out the page (17.4)."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ascertain.documents.formats.office.docx.styles import is_on, read_number
from ascertain.documents.formats.office.grids import MOST_COLUMNS
from ascertain.documents.formats.office.packages import attribute_of, child_of, child_value, iter_named, local_name

_FIRST_ROW = 0x20
"""The bit of ``tblLook`` for the first row, as older files write it (17.4.55)."""


@dataclass(frozen=True, slots=True)
class TableCell:
    """A cell, how many columns it covers, and whether the one above goes on in it."""

    element: Any
    columns: int
    goes_on: bool


@dataclass(frozen=True, slots=True)
class TableRow:
    """A row of cells; ``before`` counts the columns that it leaves empty at its beginning."""

    element: Any
    cells: tuple[TableCell, ...]
    before: int
    is_header: bool
    is_deleted: bool


def iter_rows(table: Any) -> Iterator[TableRow]:
    """The rows of a table, those in content controls too."""
    for row in _iter_inside(table, "tr"):
        properties = child_of(row, "trPr")
        header = child_of(properties, "tblHeader")
        before = read_number(child_value(properties, "gridBefore")) or 0
        yield TableRow(
            row,
            tuple(map(_read_cell, _iter_inside(row, "tc"))),
            min(max(0, before), MOST_COLUMNS),
            header is not None and is_on(header),
            child_of(properties, "del") is not None,
        )


def _iter_inside(parent: Any, name: str) -> Iterator[Any]:
    for element in parent:
        if local_name(element) == name:
            yield element
        elif local_name(element) in ("sdt", "sdtContent", "customXml", "ins", "moveTo"):
            yield from _iter_inside(element, name)


def _read_cell(element: Any) -> TableCell:
    properties = child_of(element, "tcPr")
    columns = read_number(child_value(properties, "gridSpan")) or 1
    merge = child_of(properties, "vMerge")
    return TableCell(
        element,
        min(max(1, columns), MOST_COLUMNS),
        merge is not None and attribute_of(merge, "val") in (None, "continue"),
    )


def count_header_rows(table: Any, rows: Sequence[TableRow]) -> int:
    """The rows at the beginning that are repeated on every page; else the first where the table's look sets it apart."""
    marked = next((number for number, row in enumerate(rows) if not row.is_header), len(rows))
    if marked:
        return marked
    look = child_of(child_of(table, "tblPr"), "tblLook")
    if look is None:
        return 0
    first_row = attribute_of(look, "firstRow")
    if first_row is not None:
        return int(first_row in ("1", "true", "on"))
    try:
        return int(bool(int((attribute_of(look, "val") or "0")[:8], 16) & _FIRST_ROW))
    except ValueError:
        return 0


def is_layout(rows: Sequence[TableRow], is_heading: Callable[[Any], bool]) -> bool:
    """Whether a table only puts text side by side or into a frame: it has one column, or headings or tables in a single row."""
    if all(len(row.cells) <= 1 for row in rows):
        return True
    for row in rows:
        for cell in row.cells:
            for element in cell.element:
                name = local_name(element)
                if name == "p" and is_heading(element) and next(iter_named(element, "t"), None) is not None:
                    return True
                if name == "tbl" and len(rows) == 1:
                    return True
    return False
