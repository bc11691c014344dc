"""Tables of tbl(1): the format says which cells span others, the data which words they hold."""

import re
from collections.abc import Callable, Sequence

_OPTION_END = re.compile(r";\s*$")
_TAB = re.compile(r"\btab\s*\(\s{0,20}(.)\s*\)", re.IGNORECASE)
_KEY = re.compile(r"[lrcnasLRCNAS^_=-]")
_MOST_COLUMNS = 100


def read_tbl(lines: Sequence[str], render: Callable[[str], str]) -> tuple[list[list[str]], int]:
    """The rows between ``.TS`` and ``.TE``, and how many of them are its header."""
    at = 0
    tab = "\t"
    if lines and _OPTION_END.search(lines[0]):
        if match := _TAB.search(lines[0]):
            tab = match[1]
        at = 1
    is_headed = at + 1 < len(lines) and _is_bold(lines[at]) and not _is_bold(lines[at + 1])
    at, formats = _read_format(lines, at)
    rows: list[list[str]] = []
    header_rows = 0
    number = 0
    while at < len(lines):
        line = lines[at]
        at += 1
        if line.strip() in (".TH",):
            header_rows = len(rows)
        elif line.startswith(".T&"):
            at, formats = _read_format(lines, at)
            number = 0
        elif line.strip() in ("_", "="):
            header_rows = header_rows or (len(rows) if len(rows) == 1 else 0)
        elif not line.startswith(".") or line.startswith("\\."):
            cells, at = _read_cells(line, lines, at, tab)
            keys = formats[min(number, len(formats) - 1)] if formats else []
            number += 1
            rows.append(_fill_spans([render(cell).strip() for cell in cells[:_MOST_COLUMNS]], keys, rows))
    if is_headed and len(rows) > 1:
        header_rows = header_rows or 1
    return [row for row in rows if any(cell not in ("", "_", "=") for cell in row)], header_rows


def _is_bold(line: str) -> bool:
    return re.search(r"[lrcnLRCN](?:[fF]?\(?[bB])", line) is not None


def _read_format(lines: Sequence[str], at: int) -> tuple[int, list[list[str]]]:
    """The keys of each row that the format names, and the line behind it."""
    formats: list[list[str]] = []
    while at < len(lines):
        line = lines[at]
        at += 1
        for part in line.rstrip().rstrip(".").split(","):
            cleaned = re.sub(
                r"\([^)]{0,200}\)|[fF](?:\[[^\]]{0,200}\]|\(..|[BIRP1-4])|[wW]\d+|[vVpP][-+]?\d+|\d+|[|xXeEbBiItTuUdDzZmM]",
                " ",
                part,
            )
            keys = [key.lower() for key in _KEY.findall(cleaned)]
            if keys:
                formats.append(keys)
        if line.rstrip().endswith("."):
            break
    return at, formats


def _read_cells(line: str, lines: Sequence[str], at: int, tab: str) -> tuple[list[str], int]:
    """The cells of a row; one between ``T{`` and ``T}`` goes over lines."""
    cells = line.split(tab)
    while cells[-1].strip() == "T{":
        block: list[str] = []
        rest: list[str] = []
        while at < len(lines):
            inner = lines[at]
            at += 1
            if inner.startswith("T}"):
                rest = inner[2:].split(tab)[1:]
                break
            block.append(re.sub(r"^[.'](?:[BIR]|[BIR]{2}|SM)\s+", "", inner) if inner[:1] in ".'" else inner)
        texts = [each for each in block if each[:1] not in (".", "'")]
        cells = [*cells[:-1], " ".join(texts), *rest]
        if not rest:
            break
    return cells, at


def _fill_spans(cells: list[str], keys: Sequence[str], above: Sequence[Sequence[str]]) -> list[str]:
    """The cells of a row, those that are spanned with the words of the one that spans them."""
    filled: list[str] = []
    waiting = iter(cells)
    for column, key in enumerate(keys[:_MOST_COLUMNS]):
        if key == "s":
            next(waiting, None) if len(cells) >= len(keys) else None
            filled.append(filled[-1] if filled else "")
        else:
            cell = next(waiting, "")
            if (key == "^" or cell == "\\^") and above and column < len(above[-1]):
                cell = above[-1][column]
            filled.append("" if cell in ("_", "=") else cell)
    return [*filled, *waiting]
