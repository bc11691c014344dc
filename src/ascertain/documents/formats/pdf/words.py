"""Words of a PDF page with their places and fonts, through PDFium."""

import ctypes
import re
import threading
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, cast

import pypdfium2  # pyright: ignore[reportMissingTypeStubs]

from ascertain.language.word_lists import load_word_set

# PDFium is a C library without types or thread safety, in whatever module: calls go through ``Any``, and every one of
# them, in whichever module, is made while PDFIUM_LOCK is held. It is held for a page at a time, so that reading a book
# does not keep others from drawing a page.

pdfium = cast("Any", pypdfium2)
raw = cast("Any", pypdfium2.raw)
PdfiumError = pypdfium2.PdfiumError

PDFIUM_LOCK = threading.RLock()


class PasswordNeeded(Exception):
    """The document is encrypted and opens only with a password."""


class Unreadable(Exception):
    """PDFium cannot open the data."""


@contextmanager
def open_pdf(source: bytes | Path) -> Generator[Any]:
    """A PDFium document. Raises PasswordNeeded or Unreadable."""
    with PDFIUM_LOCK:
        try:
            document = pdfium.PdfDocument(source)
        except PdfiumError as error:
            if "password" in str(error).lower() and _names_encryption(source):
                raise PasswordNeeded from error
            raise Unreadable(str(error)) from error
    try:
        yield document
    finally:
        with PDFIUM_LOCK:
            document.close()


def _names_encryption(source: bytes | Path) -> bool:
    """Whether the file says that it is encrypted (ISO 32000-1, 7.5.5, in plain text): of a document without pages PDFium
    tells the last error of the process, which may be that of another file.
    """
    return b"/Encrypt" in (source if isinstance(source, bytes) else source.read_bytes())


def page_count(document: Any) -> int:
    """How many pages there are."""
    with PDFIUM_LOCK:
        return len(document)


def facts_of(document: Any) -> dict[str, str]:
    """What the file says about itself: Title, Author, CreationDate and others."""
    with PDFIUM_LOCK:
        return document.get_metadata_dict()


SOFT_HYPHEN = "\u00ad"
"""Stands for a hyphen at the end of a line, as PDFium reports it."""

MAX_CHARACTERS_PER_PAGE = 500_000
_BOLD = re.compile(r"bold|black|heavy|demi|cmbx|medi(?![a-z])|semibold", re.IGNORECASE)
_MONO = re.compile(r"mono|courier|consol|typewriter|cmtt|hack|menlo|code(?:pro)?\b|lmtt|-tt", re.IGNORECASE)
_BOLD_WEIGHT = 600
_LINE_END_HYPHENS = (0x02, 0xFFFE, 0xAD)
_EXTENSION = re.compile(r"cmex|lmex|txex|pxex|msex|mathex", re.IGNORECASE)
"""Fonts of TeX's large signs."""
_LARGE_SIGNS = str.maketrans("PXQYRZHISTUVpqrst", "∑∑∏∏∫∫∮∮⋃⋂⋁⋀√√√√√")
"""What stands for them where the file does not say: the code of each in the encoding of Computer Modern's extension font (Knuth, The TeXbook,
appendix F), as a letter.
"""
_AXIS = 0.25
"""Height above the baseline of the middle of large signs, in sizes of type (TeX's axis height)."""


@dataclass(frozen=True, slots=True)
class Font:
    """How a run of characters is set; ``size`` in points on the page."""

    size: float
    is_bold: bool
    is_mono: bool
    is_turned: bool
    has_large_signs: bool = False
    """It is one of TeX's for large signs, which hang below their origin."""


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


@contextmanager
def load_page(document: Any, index: int) -> Generator[Any]:
    """One page, while the lock is held. Raises Unreadable where it cannot be loaded."""
    with PDFIUM_LOCK:
        try:
            page = document[index]
        except PdfiumError as error:
            raise Unreadable(str(error)) from error
        try:
            yield page
        finally:
            page.close()


def words_on(page: Any) -> list[Word]:
    """The words of a page in the order they were written; the lock is held by the caller. Raises Unreadable."""
    try:
        text_page = page.get_textpage()
    except PdfiumError as error:
        raise Unreadable(str(error)) from error
    try:
        return list(_read_words(text_page.raw, min(text_page.count_chars(), MAX_CHARACTERS_PER_PAGE)))
    finally:
        text_page.close()


