"""PDF files: text in reading order with pages and sections."""

import re
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from ascertain.core.blocks import BlockKind
from ascertain.sources.formats.draft import Draft, clean_line, short_line
from ascertain.sources.formats.metadata import parse_date, parse_pdf_date
from ascertain.sources.formats.pdf.formulas import write_formulas
from ascertain.sources.formats.pdf.layout import in_reading_order, level_of, style_of, with_edges
from ascertain.sources.formats.pdf.lines import Line, find_fragments, without_furniture
from ascertain.sources.formats.pdf.paragraphs import Paragraph, Role, build_paragraphs
from ascertain.sources.formats.pdf.pictures import Pixels, draw_scan
from ascertain.sources.formats.pdf.scans import MAX_SCANS, locate_lines, picture_pages, recognize_lines
from ascertain.sources.formats.pdf.words import (
    Hyphens,
    PasswordNeeded,
    Unreadable,
    facts_of,
    open_pdf,
    page_count,
    page_words,
)
from ascertain.sources.formats.reader import Extracted, SourceFile, too_long
from ascertain.sources.formats.registry import HOW_TO_RECOGNIZE, can_recognize
from ascertain.sources.formats.text import run_in_heading

_MAX_PAGES = 20_000
_PUBLISHED = re.compile(
    r"\bpublished(?: online)?:?\s+(\d{1,2}\s+[A-Z][a-z]+\s+\d{4}|[A-Z][a-z]+\s+\d{1,2},\s+\d{4})", re.I
)
_NO_TITLE = re.compile(r"(?:untitled|microsoft (?:word|powerpoint) - .*|.*\.(?:docx?|pdf|tex|dvi|indd|qxd|rtf))", re.I)


def read_pdf(file: SourceFile) -> Iterator[Extracted]:
    """The document's text. Raises SourceError for encrypted and damaged files, and where no text is found."""
    data = file.data()
    check_streams(file, data)
    scans = _Scans(file)
    try:
        with open_pdf(data) as document:
            pages = _read_pages(file, document, scans)
            facts = facts_of(document)
    except PasswordNeeded as error:
        raise file.error("encrypted; save it without a password and add it again") from error
    except Unreadable as error:
        raise file.error("damaged or cut off, PDFium cannot open it; get the file again") from error
    kept = without_furniture(pages)
    # Where page numbers are all there is, they are the text.
    lines = [line for page in (kept if any(kept) else pages) for line in with_edges(page)]
    if not lines:
        raise file.error(scans.describe_nothing())
    scans.tell_left_out()
    yield _build_extracted(lines, facts)


def read_picture(file: SourceFile) -> Iterator[Extracted]:
    """The text that is recognised on a picture. Raises SourceError where the extra is missing or nothing is found."""
    scans = _Scans(file)
    if not can_recognize():
        raise file.error(f"a picture; {HOW_TO_RECOGNIZE}")
    try:
        pages = [
            _order_page(scans.recognize(pixels), number) for number, pixels in enumerate(picture_pages(file.path), 1)
        ]
    except Unreadable as error:
        raise file.error(str(error)) from error
    lines = [line for page in without_furniture(pages) for line in with_edges(page)]
    if not lines:
        raise file.error("no text was recognised on it")
    yield _build_extracted(lines, {})


class _Scans:
    """Recognises the pages of one file that are pictures, and notes those that cannot be where the extra is missing."""

    def __init__(self, file: SourceFile) -> None:
        self._file = file
        self._recognized = 0
        self._left_out: list[int] = []

    def read_page(self, document: Any, index: int) -> list[Line]:
        """The lines on a page without text of its own."""
        pixels = draw_scan(document, index)
        if pixels is None:
            return []
        if not can_recognize():
            self._left_out.append(index + 1)
            return []
        return self.recognize(pixels)

    def recognize(self, pixels: Pixels) -> list[Line]:
        """The lines on a picture."""
        self._recognized += 1
        if self._recognized > MAX_SCANS:
            raise self._file.error(f"more than {MAX_SCANS} pages to be recognised; split it")
        lines = recognize_lines(pixels)
        self._file.options.on_piece()
        return lines

    def describe_nothing(self) -> str:
        """Why there is no text at all."""
        if self._left_out:
            return f"no text in it, only pictures; {HOW_TO_RECOGNIZE}"
        return "no text in it, and none was recognised on its pictures" if self._recognized else "no text in it"

    def tell_left_out(self) -> None:
        """Name the pages that were not read."""
        if self._left_out:
            numbers = list_numbers(self._left_out)
            reason = f"only a picture, while other pages have text; {HOW_TO_RECOGNIZE}"
            self._file.options.on_bad_row(f"{self._file.source}#page {numbers}", reason)


