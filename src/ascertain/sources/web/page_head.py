"""What the head of a page says of it: its canonical URL, and when it was published."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urljoin

from ascertain.sources.dates import parse_date
from ascertain.sources.markup import markup_tree

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
        canonical = _joined(base, canonical)
    return PageHead(canonical, next((date for date in dates if date), None))


def _joined(base: str, address: str) -> str:
    try:
        return urljoin(base, address)
    except ValueError:
        return address
