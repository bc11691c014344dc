"""How many of a table's first rows are its header."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, Self

HEADER_ROWS = 4
"""Rows that a header has at most (by judgement)."""
_SAMPLE = 20
"""Rows below a header by which the kind of a column is known."""
_LONGEST_UNIT = 12


class HeaderRow(Protocol):
    """A row of a table: the columns that show something, what they show, and which of them hold numbers."""

    number: int
    columns: list[int]
    cells: list[str]
    numbers: set[int]


@dataclass(slots=True)
class TypedRow:
    """A row of texts, of which some are numbers."""

    number: int
    columns: list[int]
    cells: list[str]
    numbers: set[int]

    @classmethod
    def of(cls, number: int, cells: Sequence[str], is_number: Callable[[str], bool]) -> Self:
        """The row of cells of which the empty ones show nothing."""
        shown = [(column, cell.strip()) for column, cell in enumerate(cells, 1) if cell.strip()]
        numbers = {column for column, cell in shown if is_number(cell)}
        return cls(number, [column for column, _ in shown], [cell for _, cell in shown], numbers)


def is_words(row: HeaderRow) -> bool:
    """Whether a row has words alone, as headers have: no digit in it, or years only."""
    return not any(any(map(str.isdecimal, cell)) and not _is_year(cell) for cell in row.cells)


def _is_year(cell: str) -> bool:
    return len(cell) == 4 and cell.isdecimal() and cell[:2] in ("18", "19", "20", "21")


def count_header_rows(rows: Sequence[HeaderRow], merges: Sequence[tuple[int, int, int, int]] = ()) -> int:
    """The rows of a header: none above rows of data alone, several where cells of the first are merged, or stand above a row of names.

    ``merges`` are (top, left, bottom, right).
    """
    if len(rows) < 2 or _is_data(rows):
        return 0
    first, last = rows[0].number, min(rows[0].number + HEADER_ROWS, rows[-1].number) - 1
    left, right = rows[0].columns[0], rows[0].columns[-1]
    end = first
    # rows that come behind the merged ones are looked at in turn, as they may hold merged cells themselves
    for top, start, bottom, stop in sorted(merge for merge in merges if first <= merge[0] <= last):
        if top <= end and left <= start <= right:
            below = top + 1 if stop > start and bottom == top else bottom
            end = max(end, below) if below <= last else end
    count = sum(row.number <= end for row in rows[:HEADER_ROWS])
    if count > 1:
        return count if not rows[count - 1].numbers or all(map(_is_year, rows[count - 1].cells)) else 1
    return 2 if _has_second_row(rows) else 1


def _is_data(rows: Sequence[HeaderRow]) -> bool:
    """Whether the first row holds numbers over numbers, and neither years nor a count behind a name (``Week | 1 | 2 | 3``)."""
    first, second = rows[0], rows[1]
    numbers = [int(cell) for cell in first.cells if cell.isdecimal() and len(cell) < 4]
    if len(numbers) == len(first.numbers) > 1 and numbers == list(range(numbers[0], numbers[0] + len(numbers))):
        return first.columns[0] in first.numbers
    cells = dict(zip(first.columns, first.cells, strict=True))
    return any(column in second.numbers and not _is_year(cells[column]) for column in first.numbers if column in cells)


def _has_second_row(rows: Sequence[HeaderRow]) -> bool:
    """Whether two rows of words stand above columns of numbers, the first with gaps or the second with units."""
    if len(rows) < 3 or rows[0].numbers or rows[1].numbers:
        return False
    below = rows[2 : 2 + _SAMPLE]
    typed = {column for column in rows[1].columns if 2 * sum(column in row.numbers for row in below) > len(below)}
    if not typed:
        return False
    is_named = set(rows[0].columns) < set(rows[1].columns) and len(rows[1].columns) >= len(below[0].columns)
    units = [cell for column, cell in zip(rows[1].columns, rows[1].cells, strict=True) if column in typed]
    return is_named or all(len(cell) <= _LONGEST_UNIT and cell[0] + cell[-1] in ("()", "[]") for cell in units)
