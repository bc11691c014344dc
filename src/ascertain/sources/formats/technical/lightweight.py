"""AsciiDoc and Org: what a person would read of them, with headings as sections, tables as rows, blocks of code as they stand.

Neither has a reader in Python that is kept; of both only what people write by hand is known here, and what is not keeps its words.
"""

import re
from collections.abc import Callable, Iterator, Sequence

from ascertain.language.tables import join_cells
from ascertain.sources.formats.draft import Draft, clean_line, clean_text, short_line
from ascertain.sources.formats.metadata import parse_date
from ascertain.sources.formats.reader import Extracted, SourceFile, text_of


class _Page:
    """A page that is put together line by line: lines of a paragraph wait until it ends."""

    def __init__(self, render: Callable[[str], str]) -> None:
        self.draft = Draft()
        self.facts: dict[str, str] = {}
        self.is_item = False
        self._item_end: int = -1
        self._render = render
        self._waiting: list[str] = []
        self._lead = ""

    def begin_section(self, name: str, level: int) -> None:
        """A heading."""
        self.end_paragraph()
        self.draft.heading(self._render(name), level)
        self.is_item = False

    def begin_item(self, lead: str, words: str) -> None:
        """An item of a list; the lines that follow go on with it."""
        self.end_paragraph()
        self._lead, self.is_item = lead, True
        if words:
            self._waiting.append(words)

    def add_line(self, line: str) -> None:
        """A line of a paragraph."""
        self._waiting.append(line.strip())

    def end_paragraph(self) -> None:
        """What waits is a paragraph."""
        words = clean_line(self._render(" ".join(self._waiting)))
        if words or self._lead:
            is_next = self.is_item and self.draft.length == self._item_end
            self.draft.add(f"{self._lead}{words}".rstrip(), "\n" if is_next else "\n\n")
            self._item_end = self.draft.length if self.is_item else -1
        self._waiting, self._lead, self.is_item = [], "", False

    def add_block(self, lines: Sequence[str]) -> None:
        """Lines that stay as they are."""
        self.end_paragraph()
        self.draft.add("\n".join(lines))

    def add_rows(self, rows: Sequence[Sequence[str]]) -> None:
        """A table."""
        self.end_paragraph()
        for number, row in enumerate(rows):
            self.draft.add(join_cells([clean_line(self._render(cell)) for cell in row]), "\n" if number else "\n\n")

    def finish(self) -> Extracted:
        """The document."""
        self.end_paragraph()
        text, blocks = self.draft.finish()
        facts = self.facts
        tags = re.split(r"[,:\s]+", facts.get("keywords") or facts.get("filetags") or "")
        return Extracted(
            text,
            title=short_line(self._render(facts.get("title", ""))),
            author=short_line(facts.get("author")),
            published_at=parse_date(facts.get("revdate") or facts.get("date", "").strip("<>[]")[:10]),
            tags=tuple(tag for name in tags if (tag := short_line(name, 60))),
            blocks=blocks,
        )


_ADOC_HEADING = re.compile(r"(={1,6}|#{1,6})[ \t]+(\S.*?)(?:[ \t]+\1)?$")
_ADOC_ATTRIBUTE = re.compile(r":(!?[\w-]+!?):(?:[ \t]+(.*))?$")
_ADOC_FENCE = re.compile(r"(-{4,}|\.{4,}|={4,}|\*{4,}|_{4,}|\+{4,}|/{4,}|--|```\S*|[|,:!]===)$")
_ADOC_ITEM = re.compile(r"[ \t]*(\*{1,5}|-|\.{1,5}|\d{1,4}\.|<\d{1,3}>|<\.>)[ \t]+(?:\[[ x*]\][ \t]+)?(?=\S)")
_ADOC_TERM = re.compile(r"[ \t]*(\S.*?)(?:::{1,3}|;;)(?:[ \t]+(.*))?$")
_ADOC_MACRO = re.compile(r"(include|image|video|audio|toc|ifdef|ifndef|ifeval|endif|plantuml)::(\S*?)\[(.*)\]$")
_ADOC_AUTHOR = re.compile(r"[^\W\d_][^<>:=]*(?:<[^<>]+>)?$")
_ADOC_VERBATIM = ("-", ".", "`", "+")
_ADOC_INLINE = re.compile(
    r"\{(?P<attribute>[\w-]+)\}"
    r"|<<(?P<cross>[^,<>]+)(?:,(?P<crossed>[^<>]*))?>>"
    r"|(?P<macro>xref|link|mailto|kbd|btn|menu|footnote|stem|pass|image|icon|anchor):(?P<target>[^\s\[\]]{0,500})\[(?P<words>[^\]]{0,500})\]"
    r"|(?P<url>https?://[^\s\[\]]+)\[(?P<named>[^\]]*)\]"
    r"|\[\[[^\]]*\]\]"
    r"|\[[.#][^\]]*\](?=[#*_`])"
    r"|(?P<mark>\*\*|__|``|##|(?<!\w)[*_`#])(?P<marked>\S(?:.{0,500}?\S)?)(?P=mark)(?!\w)"
)


