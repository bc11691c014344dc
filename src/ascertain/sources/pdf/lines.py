"""Glyphs to lines of text with places."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from ascertain.sources.pdf.glyphs import SOFT_HYPHEN, Font, Glyph

_RAISED = 0.6
"""Baselines closer than this share of the font size are one line: superscripts, subscripts."""
_WORD_GAP = 0.2
_FRAGMENT_GAP = 1.0
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


def fragments(glyphs: Sequence[Glyph]) -> list[Line]:
    """Stretches of characters on one baseline without a wide gap, in the order they were written.

    Text set sideways (axis labels, stamps in the margin) is left out unless the page has little else.
    """
    drawn = [glyph for glyph in glyphs if glyph.font]
    turned = sum(glyph.font.is_turned for glyph in drawn if glyph.font)
    if turned > 0.5 * len(drawn):
        return _sideways(glyphs)
    found: list[Line] = []
    run: list[Glyph] = []
    ended = False
    for glyph in glyphs:
        if glyph.font and glyph.font.is_turned:
            continue
        if run and glyph.font and not _continues(run, glyph):
            found.extend(_line(run))
            run = []
        if glyph.text == "\n":
            ended = bool(run)
            continue
        if run and ended and glyph.font and glyph.x0 - run[-1].x1 > _JOINT * glyph.font.size:
            run.append(replace(glyph, text=" "))
        ended = False
        if run or glyph.text.strip():
            run.append(glyph)
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


def _continues(run: Sequence[Glyph], glyph: Glyph) -> bool:
    last = next((before for before in reversed(run) if before.font), run[-1])
    size = max(last.font.size if last.font else 0, glyph.font.size if glyph.font else 0, 1.0)
    gap = glyph.x0 - last.x1
    return abs(glyph.y - last.y) <= _RAISED * size and -0.8 * size <= gap <= _FRAGMENT_GAP * size


def _line(run: Sequence[Glyph]) -> list[Line]:
    fonts = Counter[Font]()
    for glyph in run:
        if glyph.font and not glyph.text.isspace():
            fonts[glyph.font] += 1
    if not fonts:
        return []
    font = fonts.most_common(1)[0][0]
    drawn = [glyph for glyph in run if glyph.font and not glyph.text.isspace()]
    baselines = Counter(round(glyph.y, 1) for glyph in drawn if glyph.font == font)
    bold = sum(count for used, count in fonts.items() if used.is_bold)
    mono = sum(count for used, count in fonts.items() if used.is_mono)
    total = fonts.total()
    text = _readable("".join(glyph.text for glyph in run))
    if not text:
        return []
    return [
        Line(
            text,
            min(glyph.x0 for glyph in drawn),
            max(glyph.x1 for glyph in drawn),
            baselines.most_common(1)[0][0],
            font.size,
            bold > 0.6 * total,
            mono > 0.6 * total,
        )
    ]


def _readable(text: str) -> str:
    """Ligatures and styled letters plain, accents put on their letters, spaces single."""
    # TeX sets an accented i as a dotless one and an accent, which have no composed form.
    text = unicodedata.normalize("NFC", text.translate(_PLAIN).replace("\u0131\u0301", "í"))
    return " ".join(text.split())


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


def _sideways(glyphs: Sequence[Glyph]) -> list[Line]:
    """A page set sideways: lines as they were written, put one under the other."""
    found: list[Line] = []
    run: list[Glyph] = []
    for before, glyph in zip([None, *glyphs], glyphs, strict=False):
        breaks = (
            before is not None and before.font and glyph.font and abs(glyph.x0 - before.x0) > before.font.size
        )
        if breaks and run:
            found.extend(_line(run))
            run = []
        run.append(glyph)
    found.extend(_line(run))
    return [
        Line(line.text, 0, 500, 10_000 - 1.2 * line.size * number, line.size, line.is_bold, line.is_mono)
        for number, line in enumerate(found)
    ]
