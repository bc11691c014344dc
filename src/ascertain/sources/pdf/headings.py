"""Headings of a PDF: by size and weight of their type, or by the names that sections of papers have."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from ascertain.sources.papers import is_references, is_section_name
from ascertain.sources.pdf.lines import Line

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
    sizes = (
        line.size for line in lines if is_heading(line, plain) and line.size < 0.97 * (title or math.inf)
    )
    return Style(body, leading, title, _ranks(sizes), _references_hang(lines))


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
        or " … " in text
        or len(text) > _MAX_CHARACTERS
        or not _LETTERS.search(text)
    ):
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


def _ranks(sizes: Iterable[float]) -> tuple[float, ...]:
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
