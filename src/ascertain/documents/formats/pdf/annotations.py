"""What stands on the pages of a PDF without being printed in them: fields that are filled in, comments, attached files.

A filled field is put where its label is printed, as ``Applicant name: Torvald Eriksen``; one without a label in sight goes by its name.
"""

import ctypes
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, cast

from ascertain.core.documents.blocks import BlockKind
from ascertain.documents.formats.dom.markup import markup_tree
from ascertain.documents.formats.drafts.draft import clean_line, clean_text
from ascertain.documents.formats.pdf.lines import Line
from ascertain.documents.formats.pdf.words import PDFIUM_LOCK, PdfiumError, raw

_MOST_ANNOTATIONS = 10_000
"""Of one page (by judgement); links of an index are hundreds."""
_LONGEST_VALUE = 1_000_000
"""Bytes of one string, two for a character."""
_HIDDEN = 0x02 | 0x20
"""Flags of what is neither shown nor printed, or not shown (ISO 32000-1, 12.5.3)."""
_SAME_ROW = 0.6
"""A label stands on the row of its field where its baseline lies within the field, or as far from it, in sizes of type."""
_FARTHEST_LABEL = 250.0
"""Points between a field and its label beside it (by judgement): a third of a page."""
_FARTHEST_ABOVE = 1.6
"""Sizes of type between a field and its label above it."""
_USUAL_SIZE = 10.0
_WIDE_CHARACTERS = cast("Any", ctypes.POINTER(raw.FPDF_WCHAR))


class Box(NamedTuple):
    """A rectangle on a page in points, y upwards."""

    left: float
    bottom: float
    right: float
    top: float


@dataclass(frozen=True, slots=True)
class _Field:
    box: Box
    name: str
    value: str
    is_mark: bool
    """It is a box to be ticked or a button to be chosen; its label may stand behind it."""
    is_chosen: bool = False
    """It is the chosen one of several buttons; what it says is printed beside it."""


@dataclass(frozen=True, slots=True)
class PageNotes:
    """What is on one page: fields, text put on it later and comments, in order, and counts of what is not read, by what it is."""

    fields: tuple[_Field, ...] = ()
    lines: tuple[Line, ...] = ()
    comments: tuple[Line, ...] = ()
    left_out: tuple[str, ...] = ()
    attached: tuple[tuple[str, bytes], ...] = ()


def open_forms(document: Any) -> None:
    """Make the fields of a form readable, if there are any; before the first page is loaded."""
    with PDFIUM_LOCK:
        try:
            if document.get_formtype() != raw.FORMTYPE_NONE:
                document.init_forms()
        except PdfiumError:
            return


def read_notes(document: Any, page: Any, most_bytes: int) -> PageNotes:
    """What is put on a page; the lock is held by the caller. Files of more than ``most_bytes`` are named without being read."""
    form = document.formenv.raw if document.formenv else None
    fields: list[_Field] = []
    lines: list[Line] = []
    comments: list[Line] = []
    left_out: list[str] = []
    attached: list[tuple[str, bytes]] = []
    for number in range(min(raw.FPDFPage_GetAnnotCount(page.raw), _MOST_ANNOTATIONS)):
        handle = raw.FPDFPage_GetAnnot(page.raw, number)
        if not handle:
            continue
        try:
            kind = raw.FPDFAnnot_GetSubtype(handle)
            is_hidden = bool(raw.FPDFAnnot_GetFlags(handle) & _HIDDEN)
            if kind == raw.FPDF_ANNOT_WIDGET and form:
                field = _read_field(form, handle)
                if isinstance(field, _Field) and is_hidden:
                    left_out.append("hidden form fields")
                elif isinstance(field, _Field):
                    fields.append(field)
                elif field:
                    left_out.append(field)
            elif kind == raw.FPDF_ANNOT_FREETEXT and not is_hidden:
                lines.extend(_read_free_text(handle))
            elif kind == raw.FPDF_ANNOT_FILEATTACHMENT:
                attached.extend(_read_file(raw.FPDFAnnot_GetFileAttachment(handle), most_bytes))
            elif kind in _RECORDINGS:
                left_out.append("recordings")
            elif kind not in _SILENT:
                found = list(_read_comment(handle))
                comments += () if is_hidden else found
                left_out += ["hidden comments"] * len(found) if is_hidden else ()
        finally:
            raw.FPDFPage_CloseAnnot(handle)
    return PageNotes(tuple(fields), tuple(lines), tuple(comments), tuple(left_out), tuple(attached))


