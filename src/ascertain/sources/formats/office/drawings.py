"""What Office files draw: text in shapes, tables, charts, diagrams, equations (DrawingML, ECMA-376 part 1, 20 and 21).

Slides and sheets draw with the same elements. Text is given as it is shown: markers of lists counted, raised and struck text marked.
"""

import posixpath
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from ascertain.core.blocks import BlockKind
from ascertain.core.documents import LeftOut
from ascertain.sources.formats.draft import clean_line, clean_text, lowered, raised
from ascertain.sources.formats.office.equations import write_equation
from ascertain.sources.formats.office.packages import Package, attribute_of, first_named, iter_named, local_name
from ascertain.sources.formats.office.slides.writing import Paragraph
from ascertain.sources.formats.reader import count_words

CHARTS = ("chart", "chartEx")
_MOST_NAMES = 5
_MOST_SPAN = 1000
"""Cells that one cell of a table covers at most (by judgement)."""


@dataclass(slots=True)
class Drawing:
    """What a drawing on a sheet shows, and what of it is not read."""

    pieces: list[tuple[BlockKind, str]] = field(default_factory=list[tuple[BlockKind, str]])
    left_out: list[LeftOut] = field(default_factory=list[LeftOut])


def list_drawing(package: Package, name: str) -> Drawing:
    """The text boxes of a sheet's drawing, the titles of its charts; pictures are named."""
    tree, relations = package.read_tree(name), package.relations_of(name)
    drawing = Drawing()
    for shape in iter_shapes(tree):
        if local_name(shape) != "graphicFrame":
            lines = [f"{each.marker} {each.text}".strip() for each in list_paragraphs(shape)]
            drawing.pieces += ((BlockKind.PARAGRAPH, line) for line in lines)
            continue
        for part in chart_parts(shape, relations, package):
            chart = package.read_tree(part)
            title = chart_title(chart)
            drawing.pieces += [(BlockKind.CAPTION, title)] if title else []
            words = sum(count_words(" ".join(row)) for row in chart_rows(chart))
            # what it shows stands in cells, mostly of the same sheet
            drawing.left_out.append(LeftOut("charts", words=words, names=(title,) if title else ()))
    drawing.left_out += list_pictures(tree)
    return drawing


def iter_shapes(tree: Any) -> Iterator[Any]:
    """The shapes, tables, charts and lines of a drawing, those in groups too; of alternatives the first that is known."""
    stack = [tree]
    while stack:
        element = stack.pop()
        name = local_name(element)
        if name in ("sp", "graphicFrame", "cxnSp"):
            yield element
        elif name == "AlternateContent":
            stack += (
                [next((each for each in element if local_name(each) == "Choice"), element[-1])] if len(element) else []
            )
        else:
            stack += reversed(element)


def list_pictures(tree: Any) -> list[LeftOut]:
    """The pictures of a drawing, with the words that describe them to those who cannot see."""
    names: list[str] = []
    count = 0
    for picture in iter_named(tree, "pic"):
        properties = first_named(picture, "cNvPr")
        told = None if properties is None else attribute_of(properties, "descr") or attribute_of(properties, "name")
        count += 1
        names.append(clean_line(told or ""))
    words = sum(map(count_words, names))
    return [LeftOut("pictures", count, words, tuple(name for name in names if name)[:_MOST_NAMES])] if count else []


def no_bullet(level: int) -> Any:
    """The bullet of a level that has none."""
    return None


def list_paragraphs(shape: Any, inherited: Callable[[int], Any] = no_bullet) -> list[Paragraph]:
    """The paragraphs of a shape's text with the markers that its lists show.

    ``inherited`` is the bullet that a level has by its layout, where the paragraph has none of its own.
    """
    found: list[Paragraph] = []
    numbers: dict[int, tuple[str, int]] = {}
    for element in iter_named(shape, "p"):
        text = paragraph_text(element)
        if not text:
            continue
        properties = next((each for each in element if local_name(each) == "pPr"), None)
        level = _list_level(properties)
        bullet = _find_bullet(properties)
        marker = _marker(inherited(level) if bullet is None else bullet, level, numbers)
        for deeper in [each for each in numbers if each > level or (each == level and not marker)]:
            del numbers[deeper]
        found.append(Paragraph(text, marker, level))
    return found


def _list_level(properties: Any) -> int:
    level = attribute_of(properties, "lvl") if properties is not None else None
    return int(level) if level and level.isdecimal() and len(level) == 1 else 0


_BULLETS = ("buNone", "buChar", "buAutoNum", "buBlip")


def _find_bullet(properties: Any) -> Any:
    return None if properties is None else next((each for each in properties if local_name(each) in _BULLETS), None)


