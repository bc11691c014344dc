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
from dataclasses import dataclass, field, replace
from enum import Enum
from itertools import groupby, pairwise

from ascertain.sources.formats.pdf.lines import Line, merge_rows
from ascertain.sources.formats.pdf.tables import merge_lines
from ascertain.sources.formats.pdf.words import SOFT_HYPHEN
from ascertain.sources.formats.text import is_references, is_section_name

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
    """The lines of one page, each told the left and right edge of its block."""
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
        for side in (band.left, band.right):
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
    leading = gaps[len(gaps) // 2] if gaps else 1.2
    first_page = [line for line in lines if line.page == lines[0].page and _LETTERS.search(line.text)]
    largest = max((line.size for line in first_page if len(line.text) >= 4), default=body)
    title = largest if largest >= _TITLE_LARGER * body else 0.0
    plain = Style(body, leading, title, ())
    sizes = (line.size for line in lines if is_heading(line, plain) and line.size < 0.97 * (title or math.inf))
    return Style(body, leading, title, _rank_sizes(sizes), _references_hang(lines))


def is_title(line: Line, style: Style, first_page: int) -> bool:
    """Whether the line is part of the document's title: the largest type on its first page."""
    return line.page == first_page and style.title_size > 0 and line.size > 0.97 * style.title_size


def is_heading(line: Line, style: Style) -> bool:
    """Whether the line is a heading, or part of one."""
    text = line.text
    # An ellipsis stands for the dots of a table of contents.
    if line.is_aside or line.is_row or " … " in text or len(text) > _MAX_CHARACTERS or not _LETTERS.search(text):
        return False
    if is_section_name(text):
        return True
    if text.endswith((".", ",", ";")) or line.is_mono or not (text[0].isupper() or text[0].isdigit()):
        return False
    if line.size >= _LARGER * style.body_size:
        return True
    is_short = len(text.split()) <= _MAX_BOLD_WORDS and line.width < 0.9 * (line.right - line.left + 1)
    return line.is_bold and line.size >= 0.95 * style.body_size and is_short and not text.endswith(":")


def level_of(text: str, size: float, style: Style) -> int:
    """1 for the outermost: by the numbering where there is one, else by the rank of its size."""
    numbered = _NUMBERED.match(text)
    if numbered:
        return numbered[1].count(".") + 1
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


_BULLET = re.compile(r"[•●◦▪‣∙]\s+\S|\[\d{1,3}\]\s")
_MAYBE_BULLET = re.compile(r"[·–*-]\s+\S|\(?(?:\d{1,2}|[a-z])[.)]\s+\S")
"""Bullets, unless they go on with a sentence."""
_CAPTION = re.compile(r"(?:figure|fig\.|table|listing|algorithm)\s*\d", re.IGNORECASE)
_WIDER_GAP = 1.3
_INDENT = 0.8
"""In sizes: a first line set in by more than this begins a paragraph."""
_SAME_SIZE = 0.08
_SMALL = 0.92
"""Footnotes are set smaller than this share of the body's size."""
_SENTENCE_END = (".", "!", "?", ":", ".”", '."', ".)", "]")


class Role(Enum):
    """What a paragraph is, which decides how its lines are joined."""

    TITLE = "title"
    HEADING = "heading"
    TEXT = "text"
    CODE = "code"
    ROWS = "rows"
    TABLE = "table"
    ASIDE = "aside"


@dataclass(slots=True)
class Paragraph:
    """Lines that belong together."""

    role: Role
    lines: list[Line] = field(default_factory=list[Line])
    is_item: bool = False
    """It begins with a bullet or number."""


def build_paragraphs(lines: Sequence[Line], style: Style) -> list[Paragraph]:
    """The paragraphs of a document in reading order, each aside put where it stood, between two of them."""
    main = [line for line in lines if not line.is_aside]
    asides = [line for line in lines if line.is_aside]
    found = _group_lines(main, style)
    for _, block in groupby(asides, key=lambda line: (line.page, line.block)):
        position = _find_position(found, aside := list(block))
        found[position:position] = _group_lines(aside, style)
    return found


def _group_lines(lines: Sequence[Line], style: Style) -> list[Paragraph]:
    found: list[Paragraph] = []
    in_references = False
    under_title = False
    first_page = lines[0].page if lines else 0
    for line in lines:
        role = _choose_role(line, style, first_page)
        under_title = (under_title or role is Role.TITLE) and line.page == first_page
        if under_title and role is Role.HEADING:
            under_title = not opens_body(line.text, line.size, style)
            role = Role.TEXT if under_title else role
        last = _open_paragraph(found, line, style)
        if role is Role.HEADING:
            in_references = is_references(line.text)
        if last is not None and last.role is role and _belongs_to(last, line, style, in_references):
            last.lines.append(line)
        else:
            found.append(Paragraph(role, [line], _is_item(line, last)))
    return found


def _open_paragraph(found: Sequence[Paragraph], line: Line, style: Style) -> Paragraph | None:
    """The last paragraph; at the top of a page the one before the footnotes, when it breaks off there."""
    if not found or line.page == found[-1].lines[-1].page or line.size < _SMALL * style.body_size:
        return found[-1] if found else None
    for paragraph in reversed(found):
        if paragraph.role is not Role.TEXT or paragraph.lines[-1].size >= _SMALL * style.body_size:
            return paragraph if paragraph.role is Role.TEXT else found[-1]
    return found[-1]


def _choose_role(line: Line, style: Style, first_page: int) -> Role:
    if line.is_aside:
        return Role.ASIDE
    if line.is_cells:
        return Role.TABLE
    if is_title(line, style, first_page):
        return Role.TITLE
    if is_heading(line, style):
        return Role.HEADING
    if line.is_mono and "://" not in line.text:
        return Role.CODE
    return Role.ROWS if line.is_row else Role.TEXT


def _belongs_to(paragraph: Paragraph, line: Line, style: Style, in_references: bool) -> bool:
    """Whether ``line``, of the same role, goes on with ``paragraph``."""
    last = paragraph.lines[-1]
    gap = last.y - line.y
    is_adjacent = (last.page, last.block) == (line.page, line.block) and gap > 0
    size = max(last.size, line.size)
    if paragraph.role in (Role.TITLE, Role.HEADING):
        same = abs(last.size - line.size) < _SAME_SIZE * size and last.is_bold == line.is_bold
        return is_adjacent and same and gap < 1.8 * size and not _starts_with_number(line)
    if paragraph.role is Role.TABLE:
        return is_adjacent
    if paragraph.role in (Role.CODE, Role.ROWS):
        return is_adjacent and gap < 2.5 * style.leading * size
    if abs(last.size - line.size) > _SAME_SIZE * size or _is_item(line, paragraph) or _CAPTION.match(line.text):
        return False
    if not is_adjacent:
        return _runs_on(last, line, in_references)
    if gap > _WIDER_GAP * max(style.leading, 1.0) * size:
        return False
    return _same_block(paragraph, line, style, in_references)


def _same_block(paragraph: Paragraph, line: Line, style: Style, in_references: bool) -> bool:
    """By indents and short lines: whether a line under another is in the same paragraph."""
    last = paragraph.lines[-1]
    indent = line.x0 - last.x0
    if in_references:
        return line.x0 > line.left + _INDENT * line.size if style.hangs else True
    if paragraph.is_item:
        return indent > -_INDENT * line.size or not last.text.endswith(_SENTENCE_END)
    if indent > _INDENT * line.size and last.text.endswith(_SENTENCE_END):
        return False
    is_short = last.x1 < last.right - 0.2 * (last.right - last.left)
    return not (is_short and last.text.endswith(_SENTENCE_END))


def _runs_on(last: Line, line: Line, in_references: bool) -> bool:
    """Whether a paragraph goes on across a column or page."""
    if last.text.endswith((SOFT_HYPHEN, "-")):
        return True
    if in_references:
        return line.x0 > line.left + _INDENT * line.size
    if last.text.endswith(_SENTENCE_END):
        return False
    reaches_edge = last.x1 > last.right - 0.1 * (last.right - last.left)
    return reaches_edge or line.text[0].islower()


def _is_item(line: Line, before: Paragraph | None) -> bool:
    if _BULLET.match(line.text):
        return True
    goes_on = before is not None and before.role is Role.TEXT and not before.is_item
    is_ended = before is None or before.lines[-1].text.endswith((*_SENTENCE_END, ";", ","))
    return bool(_MAYBE_BULLET.match(line.text)) and (is_ended or not goes_on)


def _starts_with_number(line: Line) -> bool:
    return bool(re.match(r"\d{1,2}(?:\.\d{1,2})*\.?\s+[A-Z]", line.text))


def _find_position(found: Sequence[Paragraph], block: Sequence[Line]) -> int:
    """Index of the first paragraph that begins lower than the block on its page, or on a later page."""
    aside = block[0]
    for index, paragraph in enumerate(found):
        first = paragraph.lines[0]
        if paragraph.role is Role.ASIDE:
            continue
        if first.page > aside.page or (first.page == aside.page and first.y < aside.y):
            return index
    return len(found)
