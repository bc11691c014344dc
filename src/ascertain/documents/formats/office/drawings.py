"""What Office files draw: text in shapes, tables, diagrams (DrawingML, ECMA-376 part 1, 20 and 21).

Slides and sheets draw with the same elements. Text is given as it is shown: markers of lists counted, raised and struck text marked.
"""

import posixpath
from collections.abc import Callable, Iterator
from typing import Any

from ascertain.documents.formats.drafts.draft import clean_line, clean_text, lowered, raised, struck
from ascertain.documents.formats.drafts.losses import Losses
from ascertain.documents.formats.drafts.numerals import repeated_letter, roman_numeral
from ascertain.documents.formats.office.formulas import word_formula
from ascertain.documents.formats.office.packages import Package, attribute_of, first_named, iter_named, local_name
from ascertain.documents.formats.office.slides.writing import Paragraph

_EMBEDDED = {
    "package": "embedded files",
    "oleObject": "embedded files",
    "audio": "recordings",
    "video": "films",
    "media": "films",
}
_MOST_SPAN = 1000
"""Cells that one cell of a table covers at most (by judgement)."""


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


def count_pictures(tree: Any, losses: Losses) -> None:
    """Count the pictures of a drawing, with the words that describe them to those who cannot see."""
    for picture in iter_named(tree, "pic"):
        name = _describing_words(picture)
        losses.add("pictures", name or "", name)


def iter_pictures(tree: Any) -> Iterator[tuple[str, str | None]]:
    """The id of the reference of each picture in a drawing, and the words that describe it to those who cannot see."""
    for picture in iter_named(tree, "pic"):
        image = first_named(picture, "blip")
        if image is not None:
            yield attribute_of(image, "embed") or "", _describing_words(picture)


def _describing_words(picture: Any) -> str | None:
    properties = first_named(picture, "cNvPr")
    return None if properties is None else attribute_of(properties, "descr") or attribute_of(properties, "name")


def no_bullet(level: int) -> Any:
    """The bullet of a level that has none."""
    return None


def list_paragraphs(shape: Any, inherited: Callable[[int], Any] = no_bullet) -> list[Paragraph]:
    """The paragraphs of a shape's text with the markers that its lists show.

    ``inherited`` is the bullet that a level has by its layout, where the paragraph has none of its own.
    """
    paragraphs: list[Paragraph] = []
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
        paragraphs.append(Paragraph(text, marker, level))
    return paragraphs


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
        shown = repeated_letter(number)
    elif scheme.startswith("roman"):
        shown = roman_numeral(number)
    else:
        shown = str(number)
    shown = shown.upper() if "Uc" in scheme else shown
    if scheme.endswith("ParenBoth"):
        return f"({shown})"
    return f"{shown})" if scheme.endswith("ParenR") else shown if scheme.endswith("Plain") else f"{shown}."


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
            pieces.append(word_formula(element))
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
        text = struck(text)
    return text


def drawn_lines(element: Any) -> list[str]:
    """The paragraphs below an element, a line each."""
    return [line for each in iter_named(element, "p") if (line := clean_line(paragraph_text(each)))]


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


def diagram_parts(shape: Any, relations: dict[str, tuple[str, str]], package: Package) -> Iterator[str]:
    """The parts of the diagrams that a frame shows."""
    for each in iter_named(shape, "relIds"):
        part = next((str(value) for key, value in each.attrib.items() if str(key).endswith("}dm")), "")
        name = relations.get(part, ("", ""))[1]
        if name in package.names:
            yield name


def diagram_lines(data: Any) -> list[tuple[int, str]]:
    """The texts of a diagram (SmartArt) in order, each with how deep it lies below others; those of arrows come last."""
    points = {attribute_of(each, "modelId"): each for each in iter_named(data, "pt")}
    if not points:
        return [(0, line) for line in drawn_lines(data)]
    below: dict[str | None, list[tuple[int, str | None]]] = {}
    children: set[str | None] = set()
    for each in iter_named(data, "cxn"):
        if attribute_of(each, "type") in (None, "parOf"):
            order = attribute_of(each, "srcOrd") or ""
            child = attribute_of(each, "destId")
            place = int(order) if order.isdecimal() and len(order) < 8 else 0
            below.setdefault(attribute_of(each, "srcId"), []).append((place, child))
            children.add(child)
    # what nothing leads to comes after all that lies below something
    stack = [(0, each) for each in reversed(points)]
    stack += [(0, each) for each in reversed(points) if each not in children and _is_node(points[each])]
    found: list[tuple[int, str]] = []
    seen: set[str | None] = set()
    while stack:
        level, name = stack.pop()
        if name in seen or name not in points:
            continue
        seen.add(name)
        text = " ".join(drawn_lines(points[name]))
        found += [(level, text)] if text else []
        deeper = level + bool(text)
        stack += [(deeper, child) for _, child in sorted(below.get(name, []), key=lambda pair: pair[0], reverse=True)]
    return found


def _is_node(point: Any) -> bool:
    return attribute_of(point, "type") in (None, "node", "asst", "doc")


def count_embedded(relations: dict[str, tuple[str, str]], losses: Losses) -> None:
    """Count what is packed into a slide or sheet and not read: workbooks, sound, film."""
    for kind, name in dict.fromkeys((kind, name) for kind, name in relations.values() if kind in _EMBEDDED):
        losses.add(_EMBEDDED[kind], name=posixpath.basename(name))
