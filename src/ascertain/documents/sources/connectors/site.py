"""The pages of one web site: those of its sitemaps, else those that links lead to; robots.txt is respected (RFC 9309)."""

import gzip
import io
import time
import zlib
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from urllib.parse import urljoin, urlsplit
from urllib.robotparser import RobotFileParser

from ascertain.core.documents.documents import Document
from ascertain.core.errors import SourceError
from ascertain.documents.formats.dom.markup import markup_tree
from ascertain.documents.formats.files.encodings import decode_text
from ascertain.documents.formats.office.packages import local_name, parse_xml
from ascertain.documents.sources.connectors.ports import ItemGone, SourceGiven, SourceItem, join_source
from ascertain.documents.sources.web.fetching import Fetched, FetchError
from ascertain.documents.sources.web.pages import READABLE, documents_of, is_html
from ascertain.documents.sources.web.urls import canonical_url, hide_secrets

_PAGES = 500
"""Read at most, unless the option ``pages`` says otherwise."""
_DELAY = 1.0
"""Seconds between two requests, where neither the option ``delay`` nor robots.txt says more."""
_LONGEST_DELAY = 60.0
_SITEMAPS = 50
_SITEMAP_TYPES = ("text/", "application/")
_MOST_UNPACKED = 50_000_000
"""Bytes of a sitemap (https://www.sitemaps.org/protocol.html)."""
_GONE = frozenset({404, 410})


