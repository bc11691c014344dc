"""The blocks of Markdown: CommonMark with tables, footnotes, definitions, formulas, boxes, links of wikis, directives and roles of MyST.

The text is what a person reads, not the source: links keep their words, emphasis marks and raw tags go, what is struck through stays
between its marks. Citations quote this text.
"""

import re
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import cache
from typing import Any, cast

from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.admon import admon_plugin
from mdit_py_plugins.colon_fence import colon_fence_plugin
from mdit_py_plugins.deflist import deflist_plugin
from mdit_py_plugins.dollarmath import dollarmath_plugin
from mdit_py_plugins.footnote import footnote_plugin

from ascertain.core.documents.blocks import BlockKind
from ascertain.documents.formats.dom.markup import markup_text
from ascertain.documents.formats.drafts.draft import Draft, clean_line, clean_text, lowered, raised
from ascertain.documents.formats.drafts.losses import Losses
from ascertain.documents.formats.reader import Extracted
from ascertain.documents.formats.technical.rst import render_rst
from ascertain.documents.formats.technical.versions import VERSIONS

_LONGEST_PARAGRAPH = 50_000
"""Characters. No one writes longer ones, and some make a Markdown parser take time with the square of their length."""
_DEEPEST_DIRECTIVE = 6
_DIRECTIVE = re.compile(r"\{(?P<name>[\w:.-]{1,60})\}\s*(?P<argument>.*)$", re.DOTALL)
_OPTION = re.compile(r":(?P<name>[\w-]{1,40}):(?:[ \t]++(?P<value>.*))?$")
_ALERT = re.compile(r"\[!(?P<kind>[A-Za-z][\w-]{0,30})\][+-]?[ \t]*(?P<title>[^\n]*)(?:\n|$)")
_WIKI = re.compile(r"(!?)\[\[([^\[\]|\n]{1,300})(?:\|([^\[\]\n]{0,300}))?\]\]")
_ROLE = re.compile(r"\{[\w:+.-]{1,60}\}$")
_TARGETED = re.compile(r"(?P<text>[^<]{1,300}?)\s*<[^<>]{0,300}>")
_BOXES = frozenset(
    "attention caution danger error hint important note tip warning seealso todo admonition topic sidebar dropdown abstract info success question failure bug example quote".split()
)
_CODE = frozenset(
    "code doctest testcode code-block code-cell sourcecode literalinclude parsed-literal mermaid ipython".split()
)
_TARGET = re.compile(r"\([\w.:-]{1,200}\)=")
"""What other pages of MyST refer to; nothing of it is shown."""
_SUPERSCRIPTS: Mapping[str, Callable[[str], str]] = {"sup": raised, "sub": lowered}


@cache
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    parser.use(footnote_plugin, inline=False).use(deflist_plugin).use(admon_plugin).use(colon_fence_plugin)
    return parser.use(dollarmath_plugin, allow_labels=False, allow_space=False, allow_digits=False)


def render_markdown(source: str) -> Extracted:
    """The readable text of Markdown ``source``; its title is the first heading of the first level.

    A source with a paragraph too long to be Markdown is taken as plain text.
    """
    if max(map(len, source.split("\n\n"))) > _LONGEST_PARAGRAPH:
        return Extracted(clean_text(source))
    walk = _Walk(Draft())
    environment: dict[str, Any] = {}
    walk.take_all(_parser().parse(source, environment))
    text, blocks = walk.draft.finish()
    references = cast("dict[str, int]", environment.get("footnotes", {}).get("refs", {}))
    unused = [name.removeprefix(":") for name, number in references.items() if number < 0]
    for name in unused:
        walk.losses.add("footnotes that nothing refers to", name=name)
    return Extracted(text, walk.title, blocks=blocks, left_out=walk.losses.left_out())


