"""What a reader is given and what it gives back.

A reader is a function from a ``SourceFile`` to ``Extracted`` texts; it knows one format and nothing of folders,
limits or document ids. ``formats`` says how one is found.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from ascertain.core.documents import DocumentKind, Region
from ascertain.core.errors import SourceError
from ascertain.sources.cleaning import clean_line

MAX_CHARACTERS = 20_000_000
"""Of one document, some forty books: its text has to fit into memory several times (by judgement)."""


def ignore_bad_row(source: str, reason: str) -> None:
    """The default ``on_bad_row``: the row is skipped without a word."""


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """How files become documents.

    ``max_bytes`` and ``max_characters`` bound one file and one document; what is over them is refused.
    ``on_bad_row(source, reason)`` is told of each row of a table that was skipped, ``source`` being that of its document.
    ``source`` is what documents name as their source in place of the file's path, for a file that is a copy.
    """

    profile: str = "docs"
    tags: tuple[str, ...] = ()
    tenant: str = "default"
    conversation_id: str | None = None
    max_bytes: int = 200_000_000
    max_characters: int = MAX_CHARACTERS
    on_bad_row: Callable[[str, str], None] = ignore_bad_row
    source: str | None = None


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One file and the options it is read with."""

    path: Path
    options: ReadOptions

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
class Extracted:
    """The clean text of one document and what its file says about it; regions point into ``text``."""

    text: str
    title: str | None = None
    kind: DocumentKind = DocumentKind.PROSE
    author: str | None = None
    published_at: datetime | None = None
    url: str | None = None
    tags: tuple[str, ...] = ()
    regions: tuple[Region, ...] = field(default=())
    row: str | None = None
    """Which row of a table this is; becomes the part of the source after ``#``."""


Reader = Callable[[SourceFile], Iterable[Extracted]]
