"""AsciiDoc and Org: what a person would read of them, with headings as sections, tables as rows, blocks of code as they stand.

Neither has a reader in Python that is kept; of both only what people write by hand is known here, and what is not keeps its words.
"""

import re
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext

from ascertain.core.blocks import BlockKind
from ascertain.core.documents import LeftOut
from ascertain.sources.formats.draft import Draft, clean_line, clean_text, short_line
from ascertain.sources.formats.metadata import parse_date
from ascertain.sources.formats.reader import Extracted, SourceFile, text_of

_BOX = re.compile(r"(NOTE|TIP|IMPORTANT|WARNING|CAUTION): +(?=\S)")
_BOXES = ("note", "tip", "important", "warning", "caution")


class _Page:
    """A page that is put together line by line: lines of a paragraph wait until it ends."""

    def __init__(self, render: Callable[[str], str]) -> None:
        self.draft = Draft()
        self.facts: dict[str, str] = {}
        self.is_item = False
        self.left: dict[str, list[str]] = {}
        self.notes: list[tuple[str, str]] = []
        """Label and words of the footnotes that stand at the end."""
        self._render = render
        self._waiting: list[str] = []
        # lists that are open, each as its depth, itself and its last item
        self._lists: list[tuple[int, ExitStack, ExitStack]] = []
        self._term = ""

    def begin_section(self, name: str, level: int) -> None:
        """A heading."""
        self.end_lists()
        self.draft.heading(self._render(name), level)

    def begin_item(self, marker: str, depth: int, words: str) -> None:
        """An item of a list; the lines that follow go on with it."""
        self.end_paragraph()
        while self._lists and self._lists[-1][0] > depth:
            self._close_list()
        if self._lists and self._lists[-1][0] == depth:
            self._lists[-1][2].close()
            listed = self._lists.pop()[1]
        else:
            listed = ExitStack()
            listed.enter_context(self.draft.inside(BlockKind.LIST))
        item = ExitStack()
        item.enter_context(self.draft.item(marker))
        self._lists.append((depth, listed, item))
        self.is_item = True
        if words:
            self._waiting.append(words)

    def begin_term(self, term: str, words: str) -> None:
        """A term; the lines that follow say what it means."""
        self.end_lists()
        self._term = clean_line(self._render(term))
        self.is_item = True
        if words:
            self._waiting.append(words)

    def add_line(self, line: str) -> None:
        """A line of a paragraph."""
        self._waiting.append(line.strip())

    def end_paragraph(self) -> None:
        """What waits is a paragraph."""
        words = clean_line(self._render(" ".join(self._waiting)))
        self._waiting, self.is_item = [], False
        term, self._term = self._term, ""
        if term:
            with self.draft.inside(BlockKind.DEFINITION, term):
                self.draft.add(f"{term}{'' if term[-1] in '.:?!' or not words else ':'} {words}".rstrip())
        elif words:
            self.add_paragraph(words)

    def add_paragraph(self, words: str) -> None:
        """A paragraph, or a box that is written as one: ``NOTE: Mind the gap.``."""
        box = _BOX.match(words)
        if box is None:
            self.draft.add(words)
            return
        with self.draft.inside(BlockKind.ADMONITION, box[1].capitalize()):
            self.draft.add(box[1].capitalize())
            self.draft.add(words[box.end() :])

    def has_list(self, depth: int) -> bool:
        """Whether a list of this depth is open."""
        return any(each[0] == depth for each in self._lists)

    def leave_list(self) -> None:
        """Lists end before a line at the margin that begins a paragraph."""
        if not self._waiting:
            self.end_lists()

    def end_lists(self) -> None:
        """What is open ends."""
        self.end_paragraph()
        while self._lists:
            self._close_list()

    def _close_list(self) -> None:
        _, listed, item = self._lists.pop()
        item.close()
        listed.close()

    def add_block(self, lines: Sequence[str], language: str | None = None) -> None:
        """Lines that stay as they are."""
        self.end_paragraph()
        self.draft.add("\n".join(lines), kind=BlockKind.CODE, label=language)

    def add_caption(self, words: str) -> None:
        """The title of a table or of code."""
        self.end_lists()
        self.draft.add(self._render(words), kind=BlockKind.CAPTION)

    def add_rows(self, rows: Sequence[Sequence[str]], header_rows: int) -> None:
        """A table."""
        self.end_lists()
        self.draft.add_table([[self._render(cell) for cell in row] for row in rows], header_rows)

    @contextmanager
    def inside(self, kind: BlockKind, label: str | None = None) -> Generator[None]:
        """What is added within lies in a block of ``kind``; the name of a box stands first in it."""
        self.end_lists()
        with self.draft.inside(kind, label):
            self.draft.add(label or "")
            yield
            self.end_lists()

    def finish(self) -> Extracted:
        """The document."""
        self.end_lists()
        self.draft.leave_sections()
        for label, words in self.notes:
            self.draft.add(f"[{label}] {clean_line(words)}", kind=BlockKind.FOOTNOTE, label=label)
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
            left_out=tuple(LeftOut(what, len(names), 0, tuple(names[:5])) for what, names in self.left.items()),
        )


