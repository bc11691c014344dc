"""One page of a PDF as people see it: its characters, where they stand on the picture, and the picture."""

from __future__ import annotations

import ctypes
import math
import time
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ascertain.sources.pdf.pdfium import PDFIUM_LOCK, PdfiumError, Unreadable, opened, page_count, raw
from ascertain.sources.pdf.words import MAX_CHARACTERS_PER_PAGE, page_characters

Pixels = NDArray[np.uint8]
"""Rows of pixels of red, green and blue: ``(height, width, 3)``."""

_SCALE = 150 / 72
"""150 dots an inch: small print is legible, a letter page has 1275 x 1650 pixels."""
_LONGEST = 2000
"""Pixels of the longer side; bounds memory whatever the page's size."""
DRAW_SECONDS = 10.0
"""Nobody waits longer for a picture, and reading other files waits for it; some maps take minutes."""
_ASKED: Any = dict(raw.IFSDK_PAUSE._fields_)["NeedToPauseNow"]


@dataclass(frozen=True, slots=True)
class Box:
    """Part of the picture, in pixels from its upper left corner."""

    left: int
    top: int
    right: int
    bottom: int


class Page:
    """A page that is open, in the hands of ``opened_page``."""

    def __init__(self, page: Any, text_page: Any, number: int) -> None:
        self._page = page
        self._text = text_page
        self._number = number
        width, height = float(page.get_width()), float(page.get_height())
        scale = min(_SCALE, _LONGEST / max(width, height, 1.0))
        self._size = max(1, math.ceil(width * scale)), max(1, math.ceil(height * scale))

    def characters(self) -> list[tuple[int, str]]:
        """(number, character) in the order they were written."""
        count = min(int(self._text.count_chars()), MAX_CHARACTERS_PER_PAGE)
        return list(page_characters(self._text.raw, count))

    def boxes(self, numbers: Iterable[int]) -> list[Box]:
        """Where the characters of these numbers stand, as high as their lines; those without a place are left out."""
        found = raw.FS_RECTF()
        boxes: list[Box] = []
        for number in numbers:
            if raw.FPDFText_GetLooseCharBox(self._text.raw, number, found):
                ends = self._on_picture(found.left, found.top), self._on_picture(found.right, found.bottom)
                (left, right), (top, bottom) = (sorted(pair) for pair in zip(*ends, strict=True))
                boxes.append(Box(left, top, right, bottom))
        return boxes

    def pixels(self) -> Pixels:
        """The page drawn on white. Raises Unreadable when that takes longer than DRAW_SECONDS."""
        width, height = self._size
        pixels = np.full((height, width, 4), 255, np.uint8)
        bitmap = raw.FPDFBitmap_CreateEx(
            width, height, raw.FPDFBitmap_BGRx, pixels.ctypes.data_as(ctypes.c_void_p), 4 * width
        )
        deadline = time.monotonic() + DRAW_SECONDS

        def is_late(_: object) -> bool:
            return time.monotonic() > deadline

        pause = raw.IFSDK_PAUSE(version=1, NeedToPauseNow=_ASKED(is_late))
        try:
            flags = raw.FPDF_ANNOT | raw.FPDF_REVERSE_BYTE_ORDER
            state = raw.FPDF_RenderPageBitmap_Start(bitmap, self._page.raw, *self._placing, flags, pause)
            if state != raw.FPDF_RENDER_DONE:
                raise Unreadable(f"page {self._number} cannot be drawn within {DRAW_SECONDS:g} s")
        finally:
            raw.FPDF_RenderPage_Close(self._page.raw)
            raw.FPDFBitmap_Destroy(bitmap)
        return np.ascontiguousarray(pixels[:, :, :3])

    @property
    def _placing(self) -> tuple[int, int, int, int, int]:
        """The whole page on the whole picture, turned as the file says."""
        return 0, 0, *self._size, 0

    def _on_picture(self, x: float, y: float) -> tuple[int, int]:
        across, down = ctypes.c_int(), ctypes.c_int()
        raw.FPDF_PageToDevice(self._page.raw, *self._placing, x, y, across, down)
        return across.value, down.value


@contextmanager
def opened_page(source: Path, number: int) -> Generator[Page]:
    """Page ``number``, from 1, of a file; nothing else is done with PDFium meanwhile. Raises PasswordNeeded or Unreadable."""
    with PDFIUM_LOCK, opened(source) as document:
        count = page_count(document)
        if not 1 <= number <= count:
            raise Unreadable(f"there is no page {number}, it has {count:,}")
        try:
            page = document[number - 1]
            try:
                text_page = page.get_textpage()
                try:
                    yield Page(page, text_page, number)
                finally:
                    text_page.close()
            finally:
                page.close()
        except PdfiumError as error:
            raise Unreadable(f"page {number} cannot be loaded: {error}") from error
