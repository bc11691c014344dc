"""E-mail: messages and mailboxes, with headers as metadata, quoted replies told apart, attachments as documents of their own.

What a reply quotes of an earlier message is somebody else's words at another time: it stands in a section of its own, which a citation names.
"""

import importlib
import io
import mailbox
import re
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import replace
from datetime import datetime
from email import message_from_binary_file, message_from_bytes
from email.message import EmailMessage
from email.policy import EmailPolicy
from functools import partial
from typing import Any, cast

from ascertain.language.word_lists import load_pattern
from ascertain.sources.formats.archives import Member, read_members
from ascertain.sources.formats.draft import Draft, clean_line, clean_text, short_line
from ascertain.sources.formats.encodings import Basis, decode_text
from ascertain.sources.formats.markup import markup_text, markup_tree
from ascertain.sources.formats.metadata import parse_date
from ascertain.sources.formats.reader import Extracted, SourceFile

QUOTED = "Quoted from an earlier message"
_HEADERS = ("From", "To", "Cc", "Date", "Subject")
_SAID_BY = load_pattern("mail", "attributions", "mul")
_FORWARD = load_pattern("mail", "originals", "mul")
_ATTRIBUTION = re.compile(rf"^[ \t]*(?:{_SAID_BY})\s*$", re.IGNORECASE)
_ORIGINAL = re.compile(rf"^[ \t]*(?:-{{2,}}|_{{5,}})?[ \t]*(?:{_FORWARD})[ \t]*-*[ \t]*$", re.IGNORECASE)
_SIGNATURE = re.compile(r"^-- ?$")
_PREFIX = re.compile(r"^[ \t]*(?:>[ \t]?)+")
_LONGEST_MESSAGE = 50_000_000
"""Bytes of one message of a mailbox; servers refuse longer ones."""
_LONGEST_HEADER = 20_000
"""Characters of a header that are parsed: a tenth of a second of the standard library's parser, and over 400 addresses. A list of
50,000 addresses takes it 22 seconds.
"""


class _BoundedHeaders(EmailPolicy):
    """The standard policy, over no more of a header than ``_LONGEST_HEADER``."""

    def header_fetch_parse(self, name: str, value: str) -> str:
        return super().header_fetch_parse(name, value[:_LONGEST_HEADER])


_POLICY = _BoundedHeaders()


def read_message(file: SourceFile) -> Iterator[Extracted]:
    """The message in a file, then what is attached to it."""
    with file.path.open("rb") as stream:
        message = cast("EmailMessage", message_from_binary_file(stream, policy=_POLICY))
    if not any(name in message for name in ("From", "To", "Subject", "Date", "Received", "Message-ID")):
        raise file.error("no header of an e-mail in it; save the message again as .eml, or the text as .txt")
    found = False
    for extracted in _read_parts(file, message, "message", None):
        found = True
        yield extracted
    if not found:
        raise file.error("no readable text in it")


def read_mailbox(file: SourceFile) -> Iterator[Extracted]:
    """The messages of a mailbox in the form mbox, one document each, named by its number."""
    count = 0
    with closing(mailbox.mbox(file.path, create=False)) as box:
        for number, key in enumerate(box.iterkeys(), 1):
            with closing(box.get_file(key)) as stream:
                data = stream.read(_LONGEST_MESSAGE + 1)
            if len(data) > _LONGEST_MESSAGE:
                file.options.on_bad_row(f"{file.source}#{number}", f"longer than {_LONGEST_MESSAGE:,} bytes")
                continue
            message = cast("EmailMessage", message_from_bytes(data, policy=_POLICY))
            for extracted in _read_parts(file, message, f"message {number}", str(number)):
                count += 1
                yield extracted
    if not count:
        raise file.error("no message in it; a mailbox begins with a line that begins with 'From '")


def _read_parts(file: SourceFile, message: EmailMessage, part: str, row: str | None) -> Iterator[Extracted]:
    for name, value in message.raw_items():
        if len(value) > _LONGEST_HEADER:
            told = f"the header {clean_line(name)[:100]} is longer than {_LONGEST_HEADER:,} characters: the rest of it was left out"
            file.options.on_bad_row(f"{file.source}#{row}" if row else file.source, told)
    body = _build_body(message, part)
    subject = body.title
    if body.text:
        yield replace(body, row=row)
    elif row:
        file.options.on_bad_row(f"{file.source}#{row}", "no readable text in it")
    inner = replace(file, options=replace(file.options, source=f"{file.source}#{row}")) if row else file
    for extracted in read_members(inner, _list_attachments(message)):
        named = f"{row}#{extracted.row}" if row else extracted.row
        title = f"{extracted.title}, attached to {subject}" if subject else extracted.title
        date = extracted.published_at or body.published_at
        yield replace(extracted, row=named, title=title, published_at=date, author=extracted.author or body.author)


