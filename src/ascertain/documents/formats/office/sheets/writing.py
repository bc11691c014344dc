"""Sheets of a workbook as text, whatever file they come from: its tables under their headers, the lines around them, remarks.

A sheet is a sparse grid of the cells that show something. Empty rows and columns part its tables; a row of one cell above a table is
a line of text; merged cells are filled into every cell they cover; what is hidden begins with ``[hidden]``.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import NamedTuple

from ascertain.core.documents.blocks import BlockKind
from ascertain.documents.formats.drafts.draft import HIDDEN, Draft, clean_line, clean_text
from ascertain.documents.formats.drafts.losses import Losses
from ascertain.documents.formats.drafts.numerals import letter_numeral
from ascertain.documents.formats.reader import Extracted, SourceFile
from ascertain.documents.formats.records.headers import HEADER_ROWS, count_header_rows, is_words
from ascertain.documents.formats.records.tables import PART_CHARACTERS, show_lines
from ascertain.language.tables import join_cells, join_headers

_MOST_FILLED = 2_000_000
"""Cells of one sheet that are filled from merged ones (by judgement): a merge may cover the whole sheet."""
_MOST_SIDES = 50
"""Tables beside each other (by judgement)."""
_MOST_PADDING = 20
"""Cells of a table to one that shows something; what is sparser is no table, and its cells stand without their columns."""


@dataclass(slots=True)
class Row:
    """The cells of a row that show something: their columns from 1 on, ascending, and what they show.

    ``numbers`` are the columns whose value is a number or a date. A cell may have several lines.
    """

    number: int
    columns: list[int] = field(default_factory=list[int])
    cells: list[str] = field(default_factory=list[str])
    numbers: set[int] = field(default_factory=set[int])
    is_hidden: bool = False

    def cell(self, column: int) -> str:
        """What the cell in a column shows; empty where it shows nothing."""
        place = bisect_left(self.columns, column)
        return self.cells[place] if place < len(self.columns) and self.columns[place] == column else ""


class Merge(NamedTuple):
    """Cells that are shown as one, by row and column from 1 on, the last ones included."""

    top: int
    left: int
    bottom: int
    right: int


class Remark(NamedTuple):
    """What stands on a sheet beside its cells: a comment, a text box, the title of a chart."""

    text: str
    part: str | None = None
    kind: BlockKind = BlockKind.PARAGRAPH
    label: str | None = None


@dataclass(slots=True)
class Sheet:
    """What one sheet shows; ``hidden_columns`` are ranges, the last included."""

    name: str
    is_hidden: bool = False
    rows: list[Row] = field(default_factory=list[Row])
    merges: list[Merge] = field(default_factory=list[Merge])
    hidden_columns: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    remarks: list[Remark] = field(default_factory=list[Remark])
    furniture: list[str] = field(default_factory=list[str])
    losses: Losses = field(default_factory=Losses)

    def add_chart(self, title: str, rows: Iterable[Sequence[str]]) -> None:
        """A chart, by its title: what it shows stands in cells, mostly of the same sheet."""
        self.losses.add("charts", " ".join(cell for row in rows for cell in row), title)
        if title:
            self.remarks.append(Remark(title, None, BlockKind.CAPTION))


def column_letters(number: int) -> str:
    """The name of a column by its number from 1: 1 → ``A``, 28 → ``AB``."""
    return letter_numeral(number).upper()


def build_documents(file: SourceFile, facts: Extracted, sheets: Iterable[Sheet]) -> Iterator[Extracted]:
    """The sheets with the facts of their workbook, in parts of ``PART_CHARACTERS``."""
    writer = _SheetWriter(facts, min(PART_CHARACTERS, file.options.max_characters))
    for sheet in sheets:
        yield from writer.write_sheet(sheet)
    yield from writer.finish()


@dataclass(slots=True)
class _Table:
    """Rows that belong together; without a header where ``header_rows`` is 0."""

    rows: list[Row]
    header_rows: int


def _list_bands(sheet: Sheet) -> Iterator[list[Row]]:
    """The rows between empty ones; what a merged cell covers is not empty."""
    band: list[Row] = []
    bottoms: dict[int, int] = {}
    for merge in sheet.merges:
        bottoms[merge.top] = max(merge.bottom, bottoms.get(merge.top, 0))
    covered = 0
    for row in sheet.rows:
        if band and row.number > max(band[-1].number, covered) + 1:
            yield band
            band = []
        band.append(row)
        covered = max(covered, bottoms.get(row.number, 0))
    if band:
        yield band


def _list_pieces(sheet: Sheet) -> Iterator[Row | _Table]:
    """The tables of a sheet, and the rows of one cell that are lines of text, in order.

    Rows behind an empty one go on with the table before it, unless they begin with words alone, as a header does.
    """
    table: _Table | None = None
    merges = sorted(sheet.merges)
    for band in _list_bands(sheet):
        lines = next((number for number, row in enumerate(band) if len(row.columns) > 1), len(band))
        if lines and table is not None:
            yield table
            table = None
        yield from band[:lines]
        rest = band[lines:]
        if not rest:
            continue
        sides = _split_sides(rest)
        if len(sides) == 1 and table is not None and _goes_on(table, rest):
            table.rows += rest
            continue
        if table is not None:
            yield table
        for side in sides[:-1]:
            yield _Table(side, count_header_rows(side, _merges_of(side, merges)))
        table = _Table(sides[-1], count_header_rows(sides[-1], _merges_of(sides[-1], merges)))
    if table is not None:
        yield table


def _merges_of(rows: Sequence[Row], merges: Sequence[Merge]) -> Sequence[Merge]:
    """Those that begin in the first rows of a table."""
    first = bisect_left(merges, (rows[0].number,))
    return merges[first : bisect_left(merges, (rows[0].number + HEADER_ROWS,))]


def _goes_on(table: _Table, rows: Sequence[Row]) -> bool:
    first = table.rows[0].columns[0]
    last = max(row.columns[-1] for row in table.rows[: max(1, table.header_rows)])
    inside = all(first <= row.columns[0] and row.columns[-1] <= last for row in rows[:100])
    return inside and not is_words(rows[0])


def _split_sides(rows: list[Row]) -> list[list[Row]]:
    """Tables that stand beside each other with an empty column between them, each of two columns or more under words of its own."""
    used = sorted({column for row in rows if len(row.columns) > 1 for column in row.columns})
    gaps = [right for left, right in pairwise(used) if right > left + 1]
    if not gaps or len(gaps) > _MOST_SIDES:
        return [rows]
    edges = [0, *gaps, 1 << 30]
    sides: list[list[Row]] = []
    for left, right in pairwise(edges):
        side = [part for row in rows if (part := _cut_row(row, left, right)).columns]
        widths = {column for row in side for column in row.columns}
        if len(widths) < 2 or len(side) < 2 or side[0].number != rows[0].number or not is_words(side[0]):
            return [rows]
        sides.append(side)
    return sides


def _cut_row(row: Row, left: int, right: int) -> Row:
    """The cells of a row from column ``left`` to before ``right``."""
    first, last = bisect_left(row.columns, left), bisect_left(row.columns, right)
    numbers = {column for column in row.numbers if left <= column < right}
    return Row(row.number, row.columns[first:last], row.cells[first:last], numbers, row.is_hidden)


def fill_merges(sheet: Sheet) -> None:
    """Fill merged cells into those they cover, in rows that show something else too; a title over a whole table stays one cell."""
    numbers = [row.number for row in sheet.rows]
    widest = max((row.columns[-1] for row in sheet.rows), default=0)
    found: dict[int, list[tuple[int, str, bool]]] = {}
    left = _MOST_FILLED
    for merge in sheet.merges:
        first, last = bisect_left(numbers, merge.top), bisect_right(numbers, merge.bottom)
        if first == last or numbers[first] != merge.top or not (text := sheet.rows[first].cell(merge.left)):
            continue
        if _is_title(sheet.rows, first, merge):
            continue
        right = min(merge.right, widest)
        left -= max(1, right - merge.left + 1) * (last - first)
        if left < 0:
            sheet.losses.add("merged cells that cover too many others", name=sheet.name)
            break
        is_number = merge.left in sheet.rows[first].numbers
        for place in range(first, last):
            found.setdefault(place, []).extend((column, text, is_number) for column in range(merge.left, right + 1))
    for place, filled in found.items():
        row = sheet.rows[place]
        cells = dict(zip(row.columns, row.cells, strict=True))
        for column, text, is_number in filled:
            if column not in cells and is_number:
                row.numbers.add(column)
            cells.setdefault(column, text)
        row.columns = sorted(cells)
        row.cells = [cells[column] for column in row.columns]


def _is_title(rows: Sequence[Row], place: int, merge: Merge) -> bool:
    """Whether a merged cell is all there is in its row, and no group of some columns of the row below."""
    row = rows[place]
    if len(row.columns) > 1 or merge.left == merge.right:
        return False
    below = next((each for each in rows[place + 1 : place + 2] if each.number == merge.bottom + 1), None)
    if below is None or len(below.columns) < 2:
        return True
    return merge.left <= below.columns[0] and merge.right >= below.columns[-1]


class _SheetWriter:
    """Puts sheets into drafts; a draft that is full becomes a document, and the table goes on in the next under its header."""

    def __init__(self, facts: Extracted, limit: int) -> None:
        self._facts = facts
        self._limit = limit
        self._draft = Draft()
        self._section = ""
        self._is_hidden = False
        self._first: str | None = None
        self._last = ""
        self._losses = Losses()
        self._parts = 0

    def write_sheet(self, sheet: Sheet) -> Iterator[Extracted]:
        """Add a sheet; the documents that are full before its end."""
        fill_merges(sheet)
        self._section = f"sheet {clean_line(sheet.name)}" + (" (hidden)" if sheet.is_hidden else "")
        self._is_hidden = sheet.is_hidden
        self._draft.enter_section(self._section, 1)
        for piece in _list_pieces(sheet):
            if isinstance(piece, Row):
                yield from self._write_line(piece, sheet)
            else:
                yield from self._write_table(piece, sheet)
        for remark in sheet.remarks:
            yield from self._make_room(len(remark.text), remark.part or "")
            self._draft.part = remark.part
            self._draft.add(remark.text, kind=remark.kind, label=remark.label, is_hidden=sheet.is_hidden)
        self._draft.leave_sections()
        self._draft.part = None
        for line in dict.fromkeys(sheet.furniture):
            self._draft.add(line, kind=BlockKind.FURNITURE)
        self._losses.include(sheet.losses.left_out())

    def finish(self) -> Iterator[Extracted]:
        """The last document; empty where no sheet shows anything."""
        if self._draft.length or not self._parts:
            yield self._take_part(is_last=True)

    def _write_line(self, row: Row, sheet: Sheet) -> Iterator[Extracted]:
        column = row.columns[0]
        is_hidden = row.is_hidden or _is_in(column, sheet.hidden_columns)
        text = self._shorten((HIDDEN if is_hidden or self._is_hidden else "") + clean_text(row.cells[0]))
        yield from self._make_room(len(text), str(row.number))
        self._draft.part = f"{column_letters(column)}{row.number}" + (" (hidden)" if is_hidden else "")
        self._draft.add(text, is_hidden=is_hidden or self._is_hidden)
        self._draft.part = None

    def _write_table(self, table: _Table, sheet: Sheet) -> Iterator[Extracted]:
        columns = sorted({column for row in table.rows for column in row.columns})
        filled = sum(len(row.columns) for row in table.rows)
        is_sparse = len(columns) * len(table.rows) > _MOST_PADDING * filled + 10_000
        hidden = {column for column in columns if _is_in(column, sheet.hidden_columns)}
        top, head, place = table.rows[: table.header_rows], "", ""
        if top:
            names = join_headers([[clean_line(row.cell(column)) for column in columns] for row in top])
            head = self._shorten(
                join_cells([_mark(name, column in hidden) for name, column in zip(names, columns, strict=True)])
            )
            place = _range_of(top[0].number, top[-1].number, columns[0], columns[-1])
        rows: list[tuple[str, str]] = [(head, place)] if head else []
        length = len(head)
        for row in table.rows[table.header_rows :]:
            marked = set[int]() if head else hidden
            line = self._shorten(_write_cells(row, row.columns if is_sparse else columns, marked))
            if rows and self._draft.length + length + len(line) + 3 > self._limit:
                yield from self._flush_table(rows, has_head=bool(head), next_row=row.number)
                rows, length = [(head, place)] if head else [], len(head)
            rows.append((line, _range_of(row.number, row.number, columns[0], columns[-1], is_hidden=row.is_hidden)))
            length += len(line) + 1
            self._note_row(row.number)
        if rows:
            self._note_row(table.rows[0].number)
            self._add_rows(rows, has_head=bool(head))
            self._last = f"{self._section.removeprefix('sheet ')} {table.rows[-1].number}"

    def _flush_table(self, rows: Sequence[tuple[str, str]], *, has_head: bool, next_row: int) -> Iterator[Extracted]:
        if len(rows) > has_head:
            self._add_rows(rows, has_head=has_head)
        if self._draft.length:
            yield self._take_part(is_last=False)
        self._note_row(next_row)

    def _add_rows(self, rows: Sequence[tuple[str, str]], *, has_head: bool) -> None:
        self._draft.add_lines(
            [line for line, _ in rows],
            header_rows=int(has_head and len(rows) > 1),
            parts=[part for _, part in rows],
            is_hidden=self._is_hidden,
        )

    def _make_room(self, length: int, place: str) -> Iterator[Extracted]:
        if self._draft.length and self._draft.length + length + 2 > self._limit:
            yield self._take_part(is_last=False)
        self._note_row(place)

    def _note_row(self, number: int | str) -> None:
        self._last = f"{self._section.removeprefix('sheet ')} {number}"
        self._first = self._first or self._last

    def _shorten(self, line: str) -> str:
        """A line that fits into a document; what does not is counted."""
        longest = max(1, self._limit // 2)
        if len(line) <= longest:
            return line
        self._losses.add("ends of very long rows", line[longest:])
        return line[:longest].rstrip()

    def _take_part(self, *, is_last: bool) -> Extracted:
        """The document so far; a workbook of one part has no row."""
        text, blocks = self._draft.finish()
        row = None if is_last and not self._parts else f"{self._first}-{self._last}"
        title = f"{self._facts.title}, {row}" if row and self._facts.title else self._facts.title
        left_out, self._losses = self._losses.left_out(), Losses()
        self._draft, self._first = Draft(), None
        self._draft.enter_section(self._section, 1)
        self._parts += 1
        return replace(self._facts, text=text, title=title, blocks=blocks, left_out=left_out, row=row)


def _write_cells(row: Row, columns: Sequence[int], hidden: set[int]) -> str:
    cells = dict(zip(row.columns, row.cells, strict=True))
    texts = [_mark(show_lines(cells.get(column, "")), column in hidden) for column in columns]
    if row.is_hidden:
        first = next(number for number, text in enumerate(texts) if text)
        texts[first] = _mark(texts[first].removeprefix(HIDDEN), is_hidden=True)
    return join_cells(texts)


def _mark(text: str, is_hidden: bool) -> str:
    return f"{HIDDEN}{text}" if is_hidden and text else text


def _is_in(column: int, ranges: Sequence[tuple[int, int]]) -> bool:
    return any(first <= column <= last for first, last in ranges)


def _range_of(top: int, bottom: int, left: int, right: int, *, is_hidden: bool = False) -> str:
    start, end = f"{column_letters(left)}{top}", f"{column_letters(right)}{bottom}"
    return (start if start == end else f"{start}:{end}") + (" (hidden)" if is_hidden else "")
