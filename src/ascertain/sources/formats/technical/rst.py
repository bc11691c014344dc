"""reStructuredText, as Sphinx pages and READMEs have it: what a person would read of it, without its marks.

Read line by line and not by docutils, which gives up where it meets the directives and roles of other programs: here those that are not known
keep their words. Directives that describe something keep their options (``default: 5``); roles, links and substitutions keep their
text.
"""

import csv
import re
from collections.abc import Iterator, Sequence

from ascertain.language.tables import join_cells
from ascertain.sources.formats.draft import Draft, clean_line, clean_text
from ascertain.sources.formats.metadata import parse_date
from ascertain.sources.formats.reader import Extracted, SourceFile, text_of
from ascertain.sources.formats.text import read_prose
from ascertain.sources.formats.transcripts import build_transcript, plain_turns

_RULE = re.compile(r"([!-/:-@\[-`{-~])\1{2,}\s*")
"""A line of one punctuation mark: under a title, over it, or between paragraphs."""
_MARKED = re.compile(r"\.\.(?:\s+(?P<rest>.*))?$")
_DIRECTIVE = re.compile(r"(?:\|(?P<name>[^|]+)\|\s+)?(?P<kind>[A-Za-z][\w.:+-]*?)\s?::(?:\s+(?P<argument>.*))?$")
_TARGET = re.compile(r"_(?:`(?P<quoted>[^`]+)`|(?P<name>[^:]+|_)):")
_NOTE = re.compile(r"\[(?P<mark>[^\]]+)\]\s+(?P<text>.*)")
_FIELD = re.compile(r":(?P<name>[^:\s`][^:`]*):(?:\s+(?P<value>.*))?$")
_ITEM = re.compile(r"(?P<mark>[-*+•]|\(?(?:\d{1,4}|[a-zA-Z]|#)[.)])(?P<gap>\s+)(?=\S)")
_OPTION = re.compile(r"(?:--?|/)[\w-]+(?:[ =]<?[\w-]+>?)?(?:, --?[\w-]+(?:[ =]<?[\w-]+>?)?)*(?P<gap>\s{2,}|$)")
_GRID = re.compile(r"\+(?:[-=]+\+)+\s*$")
_SIMPLE = re.compile(r"=+(?:\s+=+)+\s*$")

_CODE = frozenset(
    "code code-block sourcecode parsed-literal literalinclude prompt ipython testcode testsetup testoutput doctest "
    "productionlist math click:example click:run jupyter-execute".split()
)
_HIDDEN = frozenset(
    "toctree contents sectnum index meta raw include highlight default-role role currentmodule module py:module "
    "py:currentmodule tabularcolumns target-notes testcleanup title header footer unicode replace sectionauthor "
    "codeauthor image automodule autosummary".split()
)
"""Directives that say nothing to a reader, or whose words stand elsewhere."""
_ADMONITIONS = frozenset("attention caution danger error hint important note tip warning seealso todo".split())
_VERSIONS = {
    "versionadded": "Added in version",
    "versionchanged": "Changed in version",
    "deprecated": "Deprecated since version",
    "versionremoved": "Removed in version",
}
"""As Sphinx prints them."""
_PLUMBING = frozenset(
    "members undoc-members private-members show-inheritance inherited-members noindex no-index nosignatures exclude-members "
    "linenos lineno-start lines emphasize-lines class name align width widths header-rows stub-columns height scale target "
    "figwidth figclass dedent force encoding start-after end-before start-at end-at pyobject language module nested "
    "maxdepth hidden caption glob alt number-lines canonical file url delim".split()
)
"""Options about how something is shown."""


def read_rst(file: SourceFile) -> Iterator[Extracted]:
    """The readable text of the file, or its speaker turns."""
    source = clean_text(text_of(file)).expandtabs(8)
    turns = plain_turns(source)
    if turns:
        yield build_transcript(turns)
        return
    lines = source.split("\n")
    if not any(_RULE.fullmatch(line) or line.startswith(".. ") for line in lines):
        yield read_prose(source)
        return
    reader = _RstReader(_find_definitions(lines))
    reader.add_blocks(lines, is_top=True)
    text, blocks = reader.draft.finish()
    yield Extracted(
        text,
        title=reader.title,
        author=reader.facts.get("author") or reader.facts.get("authors"),
        published_at=parse_date(reader.facts.get("date", "")),
        blocks=blocks,
    )


