"""One page of a PDF as people see it: its characters, where they stand on the picture, and the picture."""

import ctypes
import math
import time
import unicodedata
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ascertain.documents.formats.pdf.words import (
    MAX_CHARACTERS_PER_PAGE,
    PDFIUM_LOCK,
    PdfiumError,
    Unreadable,
    open_pdf,
    page_characters,
    page_count,
    raw,
)

Pixels = NDArray[np.uint8]
"""Rows of pixels of red, green and blue: ``(height, width, 3)``."""

_SCALE = 150 / 72
"""150 dots an inch: small print is legible, a letter page has 1275 x 1650 pixels."""
_LONGEST = 2000
"""Pixels of the longer side; bounds memory whatever the page's size."""
DRAW_SECONDS = 10.0
"""No one waits longer for a picture, and reading other files waits for it; some maps take minutes."""
_FORM_DEPTH = 5
"""How deep pictures are looked for in parts of a page that lie in each other."""
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

    def __init__(self, page: Any, text_page: Any, number: int, scale: float = _SCALE) -> None:
        self._page = page
        self._text = text_page
        self._number = number
        width, height = float(page.get_width()), float(page.get_height())
        scale = min(scale, _LONGEST / max(width, height, 1.0))
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

    def box_of(self, sides: tuple[float, float, float, float]) -> Box:
        """A part of the page, given by its left, bottom, right and top in points, as far as it lies on the picture."""
        ends = self._on_picture(sides[0], sides[1]), self._on_picture(sides[2], sides[3])
        (left, right), (top, bottom) = (sorted(pair) for pair in zip(*ends, strict=True))
        width, height = self._size
        return Box(max(0, left), max(0, top), min(width, right), min(height, bottom))

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
            state = raw.FPDF_RenderPageBitmap_Start(bitmap, self._page.raw, *self._place_page, flags, pause)
            if state != raw.FPDF_RENDER_DONE:
                raise Unreadable(f"page {self._number} cannot be drawn within {DRAW_SECONDS:g} s")
        finally:
            raw.FPDF_RenderPage_Close(self._page.raw)
            raw.FPDFBitmap_Destroy(bitmap)
        return np.ascontiguousarray(pixels[:, :, :3])

    @property
    def _place_page(self) -> tuple[int, int, int, int, int]:
        """The whole page on the whole picture, turned as the file says."""
        return 0, 0, *self._size, 0

    def _on_picture(self, x: float, y: float) -> tuple[int, int]:
        across, down = ctypes.c_int(), ctypes.c_int()
        raw.FPDF_PageToDevice(self._page.raw, *self._place_page, x, y, across, down)
        return across.value, down.value


@contextmanager
def opened_page(source: Path, number: int) -> Generator[Page]:
    """Page ``number``, from 1, of a file; nothing else is done with PDFium meanwhile. Raises PasswordNeeded or Unreadable."""
    with PDFIUM_LOCK, open_pdf(source) as document:
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


_SCAN_SCALE = 200 / 72
"""What small print needs to be recognised; letters are legible to people with less."""


def draw_scan(document: Any, index: int) -> Pixels | None:
    """A page of an open document for recognition; None when there is no picture on it. Raises Unreadable when it cannot be drawn."""
    with PDFIUM_LOCK:
        try:
            page = document[index]
            try:
                if not any(page.get_objects(filter=[raw.FPDF_PAGEOBJ_IMAGE], max_depth=_FORM_DEPTH)):
                    return None
                text_page = page.get_textpage()
                try:
                    return Page(page, text_page, index + 1, _SCAN_SCALE).pixels()
                finally:
                    text_page.close()
            finally:
                page.close()
        except PdfiumError as error:
            raise Unreadable(f"page {index + 1} cannot be drawn: {error}") from error


# The words of a document's text are looked for on the page they came from. The text was put in order and mended:
# columns, hyphens, ligatures, accents, running heads. What survives all of that are the letters and digits in small
# stretches, so both sides are compared as letters and digits only.

_SHINGLE = 12
"""Letters that two texts have in common by chance rarely: two words or three."""
_SAME_PAGE = 0.5
"""Share of a page's shingles that must be on it. Order and mending cost some, another text has next to none."""
_LEAST_PIECE = 8
"""Letters of the shortest stretch that is looked for by itself when the whole is broken up."""
_LEAST_FOUND = 0.6
"""Share of a quote that must be found, so that what is marked is it."""
_CONTEXT = 60
"""Letters before a quote that tell one of several equal ones."""


def is_same_page(text: str, characters: Sequence[tuple[int, str]]) -> bool:
    """Whether ``text``, a page's share of a document, was taken from these characters; texts of a few letters never tell."""
    wanted = "".join(letter for _, letter in plain_letters(enumerate(text)))
    shown = "".join(letter for _, letter in plain_letters(characters))
    shingles = {wanted[start : start + _SHINGLE] for start in range(len(wanted) - _SHINGLE + 1)}
    return sum(shingle in shown for shingle in shingles) > _SAME_PAGE * len(shingles)


