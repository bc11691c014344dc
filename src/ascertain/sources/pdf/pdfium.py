"""Opening documents with PDFium.

It is a C library without types or thread safety, whoever opened what: calls go through ``Any``, and every one of them, in whichever module,
is made while PDFIUM_LOCK is held. It is held for a page at a time, so that reading a book does not keep others from drawing a page.
"""

from __future__ import annotations

import threading
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

import pypdfium2  # pyright: ignore[reportMissingTypeStubs]

pdfium = cast("Any", pypdfium2)
raw = cast("Any", pypdfium2.raw)
PdfiumError = pypdfium2.PdfiumError

PDFIUM_LOCK = threading.RLock()


class PasswordNeeded(Exception):
    """The document is encrypted and opens only with a password."""


class Unreadable(Exception):
    """PDFium cannot open the data."""


@contextmanager
def opened(source: bytes | Path) -> Generator[Any]:
    """A PDFium document. Raises PasswordNeeded or Unreadable."""
    with PDFIUM_LOCK:
        try:
            document = pdfium.PdfDocument(source)
        except PdfiumError as error:
            if "password" in str(error).lower():
                raise PasswordNeeded from error
            raise Unreadable(str(error)) from error
    try:
        yield document
    finally:
        with PDFIUM_LOCK:
            document.close()


def page_count(document: Any) -> int:
    """How many pages there are."""
    with PDFIUM_LOCK:
        return len(document)


def facts_of(document: Any) -> dict[str, str]:
    """What the file says about itself: Title, Author, CreationDate and others."""
    with PDFIUM_LOCK:
        return document.get_metadata_dict()