def _build_body(message: EmailMessage, part: str) -> Extracted:
    """The headers that people read, and the text with what it quotes told apart."""
    headers = {name: line for name in _HEADERS if (line := _read_header(message, name))}
    draft = Draft()
    draft.part = part
    for name, line in headers.items():
        draft.add(f"{name}: {line}", "\n")
    has_words = False
    for is_quoted, text in split_quotes(_body_text(message)):
        has_words = True
        draft.section = ()
        if is_quoted:
            draft.enter_section(QUOTED, 1)
        draft.add(text)
    text, blocks = draft.finish()
    return Extracted(
        text if has_words or "Subject" in headers else "",
        title=short_line(headers.get("Subject")),
        author=_read_author(headers.get("From")),
        published_at=_read_date(headers.get("Date")),
        blocks=blocks,
    )


def _read_header(message: EmailMessage, name: str) -> str:
    """A header as people read it; what the standard library cannot parse as it stands."""
    try:
        value = str(message.get(name) or "")
    except Exception:
        # its parser fails on damaged headers in ways of its own
        value = _raw_header(message, name)
    raw = _raw_header(message, name)
    if not raw.isascii():
        # bytes that are not ASCII, which the standard library keeps as surrogates and shows as unknown
        with suppress(ValueError):
            value = decode_text(raw.encode("utf-8", "surrogateescape")).text
    return clean_line(value[:_LONGEST_HEADER])[:2000]


def _raw_header(message: EmailMessage, name: str) -> str:
    return next((str(value) for key, value in message.raw_items() if key.lower() == name.lower()), "")


_ADDRESS = re.compile(r"\s*<[^<>]*>\s*$")


def _read_author(sender: str | None) -> str | None:
    return short_line(_ADDRESS.sub("", sender).strip(" \"'") or sender.strip("<>")) if sender else None


def _read_date(value: str | None) -> datetime | None:
    # a comment with the name of the zone may stand behind it
    return parse_date(re.sub(r"\s*\([^()]*\)\s*$", "", value)) if value else None


def _body_text(message: EmailMessage) -> str:
    """The body in words: plain text where the message has it, else its HTML."""
    try:
        body = cast("EmailMessage | None", message.get_body(("plain", "html")))
    except Exception:
        # as above
        body = None
    if body is None:
        body = message if message.get_content_maintype() == "text" else None
    if body is None:
        return ""
    text = _decode_part(body)
    if body.get_content_subtype() == "plain" and text.strip():
        return text
    if body.get_content_subtype() == "plain":
        html = cast("EmailMessage | None", message.get_body(("html",)))
        return _html_text(_decode_part(html)) if html is not None else ""
    return _html_text(text)


def _decode_part(part: EmailMessage) -> str:
    """The text of a part in the encoding that it names, or that its bytes show where it names none that is known."""
    data = part.get_payload(decode=True)
    if not isinstance(data, bytes):
        return ""
    try:
        return decode_text(data, part.get_content_charset()).text
    except ValueError:
        return ""


def _html_text(markup: str) -> str:
    """The text of HTML, what it quotes behind ``>`` as in plain text."""
    tree = markup_tree(markup)
    if tree is None:
        return ""
    library = cast("Any", importlib.import_module("lxml.etree"))
    quotes = [each for each in tree.iter("blockquote", "div") if _is_quote(each)]
    outer = [each for each in quotes if not any(above in quotes for above in each.iterancestors())]
    quoted: list[str] = []
    for each in outer:
        text = markup_text(library.tostring(each, encoding="unicode", with_tail=False))
        quoted += [f"> {line}" for line in text.split("\n")]
        _remove_element(each)
    main = markup_text(library.tostring(tree, encoding="unicode", with_tail=False))
    return "\n\n".join(filter(None, (main, "\n".join(quoted))))


def _is_quote(element: Any) -> bool:
    name = f"{element.get('class') or ''} {element.get('id') or ''}"
    return element.tag == "blockquote" or "gmail_quote" in name or "yahoo_quoted" in name or "divRplyFwdMsg" in name


