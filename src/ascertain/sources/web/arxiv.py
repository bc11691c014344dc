"""Papers of arXiv: what its API says of them, then the PDF by the reader of papers.

https://info.arxiv.org/help/api/user-manual.html. An unknown identifier is answered with status 400, or with an entry named Error, or with none.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, cast

from ascertain.core.documents import Document, DocumentKind, Place, Region, RegionKind, document_id
from ascertain.core.errors import SourceError
from ascertain.core.spans import Span
from ascertain.sources.cleaning import clean_line, clean_text, short_line
from ascertain.sources.extraction import ReadOptions
from ascertain.sources.feed_entries import moment_of, raw_feed
from ascertain.sources.language import detect_language
from ascertain.sources.web.addresses import ArxivAddress
from ascertain.sources.web.fetching import Fetched, Fetcher, FetchError
from ascertain.sources.web.pages import documents_of
from ascertain.sources.web.retrying import wait_seconds
from ascertain.sources.web.spacing import Spacing

_API_ACCEPT = ("application/atom+xml", "application/xml", "text/xml")
_PDF_ACCEPT = ("application/pdf", "application/octet-stream")
_FOUND = re.compile(r"/abs/.+v(?P<version>\d{1,3})$")
_AUTHORS = 50
_TRIES = 3
_LONGEST_WAIT_SECONDS = 60.0
"""Of Retry-After: who asks for one paper waits a minute rather than for ever."""
_TURN_SECONDS = 300.0
"""A queue of a hundred requests three seconds apart."""


@dataclass(frozen=True, slots=True)
class Paper:
    """What arXiv says of a paper."""

    address: ArxivAddress
    """With the version that was found."""
    title: str
    abstract: str
    authors: tuple[str, ...]
    published_at: datetime | None
    categories: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ArxivClient:
    """Asks arXiv. ``fetcher`` must not try again by itself: every request takes a turn, which ``spacing`` gives."""

    fetcher: Fetcher
    url: str
    spacing: Spacing
    sleep: Callable[[float], None] = time.sleep

    def paper(self, address: ArxivAddress) -> Paper:
        """Raises SourceError, beginning with the address, when arXiv does not know it or does not answer."""
        try:
            answer = self._get(
                f"{self.url.rstrip('/')}/api/query?id_list={address.name}&max_results=1", _API_ACCEPT
            )
        except FetchError as error:
            if error.status == 400:
                raise SourceError(f"{address.shown}: {_refusal(error.body)}") from error
            raise SourceError(f"{address.shown}: arXiv's API cannot be read: {error}") from error
        return _paper(address, answer.body)

    def document(self, paper: Paper, options: ReadOptions, source: str) -> Document:
        """The paper by its PDF. Raises SourceError when that cannot be had or read."""
        fetched = self._get(f"{self.url.rstrip('/')}/pdf/{paper.address.name}", _PDF_ACCEPT)
        read = next(documents_of(fetched, replace(options, source=source)), None)
        if read is None:
            raise SourceError(f"{paper.address.shown}: its PDF has no text")
        return replace(
            read,
            title=paper.title,
            kind=DocumentKind.PAPER,
            url=paper.address.url,
            author=", ".join(paper.authors) or read.author,
            published_at=paper.published_at or read.published_at,
            tags=tuple(dict.fromkeys((*options.tags, *paper.categories))),
        )

    def _get(self, url: str, accept: tuple[str, ...]) -> Fetched:
        """Every try in a turn of its own."""
        for attempt in range(_TRIES):
            try:
                with self.spacing.turn(_TURN_SECONDS):
                    return self.fetcher.get(url, accept=accept)
            except FetchError as error:
                if not error.is_passing or attempt == _TRIES - 1:
                    raise
                wait = wait_seconds(attempt, error.retry_after)
                if wait > _LONGEST_WAIT_SECONDS:
                    raise
            self.sleep(wait)
        raise AssertionError("every try returns or raises")


def abstract_document(paper: Paper, options: ReadOptions, source: str) -> Document:
    """The paper by its title and abstract only."""
    heading = "Abstract"
    lead = f"{paper.title}\n\n"
    text = f"{lead}{heading}\n\n{paper.abstract}"
    return Document(
        id=document_id(source, options.tenant, options.conversation_id),
        text=text,
        title=paper.title,
        kind=DocumentKind.PAPER,
        source=source,
        url=paper.address.url,
        author=", ".join(paper.authors) or None,
        published_at=paper.published_at,
        language=detect_language(text),
        tags=tuple(dict.fromkeys((*options.tags, *paper.categories))),
        profile=options.profile,
        conversation_id=options.conversation_id,
        tenant=options.tenant,
        regions=(Region(RegionKind.SECTION, Span(len(lead), len(text)), Place(section=(heading,))),),
    )


def _paper(asked: ArxivAddress, body: bytes) -> Paper:
    entries = cast("list[Mapping[str, Any]]", raw_feed(body).entries)
    raw: Mapping[str, Any] = entries[0] if entries else {}
    found = _FOUND.search(str(raw.get("id", "")))
    title = short_line(raw.get("title"))
    abstract = clean_line(str(raw.get("summary") or ""))
    if found is None or title is None or not abstract:
        raise SourceError(f"{asked.shown}: {_refusal(body)}")
    authors = (short_line(each.get("name")) for each in _parts(raw, "authors")[:_AUTHORS])
    tags = (short_line(each.get("term"), 60) for each in _parts(raw, "tags"))
    return Paper(
        address=ArxivAddress(asked.id, int(found["version"])),
        title=title,
        abstract=abstract,
        authors=tuple(author for author in authors if author),
        published_at=moment_of(raw.get("published_parsed")),
        categories=tuple(dict.fromkeys(tag for tag in tags if tag)),
    )


def _parts(raw: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    return cast("list[Mapping[str, Any]]", raw.get(name) or [])


def _refusal(body: bytes) -> str:
    """Why arXiv gave no paper, in its own words where it has some."""
    entries = raw_feed(body).entries
    reason = short_line(clean_text(str(entries[0].get("summary") or ""))) if entries else None
    return f"arXiv has no such paper ({reason})" if reason else "arXiv has no such paper"