class _Walk:
    """Goes through the tokens of blocks, in which those of lines lie."""

    def __init__(self, draft: Draft, depth: int = 0, losses: Losses | None = None) -> None:
        self.draft = draft
        self.title: str | None = None
        self.losses = Losses() if losses is None else losses
        self._depth = depth
        self._heading: int | None = None
        self._open: list[ExitStack] = []
        # one entry per open list: the next number with its sign, or None for bullets
        self._numbers: list[tuple[int, str] | None] = []
        self._rows: list[list[str]] = []
        self._header_rows = 0
        self._is_cell = False
        self._term: str | None = None
        self._is_term = False
        self._alert: str | None = None

    def take_all(self, tokens: Sequence[Token]) -> None:
        """Add the blocks of all tokens."""
        for number, token in enumerate(tokens):
            if token.type == "blockquote_open":
                self._open_quotation(tokens, number)
            elif token.type.endswith("_open"):
                self._open_block(token)
            elif token.type.endswith("_close"):
                self._close_block(token)
            elif token.type == "inline":
                self._take_inline(token)
            else:
                self._take_leaf(token)

    def _enter(self, kind: BlockKind, label: str | None = None, marker: str = "") -> None:
        stack = ExitStack()
        stack.enter_context(self.draft.inside(kind, label, marker=marker))
        self._open.append(stack)

    def _open_block(self, token: Token) -> None:
        kind = token.type.removesuffix("_open")
        if kind == "heading":
            self._heading = int(token.tag[1])
        elif kind in ("bullet_list", "ordered_list"):
            start = token.attrGet("start")
            self._numbers.append((1 if start is None else int(start), token.markup) if kind == "ordered_list" else None)
            self._enter(BlockKind.LIST)
        elif kind == "list_item":
            stack = ExitStack()
            stack.enter_context(self.draft.item(self._next_marker()))
            self._open.append(stack)
        elif kind == "table":
            self._rows, self._header_rows = [], 0
        elif kind == "tr":
            self._rows.append([])
        elif kind in ("th", "td"):
            self._is_cell = True
        elif kind == "dt":
            self._is_term = True
        elif kind == "dd":
            self._enter(BlockKind.DEFINITION, self._term)
        elif kind == "footnote":
            label = str(token.meta.get("label") or int(token.meta["id"]) + 1)
            self.draft.leave_sections()
            self._enter(BlockKind.FOOTNOTE, label, f"[{label}] ")
        elif kind == "admonition":
            self._enter(BlockKind.ADMONITION, str(token.meta.get("tag") or "note").capitalize())

    def _close_block(self, token: Token) -> None:
        kind = token.type.removesuffix("_close")
        if kind in ("bullet_list", "ordered_list"):
            self._numbers.pop()
        if kind in ("bullet_list", "ordered_list", "list_item", "dd", "footnote", "admonition", "blockquote"):
            if kind == "dd":
                self._say_term()
            self._open.pop().close()
        elif kind == "thead":
            self._header_rows = len(self._rows)
        elif kind in ("th", "td"):
            self._is_cell = False
        elif kind == "table":
            self.draft.add_table(self._rows, self._header_rows)
        elif kind == "dt":
            self._is_term = False

    def _next_marker(self) -> str:
        number = self._numbers[-1]
        if number is None:
            return "-"
        self._numbers[-1] = (number[0] + 1, number[1])
        return f"{number[0]}{number[1]}"

    def _open_quotation(self, tokens: Sequence[Token], number: int) -> None:
        """A quotation, or a box that is written as one: ``> [!NOTE]``."""
        following = tokens[number + 1 : number + 3]
        alert = _ALERT.match(following[1].content) if len(following) == 2 and following[1].type == "inline" else None
        if alert is None:
            self._enter(BlockKind.QUOTATION)
            return
        name = alert["kind"].capitalize()
        self._enter(BlockKind.ADMONITION, name)
        self._alert = alert["title"].strip() or name

    def _take_leaf(self, token: Token) -> None:
        kind = token.type
        if kind in ("fence", "colon_fence"):
            directive = _DIRECTIVE.match(token.info.strip())
            if directive:
                self._take_directive(directive["name"].lower(), directive["argument"].strip(), token.content)
            elif kind == "colon_fence":
                self._take_box(token.info.strip(), token.content)
            else:
                self._add(token.content, BlockKind.CODE, token.info.strip().split(" ")[0].strip("{}.") or None)
        elif kind == "code_block":
            self._add(token.content, BlockKind.CODE)
        elif kind in ("math_block", "math_block_label"):
            self._add(f"$${token.content.strip()}$$")
        elif kind == "html_block":
            self._add(markup_text(token.content))

    def _take_box(self, info: str, content: str) -> None:
        """A fence of colons without a directive: ``:::note Title``."""
        name, _, title = info.partition(" ")
        if name.lower() in _BOXES:
            self._take_directive(name.lower(), title.strip(), content)
        else:
            self._parse(content)

    def _take_directive(self, name: str, argument: str, content: str) -> None:
        """A directive of MyST: a box, code, a table, or something that keeps its words."""
        options, body = _split_options(content)
        kind = name.rpartition(":")[2]
        if kind in _CODE:
            self._add(self._words(options.get("caption", "")), BlockKind.CAPTION)
            self._add(body, BlockKind.CODE, argument or None)
        elif kind == "glossary":
            for term, said in _split_glossary(body):
                with self.draft.inside(BlockKind.DEFINITION, term):
                    is_prose = said.strip()[:1].isalnum()
                    self._parse(f"{term}: {said.lstrip()}" if is_prose else f"{term}\n\n{said}")
        elif kind in VERSIONS:
            version, _, said = argument.partition(" ")
            said = "\n".join(filter(None, (said.strip(), body.strip())))
            self._parse(f"{VERSIONS[kind]} {version}{': ' if said else ''}{said}")
        elif kind == "eval-rst":
            inner = render_rst(content)
            self.losses.include(inner.left_out)
            self.draft.include(inner.text, inner.blocks)
        elif kind == "math":
            self._add(f"$${' '.join(filter(None, [argument, body.strip()]))}$$")
        elif kind in ("image", "figure"):
            self.losses.add("pictures", name=options.get("alt", argument))
            self._add(self._words(body), BlockKind.CAPTION)
        elif kind in ("toctree", "contents", "tableofcontents", "include", "raw", "bibliography"):
            return
        elif kind in _BOXES:
            title = "See also" if kind == "seealso" else kind.capitalize()
            is_titled = bool(argument) and kind in ("admonition", "topic", "sidebar", "dropdown")
            with self.draft.inside(BlockKind.ADMONITION, argument if is_titled else title):
                self.draft.add(self._words(argument) if is_titled else title)
                self._parse("" if is_titled else argument)
                self._parse(body)
        else:
            self._add(self._words(argument))
            self._parse(body)

    def _parse(self, source: str) -> None:
        """The blocks of Markdown that lies in a directive."""
        if self._depth >= _DEEPEST_DIRECTIVE:
            self._add(source)
        elif source.strip():
            inner = _Walk(self.draft, self._depth + 1, self.losses)
            inner.take_all(_parser().parse(source))

    def _words(self, source: str) -> str:
        """The words of a line of Markdown."""
        tokens = _parser().parseInline(source.strip()) if source.strip() else []
        return " ".join(self._render(token.children or ()) for token in tokens)

    def _take_inline(self, token: Token) -> None:
        if self._alert is not None:
            title, self._alert = self._alert, None
            self.draft.add(self._words(title))
            rest = _ALERT.sub("", token.content, count=1)
            if rest.strip():
                self._parse(rest)
            return
        if _TARGET.fullmatch(token.content):
            return
        words = self._render(token.children or ())
        if self._heading is not None:
            line = clean_line(words)
            if self._heading == 1 and self.title is None and line:
                self.title = line
            self.draft.heading(line, self._heading)
            self._heading = None
        elif self._is_cell:
            self._rows[-1].append(words.replace("\n", " / "))
        elif self._is_term:
            self._say_term()
            self._term = clean_line(words)
        else:
            self._add(words)

    def _add(self, text: str, kind: BlockKind = BlockKind.PARAGRAPH, label: str | None = None) -> None:
        if self._term is not None:
            if kind is not BlockKind.PARAGRAPH:
                self._say_term()
            elif text.strip():
                text = f"{self._term}{'' if self._term[-1:] in '.:?!' else ':'} {text}"
                self._term = None
        self.draft.add(text, kind=kind, label=label)

    def _say_term(self) -> None:
        """A term of which nothing is said stands alone."""
        if self._term:
            self.draft.add(self._term)
        self._term = None

    def _render(self, children: Sequence[Token]) -> str:
        """The words of a line."""
        parts: list[str] = []
        raised_from: list[tuple[str, int]] = []
        for child in children:
            kind = child.type
            if kind == "text":
                parts.append(self._render_text(child.content))
            elif kind == "code_inline":
                parts.append(_role_text(parts, child.content))
            elif kind in ("softbreak", "hardbreak"):
                parts.append(" " if kind == "softbreak" else "\n")
            elif kind in ("s_open", "s_close"):
                parts.append("~~")
            elif kind == "footnote_ref":
                parts.append(f"[{child.meta.get('label') or int(child.meta['id']) + 1}]")
            elif kind in ("math_inline", "math_inline_double"):
                mark = "$" if kind == "math_inline" else "$$"
                parts.append(f"{mark}{child.content}{mark}")
            elif kind == "image":
                self.losses.add("pictures", name=clean_line(child.content) or child.attrGet("src"))
            elif kind == "html_inline":
                _take_tag(child.content.lower(), parts, raised_from)
        # pictures that were left out leave two spaces
        return re.sub(r" {2,}", " ", "".join(parts)).strip()

    def _render_text(self, text: str) -> str:
        if "[[" not in text:
            return text

        def shown(match: re.Match[str]) -> str:
            if match[1]:
                self.losses.add("pictures", name=match[2])
                return ""
            return (match[3] or match[2]).strip()

        return _WIKI.sub(shown, text)


