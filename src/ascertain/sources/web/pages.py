"""What a URL answers with as documents: pages by their main content, every other format by its own reader."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from urllib.parse import unquote, urlsplit

from ascertain.core.documents import Document, DocumentKind
from ascertain.core.errors import SourceError
from ascertain.sources.extraction import ReadOptions
from ascertain.sources.files import read
from ascertain.sources.formats import known_suffixes
from ascertain.sources.web.canonical_urls import canonical_url, declared_url
from ascertain.sources.web.fetching import Fetched
from ascertain.sources.web.page_encoding import page_text
from ascertain.sources.web.page_head import PageHead, page_head
from ascertain.sources.web.request_urls import shown

READABLE = ("text/", "application/")
"""Media types that may hold text; whether they do, their first bytes say."""
_HTML = frozenset({"text/html", "application/xhtml+xml"})
_FEEDS = frozenset({"application/rss+xml", "application/atom+xml", "application/rdf+xml"})
_SUFFIX_OF = {
    "application/pdf": ".pdf",
    "application/x-pdf": ".pdf",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": ".docx",
    "text/markdown": ".md",
    "text/csv": ".csv",
    "text/tab-separated-values": ".tsv",
    "text/vtt": ".vtt",
    "application/x-subrip": ".srt",
    "application/json": ".json",
    "application/x-ndjson": ".jsonl",
    "application/jsonl": ".jsonl",
    **dict.fromkeys(_HTML, ".html"),
    **dict.fromkeys(_FEEDS, ".atom"),
}
_MARKUP_HEAD = 1000
MOST_TAGS = 200_000
"""Of a page or a feed. The longest pages that people write have 60,000; trafilatura takes 65 µs for each, so that this many are 13 s."""
_NAME = re.compile(r"[^\w.()-]+")


def documents_of(fetched: Fetched, options: ReadOptions) -> Iterator[Document]:
    """The documents in an answer: one, or one for each row of a table, with the page's canonical URL as source and as URL.

    Raises SourceError, one line that begins with the address without secrets, for what cannot be read.
    """
    source = canonical_url(fetched.url)
    head: PageHead | None = None
    body = fetched.body
    if is_html(fetched):
        check_tags(fetched)
        try:
            markup = page_text(body, fetched.charset)
        except ValueError as error:
            raise SourceError(f"{shown(fetched.url)}: {error}") from error
        head = page_head(markup)
        source = declared_url(fetched.url, head.canonical)
        body = markup.encode("utf-8", "replace")
    for document in _read_copy(fetched, body, replace(options, source=options.source or source)):
        yield _of_the_web(document, source, head, options)


def check_tags(fetched: Fetched) -> None:
    """Raise SourceError for an answer so full of markup that it was made to keep its reader busy."""
    if fetched.body.count(b"<") > MOST_TAGS:
        raise SourceError(
            f"{shown(fetched.url)}: more than {MOST_TAGS:,} tags; save what is wanted of it as a file"
        )


def is_html(fetched: Fetched) -> bool:
    """Whether the answer is a page: by its media type, or by its beginning where the type says nothing."""
    if fetched.media_type in _HTML:
        return True
    beginning = fetched.body[:_MARKUP_HEAD].lstrip().lower()
    is_vague = fetched.media_type in {
        "",
        "text/plain",
        "application/octet-stream",
        "application/xml",
        "text/xml",
    }
    return is_vague and beginning.startswith((b"<!doctype html", b"<html"))


def _of_the_web(document: Document, url: str, head: PageHead | None, options: ReadOptions) -> Document:
    """With its URL, its whole date where the page gives more than the day, and as an article where it has a date."""
    is_row = document.source != (options.source or url)
    published_at = _finer(document.published_at, head.published_at if head else None)
    kind = document.kind
    if head is not None and kind is DocumentKind.PROSE and published_at is not None:
        kind = DocumentKind.ARTICLE
    return replace(
        document,
        url=(document.url or url) if is_row else url,
        published_at=published_at,
        kind=kind,
    )


def _finer(found: datetime | None, declared: datetime | None) -> datetime | None:
    """The declared moment, unless the day that was found in the page is another."""
    if found is None or declared is None:
        return found or declared
    return declared if abs((found - declared).days) <= 1 else found


def _read_copy(fetched: Fetched, body: bytes, options: ReadOptions) -> Iterator[Document]:
    with tempfile.TemporaryDirectory(prefix="ascertain-") as folder:
        path = Path(folder) / _file_name(fetched)
        path.write_bytes(body)
        try:
            yield from read(path, options)
        except SourceError as error:
            reason = str(error).removeprefix(f"{path.name}: ")
            raise SourceError(f"{shown(fetched.url)}: {reason}") from error


def _file_name(fetched: Fetched) -> str:
    """The last part of the URL's path, which becomes a title where the text has none, with the suffix of its format."""
    parts = urlsplit(fetched.url)
    last = Path(_NAME.sub(" ", unquote(parts.path.rstrip("/").rpartition("/")[2])).strip(" ."))
    is_known = last.suffix.lower() in known_suffixes()
    suffix = _SUFFIX_OF.get(fetched.media_type)
    if is_html(fetched):
        suffix = ".html"
    elif suffix is None:
        # A server that calls everything text or bytes leaves it to the name.
        suffix = last.suffix.lower() if is_known else ".txt"
    stem = last.stem if is_known else last.name
    return f"{(stem or parts.hostname or 'page')[:100]}{suffix}"
