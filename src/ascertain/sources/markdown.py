"""Markdown: its readable text with headings as sections; transcripts written in it.

The text is what a person reads, not the source: links keep their words, images, emphasis marks and raw tags go,
lists, tables and code keep their lines. Citations quote this text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from markdown_it import MarkdownIt
from markdown_it.token import Token

from ascertain.sources.cleaning import clean_line, clean_text
from ascertain.sources.decoding import text_of
from ascertain.sources.draft import Draft
from ascertain.sources.extraction import Extracted, SourceFile
from ascertain.sources.front_matter import split_front_matter
from ascertain.sources.spoken_text import markdown_turns
from ascertain.sources.turns import transcript

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
        extracted = transcript(turns, clean_line(heading[1]) if heading else None)
    else:
        extracted = render(body)
    yield Extracted(
        extracted.text,
        title=facts.title or extracted.title,
        kind=extracted.kind,
        author=facts.author or extracted.author,
        published_at=facts.published_at,
        url=facts.url,
        tags=facts.tags,
        regions=extracted.regions,
    )


def render(source: str) -> Extracted:
    """The readable text of Markdown ``source``; its title is the first heading of the first level.

    A source with a paragraph too long to be Markdown is taken as plain text.
    """
    if max(map(len, source.split("\n\n"))) > _LONGEST_PARAGRAPH:
        return Extracted(source)
    renderer = _Renderer()
    for token in MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(source):
        renderer.take(token)
    text, regions = renderer.draft.finish()
    return Extracted(text, renderer.title, regions=regions)


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
            self._add(" | ".join(cell for cell in self._cells or [] if cell))
            self._cells, self._is_tight = None, True
        elif kind in ("table_open", "table_close"):
            self._is_tight = False
        elif kind in ("fence", "code_block"):
            self._add(token.content)
        elif kind == "html_block":
            self._add(_visible(token.content))
        elif kind == "inline":
            self._take_inline(token)

    def _begin_item(self) -> None:
        number = self._lists[-1]
        indent = "  " * (len(self._lists) - 1)
        self._bullet = f"{indent}- " if number is None else f"{indent}{number}. "
        if number is not None:
            self._lists[-1] = number + 1

    def _take_inline(self, token: Token) -> None:
        words = _inline(token.children or ())
        if self._heading is not None:
            line = clean_line(words)
            if self._heading == 1 and self.title is None and line:
                self.title = line
            self.draft.heading(line, self._heading)
            self._heading, self._is_tight = None, False
        elif self._cells is not None:
            self._cells.append(clean_line(words))
        else:
            self._add(words)

    def _add(self, text: str) -> None:
        if not text.strip():
            return
        is_item = self._bullet is not None
        self.draft.add(f"{self._bullet or ''}{text}", "\n" if self._is_tight else "\n\n")
        self._bullet = None
        self._is_tight = is_item and bool(self._lists)


def _inline(children: Sequence[Token]) -> str:
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


def _visible(markup: str) -> str:
    """A block of raw HTML without its tags, comments and scripts."""
    for opening, closing in _HIDDEN:
        lowered, kept, position = markup.lower(), list[str](), 0
        while (start := lowered.find(opening, position)) >= 0 and (end := lowered.find(closing, start)) >= 0:
            kept.append(markup[position:start])
            position = end + len(closing)
        markup = "".join(kept) + markup[position:]
    return _TAG.sub("", markup).strip()
