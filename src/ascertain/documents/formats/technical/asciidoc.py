"""AsciiDoc: what a person would read of it, with headings as sections, tables as rows, blocks of code as they stand.

No reader of it in Python is kept; what people write by hand is known here, and what is not keeps its words.
"""

import csv
import re
from collections.abc import Iterator, Sequence
from contextlib import nullcontext

from ascertain.core.documents.blocks import BlockKind
from ascertain.documents.formats.drafts.draft import clean_text, lowered, raised
from ascertain.documents.formats.reader import Extracted, SourceFile, text_of
from ascertain.documents.formats.technical.markup_page import BOXES, MarkupPage

_ADOC_HEADING = re.compile(r"(={1,6}|#{1,6})[ \t]+(\S.*?)(?:[ \t]{1,40}\1)?$")
_ADOC_ATTRIBUTE = re.compile(r":(!?[\w-]+!?):(?:[ \t]++(.*))?$")
_ADOC_FENCE = re.compile(r"(-{4,}|\.{4,}|={4,}|\*{4,}|_{4,}|\+{4,}|/{4,}|--|```\S*|[|,:!]===)$")
_ADOC_ITEM = re.compile(r"[ \t]*(\*{1,5}|-|\.{1,5}|\d{1,4}\.|<\d{1,3}>|<\.>)[ \t]+(?P<box>\[[ x*]\][ \t]+)?(?=\S)")
_ADOC_LISTED = re.compile(r"[ \t]*(?:\*{1,5}|-|\.{1,5}|\d{1,4}\.|<\d{1,3}>|<\.>)[ \t]|\+$|$")
_ADOC_TERM = re.compile(r"[ \t]*(\S.*?)(?:::{1,3}|;;)(?:[ \t]++(.*)|$)")
_ADOC_MACRO = re.compile(r"(include|image|video|audio|toc|ifdef|ifndef|ifeval|endif|plantuml)::(\S{0,2000}?)\[(.*)\]$")
_ADOC_AUTHOR = re.compile(r"[^\W\d_][^<>:=]*(?:<[^<>]+>)?$")
_ADOC_VERBATIM = ("-", ".", "`", "+")
_ADOC_TITLE = re.compile(r'\btitle="([^"]+)"')
_ADOC_SEPARATOR = re.compile(r'(?:format="?(csv|tsv|dsv)\b|separator="?([^\s",\]]))')
_FORMATS = {"csv": ",", "tsv": "\t", "dsv": ":"}
_INTRINSIC = {"empty": "", "sp": " ", "nbsp": " ", "zwsp": "", "vbar": "|", "plus": "+"}
"""Attributes that are always there, those that people write."""
_ADOC_INLINE = re.compile(
    r"\{(?P<attribute>[\w-]+)\}"
    r"|<<(?P<cross>[^,<>]++)(?:,(?P<crossed>[^<>]*+))?>>"
    r"|(?P<macro>xref|link|mailto|kbd|btn|menu|footnote|footnoteref|stem|latexmath|asciimath|pass|image|icon|anchor|indexterm2?)"
    r":(?P<target>[^\s\[\]]{0,500})\[(?P<words>(?:[^\[\]]|\[[^\[\]]{0,200}\]){0,500})\]"
    r"|(?P<url>https?://[^\s\[\]]{1,2000})\[(?P<named>[^\]]{0,1000})\]"
    r"|\[\[\[(?P<cited>[^\],]{1,500})(?:,(?P<called>[^\]]{0,500}))?\]\]\]"
    r"|\[\[[^\]]{0,500}\]\]"
    r"|\(\(\([^()]*\)\)\)|\(\((?P<indexed>[^()]+)\)\)"
    r"|\^(?P<raised>[^\s^]{1,100})\^|~(?P<lowered>[^\s~]{1,100})~"
    r"|\[[.#][^\]]{0,200}\](?=[#*_`])"
    r"|(?<![\w+])\+(?P<literal>[^\s+](?:[^+]{0,300}[^\s+])?)\+(?![\w+])"
    r"|(?P<double>\*\*|__|``|##)(?P<doubled>\S(?:.{0,500}?\S)?)(?P=double)"
    r"|(?<!\w)(?P<mark>[*_`#])(?P<marked>\S(?:.{0,500}?\S)?)(?P=mark)(?!\w)"
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
        self._named_notes: dict[str, str] = {}
        """Labels of the footnotes that have a name and may be referred to again."""
        self._style = ""
        """What stands in brackets above a block: ``source,python``, ``NOTE``, ``%header``."""
        self._remark = ""
        """What the header says of the revision."""

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
            page.draft.add(self._remark)
            self._remark = ""
            self._style = ""
        elif attribute := _ADOC_ATTRIBUTE.match(line):
            name, value = attribute[1].lower(), attribute[2] or ""
            self._attributes[name] = page.facts[name] = value
        elif re.fullmatch(r"\[.*\]", line) or line in ("'''", "---", "***", "<<<"):
            page.end_paragraph()
            self._style = line.strip("[]")
        elif macro := _ADOC_MACRO.match(line):
            page.end_paragraph()
            self._take_macro(*macro.groups())
        elif re.match(r"\.[^\s.]", line):
            page.add_caption(line[1:])
        elif self._style.lower().startswith(("quote", "verse", *BOXES)) and not page.is_open:
            # a quotation or a box of one paragraph
            end = next((n for n in range(at, len(self._lines)) if not self._lines[n].strip()), len(self._lines))
            style, self._style = self._style, ""
            self._take_inside(
                self._lines[at:end], "_" if style.lower().startswith(("quote", "verse")) else "=", style, at
            )
            return end
        else:
            self._style = ""
            self._take_words(line.removesuffix(" +"))
        return at + 1

    def _take_macro(self, name: str, target: str, words: str) -> None:
        """A line that stands for what lies elsewhere, or that is shown on a condition, which is taken to hold."""
        if name == "include":
            self._page.losses.add("included files", name=words.partition(",")[0].strip('"') or target)
        elif name in ("image", "video", "audio"):
            kind = {"image": "pictures", "video": "films", "audio": "recordings"}[name]
            described = words.partition(",")[0].strip('"')
            self._page.losses.add(kind, described, described or target)
            if title := _ADOC_TITLE.search(words):
                self._page.add_caption(title[1])
        elif name in ("ifdef", "ifndef") and words:
            self._take_words(words)

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
                self._remark = following[1][revision.end() :].lstrip(" :")
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
        shown, self._style = self._style, ""
        style = shown.lower()
        if fence.startswith("////"):
            return end + 1
        if fence.endswith("===") and fence[0] in "|,:!":
            separator = _ADOC_SEPARATOR.search(style)
            mark = fence[0] if separator is None else separator[2] or _FORMATS[separator[1]]
            rows = _asciidoc_rows(inside, mark)
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
        self._take_inside(inside, fence, shown, at + 1)
        return end + 1

    def _take_inside(self, inside: Sequence[str], fence: str, style: str, at: int) -> None:
        """An example, a sidebar, a quotation, a box: its lines are read as any others."""
        box = next((name for name in BOXES if style.lower().startswith(name)), None)
        named, *said = [part.strip().strip('"') for part in style.split(",")]
        source = ", ".join(filter(None, said)) if named.lower() in ("quote", "verse") else ""
        kind = BlockKind.ADMONITION if box or fence[0] == "*" else BlockKind.QUOTATION if fence[0] == "_" else None
        with self._page.inside(kind, box.capitalize() if box else None) if kind else nullcontext():
            self._page.end_paragraph()
            for number, line in enumerate(inside):
                if not _ADOC_FENCE.match(line.rstrip()):
                    self._take_line(line.rstrip(), at + number)
            self._page.end_paragraph()
            if source:
                self._page.add_line(f"— {source}")
                self._page.end_paragraph()

    def _render(self, text: str) -> str:
        return _ADOC_INLINE.sub(self._replace, text)

    def _replace(self, match: re.Match[str]) -> str:
        found = match.groupdict()
        if found["attribute"]:
            name = found["attribute"].lower()
            return self._attributes.get(name, _INTRINSIC.get(name, match[0]))
        if found["cross"]:
            return (found["crossed"] or found["cross"]).strip().lstrip("#")
        if found["macro"]:
            return self._replace_macro(found["macro"], found["target"], found["words"])
        if found["cited"]:
            return f"[{found['called'] or found['cited']}]"
        if found["raised"] or found["lowered"]:
            return raised(found["raised"]) if found["raised"] else lowered(found["lowered"])
        if found["url"]:
            return found["named"].rstrip("^") or found["url"]
        if found["literal"]:
            return found["literal"]
        # marks may stand in each other; an entry of the index between three brackets is not shown
        return self._render(found["marked"] or found["doubled"] or found["indexed"] or "")

    def _replace_macro(self, name: str, target: str, words: str) -> str:
        if name == "image":
            described = words.partition(",")[0].strip('"')
            self._page.losses.add("pictures", described, described or target)
            return ""
        if name in ("icon", "anchor", "indexterm"):
            return ""
        if name.startswith("footnote"):
            key, _, said = words.partition(",") if name == "footnoteref" else (target, "", words)
            known = self._named_notes.get(key)
            if known and not said:
                return f"[{known}]"
            label = str(len(self._page.notes) + 1)
            self._named_notes[key] = label
            self._page.notes.append((label, self._render(said or key)))
            return f"[{label}]"
        if name == "menu":
            return " > ".join(filter(None, (target, words)))
        return self._render(words.rstrip("^")) if name in ("link", "xref") and words else words.rstrip("^") or target


def _asciidoc_rows(lines: Sequence[str], mark: str) -> list[list[str]]:
    """The rows of a table: as many cells as the first line has, wherever the lines break."""
    if mark in ",:\t":
        try:
            return list(csv.reader((line for line in lines if line.strip()), delimiter=mark, skipinitialspace=True))
        except csv.Error:
            return [line.split(mark) for line in lines if line.strip()]
    rows: list[list[str]] = []
    cells: list[str] = []
    width = 0
    for line in lines:
        found = re.split(rf"(?:(?<=\s)|^)(?:\d*\.?\d*[+*])?[<^>]?(?:\.[<^>])?[a-z]?{re.escape(mark)}", line)
        if len(found) == 1:
            if line.strip():
                cells[-1:] = [f"{cells[-1]} {line.strip()}" if cells else line.strip()]
            continue
        width = width or len(found) - 1
        cells += found[1:]
    for start in range(0, len(cells), width or 1):
        rows.append(cells[start : start + width])
    return rows
