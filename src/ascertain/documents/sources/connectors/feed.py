"""The entries of a feed, RSS or Atom. Entries that a feed no longer lists are archived, and stay."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from ascertain.core.documents.documents import Document
from ascertain.core.errors import SourceError
from ascertain.documents.formats.feeds import NEWEST_ENTRIES, Feed, FeedEntry
from ascertain.documents.sources.connectors.ports import SourceGiven, SourceItem, join_source
from ascertain.documents.sources.web.fetching import FetchError
from ascertain.documents.sources.web.pages import READABLE, entry_document, entry_page, feed_of
from ascertain.documents.sources.web.urls import canonical_url, hide_secrets


class FeedSource:
    """A ``Source``."""

    is_complete = False
    notes: Sequence[str] = ()

    def __init__(self, given: SourceGiven) -> None:
        given.check_options()
        self._given = given
        self.root = canonical_url(given.address)
        self._entry: tuple[FeedEntry, Feed] | None = None

    def list_items(self) -> Iterator[SourceItem]:
        """The newest entries, as many as ``NEWEST_ENTRIES``; one without a date never changes."""
        feed = feed_of(self._given.fetcher.get(self.root, accept=READABLE), self._given.reading.limits)
        if feed is None:
            raise SourceError(f"{hide_secrets(self.root)}: not a feed; read a site by --kind site")
        for entry in feed.entries[:NEWEST_ENTRIES]:
            self._entry = entry, feed
            moment = entry.updated_at or entry.published_at
            yield SourceItem(
                entry.key,
                moment.isoformat() if moment else "undated",
                address=entry.link,
                title=entry.title,
                name="entry.html",
            )

    def read(self, item: SourceItem) -> list[Document]:
        """The page that the entry links to, or the feed's text if that is whole or the page is unavailable."""
        if self._entry is None:
            raise SourceError(f"{item.id}: not listed")
        entry, feed = self._entry
        source = join_source(self.root, item.id)
        if not (entry.is_whole or entry.link is None) and self._given.web.fetch_pages:
            try:
                return [entry_page(entry, feed, self._given.fetcher, replace(self._given.reading, source=source))]
            except SourceError as error:
                if (isinstance(error, FetchError) and error.is_passing) or not (entry.summary or entry.content):
                    raise
        return [entry_document(entry, feed, source, self._given.reading)]

    def close(self) -> None:
        """Nothing stays open."""
