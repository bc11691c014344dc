"""One article out of one row of a table, by the names its fields commonly have."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from ascertain.core.documents import DocumentKind, Region
from ascertain.sources.cleaning import clean_line, clean_text, short_line
from ascertain.sources.dates import parse_date
from ascertain.sources.extraction import Extracted

_TITLE = ("title", "headline", "name", "subject")
_SUMMARY = ("summary", "description", "abstract", "excerpt", "subtitle", "snippet")
_CONTENT = ("content", "body", "text", "article", "full_text", "content_text", "passage")
_URL = ("url", "link", "canonical_url", "href", "permalink")
_AUTHOR = ("author", "authors", "byline", "creator")
_PUBLISHER = ("source", "publisher", "source_name", "site", "outlet")
_DATE = (
    "published_at",
    "publishedat",
    "published",
    "date",
    "pub_date",
    "pubdate",
    "published_date",
    "created_at",
)
_TAGS = ("tags", "keywords", "categories", "category", "topics", "topic")
_KNOWN_TEXT = frozenset((*_TITLE, *_SUMMARY, *_CONTENT))


def has_article_fields(names: Mapping[str, object]) -> bool:
    """Whether the fields look like those of an article."""
    return any(_key(name) in _KNOWN_TEXT for name in names)


def is_article(fields: Mapping[str, object]) -> bool:
    """Whether a single object is an article and not some program's data, which often has a name too."""
    return any(_key(name) in (*_CONTENT, "title", "headline") for name in fields)


def article(fields: Mapping[str, object], row: str) -> Extracted:
    """The article in ``fields``. Raises ValueError, with the reason, when they hold no text.

    Its text is title, summary and content, a paragraph each, what is repeated left out.
    """
    values = {_key(name): value for name, value in fields.items()}
    title = short_line(_first(values, _TITLE))
    summary = _text(_first(values, _SUMMARY))
    content = _text(_first(values, _CONTENT))
    if not (title or summary or content):
        raise ValueError("no title, summary or content in it")
    # News feeds give the first words of the content as the summary.
    if content.startswith(summary.rstrip(". …")):
        summary = ""
    parts = [part for part in (title or "", summary, content) if part]
    if len(parts) > 1 and parts[1].startswith(parts[0]):
        del parts[0]
    author = _names(_first(values, _AUTHOR)) or _names(_first(values, _PUBLISHER))
    url = short_line(_first(values, _URL), 2000)
    regions: tuple[Region, ...] = ()
    return Extracted(
        clean_text("\n\n".join(parts)),
        title=title,
        kind=DocumentKind.ARTICLE,
        author=author,
        published_at=parse_date(_first(values, _DATE)),
        url=url if url and url.startswith(("http://", "https://")) else None,
        tags=_tags(_first(values, _TAGS)),
        regions=regions,
        row=row,
    )


def _key(name: object) -> str:
    return str(name).strip().lower().replace(" ", "_").replace("-", "_")


def _first(values: Mapping[str, object], names: tuple[str, ...]) -> object:
    return next((values[name] for name in names if values.get(name) not in (None, "", [])), None)


def _text(value: object) -> str:
    if isinstance(value, list):
        return "\n\n".join(
            _text(item) for item in cast("list[object]", value) if isinstance(item, str)
        ).strip()
    return clean_text(value) if isinstance(value, str) else ""


def _names(value: object) -> str | None:
    if isinstance(value, dict):
        value = cast("dict[object, object]", value).get("name")
    if isinstance(value, list):
        names = [name for item in cast("list[object]", value)[:20] if (name := _names(item))]
        return ", ".join(names) or None
    return short_line(value)


def _tags(value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        value = value.replace(";", ",").split(",")
    if not isinstance(value, list):
        return ()
    lines = (short_line(item, 60) for item in cast("list[object]", value)[:50])
    return tuple(dict.fromkeys(clean_line(line) for line in lines if line))
