"""XLSX and ODS: sheet by sheet, a row a line under its header, each row with the range of its cells.

Formulas are read by the values that the program which saved the file computed. A sheet may hold several tables with empty rows between
them; a line of one cell is a sentence and not a row.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime, time, timedelta
from typing import Any, cast

from ascertain.language.tables import join_cells
from ascertain.sources.formats.draft import Draft, clean_line, short_line
from ascertain.sources.formats.metadata import parse_date
from ascertain.sources.formats.office.packages import Package, attribute_of, core_properties, first_named, local_name
from ascertain.sources.formats.reader import Extracted, SourceFile
from ascertain.sources.formats.tables import PART_CHARACTERS

Rows = Iterable[tuple[int, Sequence[str]]]
"""(number of the row, from 1, and its cells, those of all columns from A on)."""
_MOST_COLUMNS = 1000
"""Columns that are read; what lies beyond them in files that people make is formatting (by judgement)."""


def read_xlsx(file: SourceFile) -> Iterator[Extracted]:
    """The sheets of an Excel workbook, long ones in parts. Raises SourceError for what is not one, or would not fit in memory."""
    package = Package(file, "xlsx")
    # a fifth of a second to import
    import openpyxl  # noqa: PLC0415

    properties = core_properties(package)
    author = short_line(properties.get("creator"))
    facts = Extracted(
        "",
        title=short_line(properties.get("title")),
        author=None if author == "openpyxl" else author,
        published_at=parse_date(properties.get("modified") or properties.get("created")),
    )
    # by its content: openpyxl believes the suffix of a path more than that
    with file.path.open("rb") as content:
        workbook = cast("Any", openpyxl).load_workbook(content, read_only=True, data_only=True)
        sheets = ((str(sheet.title), _excel_rows(sheet)) for sheet in workbook.worksheets)
        yield from _build_documents(file, facts, sheets)


def _excel_rows(sheet: Any) -> Iterator[tuple[int, list[str]]]:
    # what some programs write as the size of a sheet is the size it could have
    sheet.reset_dimensions()
    for number, row in enumerate(sheet.iter_rows(max_col=_MOST_COLUMNS), 1):
        yield number, [_write_value(cell.value, str(cell.number_format or "")) for cell in row]


_PERCENT = re.compile(r"0(?:\.(0+))?%")


def _write_value(value: object, number_format: str = "") -> str:
    """A cell's value as a person would write it."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, int | float):
        if percent := _PERCENT.fullmatch(number_format.strip()):
            return f"{value * 100:.{len(percent[1] or '')}f}%"
        return format(value, ".15g") if isinstance(value, float) else str(value)
    if isinstance(value, datetime):
        return value.date().isoformat() if value.time() == time() else value.isoformat(" ", "minutes")
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, time):
        return value.isoformat("minutes")
    if isinstance(value, timedelta):
        minutes, seconds = divmod(round(value.total_seconds()), 60)
        return f"{minutes // 60}:{minutes % 60:02d}:{seconds:02d}"
    return clean_line(str(value))


def read_ods(file: SourceFile) -> Iterator[Extracted]:
    """The sheets of an OpenDocument spreadsheet, as those of a workbook."""
    package = Package(file, "ods")
    content = package.read_tree("content.xml")
    body = first_named(content, "spreadsheet")
    tables = [] if body is None else [each for each in body if local_name(each) == "table"]
    sheets = (
        (attribute_of(table, "name") or f"Sheet{number}", _ods_rows(table)) for number, table in enumerate(tables, 1)
    )
    yield from _build_documents(file, open_document_facts(package), sheets)


def open_document_facts(package: Package) -> Extracted:
    """What the metadata of an OpenDocument file say: title, author, date, keywords."""
    tree = package.find_tree("meta.xml")
    told: dict[str, str] = {}
    tags: list[str] = []
    for each in () if tree is None else tree.iter():
        if local_name(each) == "keyword" and (tag := short_line(each.text, 60)):
            tags.append(tag)
        elif each.text:
            told.setdefault(local_name(each), str(each.text))
    return Extracted(
        "",
        title=short_line(told.get("title")),
        author=short_line(told.get("creator") or told.get("initial-creator")),
        published_at=parse_date(told.get("date") or told.get("creation-date")),
        tags=tuple(tags),
    )


def _ods_rows(table: Any) -> Iterator[tuple[int, list[str]]]:
    """The rows of a table; those repeated to the end of the sheet are empty and only counted."""
    number = 1
    for row in table.iter("{*}table-row"):
        times = _repetitions(row, "number-rows-repeated")
        cells = _ods_cells(row)
        if any(cells):
            for offset in range(min(times, _MOST_COPIES)):
                yield number + offset, cells
        number += times


_MOST_COPIES = 1000
"""Of a row or cell that is written once for many: more of the same says nothing more (by judgement)."""


def _ods_cells(row: Any) -> list[str]:
    cells: list[str] = []
    for cell in row:
        if local_name(cell) not in ("table-cell", "covered-table-cell"):
            continue
        value = _ods_value(cell)
        cells += [value] * min(_repetitions(cell, "number-columns-repeated"), _MOST_COLUMNS - len(cells))
    while cells and not cells[-1]:
        cells.pop()
    return cells


