"""PDF files: text in reading order with pages and sections."""

import io
import re
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from ascertain.core.documents.blocks import BlockKind, Place
from ascertain.core.documents.documents import LeftOut
from ascertain.documents.formats.drafts.draft import DrawnPicture, short_line
from ascertain.documents.formats.drafts.metadata import parse_date, parse_pdf_date
from ascertain.documents.formats.drafts.pictures import choose_pictures
from ascertain.documents.formats.files.archives import is_wanted, read_members
from ascertain.documents.formats.pdf.annotations import open_forms, place_fields, read_attachments, read_notes
from ascertain.documents.formats.pdf.figures import PageFigure, place_figures, read_figures
from ascertain.documents.formats.pdf.formulas import write_formulas
from ascertain.documents.formats.pdf.layout import in_reading_order, style_of, with_edges
from ascertain.documents.formats.pdf.lines import Line, Turned, find_fragments, find_turned, split_furniture
from ascertain.documents.formats.pdf.paragraphs import Role, build_paragraphs
from ascertain.documents.formats.pdf.pictures import Pixels, draw_scan
from ascertain.documents.formats.pdf.scans import MAX_SCANS, locate_lines, picture_pages, recognize_lines
from ascertain.documents.formats.pdf.words import (
    Hyphens,
    PasswordNeeded,
    Unreadable,
    count_pictures,
    facts_of,
    load_page,
    open_pdf,
    outline_of,
    page_count,
    words_on,
)
from ascertain.documents.formats.pdf.writing import Outline, Writer, fold_heading
from ascertain.documents.formats.reader import Extracted, SourceFile, too_long
from ascertain.documents.formats.registry import can_recognize, how_to_recognize

_MOST_NAMES = 20
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
            outline = {(page, fold_heading(title)): level for page, level, title in outline_of(document)}
    except PasswordNeeded as error:
        raise file.error("encrypted; save it without a password and add it again") from error
    except Unreadable as error:
        raise file.error("damaged or cut off, PDFium cannot open it; get the file again") from error
    kept, furniture = split_furniture(pages.lines)
    # Where page numbers are all there is, they are the text.
    lines = [line for page in (kept if any(kept) else pages.lines) for line in with_edges(page)]
    members = [(name, partial(io.BytesIO, content)) for name, content in pages.attached if content and is_wanted(name)]
    if not lines and not members and not pages.figures:
        raise file.error(scans.describe_nothing())
    title = None
    if lines or pages.figures:
        extracted = _build_extracted(lines, furniture if any(kept) else (), facts, outline) if lines else Extracted("")
        title = extracted.title
        drawn = place_figures(pages.figures, lines, extracted.text, extracted.blocks)
        yield replace(
            extracted,
            left_out=tuple(_list_left_out(pages, scans)),
            notes=tuple(scans.list_notes()),
            pictures=choose_pictures(file, drawn),
        )
    for extracted in read_members(file, members):
        named = f"{extracted.title}, attached to {title}" if title else extracted.title
        yield replace(extracted, title=named, author=extracted.author or short_line(facts.get("Author")))


def _list_left_out(pages: "_Pages", scans: "_Scans") -> Iterator[LeftOut]:
    """What is on the pages, or attached, and not in the text."""
    if pages.damaged:
        yield LeftOut("damaged pages", len(pages.damaged), names=(list_numbers(pages.damaged),))
    if scans.left_out:
        yield LeftOut("pages that are pictures", len(scans.left_out), names=(list_numbers(scans.left_out),))
    unread = [name for name, content in pages.attached if not content or not is_wanted(name)]
    if unread:
        yield LeftOut("attachments", len(unread), names=tuple(unread[:_MOST_NAMES]))
    if pages.pictures:
        yield LeftOut("pictures", pages.pictures)
    for what, count in pages.unread.items():
        yield LeftOut(what, count)