def _marker(bullet: Any, level: int, numbers: dict[int, tuple[str, int]]) -> str:
    """The marker of an item: a number as it is counted, ``-`` for bullets of any look; nothing for what is no item."""
    kind = "" if bullet is None else local_name(bullet)
    if kind == "buAutoNum":
        scheme, first = attribute_of(bullet, "type") or "", attribute_of(bullet, "startAt") or "1"
        known = numbers.get(level)
        start = int(first) if first.isdecimal() and len(first) < 6 else 1
        number = known[1] + 1 if known and known[0] == f"{scheme} {first}" else start
        numbers[level] = (f"{scheme} {first}", number)
        return _auto_number(scheme, number)
    if kind in ("buChar", "buBlip"):
        return "-"
    return "-" if level and kind != "buNone" else ""


def _auto_number(scheme: str, number: int) -> str:
    """``arabicPeriod`` 3 → ``3.``, ``alphaLcParenR`` → ``c)``, ``romanUcParenBoth`` → ``(III)`` (20.1.10.61)."""
    if scheme.startswith("alpha"):
        shown = _letters(number)
    elif scheme.startswith("roman"):
        shown = _roman(number)
    else:
        shown = str(number)
    shown = shown.upper() if "Uc" in scheme else shown
    if scheme.endswith("ParenBoth"):
        return f"({shown})"
    return f"{shown})" if scheme.endswith("ParenR") else shown if scheme.endswith("Plain") else f"{shown}."


