"""reStructuredText, as Sphinx pages and READMEs have it: docutils parses it, and what a person would read of its tree is stored.

docutils gives up where it meets the directives and roles of other programs; ``sphinx`` says what those show.
"""

import importlib
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, cast

from ascertain.core.documents.blocks import BlockKind
from ascertain.documents.formats.drafts.draft import Draft, clean_line, clean_text, lowered, raised
from ascertain.documents.formats.drafts.losses import Losses
from ascertain.documents.formats.drafts.metadata import parse_date
from ascertain.documents.formats.drafts.numerals import letter_numeral, roman_numeral
from ascertain.documents.formats.plain.text import read_prose
from ascertain.documents.formats.reader import Extracted, SourceFile, text_of
from ascertain.documents.formats.speech.spoken_text import plain_turns
from ascertain.documents.formats.speech.turns import build_transcript

_RULE = re.compile(r"([!-/:-@\[-`{-~])\1{2,}\s*")
"""A line of one punctuation mark: under a title, over it, or between paragraphs."""
_LONGEST_LINE = 10_000
"""Characters. No one writes longer ones in markup, and some make the parser take time with the square of their length."""
_LONG_MARK = re.compile(r"(?<![*`|])[*`|]{500}")
_BEGUN_MARK = re.compile(r"(?<!\S)[*`|](?=[^\s*`|])")
_MOST_MARKS = 500
"""Marks that may begin emphasis, a role or a substitution in one paragraph."""
_SETTINGS = {
    "_disable_config": True, "file_insertion_enabled": False, "raw_enabled": False, "report_level": 1, "halt_level": 5,
    "warning_stream": False, "doctitle_xform": False, "docinfo_xform": False, "sectsubtitle_xform": False, "smart_quotes": False,
    "syntax_highlight": "none", "line_length_limit": _LONGEST_LINE, "trim_footnote_reference_space": True, "traceback": True,
    "embed_images": False, "strip_comments": True,
}  # fmt: skip
_FIELD_NAMES = {
    "param": "Parameter", "parameter": "Parameter", "arg": "Parameter", "argument": "Parameter", "key": "Parameter",
    "keyword": "Parameter", "type": "Type of", "raises": "Raises", "raise": "Raises", "except": "Raises", "exception": "Raises",
    "var": "Variable", "ivar": "Variable", "cvar": "Variable", "returns": "Returns", "return": "Returns", "rtype": "Return type",
    "yields": "Yields", "vartype": "Type of",
}  # fmt: skip
"""What the info fields of Sphinx's Python domain are called in words."""


def read_rst(file: SourceFile) -> Iterator[Extracted]:
    """The readable text of the file, or its speaker turns."""
    source = clean_text(text_of(file)).expandtabs(8)
    turns = plain_turns(source)
    if turns:
        yield build_transcript(turns)
        return
    lines = source.split("\n")
    is_plain = not any(_RULE.fullmatch(line) or line.lstrip().startswith(".. ") for line in lines)
    yield read_prose(source) if is_plain else render_rst(source)


def render_rst(source: str) -> Extracted:
    """The readable text of a page in reStructuredText; of one that docutils could not end, the words as they stand."""
    if _is_hostile(source):
        return replace(read_prose(source), notes=("read as plain text: too many marks for reStructuredText",))
    try:
        return _render(source)
    except RecursionError:
        return replace(read_prose(source), notes=("read as plain text: nested too deeply for reStructuredText",))


def _is_hostile(source: str) -> bool:
    """Whether a line or paragraph would take docutils the square of its length."""
    paragraphs = source.split("\n\n")
    has_long_line = any(len(line) > _LONGEST_LINE for line in source.split("\n"))
    return (
        has_long_line
        or _LONG_MARK.search(source) is not None
        or any(sum(1 for _ in _BEGUN_MARK.finditer(paragraph)) > _MOST_MARKS for paragraph in paragraphs)
    )


