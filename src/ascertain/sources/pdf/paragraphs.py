"""Lines in reading order to paragraphs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum
from itertools import groupby

from ascertain.sources.papers import is_references
from ascertain.sources.pdf.headings import Style, is_heading, is_title, opens_body
from ascertain.sources.pdf.lines import Line
from ascertain.sources.pdf.words import SOFT_HYPHEN

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
    ASIDE = "aside"


@dataclass(slots=True)
class Paragraph:
    """Lines that belong together."""

    role: Role
    lines: list[Line] = field(default_factory=list[Line])
    is_item: bool = False
    """It begins with a bullet or number."""


def paragraphs(lines: Sequence[Line], style: Style) -> list[Paragraph]:
    """The paragraphs of a document in reading order, each aside put where it stood, between two of them."""
    main = [line for line in lines if not line.is_aside]
    asides = [line for line in lines if line.is_aside]
    found = _grouped(main, style)
    for _, block in groupby(asides, key=lambda line: (line.page, line.block)):
        position = _position(found, aside := list(block))
        found[position:position] = _grouped(aside, style)
    return found


def _grouped(lines: Sequence[Line], style: Style) -> list[Paragraph]:
    found: list[Paragraph] = []
    in_references = False
    under_title = False
    first_page = lines[0].page if lines else 0
    for line in lines:
        role = _role(line, style, first_page)
        under_title = (under_title or role is Role.TITLE) and line.page == first_page
        if under_title and role is Role.HEADING:
            under_title = not opens_body(line.text, line.size, style)
            role = Role.TEXT if under_title else role
        last = _open_paragraph(found, line, style)
        if role is Role.HEADING:
            in_references = is_references(line.text)
        if last is not None and last.role is role and _belongs(last, line, style, in_references):
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


def _role(line: Line, style: Style, first_page: int) -> Role:
    if line.is_aside:
        return Role.ASIDE
    if is_title(line, style, first_page):
        return Role.TITLE
    if is_heading(line, style):
        return Role.HEADING
    if line.is_mono and "://" not in line.text:
        return Role.CODE
    return Role.ROWS if line.is_row else Role.TEXT


def _belongs(paragraph: Paragraph, line: Line, style: Style, in_references: bool) -> bool:
    """Whether ``line``, of the same role, goes on with ``paragraph``."""
    last = paragraph.lines[-1]
    gap = last.y - line.y
    is_adjacent = (last.page, last.block) == (line.page, line.block) and gap > 0
    size = max(last.size, line.size)
    if paragraph.role in (Role.TITLE, Role.HEADING):
        same = abs(last.size - line.size) < _SAME_SIZE * size and last.is_bold == line.is_bold
        return is_adjacent and same and gap < 1.8 * size and not _starts_numbered(line)
    if paragraph.role in (Role.CODE, Role.ROWS):
        return is_adjacent and gap < 2.5 * style.leading * size
    if (
        abs(last.size - line.size) > _SAME_SIZE * size
        or _is_item(line, paragraph)
        or _CAPTION.match(line.text)
    ):
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


def _starts_numbered(line: Line) -> bool:
    return bool(re.match(r"\d{1,2}(?:\.\d{1,2})*\.?\s+[A-Z]", line.text))


def _position(found: Sequence[Paragraph], block: Sequence[Line]) -> int:
    """Index of the first paragraph that begins lower than the block on its page, or on a later page."""
    aside = block[0]
    for index, paragraph in enumerate(found):
        first = paragraph.lines[0]
        if paragraph.role is Role.ASIDE:
            continue
        if first.page > aside.page or (first.page == aside.page and first.y < aside.y):
            return index
    return len(found)
