"""DOCX: paragraphs and tables in order, heading styles as sections, core properties as metadata."""

import io
import re
from collections.abc import Iterator
from typing import Any, cast

from ascertain.language.tables import join_cells
from ascertain.sources.formats.draft import Draft, clean_line, short_line
from ascertain.sources.formats.metadata import parse_date
from ascertain.sources.formats.office.packages import Package
from ascertain.sources.formats.reader import Extracted, SourceFile

_HEADING_STYLE = re.compile(r"(?:heading|überschrift|titre|título)\s*(\d)", re.IGNORECASE)


def read_docx(file: SourceFile) -> Iterator[Extracted]:
    """The text of a Word document. Raises SourceError for what is not one, or would not fit in memory."""
    Package(file, "docx")
    # Importing python-docx costs a fifth of a second, so it waits for the first document.
    import docx  # noqa: PLC0415

    document = cast("Any", docx).Document(io.BytesIO(file.data()))
    draft = Draft()
    title = short_line(document.core_properties.title)
    for block in document.iter_inner_content():
        if hasattr(block, "rows"):
            _add_table(block, draft)
        else:
            title = _add_paragraph(block, draft) or title
    text, blocks = draft.finish()
    properties = document.core_properties
    yield Extracted(
        text,
        title=title,
        author=_real_author(properties.author),
        published_at=parse_date(properties.modified or properties.created),
        tags=tuple(tag for name in str(properties.keywords or "").split(",") if (tag := short_line(name, 60))),
        blocks=blocks,
    )


def _add_paragraph(paragraph: Any, draft: Draft) -> str | None:
    """Add one paragraph; returns its text when it is styled as the document's title."""
    text = str(paragraph.text)
    style = str(paragraph.style.name or "") if paragraph.style is not None else ""
    heading = _HEADING_STYLE.match(style)
    if heading and clean_line(text):
        draft.heading(text, int(heading[1]))
    elif style == "Title":
        draft.heading(text, 0)
        return short_line(text)
    elif style.startswith("List") and clean_line(text):
        draft.add(f"- {clean_line(text)}", "\n")
    else:
        draft.add(text)
    return None


def _add_table(table: Any, draft: Draft) -> None:
    for number, row in enumerate(table.rows):
        cells: list[str] = []
        before: Any = None
        for cell in row.cells:
            # A merged cell is listed once for each column it covers.
            cells.append("" if cell._tc is before else clean_line(str(cell.text)))
            before = cell._tc
        # A line merged into one cell is a title of the table.
        line = "".join(cells) if len(row._tr.tc_lst) == 1 else join_cells(cells)
        draft.add(line, "\n" if number else "\n\n")


def _real_author(value: object) -> str | None:
    author = short_line(value)
    return None if author == "python-docx" else author
