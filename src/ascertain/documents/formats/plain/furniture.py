"""Running heads and feet of printed text: what stands around the form feeds of an RFC, and between its paragraphs."""

import re
from collections import Counter
from collections.abc import Sequence

_OWN_NUMBER = re.compile(r"(?:^\d+(?=\s{3})|(?<=\s\s\s)\d+$|\bpage\s+[\divxlc]+\]?$)", re.IGNORECASE)
"""The number of a page in a running line: at its end, far from the rest."""
_PAGE_NUMBER = re.compile(r"\[?page\s+[\divxlc]+\]?$|^\W*\d+\W*$", re.IGNORECASE)
_FEWEST_PAGES = 3


def cut_furniture(text: str) -> tuple[str, list[str]]:
    """The text without running heads and feet, and each of those once; paragraphs that a page ends go on behind it.

    A foot is the last line of a page, a head the first of one, where most pages have the same but for its numbers.
    """
    pages = text.split("\f")
    if len(pages) < _FEWEST_PAGES:
        return text.replace("\f", "\n"), []
    sheets = [page.split("\n") for page in pages]
    feet = Counter(_fold(sheet[at]) for sheet in sheets if (at := _last_line(sheet)) is not None)
    heads = Counter(_fold(sheet[at]) for sheet in sheets[1:] if (at := _first_line(sheet)) is not None)
    furniture: dict[str, str] = {}
    for number, sheet in enumerate(sheets):
        at = _last_line(sheet)
        if at is not None and (feet[_fold(sheet[at])] * 2 > len(pages) or _PAGE_NUMBER.search(sheet[at].strip()[-60:])):
            furniture.setdefault(_fold(sheet[at]), sheet[at].strip())
            del sheet[at:]
        at = _first_line(sheet)
        if number and at is not None and heads[_fold(sheet[at])] * 2 > len(pages) - 1:
            furniture.setdefault(_fold(sheet[at]), sheet[at].strip())
            del sheet[: at + 1]
    return _join_pages(sheets), list(furniture.values())


def _fold(line: str) -> str:
    return " ".join(_OWN_NUMBER.sub("1", line.strip()[-200:]).split())


def _first_line(sheet: Sequence[str]) -> int | None:
    return next((number for number, line in enumerate(sheet) if line.strip()), None)


def _last_line(sheet: Sequence[str]) -> int | None:
    return next((number for number in range(len(sheet) - 1, -1, -1) if sheet[number].strip()), None)


def _join_pages(sheets: Sequence[list[str]]) -> str:
    lines: list[str] = []
    for sheet in sheets:
        first, last = _first_line(sheet), _last_line(sheet)
        if first is None or last is None:
            continue
        if lines:
            above, below = lines[-1], sheet[first]
            goes_on = (
                above.strip()[-1:] not in ".:;!?" and below.strip()[:1].islower() and _indent(above) == _indent(below)
            )
            lines += [] if goes_on else [""]
        lines += sheet[first : last + 1]
    return "\n".join(lines)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
