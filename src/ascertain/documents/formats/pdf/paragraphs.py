"""Lines to paragraphs; captions and footnotes are paragraphs of their own, and the sentence that they interrupt goes on behind them."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from itertools import groupby

from ascertain.documents.formats.pdf.layout import Style, is_heading, is_title, opens_body
from ascertain.documents.formats.pdf.lines import RAISED_DIGITS, Line
from ascertain.documents.formats.pdf.tables import goes_on_overleaf, is_rest_of_row, join_rows
from ascertain.documents.formats.pdf.words import SOFT_HYPHEN
from ascertain.documents.formats.plain.text import is_references

_BULLET = re.compile(r"[•●◦▪‣∙]\s+\S|\[\d{1,3}\]\s")
_MAYBE_BULLET = re.compile(r"[·–*-]\s+\S|\(?(?:\d{1,2}|[a-z]|[ivx]{2,4})[.)]\s+\S")
"""Bullets, unless they go on with a sentence."""
_CAPTION = re.compile(
    r"(?:figure|fig\.?|table|tab\.|listing|algorithm|abbildung|abb\.|tabelle|tableau|figura|tabla|tabella|tabela|quadro|figuur|afbeelding|tabel)"
    r"\s*(?:[A-Z]\.?)?\d+(?:[.-]\d+)*[a-z]?(?P<mark>\s*[:.|\u2013\u2014])?(?=\s|$)",
    re.IGNORECASE,
)
_POINTS_AT = re.compile(
    r"(?:\b(?:in|see|and|of|from|by|to|with|cf\.|siehe|und|von|voir|et|dans|ver|y|en|e|zie)|\()$", re.IGNORECASE
)
"""Words at the end of a line after which the sentence goes on with the name of a figure."""
_NOTE_START = re.compile(rf"(?P<number>[{RAISED_DIGITS}]{{1,3}})\s?(?=\S)|[*∗†‡§¶]{{1,3}}\s?(?=\w)")
_PLAIN_START = re.compile(r"(?P<number>\d{1,3})[.)]?\s+(?=\S)")
"""A footnote whose number is not raised before it; it counts where the text of the page has that number raised."""
_MARKED = re.compile(
    rf"(?<![{RAISED_DIGITS}])(?P<before>(?:(?<![^\W\d_{RAISED_DIGITS}])|(?<=[{RAISED_DIGITS}][^\W\d_{RAISED_DIGITS}]))[^\W\d_{RAISED_DIGITS}]++|[.,;:!?)\]”’\"'%])(?P<number>[{RAISED_DIGITS}]{{1,3}})(?![{RAISED_DIGITS}⁺⁻⁽])"
)
"""A raised number behind a word or a point: the mark of a footnote, where the page has that one."""
_UNITS = frozenset(
    ("m", "km", "cm", "dm", "mm", "µm", "μm", "nm", "ft", "in", "mi", "yd", "s", "x", "y", "z", "r", "R", "n")
)
"""They are squared more often than explained."""
_PLAIN_DIGITS = str.maketrans(RAISED_DIGITS, "0123456789")
_RAISED = str.maketrans("0123456789", RAISED_DIGITS)
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
    CAPTION = "caption"
    NOTE = "note"
    ADDED = "added"
    """It is not printed with the text: a field that is filled in, a comment."""


_CELLS = {Role.TABLE, Role.ROWS}
"""Roles that interrupt no sentence unless they have a caption."""
_INTERRUPTING = {Role.CAPTION, Role.NOTE, Role.TEXT, Role.ADDED, *_CELLS}
"""Roles of what stands on the page where it fits, in the midst of a sentence too; text among them where it is small and ends a page."""


@dataclass(slots=True)
class Paragraph:
    """Lines that belong together."""

    role: Role
    lines: list[Line] = field(default_factory=list[Line])
    is_item: bool = False
    """It begins with a bullet or number."""


def build_paragraphs(lines: Sequence[Line], style: Style) -> list[Paragraph]:
    """The paragraphs of a document in reading order, each aside put where it stood, between two of them.

    A footnote follows the paragraph above it and begins with its number in brackets, as does the mark in the text.
    """
    main = _find_notes([line for line in lines if not line.is_aside], style)
    asides = [line for line in lines if line.is_aside]
    paragraphs = _group_lines(main, style)
    for _, block in groupby(asides, key=lambda line: (line.page, line.block)):
        position = _find_position(paragraphs, aside := list(block))
        paragraphs[position:position] = _group_lines(aside, style)
    _write_marks(paragraphs)
    return paragraphs


def _group_lines(lines: Sequence[Line], style: Style) -> list[Paragraph]:
    found: list[Paragraph] = []
    last: Paragraph | None = None
    in_references = False
    under_title = False
    first_page = lines[0].page if lines else 0
    for line in lines:
        role = _choose_role(line, last, style, first_page)
        under_title = (under_title or role is Role.TITLE) and line.page == first_page
        if under_title and role is Role.HEADING:
            under_title = not opens_body(line.text, line.size, style)
            role = Role.TEXT if under_title else role
        if role is Role.HEADING:
            in_references = is_references(line.text)
        opened = last
        if last is None or last.role is not role or not _belongs_to(last, line, style, in_references):
            opened = _find_interrupted(found, line, style, in_references) if role is Role.TEXT else None
        if opened is None:
            is_item = role in (Role.TEXT, Role.ASIDE) and _is_item(line, last)
            opened = Paragraph(role, is_item=is_item)
            found.append(opened)
        if role is Role.TABLE and opened.lines and is_rest_of_row(opened.lines[-1], line):
            opened.lines[-1] = join_rows(opened.lines[-1], line)
        else:
            opened.lines.append(line)
        last = opened
    return found


def _find_interrupted(found: Sequence[Paragraph], line: Line, style: Style, in_references: bool) -> Paragraph | None:
    """The paragraph that a caption with its table, footnotes, or the end of a page cut off and that ``line`` goes on with."""
    if line.size < _SMALL * style.body_size:
        return None
    passed: set[Role] = set()
    for paragraph in reversed(found):
        last = paragraph.lines[-1]
        is_small = last.size < _SMALL * style.body_size and last.page != line.page
        if paragraph.role is Role.TEXT and not is_small:
            is_alone = bool(passed & _CELLS) and Role.CAPTION not in passed
            if not passed or is_alone or abs(last.size - line.size) > _SAME_SIZE * max(last.size, line.size):
                return None
            return paragraph if not _is_item(line, paragraph) and _runs_on(last, line, in_references) else None
        if paragraph.role not in _INTERRUPTING:
            return None
        passed.add(paragraph.role)
    return None


def _choose_role(line: Line, last: Paragraph | None, style: Style, first_page: int) -> Role:
    if line.apart:
        return Role.ADDED
    if line.is_aside:
        return Role.ASIDE
    if line.is_note:
        return Role.NOTE
    if line.is_cells:
        return Role.TABLE
    if _begins_caption(line, last, style) or (
        last and last.role is Role.CAPTION and _is_below(last.lines[-1], line, style)
    ):
        return Role.CAPTION
    if is_title(line, style, first_page):
        return Role.TITLE
    if is_heading(line, style):
        return Role.HEADING
    if line.is_mono and "://" not in line.text:
        return Role.CODE
    return Role.ROWS if line.is_row else Role.TEXT


def _belongs_to(paragraph: Paragraph, line: Line, style: Style, in_references: bool) -> bool:
    """Whether ``line``, of the same role, goes on with ``paragraph``."""
    if paragraph.role is Role.ADDED:
        return False
    last = paragraph.lines[-1]
    gap = last.y - line.y
    is_adjacent = (last.page, last.block) == (line.page, line.block) and gap > 0
    size = max(last.size, line.size)
    if paragraph.role in (Role.TITLE, Role.HEADING):
        same = abs(last.size - line.size) < _SAME_SIZE * size and last.is_bold == line.is_bold
        return is_adjacent and same and gap < 1.8 * size and not _starts_with_number(line)
    if paragraph.role is Role.TABLE:
        return is_adjacent or goes_on_overleaf(paragraph.lines, line)
    if paragraph.role is Role.NOTE:
        return last.page == line.page and not _NOTE_START.match(line.text)
    if paragraph.role is Role.CAPTION:
        return not _begins_caption(line, paragraph, style)
    if paragraph.role in (Role.CODE, Role.ROWS):
        return is_adjacent and gap < 2.5 * style.leading * size
    if abs(last.size - line.size) > _SAME_SIZE * size or _is_item(line, paragraph):
        return False
    if not is_adjacent:
        return _runs_on(last, line, in_references)
    if gap > _WIDER_GAP * max(style.leading, 1.0) * size:
        return False
    return _same_block(paragraph, line, style, in_references)


def _same_block(paragraph: Paragraph, line: Line, style: Style, in_references: bool) -> bool:
    """By indents and short lines: whether a line under another is in the same paragraph."""
    last = paragraph.lines[-1]
    indent = last.x1 - line.x1 if line.is_backwards else line.x0 - last.x0
    if in_references:
        return line.indent > _INDENT * line.size if style.hangs else True
    if paragraph.is_item:
        return indent > -_INDENT * line.size or not _ends_sentence(last.text)
    if indent > _INDENT * line.size and _ends_sentence(last.text):
        return False
    is_short = last.slack > 0.2 * (last.right - last.left)
    return not (is_short and _ends_sentence(last.text))


def _runs_on(last: Line, line: Line, in_references: bool) -> bool:
    """Whether a paragraph goes on across a column or page."""
    if last.text.endswith((SOFT_HYPHEN, "-")):
        return True
    if in_references:
        return line.indent > _INDENT * line.size
    if _ends_sentence(last.text):
        return False
    reaches_edge = last.slack < 0.1 * (last.right - last.left)
    return reaches_edge or line.text[0].islower()


def _begins_caption(line: Line, last: Paragraph | None, style: Style) -> bool:
    """Whether the line names a figure or table as its caption does, and no sentence has come to that name at the end of a line."""
    match = _CAPTION.match(line.text)
    if match is None or not line.text[0].isupper():
        return False
    before = last.lines[-1] if last and last.role in (Role.TEXT, Role.CAPTION, Role.NOTE) else None
    if before is not None:
        goes_on = _is_below(before, line, style) and not _ends_sentence(before.text)
        if goes_on or _POINTS_AT.search(before.text):
            return False
    rest = line.text[match.end() :].lstrip()
    return bool(match["mark"]) or not rest or rest[0].isupper()


def _is_below(last: Line, line: Line, style: Style) -> bool:
    """Whether a line stands right under another and is set like it."""
    gap, size = last.y - line.y, max(last.size, line.size)
    is_near = (last.page, last.block) == (line.page, line.block) and 0 < gap <= _WIDER_GAP * max(
        style.leading, 1.0
    ) * size
    return is_near and abs(last.size - line.size) <= _SAME_SIZE * size


def _find_notes(lines: Sequence[Line], style: Style) -> list[Line]:
    """The lines, with those of footnotes marked: small ones at the foot of a page, from the first that begins with a raised number or a sign."""
    notes: list[Line] = []
    for _, page in groupby(lines, key=lambda line: line.page):
        notes.extend(_find_notes_of_page(list(page), style))
    return notes


def _find_notes_of_page(page: Sequence[Line], style: Style) -> Iterator[Line]:
    large = [line for line in page if line.size >= _SMALL * style.body_size]
    marks = {match["number"] for line in large for match in _MARKED.finditer(line.text)}
    for _, block in groupby(page, key=lambda line: line.block):
        in_note = False
        for read in block:
            is_small = read.size < _SMALL * style.body_size and not (read.is_cells or read.is_mono or read.apart)
            line = _raise_number(read, marks) if is_small and marks else read
            if is_small and not in_note and _NOTE_START.match(line.text):
                in_note = not any(each.y < line.y and each.x0 < line.x1 and each.x1 > line.x0 for each in large)
            in_note = in_note and is_small
            yield replace(line, is_note=True) if in_note else read


def _raise_number(line: Line, marks: set[str]) -> Line:
    """The line, a number that it begins with raised where it is one of ``marks``."""
    match = _PLAIN_START.match(line.text)
    number = match["number"].translate(_RAISED) if match else ""
    return replace(line, text=f"{number} {line.text[match.end() :]}") if match and number in marks else line


def _write_marks(found: Sequence[Paragraph]) -> None:
    """Write the numbers of footnotes in brackets, before them and where the text of their page refers to them."""
    starts = ((paragraph.lines[0], paragraph) for paragraph in found if paragraph.role is Role.NOTE)
    numbers: dict[int, set[str]] = {}
    for line, paragraph in starts:
        if (match := _NOTE_START.match(line.text)) and (number := match["number"]):
            numbers.setdefault(line.page, set()).add(number)
            paragraph.lines[0] = replace(line, text=f"[{number.translate(_PLAIN_DIGITS)}] {line.text[match.end() :]}")
    for paragraph in found if numbers else ():
        if paragraph.role is not Role.NOTE:
            paragraph.lines = [_write_references(line, numbers.get(line.page, set())) for line in paragraph.lines]


def _write_references(line: Line, numbers: set[str]) -> Line:
    def write(found: re.Match[str]) -> str:
        if found["number"] not in numbers or found["before"] in _UNITS:
            return found[0]
        return f"{found['before']}[{found['number'].translate(_PLAIN_DIGITS)}]"

    return replace(line, text=_MARKED.sub(write, line.text)) if numbers else line


def _ends_sentence(text: str) -> bool:
    return text.rstrip(RAISED_DIGITS).endswith(_SENTENCE_END)


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