def outline_of(document: Any) -> list[tuple[int, int, str]]:
    """What readers show beside the pages: the page, from 1, the level, from 1, and the title of each entry; empty where there is none."""
    found: list[tuple[int, int, str]] = []
    with PDFIUM_LOCK:
        try:
            for entry in islice(document.get_toc(max_depth=_OUTLINE_DEPTH), _MOST_ENTRIES):
                target = entry.get_dest()
                page = target.get_index() if target else None
                if page is not None:
                    found.append((page + 1, entry.level + 1, entry.get_title()))
        except (PdfiumError, UnicodeDecodeError, ValueError):
            return found
    return found


_OUTLINE_DEPTH = 9
_MOST_ENTRIES = 20_000
"""Of an outline (by judgement): a book of a thousand pages has some hundreds."""
_SMALLEST_PICTURE = 40.0
"""Points: what is smaller both ways is a sign or a bullet (by judgement)."""
_WHOLE_PAGE = 0.8
"""Share of a page: a picture that covers it is its paper, or the scan that its text was recognised on."""
_MOST_OBJECTS = 3000
"""Of a page that are looked at; a page of more is a map or a drawing."""


def count_pictures(page: Any) -> int:
    """How many pictures stand on a page beside its text; the lock is held by the caller."""
    return sum(1 for _ in picture_boxes(page))


def picture_boxes(page: Any) -> Iterator[tuple[Any, tuple[float, float, float, float]]]:
    """The pictures that stand on a page beside its text, each with its left, bottom, right and top; the lock is held by the caller."""
    whole = _WHOLE_PAGE * page.get_width() * page.get_height()
    for handle in iter_objects(page):
        if raw.FPDFPageObj_GetType(handle) != raw.FPDF_PAGEOBJ_IMAGE:
            continue
        left, bottom, right, top = bounds_of(handle)
        is_large = max(right - left, top - bottom) >= _SMALLEST_PICTURE
        if is_large and (right - left) * (top - bottom) < whole:
            yield handle, (left, bottom, right, top)


def iter_objects(page: Any) -> Iterator[Any]:
    """The first few thousand things drawn on a page; the lock is held by the caller."""
    for number in range(min(raw.FPDFPage_CountObjects(page.raw), _MOST_OBJECTS)):
        yield raw.FPDFPage_GetObject(page.raw, number)


def bounds_of(handle: Any) -> tuple[float, float, float, float]:
    """Left, bottom, right and top of a thing on a page, in points; the lock is held by the caller."""
    sides = [ctypes.c_float() for _ in range(4)]
    raw.FPDFPageObj_GetBounds(handle, *sides)
    left, bottom, right, top = (side.value for side in sides)
    return left, bottom, right, top


def _read_words(handle: Any, count: int) -> Iterator[Word]:
    """Words and spaces. Only the ends of a word are asked for their place, which is most of the time saved."""
    fonts: dict[int, Font] = {}
    word: list[tuple[int, str]] = []
    for index, text in page_characters(handle, count):
        if text == SOFT_HYPHEN or not text.isspace():
            word.append((index, text))
            continue
        yield from _place_word(handle, word, fonts)
        word = []
        yield Word("\n" if text == "\n" else " ", 0, 0, 0, None)
    yield from _place_word(handle, word, fonts)


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


def _place_word(handle: Any, word: list[tuple[int, str]], fonts: dict[int, Font]) -> Iterator[Word]:
    """The word as one glyph, or as several where its font changes."""
    if not word:
        return
    first, last = word[0][0], word[-1][0]
    if len(word) > 1 and _run_of(handle, first) != _run_of(handle, last):
        for character in word:
            yield from _place_word(handle, [character], fonts)
        return
    x, y, box = ctypes.c_double(), ctypes.c_double(), raw.FS_RECTF()
    raw.FPDFText_GetCharOrigin(handle, first, x, y)
    raw.FPDFText_GetLooseCharBox(handle, first, box)
    left, right = box.left, box.right
    if last != first:
        raw.FPDFText_GetLooseCharBox(handle, last, box)
        left, right = min(left, box.left), max(right, box.right)
    text, font, baseline = "".join(text for _, text in word), _font_of(handle, first, fonts), y.value
    if font.has_large_signs:
        text, baseline = text.translate(_LARGE_SIGNS), _find_middle(handle, first) - _AXIS * font.size
    yield Word(text, left, right, baseline, font)


