"""What a URL answers with as documents: pages as they are shown, those of news by their article, every other format by its own reader."""

import re
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

from ascertain.core.documents.documents import Completeness, Document, DocumentKind, document_id
from ascertain.core.errors import SourceError
from ascertain.documents.formats.dom.markup import markup_tree
from ascertain.documents.formats.drafts.metadata import parse_date
from ascertain.documents.formats.feeds import Feed, FeedEntry
from ascertain.documents.formats.files.encodings import decode_text
from ascertain.documents.formats.files.file_names import title_from_name
from ascertain.documents.formats.files.sniffing import HEAD_BYTES, looks_like_feed
from ascertain.documents.formats.reader import ReadLimits, ReadOptions, count_words
from ascertain.documents.formats.registry import known_suffixes
from ascertain.documents.reading.pool import READERS
from ascertain.documents.sources.files import read_apart
from ascertain.documents.sources.web.fetching import Fetched, Fetcher
from ascertain.documents.sources.web.urls import canonical_url, declared_url, hide_secrets
from ascertain.language.languages import detect_language

_HEAD_CHARACTERS = 200_000
"""Enough for heads stuffed with scripts; what is looked for stands before them mostly."""
_PUBLISHED = ("article:published_time", "og:published_time", "datepublished", "date", "dc.date")


@dataclass(frozen=True, slots=True)
class PageHead:
    """Each as the page says, unchecked; ``canonical`` is absolute where the page names a base."""

    canonical: str | None = None
    published_at: datetime | None = None


def page_head(markup: str) -> PageHead:
    """The head of the page in ``markup``."""
    tree = markup_tree(markup[:_HEAD_CHARACTERS])
    if tree is None:
        return PageHead()
    metas: dict[str, str] = {}
    for meta in tree.iter("meta"):
        name = meta.get("property") or meta.get("name") or meta.get("itemprop") or ""
        if meta.get("content"):
            metas.setdefault(name.lower(), meta.get("content"))
    dates = (parse_date(metas[name]) for name in _PUBLISHED if name in metas)
    base = next((found.get("href") for found in tree.iter("base") if found.get("href")), None)
    links = (link for link in tree.iter("link") if "canonical" in (link.get("rel") or "").lower().split())
    canonical = next((href for link in links if (href := link.get("href"))), None) or metas.get("og:url")
    if canonical and base:
        canonical = _join_url(base, canonical)
    return PageHead(canonical, next((date for date in dates if date), None))


def _join_url(base: str, address: str) -> str:
    try:
        return urljoin(base, address)
    except ValueError:
        return address


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
"""Of a page or a feed. The longest pages that people write have 60,000; trafilatura, which reads news, takes 65 µs for each, so that this many are 13 s."""
_NAME = re.compile(r"[^\w.()-]+")


def documents_of(fetched: Fetched, options: ReadOptions) -> Iterator[Document]:
    """The documents in an answer: one, or one for each row of a table, with the page's canonical URL as source and as URL.

    Raises SourceError, one line that begins with the address without secrets, for what cannot be read.
    """
    source = canonical_url(fetched.url)
    head: PageHead | None = None
    body = fetched.body
    note: str | None = None
    if is_html(fetched):
        check_tags(fetched)
        try:
            decoded = decode_text(body, fetched.charset)
        except ValueError as error:
            raise SourceError(f"{hide_secrets(fetched.url)}: {error}") from error
        markup, note = decoded.text, decoded.note
        head = page_head(markup)
        source = declared_url(fetched.url, head.canonical)
        body = markup.encode("utf-8", "replace")
    for document in _read_copy(fetched, body, replace(options, source=options.source or source)):
        yield _of_the_web(_add_note(document, note), source, head, options)


def _add_note(document: Document, note: str | None) -> Document:
    """``document`` with a note on its encoding, which its reader does not see."""
    if not note or document.completeness is None:
        return document
    return replace(document, completeness=replace(document.completeness, notes=(note, *document.completeness.notes)))


def check_tags(fetched: Fetched) -> None:
    """Raise SourceError for an answer so full of markup that it was made to keep its reader busy."""
    if fetched.body.count(b"<") > MOST_TAGS:
        raise SourceError(
            f"{hide_secrets(fetched.url)}: more than {MOST_TAGS:,} tags; save what is wanted of it as a file"
        )


