"""The registry of formats: which reader takes a file, by its suffix and by its first bytes.

To add a format: write one module with a function from ``SourceFile`` to ``Extracted`` and add one line to
``_FORMATS``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from ascertain.sources.cues import read_cues
from ascertain.sources.decoding import decode
from ascertain.sources.docx import read_docx
from ascertain.sources.extraction import Reader
from ascertain.sources.feeds import read_feed
from ascertain.sources.html import read_html
from ascertain.sources.markdown import read_markdown
from ascertain.sources.pdf.reader import read_pdf
from ascertain.sources.tables import read_csv, read_json, read_json_lines
from ascertain.sources.text import read_text

HEAD_BYTES = 4096


@dataclass(frozen=True, slots=True)
class Format:
    """A name for messages, the suffixes that promise it, and its reader."""

    name: str
    suffixes: tuple[str, ...]
    reader: Reader


_FORMATS = (
    Format("PDF", (".pdf",), read_pdf),
    Format("DOCX", (".docx",), read_docx),
    Format("HTML", (".html", ".htm", ".xhtml"), read_html),
    Format("Markdown", (".md", ".markdown", ".mdown"), read_markdown),
    Format("plain text", (".txt", ".text", ".rst"), read_text),
    Format("JSON lines", (".jsonl", ".ndjson"), read_json_lines),
    Format("JSON", (".json",), read_json),
    Format("CSV", (".csv", ".tsv"), read_csv),
    Format("subtitle", (".vtt", ".srt"), read_cues),
    # Not .xml, which folders are full of: a feed by that name is known by its first words.
    Format("feed", (".rss", ".atom"), read_feed),
)
_BY_NAME = {known.name: known for known in _FORMATS}
_BY_SUFFIX = {suffix: known for known in _FORMATS for suffix in known.suffixes}

SUFFIXES = tuple(sorted(_BY_SUFFIX))

# A file's own first bytes are believed before its suffix.
_REFUSED = (
    (
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
        "an old or encrypted Office file; save it as DOCX without a password",
    ),
    (b"{\\rtf", "an RTF file; save it as DOCX or text"),
    (b"\x1f\x8b", "compressed with gzip; unpack it and add the file inside"),
    (b"\x89PNG", "an image; run text recognition (OCR) on it and add the text"),
    (b"\xff\xd8\xff", "an image; run text recognition (OCR) on it and add the text"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive; unpack it and add the files inside"),
    (b"SQLite format 3\0", "a database; export the texts as CSV or JSON lines"),
)
_LOOSE = frozenset(("plain text", "Markdown", "HTML", "subtitle"))
_HTML_HEAD = 2000
_HTML = re.compile(r"<(?:!doctype\s+html|html|head|body)\b", re.IGNORECASE)
_FEED_ROOT = re.compile(
    r"<(?:rss|rdf:rdf|(?:atom:)?feed(?=[^>]*2005/Atom|[^>]*purl\.org/atom))\b", re.IGNORECASE
)
_BEFORE_ROOT = (("<?", "?>"), ("<!--", "-->"), ("<!DOCTYPE", ">"))
"""What XML lets stand before the root element, by how it begins and ends."""
_SRT = re.compile(r"\s*(?:\d+\s*\n)?\d{1,2}:\d{2}:\d{2}[,.]\d{1,3}\s*-->")


def format_of(path: Path, head: bytes) -> Format:
    """The format of a file that begins with ``head``.

    Raises ValueError, saying what it is and what to do, for what cannot be read.
    """
    for magic, reason in _REFUSED:
        if head.startswith(magic):
            raise ValueError(reason)
    if b"%PDF-" in head[:1024]:
        return _BY_NAME["PDF"]
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return _BY_NAME["DOCX"]
    promised = _BY_SUFFIX.get(path.suffix.lower())
    if promised is None or promised.name in _LOOSE:
        return _by_text(head) or promised or _BY_NAME["plain text"]
    return promised


def is_feed(head: bytes) -> bool:
    """Whether what begins with ``head`` is an RSS or Atom feed."""
    try:
        return _is_feed(decode(head).lstrip("\ufeff"))
    except ValueError:
        return False


def _is_feed(text: str) -> bool:
    place = _past_spaces(text, 0)
    while begun := next(
        (pair for pair in _BEFORE_ROOT if text[place : place + 9].upper().startswith(pair[0])), None
    ):
        end = begun[1]
        if begun[0] == "<!DOCTYPE" and "[" in text[place : text.find(">", place) + 1]:
            end = "]>"
        over = text.find(end, place)
        if over < 0:
            return False
        place = _past_spaces(text, over + len(end))
    return _FEED_ROOT.match(text, place) is not None


def _past_spaces(text: str, place: int) -> int:
    return len(text) - len(text[place:].lstrip())


def _by_text(head: bytes) -> Format | None:
    """The format that the first characters of a text give away."""
    try:
        text = decode(head).lstrip("\ufeff")
    except ValueError:
        return None
    text = text.replace("\r\n", "\n")
    if text.startswith("WEBVTT") or _SRT.match(text):
        return _BY_NAME["subtitle"]
    if _is_feed(text):
        return _BY_NAME["feed"]
    if text.lstrip().startswith("<") and _HTML.search(text, 0, _HTML_HEAD):
        return _BY_NAME["HTML"]
    return None
