"""AsciiDoc: what a person would read of it, with headings as sections, tables as rows, blocks of code as they stand.

No reader of it in Python is kept; what people write by hand is known here, and what is not keeps its words.
"""

import re
from collections.abc import Iterator, Sequence
from contextlib import nullcontext

from ascertain.core.blocks import BlockKind
from ascertain.sources.formats.draft import clean_text
from ascertain.sources.formats.reader import Extracted, SourceFile, text_of
from ascertain.sources.formats.technical.markup_page import BOXES, MarkupPage

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
        self._page = MarkupPage(self._render)
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
                page.losses.add(what, name=macro[3].partition(",")[0].strip('"') or macro[2])
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
        if fence.startswith(_ADOC_VERBATIM) and fence != "--" and not style.startswith(BOXES):
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
        box = next((name for name in BOXES if style.startswith(name)), None)
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
