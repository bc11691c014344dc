"""Org: what a person would read of it, with headings as sections, tables as rows, blocks of code as they stand.

No reader of it in Python is kept; what people write by hand is known here, and what is not keeps its words.
"""

import re
from collections.abc import Iterator, Sequence

from ascertain.core.documents.blocks import BlockKind
from ascertain.documents.formats.drafts.draft import clean_text
from ascertain.documents.formats.reader import Extracted, SourceFile, text_of
from ascertain.documents.formats.technical.markup_page import BOXES, MarkupPage

_ORG_HEADING = re.compile(
    r"(\*{1,12})[ \t]++(?:(TODO|DONE|NEXT|WAITING|CANCELLED)[ \t]++)?(?:\[#(.)\][ \t]++)?(.*?)(?:[ \t]{1,200}(:[\w@:]+:))?$"
)
_ORG_KEYWORD = re.compile(r"[ \t]*#\+(\w+):[ \t]*+(.*)$")
_ORG_BEGIN = re.compile(r"[ \t]*#\+begin_(\w+)", re.IGNORECASE)
_ORG_PROPERTY = re.compile(r"[ \t]*:([^:\s]+):(?:[ \t]++(.*))?$")
_ORG_ITEM = re.compile(r"([ \t]*)([-+]|(?<=[ \t])\*|\d{1,4}[.)])[ \t]+(?P<box>\[[ X-]\][ \t]+)?(?=\S)")
_ORG_NOTE = re.compile(r"\[fn:([\w-]+)\][ \t]+(\S.*)$")
_ORG_TERM = re.compile(r"(?<![ \t])[ \t]+::(?:[ \t]+|$)")
_ORG_PICTURE = re.compile(r"[ \t]*\[\[([^\[\]]+\.(?:png|jpe?g|gif|svg|webp|tiff?))\]\][ \t]*$", re.IGNORECASE)
_ORG_INLINE = re.compile(
    r"\[\[(?P<target>[^\[\]]+)\](?:\[(?P<words>[^\[\]]+)\])?\]"
    r"|(?<![\w])(?P<mark>[*/_=~+])(?P<marked>[^\s*/=~](?:.{0,500}?\S)?)(?P=mark)(?!\w)"
    r"|\[fn:(?P<note>[\w-]*)(?::(?P<said>[^\]]{0,2000}))?\]"
    r"|[<\[](?P<date>\d{4}-\d{2}-\d{2}[^<>\[\]\n]{0,40})[>\]]"
)


def read_org(file: SourceFile) -> Iterator[Extracted]:
    """The readable text of an Org file; properties stand as ``name: value`` under their heading."""
    lines = clean_text(text_of(file)).split("\n")
    page = MarkupPage(_render_org)
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
        elif note := _ORG_NOTE.match(line):
            end = at + 1
            while end < len(lines) and lines[end].strip() and not lines[end].startswith(("*", "[fn:")):
                end += 1
            page.end_lists()
            words = " ".join((note[2], *(each.strip() for each in lines[at + 1 : end])))
            page.notes.append((note[1], _render_org(words)))
            at = end
        elif picture := _ORG_PICTURE.match(line):
            page.end_paragraph()
            page.losses.add("pictures", name=picture[1].removeprefix("file:"))
            at += 1
        else:
            _take_org_line(line, page)
            at += 1
    yield page.finish()


def _take_org_block(lines: Sequence[str], at: int, kind: str, page: MarkupPage) -> int:
    """A block up to its end; the number of the line behind it."""
    ending = re.compile(rf"[ \t]*#\+end_{re.escape(kind)}\b", re.IGNORECASE)
    end = next((n for n in range(at + 1, len(lines)) if ending.match(lines[n])), len(lines))
    inside = lines[at + 1 : end]
    if kind in ("quote", "center", "verse", *BOXES):
        is_box = kind in BOXES
        with page.inside(
            BlockKind.ADMONITION if is_box else BlockKind.QUOTATION, kind.capitalize() if is_box else None
        ):
            for line in inside:
                _take_org_line(line, page)
    elif kind != "comment":
        language = lines[at].split()[1:2]
        page.add_block(clean_text("\n".join(inside)).split("\n"), language[0] if kind == "src" and language else None)
    return end + 1


def _take_org_line(line: str, page: MarkupPage) -> None:
    stripped = line.strip()
    if not stripped:
        page.end_paragraph()
    elif heading := _ORG_HEADING.match(line):
        page.begin_section(heading[4], len(heading[1]))
        tags = (heading[5] or "").strip(":").replace(":", ", ")
        for name, value in (("state", heading[2]), ("priority", heading[3]), ("tags", tags)):
            if value:
                page.begin_term(name, value)
        page.end_paragraph()
    elif keyword := _ORG_KEYWORD.match(line):
        _take_keyword(keyword[1].lower(), keyword[2], page)
    elif stripped.startswith(("# ", "#+")) or stripped == "#" or re.fullmatch(r"-{5,}", stripped):
        page.end_paragraph()
    elif match := _ORG_PROPERTY.match(line):
        page.end_paragraph()
        if match[2]:
            page.begin_term(match[1].lower(), match[2])
            page.end_paragraph()
    elif stripped.startswith(": "):
        page.add_block([stripped[2:]])
    elif item := _ORG_ITEM.match(line):
        term, *said = _ORG_TERM.split(line[item.end() :], maxsplit=1)
        mark = item[2] if item[2][0].isdigit() else "-"
        page.begin_item(
            mark,
            min(12, len(item[1]) // 2),
            f"{item['box'] or ''}{term}: {said[0]}" if said else f"{item['box'] or ''}{term}",
        )
    elif line[0] not in " \t" and not page.is_item:
        page.leave_list()
        page.add_line(line)
    else:
        page.add_line(line)


def _take_keyword(name: str, value: str, page: MarkupPage) -> None:
    """A line ``#+NAME: value``: a fact of the whole file, what a table or picture is called, what lies elsewhere."""
    if name == "caption":
        page.add_caption(value)
    elif name == "subtitle":
        page.end_paragraph()
        page.add_paragraph(_render_org(value))
    elif name in ("html", "latex", "ascii", "odt"):
        page.add_block([value])
    elif name == "include":
        page.losses.add("included files", name=value.strip('"'))
    else:
        page.facts.setdefault(name, value)


def _render_org(text: str) -> str:
    return _ORG_INLINE.sub(_replace_org, text)


def _replace_org(match: re.Match[str]) -> str:
    found = match.groupdict()
    if found["target"]:
        return found["words"] or found["target"].removeprefix("file:")
    if found["said"]:
        return f" ({found['said'].strip()})"
    if found["note"]:
        return f"[{found['note']}]"
    marked = found["marked"] or ""
    return (marked if found["mark"] in ("=", "~") else _render_org(marked)) or found["date"] or ""
