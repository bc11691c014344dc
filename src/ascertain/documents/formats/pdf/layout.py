"""Reading order: columns of a page found by the white gutters between them.

A gutter is an x that few lines cross. The lines that do cross it (a title, a wide figure's caption) cut the page
into bands; in each band with text on both sides the left column is read before the right one, and each side is
looked at again. Tables look alike but have short cells on common baselines, columns have long lines. After
Nagy & Seth's XY cut (ICPR 1984), with bands instead of full-height cuts.
"""

import math
import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from ascertain.documents.formats.pdf.direction import runs_right_to_left
from ascertain.documents.formats.pdf.lines import Line, merge_rows
from ascertain.documents.formats.pdf.tables import merge_lines
from ascertain.documents.formats.plain.text import is_references, is_section_name

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
    for number, (block, is_aside) in enumerate(_split_blocks(parts, 0)):
        ordered.extend(replace(line, block=number, is_aside=is_aside) for line in merge_lines(block))
    return ordered


def with_edges(lines: Sequence[Line]) -> list[Line]:
    """The lines of one page, each with the left and right edge of its block."""
    edges: dict[int, tuple[float, float]] = {}
    for line in lines:
        left, right = edges.get(line.block, (line.x0, line.x1))
        edges[line.block] = min(left, line.x0), max(right, line.x1)
    return [replace(line, left=edges[line.block][0], right=edges[line.block][1]) for line in lines]


def _split_blocks(parts: Sequence[Line], depth: int) -> Iterator[tuple[Sequence[Line], bool]]:
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
            yield from _split_blocks(main, depth + 1)
            yield aside, True
            continue
        is_backwards = runs_right_to_left(" ".join(part.text for part in (*band.left, *band.right)))
        for side in (band.right, band.left) if is_backwards else (band.left, band.right):
            yield from _split_blocks(side, depth + 1)


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
        bands = _find_bands(parts, x)
        count = sum(min(len(band.left), len(band.right)) for band in bands if _are_columns(band))
        if count > best_count:
            best, best_count = bands, count
    return [_settle_band(band) for band in best] if best else None


def _find_bands(parts: Sequence[Line], x: float) -> list[_Band]:
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


def _settle_band(band: _Band) -> _Band:
    """A band that is no pair of columns is read across."""
    if not band.crossing and band.left and band.right and not _are_columns(band):
        return _Band([], [], [*band.left, *band.right])
    return band


def _are_columns(band: _Band) -> bool:
    if len(band.left) < _MIN_LINES or len(band.right) < _MIN_LINES:
        return False
    if _fills_side(band.left) and _fills_side(band.right):
        return True
    shorter, longer = sorted((band.left, band.right), key=len)
    aligned = sum(any(abs(part.y - other.y) < _ALIGNED for other in longer) for part in shorter)
    return aligned < 0.5 * len(shorter) and _fills_side(longer)


def _fills_side(side: Sequence[Line]) -> bool:
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


_USUAL_LEADING = 1.2
_WIDEST_LEADING = 1.7
"""Of the lines of a paragraph; where they stand wider apart they reach from edge to edge (by judgement)."""
_LARGER = 1.09
_TITLE_LARGER = 1.2
_SAME_RANK = 0.06
_MAX_CHARACTERS = 160
_MAX_BOLD_WORDS = 14
_NUMBERED = re.compile(r"(\d{1,2}(?:\.\d{1,2}){0,4})\.?\s+\S")
_LETTERS = re.compile(r"[^\W\d_]{2}")


@dataclass(frozen=True, slots=True)
class Style:
    """What the type of a document's lines means: the body's size, and the heading sizes from large to small."""

    body_size: float
    leading: float
    """Usual distance of baselines in the body, as a multiple of the size."""
    title_size: float
    heading_sizes: tuple[float, ...]
    hangs: bool = False
    """Whether entries of the list of references begin to the left of their other lines."""


