"""Text on pictures: scanned pages of a PDF, and files that are pictures, read by the models in the package RapidOCR.

What is recognised are lines with their boxes. They go the way of the lines of a PDF from there on, so that columns, headings,
tables and running heads are found alike; each keeps its box, by which a quote is marked on the picture.
"""

import importlib
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from statistics import median
from typing import Any, cast

import numpy as np

from ascertain.core.documents.blocks import Block, BlockKind, LineBox, Span
from ascertain.core.system.memory import give_back_memory
from ascertain.documents.formats.drafts.pictures import put_on_white
from ascertain.documents.formats.pdf.lines import Line, ScannedText
from ascertain.documents.formats.pdf.pictures import Box, Pixels, plain_letters
from ascertain.documents.formats.pdf.words import Unreadable
from ascertain.documents.formats.registry import how_to_recognize

MAX_SCANS = 500
"""Pages of one file that are recognised, each of which takes seconds (by judgement)."""
LONGEST_SIDE = 2000
"""Pixels of what is recognised; RapidOCR makes what is larger smaller by itself."""
_SPARING_SIDE = 1200
"""Pixels of the picture in which lines are looked for first; what they say is read from the picture as it is. Pages of papers at 2000
pixels: as many of their words as with lines looked for in 2000, in 0.6 of the processor time and of the memory (measured)."""
_LOWEST_LINE = 22
"""Pixels: lines that are lower are looked for in the picture as it is, since some are missed in a smaller one (of a page at 27 pixels
a line none was, at 21 up to three words in a hundred)."""
_MOST_INK = 0.8
"""Share of what is dark that lies in the lines of a page of text; where less does, lines were missed, or there are drawings. Of pages of
papers .99 did, of one whose lines were missed .56 (measured)."""
_DARK = 128
"""Of 255: darker than that is ink."""
_MAX_PIXELS = 100_000_000
"""Of a picture; a page at 600 dots an inch has 35 million (by judgement)."""
_POINTS = 842.0
"""The longer side of a picture, taken to be a page of A4: sizes of type are compared with each other only."""
_BOX_HEIGHT = 1.2
"""What is recognised stands in boxes this many times as high as its type is large (measured at 8 to 24 points)."""
_ALIKE = 0.22
"""Boxes differ in height by what letters are in them: type within this share of the usual size is of that size."""
_UPRIGHT_SCORE = 0.85
"""Lines that stand on their heads are read with less certainty: of clean scans upright ones had .97, turned ones .6 (measured)."""


@cache
def _load_recognizer(is_sparing: bool) -> Any:
    """The models, in memory from the first picture on."""
    library = cast("Any", importlib.import_module("rapidocr"))
    threads = {f"EngineConfig.onnxruntime.{kind}_op_num_threads": 1 for kind in ("intra", "inter")}
    # its classifier of upright lines turns some that are; whole pages are turned below. Lines that are read together are
    # made as long as the longest: by themselves they take less memory, and no more time on one thread
    params = {**threads, "Global.use_cls": False, "Global.log_level": "critical", "Rec.rec_batch_num": 1}
    if is_sparing:
        params |= {"Det.limit_type": "max", "Det.limit_side_len": _SPARING_SIDE}
    return library.RapidOCR(params=params)


@dataclass(frozen=True, slots=True)
class _Reading:
    """What was recognised on a picture after ``turns`` quarter turns to the left."""

    turns: int
    lines: list[tuple[str, float, Any]]
    """Text, certainty and the corners of its box."""

    @property
    def score(self) -> float:
        """How certain its letters are, 0 to 1."""
        letters = sum(len(text) for text, _, _ in self.lines)
        return self.sure_letters / letters if letters else 0.0

    @property
    def sure_letters(self) -> float:
        """How many letters were read, each by its certainty."""
        return sum(len(text) * score for text, score, _ in self.lines)

    @property
    def line_height(self) -> float:
        """Pixels across a line, of those that are lower than three quarters of the others; 0 without any."""
        sides = [min(np.ptp(box[:, 0]), np.ptp(box[:, 1])) for _, _, box in self.lines]
        return float(np.quantile(sides, 0.25)) if sides else 0.0

    def share_of_ink(self, image: Pixels) -> float:
        """How much of what is dark on the picture is in lines."""
        dark = image.mean(axis=2) < _DARK
        in_lines = np.zeros_like(dark)
        for _, _, box in self.lines:
            (left, top), (right, bottom) = box.min(axis=0).astype(int), box.max(axis=0).astype(int)
            in_lines[max(0, top) : bottom + 1, max(0, left) : right + 1] = True
        return float((dark & in_lines).sum() / max(1, dark.sum()))

    @property
    def is_sideways(self) -> bool:
        """Whether most lines run up or down."""
        tall = [np.ptp(box[:, 1]) > 1.5 * np.ptp(box[:, 0]) for text, _, box in self.lines if len(text) > 2]
        return sum(tall) > len(tall) / 2


