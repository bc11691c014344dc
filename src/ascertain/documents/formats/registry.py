"""Which reader takes a file: by its suffix, as the entry points ``ascertain.formats`` name it, and by its first bytes.

An entry point is called by its suffix without the dot and stands for an ``extraction.Reader``; it is imported when such a file is read.
docs/extending.md has an example.
"""

import mmap
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path, PurePath
from typing import cast

from ascertain.core.errors import AscertainError
from ascertain.core.system.extras import install_command
from ascertain.core.system.plugins import FORMATS, Plugin, find_plugin, list_plugins, require_plugin
from ascertain.documents.formats.files.encodings import decode_head
from ascertain.documents.formats.files.file_names import trusted_date
from ascertain.documents.formats.files.sniffing import HEAD_BYTES, SIGNED, suffix_by_signature, suffix_by_text
from ascertain.documents.formats.reader import Extracted, Reader, SourceFile, too_long

_PICTURES = frozenset("png jpg jpeg tif tiff webp bmp".split())
_RECORDINGS = frozenset("flac m4a mp3 mp4 oga ogg wav webm".split())
HOW_TO_TRANSCRIBE = "write transcripts of them with `ascertain transcribe` and add those"
"""The hint on sound, which is read by a speech model on request, since that takes long or costs money."""


def is_picture(path: Path) -> bool:
    """Whether a file is a picture by its name, or a PDF without a font: a scan. What is on it has to be recognised, which takes seconds."""
    suffix = split_name(path.name)[1]
    return suffix in _PICTURES or (suffix == "pdf" and _lacks_fonts(path))


def _lacks_fonts(path: Path) -> bool:
    """Whether a PDF names no font. One whose objects are packed (``/ObjStm``) does not show it without being parsed: False."""
    try:
        with path.open("rb") as stream, mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as data:
            return data.find(b"/Image") >= 0 and data.find(b"/Font") < 0 and data.find(b"/ObjStm") < 0
    except (OSError, ValueError):
        return False


def can_recognize() -> bool:
    """Whether the extra ``ocr`` is installed, by which text on pictures is read."""
    return find_spec("rapidocr") is not None


def how_to_recognize() -> str:
    """The hint on pictures if the extra is missing."""
    return f"{install_command('ocr')}, and add it again to have the text on it read"


def describe_remedies(suffixes: Iterable[str]) -> str:
    """What to add to a line about files of these suffixes that were skipped: how pictures and recordings are read; else empty."""
    names = {suffix.removeprefix(".") for suffix in suffixes}
    hint = f"; of pictures: {how_to_recognize()}" if names & _PICTURES and not can_recognize() else ""
    return hint + (f"; of recordings: {HOW_TO_TRANSCRIBE}" if names & _RECORDINGS else "")


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


def known_suffixes(*, describes: bool = False) -> frozenset[str]:
    """The suffixes that a reader takes, each with its dot; those of pictures only where the extra for them is installed, or where a model
    ``describes`` them.
    """
    names = frozenset(list_plugins(FORMATS))
    return frozenset(f".{name}" for name in (names if describes or can_recognize() else names - _PICTURES))


_MAILDIR = ("cur", "new", "tmp")
_MAILDIR_NAME = re.compile(r"(?:^|/)(?:cur|new)/\d{9,11}\.[^/]+\Z")
"""A message is named by the second in which it came (https://cr.yp.to/proto/maildir.html)."""


def is_maildir(folder: Path) -> bool:
    """Whether a folder is one of mail: messages in files of their own, under ``cur`` and ``new``."""
    return all((folder / name).is_dir() for name in _MAILDIR)


def is_maildir_message(path: Path) -> bool:
    """Whether a file is a message of a folder of mail, whatever its name ends with."""
    if path.parent.name not in ("cur", "new"):
        return False
    return names_maildir_message(path.as_posix()) or is_maildir(path.parent.parent)


def names_maildir_message(name: str) -> bool:
    """Whether a file inside an archive is a message of a folder of mail, by its name there."""
    return _MAILDIR_NAME.search(name) is not None