def _render(source: str) -> Extracted:
    # a third of a second to import, so they wait for the first page
    core = cast("Any", importlib.import_module("docutils.core"))
    sphinx = cast("Any", importlib.import_module("ascertain.documents.formats.technical.sphinx"))
    losses = Losses()
    with sphinx.know_sphinx():
        tree = core.publish_doctree(_mark_empty_cells(source), settings_overrides={**_SETTINGS, "losses": losses})
    walk = _Walk(losses)
    walk.add_children(tree)
    text, blocks = walk.draft.finish()
    facts = walk.facts
    return Extracted(
        text,
        walk.title,
        author=facts.get("author") or facts.get("authors"),
        published_at=parse_date(facts.get("date", "")),
        blocks=blocks,
        left_out=losses.left_out(),
    )


_SIMPLE_RULE = re.compile(r"( *)=+(?: +=+)+ *$")


def _mark_empty_cells(source: str) -> str:
    """The source with the first cell of the header of a simple table marked where it is empty; docutils would lose the header."""
    lines = source.split("\n")
    for number in range(1, len(lines)):
        rule = _SIMPLE_RULE.match(lines[number - 1])
        line = lines[number]
        is_top = rule is not None and (number == 1 or not lines[number - 2].strip())
        if rule and is_top and line.strip() and line.startswith(rule[1] + "  "):
            lines[number] = f"{rule[1]}\\{line[len(rule[1]) + 1 :]}"
    return "\n".join(lines)


