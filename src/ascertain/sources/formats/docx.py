"""DOCX: paragraphs and tables in order, heading styles as sections, core properties as metadata."""

import io
import re
import zipfile
from collections.abc import Iterator
from typing import Any, cast

from ascertain.language.tables import join_cells
from ascertain.sources.formats.draft import Draft, clean_line, short_line
from ascertain.sources.formats.metadata import parse_date
from ascertain.sources.formats.reader import Extracted, SourceFile

_OTHERS = {
    "ppt/presentation.xml": "a PowerPoint presentation, which is not read; save it as PDF and add that",
    "xl/workbook.xml": "an Excel workbook, which is not read; save its sheets as CSV and add those",
    "META-INF/container.xml": "an EPUB book, which is not read; convert it to HTML or PDF and add that",
    "content.xml": "an OpenDocument file, which is not read; save it as DOCX or PDF and add that",
}
"""What other archives are, by a file that each of their kind has."""
_ENCRYPTED = 1
"""The bit of an entry's flags that says so (APPNOTE.TXT of PKWARE, 4.4.4)."""
_HEADING_STYLE = re.compile(r"(?:heading|überschrift|titre|título)\s*(\d)", re.IGNORECASE)


def read_docx(file: SourceFile) -> Iterator[Extracted]:
    """The text of a Word document. Raises SourceError for what is not one, or would not fit in memory."""
    data = file.data()
    _check_size(file, data)
    # Importing python-docx costs a fifth of a second, so it waits for the first document.
    import docx  # noqa: PLC0415

    document = cast("Any", docx).Document(io.BytesIO(data))
    draft = Draft()
    title = short_line(document.core_properties.title)
    for block in document.iter_inner_content():
        if hasattr(block, "rows"):
            _add_table(block, draft)
        else:
            title = _add_paragraph(block, draft) or title
    text, regions = draft.finish()
    properties = document.core_properties
    yield Extracted(
        text,
        title=title,
        author=_real_author(properties.author),
        published_at=parse_date(properties.modified or properties.created),
        tags=tuple(tag for name in str(properties.keywords or "").split(",") if (tag := short_line(name, 60))),
        regions=regions,
    )


def _check_size(file: SourceFile, data: bytes) -> None:
    """Refuse archives that are damaged, not Word, or unpack to more than memory should hold."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = archive.infolist()
    except zipfile.BadZipFile as error:
        kind = "DOCX file" if file.path.suffix.lower() == ".docx" else "archive"
        raise file.error(f"the {kind} is damaged or cut off; get the file again") from error
    names = {entry.filename for entry in entries}
    if "word/document.xml" not in names:
        other = next((kind for name, kind in _OTHERS.items() if name in names), None)
        raise file.error(other or "a ZIP archive, not a Word document; unpack it and add the files inside")
    if any(entry.flag_bits & _ENCRYPTED for entry in entries):
        raise file.error("encrypted; save it without a password and add it again")
    # The declared sizes bound what is unpacked: zipfile reads no further than them.
    xml_bytes = sum(entry.file_size for entry in entries if entry.filename.endswith((".xml", ".rels")))
    all_bytes = sum(entry.file_size for entry in entries)
    limit = file.options.limits.unpacked_bytes
    if xml_bytes > limit or all_bytes > max(file.options.max_bytes, limit):
        raise file.error(
            f"unpacks to {all_bytes:,} bytes, more than is safe to open; save it again in smaller parts, or raise "
            "ingest.reading.unpacked_bytes"
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
