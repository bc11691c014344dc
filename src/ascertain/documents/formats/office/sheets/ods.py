"""ODS: the sheets of an OpenDocument spreadsheet as they are shown (OpenDocument 1.3 part 3, 9).

The file has the shown text of each cell, so numbers and dates are read as they stand there.
"""

import re
from collections.abc import Iterator
from typing import Any

from ascertain.core.documents.blocks import BlockKind
from ascertain.core.documents.documents import LeftOut
from ascertain.documents.formats.drafts.draft import clean_line
from ascertain.documents.formats.drafts.losses import Losses
from ascertain.documents.formats.office.odf_forms import list_controls
from ascertain.documents.formats.office.odf_text import (
    MOST_COPIES,
    TextStyles,
    chart_table,
    chart_title,
    count_media,
    find_formula,
    iter_objects,
    repetitions,
)
from ascertain.documents.formats.office.packages import (
    Package,
    attribute_of,
    first_named,
    iter_named,
    local_name,
    open_document_facts,
)
from ascertain.documents.formats.office.sheets.writing import Merge, Remark, Row, Sheet, build_documents, column_letters
from ascertain.documents.formats.reader import Extracted, SourceFile, count_words

_MOST_REPEATED = 2_000_000
"""Characters of a workbook that are made of cells and rows that are written once for many (by judgement)."""
_LAST_COLUMN = 16_384
_NUMBERS = ("float", "percentage", "currency", "date", "time")
_FIELDS = ("sheet-name", "page-number", "page-count", "date", "time", "file-name", "title")
_PAGE_LINES = ("header", "footer", "header-left", "footer-left", "header-first", "footer-first")
_SHAPES = (
    *("frame", "custom-shape", "rect", "ellipse", "circle", "line", "polyline", "polygon", "regular-polygon"),
    *("path", "connector", "caption", "measure"),
)
"""Drawings that may have text in them (OpenDocument 1.3 part 3, 10.3)."""
_LISTED_VALUES = re.compile(r"cell-content-is-in-list\((.*)")
_VALUES = ("string-value", "date-value", "time-value", "boolean-value", "value")


def read_ods(file: SourceFile) -> Iterator[Extracted]:
    """The sheets of an OpenDocument spreadsheet, as those of a workbook."""
    package = Package(file, "ods")
    yield from build_documents(file, open_document_facts(package), _list_sheets(package))


def _list_sheets(package: Package) -> Iterator[Sheet]:
    body = first_named(package.read_tree("content.xml"), "spreadsheet")
    reader = _TableReader(package)
    tables = [] if body is None else [each for each in body if local_name(each) == "table"]
    for number, table in enumerate(tables, 1):
        sheet = reader.read_table(table, attribute_of(table, "name") or f"Sheet{number}")
        if number == len(tables):
            sheet.furniture += _page_lines(package)
            _count_unshown(body, sheet.losses)
        yield sheet


def _page_lines(package: Package) -> Iterator[str]:
    """The words of headers and footers of printed pages, without those that only have a page's number."""
    styles = package.find_tree("styles.xml")
    for each in () if styles is None else iter_named(styles, *_PAGE_LINES):
        if attribute_of(each, "display") == "false":
            continue
        for line in iter_named(each, "p"):
            words = clean_line("".join(map(str, line.itertext())))
            for counted in iter_named(line, *_FIELDS):
                words = words.replace(clean_line("".join(map(str, counted.itertext()))), " ", 1)
            if any(map(str.isalpha, words)) and words.strip(" /") not in ("Page", "Page of"):
                yield clean_line(words)


def _count_unshown(body: Any, losses: Losses) -> None:
    """Count what cells have and do not show: the values they accept, what is said at their input, what they held before."""
    for each in iter_named(body, "content-validation"):
        if match := _LISTED_VALUES.search(attribute_of(each, "condition") or ""):
            losses.add("lists of allowed values", " ".join(re.findall(r'"([^"]*)"', match[1].rpartition(")")[0])))
        for message in iter_named(each, "help-message", "error-message"):
            words = (attribute_of(message, "title") or "", *map(str, message.itertext()))
            losses.add("input messages", " ".join(words))
    for changes in iter_named(body, "tracked-changes"):
        for cell in iter_named(changes, "change-track-table-cell"):
            losses.add("earlier contents of cells", " ".join(map(str, cell.itertext())), is_shown=False)