def _find_middle(handle: Any, index: int) -> float:
    """The middle of the height of what is drawn for a character, in points."""
    left, right, bottom, top = ctypes.c_double(), ctypes.c_double(), ctypes.c_double(), ctypes.c_double()
    raw.FPDFText_GetCharBox(handle, index, left, right, bottom, top)
    return (bottom.value + top.value) / 2


def _run_of(handle: Any, index: int) -> int:
    """Identifies the run of text, all in one font, that the page draws the character in."""
    return ctypes.cast(raw.FPDFText_GetTextObject(handle, index), ctypes.c_void_p).value or 0


def _font_of(handle: Any, index: int, fonts: dict[int, Font]) -> Font:
    """The font of a character, asked for once for each run of text the page draws."""
    run = _run_of(handle, index)
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
        has_large_signs=bool(_EXTENSION.search(label)),
    )
    fonts[run] = font
    return font


# A hyphen at a line end that cuts a word or a web address in two may belong to the word ("open-source") or be there
# only for the line ("exam-ple"). The rest of the document tells: what is spelled there with the hyphen keeps it; so do
# two halves that are words there when the joined form is not.

_WORD = re.compile(r"[^\W\d_]+(?:[-\u2010\u2011][^\W\d_]+)*")
_LAST = re.compile(r"(?<![^\W_])(?<![^\W_][-\u2010\u2011])([^\W_]++(?:[-\u2010\u2011][^\W_]++)*)$")
_FIRST = re.compile(r"^([^\W_]+)")
_HYPHENS = (SOFT_HYPHEN, "-", "\u2010")
_ADDRESS = re.compile(r"(?:https?:|www\.|doi\.org/)\S{0,2000}$")
_NEW_ADDRESS = re.compile(r"\W?\d*\W?(?:https?:|www\.)")
_SENTENCE = re.compile(r"[A-Z]?[a-z]*(?:\s|$)")
_MIN_HALF = 3
_AFTER_HYPHEN = load_word_set("compounds", "after_hyphen")
_JOINING_WORDS = frozenset(("and", "or", "to", "und", "oder", "et", "ou", "y"))


class Hyphens:
    """Joins lines by what words the document spells in full."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._words: set[str] = set()
        was_cut = False
        for line in lines:
            words = _WORD.findall(line.lower())
            is_cut = line.endswith(_HYPHENS)
            # The last word of a line with a hyphen, and the first of the next, may be halves.
            self._words.update(words[was_cut : len(words) - is_cut])
            was_cut = is_cut

    def join(self, before: str, after: str) -> tuple[str, str]:
        """``before`` as it should end, and what stands between it and ``after``: a space or nothing."""
        if not before.endswith(_HYPHENS):
            return before, "" if _is_cut_address(before, after) else " "
        stem = before[:-1]
        last, first = _LAST.search(stem), _FIRST.match(after)
        if not last or not first:
            return f"{stem}-", "" if last else " "
        if first[1].lower() in _JOINING_WORDS:
            # "pre- and post-"
            return f"{stem}-", " "
        return (f"{stem}-" if self._keeps_hyphen(last[1], first[1]) else stem), ""

    def _keeps_hyphen(self, last: str, first: str) -> bool:
        if not first[0].islower() or last[-1].isdigit() or (len(last) > 1 and last.isupper()):
            return True
        left, right = last.lower(), first.lower()
        if f"{left}-{right}" in self._words:
            return True
        if "-" in left:
            # "German-lan-" goes on with "guage", "state-of-the-" with "art"
            return f"{left.rpartition('-')[2]}{right}" not in self._words
        if f"{left}{right}" in self._words:
            return False
        if len(left) >= _MIN_HALF and right in _AFTER_HYPHEN:
            return True
        halves = (left, right)
        return all(len(half) >= _MIN_HALF and half in self._words for half in halves)


def _is_cut_address(before: str, after: str) -> bool:
    """Whether a web address at the end of a line goes on in the next, as "https://doi.org/" and "10.1000/1" do."""
    address = _ADDRESS.search(before)
    if not address or not after or _NEW_ADDRESS.match(after):
        return False
    if address[0].endswith(("/", ":", "_", "=", "?", "&", "%")):
        return True
    # After a point only what is no word of a sentence: digits, "org/dandiset".
    return address[0].endswith(".") and not _SENTENCE.match(after) and after[0] not in "(["
