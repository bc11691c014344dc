"""RSS and Atom feeds saved as files: one article an entry. Nothing is fetched; ``web.feeds`` does that for feeds on the web."""

import calendar
import hashlib
import io
import re
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, cast

from ascertain.core.documents.blocks import Block
from ascertain.core.documents.documents import LeftOut
from ascertain.documents.formats.dom.markup import NOTHING, markup_text, read_markup
from ascertain.documents.formats.drafts.draft import clean_line, short_line
from ascertain.documents.formats.files.encodings import decode_text
from ascertain.documents.formats.reader import Extracted, SourceFile
from ascertain.documents.formats.records.articles import read_article

_WHOLE_CHARACTERS = 1500
"""A description as long as this is the text itself; teasers are a few sentences."""
_CUT_END = re.compile(
    r"(?:\[?(?:\.\.\.|…)\]?|\b(?:read|continue|weiter|lire|leer|seguir)\b[^.!?]{0,60}?[→»….]{0,3})\s*$", re.IGNORECASE
)
_KEY_CHARACTERS = 300
_ENCODING = re.compile(r"(\A\s*<\?xml[^<>]{0,200}?)\sencoding\s*=\s*(?:\"[^\"<>]{0,40}\"|'[^'<>]{0,40}')")
"""What a declaration names, which the text is no longer in."""
_DISTINCT = 8
"""Hex digits that tell entries of one key apart."""
_MOST_NAMES = 20


