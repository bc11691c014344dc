"""PPTX: a slide at a time, its title as the heading, tables as rows, speaker's notes marked as such.

The XML is read as it stands (ECMA-376 part 1, 19 and 21) and not by way of python-pptx, which brings an image library of 20 MB.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from ascertain.language.tables import join_cells
from ascertain.sources.formats.draft import Draft, clean_line, short_line
from ascertain.sources.formats.metadata import parse_date
from ascertain.sources.formats.office.packages import (
    Package,
    attribute_of,
    core_properties,
    first_named,
    iter_named,
    local_name,
)
from ascertain.sources.formats.reader import Extracted, SourceFile

_PRESENTATION = "ppt/presentation.xml"
_TITLES = ("title", "ctrTitle")
_FURNITURE = ("sldNum", "dt", "ftr", "hdr", "sldImg")
"""Placeholders that say the same on every slide."""
_CHARTS = ("chart", "chartEx")
NOTES = "Speaker notes"


def read_pptx(file: SourceFile) -> Iterator[Extracted]:
    """The text of a presentation. Raises SourceError for what is not one, or would not fit in memory."""
    package = Package(file, "pptx")
    draft = Draft()
    slides = _list_slides(package)
    for number, name in enumerate(slides, 1):
        _add_slide(package, name, number, draft)
    text, blocks = draft.finish()
    properties = core_properties(package)
    title = short_line(properties.get("title"))
    yield Extracted(
        text,
        title=None if title == "PowerPoint Presentation" else title,
        author=short_line(properties.get("creator")),
        published_at=parse_date(properties.get("modified") or properties.get("created")),
        tags=tuple(tag for name in properties.get("keywords", "").split(",") if (tag := short_line(name, 60))),
        blocks=blocks,
    )


def _list_slides(package: Package) -> list[str]:
    """The parts of the slides in the order of the presentation, hidden ones too: their words are there to be found."""
    relations = package.relations_of(_PRESENTATION)
    listed = first_named(package.read_tree(_PRESENTATION), "sldIdLst")
    ids = [] if listed is None else [_relation_id(each) for each in listed]
    return [relations[each][1] for each in ids if each in relations and relations[each][1] in package.names]


def _relation_id(element: Any) -> str:
    # "id" without a namespace is another number
    return next((str(value) for key, value in element.attrib.items() if str(key).endswith("}id")), "")


def _add_slide(package: Package, name: str, number: int, draft: Draft) -> None:
    draft.part = f"slide {number}"
    draft.section = ()
    slide = package.read_tree(name)
    shapes = list(_iter_shapes(slide))
    title = next((shape for shape in shapes if _placeholder(shape) in _TITLES), None)
    heading = " ".join(_paragraphs(title)) if title is not None else ""
    draft.enter_section(clean_line(heading) or f"Slide {number}", 1)
    draft.add(clean_line(heading))
    relations = package.relations_of(name)
    for shape in shapes:
        if shape is not title and _placeholder(shape) not in _FURNITURE:
            _add_shape(package, shape, relations, draft)
    for kind, part in relations.values():
        if kind == "notesSlide" and part in package.names:
            _add_notes(package.read_tree(part), draft)


def _iter_shapes(slide: Any) -> Iterator[Any]:
    """The shapes of a slide, those in groups too."""
    return iter_named(slide, "sp", "graphicFrame", "cxnSp")


def _placeholder(shape: Any) -> str | None:
    """What a shape stands for in its layout; None where it stands for nothing."""
    found = first_named(shape, "ph")
    return None if found is None else attribute_of(found, "type") or "body"


def _add_shape(package: Package, shape: Any, relations: dict[str, tuple[str, str]], draft: Draft) -> None:
    if local_name(shape) != "graphicFrame":
        for number, line in enumerate(_paragraphs(shape)):
            draft.add(line, "\n" if number else "\n\n")
        return
    table = first_named(shape, "tbl")
    if table is not None:
        _add_rows([_row_cells(row) for row in iter_named(table, "tr")], draft)
        return
    for each in iter_named(shape, "chart", "relIds"):
        for key, value in each.attrib.items():
            kind, part = relations.get(str(value), ("", ""))
            if str(key).endswith("}id") and kind in _CHARTS and part in package.names:
                _add_rows(_chart_rows(package.read_tree(part)), draft)
            elif str(key).endswith("}dm") and part in package.names:
                for number, line in enumerate(_paragraphs(package.read_tree(part))):
                    draft.add(f"- {line}", "\n" if number else "\n\n")


def _paragraphs(shape: Any) -> list[str]:
    """The paragraphs in a shape, each on one line, those of a list behind a mark by their level."""
    lines: list[str] = []
    for paragraph in iter_named(shape, "p"):
        pieces = [
            str(each.text or "") if local_name(each) == "t" else " " for each in iter_named(paragraph, "t", "br", "tab")
        ]
        line = clean_line("".join(pieces))
        if line:
            level = _list_level(paragraph)
            lines.append(f"{'  ' * level}- {line}" if level else line)
    return lines


def _list_level(paragraph: Any) -> int:
    properties = next((each for each in paragraph if local_name(each) == "pPr"), None)
    level = attribute_of(properties, "lvl") if properties is not None else None
    return int(level) if level and level.isdecimal() and len(level) == 1 else 0


def _row_cells(row: Any) -> list[str]:
    return [clean_line(" ".join(_paragraphs(cell))) for cell in row if local_name(cell) == "tc"]


def _add_rows(rows: Sequence[Sequence[str]], draft: Draft) -> None:
    for number, cells in enumerate(rows):
        draft.add(join_cells(cells), "\n" if number else "\n\n")


def _chart_rows(chart: Any) -> list[list[str]]:
    """What a chart shows, as a table: a column for each series, a row for each category."""
    series = list(iter_named(chart, "ser"))
    names = [" ".join(_cached_values(first_named(each, "tx"))) for each in series]
    empty: list[str] = []
    categories = next((found for each in series if (found := _cached_values(first_named(each, "cat")))), empty)
    columns = [_cached_values(first_named(each, "val")) for each in series]
    rows = [
        [category, *(column[number] if number < len(column) else "" for column in columns)]
        for number, category in enumerate(categories)
    ]
    return [["", *names], *rows] if rows else []


def _cached_values(element: Any) -> list[str]:
    return [] if element is None else [clean_line(str(each.text or "")) for each in iter_named(element, "v")]


def _add_notes(notes: Any, draft: Draft) -> None:
    lines = [
        line for shape in _iter_shapes(notes) if _placeholder(shape) not in _FURNITURE for line in _paragraphs(shape)
    ]
    if lines:
        draft.heading(NOTES, 2)
    for line in lines:
        draft.add(line, "\n")
