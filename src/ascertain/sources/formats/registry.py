"""Which reader takes a file: by its suffix, as the entry points ``ascertain.formats`` name it, and by its first bytes.

An entry point is called by its suffix without the dot and stands for an ``extraction.Reader``; it is imported when such a file is read.
docs/extending.md has an example.
"""

import re
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import cast

from ascertain.core.errors import AscertainError
from ascertain.core.plugins import FORMATS, Plugin, find_plugin, list_plugins, require_plugin
from ascertain.sources.formats.man.roff import is_man
from ascertain.sources.formats.office.packages import package_format
from ascertain.sources.formats.reader import Extracted, Reader, SourceFile, decode_text, too_long

HEAD_BYTES = 4096
_PICTURES = frozenset("png jpg jpeg tif tiff webp bmp".split())
HOW_TO_RECOGNIZE = "pip install 'ascertain[ocr]' and add it again to have the text on it read"
"""What is said of pictures where the extra is missing."""
_RECORDINGS = frozenset("flac m4a mp3 mp4 oga ogg wav webm".split())
HOW_TO_TRANSCRIBE = "write transcripts of them with `ascertain transcribe` and add those"
"""What is said of sound, which is read by a speech model that is asked for, as it takes long or costs."""


def can_recognize() -> bool:
    """Whether the extra ``ocr`` is installed, by which text on pictures is read."""
    return find_spec("rapidocr") is not None


def describe_remedies(suffixes: Iterable[str]) -> str:
    """What to add to a line about files of these suffixes that were passed over: how pictures and recordings are read; else empty."""
    names = {suffix.removeprefix(".") for suffix in suffixes}
    told = f"; of pictures: {HOW_TO_RECOGNIZE}" if names & _PICTURES and not can_recognize() else ""
    return told + (f"; of recordings: {HOW_TO_TRANSCRIBE}" if names & _RECORDINGS else "")


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
    """The suffixes that a reader takes, each with its dot; those of pictures only where the extra for them is installed."""
    names = frozenset(list_plugins(FORMATS))
    return frozenset(f".{name}" for name in (names if can_recognize() else names - _PICTURES))


# A file's own first bytes are believed before its suffix.
_REFUSED = (
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old or encrypted Office file; save it as DOCX without a password"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive; unpack it and add the files inside"),
    (b"SQLite format 3\0", "a database; export the texts as CSV or JSON lines"),
)
_PICTURE_HEADS = tuple(
    map(re.compile, (rb"\x89PNG\r\n", rb"\xff\xd8\xff", rb"II\*\0|MM\0\*", rb"(?s:RIFF....WEBP)", rb"(?s:BM....)\0{4}"))
)
_LOOSE = frozenset("txt text rst md markdown mdown html htm xhtml vtt srt 1 2 3 4 5 6 7 8 9".split())
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
    if any(mark.match(head) for mark in _PICTURE_HEADS):
        return _own("png")
    if b"%PDF-" in head[:1024]:
        return _own("pdf")
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return _own(_suffix_of_archive(path, suffix))
    if head.startswith(b"{\\rtf"):
        return _own("rtf")
    if head.startswith(b"\x1f\x8b"):
        return _own("gz")
    if promised is not None and suffix not in _LOOSE:
        return Format(promised)
    return _own(_suffix_by_text(head) or (suffix if promised else "txt"))


_PACKAGES = frozenset("docx pptx xlsx odt ods odp epub".split())


def _suffix_of_archive(path: Path, suffix: str) -> str:
    """The format of a ZIP archive by what it holds; of a damaged one what its name says."""
    try:
        with zipfile.ZipFile(path) as archive:
            found = package_format(archive)
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
        found = None
    return found or (suffix if suffix in _PACKAGES else "zip")


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
    if is_man(text):
        return "man"
    if text.lstrip().startswith("<") and _HTML.search(text, 0, _HTML_HEAD):
        return "html"
    return None


def extract_texts(file: SourceFile) -> Iterator[Extracted]:
    """The texts in a file, each of them neither empty nor over the limit.

    Raises SourceError, one line that begins with the file's name and says what to do, when the file cannot be read, and
    MemoryError.
    """
    found = _open_format(file)
    try:
        for extracted in found.read(file):
            _check_text(file, extracted.text)
            yield extracted
    except (AscertainError, MemoryError):
        raise
    except OSError as error:
        raise file.error(f"cannot be read: {error.strerror or error}") from error
    except RecursionError as error:
        raise file.error("nested too deeply to be read; flatten it") from error
    except Exception as error:
        # Readers stand on third-party parsers, which fail on damaged input in ways of their own.
        if not found.plugin.is_own:
            raise file.error(
                f"the {found.name} reader of {found.plugin.package} failed ({_name_error(error)})"
            ) from error
        if type(error).__module__ == "lxml.etree" and "unknown error" in str(error):
            raise MemoryError from error  # libxml2 2.14 has no other word for it
        raise file.error(f"its content is not that of {found.name}; it may be damaged, get it again") from error


def _check_text(file: SourceFile, text: str) -> None:
    if not text.strip():
        raise file.error("no readable text in it")
    if len(text) > file.options.max_characters:
        raise too_long(file)


def _name_error(error: Exception) -> str:
    """An error for those who wrote what raised it, in one line."""
    return f"{type(error).__name__}: {error}".split("\n", 1)[0][:200]


def _open_format(file: SourceFile) -> Format:
    """Check size and permission, and find the format by looking at the first bytes."""
    limit = file.options.max_bytes
    try:
        size = file.path.stat().st_size
        if not file.path.is_file():
            raise file.error("not a regular file")
        if size > limit:
            raise file.error(f"{size:,} bytes, over the limit of {limit:,}; split it or raise ingest.max_file_bytes")
        if size == 0:
            raise file.error("the file is empty")
        with file.path.open("rb") as stream:
            head = stream.read(HEAD_BYTES)
    except FileNotFoundError as error:
        raise file.error("no such file") from error
    except (OSError, ValueError) as error:
        # ValueError: a NUL in the name.
        raise file.error(f"cannot be read: {getattr(error, 'strerror', None) or error}") from error
    try:
        return format_of(file.path, head)
    except ValueError as error:
        raise file.error(str(error)) from error