_UNREAD_FIELDS = {raw.FPDF_FORMFIELD_PUSHBUTTON: "push buttons", raw.FPDF_FORMFIELD_SIGNATURE: "signatures"}
"""Fields whose words PDFium does not give."""
_SILENT = frozenset((raw.FPDF_ANNOT_LINK, raw.FPDF_ANNOT_POPUP, raw.FPDF_ANNOT_WIDGET))
_RECORDINGS = frozenset((raw.FPDF_ANNOT_SOUND, raw.FPDF_ANNOT_MOVIE, raw.FPDF_ANNOT_SCREEN, raw.FPDF_ANNOT_RICHMEDIA))


def read_attachments(document: Any, most_bytes: int) -> list[tuple[str, bytes]]:
    """The files attached to the document, of at most ``most_bytes`` together; of those beyond only the name, with no bytes."""
    attachments: list[tuple[str, bytes]] = []
    with PDFIUM_LOCK:
        for number in range(min(max(0, raw.FPDFDoc_GetAttachmentCount(document.raw)), _MOST_ANNOTATIONS)):
            for name, data in _read_file(raw.FPDFDoc_GetAttachment(document.raw, number), most_bytes):
                attachments.append((name, data))
                most_bytes -= len(data)
    return attachments


def _read_file(handle: Any, most_bytes: int) -> Iterator[tuple[str, bytes]]:
    if not handle:
        return
    name = clean_line(_read_string(raw.FPDFAttachment_GetName, handle)) or "attachment"
    length = ctypes.c_ulong()
    has_length = raw.FPDFAttachment_GetFile(handle, None, 0, length)
    if not has_length or not 0 < length.value <= most_bytes:
        yield name, b""
        return
    data = ctypes.create_string_buffer(length.value)
    is_read = raw.FPDFAttachment_GetFile(handle, data, length.value, length)
    yield name, data.raw if is_read else b""


def _read_string(read: Callable[..., Any], *arguments: Any) -> str:
    """A string of UTF-16 that PDFium writes into a buffer of the length that it says."""
    length = read(*arguments, None, 0)
    if not 2 < length <= _LONGEST_VALUE:
        return ""
    text = ctypes.create_string_buffer(length)
    read(*arguments, ctypes.cast(text, _WIDE_CHARACTERS), length)
    return text.raw.decode("utf-16-le", "replace").rstrip("\0")


def _box_of(handle: Any) -> Box:
    rectangle = raw.FS_RECTF()
    raw.FPDFAnnot_GetRect(handle, rectangle)
    horizontal, vertical = sorted((rectangle.left, rectangle.right)), sorted((rectangle.bottom, rectangle.top))
    return Box(horizontal[0], vertical[0], horizontal[1], vertical[1])


def _read_field(form: Any, handle: Any) -> _Field | str | None:
    """A field that says something: text, what was chosen, whether a box is ticked; what it is where its words cannot be read."""
    kind = raw.FPDFAnnot_GetFormFieldType(form, handle)
    if kind in _UNREAD_FIELDS:
        return _UNREAD_FIELDS[kind]
    name = clean_line(_read_string(raw.FPDFAnnot_GetFormFieldAlternateName, form, handle))
    # a field inside another is called "address.town"
    name = name or clean_line(_read_string(raw.FPDFAnnot_GetFormFieldName, form, handle))
    box = _box_of(handle)
    if kind == raw.FPDF_FORMFIELD_CHECKBOX:
        return _Field(box, name, "yes" if raw.FPDFAnnot_IsChecked(form, handle) else "no", is_mark=True)
    if kind == raw.FPDF_FORMFIELD_RADIOBUTTON:
        if not raw.FPDFAnnot_IsChecked(form, handle):
            return None
        value = clean_line(_read_string(raw.FPDFAnnot_GetFormFieldExportValue, form, handle))
        return _Field(box, name, value, is_mark=True, is_chosen=True)
    if kind in (raw.FPDF_FORMFIELD_COMBOBOX, raw.FPDF_FORMFIELD_LISTBOX):
        value = "; ".join(_list_chosen(form, handle))
    elif kind == raw.FPDF_FORMFIELD_TEXTFIELD:
        is_secret = raw.FPDFAnnot_GetFormFieldFlags(form, handle) & raw.FPDF_FORMFLAG_TEXT_PASSWORD
        value = "" if is_secret else clean_text(_read_string(raw.FPDFAnnot_GetFormFieldValue, form, handle))
    else:
        return None
    return _Field(box, name, value, is_mark=False) if value else None