def read_picture(file: SourceFile) -> Iterator[Extracted]:
    """The text that is recognised on a picture, and the picture where it is to be described. Raises SourceError where there is neither."""
    scans = _Scans(file)
    drawn = [DrawnPicture(file.data, 0, Place(page=1), "")]
    pictures = choose_pictures(file, drawn)
    if not can_recognize() and not pictures:
        raise file.error(f"a picture; {how_to_recognize()}")
    try:
        pages = [
            _order_page(scans.recognize(pixels), number)
            for number, pixels in enumerate(picture_pages(file.path), 1)
            if can_recognize()
        ]
    except Unreadable as error:
        raise file.error(str(error)) from error
    kept, furniture = split_furniture(pages)
    lines = [line for page in kept for line in with_edges(page)]
    if not lines and not pictures:
        raise file.error("no text was recognised on it")
    extracted = _build_extracted(lines, furniture, {}, {}) if lines else Extracted("")
    yield replace(extracted, pictures=pictures)


class _Scans:
    """Recognises the pages of one file that are pictures, and notes those that cannot be where the extra is missing."""

    def __init__(self, file: SourceFile) -> None:
        self._file = file
        self._recognized = 0
        self.left_out: list[int] = []

    def read_page(self, document: Any, index: int) -> list[Line]:
        """The lines on a page without text of its own."""
        pixels = draw_scan(document, index)
        if pixels is None:
            return []
        if not can_recognize():
            self.left_out.append(index + 1)
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
        if self.left_out:
            return f"no text in it, only pictures; {how_to_recognize()}"
        return "no text in it, and none was recognised on its pictures" if self._recognized else "no text in it"

    def list_notes(self) -> list[str]:
        """What to do about pages that were not read."""
        return [f"pages that are only a picture: {how_to_recognize()}"] if self.left_out else []


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

    Pictures are left out, since they are not read here, and so is doubly packed data.
    """
    limit = file.options.limits.unpacked_bytes
    if len(data) * _MOST_UNPACKED <= limit:
        return
    for match in _STREAM.finditer(data):
        head = data[max(0, match.start() - _DICTIONARY_BYTES) : match.start()]
        dictionary = head[head.rfind(b"obj") + 1 :]
        if b"/Image" not in dictionary and _unpacks_beyond(limit, memoryview(data)[match.end() :]):
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


@dataclass(slots=True)
class _Pages:
    """The lines of all pages, and what else is on them."""

    lines: list[list[Line]] = field(default_factory=list[list[Line]])
    damaged: list[int] = field(default_factory=list[int])
    """Numbers of pages that cannot be loaded."""
    pictures: int = 0
    figures: list[PageFigure] = field(default_factory=list[PageFigure])
    """Those to be described, where that is wanted."""
    unread: Counter[str] = field(default_factory=Counter[str])
    attached: list[tuple[str, bytes]] = field(default_factory=list[tuple[str, bytes]])


def _read_pages(file: SourceFile, document: Any, scans: _Scans) -> _Pages:
    count = page_count(document)
    if count == 0:
        raise file.error("has no pages")
    if count > _MAX_PAGES:
        raise file.error(f"{count:,} pages, over the limit of {_MAX_PAGES:,}; split it")
    pages = _Pages()
    open_forms(document)
    characters = 0
    for index in range(count):
        ordered = _read_page(file, document, index, pages, scans=scans)
        pages.lines.append(ordered)
        characters += sum(len(line.text) for line in ordered)
        if characters > file.options.max_characters:
            raise too_long(file)
    pages.attached += read_attachments(document, file.options.limits.unpacked_bytes)
    return pages


def _read_page(file: SourceFile, document: Any, index: int, pages: _Pages, *, scans: _Scans) -> list[Line]:
    try:
        with load_page(document, index) as page:
            words = words_on(page)
            notes = read_notes(document, page, file.options.limits.unpacked_bytes)
            pages.pictures += count_pictures(page) if words else 0
    except Unreadable:
        pages.damaged.append(index + 1)
        return []
    pages.unread.update(notes.left_out)
    pages.attached += notes.attached
    parts = find_fragments(write_formulas(words)) if words else scans.read_page(document, index)
    ordered = _order_page([*place_fields(parts, notes.fields), *notes.lines], index + 1)
    if file.options.reads_pictures and (figures := read_figures(document, index, ordered)):
        pages.figures += figures
        file.options.on_piece()  # to draw a page takes as long as to read ten
    placed = _place_turned(ordered, find_turned(words), index + 1)
    return [*placed, *(replace(line, page=index + 1, block=_BEHIND) for line in notes.comments)]


_BEHIND = 1_000_000
"""The block of what stands behind all others of its page; what is set sideways has blocks from here on."""
_LEADING = 1.7
"""Sizes of type between the baselines of a paragraph at most."""


_MOST_LINES = 1000
"""A page of more, level or sideways, is a map or a drawing; looking for what stands beside what there only takes time."""


def _place_turned(lines: Sequence[Line], turned: Sequence[Turned], page: int) -> list[Line]:
    """The lines of a page with what is set sideways at the line that it stands beside, else behind all; no paragraph is cut by it."""
    at: dict[int, list[Line]] = {}
    is_drawing = len(lines) > _MOST_LINES or len(turned) > _MOST_LINES
    for number, each in enumerate(turned, 1):
        place = len(lines) if is_drawing else _find_place(lines, each)
        block = _BEHIND + number
        at.setdefault(place, []).extend(
            replace(line, page=page, block=block, apart=BlockKind.CAPTION) for line in each.lines
        )
    return [line for place in range(len(lines) + 1) for line in (*at.get(place, ()), *lines[place : place + 1])]


def _find_place(lines: Sequence[Line], turned: Turned) -> int:
    word = turned.beside
    if word is None:
        return len(lines)
    near = [
        (abs(line.y - word.y), number)
        for number, line in enumerate(lines)
        if abs(line.y - word.y) <= line.size and line.x0 - 1 <= word.x0 <= line.x1 + 1
    ]
    if not near:
        return len(lines)
    place = min(near)[1] + turned.is_behind
    while 0 < place < len(lines) and _is_next(lines[place - 1], lines[place]):
        place += 1
    return place


def _is_next(line: Line, following: Line) -> bool:
    """Whether a line may go on with a paragraph of words."""
    is_near = line.block == following.block and 0 < line.y - following.y <= _LEADING * following.size
    return is_near and all(sum(map(str.isalpha, each.text)) > 0.5 * len(each.text) for each in (line, following))


def _order_page(parts: Sequence[Line], number: int) -> list[Line]:
    return [replace(line, page=number) for line in in_reading_order(parts)]


def _build_extracted(
    lines: Sequence[Line], furniture: Sequence[Line], facts: dict[str, str], outline: Outline
) -> Extracted:
    style = style_of(lines)
    paragraphs = build_paragraphs(_outline_lines(lines, outline), style)
    writer = Writer(Hyphens(line.text for line in lines), style, outline)
    for paragraph in paragraphs:
        writer.add(paragraph)
    title = [writer.line(paragraph) for paragraph in paragraphs if paragraph.role is Role.TITLE]
    writer.finish(furniture)
    text, blocks = writer.draft.finish()
    pages = [block for block in blocks if block.kind is BlockKind.PAGE]
    scanned = [line for paragraph in paragraphs for line in paragraph.lines if line.scanned]
    blocks = (*locate_lines(text, pages, scanned), *blocks)
    return Extracted(
        text,
        title=_real_title(facts.get("Title", "")) or short_line(" ".join(title)),
        author=short_line(facts.get("Author")),
        published_at=_find_published(text, facts),
        blocks=blocks,
    )


def _outline_lines(lines: Sequence[Line], outline: Outline) -> list[Line]:
    """The lines, with those in the outline marked."""
    if not outline:
        return list(lines)
    return [
        replace(line, is_outlined=True) if (line.page, fold_heading(line.text)) in outline else line for line in lines
    ]


def _real_title(candidate: str) -> str | None:
    title = short_line(candidate)
    return None if title is None or len(title) < 4 or _NO_TITLE.fullmatch(title) else title


def _find_published(text: str, facts: dict[str, str]) -> Any:
    """The date the first page says it was published, else the date the file was made."""
    match = _PUBLISHED.search(text[:6000])
    return (parse_date(match[1]) if match else None) or parse_pdf_date(facts.get("CreationDate", ""))