_ADOC_HEADING = re.compile(r"(={1,6}|#{1,6})[ \t]+(\S.*?)(?:[ \t]+\1)?$")
_ADOC_ATTRIBUTE = re.compile(r":(!?[\w-]+!?):(?:[ \t]+(.*))?$")
_ADOC_FENCE = re.compile(r"(-{4,}|\.{4,}|={4,}|\*{4,}|_{4,}|\+{4,}|/{4,}|--|```\S*|[|,:!]===)$")
_ADOC_ITEM = re.compile(r"[ \t]*(\*{1,5}|-|\.{1,5}|\d{1,4}\.|<\d{1,3}>|<\.>)[ \t]+(?P<box>\[[ x*]\][ \t]+)?(?=\S)")
_ADOC_LISTED = re.compile(r"[ \t]*(?:\*{1,5}|-|\.{1,5}|\d{1,4}\.|<\d{1,3}>|<\.>)[ \t]|\+$|$")
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
        self._numbers: list[int] = []
        self._style = ""
        """What stands in brackets above a block: ``source,python``, ``NOTE``, ``%header``."""

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
            if not line and at + 1 < len(self._lines) and not _ADOC_LISTED.match(self._lines[at + 1]):
                page.end_lists()
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
            self._style = line.strip("[]").lower()
        elif macro := _ADOC_MACRO.match(line):
            page.end_paragraph()
            if macro[1] in ("image", "video", "audio", "include"):
                what = "included files" if macro[1] == "include" else "pictures"
                page.left.setdefault(what, []).append(macro[3].partition(",")[0].strip('"') or macro[2])
        elif re.match(r"\.[^\s.]", line):
            page.add_caption(line[1:])
        else:
            self._take_words(line)
        return at + 1

    def _take_words(self, line: str) -> None:
        if item := _ADOC_ITEM.match(line):
            mark = item[1]
            is_numbered = mark[0] in ".<" or mark[0].isdigit()
            level = len(mark) - 1 if mark[0] in "*." else 0
            self._numbers = self._numbers[: level + 1] + [0] * (level + 1 - len(self._numbers))
            before = self._numbers[level] if self._page.has_list(level) else 0
            self._numbers[level] = before + 1 if is_numbered else 0
            marker = mark if mark[0].isdigit() else f"{self._numbers[level]}." if is_numbered else "-"
            self._page.begin_item(marker, level, line[item.end() - len(item["box"] or "") :])
        elif (term := _ADOC_TERM.match(line)) and "://" not in term[1]:
            self._page.begin_term(term[1], term[2] or "")
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
        style, self._style = self._style, ""
        if fence.startswith("////"):
            return end + 1
        if fence.endswith("===") and fence[0] in "|,:!":
            rows = _asciidoc_rows(inside, fence[0])
            is_headed = "header" in style or (len(inside) > 1 and bool(inside[0].strip()) and not inside[1].strip())
            self._page.add_rows(rows, int(is_headed and len(rows) > 1))
            return end + 1
        if fence.startswith(_ADOC_VERBATIM) and fence != "--" and not style.startswith(_BOXES):
            named = [part.strip() for part in style.split(",")]
            self._page.add_block(
                inside,
                named[1] if named[0] == "source" and len(named) > 1 else fence.strip("`") if fence[0] == "`" else None,
            )
            return end + 1
        self._take_inside(inside, fence, style, at + 1)
        return end + 1

    def _take_inside(self, inside: Sequence[str], fence: str, style: str, at: int) -> None:
        """An example, a sidebar, a quotation, a box: its lines are read as any others."""
        box = next((name for name in _BOXES if style.startswith(name)), None)
        kind = BlockKind.ADMONITION if box or fence[0] == "*" else BlockKind.QUOTATION if fence[0] == "_" else None
        with self._page.inside(kind, box.capitalize() if box else None) if kind else nullcontext():
            self._page.end_paragraph()
            for number, line in enumerate(inside):
                if not _ADOC_FENCE.match(line.rstrip()):
                    self._take_line(line.rstrip(), at + number)
            self._page.end_paragraph()

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
            if found["macro"] == "footnote":
                label = str(len(self._page.notes) + 1)
                self._page.notes.append((label, self._render(found["words"])))
                return f"[{label}]"
            return found["words"].rstrip("^") or found["target"]
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
_ORG_ITEM = re.compile(r"([ \t]*)([-+]|\d{1,4}[.)])[ \t]+(?P<box>\[[ X-]\][ \t]+)?(?=\S)")
_ORG_NOTE = re.compile(r"\[fn:([\w-]+)\][ \t]+(\S.*)$")
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
            drawn = [each.strip() for each in lines[at:end]]
            rules = [number for number, each in enumerate(drawn) if each.startswith("|-")]
            rows = [
                [cell.strip() for cell in each.strip("|").split("|")] for each in drawn if not each.startswith("|-")
            ]
            header_rows = next((number for number in rules if number), 0) - int(rules[:1] == [0])
            page.add_rows(rows, header_rows if 0 < header_rows < len(rows) else 0)
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
    if kind in ("quote", "center", "verse", *_BOXES):
        is_box = kind in _BOXES
        with page.inside(
            BlockKind.ADMONITION if is_box else BlockKind.QUOTATION, kind.capitalize() if is_box else None
        ):
            for line in inside:
                _take_org_line(line, page)
    elif kind != "comment":
        language = lines[at].split()[1:2]
        page.add_block(clean_text("\n".join(inside)).split("\n"), language[0] if kind == "src" and language else None)
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
            page.begin_term(held[1].lower(), held[2])
            page.end_paragraph()
    elif note := _ORG_NOTE.match(line):
        page.end_lists()
        page.notes.append((note[1], _render_org(note[2])))
    elif stripped.startswith(": "):
        page.add_block([stripped[2:]])
    elif item := _ORG_ITEM.match(line):
        term, found, said = line[item.end() :].partition(" :: ")
        mark = item[2] if item[2][0].isdigit() else "-"
        page.begin_item(
            mark,
            min(12, len(item[1]) // 2),
            f"{item['box'] or ''}{term}: {said}" if found else f"{item['box'] or ''}{term}",
        )
    elif line[0] not in " \t" and not page.is_item:
        page.leave_list()
        page.add_line(line)
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
    if found["note"]:
        return f"[{found['note']}]"
    marked = found["marked"] or ""
    return (marked if found["mark"] in ("=", "~") else _render_org(marked)) or found["date"] or ""
