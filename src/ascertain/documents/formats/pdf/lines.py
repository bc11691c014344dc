"""Words to lines of text with places."""

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from ascertain.core.documents.blocks import BlockKind, LineBox
from ascertain.documents.formats.pdf.direction import has_right_to_left, runs_right_to_left, split_lines
from ascertain.documents.formats.pdf.words import SOFT_HYPHEN, Font, Word

_RAISED = 0.6
"""Baselines closer than this share of the font size are one line: superscripts, subscripts."""
_LEADERS = re.compile(r"(?<!\s)(?:\s*+\.){5,}+\s*")
"""The dots of a table of contents."""
_SPACE = Word(" ", 0, 0, 0, None)
_WORD_GAP = 0.2
_FRAGMENT_GAP = 0.9
_JOINT = 0.1
"""Where PDFium ends a line and this module does not (after a superscript), a wider gap is a space."""
_CELL_GAP = 2.5
# Ligatures, and letters in the styles of mathematics: both are plain letters to a reader who searches.
# Forms that Hebrew and Arabic letters take in a word are in the blocks behind the ligatures.
_PLAIN = {
    code: unicodedata.normalize("NFKC", chr(code))
    for code in (*range(0xFB00, 0xFB07), *range(0xFB1D, 0xFDFE), *range(0xFE70, 0xFEFD), *range(0x1D400, 0x1D800))
}
RAISED_DIGITS = "⁰¹²³⁴⁵⁶⁷⁸⁹"
_SUPERSCRIPTS = str.maketrans("0123456789+-\u2212\u2013=()n", f"{RAISED_DIGITS}⁺⁻⁻⁻⁼⁽⁾ⁿ")
_POWER = re.compile(r"(?:[\d+\-\u2212\u2013=(),]*+n)*+[+\-\u2212\u2013=(),]*+\d[\d+\-\u2212\u2013=(),]*+|[n+\-\u2212]")
_SMALLER, _HIGHER = 0.85, 0.2
"""Raised type is smaller than this share of the line's, and its baseline higher by this share of it (TeX: .7 and .36)."""


@dataclass(frozen=True, slots=True)
class ScannedText:
    """Text that was recognised on a picture, and where it stands on it."""

    text: str
    box: LineBox


@dataclass(frozen=True, slots=True)
class Line:
    """A line, or a part of one: edges and baseline in points (y upwards), the font of most of its characters."""

    text: str
    x0: float
    x1: float
    y: float
    size: float
    is_bold: bool
    is_mono: bool
    page: int = 0
    is_row: bool = False
    """It has wide gaps like a row of a table."""
    is_cells: bool = False
    """It is a row of a table: cells with marks between them."""
    is_aside: bool = False
    """It stands in a narrow column beside the main text."""
    is_note: bool = False
    """It belongs to a footnote."""
    is_outlined: bool = False
    """The outline of the document names it as a heading."""
    left: float = 0.0
    right: float = 0.0
    """Edges of the block it stands in."""
    block: int = 0
    scanned: tuple[ScannedText, ...] = ()
    """What it is made of where it was recognised."""
    apart: BlockKind | None = None
    """What it is where it was not printed with the text: a field that is filled in, a comment, words put on the page later."""
    label: str | None = None
    """The name of the field, the author of the comment."""

    @property
    def width(self) -> float:
        """Points from left to right edge."""
        return self.x1 - self.x0

    @property
    def is_backwards(self) -> bool:
        """Whether it runs from right to left."""
        return runs_right_to_left(self.text)

    @property
    def indent(self) -> float:
        """How far it begins from the edge of its block."""
        return self.right - self.x1 if self.is_backwards else self.x0 - self.left

    @property
    def slack(self) -> float:
        """How far it ends from the other edge of its block."""
        return self.x0 - self.left if self.is_backwards else self.right - self.x1


def find_fragments(words: Sequence[Word]) -> list[Line]:
    """Stretches of words on one baseline without a wide gap, in the order they were written.

    Text set sideways (axis labels, stamps in the margin) is not among them unless the page has little else: ``find_turned`` gives it.
    """
    if _is_sideways(words):
        return _read_sideways(words)
    if has_right_to_left(words):
        return [line for run in split_lines(words, _SPACE) for line in _build_line(run)]
    fragments: list[Line] = []
    run: list[Word] = []
    last: Word | None = None
    between = ""
    for word in words:
        if word.font is None:
            between = word.text if between != " " else between
            continue
        if word.font.is_turned:
            continue
        if last is not None and _continues_line(last, word):
            is_joint = between == "\n" and word.x0 - last.x1 > _JOINT * word.font.size
            if between == " " or is_joint:
                run.append(_SPACE)
        else:
            fragments.extend(_build_line(run))
            run = []
        run.append(word)
        last, between = word, ""
    fragments.extend(_build_line(run))
    return fragments


