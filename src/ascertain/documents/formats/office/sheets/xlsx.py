"""XLSX: the sheets of an Excel workbook, as Excel shows them (ECMA-376 part 1, 18).

The XML is read as it stands: openpyxl, which was read with before, gives values without their formats, no merged cells and no hidden
rows where it reads row by row, and takes two minutes for a million formatted empty rows.
"""

import posixpath
import re
from collections.abc import Callable, Iterator, Sequence
from math import isfinite
from typing import Any, NamedTuple

from ascertain.core.documents.blocks import BlockKind
from ascertain.core.documents.documents import LeftOut
from ascertain.documents.formats.drafts.draft import clean_line, clean_text, short_line
from ascertain.documents.formats.drafts.metadata import parse_date
from ascertain.documents.formats.office.packages import (
    Package,
    attribute_of,
    core_properties,
    first_named,
    iter_named,
    iterate_xml,
    local_name,
    relation_id,
)
from ascertain.documents.formats.office.sheets.cell_styles import number_of, read_formats, string_of, unescape
from ascertain.documents.formats.office.sheets.drawings import read_drawing
from ascertain.documents.formats.office.sheets.number_formats import show_general
from ascertain.documents.formats.office.sheets.writing import Merge, Remark, Row, Sheet, build_documents, column_letters
from ascertain.documents.formats.reader import Extracted, SourceFile

_WORKBOOK = "xl/workbook.xml"
_LAST_ROW, _LAST_COLUMN = 1_048_576, 16_384
_MOST_NAMES = 5
_DAYS_1904 = 1462
"""Days from the beginning of the calendar of 1900 to that of 1904, which some workbooks count from."""


def read_xlsx(file: SourceFile) -> Iterator[Extracted]:
    """The sheets of an Excel workbook, long ones in parts. Raises SourceError for what is not one, or would not fit in memory."""
    package = Package(file, "xlsx")
    properties = core_properties(package)
    author = short_line(properties.get("creator"))
    facts = Extracted(
        "",
        title=short_line(properties.get("title")),
        author=None if author == "openpyxl" else author,
        published_at=parse_date(properties.get("modified") or properties.get("created")),
    )
    yield from build_documents(file, facts, _list_sheets(package))


class _Book(NamedTuple):
    """What all sheets of a workbook share: ``formats`` are how the styles of cells show numbers and texts."""

    package: Package
    strings: Sequence[str]
    formats: Sequence[tuple[Callable[[float], str], Callable[[str], str]] | None]
    authors: dict[str, str]


def _list_sheets(package: Package) -> Iterator[Sheet]:
    tree = package.read_tree(_WORKBOOK)
    relations = package.relations_of(_WORKBOOK)
    book = _open_book(package, tree, relations)
    listed = first_named(tree, "sheets")
    for number, each in enumerate(() if listed is None else listed, 1):
        _, part = relations.get(relation_id(each), ("", ""))
        if part in package.names:
            sheet = Sheet(attribute_of(each, "name") or f"Sheet{number}")
            sheet.is_hidden = attribute_of(each, "state") in ("hidden", "veryHidden")
            _read_sheet(book, part, sheet)
            yield sheet


def _open_book(package: Package, tree: Any, relations: dict[str, tuple[str, str]]) -> _Book:
    parts = {kind: name for kind, name in relations.values() if name in package.names}
    properties = first_named(tree, "workbookPr")
    is_1904 = properties is not None and attribute_of(properties, "date1904") in ("1", "true")
    persons = (name for kind, name in relations.values() if kind == "person" and name in package.names)
    authors = {
        attribute_of(each, "id") or "": attribute_of(each, "displayName") or ""
        for name in persons
        for each in iter_named(package.read_tree(name), "person")
    }
    return _Book(
        package,
        _read_strings(package, parts.get("sharedStrings") or "xl/sharedStrings.xml"),
        read_formats(package.find_tree(parts.get("styles")), _DAYS_1904 if is_1904 else 0),
        authors,
    )


def _read_strings(package: Package, name: str) -> list[str]:
    if name not in package.names:
        return []
    return [string_of(each) for each in iterate_xml(package.read_bytes(name), "si")]


# Cells that are formatted and show nothing make most of some files: a million empty rows are gone in a second.
_EMPTY_CELL = re.compile(rb'<(?:[A-Za-z]{1,9}:)?c r="[A-Z]{1,3}\d{1,7}"[^<>]*/>')
_EMPTY_ROW = re.compile(rb'<(?:[A-Za-z]{1,9}:)?row r="\d{1,7}"[^<>]*(?:/>|></(?:[A-Za-z]{1,9}:)?row>)')


def _without_empty_rows(data: bytes) -> bytes:
    if b"<![CDATA[" in data:
        return data
    return _EMPTY_ROW.sub(b"", _EMPTY_CELL.sub(b"", data))