def _find_definitions(lines: Sequence[str]) -> tuple[dict[str, str], frozenset[str]]:
    """The text of each substitution, and the names that references may have."""
    substitutions: dict[str, str] = {}
    names: set[str] = set()
    for line in lines:
        marked = _MARKED.match(line.strip())
        rest = (marked["rest"] or "") if marked else ""
        if target := _TARGET.match(rest):
            names.add((target["quoted"] or target["name"]).lower())
        elif (directive := _DIRECTIVE.match(rest)) and directive["name"]:
            is_text = directive["kind"] == "replace"
            substitutions[directive["name"].lower()] = directive["argument"] or "" if is_text else ""
    return substitutions, frozenset(names)


def indent_of(line: str) -> int:
    """The number of spaces that a line begins with."""
    return len(line) - len(line.lstrip(" "))


def dedent_lines(lines: Sequence[str]) -> list[str]:
    """The lines without the indentation that all have, and without empty ones at their ends."""
    least = min((indent_of(line) for line in lines if line.strip()), default=0)
    return clean_text("\n".join(line[least:] for line in lines)).split("\n") if lines else []


class _RstReader:
    """Adds the blocks of a page to a draft."""

    def __init__(self, definitions: tuple[dict[str, str], frozenset[str]]) -> None:
        self.draft = Draft()
        self.title: str | None = None
        self.facts: dict[str, str] = {}
        self._words = _Inline(*definitions)
        self._styles: list[str] = []
        self._lead = ""
        self._item_end: int = -1
        self._is_tight = False

    def add_blocks(self, lines: Sequence[str], *, is_top: bool = False, lead: str = "") -> None:
        """The blocks in ``lines``; ``lead`` stands before the first of them. Only a page itself has titles."""
        at = 0
        self._lead = lead
        while at < len(lines):
            if not lines[at].strip():
                at += 1
                continue
            taken = self._add_title(lines, at) if is_top else 0
            at += taken or self._add_block(lines, at)
        self._lead = ""

    def _write(self, text: str, joint: str = "\n\n") -> None:
        if text.strip():
            self.draft.add(f"{self._lead}{text}", "\n" if self._is_tight else joint)
            self._lead, self._is_tight = "", False

    def _add_title(self, lines: Sequence[str], at: int) -> int:
        """Begin a section where a title stands; the number of its lines."""
        over = _RULE.fullmatch(lines[at])
        following = [*lines[at + 1 : at + 3], "", ""]
        if over and following[0].strip() and following[1].startswith(over[1]) and _RULE.fullmatch(following[1]):
            self._begin_section(following[0], f"{over[1]}over")
            return 3
        under = _RULE.fullmatch(following[0])
        is_short = under is not None and len(following[0].rstrip()) < len(lines[at].rstrip()) - 2
        if under and not over and not is_short and indent_of(lines[at]) == 0 and not lines[at].startswith(".. "):
            self._begin_section(lines[at], under[1])
            return 2
        # a line between paragraphs
        return 1 if over and not following[0].strip() and len(lines[at].rstrip()) > 3 else 0

    def _begin_section(self, line: str, style: str) -> None:
        if style not in self._styles:
            self._styles.append(style)
        level = self._styles.index(style) + 1
        name = clean_line(self._words.render(line))
        if level == 1 and self.title is None:
            self.title = name[:300] or None
        self.draft.heading(name, level)

    def _add_block(self, lines: Sequence[str], at: int) -> int:
        """Add the block that begins in a line; the number of its lines."""
        line = lines[at]
        if marked := _MARKED.match(line):
            end = _end_of_body(lines, at, 1)
            self._add_marked(marked["rest"] or "", lines[at + 1 : end])
        elif line.startswith("__ ") or line == "__":
            end = at + 1
        elif _GRID.match(line) or _SIMPLE.match(line):
            end = self._add_table(lines, at)
        elif line.startswith(">>> "):
            end = _end_of_paragraph(lines, at)
            self._write("\n".join(lines[at:end]))
        elif field := _FIELD.match(line):
            end = _end_of_body(lines, at, 1)
            self._add_field(field["name"], [field["value"] or "", *dedent_lines(lines[at + 1 : end])])
        elif item := _ITEM.match(line):
            end = _end_of_body(lines, at, item.end())
            self._add_item(item["mark"], [line[item.end() :], *dedent_lines(lines[at + 1 : end])])
        elif indent_of(line):
            end = _end_of_body(lines, at, 1)
            self.add_blocks(dedent_lines(lines[at:end]))
        elif line.startswith("| "):
            end = _end_of_paragraph(lines, at)
            self._write("\n".join(self._words.render(each.lstrip("| ")) for each in lines[at:end]))
        else:
            end = self._add_paragraph(lines, at)
        return max(1, end - at)

    def _add_paragraph(self, lines: Sequence[str], at: int) -> int:
        """A paragraph, a term with what is said of it, or a sentence with the literal block that it announces; where it ends."""
        end = at + 1
        while end < len(lines) and lines[end].strip() and indent_of(lines[end]) == 0 and not _MARKED.match(lines[end]):
            end += 1
        words = " ".join(line.strip() for line in lines[at:end])
        if (
            end < len(lines)
            and lines[end].strip()
            and indent_of(lines[end])
            and end == at + 1
            and not words.endswith("::")
        ):
            body = _end_of_body(lines, at, 1)
            self.add_blocks(dedent_lines(lines[at + 1 : body]), lead=f"{self._lead}{self._words.render(words)}: ")
            return body
        if not words.endswith("::"):
            self._write(self._words.render(words))
            return end
        self._write(self._words.render(words[:-2].rstrip() + ":") if words != "::" else "")
        body = _end_of_body(lines, end - 1, 1)
        self._write("\n".join(dedent_lines(lines[end:body])))
        return max(end, body)

    def _add_item(self, mark: str, lines: Sequence[str]) -> None:
        # items of one list stand on lines below each other
        self._is_tight = self.draft.length == self._item_end
        self.add_blocks(lines, lead=f"{self._lead}{'-' if mark in '-*+•' else mark} ")
        self._item_end = self.draft.length

    def _add_field(self, name: str, lines: Sequence[str]) -> None:
        words = self._words.render(" ".join(line.strip() for line in lines if line.strip()))
        if self.draft.length == 0 or name.lower() in ("author", "authors", "date"):
            self.facts.setdefault(name.lower(), words[:300])
        if name.lower() in ("orphan", "tocdepth", "nocomments", "nosearch"):
            return
        kind, _, what = name.partition(" ")
        label = _FIELD_NAMES.get(kind.lower())
        if label and what:
            *types, thing = what.split()
            kind_words = f" ({' '.join(types)})" if types else ""
            self._write(f"{label} {thing}{kind_words}: {words}".rstrip(": "), "\n")
        elif words:
            self._write(f"{label or name}: {words}", "\n")

    def _add_marked(self, rest: str, body: Sequence[str]) -> None:
        """What stands behind two dots: a directive, a footnote; targets and comments say nothing."""
        if note := _NOTE.match(rest):
            words = " ".join([note["text"], *(line.strip() for line in body)])
            self._write(f"[{note['mark'].lstrip('#')}] {self._words.render(words)}")
        elif (directive := _DIRECTIVE.match(rest)) and not directive["name"]:
            options, content = _split_options(body)
            argument = directive["argument"] or ""
            if body and body[0].strip() and not options and argument and directive["kind"] not in _CODE:
                # an argument goes on below
                head = _first_paragraph(content)
                argument, content = " ".join([argument, *(line.strip() for line in head)]), content[len(head) :]
            self._add_directive(directive["kind"].lower(), argument, options, content)

    def _add_directive(self, kind: str, argument: str, options: dict[str, str], content: Sequence[str]) -> None:
        render = self._words.render
        body = dedent_lines(content)
        if kind in _CODE:
            self._write(render(options.get("caption", "")))
            self._write("\n".join(body) if kind != "math" else "\n".join([argument, *body]))
        elif kind in ("image", "figure"):
            self._write(render(options.get("alt", "")))
            self.add_blocks(body)
        elif kind in _HIDDEN:
            return
        elif kind in _VERSIONS:
            version, _, words = argument.partition(" ")
            text = " ".join(filter(None, [words, *(line.strip() for line in _first_paragraph(body))]))
            self._write(f"{_VERSIONS[kind]} {version}{': ' if text else '.'}{render(text)}")
            self.add_blocks(body[len(_first_paragraph(body)) :])
        elif kind in _ADMONITIONS:
            name = "See also" if kind == "seealso" else kind.capitalize()
            self.add_blocks([argument, *body] if argument else body, lead=f"{name}: ")
        elif kind in ("list-table", "flat-table"):
            self._write(render(argument))
            self._write_rows(_listed_rows(body))
        elif kind == "csv-table":
            self._write(render(argument))
            rows = list(
                csv.reader([*([options["header"]] if "header" in options else []), *body], skipinitialspace=True)
            )
            self._write_rows(rows)
        elif kind in (
            "table",
            "glossary",
            "container",
            "only",
            "rst-class",
            "class",
            "epigraph",
            "rubric",
            "topic",
            "sidebar",
        ):
            self._write(render(argument) if kind in ("table", "rubric", "topic", "sidebar") else "")
            self.add_blocks(body)
        else:
            self._add_description(argument, options, body)

    def _add_description(self, argument: str, options: dict[str, str], body: Sequence[str]) -> None:
        """A function, a setting, anything with a name: it stands with its options before what is said of it, so that a quotation has both."""
        told = [f"{name}: {value}" for name, value in options.items() if value and name not in _PLUMBING]
        name = self._words.render(argument)
        options_text = self._words.render(", ".join(told))
        named = f"{name} ({options_text})" if name and told else name or options_text
        before = self.draft.length
        self.add_blocks(body, lead=f"{named}: " if named else "")
        if self.draft.length == before:
            self._write(named)

    def _write_rows(self, rows: Sequence[Sequence[str]]) -> None:
        for number, row in enumerate(rows):
            self._write(join_cells([clean_line(self._words.render(cell)) for cell in row]), "\n" if number else "\n\n")

    def _add_table(self, lines: Sequence[str], at: int) -> int:
        """A table drawn with signs; where it ends."""
        end = at
        is_grid = lines[at].startswith("+")
        if is_grid:
            while end < len(lines) and lines[end][:1] in ("+", "|"):
                end += 1
            self._write_rows(_grid_rows(lines[at:end]))
            return end
        rules = 0
        while end < len(lines):
            is_rule = _SIMPLE.match(lines[end]) is not None
            rules += is_rule
            end += 1
            if is_rule and rules > 1 and (end == len(lines) or not lines[end].strip()):
                break
        self._write_rows(_simple_rows(lines[at:end]))
        return end


