"""Which reader takes a file: by its suffix, as the entry points ``ascertain.formats`` name it, and by its first bytes.

An entry point is called by its suffix without the dot and stands for an ``extraction.Reader``; it is imported when such a file is read.
docs/extending.md has an example.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from ascertain.core.plugins import FORMATS, Plugin, find_plugin, list_plugins, require_plugin
from ascertain.sources.formats.reader import Extracted, Reader, SourceFile, decode_text

HEAD_BYTES = 4096


@dataclass(frozen=True, slots=True)
class Format:
    """A format by the suffix that names it."""

    plugin: Plugin

    @property
    def name(self) -> str:
        """For messages."""
        return self.plugin.name.upper()

    def read(self, file: SourceFile) -> Iterable[Extracted]:
        """What its reader finds in ``file``; ConfigurationError when the package that brings the reader is broken."""
        return cast(Reader, self.plugin.load(f"the format of {file.path.name}"))(file)


def known_suffixes() -> frozenset[str]:
    """The suffixes that a reader takes, each with its dot."""
    return frozenset(f".{name}" for name in list_plugins(FORMATS))


# A file's own first bytes are believed before its suffix.
_REFUSED = (
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old or encrypted Office file; save it as DOCX without a password"),
    (b"{\\rtf", "an RTF file; save it as DOCX or text"),
    (b"\x1f\x8b", "compressed with gzip; unpack it and add the file inside"),
    (b"\x89PNG", "an image; run text recognition (OCR) on it and add the text"),
    (b"\xff\xd8\xff", "an image; run text recognition (OCR) on it and add the text"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive; unpack it and add the files inside"),
    (b"SQLite format 3\0", "a database; export the texts as CSV or JSON lines"),
)
_LOOSE = frozenset("txt text rst md markdown mdown html htm xhtml vtt srt".split())
"""Suffixes that are given to other kinds of text too."""
_HTML_HEAD = 2000
_HTML = re.compile(r"<(?:!doctype\s+html|html|head|body)\b", re.IGNORECASE)
_FEED_ROOT = re.compile(r"<(?:rss|rdf:rdf|(?:atom:)?feed(?=[^>]*2005/Atom|[^>]*purl\.org/atom))\b", re.IGNORECASE)
_BEFORE_ROOT = (("<?", "?>"), ("<!--", "-->"), ("<!DOCTYPE", ">"))
"""What XML lets stand before the root element, by how it begins and ends."""
_SRT = re.compile(r"\s*(?:\d+\s*\n)?\d{1,2}:\d{2}:\d{2}[,.]\d{1,3}\s*-->")


def format_of(path: Path, head: bytes) -> Format:
    """The format of a file that begins with ``head``.

    Raises ValueError, saying what it is and what to do, for what cannot be read.
    """
    suffix = path.suffix.lower().removeprefix(".")
    promised = find_plugin(FORMATS, suffix) if suffix else None
    # whoever installed a reader for these files knows what is in them
    if promised is not None and not promised.is_own:
        return Format(promised)
    for magic, reason in _REFUSED:
        if head.startswith(magic):
            raise ValueError(reason)
    if b"%PDF-" in head[:1024]:
        return _own("pdf")
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return _own("docx")
    if promised is not None and suffix not in _LOOSE:
        return Format(promised)
    return _own(_suffix_by_text(head) or (suffix if promised else "txt"))


def looks_like_feed(head: bytes) -> bool:
    """Whether what begins with ``head`` is an RSS or Atom feed."""
    try:
        return _begins_as_feed(decode_text(head).lstrip("\ufeff"))
    except ValueError:
        return False


def _begins_as_feed(text: str) -> bool:
    place = _past_spaces(text, 0)
    while begun := next((pair for pair in _BEFORE_ROOT if text[place : place + 9].upper().startswith(pair[0])), None):
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


def _own(suffix: str) -> Format:
    return Format(require_plugin(FORMATS, suffix, "the format of a file"))


def _suffix_by_text(head: bytes) -> str | None:
    """The format that the first characters of a text give away."""
    try:
        text = decode_text(head).lstrip("\ufeff")
    except ValueError:
        return None
    text = text.replace("\r\n", "\n")
    if text.startswith("WEBVTT") or _SRT.match(text):
        return "vtt"
    if _begins_as_feed(text):
        return "rss"
    if text.lstrip().startswith("<") and _HTML.search(text, 0, _HTML_HEAD):
        return "html"
    return None