def list_numbers(numbers: Sequence[int]) -> str:
    """``3, 7-9`` for the ascending numbers 3, 7, 8 and 9."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ", ".join(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs)


_STREAM = re.compile(rb"stream\r?\n")
_DICTIONARY_BYTES = 2_000
"""Before a stream, in which its dictionary is looked for; those of PDF writers have a few hundred."""
_MOST_UNPACKED = 1032
"""Deflate makes no more of a byte (RFC 1951: 258 bytes of two bits each)."""
_PIECE = 1 << 20


def check_streams(file: SourceFile, data: bytes) -> None:
    """Refuse a file with a packed stream that unpacks to more than the limit; PDFium unpacks whatever it comes upon.

    Pictures are left out, for nobody looks at them here, and so is what is packed twice.
    """
    limit = file.options.limits.unpacked_bytes
    if len(data) * _MOST_UNPACKED <= limit:
        return
    for found in _STREAM.finditer(data):
        head = data[max(0, found.start() - _DICTIONARY_BYTES) : found.start()]
        dictionary = head[head.rfind(b"obj") + 1 :]
        if b"/Image" not in dictionary and _unpacks_beyond(limit, memoryview(data)[found.end() :]):
            raise file.error(
                f"holds a part that unpacks to more than {limit:,} bytes; print it into a new PDF, or raise "
                "ingest.reading.unpacked_bytes"
            )


def _unpacks_beyond(limit: int, packed: memoryview) -> bool:
    """Whether more than ``limit`` bytes come of the zlib stream that ``packed`` begins with, if it does."""
    unpacking, size = zlib.decompressobj(), 0
    rest: bytes | memoryview = packed
    try:
        for start in range(0, len(packed), _PIECE):
            rest = packed[start : start + _PIECE]
            while rest and not unpacking.eof and size <= limit:
                size += len(unpacking.decompress(rest, _PIECE))
                rest = unpacking.unconsumed_tail
            if unpacking.eof or size > limit:
                break
    except zlib.error:
        pass
    return size > limit


def _read_pages(file: SourceFile, document: Any, scans: _Scans) -> list[list[Line]]:
    count = page_count(document)
    if count == 0:
        raise file.error("has no pages")
    if count > _MAX_PAGES:
        raise file.error(f"{count:,} pages, over the limit of {_MAX_PAGES:,}; split it")
    pages: list[list[Line]] = []
    characters = 0
    for index in range(count):
        words = page_words(document, index)
        parts = find_fragments(write_formulas(words)) if words else scans.read_page(document, index)
        ordered = _order_page(parts, index + 1)
        pages.append(ordered)
        characters += sum(len(line.text) for line in ordered)
        if characters > file.options.max_characters:
            raise too_long(file)
    return pages


def _order_page(parts: Sequence[Line], number: int) -> list[Line]:
    return [replace(line, page=number) for line in in_reading_order(parts)]


def _build_extracted(lines: Sequence[Line], facts: dict[str, str]) -> Extracted:
    style = style_of(lines)
    found = build_paragraphs(lines, style)
    writer = _Writer(Hyphens(line.text for line in lines))
    title: list[str] = []
    for paragraph in found:
        if paragraph.role is Role.HEADING:
            words = writer.line(paragraph)
            writer.heading(paragraph, level_of(words, paragraph.lines[0].size, style))
        else:
            if paragraph.role is Role.TITLE:
                title.append(writer.line(paragraph))
            writer.add(paragraph)
    text, blocks = writer.draft.finish()
    pages = [block for block in blocks if block.kind is BlockKind.PAGE]
    scanned = [line for paragraph in found for line in paragraph.lines if line.scanned]
    blocks = (*locate_lines(text, pages, scanned), *blocks)
    return Extracted(
        text,
        title=_real_title(facts.get("Title", "")) or short_line(" ".join(title)),
        author=short_line(facts.get("Author")),
        published_at=_find_published(text, facts),
        blocks=blocks,
    )


_APART = (Role.CAPTION, Role.NOTE)


class _Writer:
    """Writes paragraphs into a draft, mending line ends and noting pages."""

    def __init__(self, hyphens: Hyphens) -> None:
        self.draft = Draft()
        self._hyphens = hyphens
        self._in_list = False

    def line(self, paragraph: Paragraph) -> str:
        """The paragraph on one line."""
        return clean_line("".join(text for _, text in self._split_by_page(paragraph)))

    def heading(self, paragraph: Paragraph, level: int) -> None:
        self._in_list = False
        self.draft.page = paragraph.lines[0].page
        self.draft.heading(self.line(paragraph), level)

    def add(self, paragraph: Paragraph) -> None:
        draft = self.draft
        section = draft.section
        pieces = self._split_by_page(paragraph)
        if paragraph.role in (Role.ASIDE, Role.TITLE):
            draft.section = ()
        elif paragraph.role not in _APART and (name := run_in_heading(pieces[0][1])):
            draft.enter_section(name, 1)
            section = draft.section
        separator = "\n" if paragraph.is_item and self._in_list else "\n\n"
        self._in_list = paragraph.is_item
        for page, piece in pieces:
            draft.page = page
            draft.add(piece, separator)
            # A word cut by the end of a page goes on without a space.
            separator = piece[-1] if piece.endswith((" ", "\n")) else ""
        draft.section = section

    def _split_by_page(self, paragraph: Paragraph) -> list[tuple[int, str]]:
        """(page, text) for the part of the paragraph on each page; the text ends with what separates it."""
        pieces: list[tuple[int, str]] = []
        lines = paragraph.lines
        keeps_lines = paragraph.role in (Role.CODE, Role.ROWS, Role.TABLE)
        for index, line in enumerate(lines):
            text, separator = line.text, ""
            if index + 1 < len(lines):
                text, separator = (text, "\n") if keeps_lines else self._hyphens.join(text, lines[index + 1].text)
            if pieces and pieces[-1][0] == line.page:
                pieces[-1] = (line.page, pieces[-1][1] + text + separator)
            else:
                pieces.append((line.page, text + separator))
        return pieces


def _real_title(candidate: str) -> str | None:
    title = short_line(candidate)
    return None if title is None or len(title) < 4 or _NO_TITLE.fullmatch(title) else title


def _find_published(text: str, facts: dict[str, str]) -> Any:
    """The date the first page says it was published, else the date the file was made."""
    stated = _PUBLISHED.search(text[:6000])
    return (parse_date(stated[1]) if stated else None) or parse_pdf_date(facts.get("CreationDate", ""))