def _role_text(parts: list[str], content: str) -> str:
    """What is shown of code in a line; behind ``{ref}`` it is the text of a role."""
    role = _ROLE.search(parts[-1][-64:]) if parts else None
    if role is None:
        return content
    parts[-1] = parts[-1][: len(parts[-1]) - len(role[0])]
    name = role[0].strip("{}")
    if name in ("sup", "superscript", "sub", "subscript"):
        return _SUPERSCRIPTS[name[:3]](content)
    match = _TARGETED.fullmatch(content)
    if match:
        return match["text"]
    return content[1:].rpartition(".")[2] if content.startswith("~") else content.lstrip("!")


def _take_tag(tag: str, parts: list[str], raised_from: list[tuple[str, int]]) -> None:
    """A tag in a line: a break, the begin or end of what is raised or lowered, or nothing that is shown."""
    name = re.match(r"</?([a-z]+)", tag)
    if name is None:
        return
    if name[1] == "br":
        parts.append("\n")
    elif name[1] in _SUPERSCRIPTS:
        if not tag.startswith("</"):
            raised_from.append((name[1], len(parts)))
        elif raised_from and raised_from[-1][0] == name[1]:
            start = raised_from.pop()[1]
            parts[start:] = [_SUPERSCRIPTS[name[1]]("".join(parts[start:]))]


def _split_glossary(body: str) -> Iterator[tuple[str, str]]:
    """The terms of a glossary of MyST, lines at the margin, each with the indented text below it."""
    term, said = "", list[str]()
    for line in body.split("\n"):
        if line.strip() and not line[0].isspace():
            if term:
                yield term, textwrap.dedent("\n".join(said))
            term, said = line.strip(), []
        else:
            said.append(line)
    if term:
        yield term, textwrap.dedent("\n".join(said))


def _split_options(content: str) -> tuple[dict[str, str], str]:
    """The options at the head of a directive, as ``:name: value`` or between lines of ``---``, and its body."""
    lines = content.split("\n")
    options: dict[str, str] = {}
    at = 0
    is_block = lines[0].strip() == "---"
    if is_block:
        end = next((number for number, line in enumerate(lines[1:], 1) if line.strip() == "---"), 0)
        for line in lines[1:end]:
            name, _, value = line.partition(":")
            options[name.strip()] = value.strip()
        return options, "\n".join(lines[end + 1 :])
    while at < len(lines) and (option := _OPTION.match(lines[at].strip())):
        options[option["name"]] = option["value"] or ""
        at += 1
    return options, "\n".join(lines[at:])