def _repetitions(element: Any, name: str) -> int:
    told = attribute_of(element, name) or "1"
    return int(told) if told.isdecimal() and len(told) < 10 else 1


def _ods_value(cell: Any) -> str:
    """What the cell shows; a date as the date it is, however it is shown."""
    moment = attribute_of(cell, "date-value")
    if moment:
        return moment.replace("T", " ").removesuffix(" 00:00:00")
    lines = ["".join(each.itertext()) for each in cell if local_name(each) == "p"]
    return clean_line(" ".join(lines))


def column_letters(number: int) -> str:
    """The name of a column by its number from 1: 1 → ``A``, 28 → ``AB``."""
    letters = ""
    while number:
        number, rest = divmod(number - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters


def _build_documents(file: SourceFile, facts: Extracted, sheets: Iterable[tuple[str, Rows]]) -> Iterator[Extracted]:
    writer = _SheetWriter(min(PART_CHARACTERS, file.options.max_characters))
    for name, rows in sheets:
        writer.begin_sheet(name)
        for number, cells in rows:
            if writer.add_row(number, cells):
                yield writer.take_part(facts, is_last=False)
    if not writer.is_empty or not writer.parts:
        yield writer.take_part(facts, is_last=True)


class _SheetWriter:
    """Puts rows into drafts; a draft that is full becomes a document, and the table goes on in the next under its header."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._draft = Draft()
        self._sheet = ""
        self._header: tuple[int, list[str], str] | None = None
        self._blank = True
        self._heads = True
        self._first: str | None = None
        self._last = ""
        self.parts = 0

    @property
    def is_empty(self) -> bool:
        """Whether nothing was added since the last part was taken."""
        return self._draft.length == 0

    def begin_sheet(self, name: str) -> None:
        """The rows that follow are of this sheet."""
        self._sheet = clean_line(name)
        self._draft.section = ()
        self._draft.part = None
        self._header, self._blank, self._heads = None, True, True

    def add_row(self, number: int, cells: Sequence[str]) -> bool:
        """Add a row; True when the draft is full and has to be taken."""
        filled = [column for column, cell in enumerate(cells, 1) if cell]
        if not filled:
            self._blank = True
            return False
        if self._begins_table(cells, filled):
            self._header = (
                filled[0],
                list(cells[filled[0] - 1 : filled[-1]]),
                join_cells(cells[filled[0] - 1 : filled[-1]]),
            )
            self._write(number, filled[0], self._header[1], is_first=True)
        elif self._header is None or (len(filled) == 1 and self._blank):
            self._write(number, filled[0], cells[filled[0] - 1 : filled[-1]], is_first=True)
        else:
            first = min(self._header[0], filled[0])
            last = max(filled[-1], self._header[0] + len(self._header[1]) - 1)
            padded = [*cells, *[""] * (last - len(cells))]
            self._write(number, first, padded[first - 1 : last], is_first=False)
        self._blank = False
        return self._draft.length > self._limit - _LONGEST_ROW

    def _begins_table(self, cells: Sequence[str], filled: Sequence[int]) -> bool:
        """Whether a row is the header of a table: the first of several cells, and below an empty row one of words alone."""
        if len(filled) < 2:
            return False
        if self._header is None:
            return True
        return self._blank and not any(any(map(str.isdecimal, cells[column - 1])) for column in filled)

    def _write(self, number: int, first: int, cells: Sequence[str], *, is_first: bool) -> None:
        draft = self._draft
        last = first + len(cells) - 1
        if self._heads:
            draft.part = None
            draft.enter_section(f"sheet {self._sheet}", 1)
            self._heads = False
        if draft.length == 0 and not is_first and self._header is not None:
            draft.add(self._header[2])
        place = f"{column_letters(first)}{number}"
        draft.part = place if first == last else f"{place}:{column_letters(last)}{number}"
        line = cells[0] if len(cells) == 1 else join_cells(cells)
        draft.add(line[:_LONGEST_ROW], "\n\n" if is_first else "\n")
        self._first = self._first or f"{self._sheet} {number}"
        self._last = f"{self._sheet} {number}"

    def take_part(self, facts: Extracted, *, is_last: bool) -> Extracted:
        """The document so far; a workbook of one part has no row."""
        text, blocks = self._draft.finish()
        row = None if is_last and not self.parts else f"{self._first}-{self._last}"
        title = f"{facts.title}, {row}" if row and facts.title else facts.title
        self._draft, self._first = Draft(), None
        self._draft.enter_section(f"sheet {self._sheet}", 1)
        self.parts += 1
        return Extracted(
            text,
            title=title,
            author=facts.author,
            published_at=facts.published_at,
            tags=facts.tags,
            blocks=blocks,
            row=row,
        )


_LONGEST_ROW = 20_000
"""Characters of a row that are kept; a cell of Excel holds 32,767, and rows of tables far fewer (by judgement)."""
