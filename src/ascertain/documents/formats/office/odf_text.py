"""Text of OpenDocument spreadsheets and presentations: paragraphs, lists with their markers, tables (OpenDocument 1.3 part 3)."""

from collections.abc import Iterator
from typing import Any

from ascertain.documents.formats.dom.formulas import formula_text
from ascertain.documents.formats.drafts.draft import clean_line, clean_text, lowered, raised, struck
from ascertain.documents.formats.drafts.losses import Losses
from ascertain.documents.formats.drafts.numerals import write_number
from ascertain.documents.formats.office.packages import Package, attribute_of, first_named, iter_named, local_name
from ascertain.documents.formats.office.slides.writing import Paragraph

_OBJECTS = ("object", "object-ole")
_MOST_SPACES = 100
"""Of a run that a file counts in one element (by judgement)."""
MOST_COPIES = 1000
"""Of a row or cell that is written once for many; more of the same say nothing more (by judgement)."""


class TextStyles:
    """What the styles of a file say that changes words: raised, lowered and struck text, markers of lists, what is hidden."""

    def __init__(self, package: Package) -> None:
        self.raised: set[str] = set()
        self.lowered: set[str] = set()
        self.struck: set[str] = set()
        self.unnumbered: set[str] = set()
        self.hidden: set[str] = set()
        self.lists: dict[str, dict[int, Any]] = {}
        for tree in (package.find_tree("styles.xml"), package.find_tree("content.xml")):
            for each in () if tree is None else iter_named(tree, "style", "list-style"):
                name = attribute_of(each, "name") or ""
                if local_name(each) == "style":
                    self._add_style(name, each)
                else:
                    self.lists[name] = {repetitions(level, "level"): level for level in each}

    def _add_style(self, name: str, style: Any) -> None:
        for each in style:
            position = attribute_of(each, "text-position") or ""
            if position.startswith("super") or (position[:1].isdecimal() and not position.startswith("0")):
                self.raised.add(name)
            elif position.startswith(("sub", "-")):
                self.lowered.add(name)
            if (attribute_of(each, "text-line-through-style") or "none") != "none":
                self.struck.add(name)
            if attribute_of(each, "enable-numbering") == "false":
                self.unnumbered.add(name)
            if attribute_of(each, "visibility") == "hidden" or attribute_of(each, "display") == "false":
                self.hidden.add(name)

    def write(self, element: Any) -> str:
        """The text of a paragraph; its line breaks stay."""
        pieces: list[str] = []
        self._collect(element, pieces)
        lines = "".join(pieces).split("\n")
        return clean_text("\n".join(line for each in lines if (line := clean_line(each))))

    def _collect(self, element: Any, pieces: list[str]) -> None:
        pieces.append(element.text or "")
        for child in element:
            name = local_name(child)
            if name == "s":
                pieces.append(" " * min(_MOST_SPACES, repetitions(child, "c")))
            elif name == "tab":
                pieces.append(" ")
            elif name == "line-break":
                pieces.append("\n")
            elif name == "span":
                inner: list[str] = []
                self._collect(child, inner)
                pieces.append(self._mark("".join(inner), attribute_of(child, "style-name") or ""))
            elif name == "ruby-text":
                reading = clean_line("".join(map(str, child.itertext())))
                pieces.append(f"({reading})" if reading else "")
            elif name not in ("annotation", "annotation-end", "frame", "tracked-changes"):
                self._collect(child, pieces)
            pieces.append(child.tail or "")

    def _mark(self, text: str, style: str) -> str:
        if not text.strip():
            return text
        if style in self.raised:
            text = raised(text)
        elif style in self.lowered:
            text = lowered(text)
        return struck(text) if style in self.struck else text

    def list_paragraphs(self, parent: Any) -> list[Paragraph]:
        """The paragraphs below an element, those of lists with their markers; tables and notes are left to others."""
        paragraphs: list[Paragraph] = []
        self._walk(parent, paragraphs, None, -1)
        return paragraphs

    def _walk(self, parent: Any, found: list[Paragraph], style: str | None, level: int) -> None:
        count = 0
        for element in parent:
            name = local_name(element)
            if name in ("p", "h"):
                text = self.write(element)
                if text:
                    found.append(Paragraph(text, "", max(0, level)))
                for frame in iter_named(element, "text-box"):
                    self._walk(frame, found, None, -1)
            elif name == "list":
                self._walk(element, found, attribute_of(element, "style-name") or style, level + 1)
            elif name in ("list-item", "list-header"):
                count += name == "list-item"
                self._walk_item(element, found, style, level, count=count if name == "list-item" else 0)
            elif name not in ("annotation", "table", "notes", "title", "desc", "event-listeners"):
                self._walk(element, found, style, level)

    def _walk_item(self, item: Any, found: list[Paragraph], style: str | None, level: int, *, count: int) -> None:
        before = len(found)
        self._walk(item, found, style, level)
        first = next((each for each in item if local_name(each) in ("p", "h")), None)
        if not count or first is None or (attribute_of(first, "style-name") or "") in self.unnumbered:
            return
        if len(found) > before and not found[before].marker:
            found[before] = found[before]._replace(marker=self._marker(style, level, count))

    def _marker(self, style: str | None, level: int, count: int) -> str:
        """``3.`` where the style of the list counts, else ``-``."""
        found = self.lists.get(style or "", {}).get(level + 1)
        form = None if found is None else attribute_of(found, "num-format")
        if found is None or local_name(found) != "list-level-style-number" or not form:
            return "-"
        number = repetitions(found, "start-value") + count - 1
        before, behind = (attribute_of(found, name) or "" for name in ("num-prefix", "num-suffix"))
        return f"{before}{write_number(number, form)}{behind}".strip() or "-"

    def table_rows(self, table: Any) -> tuple[list[list[str]], int]:
        """The rows of a small table, merged cells filled into those they cover, and how many are its header."""
        rows: list[list[str]] = []
        below: dict[int, tuple[int, str]] = {}
        for row in iter_named(table, "table-row"):
            cells: list[str] = []
            for cell in row:
                if local_name(cell) == "table-cell":
                    text = " / ".join(each.text.replace("\n", " / ") for each in self.list_paragraphs(cell))
                    width = min(MOST_COPIES, repetitions(cell, "number-columns-spanned"))
                    height = repetitions(cell, "number-rows-spanned")
                    for column in range(len(cells), len(cells) + width):
                        below[column] = (height, text)
                elif local_name(cell) != "covered-table-cell":
                    continue
                for _ in range(min(MOST_COPIES, repetitions(cell, "number-columns-repeated"))):
                    left, text = below.get(len(cells), (0, ""))
                    cells.append(text if left > 0 else "")
            below = {column: (left - 1, text) for column, (left, text) in below.items() if left > 1}
            rows.append(cells)
        header = first_named(table, "table-header-rows")
        marked = 0 if header is None else sum(1 for _ in iter_named(header, "table-row"))
        return rows, marked or int(len(rows) > 1)


