"""Surveys of a collection: its themes, with sentences that stand for each, and how much of it was looked at."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass

from ascertain.core.chunks import Chunk
from ascertain.core.spans import Span


@dataclass(frozen=True, slots=True)
class Representative:
    """A sentence that stands for a theme: ``text`` is what its document holds under ``span``."""

    chunk: Chunk
    span: Span
    text: str
    score: float


@dataclass(frozen=True, slots=True)
class Description:
    """``names`` as visible passages write them, most telling first; ``sentences`` best first, none where nothing reads as one."""

    names: tuple[str, ...]
    sentences: tuple[Representative, ...]

    @property
    def label(self) -> str:
        """The names in one line."""
        return ", ".join(self.names)

    @property
    def digest(self) -> str:
        """Equal for equal names and sentences."""
        said = [f"{one.chunk.document_id}\n{one.span.start}\n{one.text}" for one in self.sentences]
        return hashlib.sha256("\n\n".join([self.label, *said]).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Theme:
    """``share`` is that of all passages that may be seen, 0..1; ``passages`` fall into it, and stand in so many ``documents``."""

    share: float
    passages: int
    documents: int
    description: Description


@dataclass(frozen=True, slots=True)
class Surveyed:
    """``documents`` and ``passages`` count all that may be seen, ``..._read`` those that name anything and so fall into some theme.

    ``theme(n)`` describes one of ``themes``, the largest first; only when it is asked for.
    """

    documents: int
    passages: int
    documents_read: int
    passages_read: int
    themes: int
    theme: Callable[[int], Theme]