_FIELD_NAMES = {
    "param": "Parameter", "parameter": "Parameter", "arg": "Parameter", "argument": "Parameter", "key": "Parameter",
    "keyword": "Parameter", "type": "Type of", "raises": "Raises", "raise": "Raises", "except": "Raises", "exception": "Raises",
    "var": "Variable", "ivar": "Variable", "cvar": "Variable", "returns": "Returns", "return": "Returns", "rtype": "Return type",
    "yields": "Yields", "vartype": "Type of",
}  # fmt: skip
"""What the info fields of Sphinx's Python domain are called in words."""


def _end_of_paragraph(lines: Sequence[str], at: int) -> int:
    while at < len(lines) and lines[at].strip():
        at += 1
    return at


def _end_of_body(lines: Sequence[str], at: int, indent: int) -> int:
    """The first line behind ``at`` that is neither empty nor indented by at least ``indent``, without empty ones before it."""
    end = last = at + 1
    while end < len(lines) and (not lines[end].strip() or indent_of(lines[end]) >= indent):
        end += 1
        last = end if lines[end - 1].strip() else last
    return last


def _first_paragraph(lines: Sequence[str]) -> Sequence[str]:
    return lines[: _end_of_paragraph(lines, 0)]


def _split_options(body: Sequence[str]) -> tuple[dict[str, str], list[str]]:
    """The options of a directive, at the head of its body, and the rest of it."""
    lines = dedent_lines(body)
    options: dict[str, str] = {}
    name = ""
    for number, line in enumerate(lines):
        if field := _FIELD.match(line):
            name = field["name"]
            options[name] = field["value"] or ""
        elif options and line.startswith(" "):
            options[name] = f"{options[name]} {line.strip()}".strip()
        else:
            return options, lines[number:]
    return options, []


