"""Figures of a PDF, as they are printed: what pictures and drawings show on a page, with the labels that stand in them.

A picture of the file is one where it is large enough and does not cover the page. A drawing is known by its caption: what is drawn above
a line that begins ``Figure 3`` belongs to it. Each is cut out of the page as it is drawn.
"""

import ctypes
import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from importlib import import_module
from typing import Any, NamedTuple, cast

from ascertain.core.documents.blocks import Block, BlockIndex, BlockKind, Place
from ascertain.documents.formats.drafts.draft import DrawnPicture
from ascertain.documents.formats.pdf.lines import Line
from ascertain.documents.formats.pdf.pictures import Page
from ascertain.documents.formats.pdf.words import (
    PDFIUM_LOCK,
    Unreadable,
    bounds_of,
    iter_objects,
    load_page,
    pdfium,
    picture_boxes,
    raw,
)

_CAPTION = re.compile(
    r"(?:figure|fig\.?|abbildung|abb\.|figura|figuur|afbeelding|chart|diagram)\s*(?:[A-Z]\.?)?\d", re.I
)
_LEAST_SIDE = 48.0
"""Points of a drawing: two thirds of an inch, below which nothing can be read (by judgement)."""
_FEWEST_STROKES = 8
"""Lines and areas of a drawing; fewer are rules and boxes (by judgement)."""
_GAP = 24.0
"""Points between parts of one drawing, and between it and its caption: two lines of text."""
_TOUCHING = 4.0
"""Points between pictures that are printed as one: programs cut large ones into strips."""
_MARGIN = 3.0


class Region(NamedTuple):
    """A part of a page, in points from its lower left corner."""

    left: float
    bottom: float
    right: float
    top: float

    def join(self, other: "Region") -> "Region":
        """Both, and what lies between."""
        return Region(
            min(self.left, other.left),
            min(self.bottom, other.bottom),
            max(self.right, other.right),
            max(self.top, other.top),
        )

    def is_near(self, other: "Region", gap: float) -> bool:
        """Whether they overlap, or lie no further apart than ``gap``."""
        across = max(other.left - self.right, self.left - other.right)
        along = max(other.bottom - self.top, self.bottom - other.top)
        return max(across, along) <= gap


@dataclass(frozen=True, slots=True)
class PageFigure:
    """A figure of page ``page``, from 1; ``data`` is a PNG of it, ``key`` is the same however it is drawn."""

    page: int
    region: Region
    key: bytes
    data: bytes


def read_figures(document: Any, index: int, lines: Sequence[Line]) -> list[PageFigure]:
    """The figures of a page whose text is ``lines``; all of it where there is no text. None of one that cannot be drawn."""
    with PDFIUM_LOCK:
        try:
            with load_page(document, index) as page:
                found = list(_find_figures(page, lines))
                return _cut_out(page, index + 1, found) if found else []
        except (Unreadable, pdfium.PdfiumError):
            return []


def _find_figures(page: Any, lines: Sequence[Line]) -> Iterator[tuple[Region, bytes]]:
    if not lines:
        keys = [_picture_key(handle) for handle in iter_objects(page) if _is_picture(handle)]
        if keys:
            yield Region(0, 0, page.get_width(), page.get_height()), b"".join(keys)
        return
    pictures = [(Region(*box), _picture_key(handle)) for handle, box in picture_boxes(page)]
    joined = _join_near(pictures)
    yield from joined
    strokes = [
        Region(*bounds_of(handle))
        for handle in iter_objects(page)
        if raw.FPDFPageObj_GetType(handle) in (raw.FPDF_PAGEOBJ_PATH, raw.FPDF_PAGEOBJ_SHADING, raw.FPDF_PAGEOBJ_FORM)
    ]
    for line in lines:
        if _CAPTION.match(line.text):
            drawn = _find_drawing(line, strokes)
            if drawn is not None and not any(drawn.is_near(region, 0) for region, _ in joined):
                yield drawn, repr([tuple(map(round, each)) for each in strokes if drawn.is_near(each, 0)]).encode()


def _join_near(pictures: Sequence[tuple[Region, bytes]]) -> list[tuple[Region, bytes]]:
    """The pictures, those that touch as one."""
    joined: list[tuple[Region, bytes]] = []
    for picture in pictures:
        near = [each for each in joined if each[0].is_near(picture[0], _TOUCHING)]
        joined = [each for each in joined if each not in near]
        joined.append(
            (
                reduce(Region.join, (region for region, _ in (*near, picture))),
                b"".join(key for _, key in (*near, picture)),
            )
        )
    return joined