def _remove_element(element: Any) -> None:
    """Take an element out and leave the text behind it."""
    parent = element.getparent()
    before = element.getprevious()
    if before is None:
        parent.text = (parent.text or "") + (element.tail or "")
    else:
        before.tail = (before.tail or "") + (element.tail or "")
    parent.remove(element)


def split_quotes(text: str) -> list[tuple[bool, str]]:
    """The body in stretches, each with whether it is quoted from an earlier message; signatures are left out.

    A line that says who wrote what follows goes with the quotation; below a line such as ``-----Original Message-----`` all is quoted.
    """
    lines = clean_text(text).split("\n")
    marks = [bool(_PREFIX.match(line)) for line in lines]
    for number, line in enumerate(lines):
        if _ORIGINAL.match(line):
            marks[number:] = [True] * (len(lines) - number)
            break
    _mark_attributions(lines, marks)
    stretches: list[tuple[bool, list[str]]] = []
    is_signature = False
    for line, is_quoted in zip(lines, marks, strict=True):
        is_signature = (is_signature or bool(_SIGNATURE.match(line))) and not is_quoted
        if is_signature:
            continue
        if not line.strip() and stretches:
            stretches[-1][1].append("")
            continue
        if not stretches or stretches[-1][0] != is_quoted:
            stretches.append((is_quoted, []))
        stretches[-1][1].append(_PREFIX.sub("", line) if is_quoted else line)
    texts = ((is_quoted, clean_text("\n".join(each))) for is_quoted, each in stretches)
    return [(is_quoted, each) for is_quoted, each in texts if each]


def _mark_attributions(lines: Sequence[str], marks: list[bool]) -> None:
    """``On Monday, Ana wrote:`` on one line or two above a quotation belongs to it."""
    for number, is_quoted in enumerate(marks):
        if not is_quoted or (number and marks[number - 1]):
            continue
        above = number - 1
        while above >= 0 and not lines[above].strip():
            above -= 1
        for first in (above, above - 1):
            if first >= 0 and _ATTRIBUTION.match(" ".join(lines[first : above + 1])):
                marks[first : above + 1] = [True] * (above + 1 - first)
                break


def _list_attachments(message: EmailMessage) -> Iterator[Member]:
    """What is attached under a name; a message that was forwarded as a whole too. Pictures inside the text are no attachments."""
    number = 0
    for part in _iter_parts(message):
        name = _attachment_name(part)
        forwarded = part.get_content_type() == "message/rfc822"
        if not forwarded and part.get_content_disposition() != "attachment":
            continue
        number += 1
        data = _attached_bytes(part)
        if forwarded and not name.endswith(".eml"):
            name = f"message {number}.eml"
        yield name or f"attachment {number}", partial(io.BytesIO, data)


def _attached_bytes(part: Any) -> bytes:
    """What is attached; of a message that was forwarded as a whole the message."""
    if part.get_content_type() == "message/rfc822":
        inner = cast("list[Any]", part.get_payload())
        return bytes(inner[0].as_bytes()) if isinstance(inner, list) and inner else b""  # pyright: ignore[reportUnnecessaryIsInstance]
    payload = part.get_payload(decode=True)
    return _mark_charset(part, payload) if isinstance(payload, bytes) else b""


def _mark_charset(part: Any, payload: bytes) -> bytes:
    """Attached text in UTF-8 with its mark where the mail declares another encoding, of which the text itself says nothing."""
    charset = part.get_content_charset()
    if part.get_content_maintype() != "text" or not charset:
        return payload
    try:
        decoded = decode_text(payload, charset)
    except ValueError:
        return payload
    return decoded.text.encode("utf-8-sig", "replace") if decoded.basis is Basis.DECLARED else payload


def _iter_parts(message: EmailMessage) -> Iterator[Any]:
    """The parts of a message that are no lists of parts themselves, without those of messages inside it."""
    waiting: list[Any] = [message]
    while waiting:
        part = waiting.pop()
        if part.get_content_maintype() == "multipart" and part.is_multipart():
            waiting += reversed(cast("list[Any]", part.get_payload()))
        elif part is not message:
            yield part


def _attachment_name(part: Any) -> str:
    try:
        return clean_line(str(part.get_filename() or ""))
    except Exception:
        # as above
        return ""
