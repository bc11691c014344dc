"""Tables in plain text: rows of cells with a mark between them, under a header.

Readers write a row as ``Switzerland | 5-7 | 19.00 €``, and plain text has rows in ``| pipes |`` or with tabs; documentation
has tables as lists of lists too (``list-table`` of reStructuredText and MyST: ``* - `` begins a row, ``- `` below it a cell).
A table is two rows or more on lines that follow each other; the first is its header.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from ascertain.core.documents.blocks import Block, BlockIndex, BlockKind, Span

BLANK = "–"
"""What stands for an empty cell, so that the others stay in their columns."""

_MARK = re.compile(r"\t|(?:(?<=\s)|^)\|(?=\s|$)")
_RULE = re.compile(r"[\s|:+=-]*")
"""The line under a header in Markdown."""
_PIPES = re.compile(r"(?:(?<!\s)\s+)?\|\s*")
_LISTED_ROW = re.compile(r"^[ \t]*\* - +(?=\S)", re.MULTILINE)
_LISTED_CELL = re.compile(r"\n[ \t]+- +(?=\S)")
_FEWEST_TABS = 2
_FEWEST_LABELLED = 3
"""Columns from which each cell is shown with its column. Two can be read as they are, and the first row of two
columns often heads nothing: ``Name | Bob``."""


@dataclass(frozen=True, slots=True)
class Table:
    """``rows`` are spans of its lines below the header, in order, without the white space at their ends."""

    header: Span
    rows: tuple[Span, ...]

    @property
    def span(self) -> Span:
        """From the header to the last row."""
        return Span(self.header.start, self.rows[-1].end)


def join_cells(cells: Sequence[str]) -> str:
    """The cells, each on one line, as a row; nothing where all of them are empty."""
    if not any(cells):
        return ""
    return " | ".join(_PIPES.sub("|", cell) or BLANK for cell in cells)


def join_headers(rows: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """The names of the columns under several header rows, each below those above it: ``2025 Units``; a name is not repeated."""
    width = max(map(len, rows), default=0)
    columns = ([row[column] for row in rows if column < len(row)] for column in range(width))
    return tuple(" ".join(dict.fromkeys(name for name in names if name)) for names in columns)


def split_cells(row: str) -> tuple[str, ...]:
    """The cells of a row, cleaned of white space; a single one where the line is no row."""
    line = row.strip()
    if match := _LISTED_ROW.match(row):
        return tuple(" ".join(cell.split()) for cell in _LISTED_CELL.split(row[match.end() :]))
    if line.startswith("|") and line.endswith("|") and len(line) > 1:
        line = line[1:-1]
    return tuple(cell.strip() for cell in _MARK.split(line))


def is_row(line: str, fewest: int = 2) -> bool:
    """Whether ``line`` is one line of ``fewest`` cells or more; of three where only tabs part them, as prose has one."""
    if "\n" in line or ("|" not in line and line.strip().count("\t") < _FEWEST_TABS):
        return False
    return len(split_cells(line)) >= fewest


class TableFinder:
    """Finds the tables of one text; asked for places in order it looks at each line once, however long some are.

    Where ``tree``, the blocks of the text's document, says what stands at a place (a table, with a header or none, or code) that holds.
    """

    def __init__(self, text: str, tree: BlockIndex | None = None) -> None:
        self._text = text
        self._tree = tree
        self._last: Table | None = None
        self._lines = _NOWHERE
        self._bare_block = _NOWHERE

    def find_at(self, position: int) -> Table | None:
        """The table that holds the character at ``position``; None where there is none."""
        if self._last is not None and self._last.span.start <= position < self._last.span.end:
            return self._last
        if not self._lines.start <= position < self._lines.end:
            self._last, self._lines = self._look_around(position)
        return self._last

    def _look_around(self, position: int) -> tuple[Table | None, Span]:
        """The table at ``position``, and the lines for which that is so."""
        text = self._text
        around = self._tree.around(position) if self._tree is not None else ()
        if around and around[-1].kind in (BlockKind.TABLE, BlockKind.CODE):
            block = around[-1]
            table = _read_block(text, block) if block.header_rows else None
            return table, Span(block.span.start, block.span.end + 1)
        line = _line_around(text, position)
        if _is_table_line(line.of(text)):
            run = _table_lines(text, line)
            return _build_table(text, run), Span(run[0].start, run[-1].end + 1)
        if self._bare_block.start <= position < self._bare_block.end:
            return None, Span(line.start, line.end + 1)
        block = _block_around(text, position)
        rows = _listed_rows(text, block)
        if not rows:
            self._bare_block = block
            return None, Span(line.start, line.end + 1)
        table = Table(rows[0], tuple(rows[1:]))
        # before and behind it in its block there is none, which is found out for each place
        return (table, _NOWHERE) if rows[0].start <= position <= rows[-1].end else (None, _NOWHERE)


_NOWHERE = Span(-1, -1)


def find_table(text: str, position: int, tree: BlockIndex | None = None) -> Table | None:
    """The table that holds the character at ``position``; None where there is none."""
    return TableFinder(text, tree).find_at(position)


def _read_block(text: str, block: Block) -> Table | None:
    """The table that a block is, its first line its header."""
    lines = [Span(*match.span()) for match in _LINE.finditer(text, *block.span)]
    return Table(lines[0], tuple(lines[1:])) if len(lines) > 1 else None


_LINE = re.compile(r"\S(?:[^\n]*[^\s])?")


def _build_table(text: str, run: Sequence[Span]) -> Table | None:
    lines = [_trim_line(text, line) for line in run if not _RULE.fullmatch(line.of(text))]
    return Table(lines[0], tuple(lines[1:])) if len(lines) > 1 else None


def _table_lines(text: str, line: Span) -> list[Span]:
    """The lines of tables around ``line``, which is one."""
    run = [line]
    while run[-1].start and _is_table_line((above := _line_around(text, run[-1].start - 1)).of(text)):
        run.append(above)
    run.reverse()
    while run[-1].end + 1 < len(text) and _is_table_line((below := _line_around(text, run[-1].end + 1)).of(text)):
        run.append(below)
    return run


def _block_around(text: str, position: int) -> Span:
    """The lines around ``position`` without empty ones."""
    before, behind = text.rfind("\n\n", 0, position), text.find("\n\n", position)
    return Span(before + 2 if before >= 0 else 0, behind if behind >= 0 else len(text))


def _listed_rows(text: str, block: Span) -> list[Span]:
    """The rows of the table written as a list of lists in ``block``; none where there is no such table."""
    starts = [match.start() for match in _LISTED_ROW.finditer(text, block.start, block.end)]
    if len(starts) < 2:
        return []
    rows = [_trim_line(text, Span(start, end)) for start, end in pairwise((*starts, block.end))]
    return [] if any(len(split_cells(row.of(text))) < 2 for row in rows) else rows


def _is_table_line(line: str) -> bool:
    return is_row(line) or ("|" in line and _RULE.fullmatch(line) is not None)


def label_row(header: str, row: str) -> str:
    """A row for a reader who does not see its table: ``Country: Switzerland | Days: 5-7 | Cost: 19.00 €``.

    Where its columns are two, or others than those of the header, both as they stand, the header first.
    """
    names, cells = split_cells(header), split_cells(row)
    if len(cells) < _FEWEST_LABELLED or len(cells) != len(names):
        return f"{_join_line(header)} / {_join_line(row)}"
    pairs = ((name, cell) for name, cell in zip(names, cells, strict=True) if cell not in ("", BLANK))
    return " | ".join(f"{name}: {cell}" if name not in ("", BLANK) else cell for name, cell in pairs)


def _join_line(row: str) -> str:
    return " | ".join(split_cells(row)) if _LISTED_ROW.match(row) else " ".join(row.split())


def _line_around(text: str, position: int) -> Span:
    end = text.find("\n", position)
    return Span(text.rfind("\n", 0, position) + 1, end if end >= 0 else len(text))


def _trim_line(text: str, line: Span) -> Span:
    words = line.of(text)
    return Span(line.end - len(words.lstrip()), line.start + len(words.rstrip()))