def _listed_rows(body: Sequence[str]) -> list[list[str]]:
    """The rows of a table that is a list of lists."""
    rows: list[list[str]] = []
    for line in body:
        row = re.match(r"[*-]\s+[-*](?:\s+(.*))?$", line)
        cell = re.match(r"\s+[-*](?:\s+(.*))?$", line)
        if row:
            rows.append([row[1] or ""])
        elif cell and rows:
            rows[-1].append(cell[1] or "")
        elif rows and line.strip():
            rows[-1][-1] = f"{rows[-1][-1]} {line.strip()}"
    return rows


def _simple_rows(lines: Sequence[str]) -> list[list[str]]:
    """The rows of a table whose columns are drawn as ``===``; a line without a first cell goes on with the row above."""
    starts = [match.start() for match in re.finditer("=+", lines[0])]
    rows: list[list[str]] = []
    for line in lines[1:]:
        if _SIMPLE.match(line) or re.fullmatch(r"[- ]*", line):
            continue
        cells = [line[start:end].strip() for start, end in zip(starts, [*starts[1:], None], strict=True)]
        if cells[0] or not rows:
            rows.append(cells)
        else:
            rows[-1] = [f"{above} {cell}".strip() for above, cell in zip(rows[-1], cells, strict=True)]
    return rows


