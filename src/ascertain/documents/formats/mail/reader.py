"""E-mail: messages and mailboxes, with headers as fields, quoted replies separated, attachments as separate documents.

What a reply quotes of an earlier message is someone else's text from another time: it is in a separate section, which a citation names.
"""

import io
import mailbox
import mimetypes
import posixpath
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import replace
from datetime import datetime
from email import message_from_binary_file, message_from_bytes
from email.message import EmailMessage
from email.policy import EmailPolicy
from functools import lru_cache, partial
from itertools import islice
from typing import Any, NamedTuple, cast

from ascertain.core.documents.blocks import BlockKind
from ascertain.core.documents.documents import LeftOut
from ascertain.documents.formats.dom.markup import markup_text
from ascertain.documents.formats.drafts.draft import Draft, clean_line, short_line
from ascertain.documents.formats.drafts.metadata import parse_date
from ascertain.documents.formats.files.archives import (
    MAX_DEPTH,
    MAX_FILES,
    Member,
    is_wanted,
    lies_too_deep,
    read_members,
)
from ascertain.documents.formats.files.encodings import Basis, decode_text
from ascertain.documents.formats.mail.bodies import Body, join_flowed
from ascertain.documents.formats.reader import Extracted, SourceFile, count_words
from ascertain.documents.formats.registry import describe_remedies

_HEADERS = ("From", "To", "Cc", "Bcc", "Date", "Subject")
_LONGEST_MESSAGE = 50_000_000
"""Bytes of one message of a mailbox; servers refuse longer ones."""
_LONGEST_HEADER = 20_000
"""Characters of a header that are parsed: a tenth of a second of the standard library's parser, and over 400 addresses. A list of
50,000 addresses takes it 22 seconds.
"""
_NEEDED = ("From", "To", "Subject", "Date", "Received", "Message-ID", "MIME-Version")
"""Headers of which a message has one."""
_MESSAGE = "message/rfc822"
_ELSEWHERE = "message/external-body"
_SHOWN = frozenset(("text/plain", "text/html", "text/enriched", "text/rfc822-headers", "message/delivery-status"))
_SUFFIXES = {
    **dict.fromkeys((_MESSAGE, "message/global", "message/news"), ".eml"),
    "text/calendar": ".ics",
    "text/vcard": ".vcf",
    "text/x-vcard": ".vcf",
    "text/directory": ".vcf",
}
"""Of types that say more than the name they come under."""
_PLAIN_SHARE = 0.5
"""A plain version with fewer of the words than this is a stub: "your program does not show HTML" (by judgement)."""
_MOST_NAMES = 20


class _BoundedHeaders(EmailPolicy):
    """The standard policy, over no more of a header than ``_LONGEST_HEADER``."""

    def header_fetch_parse(self, name: str, value: str) -> str:
        return _parse_header(name, value[:_LONGEST_HEADER])


_POLICY = _BoundedHeaders()
_parse_header = lru_cache(100)(EmailPolicy().header_fetch_parse)
"""The type of a part is asked for again and again, and that of most parts is the same."""


def read_message(file: SourceFile) -> Iterator[Extracted]:
    """The message in a file, then what is attached to it."""
    with file.path.open("rb") as stream:
        message = cast("EmailMessage", message_from_binary_file(stream, policy=_POLICY))
    if not any(name in message for name in _NEEDED):
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


class _Content(NamedTuple):
    """The parts of a message by what becomes of them: those of its text, documents attached to it, and what is not read."""

    texts: list[Any]
    attachments: list[Member]
    left_out: list[LeftOut]
    notes: list[str]
    damaged: list[str]
    """The names of attachments whose base64 is not whole."""

    def add_unread(self, names: Sequence[str]) -> None:
        """Add attachments to what is left out."""
        if names:
            self.left_out.append(LeftOut("attachments", len(names), names=tuple(names[:_MOST_NAMES])))


