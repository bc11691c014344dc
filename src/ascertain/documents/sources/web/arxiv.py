"""Papers of arXiv: what its API says of them, then the PDF by the reader of papers.

https://info.arxiv.org/help/api/user-manual.html. An unknown identifier is answered with status 400, or with an entry named Error, or with none.
"""

import getpass
import os
import re
import stat
import tempfile
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any, cast
from urllib.parse import urlencode

from filelock import FileLock, Timeout

from ascertain.core.documents.blocks import Block, BlockKind, Place, Span
from ascertain.core.documents.documents import Document, DocumentKind, document_id
from ascertain.core.errors import SourceError
from ascertain.documents.formats.drafts.draft import clean_line, clean_text, short_line
from ascertain.documents.formats.feeds import moment_of, read_raw_feed
from ascertain.documents.formats.reader import ReadOptions
from ascertain.documents.sources.web.fetching import Fetched, Fetcher, FetchError, wait_seconds
from ascertain.documents.sources.web.pages import documents_of
from ascertain.documents.sources.web.urls import ArxivAddress
from ascertain.language.languages import detect_language

# A lock file in the temporary folder, for all threads and processes of one user on one machine, is held while waiting
# and while asking, as arXiv asks for (one connection at a time, one request every three seconds:
# https://info.arxiv.org/help/api/tou.html).


def shared_folder() -> Path:
    """A folder in the temporary one that only this user can write to; another where somebody else has taken its name."""
    user = str(os.getuid()) if hasattr(os, "getuid") else getpass.getuser()
    folder = Path(tempfile.gettempdir()) / f"ascertain-{user}"
    folder.mkdir(mode=0o700, exist_ok=True)
    status = folder.lstat()
    is_own = stat.S_ISDIR(status.st_mode) and (not hasattr(os, "getuid") or status.st_uid == os.getuid())
    return folder if is_own else Path(tempfile.mkdtemp(prefix="ascertain-"))


@dataclass(frozen=True, slots=True)
class Spacing:
    """Turns at one service, ``seconds`` apart. ``clock`` is the time of day, which processes share; ``sleep`` waits."""

    name: str
    seconds: float
    folder: Path = field(default_factory=shared_folder)
    clock: Callable[[], float] = time.time
    sleep: Callable[[float], None] = time.sleep

    @contextmanager
    def turn(self, longest_wait: float) -> Generator[None]:
        """Wait for a turn and hold it. Raises SourceError when it does not come within ``longest_wait`` seconds."""
        lock = FileLock(self.folder / f"{self.name}.lock", timeout=longest_wait)
        try:
            lock.acquire()
        except (Timeout, OSError) as error:
            raise SourceError(
                f"{self.name}: no turn within {longest_wait:g} s, others of this machine are asking; try again"
            ) from error
        last = self.folder / f"{self.name}.last"
        try:
            # A clock that was set back must not make the wait longer than it ever is.
            self.sleep(max(0.0, min(self.seconds, _read_moment(last) + self.seconds - self.clock())))
            try:
                yield
            finally:
                last.write_text(repr(self.clock()), encoding="ascii")
        finally:
            lock.release()


def _read_moment(path: Path) -> float:
    """When the last turn ended, in seconds since 1970; 0 when there was none."""
    try:
        return float(path.read_text(encoding="ascii"))
    except (OSError, ValueError):
        return 0.0