def style_of(lines: Sequence[Line]) -> Style:
    """The style of all lines of a document; ``lines`` must not be empty."""
    lines = [line for line in lines if not line.apart] or lines
    weights = Counter[float]()
    for line in lines:
        weights[round(line.size, 1)] += len(line.text)
    body = weights.most_common(1)[0][0]
    gaps = sorted(
        (before.y - line.y) / body
        for before, line in pairwise(lines)
        if (before.page, before.block) == (line.page, line.block)
        and abs(line.size - body) < 0.5
        and 0.8 * body < before.y - line.y < 3 * body
    )
    leading = gaps[len(gaps) // 2] if gaps else _USUAL_LEADING
    if leading > _WIDEST_LEADING and not _fill_width(lines):
        # lines that each stand for themselves, as those of forms and title pages do
        leading = _USUAL_LEADING
    first_page = [line for line in lines if line.page == lines[0].page and _LETTERS.search(line.text)]
    largest = max((line.size for line in first_page if len(line.text) >= 4), default=body)
    title = largest if largest >= _TITLE_LARGER * body else 0.0
    plain = Style(body, leading, title, ())
    sizes = (line.size for line in lines if is_heading(line, plain) and line.size < 0.97 * (title or math.inf))
    return Style(body, leading, title, _rank_sizes(sizes), _references_hang(lines))


def _fill_width(lines: Sequence[Line]) -> bool:
    """Whether most lines reach from edge to edge, as those of a text set with wide lines do."""
    full = sum(line.width > 0.8 * (line.right - line.left) for line in lines)
    return full >= _FILLED * len(lines)


def is_title(line: Line, style: Style, first_page: int) -> bool:
    """Whether the line is part of the document's title: the largest type on its first page."""
    return line.page == first_page and style.title_size > 0 and line.size > 0.97 * style.title_size


def is_heading(line: Line, style: Style) -> bool:
    """Whether the line is a heading, or part of one."""
    text = line.text
    # An ellipsis stands for the dots of a table of contents.
    if (
        line.is_aside
        or line.is_row
        or line.apart
        or " … " in text
        or len(text) > _MAX_CHARACTERS
        or not _LETTERS.search(text)
    ):
        return False
    if line.is_outlined or is_section_name(text):
        return True
    if text.endswith((".", ",", ";")) or line.is_mono or not (text[0].isupper() or text[0].isdigit()):
        return False
    if line.size >= _LARGER * style.body_size:
        return True
    is_short = len(text.split()) <= _MAX_BOLD_WORDS and line.width < 0.9 * (line.right - line.left + 1)
    return line.is_bold and line.size >= 0.95 * style.body_size and is_short and not text.endswith(":")


def level_of(text: str, size: float, style: Style) -> int:
    """1 for the outermost: by the numbering where there is one, else by the rank of its size."""
    match = _NUMBERED.match(text)
    if match:
        return match[1].count(".") + 1
    ranks = (rank for rank, known in enumerate(style.heading_sizes, 1) if size > (1 - _SAME_RANK) * known)
    return next(ranks, max(1, len(style.heading_sizes)))


def opens_body(text: str, size: float, style: Style) -> bool:
    """Whether a heading under the title is the first of the body; smaller ones there are the authors' names."""
    return is_section_name(text) or size > (1 - _SAME_RANK) * (style.heading_sizes or (0.0,))[0]


def _rank_sizes(sizes: Iterable[float]) -> tuple[float, ...]:
    """Distinct sizes from large to small, those that differ by a hair taken as one."""
    ranks: list[float] = []
    for size in sorted(sizes, reverse=True):
        if not ranks or size < (1 - _SAME_RANK) * ranks[-1]:
            ranks.append(size)
    return tuple(ranks)


def _references_hang(lines: Sequence[Line]) -> bool:
    starts = [index for index, line in enumerate(lines) if is_references(line.text)]
    entries = lines[starts[-1] + 1 :] if starts else lines[:0]
    indented = sum(line.x0 > line.left + 0.8 * line.size for line in entries)
    return 0.25 * len(entries) < indented < 0.9 * len(entries)