def recognize_lines(pixels: Pixels) -> list[Line]:
    """The lines on a picture with their boxes, in points of a page; it may have been scanned upside down or sideways."""
    reading = _read_turned(pixels, 0)
    if reading.lines and (reading.is_sideways or reading.score < _UPRIGHT_SCORE):
        others = (1, 3) if reading.is_sideways else (2,)
        turned = [_read_turned(pixels, turns) for turns in others]
        reading = max((reading, *turned), key=lambda each: (not each.is_sideways, each.score))
    # what a page leaves between what stays is not enough for the next, and would be added to it: 40 MB after three pages
    give_back_memory()
    upright = np.rot90(pixels, reading.turns)
    return _build_lines(reading, upright)


def _read_turned(pixels: Pixels, turns: int) -> _Reading:
    # blue first, as the library expects
    image = np.ascontiguousarray(np.rot90(pixels, turns)[:, :, ::-1])
    if max(image.shape) <= _SPARING_SIDE:
        return _recognize(image, turns, is_sparing=False)
    reading = _recognize(image, turns, is_sparing=True)
    if reading.line_height >= _LOWEST_LINE and reading.share_of_ink(image) >= _MOST_INK:
        return reading
    return max(reading, _recognize(image, turns, is_sparing=False), key=lambda each: each.sure_letters)


def _recognize(image: Pixels, turns: int, is_sparing: bool) -> _Reading:
    found = _load_recognizer(is_sparing)(image)
    if found.txts is None:
        return _Reading(turns, [])
    lines = [
        (str(text), float(score), np.asarray(box))
        for text, score, box in zip(found.txts, found.scores, found.boxes, strict=True)
        if str(text).strip()
    ]
    return _Reading(turns, lines)


def _build_lines(reading: _Reading, upright: Pixels) -> list[Line]:
    height, width = upright.shape[:2]
    scale = _POINTS / max(height, width)
    darkness = 255 - upright.mean(axis=2)
    sizes = [np.ptp(box[:, 1]) * scale / _BOX_HEIGHT for _, _, box in reading.lines]
    usual = median(sizes) if sizes else 0.0
    lines: list[Line] = []
    for (text, _, corners), size in zip(reading.lines, sizes, strict=True):
        left, top = np.clip(corners.min(axis=0), 0, (width - 1, height - 1))
        right, bottom = np.clip(corners.max(axis=0), (left + 1, top + 1), (width, height))
        ink = darkness[int(top) : int(bottom) + 1, int(left) : int(right) + 1].mean() / 255
        shares = (left / width, top / height, right / width, bottom / height)
        box = LineBox(*(round(float(each), 4) for each in (*_turn_back(shares, reading.turns), ink)))
        own_size = usual if abs(size - usual) < _ALIKE * usual else size
        line = Line(
            " ".join(text.split()),
            x0=float(left) * scale,
            x1=float(right) * scale,
            y=float(height - bottom) * scale,
            size=round(float(own_size), 1),
            is_bold=False,
            is_mono=False,
        )
        lines.append(replace(line, scanned=(ScannedText(line.text, box),)))
    return lines


def _turn_back(shares: tuple[float, float, float, float], turns: int) -> tuple[float, float, float, float]:
    """Where a box of a picture that was turned to the left stands on the picture as it was."""
    left, top, right, bottom = shares
    for _ in range(turns):
        left, top, right, bottom = 1 - bottom, left, 1 - top, right
    return left, top, right, bottom


def locate_lines(text: str, pages: Sequence[Block], lines: Sequence[Line]) -> list[Block]:
    """A block with its box for each recognised line; ``lines`` in the order in which they were written into ``text``."""
    found: list[Block] = []
    for page in pages:
        letters = list(plain_letters(enumerate(page.span.of(text))))
        written = "".join(letter for _, letter in letters)
        position = 0
        for piece in (piece for line in lines if line.page == page.place.page for piece in line.scanned):
            wanted = "".join(letter for _, letter in plain_letters(enumerate(piece.text)))
            start = written.find(wanted, position) if wanted else -1
            if start < 0:
                continue
            position = start + len(wanted)
            span = _widen_to_words(text, Span(letters[start][0], letters[position - 1][0] + 1).shift(page.span.start))
            if not found or found[-1].span.end <= span.start:
                found.append(Block(BlockKind.LINE, span, page.place, box=piece.box))
    return found