class _TableReader:
    """Reads tables; repeated cells and rows are counted before they are made."""

    def __init__(self, package: Package) -> None:
        self._package = package
        self._styles = TextStyles(package)
        self._left = _MOST_REPEATED
        self._unsaved: list[str] = []
        self._unshown: list[str] = []

    def read_table(self, table: Any, name: str) -> Sheet:
        """What one sheet shows."""
        sheet = Sheet(name, is_hidden=(attribute_of(table, "style-name") or "") in self._styles.hidden)
        self._read_columns(table, sheet)
        number, repeated, covered = 1, 0, 0
        for element in iter_named(table, "table-row"):
            row = Row(number, is_hidden=attribute_of(element, "visibility") in ("collapse", "filter"))
            lost, words = self._read_cells(element, row, sheet)
            repeated, covered = repeated + lost, covered + words
            times = repetitions(element, "number-rows-repeated")
            if row.columns:
                size = sum(map(len, row.cells)) + len(row.cells)
                wanted = min(times, MOST_COPIES, 1 + self._left // size)
                self._left -= (wanted - 1) * size
                repeated += times - wanted
                sheet.rows.append(row)
                for offset in range(1, wanted):
                    sheet.rows.append(Row(number + offset, row.columns, row.cells, row.numbers, row.is_hidden))
            number += times
        if repeated:
            sheet.losses.add("repeats of the same row or cell", name=name, count=repeated)
        for what, cells in (
            ("formulas without a saved value", self._unsaved),
            ("values that their format hides", self._unshown),
        ):
            for cell in cells:
                sheet.losses.add(what, name=f"{name}!{cell}")
            cells.clear()
        if covered:
            sheet.losses.include([LeftOut("words under merged cells", words=covered, names=(name,))])
        self._read_drawings(table, sheet)
        return sheet

    def _read_columns(self, table: Any, sheet: Sheet) -> None:
        column = 1
        for each in iter_named(table, "table-column"):
            times = repetitions(each, "number-columns-repeated")
            if attribute_of(each, "visibility") in ("collapse", "filter"):
                sheet.hidden_columns.append((column, column + times - 1))
            column += times

    def _read_cells(self, element: Any, row: Row, sheet: Sheet) -> tuple[int, int]:
        """Add the cells of a row; how many repeated ones were not made, and the words that merged cells cover."""
        column, lost, covered = 1, 0, 0
        for cell in element:
            name = local_name(cell)
            if name not in ("table-cell", "covered-table-cell"):
                continue
            times = repetitions(cell, "number-columns-repeated")
            text = self._show_cell(cell, f"{column_letters(column)}{row.number}")
            if text and name == "covered-table-cell":
                covered += count_words(text)
            elif text:
                wanted = min(times, MOST_COPIES, 1 + self._left // len(text))
                self._left -= (wanted - 1) * len(text)
                lost += times - wanted
                row.columns += range(column, column + wanted)
                row.cells += [text] * wanted
                if attribute_of(cell, "value-type") in _NUMBERS:
                    row.numbers.update(range(column, column + wanted))
                self._add_merge(cell, row.number, column, sheet)
            self._add_remarks(cell, f"{column_letters(column)}{row.number}", sheet)
            column += times
            if column > _LAST_COLUMN:
                break
        return lost, covered

    def _show_cell(self, cell: Any, place: str) -> str:
        """The lines that a cell shows; its value as it is saved where the file has no text for it."""
        lines: list[str] = []
        has_text = False
        for each in cell:
            name = local_name(each)
            if name in ("p", "h"):
                has_text = True
                lines.append(self._styles.write(each))
            elif name == "list":
                has_text = True
                lines += (f"{item.marker} {item.text}".strip() for item in self._styles.list_paragraphs(each))
        text = "\n".join(filter(None, lines))
        if text or not cell.attrib:
            return text
        value = next((value for name in _VALUES if (value := attribute_of(cell, name))), "")
        if has_text:
            if value not in ("", "0"):
                self._unshown.append(place)
        elif value:
            return clean_line(value)
        elif attribute_of(cell, "formula"):
            self._unsaved.append(place)
        return ""

    def _add_merge(self, cell: Any, number: int, column: int, sheet: Sheet) -> None:
        wide, high = repetitions(cell, "number-columns-spanned"), repetitions(cell, "number-rows-spanned")
        if wide > 1 or high > 1:
            sheet.merges.append(Merge(number, column, number + high - 1, min(_LAST_COLUMN, column + wide - 1)))

    def _add_remarks(self, cell: Any, place: str, sheet: Sheet) -> None:
        for note in (each for each in cell if local_name(each) == "annotation"):
            author = clean_line(next((str(each.text or "") for each in note if local_name(each) == "creator"), ""))
            text = "\n".join(each.text for each in self._styles.list_paragraphs(note))
            if text:
                by = f" by {author}" if author else ""
                sheet.remarks.append(
                    Remark(f"Comment{by} on {place}: {text}", place, BlockKind.COMMENT, author or None)
                )

    def _read_drawings(self, table: Any, sheet: Sheet) -> None:
        """Text boxes, formulas, the titles of charts, fields of forms; pictures and other objects are named."""
        for shape in iter_named(table, *_SHAPES):
            if any(local_name(each) in _SHAPES for each in shape.iterancestors()):
                continue
            objects = list(iter_objects(self._package, shape))
            for each in objects:
                self._read_object(each, attribute_of(shape, "name"), sheet)
            if not objects:
                sheet.remarks += (Remark(each.text) for each in self._styles.list_paragraphs(shape))
        forms = first_named(table, "forms")
        for name, value in () if forms is None else list_controls(forms, table):
            sheet.remarks.append(Remark(f"{name}: {value}" if name else value, None, BlockKind.FIELD, name or None))
        count_media(table, sheet.losses)

    def _read_object(self, tree: Any, name: str | None, sheet: Sheet) -> None:
        chart = first_named(tree, "chart")
        if formula := find_formula(tree):
            sheet.remarks.append(Remark(formula))
        elif chart is not None:
            sheet.add_chart(chart_title(chart), chart_table(self._styles, chart))
        else:
            sheet.losses.add("embedded objects", name=name)
