"""Recursive chunks for prose and articles: cut at sections, then paragraphs, lines, sentences and words."""

from __future__ import annotations

from collections.abc import Sequence

from ascertain.core.settings import ChunkerSettings
from ascertain.core.spans import Span
from ascertain.ingest.chunking.atoms import Atom
from ascertain.ingest.chunking.packing import MINIMUM, Limits, pack


def recursive_spans(text: str, atoms: Sequence[Atom], settings: ChunkerSettings) -> list[Span]:
    """Spans of at most ``settings.size`` with up to ``settings.overlap`` in common; small sections share a chunk."""
    minimum = min(MINIMUM, settings.size // 2)
    return pack(text, atoms, Limits(settings.size, settings.overlap, minimum))


def parent_spans(text: str, atoms: Sequence[Atom], settings: ChunkerSettings) -> list[Span]:
    """Spans of at most ``settings.parent_size`` without overlap, for context around a chunk."""
    return pack(text, atoms, Limits(settings.parent_size, minimum=settings.parent_size // 4))
