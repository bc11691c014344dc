"""What the bytes of a file say it is, by its structure; words that a text only holds (``%PDF-`` in a note) make it nothing.

Signatures of binary formats stand where their specifications have them; text is another format only where its beginning cannot be prose.
"""

import json
import re
import zipfile
from pathlib import Path

from ascertain.documents.formats.files.encodings import decode_head
from ascertain.documents.formats.man.roff import is_man
from ascertain.documents.formats.office.packages import package_format

HEAD_BYTES = 4096
"""Of a file, by which its format is recognised."""
_REFUSED = (
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old or encrypted Office file; save it as DOCX without a password"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive; unpack it and add the files inside"),
    (b"SQLite format 3\0", "a database; export the texts as CSV or JSON lines"),
)
_PICTURE_HEADS = tuple(
    map(re.compile, (rb"\x89PNG\r\n", rb"\xff\xd8\xff", rb"II\*\0|MM\0\*", rb"(?s:RIFF....WEBP)", rb"(?s:BM....)\0{4}"))
)
_PDF_START = re.compile(rb"(?:\xef\xbb\xbf)?[\s\0]{0,100}%PDF-\d")
_PDF_LATER = re.compile(rb"[^\x20-\x7e]%PDF-\d\.\d(?P<comment>[\r\n]{1,2}%[\x80-\xff]{4})?")
"""Behind something else, with the comment of four bytes that are no ASCII, which says that the file is binary (ISO 32000-1, 7.5.2)."""
_BINARY = re.compile(rb"[\x00-\x08\x0e-\x1f]")
_PDF_HEAD = 1024
"""Bytes in which readers look for the header of a PDF behind what printers, mail and old Macs put before it (ISO 32000-1, annex H)."""
_PDF_END = re.compile(rb"startxref\s{1,9}\d{1,12}\s{1,9}%%EOF")
_TAIL_BYTES = 4096
_PACKAGES = frozenset("docx pptx xlsx odt ods odp epub".split())
SIGNED = _PACKAGES | frozenset("pdf rtf zip tar tgz gz png jpg jpeg tif tiff webp bmp xlsm".split())
"""Formats whose files begin with a signature: one without it is not what its suffix says."""


def suffix_by_signature(path: Path, head: bytes, suffix: str, *, is_text: bool) -> str | None:
    """The suffix of the format whose signature a file has that begins with ``head``; None for text.

    ``is_text`` says that the file's own suffix is one of a text format: then a PDF begins at its first byte. Raises ValueError, saying
    what it is and what to do, for what cannot be read.
    """
    for magic, reason in _REFUSED:
        if head.startswith(magic):
            raise ValueError(reason)
    if any(mark.match(head) for mark in _PICTURE_HEADS):
        return "png"
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return _suffix_of_archive(path, suffix)
    if head.startswith(b"\x1f\x8b"):
        return "gz"
    # the magic of POSIX and of GNU (POSIX.1-1988, ustar), behind a name that is filled up with zeros
    if head[257:262] == b"ustar" and b"\0" in head[:257]:
        return "tar"
    if head.startswith(b"{\\rtf"):
        return "rtf"
    if _PDF_START.match(head) or (not is_text and _holds_later_pdf(path, head[:_PDF_HEAD], suffix)):
        return "pdf"
    return None


def _holds_later_pdf(path: Path, head: bytes, suffix: str) -> bool:
    """Whether a PDF begins behind something that is no text, or that its suffix vouches for, and ends where the file does."""
    match = _PDF_LATER.search(head)
    if not match or not (suffix == "pdf" or match["comment"] or _BINARY.search(head, 0, match.start())):
        return False
    try:
        return _PDF_END.search(_read_tail(path)) is not None
    except OSError:
        return False


def _suffix_of_archive(path: Path, suffix: str) -> str:
    """The format of a ZIP archive by what it holds; of a damaged one what its name says."""
    try:
        with zipfile.ZipFile(path) as archive:
            found = package_format(archive)
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
        found = None
    return found or (suffix if suffix in _PACKAGES else "zip")


def _read_tail(path: Path) -> bytes:
    with path.open("rb") as stream:
        stream.seek(max(0, path.stat().st_size - _TAIL_BYTES))
        return stream.read(_TAIL_BYTES)