@dataclass(frozen=True, slots=True)
class FeedEntry:
    """One entry. ``summary`` and ``content`` are clean text with blocks of their own; ``key`` tells it from the other entries of its
    feed, for good.
    """

    key: str
    title: str | None
    link: str | None
    summary: str
    content: str
    author: str | None = None
    published_at: datetime | None = None
    updated_at: datetime | None = None
    tags: tuple[str, ...] = ()
    enclosures: tuple[str, ...] = ()
    """Addresses of recordings and pictures that belong to it."""
    summary_blocks: tuple[Block, ...] = ()
    content_blocks: tuple[Block, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    """What its HTML holds and the text does not."""

    @property
    def is_whole(self) -> bool:
        """Whether the feed holds the text and not only its beginning or a summary."""
        text = self.content or self.summary
        is_cut = _CUT_END.search(text[-100:]) is not None
        return not is_cut and (bool(self.content) or len(self.summary) >= _WHOLE_CHARACTERS)

    def to_article(self, feed_title: str | None) -> Extracted:
        """The entry as an article, its title first. Raises ValueError when it holds no text."""
        found = read_article(
            {
                "title": self.title,
                "summary": self.summary,
                "content": self.content,
                "author": self.author,
                "publisher": feed_title,
                "url": self.link,
                "published_at": self.published_at or self.updated_at,
                "tags": list(self.tags),
            },
            self.key,
            {self.summary: self.summary_blocks, self.content: self.content_blocks},
        )
        if not (self.summary or self.content):
            raise ValueError("neither a text nor a summary in it")
        left_out = self.left_out
        if self.enclosures:
            left_out += (LeftOut("enclosures", len(self.enclosures), names=self.enclosures[:_MOST_NAMES]),)
        return replace(found, left_out=left_out)


NEWEST_ENTRIES = 100
"""Entries of a feed that are read: publishers list their last ten to fifty, and an archive in one feed would be a site."""


@dataclass(frozen=True, slots=True)
class Feed:
    """A feed and its entries, the newest first where they have dates, else in its own order."""

    title: str | None
    entries: tuple[FeedEntry, ...]
    description: str = ""
    notes: tuple[str, ...] = ()
    """What may be wrong with its encoding."""


def parse_feed(data: bytes, url: str = "", content_type: str = "") -> Feed:
    """The feed in ``data``. ``url`` is where it came from, for the relative links in it; ``content_type`` may name its encoding.

    Raises ValueError, with the reason, when it is none.
    """
    data, note = _decode_feed(data, content_type)
    parsed = read_raw_feed(data, url)
    if not parsed.version and not parsed.entries:
        raise ValueError("neither an RSS nor an Atom feed")
    entries = [_read_entry(cast("Mapping[str, Any]", raw)) for raw in parsed.entries]
    if all(entry.published_at or entry.updated_at for entry in entries):
        entries.sort(key=lambda entry: entry.published_at or entry.updated_at or datetime.min, reverse=True)
    title = short_line(parsed.feed.get("title"))
    description = markup_text(str(parsed.feed.get("subtitle") or ""))
    return Feed(
        title, tuple(_tell_apart(entries)), "" if description == title else description, (note,) if note else ()
    )


def _tell_apart(entries: Iterable[FeedEntry]) -> Iterator[FeedEntry]:
    """The entries without those that are there twice; others of one key get what is different about them behind it."""
    seen: set[FeedEntry] = set()
    keys: set[str] = set()
    for entry in entries:
        if entry in seen:
            continue
        seen.add(entry)
        if entry.key in keys:
            shown = f"{entry.title}\0{entry.link}\0{entry.published_at}\0{entry.summary}\0{entry.content}"
            distinct = hashlib.sha256(shown.encode("utf-8", "replace")).hexdigest()[:_DISTINCT]
            yield replace(entry, key=f"{entry.key} ({distinct})")
        else:
            keys.add(entry.key)
            yield entry


def read_raw_feed(data: bytes, url: str = "", content_type: str = "") -> Any:
    """What feedparser makes of ``data``, under its own names; without entries when it is no feed. It never fails and fetches nothing.

    It is given UTF-8, so that the encoding is chosen as for every other text.
    """
    # A tenth of a second to import, so it waits for the first feed.
    import feedparser  # noqa: PLC0415  # pyright: ignore[reportMissingTypeStubs]

    data, _ = _decode_feed(data, content_type)
    headers = {"content-type": "application/xml; charset=utf-8", **({"content-location": url} if url else {})}
    # As a file: bytes and strings may be taken for the name of one. Its own cleaning of HTML is left out: only text is taken from it here.
    return cast("Any", feedparser).parse(
        io.BytesIO(data), response_headers=headers, sanitize_html=False, resolve_relative_uris=False
    )


def _decode_feed(data: bytes, content_type: str) -> tuple[bytes, str | None]:
    """The feed in UTF-8, with what may be wrong; what is no text as it is."""
    charset = re.search(r"charset\s*=\s*[\"']?([\w.:-]{1,40})", content_type, re.IGNORECASE)
    try:
        decoded = decode_text(data, charset[1] if charset else None)
    except ValueError:
        return data, None
    return _ENCODING.sub(r"\1", decoded.text.removeprefix("\ufeff"), count=1).encode("utf-8", "replace"), decoded.note


def _read_entry(raw: Mapping[str, Any]) -> FeedEntry:
    parts = [read_markup(str(part.get("value", ""))) for part in raw.get("content") or ()]
    content, content_blocks, content_losses = max(parts, key=lambda part: len(part[0]), default=NOTHING)
    summary, summary_blocks, summary_losses = read_markup(str(raw.get("summary") or ""))
    is_repeated = summary == content
    link = short_line(raw.get("link"), 2000)
    title = short_line(markup_text(str(raw.get("title") or "")))
    published_at = moment_of(raw.get("published_parsed"))
    return FeedEntry(
        key=_entry_key(raw, link, title),
        title=title,
        link=link if link and link.startswith(("http://", "https://")) else None,
        summary="" if is_repeated else summary,
        content=content,
        author=short_line(raw.get("author")),
        published_at=published_at,
        updated_at=moment_of(raw.get("updated_parsed")) if "updated_parsed" in raw else None,
        enclosures=tuple(
            address for each in raw.get("enclosures") or () if (address := short_line(each.get("href"), 2000))
        ),
        tags=tuple(
            dict.fromkeys(name for tag in (raw.get("tags") or ())[:20] if (name := short_line(tag.get("term"), 60)))
        ),
        summary_blocks=() if is_repeated else summary_blocks,
        content_blocks=content_blocks,
        left_out=content_losses or summary_losses,
    )


def _entry_key(raw: Mapping[str, Any], link: str | None, title: str | None) -> str:
    named = clean_line(str(raw.get("id") or link or ""))
    if not named:
        named = hashlib.sha256(f"{title}\0{raw.get('summary')}".encode("utf-8", "replace")).hexdigest()[:20]
    # What follows the last # of a source is the key.
    key = named.replace("#", "%23")
    return key if len(key) <= _KEY_CHARACTERS else hashlib.sha256(key.encode()).hexdigest()[:32]


def moment_of(parsed: object) -> datetime | None:
    """The nine numbers that feedparser gives, in UTC."""
    if not isinstance(parsed, time.struct_time):
        return None
    try:
        return datetime.fromtimestamp(calendar.timegm(parsed), UTC)
    except (ValueError, OverflowError, OSError):
        return None


def read_feed(file: SourceFile) -> Iterator[Extracted]:
    """The entries that hold text; the others go to ``on_bad_row``. Raises SourceError when there is none."""
    try:
        feed = parse_feed(file.data())
    except ValueError as error:
        raise file.error(str(error)) from error
    file.notes.extend(feed.notes)
    good = 0
    for entry in feed.entries:
        try:
            extracted = entry.to_article(feed.title)
        except ValueError as error:
            file.options.on_bad_row(f"{file.source}#{entry.key}", str(error))
            continue
        good += 1
        yield extracted
    if good and feed.description:
        shown = f"{feed.title}\n\n{feed.description}" if feed.title else feed.description
        yield Extracted(shown, title=feed.title, row="about the feed")
    if not good:
        raise file.error("the feed has no entry with text")