_LOOSE = frozenset("txt text rst md markdown mdown html htm xhtml vtt srt 1 2 3 4 5 6 7 8 9".split())
"""Suffixes that are given to other kinds of text too."""
_BEFORE_TXT = frozenset(
    "rst md markdown mdown org adoc asciidoc tex html htm xhtml csv tsv json jsonl ndjson ipynb vtt srt eml mbox rss atom".split()
)
"""Suffixes that say what a file is that has ``.txt`` behind them, as Sphinx stores its sources (``index.rst.txt``)."""


HOLDS_FILES = frozenset("zip tar tgz gz eml mbox".split())
"""Formats whose files are documents of their own."""


def split_name(name: str) -> tuple[str, str]:
    """The stem of a file's name, and the suffix that tells its format, in lower case without the dot: ``("index", "rst")``.

    The suffix is empty where the name tells none, ``index.rst.txt`` being the name of a file in reStructuredText.
    """
    path = PurePath(name)
    suffix = path.suffix.lower().removeprefix(".")
    if " " in suffix or (suffix.isdigit() and len(suffix) > 1):
        # "2. Minutes of the board", 2025.10.02
        return path.name, ""
    inner = PurePath(path.stem)
    before = inner.suffix.lower().removeprefix(".")
    if suffix in ("txt", "text") and before in _BEFORE_TXT:
        return inner.stem, before
    return path.stem, suffix


def is_known_name(name: str, *, describes: bool = False) -> bool:
    """Whether a reader takes files of such a name, pictures too where a model ``describes`` them."""
    return f".{split_name(name)[1]}" in known_suffixes(describes=describes)


def is_readable(path: Path) -> bool:
    """Whether a file whose name tells no format is text, or of a format that has a signature; an empty one is neither."""
    try:
        with path.open("rb") as stream:
            head = stream.read(HEAD_BYTES)
        return bool(suffix_by_signature(path, head, "", is_text=True) or decode_head(head))
    except (OSError, ValueError):
        return False


def format_of(path: Path, head: bytes) -> Format:
    """The format of a file that begins with ``head``. Its own bytes count before its suffix.

    Raises ValueError, saying what it is and what to do, for what cannot be read.
    """
    if is_maildir_message(path):
        return _own("eml")
    _, suffix = split_name(path.name)
    promised = find_plugin(FORMATS, suffix) if suffix else None
    # the user who installed a reader for these files knows their content
    if promised is not None and not promised.is_own:
        return Format(promised)
    is_text = promised is not None and suffix not in SIGNED
    if signed := suffix_by_signature(path, head, suffix, is_text=is_text):
        return _own(signed)
    if promised is not None and is_text and suffix not in _LOOSE:
        return Format(promised)
    return _own(suffix_by_text(path, head) or (suffix if promised else "txt"))


def _own(suffix: str) -> Format:
    return Format(require_plugin(FORMATS, suffix, "the format of a file"))


def extract_texts(file: SourceFile) -> Iterator[Extracted]:
    """The texts in a file, each of them neither empty nor over the limit.

    Raises SourceError, one line that begins with the file's name and says what to do, when the file cannot be read, and
    MemoryError.
    """
    found = _open_format(file)
    try:
        for extracted in found.read(file):
            _check_text(file, extracted)
            yield _complete(file, extracted, found)
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


def _complete(file: SourceFile, extracted: Extracted, found: Format) -> Extracted:
    """With what was noted of the file since the text before (one of many texts says it for all), without a date of a template."""
    notes = tuple(dict.fromkeys((*extracted.notes, *file.notes)))
    file.notes.clear()
    return replace(extracted, notes=notes, published_at=trusted_date(extracted.published_at, found.plugin.name))


def _check_text(file: SourceFile, extracted: Extracted) -> None:
    if not extracted.text.strip() and not extracted.pictures:
        raise file.error("no readable text in it")
    if len(extracted.text) > file.options.max_characters:
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