def _read_sheet(book: _Book, part: str, sheet: Sheet) -> None:
    reader = _CellReader(book, sheet)
    relations = book.package.relations_of(part)
    validations: list[str] = []
    names = ("row", "mergeCell", "col", "headerFooter", "dataValidation")
    for element in iterate_xml(_without_empty_rows(book.package.read_bytes(part)), *names):
        name = local_name(element)
        if name == "row":
            reader.add_row(element)
        elif name == "mergeCell":
            if merge := _parse_range(attribute_of(element, "ref") or ""):
                sheet.merges.append(merge)
        elif name == "col":
            if attribute_of(element, "hidden") in ("1", "true"):
                sheet.hidden_columns.append((number_of(element, "min"), number_of(element, "max")))
        elif name == "headerFooter":
            sheet.furniture += (line for each in element if (line := _page_line(str(each.text or ""))))
        else:
            if values := _listed_values(element):
                validations.append(values)
            for title, words in (("promptTitle", "prompt"), ("errorTitle", "error")):
                if message := attribute_of(element, words):
                    heading = attribute_of(element, title) or ""
                    sheet.losses.add("input messages", f"{heading} {message}", sheet.name)
    sheet.rows = reader.list_rows()
    sheet.losses.include(reader.list_left_out())
    if validations:
        sheet.losses.add("lists of allowed values", " ".join(validations), sheet.name, len(validations))
    _add_relations(book, relations, sheet)


def _listed_values(validation: Any) -> str:
    """The values that a list offers where it has them itself and does not point at cells."""
    if attribute_of(validation, "type") != "list":
        return ""
    formula = next((str(each.text or "") for each in validation if local_name(each) == "formula1"), "")
    return formula if formula.startswith('"') else ""


_PAGE_CODE = re.compile(r'&(?:"[^"]{0,100}"|K[0-9A-Fa-f+-]{1,8}|\d{1,3}|&|[A-Za-z])')
_PAGE_PARTS = {"&L": " ", "&C": " ", "&R": " ", "&&": "&"}


def _page_line(text: str) -> str:
    """The words of a header or footer of printed pages, without its codes for fonts and page numbers; empty without a letter."""
    line = clean_line(_PAGE_CODE.sub(lambda match: _PAGE_PARTS.get(match[0], ""), text))
    return line if any(map(str.isalpha, line.removeprefix("Page of"))) and line not in ("Page", "Page of") else ""


_REFERENCE = re.compile(r"\$?([A-Z]{1,3})\$?(\d{1,7})")


def _parse_range(text: str) -> Merge | None:
    """``A1:B2`` as rows and columns; None for what is none, or lies outside of any sheet."""
    first, _, last = text.partition(":")
    start, end = _REFERENCE.fullmatch(first), _REFERENCE.fullmatch(last or first)
    if start is None or end is None:
        return None
    merge = Merge(int(start[2]), _column_number(start[1]), int(end[2]), _column_number(end[1]))
    is_inside = 1 <= merge.top <= merge.bottom <= _LAST_ROW and merge.left <= merge.right <= _LAST_COLUMN
    return merge if is_inside else None


def _column_number(letters: str) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - 64
    return number


