"""Entries of a feed on the web as documents: by the feed's own words, or by the page an entry links to where the feed has only a summary."""

from __future__ import annotations

from dataclasses import replace

from ascertain.core.documents import Document, DocumentKind, document_id
from ascertain.core.errors import SourceError
from ascertain.sources.extraction import ReadOptions
from ascertain.sources.feed_entries import Feed, FeedEntry, parse_feed
from ascertain.sources.formats import HEAD_BYTES, is_feed
from ascertain.sources.language import detect_language
from ascertain.sources.naming import title_from_name
from ascertain.sources.web.canonical_urls import canonical_url
from ascertain.sources.web.fetching import Fetched, Fetcher
from ascertain.sources.web.pages import READABLE, check_tags, documents_of
from ascertain.sources.web.request_urls import shown


def feed_of(fetched: Fetched) -> Feed | None:
    """The feed in an answer; None when it is something else. Raises SourceError for a feed that cannot be read."""
    if not is_feed(fetched.body[:HEAD_BYTES]):
        return None
    check_tags(fetched)
    try:
        return parse_feed(fetched.body, fetched.url, fetched.headers.get("content-type", ""))
    except ValueError as error:
        raise SourceError(f"{shown(fetched.url)}: {error}") from error


def entry_document(entry: FeedEntry, feed: Feed, source: str, options: ReadOptions) -> Document:
    """The entry by what the feed says. Raises SourceError, beginning with the entry's key, when that is no text."""
    try:
        found = entry.extracted(feed.title)
    except ValueError as error:
        raise SourceError(f"{entry.key}: {error}") from error
    return Document(
        id=document_id(source, options.tenant, options.conversation_id),
        text=found.text,
        title=found.title or title_from_name(feed.title or entry.key),
        kind=DocumentKind.ARTICLE,
        source=source,
        url=_canonical(entry.link),
        author=found.author,
        published_at=found.published_at,
        language=detect_language(found.text),
        tags=tuple(dict.fromkeys((*options.tags, *found.tags))),
        profile=options.profile,
        conversation_id=options.conversation_id,
        tenant=options.tenant,
    )


def entry_page(entry: FeedEntry, feed: Feed, fetcher: Fetcher, options: ReadOptions) -> Document:
    """The page that the entry links to, dated and named by the feed; ``options.source`` is the entry's source.

    Raises SourceError when it cannot be fetched or read, or holds less than the feed itself: a page of consent or of payment.
    """
    fetched = fetcher.get(entry.link or "", accept=READABLE)
    page = next(documents_of(fetched, options), None)
    if page is None or len(page.text) < len(entry.content or entry.summary):
        raise SourceError(f"{shown(fetched.url)}: the page has less text than the feed")
    return replace(
        page,
        title=entry.title or page.title,
        kind=DocumentKind.ARTICLE if page.kind is DocumentKind.PROSE else page.kind,
        author=entry.author or page.author or feed.title,
        published_at=entry.published_at or page.published_at or entry.updated_at,
        tags=tuple(dict.fromkeys((*page.tags, *entry.tags))),
    )


def _canonical(link: str | None) -> str | None:
    try:
        return canonical_url(link) if link else None
    except SourceError:
        return None
