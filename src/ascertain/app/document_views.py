"""Looking at what a citation points to: the quote in the text around it, and the page of the PDF it stands on."""

from __future__ import annotations

import struct
import unicodedata
import zlib
from collections.abc import Generator, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ascertain.app.adding.uploads import SCHEME, originals_of
from ascertain.core.blocks import Block, BlockKind, Span
from ascertain.core.documents import Document, TextWindow
from ascertain.core.errors import SourceError, UsageError
from ascertain.core.passages import Filter
from ascertain.sources.files import ReadOptions, read_illustrated
from ascertain.sources.formats.pdf.pictures import Page, is_same_page, locate_characters, mark_boxes, opened_page
from ascertain.sources.formats.pdf.scans import boxes_on_picture, is_same_scan, picture_page
from ascertain.sources.formats.pdf.words import PasswordNeeded, Unreadable
from ascertain.sources.formats.reader import ReadLimits
from ascertain.sources.formats.sniffing import HEAD_BYTES

if TYPE_CHECKING:
    from ascertain.app.ascertain import Ascertain


_COMPRESSION = 3
"""Half the time of the default 6, for 3 % more bytes on pages of papers; the filters of PNG make those larger too."""


def encode_png(pixels: NDArray[np.uint8]) -> bytes:
    """The file for ``pixels`` of shape ``(height, width, 3)``."""
    height, width, _ = pixels.shape
    # each row begins with its filter: 0, none
    rows = np.zeros((height, 1 + 3 * width), np.uint8)
    rows[:, 1:] = pixels.reshape(height, 3 * width)
    return b"".join(
        (
            b"\x89PNG\r\n\x1a\n",
            _encode_chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)),
            _encode_chunk(b"IDAT", zlib.compress(rows.tobytes(), _COMPRESSION)),
            _encode_chunk(b"IEND", b""),
        )
    )


def _encode_chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def _draw_page(knowledge: Ascertain, document: Document, number: int, quote: Span | None) -> bytes:
    """Page ``number``, from 1, as a PNG, with the part of ``quote`` that is on it marked; raises UsageError as
    ``page_image`` does.
    """
    pages = {block.place.page: block for block in document.blocks_of(BlockKind.PAGE)}
    if not pages:
        raise UsageError(f"{document.title}: has no pages to show; only PDF files and pictures have")
    block = pages.get(number)
    scanned = [line for line in document.blocks_of(BlockKind.LINE) if line.place.page == number]
    # a page without text tells nothing of the file
    telling = block or max(pages.values(), key=lambda page: page.span.length)
    reason = "the file it was read from is not there any more"
    for original in _open_originals(knowledge, document):
        try:
            with original as path:
                if scanned:
                    pixels = _draw_scan(path, number)
                    if is_same_scan(scanned, pixels):
                        return encode_png(mark_boxes(pixels, boxes_on_picture(scanned, quote or Span(0, 0), pixels)))
                elif _is_unchanged(path, document, telling):
                    with opened_page(path, number) as page:
                        return encode_png(
                            mark_boxes(page.pixels(), page.boxes(_find_quote(page, document, block, quote)))
                        )
                reason = "the file it was read from has changed since"
        except PasswordNeeded:
            reason = "the file it was read from needs a password now"
        except (Unreadable, OSError, UsageError) as error:
            reason = str(error)
    raise UsageError(f"{document.title}: page {number} cannot be shown: {reason}")


def _open_originals(knowledge: Ascertain, document: Document) -> Iterator[AbstractContextManager[Path]]:
    """The files that the document may have been read from."""
    if document.source.startswith(SCHEME):
        files = knowledge.service.files
        for file in originals_of(files, document):
            yield files.open(file.id, document.tenant)
        return
    # of a file in an archive, the archive
    for name in dict.fromkeys((document.source, document.source.partition("#")[0])):
        path = Path(name)
        if path.is_absolute() and path.is_file():
            yield nullcontext(path)
            return


def _draw_scan(path: Path, number: int) -> NDArray[np.uint8]:
    with path.open("rb") as file:
        is_pdf = b"%PDF-" in file.read(HEAD_BYTES)
    if not is_pdf:
        return picture_page(path, number)
    with opened_page(path, number) as page:
        return page.pixels()


def _is_unchanged(path: Path, document: Document, block: Block) -> bool:
    with opened_page(path, block.place.page or 1) as page:
        return is_same_page(block.span.of(document.text), page.characters())


def _find_quote(page: Page, document: Document, block: Block | None, quote: Span | None) -> Sequence[int]:
    """The characters of the page that are the quote; none where it cannot be told."""
    if quote is None or block is None or not quote.overlap(block.span):
        return []
    start, end = max(quote.start, block.span.start), min(quote.end, block.span.end)
    return locate_characters(document.text[start:end], document.text[block.span.start : start], page.characters())


CONTEXT_CHARACTERS = 600
"""Text shown on either side of a quote: about a paragraph."""
MAX_CONTEXT_CHARACTERS = 20_000
"""Several pages; who wants more wants the document."""

_WORD_SLACK = 40
"""How much further a window may reach to begin and end with a whole word; longer words are addresses or no words at
all.
"""
_LONGEST_CLUSTER = 64
_JOINERS = frozenset("\u200c\u200d")
_FLAGS = range(0x1F1E6, 0x1F200)
_SKIN_TONES = range(0x1F3FB, 0x1F400)
_HANGUL_ENDS = range(0x1160, 0x1200)
_LOW_SURROGATES = range(0xDC00, 0xE000)


