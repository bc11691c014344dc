"""Words of a PDF page with their places and fonts, through PDFium."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ascertain.sources.pdf.pdfium import PDFIUM_LOCK, PdfiumError, raw

SOFT_HYPHEN = "\u00ad"
"""Stands for a hyphen at the end of a line, as PDFium reports it."""

MAX_CHARACTERS_PER_PAGE = 500_000
_BOLD = re.compile(r"bold|black|heavy|demi|cmbx|medi(?![a-z])|semibold", re.IGNORECASE)
_MONO = re.compile(r"mono|courier|consol|typewriter|cmtt|hack|menlo|code(?:pro)?\b|lmtt|-tt", re.IGNORECASE)
_BOLD_WEIGHT = 600
_LINE_END_HYPHENS = (0x02, 0xFFFE, 0xAD)


@dataclass(frozen=True, slots=True)
class Font:
    """How a run of characters is set; ``size`` in points on the page."""

    size: float
    is_bold: bool
    is_mono: bool
    is_turned: bool


@dataclass(frozen=True, slots=True)
class Word:
    """A word or a part of one in one font: left and right edge and baseline in points, y upwards.

    Spaces and line ends have neither place nor font.
    """

    text: str
    x0: float
    x1: float
    y: float
    font: Font | None


def page_words(document: Any, index: int) -> list[Word]:
    """The words of one page in the order they were written; empty for a page that cannot be loaded."""
    with PDFIUM_LOCK:
        try:
            page = document[index]
        except PdfiumError:
            return []
        try:
            text_page = page.get_textpage()
            try:
                return list(_words(text_page.raw, min(text_page.count_chars(), MAX_CHARACTERS_PER_PAGE)))
            finally:
                text_page.close()
        except PdfiumError:
            return []
        finally:
            page.close()


def _words(handle: Any, count: int) -> Iterator[Word]:
    """Words and spaces. Only the ends of a word are asked for their place, which is most of the time saved."""
    fonts: dict[int, Font] = {}
    word: list[tuple[int, str]] = []
    for index, text in page_characters(handle, count):
        if text == SOFT_HYPHEN or not text.isspace():
            word.append((index, text))
            continue
        yield from _placed(handle, word, fonts)
        word = []
        yield Word("\n" if text == "\n" else " ", 0, 0, 0, None)
    yield from _placed(handle, word, fonts)


def page_characters(handle: Any, count: int) -> Iterator[tuple[int, str]]:
    """(index, character); characters beyond the first plane come in halves and are put together."""
    high = 0
    for index in range(count):
        code = int(raw.FPDFText_GetUnicode(handle, index))
        if 0xD800 <= code < 0xDC00:
            high = code
        elif 0xDC00 <= code < 0xE000:
            if high:
                yield index, chr(0x10000 + ((high - 0xD800) << 10) + (code - 0xDC00))
        elif code in _LINE_END_HYPHENS:
            yield index, SOFT_HYPHEN
        elif code not in (0, 0x0D) and code <= 0x10FFFF:
            yield index, chr(code)


def _placed(handle: Any, word: list[tuple[int, str]], fonts: dict[int, Font]) -> Iterator[Word]:
    """The word as one glyph, or as several where its font changes."""
    if not word:
        return
    first, last = word[0][0], word[-1][0]
    if len(word) > 1 and _run(handle, first) != _run(handle, last):
        for character in word:
            yield from _placed(handle, [character], fonts)
        return
    x, y, box = ctypes.c_double(), ctypes.c_double(), raw.FS_RECTF()
    raw.FPDFText_GetCharOrigin(handle, first, x, y)
    raw.FPDFText_GetLooseCharBox(handle, first, box)
    left, right = box.left, box.right
    if last != first:
        raw.FPDFText_GetLooseCharBox(handle, last, box)
        left, right = min(left, box.left), max(right, box.right)
    yield Word("".join(text for _, text in word), left, right, y.value, _font(handle, first, fonts))


def _run(handle: Any, index: int) -> int:
    """Identifies the run of text, all in one font, that the page draws the character in."""
    return ctypes.cast(raw.FPDFText_GetTextObject(handle, index), ctypes.c_void_p).value or 0


def _font(handle: Any, index: int, fonts: dict[int, Font]) -> Font:
    """The font of a character, asked for once for each run of text the page draws."""
    run = _run(handle, index)
    known = fonts.get(run)
    if known is not None and run:
        return known
    matrix = raw.FS_MATRIX()
    has_matrix = bool(raw.FPDFText_GetMatrix(handle, index, matrix))
    a, b, c, d = (matrix.a, matrix.b, matrix.c, matrix.d) if has_matrix else (1.0, 0.0, 0.0, 1.0)
    scale = max(abs(d), abs(c)) or 1.0
    name = ctypes.create_string_buffer(128)
    flags = ctypes.c_int()
    raw.FPDFText_GetFontInfo(handle, index, name, 128, flags)
    label = name.value.decode("latin-1")
    weight = int(raw.FPDFText_GetFontWeight(handle, index))
    font = Font(
        size=float(raw.FPDFText_GetFontSize(handle, index)) * scale,
        is_bold=bool(_BOLD.search(label)) or (weight >= _BOLD_WEIGHT and "regular" not in label.lower()),
        is_mono=bool(_MONO.search(label)) or bool(flags.value & 1),
        is_turned=abs(b) > abs(a),
    )
    fonts[run] = font
    return font
