"""CSV and TSV: articles, one document a row, or a table under its header, after the lines of text above it.

What separates the cells, and where the table begins, is found by its structure: rows of one width that follow each other.
"""

import csv
import io
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from ascertain.documents.formats.drafts.draft import clean_line
from ascertain.documents.formats.reader import Extracted, SourceFile, text_of
from ascertain.documents.formats.records.articles import has_articles, is_article, read_articles
from ascertain.documents.formats.records.headers import TypedRow, count_header_rows
from ascertain.documents.formats.records.tables import NumberedRow, build_tables
from ascertain.language.tables import join_headers

_DELIMITERS = "\t;|,"
"""In the order in which they are believed where several would do: commas stand in numbers and in texts too, spaces everywhere: they
separate cells only in files that begin with a quote."""
_MOST_OPEN = 20
"""Rows with a quote left open after which a file is given up: what they swallow is read again for each of them."""
_SWALLOWED_SAMPLE = 1000
_SAMPLE_CHARACTERS = 100_000
_SAMPLE_ROWS = 300
_SEPARATOR_LINE = re.compile(r"sep=(.)[;,\t|]*\r?(?:\n|$)", re.IGNORECASE)
"""What Excel takes for the separator of the file."""
_NUMBER = re.compile(r"[-+(]?[$€£]?\d[\d.,' ]*(?:[eE][-+]?\d{1,4})?\)?%?")
_LONGEST_NUMBER = 40


class _Layout(NamedTuple):
    """How a file is built: what separates cells, how many rows stand above the table, and how wide that is.

    ``start`` is where the table begins in the text, behind so many ``lines``.
    """

    delimiter: str
    lead: list[list[str]]
    start: int
    width: int
    lines: int


def read_csv(file: SourceFile) -> Iterator[Extracted]:
    """The articles, one document for each row under a header line, or else the table.

    No column is lost: what an article has no place for stands at the end of its text, with the name of its column.
    """
    # Without NULs, which csv refuses before Python 3.11.4.
    text = text_of(file).lstrip("\ufeff").replace("\0", "")
    # The library's limit of 131,072 characters is less than a long article.
    csv.field_size_limit(max(131_072, file.options.max_characters))
    layout = _find_layout(text)
    rows = _CsvRows(file, text, layout)
    first = len(layout.lead) + 1
    top = list(islice(rows, 4))
    typed = [TypedRow.of(number, row, _is_number) for number, row in enumerate(top, 1) if isinstance(row, list)]
    typed = [row for row in typed if row.columns]
    header_rows = 1 if len(typed) < 2 else count_header_rows(typed)
    heads = [row for row in top[:header_rows] if isinstance(row, list)]
    header = list(join_headers([[clean_line(name) for name in row] for row in heads])) if heads else []
    if layout.width and len(header) == layout.width - 1 > 1:
        # the names of rows have none above them (write.table of R)
        header.insert(0, "")
    numbered = _number_rows([*top[header_rows:]], rows, first + header_rows)
    records = [dict(zip(header, row, strict=False)) for row in top[header_rows:] if isinstance(row, list) and any(row)]
    if has_articles(header) and (not records or any(map(is_article, records))):
        yield from read_articles(file, _article_rows(header, numbered))
    else:
        lead = [", ".join(cell for each in row if (cell := each.strip())) for row in layout.lead]
        yield from build_tables(file, header, numbered, Extracted(""), lead=lead)


def _number_rows(
    top: Sequence[list[str] | ValueError], rows: Iterable[list[str] | ValueError], first: int
) -> Iterator[NumberedRow]:
    number = first
    for source in (top, rows):
        for row in source:
            yield str(number), row
            number += 1


def _article_rows(header: list[str], rows: Iterable[NumberedRow]) -> Iterator[tuple[str, object]]:
    for number, row in rows:
        if isinstance(row, ValueError):
            yield number, row
        elif not any(cell.strip() for cell in row):
            continue
        elif len(row) > len(header):
            yield number, ValueError(f"{len(row)} cells under {len(header)} columns")
        else:
            yield number, dict(zip(header, row, strict=False))


def _is_number(cell: str) -> bool:
    text = cell.strip()
    return len(text) <= _LONGEST_NUMBER and _NUMBER.fullmatch(text) is not None


def _find_layout(text: str) -> _Layout:
    """The layout by the first rows: the separator by which most of them have the same width."""
    begin, delimiters = 0, _DELIMITERS + (" " if text.startswith('"') else "")
    if separator := _SEPARATOR_LINE.match(text):
        begin, delimiters = separator.end(), separator[1]
    sample = text[begin : begin + _SAMPLE_CHARACTERS]
    if len(sample) == _SAMPLE_CHARACTERS:
        # the last line is cut
        sample = sample[: sample.rfind("\n") + 1] or sample
    found: tuple[float, int, str, list[tuple[list[str], int]]] | None = None
    for delimiter in delimiters:
        rows = _sample_rows(sample, delimiter)
        widths = Counter(len(row) for row, _ in rows if len(row) > 1)
        width, count = max(widths.items(), key=lambda pair: (pair[1], pair[0]), default=(0, 0))
        share = count / max(1, sum(1 for row, _ in rows if row))
        if width and (found is None or share > found[0]):
            found = (share, width, delimiter, rows)
    if found is None:
        begin += len(sample) - len(sample.lstrip("\r\n"))
        return _Layout(",", [], begin, 0, text.count("\n", 0, begin))
    _, width, delimiter, rows = found
    skipped = _count_lead(rows, width)
    lines = rows[skipped - 1][1] if skipped else 0
    start = begin
    for _ in range(lines):
        start = _next_line(text, start)
    return _Layout(delimiter, [row for row, _ in rows[:skipped] if row], start, width, lines + (begin > 0))


