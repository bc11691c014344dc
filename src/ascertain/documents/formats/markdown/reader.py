"""Markdown as files of notes and documentation have it: front matter, then what ``blocks`` reads; transcripts written in it."""

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import cast

import yaml

from ascertain.core.documents.documents import LeftOut
from ascertain.documents.formats.drafts.draft import clean_line, clean_text, short_line
from ascertain.documents.formats.drafts.metadata import parse_date
from ascertain.documents.formats.markdown.blocks import render_markdown
from ascertain.documents.formats.reader import Extracted, SourceFile, text_of
from ascertain.documents.formats.speech.spoken_text import markdown_turns
from ascertain.documents.formats.speech.turns import build_transcript

_YAML = re.compile(r"\A---[ \t]*\n(.*?)^(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_TOML = re.compile(r"\A\+\+\+[ \t]*\n(.*?)^\+\+\+[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_MAX_LENGTH = 20_000
_MAX_TAGS = 50
_READ_FIELDS = frozenset(
    "title author authors by date published_at published pubdate created url link canonical_url source tags keywords categories".split()
)


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """What the block says of the document; all None or empty without one."""

    title: str | None = None
    author: str | None = None
    published_at: datetime | None = None
    url: str | None = None
    tags: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    """The names of the fields that say anything else."""


def split_front_matter(text: str) -> tuple[FrontMatter, str]:
    """The front matter and the rest of ``text``; a block that cannot be parsed stays in the text."""
    match = _YAML.match(text) or _TOML.match(text)
    if not match or len(match[1]) > _MAX_LENGTH:
        return FrontMatter(), text
    fields = _parse_block(match[1], is_toml=text.startswith("+++"))
    if fields is None:
        return FrontMatter(), text
    url = short_line(_first_field(fields, "url", "link", "canonical_url", "source"), 2000)
    found = FrontMatter(
        title=short_line(_first_field(fields, "title")),
        author=_join_names(_first_field(fields, "author", "authors", "by")),
        published_at=parse_date(_first_field(fields, "date", "published_at", "published", "pubdate", "created")),
        url=url if url and url.startswith(("http://", "https://")) else None,
        tags=_read_tags(_first_field(fields, "tags", "keywords", "categories")),
        others=tuple(short_line(name, 60) or "" for name in fields if name not in _READ_FIELDS)[:_MAX_TAGS],
    )
    return found, text[match.end() :]


def _parse_block(block: str, *, is_toml: bool) -> Mapping[str, object] | None:
    try:
        value: object = tomllib.loads(block) if is_toml else yaml.safe_load(block)
    except (yaml.YAMLError, ValueError, RecursionError):
        return None
    if not isinstance(value, dict):
        return None
    return {str(key).lower(): item for key, item in cast("dict[object, object]", value).items()}


def _first_field(fields: Mapping[str, object], *names: str) -> object:
    return next((fields[name] for name in names if fields.get(name) is not None), None)


def _list_strings(value: object) -> list[str]:
    """The strings in a scalar or a list of scalars; of nested tables the ``name``."""
    if isinstance(value, list):
        items = cast("list[object]", value)[:_MAX_TAGS]
        return [text for item in items if not isinstance(item, list) for text in _list_strings(item)]
    if isinstance(value, dict):
        return _list_strings(cast("dict[object, object]", value).get("name", ""))
    text = short_line(str(value), 200) if isinstance(value, str | int | float) else None
    return [text] if text else []


def _join_names(value: object) -> str | None:
    return short_line(", ".join(_list_strings(value)))


def _read_tags(value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        value = value.split(",")
    return tuple(dict.fromkeys(_list_strings(value)))


_FIRST_HEADING = re.compile(r"^#[ \t]++(.+?)[ \t]{0,40}#{0,40}[ \t]{0,40}$", re.MULTILINE)


def read_markdown(file: SourceFile) -> Iterator[Extracted]:
    """The readable text of the file, or its speaker turns."""
    # not cleaned yet: two spaces at the end of a line mean something
    source = text_of(file).removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    facts, body = split_front_matter(source.lstrip("\n"))
    turns = markdown_turns(clean_text(body))
    if turns:
        heading = _FIRST_HEADING.search(body)
        extracted = build_transcript(turns, clean_line(heading[1]) if heading else None)
    else:
        extracted = render_markdown(body)
    others = (LeftOut("fields of the front matter", len(facts.others), 0, facts.others[:5]),) if facts.others else ()
    yield Extracted(
        extracted.text,
        title=facts.title or extracted.title,
        kind=extracted.kind,
        author=facts.author or extracted.author,
        published_at=facts.published_at,
        url=facts.url,
        tags=facts.tags,
        blocks=extracted.blocks,
        left_out=(*extracted.left_out, *others),
    )