_API_ACCEPT = ("application/atom+xml", "application/xml", "text/xml")
_PDF_ACCEPT = ("application/pdf", "application/octet-stream")
_FOUND = re.compile(r"/abs/.+v(?P<version>\d{1,3})$")
_FOUND_PAPER = re.compile(r"/abs/(?P<id>[a-z.-]+(?:\.[A-Z]{2})?/\d{7}|\d{4}\.\d{4,5})v\d{1,3}$")
_NO_WORD = re.compile(r"[^\w.+#'-]+")
_AUTHORS = 50
ARXIV_SECONDS = 3
"""Least time between two requests to arXiv, by its terms (info.arxiv.org/help/api/tou.html); a mirror has its own."""
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
            answer = self._fetch_spaced(
                f"{self.url.rstrip('/')}/api/query?id_list={address.name}&max_results=1", _API_ACCEPT
            )
        except FetchError as error:
            if error.status == 400:
                raise SourceError(f"{address.shown}: {_explain_refusal(error.body)}") from error
            raise SourceError(f"{address.shown}: arXiv's API cannot be read: {error}") from error
        return _read_paper(address, answer.body)

    def search(self, words: Sequence[str], limit: int) -> tuple[Paper, ...]:
        """At most ``limit`` papers that speak of ``words``, by arXiv's own order of relevance.

        A word of several words is looked for as they stand. Papers with all of them, or where there is none, with any.
        Raises SourceError when arXiv does not answer or what it answers is no feed.
        """
        for joint in ("AND", "OR") if len(words) > 1 else ("AND",):
            query = urlencode({"search_query": build_search_query(words, joint), "start": 0, "max_results": limit})
            address = f"{self.url.rstrip('/')}/api/query?{query}&sortBy=relevance&sortOrder=descending"
            try:
                answer = self._fetch_spaced(address, _API_ACCEPT)
            except FetchError as error:
                raise SourceError(f"arXiv's API cannot be searched: {error}") from error
            found = tuple(_read_found(answer.body))[:limit]
            if found:
                return found
        return ()

    def document(self, paper: Paper, options: ReadOptions, source: str) -> Document:
        """The paper by its PDF. Raises SourceError when that cannot be had or read."""
        fetched = self._fetch_spaced(f"{self.url.rstrip('/')}/pdf/{paper.address.name}", _PDF_ACCEPT)
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

    def _fetch_spaced(self, url: str, accept: tuple[str, ...]) -> Fetched:
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
        blocks=(Block(BlockKind.SECTION, Span(len(lead), len(text)), Place(section=(heading,))),),
    )


def build_search_query(words: Sequence[str], joint: str) -> str:
    """What the API is asked for ``words`` anywhere in a paper's record, joined by ``AND`` or ``OR``.

    Whatever means something in its syntax is left out of a word (user manual, section 5.1).
    """
    plain = (" ".join(_NO_WORD.sub(" ", word).split()) for word in words)
    terms = [f'all:"{word}"' if " " in word else f"all:{word}" for word in plain if word]
    return f" {joint} ".join(terms)


def _read_found(body: bytes) -> Iterator[Paper]:
    for raw in cast("list[Mapping[str, Any]]", read_raw_feed(body).entries):
        match = _FOUND_PAPER.search(str(raw.get("id", "")))
        paper = _read_entry(match["id"], raw) if match else None
        if paper is not None:
            yield paper


def _read_paper(asked: ArxivAddress, body: bytes) -> Paper:
    entries = cast("list[Mapping[str, Any]]", read_raw_feed(body).entries)
    paper = _read_entry(asked.id, entries[0]) if entries else None
    if paper is None:
        raise SourceError(f"{asked.shown}: {_explain_refusal(body)}")
    return paper


def _read_entry(identifier: str, raw: Mapping[str, Any]) -> Paper | None:
    """The paper of one entry; None for an entry that is none."""
    match = _FOUND.search(str(raw.get("id", "")))
    title = short_line(raw.get("title"))
    abstract = clean_line(str(raw.get("summary") or ""))
    if match is None or title is None or not abstract:
        return None
    authors = (short_line(each.get("name")) for each in _list_parts(raw, "authors")[:_AUTHORS])
    tags = (short_line(each.get("term"), 60) for each in _list_parts(raw, "tags"))
    return Paper(
        address=ArxivAddress(identifier, int(match["version"])),
        title=title,
        abstract=abstract,
        authors=tuple(author for author in authors if author),
        published_at=moment_of(raw.get("published_parsed")),
        categories=tuple(dict.fromkeys(tag for tag in tags if tag)),
    )


def _list_parts(raw: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    return cast("list[Mapping[str, Any]]", raw.get(name) or [])


def _explain_refusal(body: bytes) -> str:
    """Why arXiv gave no paper, in its own words where it has some."""
    entries = read_raw_feed(body).entries
    reason = short_line(clean_text(str(entries[0].get("summary") or ""))) if entries else None
    return f"arXiv has no such paper ({reason})" if reason else "arXiv has no such paper"