def _next_line(text: str, start: int) -> int:
    """Where the line behind the one at ``start`` begins; lines end as the csv module takes them from a file."""
    ends = [place for place in (text.find("\n", start), text.find("\r", start)) if place >= 0]
    if not ends:
        return len(text)
    end = min(ends)
    return end + (2 if text.startswith("\r\n", end) else 1)


def _sample_rows(sample: str, delimiter: str) -> list[tuple[list[str], int]]:
    """The first rows with the number of lines up to their end."""
    reader = csv.reader(io.StringIO(sample, newline=""), delimiter=delimiter)
    rows: list[tuple[list[str], int]] = []
    try:
        for row in islice(reader, _SAMPLE_ROWS):
            rows.append((row, reader.line_num))
    except csv.Error:
        pass
    return rows


def _count_lead(rows: Sequence[tuple[list[str], int]], width: int) -> int:
    """How many rows stand above the table: empty ones, those of one cell, those of another width that no row of the table follows."""
    for number, (row, _) in enumerate(rows):
        filled = sum(bool(cell.strip()) for cell in row)
        following = rows[number + 1][0] if number + 1 < len(rows) else []
        if filled > 1 and len(row) == width:
            return number
        # a header may be a name short, or have some too many
        if filled > 1 and len(row) >= width - 1 and len(following) == width:
            return number
    return 0


class _CsvRows:
    """The rows: cells, or a ValueError that says why a row is left out.

    A quote that is opened and not closed makes a cell of everything up to the next quote, or to the end. Such a row is
    recognised by wrong quoting where it ends and lines in it that are rows by themselves; they are read as rows.
    """

    def __init__(self, file: SourceFile, text: str, layout: "_Layout") -> None:
        self._file = file
        # with line ends left to the csv module
        self._text = io.StringIO(text[layout.start :], newline="")
        self._size = len(text) - layout.start
        self._delimiter = layout.delimiter
        self._width = max(1, layout.width)
        self._taken: list[str] = []
        self._line = layout.lines
        self._open_quotes = 0
        self._reader = csv.reader(self._take_lines(), delimiter=self._delimiter)

    def __iter__(self) -> Iterator[list[str] | ValueError]:
        while True:
            self._taken.clear()
            row = self._next_row()
            if not self._taken:
                return
            if len(self._taken) > 1 and (reason := self._mend_open_quote()):
                yield ValueError(reason)
            elif row is None:
                raise self._file.error(
                    "not a table: a cell is longer than any text may be; mend its quoting", self._line
                )
            else:
                yield row

    def _take_lines(self) -> Iterator[str]:
        for line in self._text:
            self._taken.append(line)
            self._line += 1
            yield line

    def _next_row(self) -> list[str] | None:
        """None at the end, and for a row that csv refuses for its length."""
        try:
            return next(self._reader, None)
        except csv.Error:
            return None

    def _mend_open_quote(self) -> str | None:
        """Go on behind the line that opened a quote which the row does not close; why the row is left out."""
        try:
            for _ in csv.reader(self._taken, delimiter=self._delimiter, strict=True):
                pass
        except csv.Error:
            pass
        else:
            return None
        beyond = len(self._taken) - 1
        first = self._line - beyond
        opened = f"a quote is opened in line {first} and not closed"
        swallowed = [line for line in self._taken[1:_SWALLOWED_SAMPLE] if line.strip()]
        is_end = self._text.tell() == self._size
        if 2 * sum(self._is_row(line) for line in swallowed) > len(swallowed):
            self._open_quotes += 1
            if self._open_quotes > _MOST_OPEN:
                raise self._file.error(f"quotes are left open in more than {_MOST_OPEN} rows; mend its quoting", first)
            self._text.seek(self._text.tell() - sum(map(len, self._taken[1:])))
            self._line = first
            self._reader = csv.reader(self._take_lines(), delimiter=self._delimiter)
            return f"{opened}; the row was left out"
        return f"{opened}; {beyond + 1:,} lines up to the end of the file were left out" if is_end else None

    def _is_row(self, line: str) -> bool:
        if line.count(self._delimiter) == self._width - 1:
            return True
        try:
            cells = next(csv.reader([line], delimiter=self._delimiter))
        except csv.Error:
            return False
        return len(cells) == self._width
