"""Front matter: the YAML (``---``) or TOML (``+++``) block at the head of a Markdown file."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import cast

import yaml

from ascertain.sources.cleaning import short_line
from ascertain.sources.dates import parse_date

_YAML = re.compile(r"\A---[ \t]*\n(.*?)^(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_TOML = re.compile(r"\A\+\+\+[ \t]*\n(.*?)^\+\+\+[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_MAX_LENGTH = 20_000
_MAX_TAGS = 50


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """What the block says of the document; all None or empty without one."""

    title: str | None = None
    author: str | None = None
    published_at: datetime | None = None
    url: str | None = None
    tags: tuple[str, ...] = ()


def split_front_matter(text: str) -> tuple[FrontMatter, str]:
    """The front matter and the rest of ``text``; a block that cannot be parsed stays in the text."""
    match = _YAML.match(text) or _TOML.match(text)
    if not match or len(match[1]) > _MAX_LENGTH:
        return FrontMatter(), text
    fields = _parsed(match[1], is_toml=text.startswith("+++"))
    if fields is None:
        return FrontMatter(), text
    url = short_line(_first(fields, "url", "link", "canonical_url", "source"), 2000)
    found = FrontMatter(
        title=short_line(_first(fields, "title")),
        author=_names(_first(fields, "author", "authors", "by")),
        published_at=parse_date(_first(fields, "date", "published_at", "published", "pubdate", "created")),
        url=url if url and url.startswith(("http://", "https://")) else None,
        tags=_tags(_first(fields, "tags", "keywords", "categories")),
    )
    return found, text[match.end() :]


def _parsed(block: str, *, is_toml: bool) -> Mapping[str, object] | None:
    try:
        value: object = tomllib.loads(block) if is_toml else yaml.safe_load(block)
    except (yaml.YAMLError, ValueError, RecursionError):
        return None
    if not isinstance(value, dict):
        return None
    return {str(key).lower(): item for key, item in cast("dict[object, object]", value).items()}


def _first(fields: Mapping[str, object], *names: str) -> object:
    return next((fields[name] for name in names if fields.get(name) is not None), None)


def _strings(value: object) -> list[str]:
    """The strings in a scalar or a list of scalars; of nested tables the ``name``."""
    if isinstance(value, list):
        items = cast("list[object]", value)[:_MAX_TAGS]
        return [text for item in items if not isinstance(item, list) for text in _strings(item)]
    if isinstance(value, dict):
        return _strings(cast("dict[object, object]", value).get("name", ""))
    text = short_line(str(value), 200) if isinstance(value, str | int | float) else None
    return [text] if text else []


def _names(value: object) -> str | None:
    return short_line(", ".join(_strings(value)))


def _tags(value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        value = value.split(",")
    return tuple(dict.fromkeys(_strings(value)))