def read_asciidoc(file: SourceFile) -> Iterator[Extracted]:
    """The readable text of an AsciiDoc page."""
    reader = _AsciiDoc(clean_text(text_of(file)).split("\n"))
    yield reader.read()


class _AsciiDoc:
    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = lines
        self._attributes: dict[str, str] = {}
        self._page = _Page(self._render)

    def read(self) -> Extracted:
        """The page."""
        at = 0
        while at < len(self._lines):
            at = self._take_line(self._lines[at].rstrip(), at)
        return self._page.finish()

    def _take_line(self, line: str, at: int) -> int:
        """Read the line at ``at``; the number of the next."""
        page = self._page
        if not line or line == "+":
            page.end_paragraph()
        elif fence := _ADOC_FENCE.match(line):
            return self._take_block(fence[1], at)
        elif line.startswith("//"):
            pass
        elif heading := _ADOC_HEADING.match(line):
            if len(heading[1]) == 1 and page.draft.length == 0:
                self._page.facts["title"] = heading[2]
                at = self._take_author(at)
            page.begin_section(heading[2], len(heading[1]))
        elif attribute := _ADOC_ATTRIBUTE.match(line):
            name, value = attribute[1].lower(), attribute[2] or ""
            self._attributes[name] = page.facts[name] = value
        elif re.fullmatch(r"\[.*\]", line) or line in ("'''", "---", "***", "<<<"):
            page.end_paragraph()
        elif macro := _ADOC_MACRO.match(line):
            page.end_paragraph()
            if macro[1] == "image":
                page.add_line(macro[3].partition(",")[0].strip('"'))
                page.end_paragraph()
        elif re.match(r"\.[^\s.]", line):
            page.end_paragraph()
            page.add_line(line[1:])
            page.end_paragraph()
        else:
            self._take_words(line)
        return at + 1

    def _take_words(self, line: str) -> None:
        if item := _ADOC_ITEM.match(line):
            mark = item[1]
            is_numbered = mark[0] in ".<" or mark[0].isdigit()
            level = len(mark) - 1 if mark[0] in "*." else 0
            self._page.begin_item(
                f"{'  ' * level}{mark if mark[0].isdigit() else '1.' if is_numbered else '-'} ", line[item.end() :]
            )
        elif (term := _ADOC_TERM.match(line)) and "://" not in term[1]:
            self._page.begin_item(f"{self._render(term[1])}: ", term[2] or "")
        else:
            self._page.add_line(line)

    def _take_author(self, at: int) -> int:
        """The line under the title of a page may name who wrote it, the one below when."""
        following = [*self._lines[at + 1 : at + 3], "", ""]
        if (
            following[0].strip()
            and _ADOC_AUTHOR.match(following[0].strip())
            and not following[0].startswith(("=", "[", "*", "."))
        ):
            self._page.facts["author"] = following[0].split("<")[0].strip()
            if revision := re.search(r"\d{4}-\d{2}-\d{2}", following[1]):
                self._page.facts["revdate"] = revision[0]
                return at + 2
            return at + 1
        return at

    def _take_block(self, fence: str, at: int) -> int:
        """A block up to the line that ends it as it began; the number of the line behind it."""
        closing = "```" if fence.startswith("```") else fence
        end = next((n for n in range(at + 1, len(self._lines)) if self._lines[n].rstrip() == closing), None)
        if end is None:
            self._page.end_paragraph()
            return at + 1
        inside = self._lines[at + 1 : end]
        if fence.startswith(("////",)):
            return end + 1
        if fence.endswith("==="):
            if fence[0] in "|,:!":
                self._page.add_rows(_asciidoc_rows(inside, fence[0]))
                return end + 1
        elif fence.startswith(_ADOC_VERBATIM) and fence != "--":
            self._page.add_block(inside)
            return end + 1
        # an example, a sidebar, a quotation: its lines are read as any others
        self._page.end_paragraph()
        for number, line in enumerate(inside):
            if not _ADOC_FENCE.match(line.rstrip()):
                self._take_line(line.rstrip(), at + 1 + number)
        self._page.end_paragraph()
        return end + 1

    def _render(self, text: str) -> str:
        return _ADOC_INLINE.sub(self._replace, text)

    def _replace(self, match: re.Match[str]) -> str:
        found = match.groupdict()
        if found["attribute"]:
            return self._attributes.get(found["attribute"].lower(), match[0])
        if found["cross"]:
            return (found["crossed"] or found["cross"]).strip().lstrip("#")
        if found["macro"]:
            if found["macro"] in ("image", "icon", "anchor"):
                return ""
            words = f" ({found['words']})" if found["macro"] == "footnote" else found["words"]
            return words.rstrip("^") or found["target"]
        if found["url"]:
            return found["named"].rstrip("^") or found["url"]
        # marks may stand in each other
        return self._render(found["marked"] or "")