class _CellReader:
    """Reads the rows of one sheet; what shows nothing is counted where it is more than an empty cell."""

    def __init__(self, book: _Book, sheet: Sheet) -> None:
        self._book = book
        self._sheet = sheet
        self._rows: list[Row] = []
        self._last = 0
        self._columns: dict[str, int] = {}
        self._unsaved: list[str] = []
        self._unshown: list[str] = []
        self._unsaved_count = self._unshown_count = self._missing = 0

    def add_row(self, element: Any) -> None:
        """The cells of a ``row`` that show something."""
        number = element.get("r")
        self._last = int(number) if number and number.isdecimal() and len(number) < 8 else self._last + 1
        row = Row(self._last, is_hidden=element.get("hidden") in ("1", "true"))
        column = 0
        is_ordered = True
        for cell in element:
            column = self._column_of(cell.get("r")) or column + 1
            is_number, shown = self._show_cell(cell, column)
            if not shown:
                continue
            is_ordered = is_ordered and (not row.columns or row.columns[-1] < column)
            row.columns.append(column)
            row.cells.append(shown)
            if is_number:
                row.numbers.add(column)
        if not is_ordered:
            cells = dict(zip(row.columns, row.cells, strict=True))
            row.columns = sorted(cells)
            row.cells = [cells[each] for each in row.columns]
        if row.columns:
            self._rows.append(row)

    def list_rows(self) -> list[Row]:
        """The rows in order, each number once."""
        if all(above.number < below.number for above, below in zip(self._rows, self._rows[1:], strict=False)):
            return self._rows
        return [row for _, row in sorted({row.number: row for row in self._rows}.items())]

    def list_left_out(self) -> Iterator[LeftOut]:
        """The formulas that no program has computed yet, the values whose format shows nothing of them, the texts that are missing."""
        if self._unsaved_count:
            yield LeftOut("formulas without a saved value", self._unsaved_count, names=tuple(self._unsaved))
        if self._unshown_count:
            yield LeftOut("values that their format hides", self._unshown_count, names=tuple(self._unshown))
        if self._missing:
            yield LeftOut("texts that the file lacks", self._missing, names=(self._sheet.name,))

    def _column_of(self, reference: str | None) -> int:
        letters = (reference or "").rstrip("0123456789")
        if not letters:
            return 0
        found = self._columns.get(letters)
        if found is None:
            is_column = len(letters) <= 3 and letters.isascii() and letters.isalpha() and letters.isupper()
            found = self._columns[letters] = _column_number(letters) if is_column else 0
        return found

    def _show_cell(self, cell: Any, column: int) -> tuple[bool, str]:
        """Whether a cell holds a number, and what it shows."""
        value: str | None = None
        has_formula = False
        kind = cell.get("t") or "n"
        for each in cell:
            name = local_name(each)
            if name == "v":
                value = each.text
            elif name == "is":
                value = string_of(each)
            elif name == "f":
                has_formula = True
        if value is None:
            if has_formula:
                self._unsaved_count += 1
                self._name_cell(self._unsaved, column)
            return False, ""
        style = cell.get("s") or ""
        formats = self._book.formats
        known = formats[int(style)] if style.isdecimal() and len(style) < 8 and int(style) < len(formats) else None
        if kind in ("s", "str", "inlineStr"):
            text = self._string(value) if kind == "s" else unescape(value) if kind == "str" else value
            return False, self._note_shown(known[1](text) if known else text, text, column)
        if kind == "b":
            return False, "TRUE" if value == "1" else "FALSE"
        if kind in ("e", "d"):
            return kind == "d", value
        return True, self._note_shown(self._show_number(value, known), value, column)

    def _string(self, value: str) -> str:
        number = int(value) if value.isdecimal() and len(value) < 10 else -1
        if 0 <= number < len(self._book.strings):
            return self._book.strings[number]
        self._missing += 1
        return ""

    def _show_number(self, value: str, known: tuple[Callable[[float], str], Callable[[str], str]] | None) -> str:
        try:
            number = float(value)
        except ValueError:
            return value
        if not isfinite(number):
            return value
        if known is None:
            return show_general(number)
        return known[0](number)

    def _note_shown(self, shown: str, value: str, column: int) -> str:
        if not shown.strip():
            if value.strip() not in ("", "0"):
                self._unshown_count += 1
                self._name_cell(self._unshown, column)
            return ""
        return shown if "\r" not in shown and "_" not in shown else clean_text(shown)

    def _name_cell(self, names: list[str], column: int) -> None:
        if len(names) < _MOST_NAMES:
            names.append(f"{self._sheet.name}!{column_letters(column)}{self._last}")


def _add_relations(book: _Book, relations: dict[str, tuple[str, str]], sheet: Sheet) -> None:
    """Comments, text boxes, charts, pictures, and what is packed into the file."""
    package = book.package
    threads = [name for kind, name in relations.values() if kind == "threadedComment" and name in package.names]
    answered: set[str] = set()
    for name in threads:
        for each in iter_named(package.read_tree(name), "threadedComment"):
            place = attribute_of(each, "ref") or ""
            answered.add(place)
            text = next((str(part.text or "") for part in each if local_name(part) == "text"), "")
            _add_comment(sheet, place, book.authors.get(attribute_of(each, "personId") or "", ""), text)
    for kind, name in relations.values():
        if name not in package.names:
            continue
        if kind == "comments":
            _add_comments(package.read_tree(name), sheet, answered)
        elif kind == "drawing":
            read_drawing(package, name, sheet)
        elif kind == "slicer":
            for each in iter_named(package.read_tree(name), "slicer"):
                caption = attribute_of(each, "caption") or attribute_of(each, "name")
                sheet.losses.add("slicers", caption or "", caption)
        elif kind in ("oleObject", "package", "control"):
            sheet.losses.add("embedded objects", name=posixpath.basename(name))


def _add_comments(tree: Any, sheet: Sheet, answered: set[str]) -> None:
    """The notes of a sheet, but those that repeat a thread of comments for older programs."""
    names = [str(each.text or "") for each in iter_named(tree, "author")]
    for each in iter_named(tree, "comment"):
        place, number = attribute_of(each, "ref") or "", number_of(each, "authorId")
        if place in answered:
            continue
        text = first_named(each, "text")
        author = names[number] if number < len(names) else ""
        _add_comment(sheet, place, author, "" if text is None else string_of(text))


def _add_comment(sheet: Sheet, place: str, author: str, text: str) -> None:
    words, name = clean_text(text), clean_line(author)
    # Excel writes the author before the words of a note
    if name and words.startswith(f"{name}:"):
        words = words[len(name) + 1 :].strip()
    if words:
        by = f" by {name}" if name and not name.startswith("tc=") else ""
        sheet.remarks.append(Remark(f"Comment{by} on {place}: {words}", place, BlockKind.COMMENT, name or None))
