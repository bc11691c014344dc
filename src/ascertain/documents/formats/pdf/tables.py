"""Tables as they are printed: cells that stand below each other, between white gutters, become rows.

A table is a run of lines whose pieces fall into the same columns; the lines of a cell that was wrapped are put together again.
There may be rules between the rows or none: only where the words stand counts. Gutters as in the T-Recs system (Kieninger & Dengel,
DAS 1998), rows by the column that is wrapped least.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from statistics import median

from ascertain.documents.formats.pdf.direction import runs_right_to_left
from ascertain.documents.formats.pdf.lines import RAISED_DIGITS, Line, join_row, split_rows
from ascertain.documents.formats.pdf.words import SOFT_HYPHEN
from ascertain.language.tables import BLANK, join_cells, split_cells

_GUTTER = 0.7
"""Least white between two columns, in sizes of type; words are a third of one apart."""
_FARTHEST = 3.0
"""Distance of two lines of one table, in sizes of type, at most."""
_FEWEST_LINES = 2
"""Lines with several cells that make a table of three columns and more; of two columns one more, as two lines of them are
often something else: a date beside a name, a formula and its number.
"""
_WIDER_GAP = 1.25
"""Rows stand this much farther apart than the lines of one, where there is such a difference."""
_LISTED = 0.2
"""Share of such cells from which on they are a list in wide type: authors with the numbers of their addresses."""
_LISTING = re.compile(rf",$|^[\d{RAISED_DIGITS},*†‡]+,\s")
_LONG_CELL = 28
"""Characters; two columns of cells as long as this are columns of text."""
_MARK = re.compile(r"[•●◦▪‣∙·–*-]|\(?(?:\d{1,3}|[a-zA-Z])[.)]|\[\d{1,3}\]|\d{1,3}")
"""What a list has before its items, formulas and lines of code beside them."""
_SAME_SIZE = 0.08
_HYPHENS = (SOFT_HYPHEN, "-", "\u2010")

_Row = list[Line]
"""The pieces of one line, from left to right."""
_Column = tuple[float, float]


def merge_lines(parts: Sequence[Line]) -> list[Line]:
    """Lines from top to bottom out of parts of lines, those of tables as rows of cells."""
    rows = split_rows(parts)
    lines: list[Line] = []
    start = 0
    while start < len(rows):
        if _is_apart_row(rows[start]):
            lines.extend(rows[start])
            start += 1
            continue
        end, columns = _find_table(rows, start)
        if end > start:
            lines.extend(_build_rows(rows[start:end], columns))
            start = end
        else:
            lines.append(join_row(rows[start]))
            start += 1
    return lines


def goes_on_overleaf(table: Sequence[Line], row: Line) -> bool:
    """Whether a row at the top of a page goes on with the table at the foot of the one before; false if its header is printed again."""
    last = table[-1]
    is_alike = abs(last.x0 - row.x0) < row.size and abs(last.size - row.size) < _SAME_SIZE * row.size
    same_columns = len(split_cells(last.text)) == len(split_cells(row.text))
    return row.page == last.page + 1 and is_alike and same_columns and row.text != table[0].text


def is_rest_of_row(above: Line, row: Line) -> bool:
    """Whether a row is the rest of the one at the foot of the page before: some of its cells are empty, and the others go on
    in small letters with those above.
    """
    pairs = list(zip(split_cells(above.text), split_cells(row.text), strict=False))
    filled = [(before, rest) for before, rest in pairs if rest != BLANK]
    goes_on = all(before != BLANK and rest[:1].islower() for before, rest in filled)
    return row.page == above.page + 1 and not row.scanned and 0 < len(filled) < len(pairs) and goes_on


def join_rows(above: Line, rest: Line) -> Line:
    """A row that was cut by the end of a page, on the page that it begins on."""
    pairs = zip(split_cells(above.text), split_cells(rest.text), strict=True)
    cells = [_join_cell([cell for cell in pair if cell != BLANK]) for pair in pairs]
    return replace(above, text=join_cells(cells))


def _find_table(rows: Sequence[_Row], start: int) -> tuple[int, list[_Column]]:
    """Where the table that begins with a line ends, and its columns; ``start`` itself where there is none."""
    columns = _add_pieces([], rows[start])
    end = start + 1
    if len(columns) < 2:
        return start, []
    while end < len(rows) and _is_near(rows[end - 1], rows[end]) and not _is_apart_row(rows[end]):
        wider = _add_pieces(columns, rows[end])
        if len(wider) < max(2, len(columns)):
            break
        columns = wider
        end += 1
    # words below a table that happen to stand in a column are no part of it
    while end > start and len(rows[end - 1]) < 2 and _is_apart(rows, start, end):
        end -= 1
    return (end, columns) if _is_table(rows[start:end], columns) else (start, [])


def _is_apart_row(row: _Row) -> bool:
    """Whether fields of a form stand on a line; their labels are in them."""
    return any(piece.apart for piece in row)


def _is_near(above: _Row, below: _Row) -> bool:
    return above[0].y - below[0].y <= _FARTHEST * max(above[0].size, below[0].size)


def _is_apart(rows: Sequence[_Row], start: int, end: int) -> bool:
    gaps = [above[0].y - below[0].y for above, below in pairwise(rows[start:end])]
    return bool(gaps) and gaps[-1] > 1.4 * min(gaps)


def _add_pieces(columns: Sequence[_Column], row: _Row) -> list[_Column]:
    """The columns with the pieces of a line in them: what overlaps, or all but touches, is one."""
    gutter = _GUTTER * max(piece.size for piece in row)
    merged: list[_Column] = []
    for left, right in sorted([*columns, *((piece.x0, piece.x1) for piece in row)]):
        if merged and left - merged[-1][1] < gutter:
            merged[-1] = (merged[-1][0], max(merged[-1][1], right))
        else:
            merged.append((left, right))
    return merged


def _is_table(rows: Sequence[_Row], columns: Sequence[_Column]) -> bool:
    cells = [_split_cells(row, columns) for row in rows]
    several = [line for line in cells if sum(map(bool, line)) > 1]
    if len(several) < _FEWEST_LINES + (len(columns) == 2):
        return False
    pieces = [piece for row in rows for piece in row]
    if sum(piece.is_mono for piece in pieces) > len(pieces) / 2:
        return False
    filled = [[text for line in cells if (text := line[number])] for number in range(len(columns))]
    listed = sum(bool(_LISTING.search(text)) for texts in filled for text in texts)
    if listed > _LISTED * sum(map(len, filled)):
        return False
    if len(columns) == 2 and any(all(_MARK.fullmatch(text) for text in texts) for texts in (filled[0], filled[-1])):
        return any(not _MARK.fullmatch(text) for text in filled[0]) and all(text.isdigit() for text in filled[-1])
    return len(columns) > 2 or any(median(map(len, texts)) < _LONG_CELL for texts in filled)


def _split_cells(row: _Row, columns: Sequence[_Column]) -> list[str]:
    cells = [""] * len(columns)
    for piece in row:
        number = next(number for number, (_, right) in enumerate(columns) if piece.x0 <= right)
        cells[number] = f"{cells[number]} {piece.text}".strip()
    return cells


def _build_rows(rows: Sequence[_Row], columns: Sequence[_Column]) -> list[Line]:
    cells = [_split_cells(row, columns) for row in rows]
    starts = _find_starts(rows, cells)
    is_backwards = runs_right_to_left(" ".join(piece.text for row in rows for piece in row))
    built: list[Line] = []
    for start, end in pairwise((*starts, len(rows))):
        lines = cells[start:end]
        texts = [_join_cell([line[number] for line in lines]) for number in range(len(columns))]
        text = join_cells(texts[::-1] if is_backwards else texts)
        first = join_row(rows[start])
        scanned = tuple(
            piece
            for left, right in columns
            for row in rows[start:end]
            for part in row
            if left <= part.x0 <= right
            for piece in part.scanned
        )
        built.append(
            replace(first, text=text, x0=columns[0][0], x1=columns[-1][1], is_row=True, is_cells=True, scanned=scanned)
        )
    return built


def _join_cell(lines: Sequence[str]) -> str:
    """The words of a cell on one line, those that were cut at the end of a line whole."""
    text = ""
    for line in filter(None, lines):
        is_cut = text.endswith(_HYPHENS) and line[0].islower()
        text = text[:-1] + line if is_cut else f"{text} {line}".strip()
    return text.replace(SOFT_HYPHEN, "-")


def _find_starts(rows: Sequence[_Row], cells: Sequence[Sequence[str]]) -> list[int]:
    """The lines with which the rows of a table begin."""
    head = _count_bold(rows)
    body = list(range(head, len(rows)))
    starts = _split_at_gaps(rows, body) or _split_by_anchor(cells, body)
    return [0, *starts] if head else starts


def _count_bold(rows: Sequence[_Row]) -> int:
    """The lines of a bold header; none where all lines are bold, or the first is not."""
    return next((number for number, row in enumerate(rows) if not all(piece.is_bold for piece in row)), 0)


def _split_at_gaps(rows: Sequence[_Row], body: Sequence[int]) -> list[int]:
    """The lines that stand farther below the one above than others do; none where all stand alike, or gaps tell nothing."""
    gaps = {line: rows[line - 1][0].y - rows[line][0].y for line in body[1:]}
    least = min(gaps.values(), default=0.0)
    starts = [*body[:1], *(line for line, gap in gaps.items() if gap > _WIDER_GAP * least)]
    alone = sum(len(rows[start]) < 2 for start in starts)
    return starts if len(starts) > 2 and len(starts) < len(body) and alone < 0.3 * len(starts) else []


def _split_by_anchor(cells: Sequence[Sequence[str]], body: Sequence[int]) -> list[int]:
    """A row begins where the column that is wrapped least has a cell, and where whole cells begin."""
    if not body:
        return []
    columns = range(len(cells[0]))
    fills = [sum(bool(cells[line][column]) for line in body) for column in columns]
    usual = sum(sum(map(bool, cells[line])) > 1 for line in body) / 3
    anchor = min((column for column in columns if fills[column] >= usual), key=lambda each: (fills[each], each))
    anchored = [cells[line] for line in body if cells[line][anchor]]
    small = [_is_small([line[column] for line in anchored]) for column in columns]
    starts = [line for line in body if cells[line][anchor] or _begins_row(cells[line], small)]
    return starts if starts[:1] == [body[0]] else [body[0], *starts]


def _is_small(texts: Sequence[str]) -> bool:
    """Whether the cells of a column begin with small letters."""
    filled = [text for text in texts if text]
    return sum(text[0].islower() for text in filled) >= len(filled) / 2


def _begins_row(line: Sequence[str], small: Sequence[bool]) -> bool:
    """Whether the cells of a line, the first among them, are no rest of those above."""
    filled = [(text, is_small) for text, is_small in zip(line, small, strict=True) if text]
    goes_on = any(text[0].islower() and not is_small for text, is_small in filled)
    return bool(line[0]) and len(filled) > max(1, len(line) / 2) and not goes_on
