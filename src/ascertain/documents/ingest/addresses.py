"""Addresses to documents: pages, files, feeds and papers; an unreadable one is an item like any other."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from ascertain.core.asking.runs import Clock
from ascertain.core.documents.documents import Document, DocumentKind, DocumentRecord, DocumentState, document_id
from ascertain.core.errors import AscertainError
from ascertain.documents.formats.feeds import NEWEST_ENTRIES, Feed, FeedEntry
from ascertain.documents.formats.reader import ReadOptions
from ascertain.documents.ingest.files import LISTED_ROWS
from ascertain.documents.ingest.preparing import Finished, Found, Read, Unchanged, Unreadable, describe_error
from ascertain.documents.reading.pool import ReadingStopped
from ascertain.documents.sources.web.arxiv import ArxivClient, abstract_document
from ascertain.documents.sources.web.fetching import Fetched, Fetcher, FetchError
from ascertain.documents.sources.web.pages import READABLE, documents_of, entry_document, entry_page, feed_of
from ascertain.documents.sources.web.urls import Address, ArxivAddress, WebAddress
from ascertain.stores.ports.service import FetchState

ADDRESS_SIZE = 100_000
"""The bytes that an address counts for in a run: its real size is known too late for the progress."""

Known = Callable[[str], list[DocumentRecord]]
"""The stored documents from a source and from below it."""


@dataclass(slots=True)
class Gathered:
    """The result of one address, ``source``. ``state`` is stored once all of it is in the store."""

    source: str
    items: list[Read | Unchanged] = field(default_factory=list[Read | Unchanged])
    notes: list[str] = field(default_factory=list[str])
    state: FetchState | None = None
    over: list[str] = field(default_factory=list[str])
    """Records of failures that this run has resolved."""
    is_whole: bool = True
    """False when part of it could not be read properly: it is fetched again the next time."""


@dataclass(frozen=True, slots=True)
class AddressReader:
    """Reads addresses of one tenant and conversation. ``known`` and ``state_of`` say what is stored already, so that it is not read again."""

    fetcher: Fetcher
    arxiv: ArxivClient
    options: ReadOptions
    known: Known
    state_of: Callable[[str], FetchState | None]
    clock: Clock
    fetches_feed_pages: bool

    def read(self, address: Address) -> Gathered:
        """Everything that the address gives; its size is ``ADDRESS_SIZE``. Raises ReadingStopped as the options say."""
        gathered = Gathered(address.url)
        try:
            if isinstance(address, ArxivAddress):
                self._read_paper(address, gathered)
            else:
                self._read_web(address, gathered)
        except ReadingStopped:
            raise
        except AscertainError as error:
            self._note_failure(gathered, address, str(error))
        except MemoryError:
            self._note_failure(gathered, address, "does not fit into memory")
        except Exception as error:  # one bad address never stops the run, whatever its parser does
            self._note_failure(gathered, address, f"could not be read ({describe_error(error)})")
        return gathered

    def _read_web(self, address: WebAddress, gathered: Gathered) -> None:
        there = self._stored_of(address.url)
        records = self._keep_current(there)
        state = self.state_of(address.url) if records else None
        fetched = self.fetcher.get(address.url, accept=READABLE, headers=_request_conditions(state))
        if fetched.status == 304:
            _mark_unchanged(gathered, records)
            gathered.items.append(Finished(address.url, ADDRESS_SIZE, is_whole=True))
            return
        feed = feed_of(fetched, self.options.limits)
        if feed is None:
            self._read_documents(address, fetched, gathered)
        else:
            gathered.over += [record.id for record in there if record.source == address.url and not record.chunks]
            self._read_feed(address, feed, records, gathered)
        if gathered.is_whole:
            gathered.state = _fetch_state(address.url, fetched, self.clock.now())

    def _read_documents(self, address: WebAddress, fetched: Fetched, gathered: Gathered) -> None:
        bad: list[tuple[str, str]] = []

        def note_bad_row(source: str, reason: str) -> None:
            bad.append((source, reason))

        options = replace(self.options, on_bad_row=note_bad_row)
        gathered.items += [Found(document, 0) for document in documents_of(fetched, options)]
        gathered.items += [
            Unreadable(self._stand_in(source, source.rpartition("#")[2]), reason)
            for source, reason in bad[:LISTED_ROWS]
        ]
        if len(bad) > LISTED_ROWS:
            gathered.notes.append(f"{address.shown}: {len(bad) - LISTED_ROWS:,} more rows could not be read")
        gathered.items.append(Finished(address.url, ADDRESS_SIZE, is_whole=True))

    def _read_feed(
        self, address: WebAddress, feed: Feed, records: Sequence[DocumentRecord], gathered: Gathered
    ) -> None:
        known = {record.source: record for record in records}
        by_summary = 0
        entries = feed.entries[:NEWEST_ENTRIES]
        for entry in entries:
            source = f"{address.url}#{entry.key}"
            record = known.get(source)
            if record is not None and not _is_newer(entry, record.added_at):
                gathered.items.append(Unchanged(record.id, source, 0))
                continue
            try:
                document, is_summary = self._read_entry(entry, feed, source)
            except AscertainError as error:
                gathered.items.append(Unreadable(self._stand_in(source, entry.title or entry.key), str(error)))
                gathered.is_whole = False
                continue
            by_summary += is_summary
            gathered.items.append(Found(document, 0))
        if by_summary:
            gathered.notes.append(
                f"{address.shown}: {by_summary:,} of {len(entries):,} entries are stored with the feed's summary, their pages could not be read"
            )
        # Entries that the feed no longer lists are archived, not gone: a feed is never read to its end.
        gathered.items.append(Finished(address.url, ADDRESS_SIZE, is_whole=False))

    def _read_entry(self, entry: FeedEntry, feed: Feed, source: str) -> tuple[Document, bool]:
        """The document of an entry, and whether the feed's summary replaces an unavailable page.

        A page that is temporarily unavailable is an error: the next run tries the entry again.
        """
        if entry.is_whole or not self.fetches_feed_pages or entry.link is None:
            return entry_document(entry, feed, source, self.options), False
        try:
            return entry_page(entry, feed, self.fetcher, replace(self.options, source=source)), False
        except AscertainError as error:
            if (isinstance(error, FetchError) and error.is_passing) or not (entry.summary or entry.content):
                raise
            return entry_document(entry, feed, source, self.options), True

    def _read_paper(self, address: ArxivAddress, gathered: Gathered) -> None:
        paper = self.arxiv.paper(address)
        version = f"v{paper.address.version}"
        records = self._keep_current(self._stored_of(address.url))
        state = self.state_of(address.url) if records else None
        if state is not None and state.etag == version:
            _mark_unchanged(gathered, records)
        else:
            try:
                document = self.arxiv.document(paper, self.options, address.url)
                gathered.state = FetchState(address.url, self.clock.now(), etag=version)
            except AscertainError as error:
                document = abstract_document(paper, self.options, address.url)
                gathered.is_whole = False
                gathered.notes.append(
                    f"{address.shown}: only its abstract was added; the PDF could not be read: {error}"
                )
            gathered.items.append(Found(document, 0))
        gathered.items.append(Finished(address.url, ADDRESS_SIZE, is_whole=True))

    def _stored_of(self, url: str) -> list[DocumentRecord]:
        """What this very address has given; a filter by source also finds sources below it."""
        return [record for record in self.known(url) if record.source == url or record.source.startswith(f"{url}#")]

    def _keep_current(self, records: Sequence[DocumentRecord]) -> list[DocumentRecord]:
        """The stored documents that would be the same now."""
        wanted = set(self.options.tags)
        return [
            record
            for record in records
            if record.state is not DocumentState.FAILED
            and record.profile == self.options.profile
            and wanted <= set(record.tags)
        ]

    def _note_failure(self, gathered: Gathered, address: Address, reason: str) -> None:
        shorter = reason.removeprefix(f"{address.shown}: ")
        gathered.items.append(Unreadable(self._stand_in(address.url, address.shown), shorter, ADDRESS_SIZE))
        gathered.items.append(Finished(address.url, 0, is_whole=False))
        gathered.state = None

    def _stand_in(self, source: str, title: str) -> Document:
        """The record in the store for something that gave no document."""
        options = self.options
        return Document(
            id=document_id(source, options.tenant, options.conversation_id),
            text="",
            title=title,
            kind=DocumentKind.PROSE,
            source=source,
            tags=options.tags,
            profile=options.profile,
            conversation_id=options.conversation_id,
            tenant=options.tenant,
        )


def _mark_unchanged(gathered: Gathered, records: Sequence[DocumentRecord]) -> None:
    gathered.items += [Unchanged(record.id, record.source, 0) for record in records]


def _is_newer(entry: FeedEntry, added_at: datetime) -> bool:
    moment = entry.updated_at or entry.published_at
    return moment is not None and moment > added_at


def _request_conditions(state: FetchState | None) -> dict[str, str]:
    """RFC 9110, section 13.1: send the whole only if it is another by now."""
    pairs = (("If-None-Match", state.etag), ("If-Modified-Since", state.last_modified)) if state else ()
    return {name: value for name, value in pairs if value}


def _fetch_state(url: str, fetched: Fetched, now: datetime) -> FetchState | None:
    etag, modified = fetched.headers.get("etag"), fetched.headers.get("last-modified")
    return FetchState(url, now, etag, modified) if etag or modified else None