@dataclass(frozen=True, slots=True)
class Turned:
    """Lines set sideways that were written one after the other, and the word beside them of those written before and after."""

    lines: tuple[Line, ...]
    beside: Word | None
    is_behind: bool
    """Whether the word beside them was written before them."""


def find_turned(words: Sequence[Word]) -> list[Turned]:
    """What is set sideways on a page that is not: axis labels, stamps in the margin; as it was written."""
    if _is_sideways(words):
        return []
    level = [word for word in words if word.font is not None and not word.font.is_turned]
    left, right = min((word.x0 for word in level), default=0.0), max((word.x1 for word in level), default=0.0)
    found: list[Turned] = []
    run: list[Word] = []
    before: Word | None = None
    for word in (*words, None):
        if word is not None and (word.font is None or word.font.is_turned):
            run += [word] if run or word.font else []
            continue
        lines = _read_sideways(run)
        if lines:
            drawn = [each for each in run if each.font]
            # what stands on the margin stands beside no line of the text
            is_inside = any(left <= each.x0 <= right for each in drawn)
            ends = [(_distance(each, drawn), each) for each in (before, word) if each is not None and is_inside]
            beside = min(ends, key=lambda pair: (1 if pair[1] is before else _OF_NEXT) * pair[0])[1] if ends else None
            found.append(Turned(tuple(lines), beside, beside is before))
        run, before = [], word
    return found


_OF_NEXT = 2.0
"""How much nearer what is written next must be to go before what was written last: axes have their numbers written together (by judgement)."""


def _distance(word: Word, others: Sequence[Word]) -> float:
    return min(math.hypot(word.x0 - each.x0, word.y - each.y) for each in others)


def _is_sideways(words: Sequence[Word]) -> bool:
    """Whether most words of a page are set sideways."""
    drawn = [word.font for word in words if word.font]
    return sum(font.is_turned for font in drawn) > 0.5 * len(drawn)


def merge_rows(parts: Iterable[Line]) -> list[Line]:
    """Lines from top to bottom out of parts of lines, those on one baseline joined from left to right."""
    return [join_row(row) for row in split_rows(parts)]


def split_rows(parts: Iterable[Line]) -> list[list[Line]]:
    """Parts of lines by their baselines, from top to bottom, each in the order in which it is read."""
    rows: list[list[Line]] = []
    for part in sorted(parts, key=lambda line: -line.y):
        row = rows[-1] if rows else None
        if row and abs(row[0].y - part.y) <= 0.5 * max(row[0].size, part.size):
            row.append(part)
        else:
            rows.append([part])
    return [_order_row(row) for row in rows]


def _order_row(row: Sequence[Line]) -> list[Line]:
    is_backwards = runs_right_to_left(" ".join(line.text for line in row))
    return sorted(row, key=lambda line: -line.x1 if is_backwards else line.x0)


def _continues_line(last: Word, word: Word) -> bool:
    size = max(last.font.size if last.font else 0, word.font.size if word.font else 0, 1.0)
    gap = word.x0 - last.x1
    return abs(word.y - last.y) <= _RAISED * size and -0.8 * size <= gap <= _FRAGMENT_GAP * size


def write_run(run: Sequence[Word]) -> str:
    """The text of words that stand on one line."""
    return "".join(line.text for line in _build_line(run))


def _build_line(run: Sequence[Word]) -> list[Line]:
    """The line of a run of words, or none when nothing in it can be read."""
    fonts = Counter[Font]()
    for word in run:
        if word.font:
            fonts[word.font] += len(word.text)
    if not fonts:
        return []
    font, total = fonts.most_common(1)[0][0], fonts.total()
    drawn = [word for word in run if word.font]
    baseline = Counter(round(word.y, 1) for word in drawn if word.font == font).most_common(1)[0][0]
    text = _clean_glyphs("".join(_write_word(word, font, baseline) for word in run))
    if not text:
        return []
    return [
        Line(
            text,
            x0=min(word.x0 for word in drawn),
            x1=max(word.x1 for word in drawn),
            y=baseline,
            size=font.size,
            is_bold=sum(count for used, count in fonts.items() if used.is_bold) > 0.6 * total,
            is_mono=sum(count for used, count in fonts.items() if used.is_mono) > 0.6 * total,
        )
    ]


def _write_word(word: Word, font: Font, baseline: float) -> str:
    """The word, raised figures as Unicode has them: 10 with a small 6 above is no 106."""
    if word.font is None or word.font.size > _SMALLER * font.size or word.y - baseline < _HIGHER * font.size:
        return word.text
    return word.text.translate(_SUPERSCRIPTS) if _POWER.fullmatch(word.text) else word.text


def _clean_glyphs(text: str) -> str:
    """Ligatures and styled letters plain, accents put on their letters, spaces single."""
    # TeX sets an accented i as a dotless one and an accent, which have no composed form.
    text = unicodedata.normalize("NFC", text.translate(_PLAIN).replace("\u0131\u0301", "í"))
    return " ".join(_LEADERS.sub(" … ", text).split())


