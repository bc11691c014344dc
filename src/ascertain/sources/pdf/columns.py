"""Reading order: columns of a page found by the white gutters between them.

A gutter is an x that few lines cross. The lines that do cross it (a title, a wide figure's caption) cut the page
into bands; in each band with text on both sides the left column is read before the right one, and each side is
looked at again. Tables look alike but have short cells on common baselines, columns have long lines. After
Nagy & Seth's XY cut (ICPR 1984), with bands instead of full-height cuts.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ascertain.sources.pdf.lines import Line, merge_rows

_MIN_LINES = 4
_GUTTER = 7.0
"""Least width of a gutter, in points."""
_STEP = 2.0
_MAX_DEPTH = 3
_MAX_PARTS = 3000
"""A page of more is a map or a drawing; looking for columns there only takes time."""
_LONG_LINE = 28
"""Characters; a column of a paper has 40 to 60 in a line, the cells of a table few."""
_ASIDE_SHARE = 0.36
_ALIGNED = 1.0
_FILLED = 0.5


@dataclass(frozen=True, slots=True)
class _Band:
    """Lines between two lines that cross the gutter; or, when ``crossing``, such lines themselves."""

    left: list[Line]
    right: list[Line]
    crossing: list[Line]


def in_reading_order(parts: Sequence[Line]) -> list[Line]:
    """The lines of a page in reading order, each with the number of its block."""
    ordered: list[Line] = []
    for number, (block, is_aside) in enumerate(_blocks(parts, 0)):
        ordered.extend(replace(line, block=number, is_aside=is_aside) for line in merge_rows(block))
    return ordered


def with_edges(lines: Sequence[Line]) -> list[Line]:
    """The lines of one page, each told the left and right edge of its block."""
    edges: dict[int, tuple[float, float]] = {}
    for line in lines:
        left, right = edges.get(line.block, (line.x0, line.x1))
        edges[line.block] = min(left, line.x0), max(right, line.x1)
    return [replace(line, left=edges[line.block][0], right=edges[line.block][1]) for line in lines]


def _blocks(parts: Sequence[Line], depth: int) -> Iterator[tuple[Sequence[Line], bool]]:
    bands = _best_split(parts) if depth < _MAX_DEPTH and 2 * _MIN_LINES <= len(parts) <= _MAX_PARTS else None
    if bands is None:
        if parts:
            yield parts, False
        return
    for band in bands:
        if band.crossing:
            yield band.crossing, False
            continue
        if band.left and band.right and (aside := _aside_of(band)) is not None:
            main = band.right if aside is band.left else band.left
            yield from _blocks(main, depth + 1)
            yield aside, True
            continue
        for side in (band.left, band.right):
            yield from _blocks(side, depth + 1)


def _best_split(parts: Sequence[Line]) -> list[_Band] | None:
    """The bands about the gutter that separates the most lines, or None when there is no gutter."""
    left, right = min(part.x0 for part in parts), max(part.x1 for part in parts)
    best: list[_Band] | None = None
    best_count = _MIN_LINES - 1
    starts, ends = sorted(part.x0 for part in parts), sorted(part.x1 for part in parts)
    x = left + 0.12 * (right - left) - _STEP
    while (x := x + _STEP) < right - 0.12 * (right - left):
        before, after = bisect_left(ends, x - _GUTTER / 2), len(parts) - bisect_right(starts, x + _GUTTER / 2)
        if min(before, after) <= best_count:
            continue
        bands = _bands(parts, x)
        count = sum(min(len(band.left), len(band.right)) for band in bands if _are_columns(band))
        if count > best_count:
            best, best_count = bands, count
    return [_settled(band) for band in best] if best else None


def _bands(parts: Sequence[Line], x: float) -> list[_Band]:
    bands = [_Band([], [], [])]
    for part in sorted(parts, key=lambda line: -line.y):
        crosses = part.x0 < x - _GUTTER / 2 and part.x1 > x + _GUTTER / 2
        touches = not crosses and part.x0 < x + _GUTTER / 2 and part.x1 > x - _GUTTER / 2
        if crosses or touches:
            if not bands[-1].crossing:
                bands.append(_Band([], [], []))
            bands[-1].crossing.append(part)
            continue
        if bands[-1].crossing:
            bands.append(_Band([], [], []))
        (bands[-1].left if part.x1 < x else bands[-1].right).append(part)
    return [band for band in bands if band.left or band.right or band.crossing]


def _settled(band: _Band) -> _Band:
    """A band that is no pair of columns is read across."""
    if not band.crossing and band.left and band.right and not _are_columns(band):
        return _Band([], [], [*band.left, *band.right])
    return band


def _are_columns(band: _Band) -> bool:
    if len(band.left) < _MIN_LINES or len(band.right) < _MIN_LINES:
        return False
    if _fills(band.left) and _fills(band.right):
        return True
    shorter, longer = sorted((band.left, band.right), key=len)
    aligned = sum(any(abs(part.y - other.y) < _ALIGNED for other in longer) for part in shorter)
    return aligned < 0.5 * len(shorter) and _fills(longer)


def _fills(side: Sequence[Line]) -> bool:
    """Whether most lines are long and reach across the side."""
    width = max(part.x1 for part in side) - min(part.x0 for part in side)
    long = sum(part.width > 0.6 * width and len(part.text) >= _LONG_LINE for part in merge_rows(side))
    return long >= _FILLED * len(merge_rows(side))


def _aside_of(band: _Band) -> list[Line] | None:
    """The side that is a narrow column beside the main text, if one is."""
    both = [*band.left, *band.right]
    total = max(part.x1 for part in both) - min(part.x0 for part in both)
    for side, other in ((band.left, band.right), (band.right, band.left)):
        width = max(part.x1 for part in side) - min(part.x0 for part in side)
        characters = sum(len(part.text) for part in side)
        if width < _ASIDE_SHARE * total and characters < 0.4 * sum(len(part.text) for part in other):
            return side
    return None
