"""ODP: the slides of an OpenDocument presentation (OpenDocument 1.3 part 3, 10 and 16)."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

from ascertain.documents.formats.drafts.pictures import choose_pictures
from ascertain.documents.formats.office.odf_forms import list_controls
from ascertain.documents.formats.office.odf_text import (
    TextStyles,
    chart_table,
    chart_title,
    count_media,
    find_formula,
    iter_objects,
    iter_pictures,
)
from ascertain.documents.formats.office.packages import (
    Package,
    attribute_of,
    first_named,
    iter_named,
    local_name,
    open_document_facts,
)
from ascertain.documents.formats.office.slides.writing import Paragraph, SlideWriter
from ascertain.documents.formats.reader import Extracted, SourceFile

_FURNITURE = ("header", "footer", "date-time", "page-number")
_FURNITURE_FIELDS = (*_FURNITURE, "page-count", "page-name")
_PLACEHOLDER = "placeholder"


def read_odp(file: SourceFile) -> Iterator[Extracted]:
    """The slides of an OpenDocument presentation. Raises SourceError for what is not one, or would not fit in memory."""
    package = Package(file, "odp")
    reader = _PageReader(package)
    body = first_named(package.read_tree("content.xml"), "presentation")
    pages = [] if body is None else [each for each in body if local_name(each) == "page"]
    for number, page in enumerate(pages, 1):
        reader.add_slide(page, number)
    reader.add_masters(body)
    left_out = reader.writer.finish()
    text, blocks = reader.writer.draft.finish()
    pictures = choose_pictures(file, reader.writer.draft.pictures)
    yield replace(open_document_facts(package), text=text, blocks=blocks, left_out=left_out, pictures=pictures)


class _PageReader:
    """Reads the pages of one presentation."""

    def __init__(self, package: Package) -> None:
        self.writer = SlideWriter()
        self._package = package
        self._styles = TextStyles(package)

    def add_slide(self, page: Any, number: int) -> None:
        """A slide: title, what it shows, notes, remarks."""
        shapes = [each for each in page if local_name(each) not in ("notes", "annotation")]
        title = next((each for each in shapes if attribute_of(each, "class") == "title"), None)
        heading = "" if title is None else " ".join(each.text for each in self._styles.list_paragraphs(title))
        is_hidden = (attribute_of(page, "style-name") or "") in self._styles.hidden
        self.writer.begin_slide(number, heading, is_hidden=is_hidden)
        for shape in shapes:
            if shape is not title:
                self._add_shape(shape)
        for name, words in iter_pictures(page):
            self.writer.draft.add_picture(partial(self._package.read_bytes, name), words)
        forms = first_named(page, "forms")
        self.writer.add_fields([] if forms is None else list(list_controls(forms, page)))
        for notes in (each for each in page if local_name(each) == "notes"):
            self._add_notes(notes)
        for remark in (each for each in page if local_name(each) == "annotation"):
            author = next((str(each.text or "") for each in remark if local_name(each) == "creator"), "")
            self.writer.add_comment(author, "\n".join(each.text for each in self._styles.list_paragraphs(remark)))
        count_media(page, self.writer.losses)

    def _add_notes(self, notes: Any) -> None:
        """The page of notes of a slide; its header and footer are furniture."""
        lines: list[Paragraph] = []
        for frame in notes:
            if attribute_of(frame, "class") in _FURNITURE:
                self._note_furniture(frame)
                continue
            lines += self._styles.list_paragraphs(frame)
            for table in iter_named(frame, "table"):
                lines += (Paragraph(" | ".join(filter(None, row))) for row in self._styles.table_rows(table)[0])
        self.writer.add_notes(lines)

    def add_masters(self, body: Any) -> None:
        """What stands on every slide: footers, and the texts of the master pages that are used."""
        used: set[str | None] = set()
        if body is not None:
            used = {attribute_of(each, "master-page-name") for each in body if local_name(each) == "page"} - {None}
            declared = iter_named(body, "footer-decl", "header-decl", "date-time-decl")
            self.writer.note_furniture(self._styles.write(each) for each in declared)
        styles = self._package.find_tree("styles.xml")
        for page in () if styles is None else iter_named(styles, "master-page"):
            if used and attribute_of(page, "name") not in used:
                continue
            for shape in page:
                # what is to be filled in is an instruction to the author
                if local_name(shape) != "notes" and attribute_of(shape, "class") in (None, *_FURNITURE):
                    self._note_furniture(shape)
            count_media(page, self.writer.losses)

    def _note_furniture(self, shape: Any) -> None:
        """What stands on every slide; the fields of a master page show what is declared for each slide, so they are left out there."""
        for each in list(iter_named(shape, *_FURNITURE_FIELDS)):
            each.text = None
        self.writer.note_furniture(each.text for each in self._styles.list_paragraphs(shape))

    def _add_shape(self, shape: Any) -> None:
        """A frame, or the shapes of a group one after the other."""
        if local_name(shape) == "g":
            for each in shape:
                self._add_shape(each)
            return
        if attribute_of(shape, _PLACEHOLDER) == "true":
            return
        if attribute_of(shape, "class") in _FURNITURE:
            self._note_furniture(shape)
            return
        for table in iter_named(shape, "table"):
            rows, header_rows = self._styles.table_rows(table)
            self.writer.draft.add_table(rows, header_rows)
        for frame in iter_named(shape, "frame"):
            for tree in iter_objects(self._package, frame):
                self._add_object(tree, attribute_of(frame, "name"))
        self.writer.add_paragraphs(self._styles.list_paragraphs(shape))

    def _add_object(self, tree: Any, name: str | None) -> None:
        """A formula or a chart; others are counted."""
        chart = first_named(tree, "chart")
        if formula := find_formula(tree):
            self.writer.add_paragraphs([Paragraph(formula)])
        elif chart is not None:
            self.writer.add_chart(chart_title(chart), chart_table(self._styles, chart))
        else:
            self.writer.losses.add("embedded objects", name=name)
