"""Words to lines of text with places."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from ascertain.sources.pdf.words import SOFT_HYPHEN, Font, Word

_RAISED = 0.6
"""Baselines closer than this share of the font size are one line: superscripts, subscripts."""
_LEADERS = re.compile(r"(?:\s*\.){5,}\s*")
"""The dots of a table of contents."""
_SPACE = Word(" ", 0, 0, 0, None)
_WORD_GAP = 0.2
_FRAGMENT_GAP = 1.2
_JOINT = 0.1
"""Where PDFium ends a line and this module does not (after a superscript), a wider gap is a space."""
_CELL_GAP = 2.5
# Ligatures, and letters in the styles of mathematics: both are plain letters to a reader who searches.
_PLAIN = {
    code: unicodedata.normalize("NFKC", chr(code))
    for code in (*range(0xFB00, 0xFB07), *range(0x1D400, 0x1D800))
}


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
    is_aside: bool = False
    """It stands in a narrow column beside the main text."""
    left: float = 0.0
    right: float = 0.0
    """Edges of the block it stands in."""
    block: int = 0

    @property
    def width(self) -> float:
        """Points from left to right edge."""
        return self.x1 - self.x0


def fragments(words: Sequence[Word]) -> list[Line]:
    """Stretches of words on one baseline without a wide gap, in the order they were written.

    Text set sideways (axis labels, stamps in the margin) is left out unless the page has little else.
    """
    drawn = [word for word in words if word.font]
    turned = sum(word.font.is_turned for word in drawn if word.font)
    if turned > 0.5 * len(drawn):
        return _sideways(words)
    found: list[Line] = []
    run: list[Word] = []
    last: Word | None = None
    between = ""
    for word in words:
        if word.font is None:
            between = word.text if between != " " else between
            continue
        if word.font.is_turned:
            continue
        if last is not None and _continues(last, word):
            is_joint = between == "\n" and word.x0 - last.x1 > _JOINT * word.font.size
            if between == " " or is_joint:
                run.append(_SPACE)
        else:
            found.extend(_line(run))
            run = []
        run.append(word)
        last, between = word, ""
    found.extend(_line(run))
    return found


def merge_rows(parts: Iterable[Line]) -> list[Line]:
    """Lines from top to bottom out of parts of lines, those on one baseline joined from left to right."""
    rows: list[list[Line]] = []
    for part in sorted(parts, key=lambda line: -line.y):
        row = rows[-1] if rows else None
        if row and abs(row[0].y - part.y) <= 0.5 * max(row[0].size, part.size):
            row.append(part)
        else:
            rows.append([part])
    return [_joined(sorted(row, key=lambda line: line.x0)) for row in rows]


def _continues(last: Word, word: Word) -> bool:
    size = max(last.font.size if last.font else 0, word.font.size if word.font else 0, 1.0)
    gap = word.x0 - last.x1
    return abs(word.y - last.y) <= _RAISED * size and -0.8 * size <= gap <= _FRAGMENT_GAP * size


def _line(run: Sequence[Word]) -> list[Line]:
    """The line of a run of words, or none when nothing in it can be read."""
    text = _readable("".join(word.text for word in run))
    if not text:
        return []
    fonts = Counter[Font]()
    for word in run:
        if word.font:
            fonts[word.font] += len(word.text)
    font, total = fonts.most_common(1)[0][0], fonts.total()
    drawn = [word for word in run if word.font]
    baselines = Counter(round(word.y, 1) for word in drawn if word.font == font)
    return [
        Line(
            text,
            x0=min(word.x0 for word in drawn),
            x1=max(word.x1 for word in drawn),
            y=baselines.most_common(1)[0][0],
            size=font.size,
            is_bold=sum(count for used, count in fonts.items() if used.is_bold) > 0.6 * total,
            is_mono=sum(count for used, count in fonts.items() if used.is_mono) > 0.6 * total,
        )
    ]


def _readable(text: str) -> str:
    """Ligatures and styled letters plain, accents put on their letters, spaces single."""
    # TeX sets an accented i as a dotless one and an accent, which have no composed form.
    text = unicodedata.normalize("NFC", text.translate(_PLAIN).replace("\u0131\u0301", "í"))
    return " ".join(_LEADERS.sub(" … ", text).split())


def _joined(row: Sequence[Line]) -> Line:
    if len(row) == 1:
        return row[0]
    text = row[0].text
    widest_gap = 0.0
    for before, part in pairwise(row):
        gap = part.x0 - before.x1
        widest_gap = max(widest_gap, gap / max(part.size, 1.0))
        text += ("" if gap < _WORD_GAP * part.size and not text.endswith(SOFT_HYPHEN) else " ") + part.text
    main = max(row, key=lambda part: len(part.text))
    return Line(
        text,
        row[0].x0,
        max(part.x1 for part in row),
        main.y,
        main.size,
        all(part.is_bold for part in row),
        all(part.is_mono for part in row),
        is_row=widest_gap > _CELL_GAP,
    )


def _sideways(words: Sequence[Word]) -> list[Line]:
    """A page set sideways: lines as they were written, put one under the other."""
    found: list[Line] = []
    run: list[Word] = []
    last: Word | None = None
    for word in words:
        if word.font and last and last.font and abs(word.x0 - last.x0) > last.font.size:
            found.extend(_line(run))
            run = []
        run.append(word if word.font else _SPACE)
        last = word if word.font else last
    found.extend(_line(run))
    return [
        replace(line, x0=0, x1=500, y=10_000 - 1.2 * line.size * number) for number, line in enumerate(found)
    ]