def is_html(fetched: Fetched) -> bool:
    """Whether the answer is a page: by its media type, or by its beginning where the type says nothing."""
    if fetched.media_type in _HTML:
        return True
    beginning = fetched.body[:_MARKUP_HEAD].lstrip().lower()
    is_vague = fetched.media_type in {"", "text/plain", "application/octet-stream", "application/xml", "text/xml"}
    return is_vague and beginning.startswith((b"<!doctype html", b"<html"))


def _of_the_web(document: Document, url: str, head: PageHead | None, options: ReadOptions) -> Document:
    """With its URL, its whole date where the page gives more than the day, and as an article where it has a date."""
    is_row = document.source != (options.source or url)
    published_at = _finer_date(document.published_at, head.published_at if head else None)
    kind = document.kind
    if head is not None and kind is DocumentKind.PROSE and published_at is not None:
        kind = DocumentKind.ARTICLE
    return replace(document, url=(document.url or url) if is_row else url, published_at=published_at, kind=kind)


def _finer_date(found: datetime | None, declared: datetime | None) -> datetime | None:
    """The declared moment, unless the day that was found in the page is another."""
    if found is None or declared is None:
        return found or declared
    return declared if abs((found - declared).days) <= 1 else found


def _read_copy(fetched: Fetched, body: bytes, options: ReadOptions) -> Iterator[Document]:
    with tempfile.TemporaryDirectory(prefix="ascertain-") as folder:
        path = Path(folder) / _file_name(fetched)
        path.write_bytes(body)
        try:
            yield from read_apart(path, options)
        except SourceError as error:
            reason = str(error).removeprefix(f"{path.name}: ")
            raise SourceError(f"{hide_secrets(fetched.url)}: {reason}") from error


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


def feed_of(fetched: Fetched, limits: ReadLimits) -> Feed | None:
    """The feed in an answer; None when it is something else. Raises SourceError for a feed that cannot be read."""
    if not looks_like_feed(fetched.body[:HEAD_BYTES]):
        return None
    check_tags(fetched)
    try:
        return READERS.read_feed(fetched.body, fetched.url, fetched.headers.get("content-type", ""), limits)
    except SourceError as error:
        raise SourceError(f"{hide_secrets(fetched.url)}: {error}") from error


def entry_document(entry: FeedEntry, feed: Feed, source: str, options: ReadOptions) -> Document:
    """The entry by what the feed says. Raises SourceError, beginning with the entry's key, when that is no text."""
    try:
        found = entry.to_article(feed.title)
    except ValueError as error:
        raise SourceError(f"{entry.key}: {error}") from error
    return Document(
        id=document_id(source, options.tenant, options.conversation_id),
        text=found.text,
        title=found.title or title_from_name(feed.title or entry.key),
        kind=DocumentKind.ARTICLE,
        source=source,
        url=_canonical_link(entry.link),
        author=found.author,
        published_at=found.published_at,
        language=detect_language(found.text),
        tags=tuple(dict.fromkeys((*options.tags, *found.tags))),
        profile=options.profile,
        conversation_id=options.conversation_id,
        tenant=options.tenant,
        blocks=found.blocks,
        completeness=Completeness(count_words(found.text), found.left_out, found.notes),
    )


def entry_page(entry: FeedEntry, feed: Feed, fetcher: Fetcher, options: ReadOptions) -> Document:
    """The page that the entry links to, dated and named by the feed; ``options.source`` is the entry's source.

    Raises SourceError when it cannot be fetched or read, or holds less than the feed itself: a page of consent or of payment.
    """
    fetched = fetcher.get(entry.link or "", accept=READABLE)
    # what a feed leads to is an article, whatever its documents are added as
    page = next(documents_of(fetched, replace(options, profile="news")), None)
    if page is None or len(page.text) < len(entry.content or entry.summary):
        raise SourceError(f"{hide_secrets(fetched.url)}: the page has less text than the feed")
    return replace(
        page,
        profile=options.profile,
        title=entry.title or page.title,
        kind=DocumentKind.ARTICLE if page.kind is DocumentKind.PROSE else page.kind,
        author=entry.author or page.author or feed.title,
        published_at=entry.published_at or page.published_at or entry.updated_at,
        tags=tuple(dict.fromkeys((*page.tags, *entry.tags))),
    )


def _canonical_link(link: str | None) -> str | None:
    try:
        return canonical_url(link) if link else None
    except SourceError:
        return None