_SRT = re.compile(r"\s*(?:\d+\s*\n)?\d{1,2}:\d{2}:\d{2}[,.]\d{1,3}\s*-->")
_HTML_ROOT = re.compile(r"<(?:html|head|body)\b", re.IGNORECASE)
_HTML_TYPE = re.compile(r"\s*(?:<!--(?:[^-]|-(?!->)){0,2000}-->\s*)?<!doctype\s+html\b", re.IGNORECASE)
_FEED_ROOT = re.compile(r"<(?:rss|rdf:rdf|(?:atom:)?feed(?=[^>]*2005/Atom|[^>]*purl\.org/atom))\b", re.IGNORECASE)
_BEFORE_ROOT = (("<?", "?>"), ("<!--", "-->"), ("<!DOCTYPE", ">"))
"""What XML lets stand before the root element, by how it begins and ends."""
_MBOX = re.compile(r"From \S{1,300} {1,3}(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) [A-Z][a-z]{2} [ \d]\d \d\d:\d\d")
_HEADER = re.compile(r"([A-Za-z][\w-]{1,60}):[ \t]")
_OF_MAILS = frozenset({"from", "date", "message-id"})
"""Headers that every mail has that was sent (RFC 5322, 3.6)."""


def suffix_by_text(path: Path, head: bytes) -> str | None:
    """The format that the beginning of a text gives away beyond doubt."""
    try:
        text = decode_head(head).replace("\r\n", "\n")
    except ValueError:
        return None
    if text.startswith("WEBVTT") or _SRT.match(text):
        return "vtt"
    if _begins_as_feed(text):
        return "rss"
    if is_man(text):
        return "man"
    if _HTML_TYPE.match(text) or _HTML_ROOT.match(text, _place_of_root(text)):
        return "html"
    if _MBOX.match(text):
        return "mbox"
    if _begins_as_mail(text):
        return "eml"
    return _suffix_of_json(path, text)


def looks_like_feed(head: bytes) -> bool:
    """Whether what begins with ``head`` is an RSS or Atom feed."""
    try:
        return _begins_as_feed(decode_head(head))
    except ValueError:
        return False


def _begins_as_feed(text: str) -> bool:
    return _FEED_ROOT.match(text, _place_of_root(text)) is not None


def _place_of_root(text: str) -> int:
    """Where the root element of XML or HTML begins; the end of the text where none does."""
    place = _past_spaces(text, 0)
    while begun := next((pair for pair in _BEFORE_ROOT if text[place : place + 9].upper().startswith(pair[0])), None):
        end = begun[1]
        if begun[0] == "<!DOCTYPE" and "[" in text[place : text.find(">", place) + 1]:
            end = "]>"
        over = text.find(end, place)
        if over < 0:
            return len(text)
        place = _past_spaces(text, over + len(end))
    return place


def _past_spaces(text: str, place: int) -> int:
    rest = text[place:]
    return len(text) - len(rest.lstrip("\ufeff \t\n\r\f\v"))


def _begins_as_mail(text: str) -> bool:
    """Whether a text begins with the headers that every mail has; folded lines go on with the one before."""
    names: set[str] = set()
    for line in text.split("\n"):
        match = _HEADER.match(line)
        if match:
            names.add(match[1].lower())
        elif not names or not line.startswith((" ", "\t")):
            break
    return names >= _OF_MAILS


_JSON_START = re.compile(r"\s{0,100}(?:\{\s{0,100}\"|\[\s{0,100}[\[{\"])")
_MOST_JSON_BYTES = 20_000_000


def _suffix_of_json(path: Path, text: str) -> str | None:
    """JSON under another suffix: its whole content, or each of its first lines, is an object or a list of them."""
    if not _JSON_START.match(text):
        return None
    lines = [line for line in text.split("\n")[:-1] if line.strip()]
    if len(lines) > 1 and all(_parses_as_object(line) for line in lines):
        return "jsonl"
    try:
        if path.stat().st_size > _MOST_JSON_BYTES or not _read_tail(path).rstrip().endswith((b"}", b"]")):
            return None
        return "json" if isinstance(json.loads(path.read_bytes()), dict | list) else None
    except (OSError, ValueError, RecursionError):
        return None


def _parses_as_object(line: str) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False
