"""Running headers, footers and page numbers: found by repetition near the page's edges, and removed."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ascertain.sources.pdf.lines import Line

_EDGE = 0.12
"""Share of the text's height at top and bottom where furniture stands."""
_MIN_SHARE = 0.4
_COMPARED = 30
_SAME_HEIGHT = 24.0
"""Points; a footer of two lines stands a line higher than one of one line."""
_PAGE_NUMBER = re.compile(
    r"(?:page\s+)?[-–—|\s]*(?:\d{1,4}|[ivxlc]{1,6})[-–—|\s]*(?:(?:of|/)\s*\d{1,4})?", re.IGNORECASE
)
_FIRST_NUMBER = re.compile(r"^(\d{1,4})\s")
_LAST_NUMBER = re.compile(r"\s(\d{1,4})$")
_DIGITS = re.compile(r"\d+")


def without_furniture(pages: Sequence[Sequence[Line]]) -> list[list[Line]]:
    """The pages' lines without those that repeat at an edge of many pages, and without bare page numbers."""
    edges = [_at_edge(lines) for lines in pages]
    count = sum(bool(lines) for lines in pages)
    needed = max(2 if count <= 3 else 3, _MIN_SHARE * count)
    heights: dict[str, list[tuple[int, float]]] = {}
    for number, edge in enumerate(edges):
        for line in edge:
            heights.setdefault(_key(line), []).append((number, line.y))

    def repeats(line: Line) -> bool:
        alike = {number for number, y in heights[_key(line)] if abs(y - line.y) <= _SAME_HEIGHT}
        return len(alike) >= needed

    counting = _counting(edges, needed)
    kept: list[list[Line]] = []
    for lines, edge in zip(pages, edges, strict=True):
        dropped = {
            id(line)
            for line in edge
            if _PAGE_NUMBER.fullmatch(line.text) or id(line) in counting or repeats(line)
        }
        kept.append([line for line in lines if id(line) not in dropped])
    return kept


def _counting(edges: Sequence[Sequence[Line]], needed: float) -> set[int]:
    """The outermost lines that hold the page's number, as "Chapter 3: Utilities 6" does: they count up."""
    offsets: dict[tuple[bool, int], list[Line]] = {}
    for number, edge in enumerate(edges):
        if not edge:
            continue
        for is_top, line in ((True, max(edge, key=_height)), (False, min(edge, key=_height))):
            for found in {*_FIRST_NUMBER.findall(line.text), *_LAST_NUMBER.findall(line.text)}:
                offsets.setdefault((is_top, int(found) - number), []).append(line)
    return {id(line) for lines in offsets.values() if len(lines) >= needed for line in lines}


def _height(line: Line) -> float:
    return line.y


def _key(line: Line) -> str:
    """Equal for lines that begin alike, whatever the numbers in them; the same footer may be cut at another word."""
    return _DIGITS.sub("#", line.text.lower())[:_COMPARED]


def _at_edge(lines: Sequence[Line]) -> list[Line]:
    if len(lines) < 3:
        return list(lines) if len(lines) == 1 and _PAGE_NUMBER.fullmatch(lines[0].text) else []
    top, bottom = max(line.y for line in lines), min(line.y for line in lines)
    margin = _EDGE * (top - bottom)
    return [line for line in lines if line.y > top - margin or line.y < bottom + margin]