def _asciidoc_rows(lines: Sequence[str], mark: str) -> list[list[str]]:
    """The rows of a table: as many cells as the first line has, wherever the lines break."""
    if mark in ",:":
        return [line.split(mark) for line in lines if line.strip()]
    rows: list[list[str]] = []
    cells: list[str] = []
    width = 0
    for line in lines:
        found = re.split(rf"(?:(?<=\s)|^)(?:\d*\.?\d*[+*])?[<^>]?(?:\.[<^>])?[a-z]?{re.escape(mark)}", line)
        if len(found) == 1:
            if line.strip() and cells:
                cells[-1] = f"{cells[-1]} {line.strip()}"
            continue
        width = width or len(found) - 1
        cells += found[1:]
    for start in range(0, len(cells), width or 1):
        rows.append(cells[start : start + width])
    return rows


_ORG_HEADING = re.compile(
    r"(\*{1,12})[ \t]+(?:(?:TODO|DONE|NEXT|WAITING|CANCELLED)[ \t]+)?(?:\[#.\][ \t]+)?(.*?)(?:[ \t]+(:[\w@:]+:))?$"
)
_ORG_KEYWORD = re.compile(r"[ \t]*#\+(\w+):[ \t]*(.*)$")
_ORG_BEGIN = re.compile(r"[ \t]*#\+begin_(\w+)", re.IGNORECASE)
_ORG_PROPERTY = re.compile(r"[ \t]*:([^:\s]+):(?:[ \t]+(.*))?$")
_ORG_ITEM = re.compile(r"([ \t]*)([-+]|\d{1,4}[.)])[ \t]+(?:\[[ X-]\][ \t]+)?(?=\S)")
_ORG_INLINE = re.compile(
    r"\[\[(?P<target>[^\[\]]+)\](?:\[(?P<words>[^\[\]]+)\])?\]"
    r"|(?<![\w])(?P<mark>[*/_=~+])(?P<marked>[^\s*/=~](?:.{0,500}?\S)?)(?P=mark)(?!\w)"
    r"|\[fn:(?P<note>[\w-]*)(?::(?P<said>[^\]]*))?\]"
    r"|[<\[](?P<date>\d{4}-\d{2}-\d{2}[^<>\[\]\n]{0,40})[>\]]"
)


def read_org(file: SourceFile) -> Iterator[Extracted]:
    """The readable text of an Org file; properties stand as ``name: value`` under their heading."""
    lines = clean_text(text_of(file)).split("\n")
    page = _Page(_render_org)
    at = 0
    while at < len(lines):
        line = lines[at].rstrip()
        if begin := _ORG_BEGIN.match(line):
            at = _take_org_block(lines, at, begin[1].lower(), page)
        elif line.lstrip().startswith("|"):
            end = at
            while end < len(lines) and lines[end].lstrip().startswith("|"):
                end += 1
            drawn = [each.strip() for each in lines[at:end] if not each.strip().startswith("|-")]
            page.add_rows([[cell.strip() for cell in each.strip("|").split("|")] for each in drawn])
            at = end
        else:
            _take_org_line(line, page)
            at += 1
    yield page.finish()


def _take_org_block(lines: Sequence[str], at: int, kind: str, page: _Page) -> int:
    """A block up to its end; the number of the line behind it."""
    ending = re.compile(rf"[ \t]*#\+end_{re.escape(kind)}\b", re.IGNORECASE)
    end = next((n for n in range(at + 1, len(lines)) if ending.match(lines[n])), len(lines))
    inside = lines[at + 1 : end]
    if kind in ("quote", "center", "verse"):
        page.end_paragraph()
        for line in inside:
            _take_org_line(line, page)
        page.end_paragraph()
    elif kind != "comment":
        page.add_block(clean_text("\n".join(inside)).split("\n"))
    return end + 1


def _take_org_line(line: str, page: _Page) -> None:
    stripped = line.strip()
    if not stripped:
        page.end_paragraph()
    elif heading := _ORG_HEADING.match(line):
        page.begin_section(heading[2], len(heading[1]))
    elif keyword := _ORG_KEYWORD.match(line):
        page.facts.setdefault(keyword[1].lower(), keyword[2])
    elif stripped.startswith(("# ", "#+")) or stripped == "#" or re.fullmatch(r"-{5,}", stripped):
        page.end_paragraph()
    elif held := _ORG_PROPERTY.match(line):
        page.end_paragraph()
        if held[2]:
            page.begin_item("", f"{held[1].lower()}: {held[2]}")
            page.end_paragraph()
    elif stripped.startswith(": "):
        page.add_block([stripped[2:]])
    elif item := _ORG_ITEM.match(line):
        term, found, said = line[item.end() :].partition(" :: ")
        level = "  " * min(6, len(item[1]) // 2)
        mark = item[2] if item[2][0].isdigit() else "-"
        page.begin_item(f"{level}{mark} ", f"{term}: {said}" if found else term)
    else:
        page.add_line(line)


def _render_org(text: str) -> str:
    return _ORG_INLINE.sub(_replace_org, text)


def _replace_org(match: re.Match[str]) -> str:
    found = match.groupdict()
    if found["target"]:
        return found["words"] or found["target"].removeprefix("file:")
    if found["said"]:
        return f" ({found['said']})"
    marked = found["marked"] or ""
    return (marked if found["mark"] in ("=", "~") else _render_org(marked)) or found["date"] or ""
