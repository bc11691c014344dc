"""Pictures of the pages of PDF documents, with the quoted words marked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from ascertain.app.png import png
from ascertain.app.uploads import SCHEME, originals_of
from ascertain.core.documents import Document, Region, RegionKind
from ascertain.core.errors import UsageError
from ascertain.core.spans import Span
from ascertain.sources.pdf.drawing import Page, opened_page
from ascertain.sources.pdf.locating import is_same_page, locate
from ascertain.sources.pdf.marking import marked
from ascertain.sources.pdf.pdfium import PasswordNeeded, Unreadable

if TYPE_CHECKING:
    from ascertain.app.ascertain import Ascertain


def drawn_page(knowledge: Ascertain, document: Document, number: int, quote: Span | None) -> bytes:
    """Page ``number``, from 1, as a PNG, with the part of ``quote`` that is on it marked; raises UsageError as ``page_image`` does."""
    pages = {region.place.page: region for region in document.regions_of(RegionKind.PAGE)}
    if not pages:
        raise UsageError(f"{document.title}: has no pages to show; only PDF files have")
    region = pages.get(number)
    # a page without text tells nothing of the file
    telling = region or max(pages.values(), key=lambda page: page.span.length)
    reason = "the file it was read from is not there any more"
    for original in _originals(knowledge, document):
        try:
            with original as path:
                if _is_unchanged(path, document, telling):
                    with opened_page(path, number) as page:
                        return png(marked(page.pixels(), page.boxes(_quoted(page, document, region, quote))))
                reason = "the file it was read from has changed since"
        except PasswordNeeded:
            reason = "the file it was read from needs a password now"
        except (Unreadable, OSError, UsageError) as error:
            reason = str(error)
    raise UsageError(f"{document.title}: page {number} cannot be shown: {reason}")


def _originals(knowledge: Ascertain, document: Document) -> Iterator[AbstractContextManager[Path]]:
    """The files that the document may have been read from."""
    if document.source.startswith(SCHEME):
        files = knowledge.service.files
        for file in originals_of(files, document):
            yield files.open(file.id, document.tenant)
        return
    path = Path(document.source)
    if path.is_absolute() and path.is_file():
        yield nullcontext(path)


def _is_unchanged(path: Path, document: Document, region: Region) -> bool:
    with opened_page(path, region.place.page or 1) as page:
        return is_same_page(region.span.of(document.text), page.characters())


def _quoted(page: Page, document: Document, region: Region | None, quote: Span | None) -> Sequence[int]:
    """The characters of the page that are the quote; none where it cannot be told."""
    if quote is None or region is None or not quote.overlap(region.span):
        return []
    start, end = max(quote.start, region.span.start), min(quote.end, region.span.end)
    return locate(document.text[start:end], document.text[region.span.start : start], page.characters())
