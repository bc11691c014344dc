"""ODS: the sheets of an OpenDocument spreadsheet as they are shown (OpenDocument 1.3 part 3, 9).

The file has the shown text of each cell, so numbers and dates are read as they stand there.
"""

from collections.abc import Iterator
from typing import Any

from ascertain.core.blocks import BlockKind
from ascertain.core.documents import LeftOut
from ascertain.sources.formats.draft import clean_line
from ascertain.sources.formats.office.odf_text import (
    MOST_COPIES,
    TextStyles,
    chart_table,
    chart_title,
    find_formula,
    iter_objects,
    picture_names,
    repetitions,
)
from ascertain.sources.formats.office.packages import (
    Package,
    attribute_of,
    first_named,
    iter_named,
    local_name,
    open_document_facts,
)
from ascertain.sources.formats.office.sheets.writing import Merge, Remark, Row, Sheet, build_documents, column_letters
from ascertain.sources.formats.reader import Extracted, SourceFile, count_words

_MOST_REPEATED = 2_000_000
"""Characters of a workbook that are made of cells and rows that are written once for many (by judgement)."""
_LAST_COLUMN = 16_384
_NUMBERS = ("float", "percentage", "currency", "date", "time")
_FIELDS = ("sheet-name", "page-number", "page-count", "date", "time", "file-name", "title")


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
        yield sheet


def _page_lines(package: Package) -> Iterator[str]:
    """The words of headers and footers of printed pages, without those that only have a page's number."""
    styles = package.find_tree("styles.xml")
    for each in () if styles is None else iter_named(styles, "header", "footer"):
        for line in iter_named(each, "p"):
            words = clean_line("".join(map(str, line.itertext())))
            for counted in iter_named(line, *_FIELDS):
                words = words.replace(clean_line("".join(map(str, counted.itertext()))), " ", 1)
            if any(map(str.isalpha, words)) and words.strip(" /") not in ("Page", "Page of"):
                yield clean_line(words)


class _TableReader:
    """Reads tables; repeated cells and rows are counted before they are made."""

    def __init__(self, package: Package) -> None:
        self._package = package
        self._styles = TextStyles(package)
        self._left = _MOST_REPEATED

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
            text = "\n".join(line for each in cell if local_name(each) == "p" and (line := self._styles.write(each)))
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
        """Text boxes, formulas, the titles of charts; pictures and other objects are named."""
        for shape in iter_named(table, "frame", "custom-shape", "rect", "ellipse"):
            objects = list(iter_objects(self._package, shape))
            for each in objects:
                self._read_object(each, attribute_of(shape, "name"), sheet)
            if not objects:
                sheet.remarks += (Remark(each.text) for each in self._styles.list_paragraphs(shape))
        for name in picture_names(table):
            sheet.losses.add("pictures", name, name)

    def _read_object(self, tree: Any, name: str | None, sheet: Sheet) -> None:
        chart = first_named(tree, "chart")
        if formula := find_formula(tree):
            sheet.remarks.append(Remark(formula))
        elif chart is not None:
            sheet.add_chart(chart_title(chart), chart_table(self._styles, chart))
        else:
            sheet.losses.add("embedded objects", name=name)