def _letters(number: int) -> str:
    # a, b, ... z, aa, bb, ...
    return chr(ord("a") + (number - 1) % 26) * min(9, (number - 1) // 26 + 1)


def _roman(number: int) -> str:
    shown = ""
    for value, letters in zip(
        (1000, 900, 500, 400, 100, 90, 50, 40, 10, 9, 5, 4, 1),
        ("m", "cm", "d", "cd", "c", "xc", "l", "xl", "x", "ix", "v", "iv", "i"),
        strict=True,
    ):
        shown += letters * min(20, number // value)
        number %= value
    return shown


def paragraph_text(paragraph: Any) -> str:
    """The text of an ``a:p``; its line breaks stay."""
    pieces: list[str] = []
    stack = list(reversed(paragraph))
    while stack:
        element = stack.pop()
        name = local_name(element)
        if name in ("r", "fld"):
            pieces.append(_run_text(element))
        elif name == "br":
            pieces.append("\n")
        elif name in ("oMath", "oMathPara"):
            pieces.append(write_equation(element))
        elif name == "AlternateContent":
            stack += [element[0]] if len(element) else []
        elif name in ("m", "Choice", "Fallback"):
            stack += reversed(element)
        elif name == "t":
            pieces.append(str(element.text or ""))
    return clean_text("\n".join(line for each in "".join(pieces).split("\n") if (line := clean_line(each))))


def _run_text(run: Any) -> str:
    properties = next((each for each in run if local_name(each) == "rPr"), None)
    text = "".join(str(each.text or "") for each in run if local_name(each) == "t").replace("\v", "\n")
    if properties is None or not text.strip():
        return text
    baseline = (attribute_of(properties, "baseline") or "0").rstrip("%")
    if baseline not in ("0", "") and baseline.lstrip("-").isdecimal():
        text = lowered(text) if baseline.startswith("-") else raised(text)
    if (attribute_of(properties, "strike") or "noStrike") != "noStrike":
        core = text.strip()
        text = text.replace(core, f"~~{core}~~", 1)
    return text


def table_rows(table: Any) -> tuple[list[list[str]], int]:
    """The rows of an ``a:tbl``, merged cells filled into those they cover, and how many of them are the header."""
    rows: list[list[str]] = []
    below: dict[int, tuple[int, str]] = {}
    for row in (each for each in table if local_name(each) == "tr"):
        cells: list[str] = []
        right, text = 0, ""
        for column, cell in enumerate(each for each in row if local_name(each) == "tc"):
            if right and cell.get("hMerge") in ("1", "true"):
                right -= 1
            elif cell.get("vMerge") in ("1", "true") and column in below:
                text = below[column][1]
                right = 0
            else:
                text = " / ".join(clean_line(each.text.replace("\n", " / ")) for each in list_paragraphs(cell))
                right = _span(cell, "gridSpan") - 1
            if (count := _span(cell, "rowSpan")) > 1:
                for covered in range(column, column + _span(cell, "gridSpan")):
                    below[covered] = (count, text)
            cells.append(text)
        rows.append(cells)
    properties = next((each for each in table if local_name(each) == "tblPr"), None)
    is_plain = (
        properties is not None and len(properties.attrib) > 0 and attribute_of(properties, "firstRow") in (None, "0")
    )
    return rows, 0 if is_plain or len(rows) < 2 else 1


def _span(cell: Any, name: str) -> int:
    text = cell.get(name) or "1"
    return min(int(text), _MOST_SPAN) if text.isdecimal() and len(text) < 6 else 1


def chart_parts(shape: Any, relations: dict[str, tuple[str, str]], package: Package) -> list[str]:
    """The parts of the charts that a frame shows."""
    return [
        relations[str(value)][1]
        for each in iter_named(shape, "chart")
        for key, value in each.attrib.items()
        if str(key).endswith("}id")
        and relations.get(str(value), ("", ""))[0] in CHARTS
        and relations[str(value)][1] in package.names
    ]


def chart_title(chart: Any) -> str:
    """The title of a chart and those of its axes, in one line: ``Sales (Year, Boats)``."""
    titles = [clean_line(" ".join(map(paragraph_text, iter_named(each, "p")))) for each in iter_named(chart, "title")]
    shown = [title for title in titles if title]
    parent = next((each.getparent() for each in iter_named(chart, "title")), None)
    if len(shown) > 1 and parent is not None and local_name(parent) == "chart":
        return f"{shown[0]} ({', '.join(shown[1:])})"
    return ", ".join(shown)


def chart_rows(chart: Any) -> list[list[str]]:
    """What a chart shows, as a table: a column for each series, a row for each category."""
    series = list(iter_named(chart, "ser"))
    names = [" ".join(value for _, value in _cached_values(first_named(each, "tx"))) for each in series]
    columns = [dict(_cached_values(_first_of(each, "val", "yVal"))) for each in series]
    categories: dict[int, str] = {}
    for each in series:
        categories = categories or _category_names(_first_of(each, "cat", "xVal"))
    for column in columns:
        for place in column:
            categories.setdefault(place, str(place + 1))
    rows = [[categories[place], *(column.get(place, "") for column in columns)] for place in sorted(categories)]
    return [["", *names], *rows] if rows else []


def _first_of(element: Any, *names: str) -> Any:
    return next(iter_named(element, *names), None)


def _category_names(element: Any) -> dict[int, str]:
    """The names of categories; of several levels the outer ones first."""
    levels = [] if element is None else list(iter_named(element, "lvl"))
    if not levels:
        return dict(_cached_values(element))
    names = [dict(_cached_values(level)) for level in levels]
    found: dict[int, str] = {}
    outer = [""] * len(names)
    for place in sorted({place for level in names for place in level}):
        for number, level in enumerate(names):
            outer[number] = level.get(place, outer[number] if number else "")
        found[place] = " ".join(name for name in reversed(outer) if name)
    return found


def _cached_values(element: Any) -> list[tuple[int, str]]:
    """The values that were saved with a chart, by their place."""
    if element is None:
        return []
    points = list(iter_named(element, "pt"))
    if not points:
        return [(number, clean_line(str(each.text or ""))) for number, each in enumerate(iter_named(element, "v"))]
    found: list[tuple[int, str]] = []
    for number, point in enumerate(points):
        place = attribute_of(point, "idx") or ""
        value = first_named(point, "v")
        text = "" if value is None else clean_line(str(value.text or ""))
        found.append((int(place) if place.isdecimal() and len(place) < 8 else number, text))
    return found


def diagram_lines(data: Any) -> list[tuple[int, str]]:
    """The texts of a diagram (SmartArt) in order, each with how deep it lies below others."""
    points = {attribute_of(each, "modelId"): each for each in iter_named(data, "pt")}
    below: dict[str | None, list[tuple[int, str | None]]] = {}
    children: set[str | None] = set()
    for each in iter_named(data, "cxn"):
        if attribute_of(each, "type") in (None, "parOf"):
            order = attribute_of(each, "srcOrd") or "0"
            child = attribute_of(each, "destId")
            below.setdefault(attribute_of(each, "srcId"), []).append((int(order) if order.isdecimal() else 0, child))
            children.add(child)
    stack = [(0, each) for each in reversed(points) if each not in children]
    found: list[tuple[int, str]] = []
    seen: set[str | None] = set()
    while stack:
        level, name = stack.pop()
        if name in seen or name not in points:
            continue
        seen.add(name)
        kind = attribute_of(points[name], "type") or "node"
        lines = (
            [paragraph_text(each) for each in iter_named(points[name], "p")] if kind in ("node", "asst", "doc") else []
        )
        text = clean_line(" ".join(lines))
        found += [(level, text)] if text else []
        deeper = level + bool(text)
        stack += [(deeper, child) for _, child in sorted(below.get(name, []), key=lambda pair: pair[0], reverse=True)]
    return found


def name_embedded(relations: dict[str, tuple[str, str]]) -> list[LeftOut]:
    """What is packed into a slide or sheet and not read: workbooks, sound, film."""
    kinds = {
        "package": "embedded files",
        "oleObject": "embedded files",
        "audio": "recordings",
        "video": "films",
        "media": "films",
    }
    found: dict[str, dict[str, None]] = {}
    for kind, name in relations.values():
        if kind in kinds:
            found.setdefault(kinds[kind], {})[posixpath.basename(name)] = None
    return [LeftOut(what, len(names), 0, tuple(names)[:_MOST_NAMES]) for what, names in found.items()]
