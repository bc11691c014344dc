"""What the head of a page says of it: its canonical URL, when it was published, its language."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from html.parser import HTMLParser
from urllib.parse import urljoin

from ascertain.sources.dates import parse_date

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
    reader = _HeadReader()
    reader.feed(markup[:_HEAD_CHARACTERS])
    dates = (parse_date(reader.metas[name]) for name in _PUBLISHED if name in reader.metas)
    canonical = reader.canonical or reader.metas.get("og:url")
    if canonical and reader.base:
        canonical = _joined(reader.base, canonical)
    return PageHead(canonical, next((date for date in dates if date), None))


class _HeadReader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.canonical: str | None = None
        self.base: str | None = None
        self.metas: dict[str, str] = {}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value for name, value in attrs if value}
        if tag == "link" and "canonical" in given.get("rel", "").lower().split():
            self.canonical = self.canonical or given.get("href")
        elif tag == "base":
            self.base = self.base or given.get("href")
        elif tag == "meta" and "content" in given:
            name = given.get("property") or given.get("name") or given.get("itemprop") or ""
            self.metas.setdefault(name.lower(), given["content"])


def _joined(base: str, address: str) -> str:
    try:
        return urljoin(base, address)
    except ValueError:
        return address