def _list_chosen(form: Any, handle: Any) -> Iterator[str]:
    """The options that are chosen, as they are shown; what is written instead of one."""
    found = False
    for number in range(min(max(0, raw.FPDFAnnot_GetOptionCount(form, handle)), _MOST_ANNOTATIONS)):
        if raw.FPDFAnnot_IsOptionSelected(form, handle, number):
            found = True
            yield clean_line(_read_string(raw.FPDFAnnot_GetOptionLabel, form, handle, number))
    if not found and (value := clean_line(_read_string(raw.FPDFAnnot_GetFormFieldValue, form, handle))):
        yield value


def _string_of(handle: Any, key: bytes) -> str:
    return clean_text(_read_string(raw.FPDFAnnot_GetStringValue, handle, key))


def _contents_of(handle: Any) -> str:
    """What a note says; the words of its rich text, which is XHTML, where it has no other (ISO 32000-1, 12.7.3.4)."""
    if text := _string_of(handle, b"Contents"):
        return text
    tree = markup_tree(_string_of(handle, b"RC"))
    return "" if tree is None else clean_line(" ".join(map(str, tree.itertext())))


def _read_free_text(handle: Any) -> Iterator[Line]:
    """Words that somebody put on the page, which show as if they were printed."""
    text, box = _contents_of(handle), _box_of(handle)
    if text:
        yield _make_line(text, box, BlockKind.PARAGRAPH, None)


def _read_comment(handle: Any) -> Iterator[Line]:
    text, author = _contents_of(handle), clean_line(_string_of(handle, b"T"))
    if text:
        shown = f"Comment by {author}: {text}" if author else f"Comment: {text}"
        yield _make_line(shown, _box_of(handle), BlockKind.COMMENT, author or None)


def _make_line(text: str, box: Box, kind: BlockKind, label: str | None) -> Line:
    size = min(max(box.top - box.bottom, 1.0), _USUAL_SIZE)
    return Line(text, box.left, box.right, box.top - size, size, is_bold=False, is_mono=False, apart=kind, label=label)


def place_fields(parts: Sequence[Line], fields: Sequence[_Field]) -> list[Line]:
    """The parts of the lines of a page with what is filled in put behind its label."""
    placed = list(parts)
    for field in fields:
        number = _find_label(placed, field)
        name = field.name
        if field.is_chosen:
            said = placed.pop(number).text if number is not None else field.value
            line = _make_line(f"{name}: {said}" if name else said, field.box, BlockKind.FIELD, name or None)
            placed.append(line)
        elif number is None:
            placed.append(_make_line(_write_field(name, field.value), field.box, BlockKind.FIELD, name or None))
        else:
            label = placed[number]
            name = label.text.rstrip(" :.…_")
            placed[number] = replace(
                label,
                text=_write_field(name, field.value),
                x0=min(label.x0, field.box.left),
                x1=max(label.x1, field.box.right),
                apart=BlockKind.FIELD,
                label=name,
            )
    return placed


def _write_field(name: str, value: str) -> str:
    mark = "" if not name or name.endswith((":", "?")) else ":"
    return f"{name}{mark} {value}".strip()


def _find_label(parts: Sequence[Line], field: _Field) -> int | None:
    """The number of the nearest words beside a field, before it or, of a box to be ticked, behind it; else of those right above it."""
    box = field.box
    beside: list[tuple[float, int]] = []
    above: list[tuple[float, int]] = []
    for number, part in enumerate(parts):
        if part.apart or not any(character.isalpha() for character in part.text):
            continue
        reach = _SAME_ROW * part.size
        if box.bottom - reach <= part.y <= box.top:
            is_before = part.x1 <= box.left + reach
            is_behind = part.x0 >= box.right - reach
            distance = min(abs(box.left - part.x1), abs(part.x0 - box.right))
            if (
                is_behind if field.is_chosen else is_before or (field.is_mark and is_behind)
            ) and distance <= _FARTHEST_LABEL:
                beside.append((distance, number))
        elif 0 < part.y - box.top <= _FARTHEST_ABOVE * part.size and part.x0 < box.right and part.x1 > box.left:
            above.append((abs(part.x0 - box.left), number))
    found = beside or ([] if field.is_mark else above)
    return min(found)[1] if found else None