def _find_drawing(caption: Line, strokes: Sequence[Region]) -> Region | None:
    """What is drawn above a caption, as far as its parts lie near each other."""
    base = caption.y + caption.size
    line = Region(caption.x0, caption.y, caption.x1, base)
    above = [each for each in strokes if each.top > base]
    parts = [each for each in above if each.is_near(line, _GAP)]
    if not parts:
        return None
    found, count = reduce(Region.join, parts), 0
    while len(parts) > count:
        count = len(parts)
        parts = [each for each in above if each.is_near(found, _GAP)]
        found = reduce(Region.join, parts)
    is_one_form = any(each == found for each in parts)
    is_small = min(found.right - found.left, found.top - found.bottom) < _LEAST_SIDE
    if is_small or (count < _FEWEST_STROKES and not is_one_form):
        return None
    # labels of axes stand a little outside
    return Region(found.left - _GAP, max(base, found.bottom - _GAP), found.right + _GAP, found.top + _MARGIN)


def _is_picture(handle: Any) -> bool:
    return raw.FPDFPageObj_GetType(handle) == raw.FPDF_PAGEOBJ_IMAGE


def _picture_key(handle: Any) -> bytes:
    """The bytes of a picture as the file has them."""
    size = raw.FPDFImageObj_GetImageDataRaw(handle, None, 0)
    buffer = (ctypes.c_ubyte * size)()
    raw.FPDFImageObj_GetImageDataRaw(handle, buffer, size)
    return bytes(buffer)


def _cut_out(page: Any, number: int, found: Sequence[tuple[Region, bytes]]) -> list[PageFigure]:
    library = cast("Any", import_module("PIL.Image"))
    text_page = page.get_textpage()
    try:
        opened = Page(page, text_page, number)
        printed = library.fromarray(opened.pixels())
        figures: list[PageFigure] = []
        for region, key in found:
            box = opened.box_of(region)
            packed = io.BytesIO()
            printed.crop((box.left, box.top, box.right, box.bottom)).save(packed, "PNG")
            figures.append(PageFigure(number, region, key, packed.getvalue()))
        return figures
    finally:
        text_page.close()


def place_figures(
    figures: Sequence[PageFigure], lines: Sequence[Line], text: str, blocks: Sequence[Block]
) -> list[DrawnPicture]:
    """The figures with their places in a text that was made of ``lines``: behind the caption, else at the end of their page."""
    tree = BlockIndex(blocks)
    captions = [
        (line, block)
        for block in tree.of_kind(BlockKind.CAPTION)
        for line in lines
        if line.page == tree.place_at(block.span.start).page and block.span.of(text).startswith(line.text)
    ]
    return [_place_figure(figure, captions, text, tree) for figure in figures]


def _place_figure(
    figure: PageFigure, captions: Sequence[tuple[Line, Block]], text: str, tree: BlockIndex
) -> DrawnPicture:
    own = [
        (_distance(figure.region, line), block)
        for line, block in captions
        if line.page == figure.page and line.x0 <= figure.region.right and line.x1 >= figure.region.left
    ]
    distance, caption = min(own, key=lambda pair: pair[0], default=(0.0, None))
    if caption is not None and distance <= 2 * _GAP:
        position, words = caption.span.end, caption.span.of(text)
    else:
        position, words = _end_of_page(figure.page, tree), ""
    section = tree.place_at(max(0, position - 1)).section
    return DrawnPicture(partial(bytes, figure.data), position, Place(figure.page, section), words, figure.key)


def _distance(region: Region, line: Line) -> float:
    """How far a line stands below or above a region."""
    return max(0.0, region.bottom - line.y - line.size, line.y - region.top)


def _end_of_page(number: int, tree: BlockIndex) -> int:
    """Where the last block ends that ends on a page, or on one before it."""
    pages = [block for block in tree.of_kind(BlockKind.PAGE) if (block.place.page or 0) <= number]
    if not pages:
        return 0
    ends = [block.span.end for block in tree.content() if block.depth == 0 and block.span.end <= pages[-1].span.end]
    return max(ends, default=pages[-1].span.end)
