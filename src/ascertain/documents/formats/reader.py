"""Input and output of a format's reader: a file with its options, and the texts found in it."""

import os
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from ascertain.core.documents.blocks import Block, Place
from ascertain.core.documents.documents import DocumentKind, LeftOut
from ascertain.core.errors import SourceError
from ascertain.documents.formats.drafts.draft import clean_line
from ascertain.documents.formats.files.encodings import decode_text

if TYPE_CHECKING:
    # what reads a file in a process of its own does without pydantic
    from ascertain.core.settings import ReadingSettings

# A reader is a function from a ``SourceFile`` to ``Extracted`` texts; it knows one format and nothing of folders,
# limits or document ids. ``formats`` says how one is found.

MAX_CHARACTERS = 20_000_000
"""Of one document, some forty books: its text has to fit into memory several times (by judgement)."""


def ignore_bad_row(source: str, reason: str) -> None:
    """The default ``on_bad_row``: the row is skipped without a word."""


def read_on() -> bool:
    """The default ``goes_on``: reading is never stopped."""
    return True


def ignore_piece() -> None:
    """The default ``on_piece``: no time is counted."""


@dataclass(frozen=True, slots=True)
class ReadLimits:
    """What reading one file may cost, as ``ingest.reading`` has it."""

    seconds: float = 120
    memory_bytes: int = 2_000_000_000
    unpacked_bytes: int = 100_000_000

    @staticmethod
    def of(settings: "ReadingSettings") -> "ReadLimits":
        """The limits that are set."""
        return ReadLimits(settings.seconds, settings.memory_bytes, settings.unpacked_bytes)


@dataclass(slots=True)
class Unpacking:
    """What may still be unpacked out of one file, however archives and messages lie in each other, and how deep it goes now."""

    left_bytes: int
    left_files: int
    depth: int = 0


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """How files become documents.

    ``max_bytes`` and ``max_characters`` bound one file and one document, ``limits`` the work; what is over them is refused.
    ``on_bad_row(source, reason)`` is called for each row of a table that was skipped, ``source`` being that of its document.
    ``on_piece()`` is called after each page or piece that a model recognised, or whose pictures were drawn, for each of which ``limits.seconds`` hold.
    ``goes_on`` is called while a file is read; once it returns false, reading ends with ``ReadingStopped``.
    ``source`` is what documents name as their source in place of the file's path, for a file that is a copy.
    ``unpacking`` is that of the file which this one came out of.
    """

    profile: str = "docs"
    tags: tuple[str, ...] = ()
    tenant: str = "default"
    conversation_id: str | None = None
    max_bytes: int = 200_000_000
    max_characters: int = MAX_CHARACTERS
    on_bad_row: Callable[[str, str], None] = ignore_bad_row
    on_piece: Callable[[], None] = ignore_piece
    source: str | None = None
    limits: ReadLimits = ReadLimits()
    goes_on: Callable[[], bool] = read_on
    unpacking: Unpacking | None = None
    reads_pictures: bool = False
    """Whether pictures are read, to be described."""


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One file and the options it is read with; ``notes`` collects remarks for people on how it was read."""

    path: Path
    options: ReadOptions
    notes: list[str] = field(default_factory=list[str], compare=False)

    @property
    def source(self) -> str:
        """What its documents name as their source; those of a table with ``#row`` after it."""
        return self.options.source or str(self.path.resolve())

    def data(self) -> bytes:
        """The whole content; its size was checked against ``max_bytes`` before any reader runs."""
        return self.path.read_bytes()

    def error(self, reason: str, line: int | None = None) -> SourceError:
        """A SourceError that begins with the file's name, and the line where there is one."""
        # Names on disk may hold bytes that are no text.
        name = clean_line(os.fsencode(self.path.name).decode("utf-8", "replace"))
        place = f"{name}:{line}" if line else name
        return SourceError(f"{place}: {reason}")


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture of a document that may say something, to be shown to a chat model."""

    digest: str
    """SHA-256 of the picture as its file has it, in hexadecimal digits."""
    data: bytes
    """As it is sent, smaller than in the file where that is large."""
    media_type: str
    size: tuple[int, int]
    """Width and height of ``data`` in pixels."""
    position: int
    """How many characters of the text stand before it."""
    place: Place
    """Page, part and section it stands in."""
    caption: str
    """What the file says of it, to those who cannot see; empty where it says nothing."""


@dataclass(frozen=True, slots=True)
class Extracted:
    """The clean text of one document and what its file says about it; blocks point into ``text``.

    ``left_out`` is what the file shows, or holds, and ``text`` does not; ``notes`` are lines about what else may be wrong.
    """

    text: str
    title: str | None = None
    kind: DocumentKind = DocumentKind.PROSE
    author: str | None = None
    published_at: datetime | None = None
    url: str | None = None
    tags: tuple[str, ...] = ()
    blocks: tuple[Block, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    notes: tuple[str, ...] = ()
    pictures: tuple[Picture, ...] = ()
    """Those to be described, in their order; none unless ``ReadOptions.reads_pictures``."""
    row: str | None = None
    """Which row of a table this is, or which file of an archive; becomes the part of the source after ``#``."""


Reader = Callable[[SourceFile], Iterable[Extracted]]

_WORD = re.compile(r"\w+")
_UNSPACED = re.compile("[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")
"""Kana and Han, which are written without spaces."""


def count_words(text: str) -> int:
    """How many runs of letters and digits a text has, by which completeness is measured; each character of Chinese and kana is one."""
    apart = text if text.isascii() else _UNSPACED.sub(r" \g<0> ", text)
    return sum(1 for _ in _WORD.finditer(apart))


# A character takes at most four bytes, so a longer file cannot be within the limit of characters.
_MAX_BYTES_PER_CHARACTER = 4


def text_of(file: SourceFile) -> str:
    """The text of a whole file, with a note where its encoding may be wrong.

    Raises SourceError when it is not text or surely over the limit.
    """
    data = file.data()
    limit = file.options.max_characters
    if len(data) > _MAX_BYTES_PER_CHARACTER * limit:
        raise too_long(file)
    try:
        decoded = decode_text(data)
    except ValueError as error:
        raise file.error(f"{error}; save it as UTF-8 text or give the original file") from error
    if decoded.note:
        file.notes.append(decoded.note)
    return decoded.text


def too_long(file: SourceFile) -> SourceError:
    """The error for a text over the limit of characters."""
    limit = file.options.max_characters
    return file.error(f"longer than {limit:,} characters; split it")
