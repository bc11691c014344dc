"""Recursive chunks for prose and articles: cut at sections, then paragraphs, lines, sentences and words."""

from __future__ import annotations

from collections.abc import Sequence

from ascertain.core.settings import ChunkerSettings
from ascertain.core.spans import Span
from ascertain.ingest.chunking.atoms import sentence_atoms
from ascertain.ingest.chunking.outline import Section
from ascertain.ingest.chunking.packing import Limits, pack


def recursive_spans(text: str, sections: Sequence[Section], settings: ChunkerSettings) -> list[Span]:
    """Spans of at most ``settings.size`` with up to ``settings.overlap`` in common; small sections share a chunk."""
    atoms = sentence_atoms(text, settings.size, [section.start for section in sections])
    return pack(
        text, atoms, Limits(settings.size, settings.overlap, min(settings.minimum, settings.size // 2))
    )


def parent_spans(text: str, sections: Sequence[Section], settings: ChunkerSettings) -> list[Span]:
    """Spans of at most ``settings.parent_size`` without overlap, for context around a chunk."""
    size = settings.parent_size
    atoms = sentence_atoms(text, size, [section.start for section in sections])
    return pack(text, atoms, Limits(size, minimum=size // 4))