def text_window(
    knowledge: Ascertain, document_id: str, start: int, end: int, context: int = CONTEXT_CHARACTERS
) -> TextWindow:
    """The text ``[start, end)`` with ``context`` characters around it, widened to whole words where they are not long.

    What lies outside the document is cut off. Raises UsageError for an unknown document, a span that ends before it
    starts, and a context below 0; more than MAX_CONTEXT_CHARACTERS are given as so many.
    """
    document = _fetch_document(knowledge, document_id)
    if end < start or context < 0:
        raise UsageError(f"characters {start} to {end} with {context} around them: give start <= end, context >= 0")
    length = len(document.text)
    quote = Span(min(max(0, start), length), min(max(0, end), length))
    around = min(context, MAX_CONTEXT_CHARACTERS)
    window = Span(
        _find_word_start(document.text, max(0, quote.start - around)),
        _find_word_end(document.text, min(length, quote.end + around)),
    )
    return TextWindow(
        document.id,
        document.title,
        window.of(document.text),
        window.start,
        window.end,
        quote.start,
        quote.end,
        document.place_of(quote),
        length,
    )


def page_image(knowledge: Ascertain, document_id: str, page: int, quote_span: tuple[int, int] | None = None) -> bytes:
    """Page ``page``, from 1, of a PDF, or of a picture, as a PNG of at most 2,000 pixels a side; what of the quote is on it is marked.

    ``quote_span`` counts code points of the document's text. The page is drawn from the uploaded file, or from the file
    that the document was added from where it is still there with the same content. Where the quote cannot be found on
    it, it comes without a mark. Raises UsageError when there is no such document, page or file.
    """
    quote = None if quote_span is None else Span(*quote_span)
    return _draw_page(knowledge, _fetch_document(knowledge, document_id), page, quote)


@contextmanager
def open_original(knowledge: Ascertain, document_id: str) -> Generator[Path]:
    """The file that a document was read from, while the context lasts; of a file in an archive, the archive.

    Raises UsageError when there is no such document or file, and for a file in a folder that was written to since.
    """
    document = _fetch_document(knowledge, document_id)
    [record] = knowledge.documents(Filter(document_ids=(document_id,)))
    for original in _open_originals(knowledge, document):
        with original as path:
            # what a file holds that has changed since nobody was shown yet
            is_same = document.source.startswith(SCHEME) or path.stat().st_mtime <= record.added_at.timestamp()
            if not is_same:
                raise UsageError(f"{document.title}: the file it was read from has changed since")
            yield path
            return
    raise UsageError(f"{document.title}: the file it was read from is not there any more")


def figure_image(knowledge: Ascertain, document_id: str, digest: str) -> tuple[bytes, str]:
    """The picture of a document that a description is of, by its ``Figure.digest``, and its media type.

    It is read from the uploaded file, or from the file that the document was added from, where that is still there and has it. Raises
    UsageError when there is no such document, figure or file.
    """
    document = _fetch_document(knowledge, document_id)
    if all(block.figure is None or block.figure.digest != digest for block in document.blocks_of(BlockKind.FIGURE)):
        raise UsageError(f"{document.title}: has no described figure {digest[:12]}…")
    ingest = knowledge.settings.ingest
    options = ReadOptions(
        document.profile, max_bytes=ingest.max_file_bytes, limits=ReadLimits.of(ingest.reading), reads_pictures=True
    )
    reason = "the file it was read from is not there any more"
    for original in _open_originals(knowledge, document):
        try:
            with original as path:
                for illustrated in read_illustrated(path, options):
                    for picture in illustrated.pictures:
                        if picture.digest == digest:
                            return picture.data, picture.media_type
            reason = "the file it was read from has changed since"
        except (SourceError, OSError, UsageError) as error:
            reason = str(error)
    raise UsageError(f"{document.title}: the figure cannot be shown: {reason}")


def _fetch_document(knowledge: Ascertain, document_id: str) -> Document:
    document = knowledge.document(document_id)
    if document is None:
        raise UsageError(f"there is no document {document_id!r}; `ascertain documents` lists ids")
    return document


def _find_word_start(text: str, position: int) -> int:
    """``position`` or a little before: where a word, or at least a character as people see it, begins."""
    for start in range(position, max(-1, position - _WORD_SLACK), -1):
        if start == 0 or text[start - 1].isspace():
            return start
    return _cluster_start(text, position)


def _find_word_end(text: str, position: int) -> int:
    """``position`` or a little after: where a word, or at least a character as people see it, ends."""
    for end in range(position, min(len(text), position + _WORD_SLACK) + 1):
        if end == len(text) or text[end].isspace():
            return end
    end = position
    while end < len(text) and end - position < _LONGEST_CLUSTER and _cluster_start(text, end) != end:
        end += 1
    return end


def _cluster_start(text: str, position: int) -> int:
    """Where the character that people see around ``position`` begins, which may be several code points (a base, then
    what changes it).

    The rules of Unicode's UAX 29 that matter in running text: marks, joiners, emoji with skin tones, flags, Hangul
    syllables.
    """
    start = position
    while 0 < start < len(text) and position - start < _LONGEST_CLUSTER and _belongs_to_before(text, start):
        start -= 1
    return start


def _belongs_to_before(text: str, position: int) -> bool:
    character, before = text[position], text[position - 1]
    code = ord(character)
    if unicodedata.category(character).startswith("M") or character in _JOINERS or before == "\u200d":
        return True
    if code in _SKIN_TONES or code in _HANGUL_ENDS or code in _LOW_SURROGATES:
        return True
    if code not in _FLAGS:
        return False
    first = position
    while first > 0 and position - first < _LONGEST_CLUSTER and ord(text[first - 1]) in _FLAGS:
        first -= 1
    return (position - first) % 2 == 1