def _grid_rows(lines: Sequence[str]) -> list[list[str]]:
    """The rows of a table with all its lines drawn."""
    rows: list[list[str]] = []
    current: list[str] | None = None
    for line in lines:
        if line.startswith("+"):
            current = None
            continue
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip().strip("|"))]
        if current is None or len(cells) != len(current):
            current = cells
            rows.append(current)
        else:
            current[:] = [f"{above} {cell}".strip() for above, cell in zip(current, cells, strict=True)]
    return rows


class _Inline:
    """Words without their marks."""

    _MARKS = re.compile(
        r"``(?P<literal>(?:[^`]|`(?!`))+)``"
        r"|(?::(?P<role>[\w.+:-]+):)?`(?P<text>[^`]+)`(?::(?P<behind>[\w.+:-]+):)?(?P<link>__?)?"
        r"|\*\*(?P<strong>\S(?:[^*\n]{0,500}?\S)?)\*\*"
        r"|(?<![\w*])\*(?P<emphasis>[^\s*](?:[^*\n]{0,500}?[^\s*])?)\*(?![\w*])"
        r"|\|(?P<substitution>[^|\s](?:[^|\n]{0,80}[^|\s])?)\|(?:__?)?"
        r"|\[(?P<note>\#?[\w.-]*|\*)\]_"
        r"|(?<![\w`])(?P<name>\w[\w.+-]*?)(?P<reference>__?)(?![\w`])"
        r"|\\(?P<escaped>.)"
    )
    _TARGETED = re.compile(r"(?P<text>[^<]*?)\s*<[^<>]*>$", re.DOTALL)

    def __init__(self, substitutions: dict[str, str], names: frozenset[str]) -> None:
        self._substitutions = substitutions
        self._names = names

    def render(self, text: str) -> str:
        """The words as a person reads them."""
        return self._MARKS.sub(self._replace, text)

    def _replace(self, match: re.Match[str]) -> str:
        found = match.groupdict()
        if found["text"] is not None:
            return self._role_text(found["role"] or found["behind"] or "", found["text"])
        if found["substitution"] is not None:
            known = self._substitutions.get(found["substitution"].lower())
            return match[0] if known is None else known
        if found["note"] is not None:
            return (
                ""
                if found["note"].startswith("#") or found["note"].isdigit() or found["note"] == "*"
                else f"[{found['note']}]"
            )
        if found["name"] is not None:
            is_known = found["reference"] == "__" or found["name"].lower() in self._names
            return found["name"] if is_known else match[0]
        if found["escaped"] is not None:
            return "" if found["escaped"].isspace() else found["escaped"]
        return found["literal"] or found["strong"] or found["emphasis"] or ""

    def _role_text(self, role: str, text: str) -> str:
        """What is shown of a role or link: its own words, or of the target the name, the last part of it behind ``~``."""
        if targeted := self._TARGETED.fullmatch(text):
            return targeted["text"] or text.strip("<>")
        if text.startswith("~"):
            return text[1:].rpartition(".")[2]
        if role.endswith(("doc", "download")):
            return text.rpartition("/")[2]
        return text.lstrip("!")
