"""PPTX: a slide at a time under its title, with what it draws, its notes and remarks.

The XML is read as it stands (ECMA-376 part 1, 19 and 21) and not by way of python-pptx, which brings an image library of 20 MB and knows
no markers of lists, equations, diagrams or comments. Shapes come in the order of the file, in which screen readers read them.
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from ascertain.documents.formats.drafts.draft import clean_text, short_line
from ascertain.documents.formats.drafts.metadata import parse_date
from ascertain.documents.formats.drafts.pictures import choose_pictures
from ascertain.documents.formats.office.charts import chart_parts, chart_rows, chart_shapes, chart_title
from ascertain.documents.formats.office.drawings import (
    count_embedded,
    count_pictures,
    diagram_lines,
    diagram_parts,
    iter_pictures,
    iter_shapes,
    list_paragraphs,
    paragraph_text,
    table_rows,
)
from ascertain.documents.formats.office.packages import (
    Package,
    attribute_of,
    core_properties,
    first_named,
    iter_named,
    local_name,
    relation_id,
)
from ascertain.documents.formats.office.slides.writing import Paragraph, SlideWriter
from ascertain.documents.formats.reader import Extracted, SourceFile

_PRESENTATION = "ppt/presentation.xml"
_TITLES = ("title", "ctrTitle")
_FURNITURE = ("sldNum", "dt", "ftr", "hdr", "sldImg")
"""Placeholders that say the same on every slide."""
_BODIES = ("body", "obj", "subTitle")
_BULLETS = ("buNone", "buChar", "buAutoNum", "buBlip")
_LEVELS = 9


def read_pptx(file: SourceFile) -> Iterator[Extracted]:
    """The text of a presentation. Raises SourceError for what is not one, or would not fit in memory."""
    package = Package(file, "pptx")
    reader = _SlideReader(package)
    for number, name in enumerate(_list_slides(package), 1):
        reader.add_slide(name, number)
    left_out = reader.writer.finish()
    text, blocks = reader.writer.draft.finish()
    properties = core_properties(package)
    title = short_line(properties.get("title"))
    yield Extracted(
        text,
        title=None if title == "PowerPoint Presentation" else title,
        author=short_line(properties.get("creator")),
        published_at=parse_date(properties.get("modified") or properties.get("created")),
        tags=tuple(tag for name in properties.get("keywords", "").split(",") if (tag := short_line(name, 60))),
        blocks=blocks,
        left_out=left_out,
        pictures=choose_pictures(file, reader.writer.draft.pictures),
    )


def _list_slides(package: Package) -> list[str]:
    """The parts of the slides in the order of the presentation, hidden ones too: their words are there to be found."""
    relations = package.relations_of(_PRESENTATION)
    listed = first_named(package.read_tree(_PRESENTATION), "sldIdLst")
    ids = [] if listed is None else [relation_id(each) for each in listed]
    return [relations[each][1] for each in ids if each in relations and relations[each][1] in package.names]


def _placeholder(shape: Any) -> str | None:
    """What a shape stands for in its layout; None where it stands for nothing."""
    found = first_named(shape, "ph")
    return None if found is None else attribute_of(found, "type") or "body"


class _SlideReader:
    """Reads the slides of one package."""

    def __init__(self, package: Package) -> None:
        self.writer = SlideWriter()
        self._package = package
        self._authors = _read_authors(package)
        self._layouts: dict[str, _Layout] = {}

    def add_slide(self, name: str, number: int) -> None:
        """A slide: title, what it shows, notes, remarks."""
        package, writer = self._package, self.writer
        slide, relations = package.read_tree(name), package.relations_of(name)
        shapes = list(iter_shapes(slide))
        title = next((shape for shape in shapes if _placeholder(shape) in _TITLES), None)
        heading = "" if title is None else " ".join(each.text for each in list_paragraphs(title))
        writer.begin_slide(number, heading, is_hidden=slide.get("show") in ("0", "false"))
        parts = {kind: part for kind, part in relations.values() if part in package.names}
        layout = self._layout(parts.get("slideLayout"))
        for shape in shapes:
            if _placeholder(shape) in _FURNITURE:
                writer.note_furniture(each.text for each in list_paragraphs(shape))
            elif shape is not title:
                self._add_shape(shape, relations, layout)
        for relation, words in iter_pictures(slide):
            writer.draft.add_picture(partial(package.read_bytes, relations.get(relation, ("", ""))[1]), words)
        if notes := parts.get("notesSlide"):
            self._add_notes(notes)
        for kind, part in relations.values():
            if kind == "comments" and part in package.names:
                self._add_comments(package.read_tree(part))
        count_pictures(slide, writer.losses)
        count_embedded(relations, writer.losses)

    def _layout(self, name: str | None) -> "_Layout":
        key = name or ""
        if key not in self._layouts:
            self._layouts[key] = _Layout(self._package, name)
            self.writer.note_furniture(self._layouts[key].lines)
        return self._layouts[key]

    def _add_shape(self, shape: Any, relations: dict[str, tuple[str, str]], layout: "_Layout") -> None:
        writer, package = self.writer, self._package
        if local_name(shape) != "graphicFrame":
            writer.add_paragraphs(list_paragraphs(shape, layout.bullets_of(shape)))
            return
        table = first_named(shape, "tbl")
        if table is not None:
            rows, header_rows = table_rows(table)
            writer.draft.add_table(rows, header_rows)
            return
        for part in chart_parts(shape, relations, package):
            chart = package.read_tree(part)
            writer.add_chart(chart_title(chart), chart_rows(chart))
            writer.add_paragraphs(Paragraph(line) for line in chart_shapes(part, package))
        for part in diagram_parts(shape, relations, package):
            lines = diagram_lines(package.read_tree(part))
            writer.add_paragraphs(Paragraph(text, "-", level) for level, text in lines)

    def _add_notes(self, name: str) -> None:
        shapes = iter_shapes(self._package.read_tree(name))
        lines = [line for shape in shapes if _placeholder(shape) not in _FURNITURE for line in list_paragraphs(shape)]
        self.writer.add_notes(lines)

    def _add_comments(self, tree: Any) -> None:
        """Remarks of both kinds: those of old programs as text, those of new ones as paragraphs with their replies."""
        for each in iter_named(tree, "cm", "reply"):
            author = self._authors.get(attribute_of(each, "authorId") or "", "")
            texts = [str(part.text or "") for part in each if local_name(part) == "text"]
            bodies = [part for part in each if local_name(part) == "txBody"]
            texts += (paragraph_text(line) for body in bodies for line in iter_named(body, "p"))
            self.writer.add_comment(author, clean_text("\n".join(text for text in texts if text)))


def _read_authors(package: Package) -> dict[str, str]:
    kinds = ("commentAuthors", "authors")
    return {
        attribute_of(each, "id") or "": attribute_of(each, "name") or ""
        for kind, name in package.relations_of(_PRESENTATION).values()
        if kind in kinds and name in package.names
        for each in iter_named(package.read_tree(name), "cmAuthor", "author")
    }


class _Layout:
    """What a layout and its master give to the slides that use them: bullets, and text that stands on each of them."""

    def __init__(self, package: Package, name: str | None) -> None:
        self.lines: list[str] = []
        self._shapes: list[Any] = []
        self._styles: Any = None
        master = None
        for _ in range(2):
            if name is None or name not in package.names:
                break
            tree, relations = package.read_tree(name), package.relations_of(name)
            shapes = list(iter_shapes(tree))
            self._shapes += (shape for shape in shapes if _placeholder(shape) is not None)
            if master is None or tree.get("showMasterSp") not in ("0", "false"):
                fixed = [shape for shape in shapes if _placeholder(shape) is None]
                self.lines += (each.text for shape in fixed for each in list_paragraphs(shape))
            styles = first_named(tree, "txStyles")
            self._styles = self._styles if styles is None else styles
            name = master = next((part for kind, part in relations.values() if kind == "slideMaster"), None)

    def bullets_of(self, shape: Any) -> Callable[[int], Any]:
        """The bullet of each level in a shape's text, where its paragraphs say nothing of it."""
        place = first_named(shape, "ph")
        kind = _placeholder(shape)
        index = None if place is None else attribute_of(place, "idx")
        above = [each for each in self._shapes if kind is not None and _is_same(each, kind, index)]
        styles = [first_named(each, "lstStyle") for each in (shape, *above)]
        if self._styles is not None:
            name = "bodyStyle" if kind in _BODIES else "otherStyle"
            styles.append(first_named(self._styles, name))

        def find(level: int) -> Any:
            for style in styles:
                properties = None if style is None else first_named(style, f"lvl{min(level + 1, _LEVELS)}pPr")
                found = None if properties is None else next(iter_named(properties, *_BULLETS), None)
                if found is not None:
                    return found
            return None

        return find


def _is_same(shape: Any, kind: str, index: str | None) -> bool:
    """Whether a placeholder of a layout or master is the one that a slide's stands for."""
    place = first_named(shape, "ph")
    found = attribute_of(place, "idx")
    return (index is not None and found == index) or ((found is None or index is None) and _placeholder(shape) == kind)