def _read_parts(file: SourceFile, message: EmailMessage, part: str, row: str | None) -> Iterator[Extracted]:
    for name, value in message.raw_items():
        if len(value) > _LONGEST_HEADER:
            warning = f"the header {clean_line(name)[:100]} is longer than {_LONGEST_HEADER:,} characters: the rest of it was left out"
            file.options.on_bad_row(f"{file.source}#{row}" if row else file.source, warning)
    source = f"{file.source}#{row}" if row else file.source
    if next(islice(_iter_parts(message), MAX_FILES, None), None) is not None:
        reason = f"more than {MAX_FILES:,} parts in it; save what is attached and add the folder"
        if row is None:
            raise file.error(reason)
        file.options.on_bad_row(source, reason)
        return
    inner = replace(file, options=replace(file.options, source=source)) if row else file
    content = _sort_parts(message)
    attached = _read_attachments(inner, content)
    body = _build_body(message, content, part)
    subject = body.title
    if body.text:
        yield replace(body, row=row)
    else:
        if row:
            file.options.on_bad_row(source, "no readable text in it")
        for each in body.left_out:
            file.options.on_bad_row(source, f"{each.what} left out: {', '.join(each.names) or each.count}")
    for extracted in attached:
        named = f"{row}#{extracted.row}" if row else extracted.row
        title = f"{extracted.title}, attached to {subject}" if subject else extracted.title
        date = extracted.published_at or body.published_at
        yield replace(extracted, row=named, title=title, published_at=date, author=extracted.author or body.author)


def _read_attachments(file: SourceFile, content: _Content) -> Iterable[Extracted]:
    """The texts of what is attached, read when they are asked for; what surely cannot be read is added to what is left out.

    They are read at once where one of them is damaged, for only then is it known whether it can be read.
    """
    names = [name for name, _ in content.attachments]
    if not names:
        return ()
    if lies_too_deep(file):
        file.options.on_bad_row(
            file.source, f"lies in others more than {MAX_DEPTH} deep; what is attached to it was not read"
        )
        content.add_unread(names)
        return ()
    if not content.damaged:
        return read_members(file, content.attachments)
    failed: list[str] = []

    def note_failure(source: str, reason: str) -> None:
        file.options.on_bad_row(source, reason)
        failed.extend(name for name in (source.removeprefix(f"{file.source}#"),) if name in names)

    noting = replace(file, options=replace(file.options, on_bad_row=note_failure))
    attachments = list(read_members(noting, content.attachments))
    content.add_unread(failed)
    return attachments


def _build_body(message: EmailMessage, content: _Content, part: str) -> Extracted:
    """The headers that people read, and the text with its quotations separated."""
    headers = {name: line for name in _HEADERS if (line := _read_header(message, name))}
    draft = Draft()
    draft.part = part
    for name, line in headers.items():
        draft.add(f"{name}: {line}", "\n", BlockKind.FIELD, label=name)
    body = Body(draft)
    for each in content.texts:
        _write_part(each, body)
    body.finish()
    text, blocks = draft.finish()
    sender = _read_author(headers.get("From"))
    title = short_line(headers.get("Subject"))
    return Extracted(
        text if body.has_words or "Subject" in headers else "",
        title=title or (f"Message from {sender}" if sender else None),
        author=sender,
        published_at=_read_date(headers.get("Date")),
        blocks=blocks,
        left_out=tuple(_join_losses(content.left_out, body)),
        notes=tuple(dict.fromkeys((*content.notes, *body.notes, *_describe_defects(message)))),
    )


def _join_losses(of_parts: Sequence[LeftOut], body: Body) -> Iterator[LeftOut]:
    """What is left out of a message and of the HTML in it, of each kind together; a picture that the HTML shows is one with its part."""
    losses: dict[str, LeftOut] = {}
    for each in (*of_parts, *body.left_out):
        known = losses.get(each.what, LeftOut(each.what, 0))
        names = tuple(dict.fromkeys((*known.names, *(name for name in each.names if not name.startswith("cid:")))))
        losses[each.what] = LeftOut(each.what, known.count + each.count, known.words + each.words, names[:_MOST_NAMES])
    attached = sum(each.count for each in of_parts if each.what == "pictures")
    if (pictures := losses.get("pictures")) is not None:
        count = pictures.count - min(body.attached_pictures, attached)
        losses["pictures"] = replace(pictures, count=count)
    yield from losses.values()


def _write_part(part: Any, body: Body) -> None:
    """Add the text of one part to the body."""
    text, note = _decode_part(part)
    if note:
        body.notes.append(note)
    if part.get_content_subtype() == "html":
        body.add_html(text)
    elif part.get_content_maintype() == "multipart":
        # its boundary is missing
        body.add_plain("\n".join(line for line in text.split("\n") if not line.startswith("--")))
    elif _parameter(part, "format") == "flowed":
        body.add_plain(join_flowed(text, deletes_space=_parameter(part, "delsp") == "yes"))
    else:
        body.add_plain(text)


def _parameter(part: Any, name: str) -> str:
    """A parameter of the content type, in lower case."""
    try:
        return str(part.get_param(name) or "").lower()
    except Exception:
        # the standard library's parser fails on damaged headers in ways of its own
        return ""


