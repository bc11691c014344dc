"""Chunks for transcripts: whole speaker turns, several to a chunk; only a turn longer than a chunk is split."""

from __future__ import annotations

from collections.abc import Sequence

from ascertain.core.documents import Region
from ascertain.core.settings import ChunkerSettings
from ascertain.core.spans import Span
from ascertain.ingest.chunking.atoms import Atom, Boundary, sentence_atoms
from ascertain.ingest.chunking.packing import MINIMUM, Limits, pack

_LONGEST_LABEL = 200
"""Text between two turns that is no longer than this (a name, a time) belongs to the second."""


def turn_spans(text: str, atoms: Sequence[Atom], settings: ChunkerSettings) -> list[Span]:
    """Spans of at most ``settings.size``; neighbours share whole turns, or sentences of a long turn, up to the overlap."""
    limits = Limits(settings.size, settings.overlap, min(MINIMUM, settings.size // 2))
    return pack(text, atoms, limits, whole_atoms_only=True)


def turn_atoms(text: str, turns: Sequence[Region], size: int) -> list[Atom]:
    """The turns of ``text``: one no longer than ``size`` is one atom, so that nothing can cut it; a longer one is its sentences."""
    starts: list[int] = []
    end = 0
    for turn in turns:
        starts.append(end if turn.span.start - end <= _LONGEST_LABEL else turn.span.start)
        end = turn.span.end
    groups: list[list[Atom]] = []
    for atom in sentence_atoms(text, size, (*starts, end)):
        if atom.boundary is Boundary.SECTION:
            groups.append([])
        groups[-1].append(atom)
    return [atom for group in groups for atom in _turn(group, size)]


def _turn(sentences: Sequence[Atom], size: int) -> list[Atom]:
    whole = Span(sentences[0].span.start, sentences[-1].span.end)
    if whole.length <= size:
        return [Atom(whole, Boundary.PARAGRAPH)]
    first, *others = sentences
    return [
        Atom(first.span, Boundary.PARAGRAPH),
        *(Atom(atom.span, min(atom.boundary, Boundary.LINE)) for atom in others),
    ]
