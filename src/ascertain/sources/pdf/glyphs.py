"""Characters of a PDF page with their places and fonts, through PDFium.

All calls into PDFium are here. It is a C library without types or thread safety: calls go through ``Any`` and
hold one lock.
"""

from __future__ import annotations

import ctypes
import re
import threading
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, cast

import pypdfium2  # pyright: ignore[reportMissingTypeStubs]

_raw = cast("Any", pypdfium2.raw)
_pdfium = cast("Any", pypdfium2)

PDFIUM_LOCK = threading.RLock()
SOFT_HYPHEN = "\u00ad"
"""Stands for a hyphen at the end of a line, as PDFium reports it."""

_MAX_CHARACTERS_PER_PAGE = 500_000
_BOLD = re.compile(r"bold|black|heavy|demi|cmbx|medi(?![a-z])|semibold", re.IGNORECASE)
_MONO = re.compile(r"mono|courier|consol|typewriter|cmtt|hack|menlo|code(?:pro)?\b|lmtt|-tt", re.IGNORECASE)
_BOLD_WEIGHT = 600
_LINE_END_HYPHENS = (0x02, 0xFFFE, 0xAD)


class PasswordNeeded(Exception):
    """The document is encrypted and opens only with a password."""


class Unreadable(Exception):
    """PDFium cannot open the data."""


@dataclass(frozen=True, slots=True)
class Font:
    """How a run of characters is set; ``size`` in points on the page."""

    size: float
    is_bold: bool
    is_mono: bool
    is_turned: bool


@dataclass(frozen=True, slots=True)
class Glyph:
    """One character: left and right edge and baseline in points, y upwards. Spaces and line
    ends that PDFium inserts have no font.
    """

    text: str
    x0: float
    x1: float
    y: float
    font: Font | None


@contextmanager
def opened(data: bytes) -> Generator[Any]:
    """A PDFium document. Raises PasswordNeeded or Unreadable."""
    with PDFIUM_LOCK:
        try:
            document = _pdfium.PdfDocument(data)
        except pypdfium2.PdfiumError as error:
            if "password" in str(error).lower():
                raise PasswordNeeded from error
            raise Unreadable(str(error)) from error
        try:
            yield document
        finally:
            document.close()


def page_glyphs(document: Any, index: int) -> list[Glyph]:
    """The characters of one page in the order they were written; empty for a page that cannot be loaded."""
    with PDFIUM_LOCK:
        try:
            page = document[index]
        except pypdfium2.PdfiumError:
            return []
        try:
            text_page = page.get_textpage()
            try:
                return list(_glyphs(text_page.raw, min(text_page.count_chars(), _MAX_CHARACTERS_PER_PAGE)))
            finally:
                text_page.close()
        except pypdfium2.PdfiumError:
            return []
        finally:
            page.close()


def _glyphs(handle: Any, count: int) -> Iterator[Glyph]:
    fonts: dict[int, Font] = {}
    x, y, box = ctypes.c_double(), ctypes.c_double(), _raw.FS_RECTF()
    high = 0
    for index in range(count):
        code = int(_raw.FPDFText_GetUnicode(handle, index))
        if 0xD800 <= code < 0xDC00:
            high = code
            continue
        if 0xDC00 <= code < 0xE000 and high:
            # The halves of a character beyond the first plane, as in UTF-16.
            code = 0x10000 + ((high - 0xD800) << 10) + (code - 0xDC00)
        high = 0
        if code in (0x0D, 0):
            continue
        if code in _LINE_END_HYPHENS:
            text = SOFT_HYPHEN
        elif 0xD800 <= code <= 0xDFFF or code > 0x10FFFF:
            continue
        else:
            text = chr(code)
        _raw.FPDFText_GetCharOrigin(handle, index, x, y)
        if _raw.FPDFText_IsGenerated(handle, index) == 1 and text != SOFT_HYPHEN:
            yield Glyph("\n" if code == 0x0A else " ", x.value, x.value, y.value, None)
            continue
        _raw.FPDFText_GetLooseCharBox(handle, index, box)
        yield Glyph(text, box.left, box.right, y.value, _font(handle, index, fonts))


def _font(handle: Any, index: int, fonts: dict[int, Font]) -> Font:
    """The font of a character, asked for once for each run of text the page draws."""
    run = ctypes.cast(_raw.FPDFText_GetTextObject(handle, index), ctypes.c_void_p).value or 0
    known = fonts.get(run)
    if known is not None and run:
        return known
    matrix = _raw.FS_MATRIX()
    has_matrix = bool(_raw.FPDFText_GetMatrix(handle, index, matrix))
    a, b, c, d = (matrix.a, matrix.b, matrix.c, matrix.d) if has_matrix else (1.0, 0.0, 0.0, 1.0)
    scale = max(abs(d), abs(c)) or 1.0
    name = ctypes.create_string_buffer(128)
    flags = ctypes.c_int()
    _raw.FPDFText_GetFontInfo(handle, index, name, 128, flags)
    label = name.value.decode("latin-1")
    weight = int(_raw.FPDFText_GetFontWeight(handle, index))
    font = Font(
        size=float(_raw.FPDFText_GetFontSize(handle, index)) * scale,
        is_bold=bool(_BOLD.search(label)) or (weight >= _BOLD_WEIGHT and "regular" not in label.lower()),
        is_mono=bool(_MONO.search(label)) or bool(flags.value & 1),
        is_turned=abs(b) > abs(a),
    )
    fonts[run] = font
    return font
