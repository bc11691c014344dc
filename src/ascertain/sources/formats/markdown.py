"""Markdown: its readable text with headings as sections; transcripts written in it.

The text is what a person reads, not the source: links keep their words, images, emphasis marks and raw tags go,
lists, tables and code keep their lines. Citations quote this text.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import cast

import yaml
from markdown_it import MarkdownIt
from markdown_it.token import Token

from ascertain.language.tables import join_cells
from ascertain.sources.formats.draft import Draft, clean_line, clean_text, short_line
from ascertain.sources.formats.metadata import parse_date
from ascertain.sources.formats.reader import Extracted, SourceFile, text_of
from ascertain.sources.formats.transcripts import build_transcript, markdown_turns

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


_TAG = re.compile(r"</?[a-zA-Z][^<>]*>")
_HIDDEN = (("<!--", "-->"), ("<script", "</script>"), ("<style", "</style>"))
_LONGEST_PARAGRAPH = 50_000
"""Characters. Nobody writes longer ones, and some make a Markdown parser take time with the square of their length."""
_FIRST_HEADING = re.compile(r"^#[ \t]+(.+?)[ \t]*#*[ \t]*$", re.MULTILINE)


def read_markdown(file: SourceFile) -> Iterator[Extracted]:
    """The readable text of the file, or its speaker turns."""
    facts, body = split_front_matter(clean_text(text_of(file)))
    turns = markdown_turns(body)
    if turns:
        heading = _FIRST_HEADING.search(body)
        extracted = build_transcript(turns, clean_line(heading[1]) if heading else None)
    else:
        extracted = render_markdown(body)
    yield Extracted(
        extracted.text,
        title=facts.title or extracted.title,
        kind=extracted.kind,
        author=facts.author or extracted.author,
        published_at=facts.published_at,
        url=facts.url,
        tags=facts.tags,
        blocks=extracted.blocks,
    )


def render_markdown(source: str) -> Extracted:
    """The readable text of Markdown ``source``; its title is the first heading of the first level.

    A source with a paragraph too long to be Markdown is taken as plain text.
    """
    if max(map(len, source.split("\n\n"))) > _LONGEST_PARAGRAPH:
        return Extracted(source)
    renderer = _Renderer()
    for token in MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(source):
        renderer.take(token)
    text, blocks = renderer.draft.finish()
    return Extracted(text, renderer.title, blocks=blocks)


class _Renderer:
    """Walks the block tokens, keeping the state that decides how the next line begins."""

    def __init__(self) -> None:
        self.draft = Draft()
        self.title: str | None = None
        self._heading: int | None = None
        # One entry per open list: the next number, or None for bullets.
        self._lists: list[int | None] = []
        self._bullet: str | None = None
        self._cells: list[str] | None = None
        self._is_tight = False

    def take(self, token: Token) -> None:
        kind = token.type
        if kind == "heading_open":
            self._heading = int(token.tag[1])
        elif kind in ("bullet_list_open", "ordered_list_open"):
            start = int(token.attrGet("start") or 1) if kind == "ordered_list_open" else None
            self._lists.append(start)
        elif kind in ("bullet_list_close", "ordered_list_close"):
            self._lists.pop()
            self._is_tight = bool(self._lists)
        elif kind == "list_item_open":
            self._begin_item()
        elif kind == "tr_open":
            self._cells = []
        elif kind == "tr_close":
            self._add_block(join_cells(self._cells or []))
            self._cells, self._is_tight = None, True
        elif kind in ("table_open", "table_close"):
            self._is_tight = False
        elif kind in ("fence", "code_block"):
            self._add_block(token.content)
        elif kind == "html_block":
            self._add_block(_visible_text(token.content))
        elif kind == "inline":
            self._take_inline(token)

    def _begin_item(self) -> None:
        number = self._lists[-1]
        indent = "  " * (len(self._lists) - 1)
        self._bullet = f"{indent}- " if number is None else f"{indent}{number}. "
        if number is not None:
            self._lists[-1] = number + 1

    def _take_inline(self, token: Token) -> None:
        words = _render_inline(token.children or ())
        if self._heading is not None:
            line = clean_line(words)
            if self._heading == 1 and self.title is None and line:
                self.title = line
            self.draft.heading(line, self._heading)
            self._heading, self._is_tight = None, False
        elif self._cells is not None:
            self._cells.append(clean_line(words))
        else:
            self._add_block(words)

    def _add_block(self, text: str) -> None:
        if not text.strip():
            return
        is_item = self._bullet is not None
        self.draft.add(f"{self._bullet or ''}{text}", "\n" if self._is_tight else "\n\n")
        self._bullet = None
        self._is_tight = is_item and bool(self._lists)


def _render_inline(children: Sequence[Token]) -> str:
    parts: list[str] = []
    for child in children:
        if child.type in ("text", "code_inline"):
            parts.append(child.content)
        elif child.type == "softbreak":
            parts.append(" ")
        elif child.type == "hardbreak" or (
            child.type == "html_inline" and re.match(r"<br\b", child.content, re.IGNORECASE)
        ):
            parts.append("\n")
    # Images that were left out leave two spaces.
    return re.sub(r" {2,}", " ", "".join(parts)).strip()


def _visible_text(markup: str) -> str:
    """A block of raw HTML without its tags, comments and scripts."""
    for opening, closing in _HIDDEN:
        lowered, kept, position = markup.lower(), list[str](), 0
        while (start := lowered.find(opening, position)) >= 0 and (end := lowered.find(closing, start)) >= 0:
            kept.append(markup[position:start])
            position = end + len(closing)
        markup = "".join(kept) + markup[position:]
    return _TAG.sub("", markup).strip()
