"""Columns of plain text: tables drawn with signs or set with spaces, terms with what is said of them beside or below."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from ascertain.documents.formats.plain.lines import Line

_GRID = re.compile(r"\+(?:[-=]+\+)+$")
_PIPED = re.compile(r"\|.*\|$")
_PIPE_RULE = re.compile(r"[|+]?[\s:=-]+(?:[|+][\s:=-]+)+[|+]?$")
_RULED = re.compile(r"(?:[-=]{2,} +)+[-=]{2,}$")
_GAP = re.compile(r"(?<=\S) {2,}(?=\S)")
_LONGEST = 1000
"""Characters of a row of a table that a person set."""


class Rows(NamedTuple):
    """The rows of a table, the first ``header_rows`` of them its header."""

    rows: list[list[str]]
    header_rows: int


def read_table(lines: Sequence[Line]) -> Rows | None:
    """The table that lines draw; None where they draw none."""
    if len(lines) < 2 or any(len(line.text) > _LONGEST for line in lines):
        return None
    texts = [line.text for line in lines]
    if _GRID.match(texts[0]) and all(text[0] in "+|" for text in texts):
        return _grid_rows(texts)
    if all("|" in text or _PIPE_RULE.match(text) for text in texts) and any(_PIPE_RULE.match(text) for text in texts):
        return _piped_rows(texts)
    if all(_PIPED.match(text) for text in texts):
        return _piped_rows(texts)
    if all("\t" in text for text in texts):
        return None
    return _ruled_rows(lines) or _set_rows(lines)


def _split_pipes(text: str) -> list[str]:
    return [cell.strip() for cell in text.strip().strip("|").split("|")]


def _grid_rows(texts: Sequence[str]) -> Rows | None:
    """The rows between the rules of a grid. Between two rules there is one row on several lines, but where only the header has a rule."""
    groups: list[list[list[str]]] = []
    header_rows = 0
    for text in texts:
        if text.startswith("+"):
            header_rows = 1 if "=" in text and len(groups) == 1 and groups[0] else header_rows
            if not groups or groups[-1]:
                groups.append([])
        elif groups:
            groups[-1].append(_split_pipes(text))
    groups = [group for group in groups if group]
    is_ruled = len(groups) > 2
    rows: list[list[str]] = []
    for group in groups:
        is_first = True
        for cells in group:
            goes_on = not is_first and len(cells) == len(rows[-1]) and (is_ruled or not cells[0])
            if goes_on:
                rows[-1] = [f"{above} {cell}".strip() for above, cell in zip(rows[-1], cells, strict=True)]
            else:
                rows.append(cells)
            is_first = False
    if not rows:
        return None
    return Rows(rows, header_rows or int(len(groups) > 1 and len(groups[0]) == 1))


def _piped_rows(texts: Sequence[str]) -> Rows | None:
    rules = [number for number, text in enumerate(texts) if _PIPE_RULE.match(text)]
    rows = [_split_pipes(text) for number, text in enumerate(texts) if number not in rules]
    widths = {len(row) for row in rows}
    if len(rows) < 2 or max(widths) < 2 or len(widths) > 2:
        return None
    return Rows(rows, rules[0] if rules and rules[0] <= 2 else 0)


def _ruled_rows(lines: Sequence[Line]) -> Rows | None:
    """A table under whose header each column has its rule: ``----  -----``."""
    at = next((number for number, line in enumerate(lines[:4]) if _RULED.match(line.text)), None)
    if at is None:
        return None
    raw = lines[at].raw
    starts = [match.start() for match in re.finditer(r"[-=]+", raw)]
    rows: list[list[str]] = []
    header_rows = 0
    for number, line in enumerate(lines):
        if _RULED.match(line.text) or re.fullmatch(r"[-=]+", line.text):
            header_rows = header_rows or (len(rows) if number >= at else 0)
            continue
        cells = _cut(line.raw, starts)
        if cells is None:
            return None
        if not cells[0] and rows and len(rows) > header_rows > 0:
            rows[-1] = [f"{above} {cell}".strip() for above, cell in zip(rows[-1], cells, strict=True)]
        else:
            rows.append(cells)
    return Rows(rows, header_rows) if len(rows) > 1 else None


def _cut(raw: str, starts: Sequence[int]) -> list[str] | None:
    """The cells of a line whose columns begin at ``starts``; None where a word crosses from one to the next."""
    cells: list[str] = []
    for number, start in enumerate(starts):
        end = starts[number + 1] if number + 1 < len(starts) else None
        if number and raw[start - 1 : start].strip() and raw[start : start + 1].strip():
            return None
        cells.append(raw[start if number else 0 : end].strip())
    return cells


def _set_rows(lines: Sequence[Line]) -> Rows | None:
    """A table set with spaces only: three columns or more that are apart in three lines or more, none of them empty often."""
    starts = _find_columns(lines)
    if len(lines) < 3 or len(starts) < 3:
        return None
    rows = [_cut(line.raw, starts) for line in lines]
    if any(row is None or sum(map(bool, row)) < 2 for row in rows):
        return None
    cut = [row for row in rows if row is not None]
    if sum(not cell for row in cut for cell in row) * 4 > len(cut) * len(starts):
        return None
    has_numbers = [any(any(map(str.isdigit, row[column])) for row in cut[1:]) for column in range(len(starts))]
    is_headed = any(has_numbers) and not any(any(map(str.isdigit, cell)) for cell in cut[0])
    return Rows(cut, 1 if is_headed else 0)


def _find_columns(lines: Sequence[Line]) -> list[int]:
    """Where columns begin: behind gaps of two spaces or more that go through all lines."""
    widest = max(line.end for line in lines)
    if widest > _LONGEST or not all(_GAP.search(line.text) for line in lines):
        return []
    taken = bytearray(widest + 1)
    for line in lines:
        for match in re.finditer(r"\S+(?: \S+)*", line.raw):
            taken[match.start() : match.end()] = b"\1" * (match.end() - match.start())
    starts: list[int] = []
    free = 2
    for column, is_taken in enumerate(taken):
        if is_taken and free >= 2:
            starts.append(column)
        free = 0 if is_taken else free + 1
    return starts


class Term(NamedTuple):
    """A term and the lines of what is said of it."""

    name: str
    said: list[Line]


_OPTION = re.compile(r"(?:-{1,2}|\+|/)[\w?#@][^ ]*(?: [^ ]+){0,4}$")
_FIELD = re.compile(r"(?P<name>[^\W\d_][\w./-]*(?: [\w./-]+){0,3}):(?:\s+(?P<value>\S.*))?$")
_LONGEST_TERM = 40


def read_terms(lines: Sequence[Line]) -> list[Term] | None:
    """The terms that lines describe, each with its description beside it; None where they do not."""
    return _fields(lines) or _beside(lines)


def _fields(lines: Sequence[Line]) -> list[Term] | None:
    """``Key: value`` on two lines or more that begin alike; deeper lines go on with the value."""
    base = lines[0].indent
    terms: list[Term] = []
    for line in lines:
        field = _FIELD.match(line.text) if line.indent == base and len(line.text) < _LONGEST else None
        if field and len(field["name"]) <= _LONGEST_TERM:
            value = field["value"]
            column = line.indent + len(line.text) - len(value or "")
            terms.append(
                Term(field["name"] + ":", [Line(value, column, line.end, " " * column + value)] if value else [])
            )
        elif terms and line.indent > base:
            terms[-1].said.append(line)
        else:
            return None
    return terms if len(terms) >= 2 and all(term.said for term in terms) else None


def _beside(lines: Sequence[Line]) -> list[Term] | None:
    """Terms with their descriptions in a second column: ``-x, --long   what it does``, ``KEY  value``."""
    base = lines[0].indent
    column = _second_column(lines)
    if column is None:
        return None
    terms: list[Term] = []
    for line in lines:
        name, said = line.raw[:column].strip(), line.raw[column:].strip()
        if line.indent >= column:
            if not terms:
                return None
            terms[-1].said.append(line)
        elif line.indent - base > 4 or line.raw[column - 2 : column].strip() or "  " in name:
            # an option too long for its column stands alone, its description on the next line
            if not _OPTION.match(line.text) or _GAP.search(line.text):
                return None
            terms.append(Term(line.text, []))
        else:
            terms.append(Term(name, [Line(said, column, line.end, " " * column + said)] if said else []))
    is_option = _OPTION.match(terms[0].name) is not None
    if any(term.name[-1] in ";{}" for term in terms):
        return None
    if len(terms) < (1 if is_option else 2) or not all(term.said for term in terms):
        return None
    return terms if all(len(term.name) <= _LONGEST_TERM for term in terms) or is_option else None


def _second_column(lines: Sequence[Line]) -> int | None:
    """Where descriptions begin: the same column behind the first gap of the lines that have one, and no gap behind it in most."""
    columns: dict[int, int] = {}
    further = 0
    gaps = 0
    for line in lines:
        if len(line.text) > _LONGEST:
            return None
        found = [match.end() for match in _GAP.finditer(line.raw)]
        if found:
            gaps += 1
            columns[found[0]] = columns.get(found[0], 0) + 1
            further += len(found) > 1
    if not columns or further * 3 > gaps:
        return None
    column = max(columns, key=lambda each: columns[each])
    return column if columns[column] * 4 >= gaps * 3 and column > lines[0].indent + 1 else None