class _Walk:
    """Adds the nodes of a tree of docutils to a draft."""

    def __init__(self, losses: Losses) -> None:
        self.draft = Draft()
        self.title: str | None = None
        self.facts: dict[str, str] = {}
        self._losses = losses
        self._level = 0
        self._lead = ""
        self._takers: dict[str, Callable[[Any], None]] = {
            "section": self._add_section, "title": self._add_title, "paragraph": self._add_paragraph, "rubric": self._add_paragraph,
            "attribution": self._add_attribution, "literal_block": self._add_code, "doctest_block": self._add_code,
            "math_block": self._add_paragraph, "block_quote": self._add_quotation, "bullet_list": self._add_list,
            "enumerated_list": self._add_list, "definition_list": self._add_definitions, "field_list": self._add_fields,
            "option_list": self._add_options, "line_block": self._add_lines, "table": self._add_table, "footnote": self._add_note,
            "citation": self._add_note, "image": self._leave_picture, "caption": self._add_caption,
            "admonition": self._add_admonition, "topic": self._add_titled, "sidebar": self._add_titled,
            "system_message": self._add_message,
        }  # fmt: skip

    def add_children(self, node: Any) -> None:
        """Add what lies in a node."""
        for child in node.children:
            name = type(child).__name__
            if taker := self._takers.get(name):
                taker(child)
            elif name in _ADMONITIONS:
                self._add_admonition(child, name.capitalize())
            elif name in _INLINE:
                self._add(self._words([child]))
            elif name not in _HIDDEN:
                self.add_children(child)

    def _add(self, text: str, kind: BlockKind = BlockKind.PARAGRAPH, label: str | None = None) -> None:
        """Add a piece; the term that waits for it stands before it."""
        if self._lead and text.strip():
            if kind is BlockKind.PARAGRAPH:
                text = f"{self._lead}{'' if self._lead[-1] in '.:?!' else ':'} {text}"
            else:
                self.draft.add(self._lead)
            self._lead = ""
        self.draft.add(text, kind=kind, label=label)

    def _words(self, children: Sequence[Any]) -> str:
        """The words of inline nodes."""
        parts: list[str] = []
        for child in children:
            name = type(child).__name__
            if name == "Text":
                parts.append(str(child.astext()))
            elif name in ("footnote_reference", "citation_reference"):
                parts.append(f"[{child.astext()}]")
            elif name in ("superscript", "subscript"):
                parts.append((raised if name == "superscript" else lowered)(self._words(child.children)))
            elif name == "problematic":
                parts.append(_unmark(child.astext()))
            elif name == "image":
                self._leave_picture(child)
            elif name not in ("raw", "comment"):
                parts.append(self._words(child.children))
        return "".join(parts)

    def _line(self, node: Any) -> str:
        return clean_line(self._words(node.children))

    def _add_paragraph(self, node: Any) -> None:
        self._add(self._line(node))

    def _add_attribution(self, node: Any) -> None:
        self._add(f"— {self._line(node)}")

    def _add_section(self, node: Any) -> None:
        self._level += 1
        self.add_children(node)
        self._level -= 1

    def _add_title(self, node: Any) -> None:
        name = self._line(node)
        if self._level == 1 and self.title is None:
            self.title = name[:300] or None
        self.draft.heading(name, max(1, self._level))

    def _add_code(self, node: Any) -> None:
        classes = [name for name in node.get("classes", ()) if name != "code"]
        self._add(node.astext(), BlockKind.CODE, classes[0] if classes and "code" in node["classes"] else None)

    def _add_quotation(self, node: Any) -> None:
        if any(type(child).__name__ == "paragraph" for child in node.children):
            self._say_lead()
            with self.draft.inside(BlockKind.QUOTATION):
                self.add_children(node)
        else:
            # lists and tables are often set in without being quoted
            self.add_children(node)

    def _say_lead(self) -> None:
        """A term of which nothing is said, or no paragraph, stands alone."""
        if self._lead:
            lead, self._lead = self._lead, ""
            self.draft.add(lead)

    def _add_list(self, node: Any) -> None:
        self._say_lead()
        with self.draft.inside(BlockKind.LIST):
            for number, item in enumerate(node.children, int(node.get("start", 1))):
                if type(item).__name__ != "list_item":
                    continue
                marker = "-" if type(node).__name__ == "bullet_list" else _number(node, number)
                with self.draft.item(marker):
                    self.add_children(item)

    def _add_definitions(self, node: Any) -> None:
        for item in node.children:
            parts: dict[str, list[Any]] = {}
            for child in item.children:
                parts.setdefault(type(child).__name__, []).append(child)
            term = ", ".join(self._line(each) for each in parts.get("term", ()))
            if kinds := ", ".join(self._line(each) for each in parts.get("classifier", ())):
                term = f"{term} ({kinds})"
            self._describe(term, parts.get("definition", ()))

    def _describe(self, term: str, bodies: Sequence[Any]) -> None:
        self._say_lead()
        with self.draft.inside(BlockKind.DEFINITION, term.rstrip(":")):
            self._lead = term
            for body in bodies:
                self.add_children(body)
            self._say_lead()

    def _add_fields(self, node: Any) -> None:
        is_first = self.draft.length == 0
        for field in node.children:
            if type(field).__name__ != "field":
                continue
            name, body = self._line(field.children[0]), field.children[1]
            if is_first or name.lower() in ("author", "authors", "date"):
                self.facts.setdefault(name.lower(), clean_line(body.astext())[:300])
            if name.lower() in ("orphan", "tocdepth", "nocomments", "nosearch"):
                continue
            kind, _, what = name.partition(" ")
            if label := _FIELD_NAMES.get(kind.lower()):
                *types, thing = what.split() or [""]
                name = f"{label} {thing}{f' ({chr(32).join(types)})' if types else ''}".rstrip()
            self._describe(name, [body])

    def _add_options(self, node: Any) -> None:
        for item in node.children:
            group, description = item.children
            self._describe(", ".join(option.astext() for option in group.children), [description])

    def _add_lines(self, node: Any) -> None:
        lines: list[str] = []
        waiting = [(child, 0) for child in reversed(node.children)]
        while waiting:
            child, depth = waiting.pop()
            if type(child).__name__ == "line_block":
                waiting += [(each, depth + 1) for each in reversed(child.children)]
            else:
                lines.append("  " * depth + self._line(child))
        self._add("\n".join(lines))

    def _add_table(self, node: Any) -> None:
        self._say_lead()
        for child in node.children:
            if type(child).__name__ == "title":
                self.draft.add(self._line(child), kind=BlockKind.CAPTION)
            elif type(child).__name__ == "tgroup":
                self._add_rows(child)
            else:
                self._add_message(child)

    def _add_rows(self, group: Any) -> None:
        rows: list[list[str]] = []
        header_rows = 0
        spanned: dict[tuple[int, int], str] = {}
        for part in group.children:
            if type(part).__name__ not in ("thead", "tbody"):
                continue
            for row in part.children:
                rows.append(self._fill_row(row, len(rows), spanned))
            header_rows = len(rows) if type(part).__name__ == "thead" else header_rows
        self.draft.add_table(rows, header_rows)

    def _fill_row(self, row: Any, number: int, spanned: dict[tuple[int, int], str]) -> list[str]:
        """The cells of a row, those that others cover with the words of these."""
        cells: list[str] = []
        for entry in row.children:
            while (number, len(cells)) in spanned:
                cells.append(spanned[number, len(cells)])
            words = self._cell(entry)
            for _ in range(int(entry.get("morecols", 0)) + 1):
                for below in range(1, int(entry.get("morerows", 0)) + 1):
                    spanned[number + below, len(cells)] = words
                cells.append(words)
        while (number, len(cells)) in spanned:
            cells.append(spanned[number, len(cells)])
        return cells

    def _cell(self, entry: Any) -> str:
        """The words of a cell: what stands in it as blocks, in one line."""
        inner = _Walk(self._losses)
        inner.add_children(entry)
        text, _ = inner.draft.finish()
        return " ".join(line.strip() for line in text.split("\n") if line.strip())

    def _add_note(self, node: Any) -> None:
        label = node.children[0].astext() if node.children and type(node.children[0]).__name__ == "label" else ""
        with self.draft.inside(BlockKind.FOOTNOTE, label, marker=f"[{label}] "):
            self.add_children(node)

    def _leave_picture(self, node: Any) -> None:
        self._losses.add("pictures", name=node.get("alt") or node.get("uri"))

    def _add_caption(self, node: Any) -> None:
        self._add(self._line(node), BlockKind.CAPTION)

    def _add_admonition(self, node: Any, title: str = "") -> None:
        self._say_lead()
        first = node.children[0] if node.children else None
        if not title and first is not None and type(first).__name__ == "title":
            title = self._line(first)
        with self.draft.inside(BlockKind.ADMONITION, title):
            self.draft.add(title)
            for child in node.children:
                if type(child).__name__ != "title":
                    self.add_children(_Holder([child]))

    def _add_titled(self, node: Any) -> None:
        self._add_admonition(node)

    def _add_message(self, node: Any) -> None:
        """What docutils could not read, as it stands in the source."""
        for child in node.children:
            if type(child).__name__ == "literal_block":
                self._add(child.astext())


class _Holder:
    """Nodes beside each other."""

    def __init__(self, children: list[Any]) -> None:
        self.children = children


_INLINE = frozenset(
    "Text emphasis strong literal reference inline title_reference problematic math superscript subscript footnote_reference citation_reference".split()
)
_HIDDEN = frozenset(
    "comment substitution_definition target pending raw meta decoration transition label colspec".split()
)
_ADMONITIONS = frozenset("attention caution danger error hint important note tip warning".split())


def _unmark(raw: str) -> str:
    """Words that look like a reference or a role to nothing, without the marks of it."""
    match = re.fullmatch(r":?[\w:.+-]{0,60}`([^`]*)`_{0,2}|([\w.+-]+)_{1,2}", raw)
    return (match[1] or match[2] or raw) if match else raw


def _number(node: Any, number: int) -> str:
    kind = node.get("enumtype", "arabic")
    if "alpha" in kind:
        shown = letter_numeral(number)
    elif "roman" in kind:
        shown = roman_numeral(number)
    else:
        shown = str(number)
    shown = shown.upper() if kind.startswith("upper") else shown
    return f"{node.get('prefix', '')}{shown}{node.get('suffix', '.')}"