def _describe_defects(message: EmailMessage) -> Iterator[str]:
    """A line on damage of the parts' structure, by which some of them may be lost."""
    names = [type(defect).__name__ for part in _iter_all(message) for defect in part.defects]
    if any("Base64" in name for name in names):
        yield "a part of the message is damaged (its base64 is not whole): some of its content may be missing"
    broken = sorted({name.removesuffix("Defect") for name in names if "Boundary" in name or "Multipart" in name})
    if broken:
        yield f"the message is damaged or cut off ({', '.join(broken)}): parts of it may be missing"


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


_ADDRESS = re.compile(r"(?:(?<!\s)\s+)?<[^<>]*>\s*$")


def _read_author(sender: str | None) -> str | None:
    return short_line(_ADDRESS.sub("", sender).strip(" \"'") or sender.strip("<>")) if sender else None


def _read_date(value: str | None) -> datetime | None:
    # a comment with the name of the zone may stand behind it
    return parse_date(re.sub(r"(?:(?<!\s)\s+)?\([^()]*\)\s*$", "", value)) if value else None


def _decode_part(part: Any) -> tuple[str, str | None]:
    """The text of a part in the encoding that it names, or that its bytes show where it names none that is known, with what may be wrong."""
    data = part.get_payload(decode=True)
    if data is None and part.is_multipart():
        # the report of a server: groups of headers
        return "\n".join(str(each) for each in part.get_payload()), None
    if not isinstance(data, bytes):
        return "", None
    try:
        decoded = decode_text(data, part.get_content_charset())
    except ValueError as error:
        return "", f"a part of its text ({len(data):,} bytes) was left out: it {error}"
    return decoded.text, decoded.note


_Branch = tuple[int, int]
"""An alternative, and which of its versions."""


def _sort_parts(message: EmailMessage) -> _Content:
    """What becomes of each part. Of a text in several versions one is taken: the plain one, unless the HTML says far more."""
    texts: list[tuple[Any, tuple[_Branch, ...]]] = []
    content = _Content([], [], [], [], [])
    unread: list[str] = []
    apart: Counter[str] = Counter()
    invitations: set[bytes] = set()
    for part, branches in _iter_parts(message):
        kind, name = part.get_content_type(), _attachment_name(part)
        if _is_text(part, name) or (part is message and part.get_content_maintype() in ("text", "multipart")):
            texts.append((part, branches))
        elif kind == _ELSEWHERE:
            content.left_out.append(_describe_elsewhere(part))
        elif what := _name_left_out(part, kind):
            apart[what] += 1
        elif kind != "text/calendar" or _attached_bytes(part) not in invitations:
            # an invitation is often in a message twice, for programs that show it and for those that do not
            invitations |= {_attached_bytes(part)} if kind == "text/calendar" else set()
            name = _complete_name(kind, name, len(content.attachments) + len(unread) + 1)
            if is_wanted(name):
                content.attachments.append((name, partial(_open_part, part)))
                content.damaged.extend([name] if _is_damaged(part) else [])
            else:
                unread.append(name)
    chosen, passed_over = _choose_versions(texts)
    content.texts.extend(chosen)
    content.left_out.extend(passed_over)
    content.add_unread(unread)
    if unread:
        remedies = describe_remedies(posixpath.splitext(name)[1].lower() for name in unread)
        content.notes.extend(filter(None, (remedies.removeprefix("; "),)))
    content.left_out.extend(LeftOut(what, count) for what, count in apart.items())
    return content


def _name_left_out(part: Any, kind: str) -> str | None:
    """What a part is that is not read: a picture inside the text, a digital signature."""
    if kind.endswith(("pgp-signature", "pkcs7-signature")):
        return "digital signatures"
    is_shown = part.get_content_disposition() != "attachment"
    return "pictures" if kind.startswith("image/") and is_shown else None


def _describe_elsewhere(part: Any) -> LeftOut:
    """A body that is to be fetched (RFC 2046, 5.2.3): what it is called and where it lies, and the words that ask for it."""
    names = ("site", "server", "directory", "name", "url")
    place = " ".join(value for name in names if (value := clean_line(_parameter(part, name))))
    words = sum(count_words(str(each.get_payload())) for each in part.get_payload() if not each.is_multipart())
    return LeftOut("bodies that lie elsewhere", 1, words, (place,) if place else ())