class SiteSource:
    """A ``Source``. It stays on the host and below the folder of its address."""

    def __init__(self, given: SourceGiven) -> None:
        given.check_options("pages", "delay", "sitemap")
        self._start = canonical_url(given.address)
        parts = urlsplit(self._start)
        self._origin = f"{parts.scheme}://{parts.netloc}"
        self._below = f"{self._origin}{parts.path.rpartition('/')[0]}/"
        self._given = given
        self._limit = int(given.read_number("pages", _PAGES))
        self._delay = min(_LONGEST_DELAY, given.read_number("delay", _DELAY))
        self._robots = RobotFileParser()
        self._last_request = 0.0
        self._page: Fetched | None = None
        self.root = self._below.rstrip("/")
        self.is_complete = False
        self.notes: Sequence[str] = ()
        self._refused = 0

    def list_items(self) -> Iterator[SourceItem]:
        """Pages of sitemaps, with the date that they give; without a sitemap the pages are followed from link to link."""
        self._refused = 0
        self._read_robots()
        entries = list(self._read_sitemaps())
        items = self._list_entries(entries) if entries else self._crawl()
        self.is_complete = True
        for count, item in enumerate(items):
            if count == self._limit:
                self.is_complete = False
                break
            yield item
        self.notes = tuple(self._describe_limits())

    def read(self, item: SourceItem) -> list[Document]:
        """The page as it is shown, or the file by its format."""
        url = item.address or ""
        fetched = self._page if self._page is not None and canonical_url(self._page.url) == url else self._fetch(url)
        options = replace(self._given.reading, source=join_source(self.root, item.id))
        return list(documents_of(fetched, options))

    def close(self) -> None:
        """Nothing stays open."""
        self._page = None

    def _read_robots(self) -> None:
        """A site without one allows everything; if it is unavailable nothing is read (RFC 9309, section 2.3.1)."""
        self._robots = RobotFileParser()
        try:
            text = self._given.fetcher.get(f"{self._origin}/robots.txt").body.decode("utf-8", "replace")
        except FetchError as error:
            if error.status is None or error.status >= 500:
                raise
            text = ""
        self._robots.parse(text.splitlines())
        asked = self._robots.crawl_delay(self._given.web.user_agent)
        self._delay = max(self._delay, min(_LONGEST_DELAY, float(asked or 0)))

    def _read_sitemaps(self) -> Iterator[tuple[str, str]]:
        """Address and date of each page."""
        named = [self._given.options.get("sitemap") or "", *(self._robots.site_maps() or [])]
        waiting = deque(dict.fromkeys(filter(None, named)))
        is_guess = not waiting
        if is_guess:
            waiting.append(f"{self._origin}/sitemap.xml")
        seen: set[str] = set()
        while waiting and len(seen) < _SITEMAPS:
            address = waiting.popleft()
            if address in seen:
                continue
            seen.add(address)
            try:
                is_index, entries = _read_sitemap(self._fetch(address, _SITEMAP_TYPES).body)
            except ItemGone:
                if is_guess:
                    return
                raise
            located = [(entry["loc"], entry.get("lastmod", "")) for entry in entries if entry.get("loc")]
            if is_index:
                waiting += [location for location, _ in located]
            else:
                yield from located

    def _list_entries(self, entries: Sequence[tuple[str, str]]) -> Iterator[SourceItem]:
        seen: set[str] = set()
        for location, date in entries:
            url = self._accept(location)
            if url is not None and url not in seen:
                seen.add(url)
                self._page = None
                yield self._make_item(url, date)

    def _crawl(self) -> Iterator[SourceItem]:
        """Breadth first: what is near the start comes before what is far from it."""
        waiting = deque([self._start])
        seen = {self._start}
        while waiting:
            url = waiting.popleft()
            self._page = None
            if not self._robots.can_fetch(self._given.web.user_agent, url):
                self._refused += 1
                continue
            try:
                self._page = self._fetch(url)
            except ItemGone:
                if url == self._start:
                    raise
                continue
            except SourceError:
                if url == self._start:
                    raise
                # its links are unknown, so missing pages may exist
                yield self._make_item(url, "")
                self.is_complete = False
                continue
            if self._accept(self._page.url) is None:
                continue
            for link in _list_links(self._page):
                following = self._accept(link)
                if following is not None and following not in seen:
                    seen.add(following)
                    waiting.append(following)
            yield self._make_item(url, "")

    def _make_item(self, url: str, date: str) -> SourceItem:
        return SourceItem(
            url.removeprefix(self._below) if url != self._below else "", date, address=url, name="page.html"
        )

    def _accept(self, location: str) -> str | None:
        """The canonical address, if it is of this site and robots.txt lets us; None otherwise."""
        try:
            url = canonical_url(location)
        except SourceError:
            return None
        if not url.startswith(self._below):
            return None
        if not self._robots.can_fetch(self._given.web.user_agent, url):
            self._refused += 1
            return None
        return url

    def _fetch(self, url: str, accept: tuple[str, ...] = READABLE) -> Fetched:
        time.sleep(max(0.0, self._last_request + self._delay - time.monotonic()))
        try:
            return self._given.fetcher.get(url, accept=accept)
        except FetchError as error:
            if error.status in _GONE:
                raise ItemGone(str(error)) from error
            raise
        finally:
            self._last_request = time.monotonic()

    def _describe_limits(self) -> Iterator[str]:
        if self._refused:
            yield f"{hide_secrets(self._start)}: {self._refused:,} links are closed to programs by robots.txt"
        if not self.is_complete:
            yield f"{hide_secrets(self._start)}: not all pages were listed, so none was deleted; at most {self._limit:,} are read (--option pages=N)"


def _read_sitemap(body: bytes) -> tuple[bool, list[dict[str, str]]]:
    """Whether it is an index of others, and the fields of its entries; without entities and without the network."""
    if body[:2] == b"\x1f\x8b":
        with suppress(OSError, EOFError, zlib.error), gzip.GzipFile(fileobj=io.BytesIO(body)) as packed:
            body = packed.read(_MOST_UNPACKED)
    try:
        tree = parse_xml(body)
    except (SyntaxError, ValueError):
        return False, []
    entries = [{local_name(part): (part.text or "").strip() for part in entry} for entry in tree]
    return local_name(tree) == "sitemapindex", entries


def _list_links(page: Fetched) -> Iterator[str]:
    if not is_html(page):
        return
    with suppress(ValueError):
        tree = markup_tree(decode_text(page.body, page.charset).text)
        if tree is None:
            return
        base = next((each.get("href") for each in tree.iter("base") if each.get("href")), "")
        for anchor in tree.iter("a"):
            if anchor.get("href") and "nofollow" not in (anchor.get("rel") or "").lower():
                with suppress(ValueError):
                    yield urljoin(urljoin(page.url, base), anchor.get("href").strip())