def join_row(row: Sequence[Line]) -> Line:
    """The parts on one baseline, from left to right, as one line."""
    if len(row) == 1:
        return row[0]
    text = row[0].text
    widest_gap = 0.0
    for before, part in pairwise(row):
        gap = max(part.x0 - before.x1, before.x0 - part.x1)
        widest_gap = max(widest_gap, gap / max(part.size, 1.0))
        text += ("" if gap < _WORD_GAP * part.size and not text.endswith(SOFT_HYPHEN) else " ") + part.text
    main = max(row, key=lambda part: len(part.text))
    return Line(
        text,
        min(part.x0 for part in row),
        max(part.x1 for part in row),
        main.y,
        main.size,
        all(part.is_bold for part in row),
        all(part.is_mono for part in row),
        is_row=widest_gap > _CELL_GAP,
        scanned=tuple(piece for part in row for piece in part.scanned),
    )


def _read_sideways(words: Sequence[Word]) -> list[Line]:
    """A page set sideways: lines as they were written, put one under the other."""
    found: list[Line] = []
    run: list[Word] = []
    last: Word | None = None
    for word in words:
        if word.font and last and last.font and abs(word.x0 - last.x0) > last.font.size:
            found.extend(_build_line(run))
            run = []
        run.append(word if word.font else _SPACE)
        last = word if word.font else last
    found.extend(_build_line(run))
    return [replace(line, x0=0, x1=500, y=10_000 - 1.2 * line.size * number) for number, line in enumerate(found)]


_EDGE = 0.12
"""Share of the text's height at top and bottom where furniture stands."""
_MIN_SHARE = 0.4
_COMPARED = 30
_SAME_HEIGHT = 24.0
"""Points; a footer of two lines stands a line higher than one of one line."""
_PAGE_NUMBER = re.compile(
    r"(?:page\s++)?[-–—|\s]*+(?:\d{1,4}|[ivxlc]{1,6})[-–—|\s]*+(?:(?:of|/)\s*\d{1,4})?", re.IGNORECASE
)
_FIRST_NUMBER = re.compile(r"^(\d{1,4})\s")
_LAST_NUMBER = re.compile(r"\s(\d{1,4})$")
_DIGITS = re.compile(r"\d+")


def split_furniture(pages: Sequence[Sequence[Line]]) -> tuple[list[list[Line]], list[Line]]:
    """The pages' lines without those that repeat at an edge of many pages, and one of each that does; bare page numbers are in neither."""
    edges = [_at_edge([line for line in lines if line.apart is None]) for lines in pages]
    count = sum(bool(lines) for lines in pages)
    needed = max(2 if count <= 3 else 3, _MIN_SHARE * count)
    heights: dict[str, list[tuple[int, float]]] = {}
    for number, edge in enumerate(edges):
        for line in edge:
            heights.setdefault(_line_key(line), []).append((number, line.y))

    def repeats(line: Line) -> bool:
        alike = {number for number, y in heights[_line_key(line)] if abs(y - line.y) <= _SAME_HEIGHT}
        return len(alike) >= needed

    counting = _find_counting(edges, needed)
    kept: list[list[Line]] = []
    furniture: dict[str, Line] = {}
    for lines, edge in zip(pages, edges, strict=True):
        dropped = {
            id(line) for line in edge if _PAGE_NUMBER.fullmatch(line.text) or id(line) in counting or repeats(line)
        }
        kept.append([line for line in lines if id(line) not in dropped])
        for line in lines:
            if id(line) in dropped and not _PAGE_NUMBER.fullmatch(line.text):
                furniture.setdefault(_line_key(line), line)
    return kept, list(furniture.values())


def _find_counting(edges: Sequence[Sequence[Line]], needed: float) -> set[int]:
    """The outermost lines that hold the page's number, as "Chapter 3: Utilities 6" does: they count up."""
    offsets: dict[tuple[bool, int], list[Line]] = {}
    for number, edge in enumerate(edges):
        if not edge:
            continue
        for is_top, line in ((True, max(edge, key=_height_of)), (False, min(edge, key=_height_of))):
            for found in {*_FIRST_NUMBER.findall(line.text), *_LAST_NUMBER.findall(line.text)}:
                offsets.setdefault((is_top, int(found) - number), []).append(line)
    return {id(line) for lines in offsets.values() if len(lines) >= needed for line in lines}


def _height_of(line: Line) -> float:
    return line.y


def _line_key(line: Line) -> str:
    """Equal for lines that begin alike, whatever the numbers in them; the same footer may be cut at another word."""
    return _DIGITS.sub("#", line.text.lower())[:_COMPARED]


def _at_edge(lines: Sequence[Line]) -> list[Line]:
    if len(lines) < 3:
        return list(lines) if len(lines) == 1 and _PAGE_NUMBER.fullmatch(lines[0].text) else []
    top, bottom = max(line.y for line in lines), min(line.y for line in lines)
    margin = _EDGE * (top - bottom)
    return [line for line in lines if line.y > top - margin or line.y < bottom + margin]