def _choose_versions(texts: Sequence[tuple[Any, tuple[_Branch, ...]]]) -> tuple[list[Any], list[LeftOut]]:
    """The parts of the versions that are read, and what others say that is no version of the same text."""
    words: dict[int, dict[int, list[int]]] = {}
    said: dict[tuple[_Branch, ...], list[str]] = {}
    for part, branches in texts:
        if not branches:
            continue
        is_html, shown = part.get_content_subtype() == "html", _decode_part(part)[0]
        plain = markup_text(shown) if is_html else shown
        said.setdefault(branches, []).append(plain)
        count = count_words(plain)
        for alternative, version in branches:
            counts = words.setdefault(alternative, {}).setdefault(version, [0, 0])
            counts[is_html] += count
    chosen = {alternative: _choose_version(versions) for alternative, versions in words.items()}
    read = {branches for branches in said if all(chosen[each] == version for each, version in branches)}
    held = {word for branches in read for text in said[branches] for word in text.lower().split()}
    others = [" ".join(said[branches]) for branches in said if branches not in read]
    most = max((count_words(" ".join(said[branches])) for branches in read), default=0)
    lost = [text for text in others if count_words(text) >= _PLAIN_SHARE * most and _is_other(text, held)]
    passed_over = [LeftOut("other texts offered instead", len(lost), sum(map(count_words, lost)))] if lost else []
    return [part for part, branches in texts if not branches or branches in read], passed_over


def _is_other(text: str, held: Collection[str]) -> bool:
    """Whether most words of a text are not among those ``held``: it is no version of what has them."""
    words = text.lower().split()
    return sum(word in held for word in words) < _PLAIN_SHARE * len(words)


def _choose_version(versions: dict[int, list[int]]) -> int:
    """The number of the version to read, out of how many words of plain text and of HTML each has."""
    most = max(sum(counts) for counts in versions.values())
    plain = [number for number, counts in versions.items() if not counts[1] and counts[0] >= _PLAIN_SHARE * most]
    return plain[0] if plain else max(versions, key=lambda number: sum(versions[number]))


def _is_text(part: Any, name: str) -> bool:
    """Whether a part is shown as text of the message itself."""
    if part.get_content_disposition() == "attachment" or name:
        return False
    return part.get_content_type() in _SHOWN or (part.get_content_maintype() == "multipart" and not part.is_multipart())


def _complete_name(kind: str, name: str, number: int) -> str:
    """The name of an attachment with a suffix that tells its format; a number where it has none."""
    suffix = _SUFFIXES.get(kind) or mimetypes.guess_extension(kind) or ""
    if kind in _SUFFIXES and not name.lower().endswith(suffix):
        name = f"{name}{suffix}" if name else f"{'message' if kind == _MESSAGE else 'attachment'} {number}{suffix}"
    name = name or f"attachment {number}{suffix}"
    return name if posixpath.splitext(name)[1] else f"{name}{suffix}"


def _is_damaged(part: Any) -> bool:
    """Whether a part is in base64 that is not whole."""
    if str(part.get("Content-Transfer-Encoding") or "").strip().lower() != "base64" or part.is_multipart():
        return False
    part.get_payload(decode=True)
    return any("Base64" in type(defect).__name__ for defect in part.defects)


def _open_part(part: Any) -> io.BytesIO:
    return io.BytesIO(_attached_bytes(part))


def _attached_bytes(part: Any) -> bytes:
    """What is attached; of a message that was forwarded as a whole the message."""
    if part.get_content_maintype() == "message" and part.is_multipart():
        inner = cast("list[Any]", part.get_payload())
        return bytes(inner[0].as_bytes()) if inner else b""
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


def _iter_parts(message: EmailMessage) -> Iterator[tuple[Any, tuple[_Branch, ...]]]:
    """The parts of a message that are no lists of parts themselves, without those of messages inside it, and the versions they lie in."""
    waiting: list[tuple[Any, tuple[_Branch, ...]]] = [(message, ())]
    alternatives = 0
    while waiting:
        part, branches = waiting.pop()
        if part.get_content_maintype() != "multipart" or not part.is_multipart():
            yield part, branches
            continue
        inner = cast("list[Any]", part.get_payload())
        if part.get_content_subtype() == "alternative":
            alternatives += 1
            waiting += [(each, (*branches, (alternatives, number))) for number, each in reversed([*enumerate(inner)])]
        else:
            waiting += [(each, branches) for each in reversed(inner)]


def _iter_all(message: EmailMessage) -> Iterator[Any]:
    """The message and the parts in it, without those of messages inside it."""
    waiting: list[Any] = [message]
    while waiting:
        part = waiting.pop()
        yield part
        if part.get_content_maintype() == "multipart" and part.is_multipart():
            waiting += cast("list[Any]", part.get_payload())


def _attachment_name(part: Any) -> str:
    try:
        return clean_line(str(part.get_filename() or ""))
    except Exception:
        # as above
        return ""
