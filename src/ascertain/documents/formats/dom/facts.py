"""What a page says about itself: its title, author, date, address and tags (meta elements, Open Graph, JSON-LD of schema.org)."""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, cast

from ascertain.documents.formats.dom.elements import words_in
from ascertain.documents.formats.drafts.draft import clean_line, short_line
from ascertain.documents.formats.drafts.metadata import parse_date

_AUTHORS = ("author", "article:author", "dc.creator", "dcterms.creator", "citation_author", "byl")
_DATES = (
    *("article:published_time", "og:published_time", "datepublished", "date", "dc.date", "dcterms.date"),
    *("dcterms.created", "citation_publication_date", "pubdate", "publish-date", "sailthru.date"),
)
_TITLES = ("og:title", "twitter:title", "dc.title")
_TAG_NAMES = ("keywords", "article:tag", "news_keywords")
_MOST_TAGS = 20
_LONGEST_JSON = 200_000
_MOST_JSON_NODES = 2000
_PARTING = re.compile(r"(?<!\s)\s+[|\-\u2013\u2014\u00b7\u00bb:\u2022]++\s+|(?:(?<!\s)\s+)?[|\u00bb\u2022]\s*|:\s+")
"""What a title has before or behind the name of the site."""


@dataclass(frozen=True, slots=True)
class PageFacts:
    """Each as the page says it, cleaned."""

    title: str | None = None
    author: str | None = None
    published_at: datetime | None = None
    url: str | None = None
    tags: tuple[str, ...] = ()

    def or_else(self, other: "PageFacts") -> "PageFacts":
        """With author and date of ``other`` where these are missing."""
        return replace(
            self, author=self.author or short_line(other.author), published_at=self.published_at or other.published_at
        )


def read_facts(tree: Any) -> PageFacts:
    """The facts of the page under ``tree``."""
    metas: dict[str, list[str]] = {}
    for meta in tree.iter("meta"):
        name = meta.get("property") or meta.get("name") or meta.get("itemprop")
        if name and meta.get("content"):
            metas.setdefault(str(name).strip().lower(), []).append(str(meta.get("content")))
    linked = _linked_data(tree)
    dates = (parse_date(text) for text in (*_first(metas, _DATES), linked.get("datePublished"), *_marked_dates(tree)))
    tags = (tag for name in _TAG_NAMES for text in metas.get(name, ()) for tag in re.split("[,;]", text))
    return PageFacts(
        title=_read_title(tree, next(_first(metas, _TITLES), "")),
        author=_read_author(_first(metas, _AUTHORS), linked.get("author")),
        published_at=next((date for date in dates if date is not None), None),
        url=_web_address(_read_address(tree, metas)),
        tags=tuple(dict.fromkeys(line for tag in tags if (line := short_line(tag, 60))))[:_MOST_TAGS],
    )


def _first(metas: dict[str, list[str]], names: Iterable[str]) -> Iterator[str]:
    return (metas[name][0] for name in names if name in metas)


def _read_title(tree: Any, declared: str) -> str | None:
    """The page's title without the name of the site, where its first heading or its own metadata show which part that is."""
    head = next(tree.iter("head"), tree)
    title = next((line for each in head.iter("title") if (line := words_in(each))), "")
    heading = next((_heading_words(each) for each in tree.iter("h1")), "")
    known = [line for line in (heading, clean_line(declared)) if line]
    for part in _title_parts(clean_line(title)):
        if any(part.casefold() == each.casefold() for each in known):
            return short_line(part)
    first_heading = next((_heading_words(each) for each in tree.iter("h1", "h2")), "")
    return short_line(title) or short_line(declared) or short_line(first_heading)


def _title_parts(title: str) -> Iterator[str]:
    """A title, and what is left of it without parts at its end, or at its beginning."""
    yield title
    for match in _PARTING.finditer(title):
        yield title[: match.start()].strip()
        yield title[match.end() :].strip()


def _heading_words(element: Any) -> str:
    return clean_line(words_in(element).rstrip("#¶§ "))


def _read_author(named: Iterator[str], linked: object) -> str | None:
    """The first author that is a name: some pages give an address."""
    authors = [*named, *_names_in(linked)]
    return next((line for each in authors if (line := short_line(each)) and "://" not in line), None)


def _names_in(value: object) -> list[str]:
    """The names of people in JSON-LD: a text, an object with ``name``, or a list of them."""
    values = cast("list[object]", value) if isinstance(value, list) else [value]
    names: list[str] = []
    for each in values:
        name = cast("dict[str, object]", each).get("name") if isinstance(each, dict) else each
        if isinstance(name, str):
            names.append(name)
    return [", ".join(names)] if names else []


def _linked_data(tree: Any) -> dict[str, object]:
    """Author and date of the first object in JSON-LD that has them."""
    found: dict[str, object] = {}
    for script in tree.iter("script"):
        text = script.text or ""
        if "ld+json" not in str(script.get("type") or "") or len(text) > _LONGEST_JSON:
            continue
        try:
            waiting: list[object] = [json.loads(text)]
        except (ValueError, RecursionError):
            continue
        for _ in range(_MOST_JSON_NODES):
            if not waiting:
                break
            node = waiting.pop(0)
            if isinstance(node, list):
                waiting += cast("list[object]", node)
            elif isinstance(node, dict):
                values = cast("dict[str, object]", node)
                for name in ("author", "datePublished"):
                    if values.get(name):
                        found.setdefault(name, values[name])
                waiting += [
                    value for key, value in values.items() if key in ("@graph", "mainEntity", "itemListElement")
                ]
    return found


def _marked_dates(tree: Any) -> Iterator[str]:
    """Dates of elements that say they tell when the page was published."""
    for each in tree.iter("time"):
        if each.get("datetime") and (each.get("pubdate") is not None or each.get("itemprop") == "datePublished"):
            yield str(each.get("datetime"))


def _read_address(tree: Any, metas: dict[str, list[str]]) -> str | None:
    links = (link for link in tree.iter("link") if "canonical" in str(link.get("rel") or "").lower().split())
    canonical = next((href for link in links if (href := link.get("href"))), None)
    return canonical or next(_first(metas, ("og:url",)), None)


def _web_address(value: object) -> str | None:
    address = short_line(value, 2000)
    return address if address and address.startswith(("http://", "https://")) else None