def locate_characters(quote: str, before: str, characters: Sequence[tuple[int, str]]) -> list[int]:
    """The numbers of the characters that are ``quote``, in order; none when it is not found.

    ``before`` is what the document has before it on the page, to distinguish equal words.
    """
    shown = list(plain_letters(characters))
    page = "".join(letter for _, letter in shown)
    wanted = "".join(letter for _, letter in plain_letters(enumerate(quote)))
    context = "".join(letter for _, letter in plain_letters(enumerate(before[-4 * _CONTEXT :])))[-_CONTEXT:]
    stretches = _find_stretches(wanted, context, page)
    if not wanted or sum(end - start for start, end in stretches) < _LEAST_FOUND * len(wanted):
        return []
    return sorted({shown[position][0] for start, end in stretches for position in range(start, end)})


def _find_stretches(wanted: str, context: str, page: str) -> list[tuple[int, int]]:
    """Where the parts of ``wanted`` stand on the page, the longest that can be found one after another."""
    stretches: list[tuple[int, int]] = []
    start = 0
    while start < len(wanted):
        length = _longest_match(wanted, start, page)
        if length < min(_LEAST_PIECE, len(wanted)):
            start += 1
            continue
        piece = wanted[start : start + length]
        position = (
            _nearest_place(piece, stretches[-1][1], page) if stretches else _likeliest_place(piece, context, page)
        )
        stretches.append((position, position + length))
        start += length
    return stretches


def _longest_match(wanted: str, start: int, page: str) -> int:
    """How many letters from ``start`` on stand together on the page. What is found of a stretch is found of its beginnings too."""
    least, most = 0, len(wanted) - start
    while least < most:
        middle = (least + most + 1) // 2
        if wanted[start : start + middle] in page:
            least = middle
        else:
            most = middle - 1
    return least


def _nearest_place(piece: str, position: int, page: str) -> int:
    """The next place of ``piece`` after ``position``, or the first one."""
    following = page.find(piece, position)
    return following if following >= 0 else page.find(piece)


def _likeliest_place(piece: str, context: str, page: str) -> int:
    """The place of ``piece`` that has the most of ``context`` before it."""
    best, best_shared = page.find(piece), -1
    position = best
    while position >= 0:
        shared = _shared_ending(page[max(0, position - _CONTEXT) : position], context)
        if shared > best_shared:
            best, best_shared = position, shared
        position = page.find(piece, position + 1)
    return best


def _shared_ending(text: str, other: str) -> int:
    length = 0
    while length < min(len(text), len(other)) and text[-1 - length] == other[-1 - length]:
        length += 1
    return length


def plain_letters(characters: Iterable[tuple[int, str]]) -> Iterable[tuple[int, str]]:
    """Letters and digits without accents and case, each with the number of the character it comes from."""
    for number, character in characters:
        for letter in unicodedata.normalize("NFKD", character).casefold():
            if letter.isalnum():
                # TeX sets an accented i as a dotless one and an accent
                yield number, "i" if letter == "\u0131" else letter


_MARKER = (255, 226, 92)
"""The page is multiplied with this colour, so that black stays black and paper becomes yellow."""
_MARGIN = 1
"""Pixels that a mark stands out beyond its letters."""
_GAP = 1.0
"""Letters this many times their height apart are marked as one: a space between words is a third of it, one between columns more."""


def mark_boxes(pixels: Pixels, boxes: Sequence[Box]) -> Pixels:
    """``pixels`` with the boxes marked, those of one line together; changed in place."""
    height, width, _ = pixels.shape
    is_marked = np.zeros((height, width), np.bool_)
    for box in _join_boxes(boxes):
        rows = slice(max(0, box.top - _MARGIN), box.bottom + _MARGIN)
        is_marked[rows, max(0, box.left - _MARGIN) : box.right + _MARGIN] = True
    marker = np.array(_MARKER, np.uint16)
    pixels[is_marked] = (pixels[is_marked] * marker // 255).astype(np.uint8)
    return pixels


def _join_boxes(boxes: Sequence[Box]) -> list[Box]:
    """The boxes, those that follow each other in one line joined."""
    lines: list[Box] = []
    for box in boxes:
        if lines and _is_beside(lines[-1], box):
            lines.append(_enclosing_box(lines.pop(), box))
        else:
            lines.append(box)
    return lines


def _enclosing_box(first: Box, second: Box) -> Box:
    return Box(
        min(first.left, second.left),
        min(first.top, second.top),
        max(first.right, second.right),
        max(first.bottom, second.bottom),
    )


def _is_beside(line: Box, box: Box) -> bool:
    shared = min(line.bottom, box.bottom) - max(line.top, box.top)
    height = min(line.bottom - line.top, box.bottom - box.top)
    gap = max(box.left - line.right, line.left - box.right)
    return shared >= height / 2 and gap <= _GAP * max(height, 1)
