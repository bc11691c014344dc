"""Looking at what a citation points to: the page of the PDF it stands on, the file, the picture."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Generator, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ascertain.app.adding.uploads import SCHEME, originals_of
from ascertain.app.documents.reading import fetch_document
from ascertain.core.asking.passages import Filter
from ascertain.core.documents.blocks import Block, BlockKind, Span
from ascertain.core.documents.documents import Document
from ascertain.core.errors import SourceError, UsageError
from ascertain.documents.formats.files.sniffing import HEAD_BYTES
from ascertain.documents.formats.pdf.pictures import Page, is_same_page, locate_characters, mark_boxes, opened_page
from ascertain.documents.formats.pdf.scans import boxes_on_picture, is_same_scan, picture_page
from ascertain.documents.formats.pdf.words import PasswordNeeded, Unreadable
from ascertain.documents.formats.reader import ReadLimits
from ascertain.documents.sources.files import ReadOptions, read_illustrated

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
    reason = "the file it was read from no longer exists"
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
    # for a file in an archive, the archive
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
    """The characters of the page that are the quote; empty where they cannot be found."""
    if quote is None or block is None or not quote.overlap(block.span):
        return []
    start, end = max(quote.start, block.span.start), min(quote.end, block.span.end)
    return locate_characters(document.text[start:end], document.text[block.span.start : start], page.characters())


def page_image(knowledge: Ascertain, document_id: str, page: int, quote_span: tuple[int, int] | None = None) -> bytes:
    """Page ``page``, from 1, of a PDF, or of a picture, as a PNG of at most 2,000 pixels a side; what of the quote is on it is marked.

    ``quote_span`` counts code points of the document's text. The page is drawn from the uploaded file, or from the file
    that the document was added from where it is still there with the same content. Where the quote cannot be found on
    it, it comes without a mark. Raises UsageError when there is no such document, page or file.
    """
    quote = None if quote_span is None else Span(*quote_span)
    return _draw_page(knowledge, fetch_document(knowledge, document_id), page, quote)


@contextmanager
def open_original(knowledge: Ascertain, document_id: str) -> Generator[Path]:
    """The file that a document was read from, while the context lasts; of a file in an archive, the archive.

    Raises UsageError for an unknown document or a missing file, and for a file in a folder that has changed since.
    """
    document = fetch_document(knowledge, document_id)
    [record] = knowledge.documents(Filter(document_ids=(document_id,)))
    for original in _open_originals(knowledge, document):
        with original as path:
            # no one was shown the new content of a changed file yet
            is_same = document.source.startswith(SCHEME) or path.stat().st_mtime <= record.added_at.timestamp()
            if not is_same:
                raise UsageError(f"{document.title}: the file it was read from has changed since")
            yield path
            return
    raise UsageError(f"{document.title}: the file it was read from no longer exists")


def figure_image(knowledge: Ascertain, document_id: str, digest: str) -> tuple[bytes, str]:
    """The picture of a document that a description is of, by its ``Figure.digest``, and its media type.

    It is read from the uploaded file, or from the file that the document was added from, where that is still there and has it. Raises
    UsageError when there is no such document, figure or file.
    """
    document = fetch_document(knowledge, document_id)
    if all(block.figure is None or block.figure.digest != digest for block in document.blocks_of(BlockKind.FIGURE)):
        raise UsageError(f"{document.title}: no described figure {digest[:12]}…")
    ingest = knowledge.settings.ingest
    options = ReadOptions(
        document.profile, max_bytes=ingest.max_file_bytes, limits=ReadLimits.of(ingest.reading), reads_pictures=True
    )
    reason = "the file it was read from no longer exists"
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