def repetitions(element: Any, name: str) -> int:
    """How often something stands, by an attribute; once without it."""
    text = attribute_of(element, name) or "1"
    return max(1, int(text)) if text.isdecimal() and len(text) < 10 else 1


def find_formula(tree: Any) -> str:
    """The line of the first formula in a tree; empty where there is none, or no tree."""
    found = first_named(tree, "math")
    return "" if found is None else formula_text(found)


def iter_objects(package: Package, frame: Any) -> Iterator[Any]:
    """What a frame holds that other programs made: the tree of each; None where the file has none that can be read."""
    for each in frame:
        if local_name(each) in _OBJECTS:
            name = (attribute_of(each, "href") or "").removeprefix("./").strip("/")
            yield package.find_tree(f"{name}/content.xml") if name else each


def chart_title(chart: Any) -> str:
    """The title of a chart with its subtitle, its footer and the titles of its axes."""
    titles = (
        clean_line(" ".join("".join(map(str, line.itertext())) for line in iter_named(each, "p")))
        for each in iter_named(chart, "title", "subtitle", "footer")
    )
    return ", ".join(title for title in titles if title)


def chart_table(styles: TextStyles, chart: Any) -> list[list[str]]:
    """The values of a chart as a table."""
    table = first_named(chart, "table")
    return [] if table is None else [row for row in styles.table_rows(table)[0] if any(row)]


def count_media(tree: Any, losses: Losses) -> None:
    """Count what stands below an element and is no text: pictures, films, what other programs draw."""
    for name in _picture_names(tree):
        losses.add("pictures", name, name)
    for film in iter_named(tree, "plugin"):
        losses.add("films", name=attribute_of(film, "href"))
    for element in iter_named(tree, "applet", "floating-frame"):
        losses.add("embedded objects", name=attribute_of(element, "href") or attribute_of(element.getparent(), "name"))


def _picture_names(tree: Any) -> Iterator[str]:
    """What the pictures below an element are called, or the words that describe them."""
    return (words for _, words in iter_pictures(tree))


def iter_pictures(tree: Any) -> Iterator[tuple[str, str]]:
    """The part of each picture below an element, and what it is called, or the words that describe it."""
    for frame in iter_named(tree, "frame"):
        names = [local_name(each) for each in frame]
        if "image" in names and not {*_OBJECTS, "text-box", "table"}.intersection(names):
            described = [clean_line(str(each.text or "")) for each in frame if local_name(each) in ("title", "desc")]
            place = attribute_of(frame[names.index("image")], "href") or ""
            yield place.removeprefix("./"), " ".join(filter(None, described)) or attribute_of(frame, "name") or ""