def _widen_to_words(text: str, span: Span) -> Span:
    """With the brackets and full stops that stand at its ends."""
    start, end = span
    while start > 0 and not text[start - 1].isspace() and not text[start - 1].isalnum():
        start -= 1
    while end < len(text) and not text[end].isspace() and not text[end].isalnum():
        end += 1
    return Span(start, end)


def boxes_on_picture(lines: Sequence[Block], quote: Span, pixels: Pixels) -> list[Box]:
    """The parts of recognised lines that hold ``quote``, each as long as its share of the line's characters."""
    height, width = pixels.shape[:2]
    boxes: list[Box] = []
    for line in lines:
        shared = quote.overlap(line.span)
        if not shared or line.box is None:
            continue
        left, top, right, bottom, _ = line.box
        is_upright = (right - left) * width >= (bottom - top) * height
        if is_upright:
            letter = (right - left) / line.span.length
            left += letter * (max(quote.start, line.span.start) - line.span.start)
            right = left + letter * shared
        boxes.append(Box(int(left * width), int(top * height), int(right * width), int(bottom * height)))
    return boxes


_SAME_INK = 0.03
"""A line drawn larger or smaller is as dark as it was up to this."""
_SAME_LINES = 0.8
"""Share of the lines that must be as dark as they were; of another page's about a third are, by chance (measured)."""


def is_same_scan(lines: Sequence[Block], pixels: Pixels) -> bool:
    """Whether recognised lines were read from this picture, by how dark it is where each of them stands."""
    height, width = pixels.shape[:2]
    darkness = 255 - pixels.mean(axis=2)
    same = 0
    boxes = [line.box for line in lines if line.box]
    for left, top, right, bottom, ink in boxes:
        rows = slice(int(top * height), int(bottom * height) + 1)
        here = darkness[rows, int(left * width) : int(right * width) + 1]
        same += bool(here.size) and abs(float(here.mean()) / 255 - ink) < _SAME_INK
    return same >= _SAME_LINES * len(boxes)


@contextmanager
def _opened_picture(source: Path) -> Generator[Any]:
    """A picture of Pillow. Raises Unreadable for what is damaged, too large, or no picture."""
    try:
        library = cast("Any", importlib.import_module("PIL.Image"))
    except ImportError as error:
        raise Unreadable(f"a picture; {how_to_recognize()}") from error
    library.MAX_IMAGE_PIXELS = None  # what is too large is refused below, with what to do
    try:
        picture = library.open(source, formats=["PNG", "JPEG", "TIFF", "WEBP", "BMP"])
    except Exception as error:  # whatever its decoders make of damage
        raise Unreadable("the picture is damaged or of an unknown kind; save it as PNG") from error
    with picture:
        yield picture


def picture_pages(source: Path) -> Iterator[Pixels]:
    """The pictures of a file, of which TIFF may hold several, as people see them. Raises Unreadable."""
    with _opened_picture(source) as picture:
        for number in range(_count_pages(picture)):
            yield _read_pixels(picture, number)


def picture_page(source: Path, number: int) -> Pixels:
    """Picture ``number``, from 1, of a file. Raises Unreadable."""
    with _opened_picture(source) as picture:
        if not 1 <= number <= _count_pages(picture):
            raise Unreadable(f"there is no page {number}")
        return _read_pixels(picture, number - 1)


def _count_pages(picture: Any) -> int:
    return int(getattr(picture, "n_frames", 1)) if picture.format == "TIFF" else 1


def _read_pixels(picture: Any, index: int) -> Pixels:
    operations = cast("Any", importlib.import_module("PIL.ImageOps"))
    try:
        if _count_pages(picture) > 1:
            picture.seek(index)
        _check_size(picture)
        picture.draft("RGB", (LONGEST_SIDE, LONGEST_SIDE))
        upright = operations.exif_transpose(picture)
        flat = put_on_white(upright)
        flat.thumbnail((LONGEST_SIDE, LONGEST_SIDE))
        return np.array(flat, np.uint8)
    except (Unreadable, MemoryError):
        raise
    except Exception as error:  # whatever its decoders make of damage
        raise Unreadable("the picture is damaged or cut off; get the file again") from error


def _check_size(picture: Any) -> None:
    width, height = picture.size
    if width * height > _MAX_PIXELS:
        raise Unreadable(f"{width:,} x {height:,} pixels, over the limit of {_MAX_PIXELS:,}; make it smaller")
