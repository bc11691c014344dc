"""Chunks for transcripts: whole speaker turns, several to a chunk; only a turn longer than a chunk is split."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from ascertain.core.documents import Region
from ascertain.core.settings import ChunkerSettings
from ascertain.core.spans import Span
from ascertain.ingest.chunking.atoms import Atom, Boundary, sentence_atoms
from ascertain.ingest.chunking.packing import Limits, pack

_LONGEST_LABEL = 200
"""Text between two turns that is no longer than this (a name, a time) belongs to the second."""


def turn_spans(text: str, turns: Sequence[Region], settings: ChunkerSettings) -> list[Span]:
    """Spans of at most ``settings.size``; neighbours share whole turns, or sentences of a long turn, up to the overlap."""
    return pack(text, _atoms(text, turns, settings.size), _limits(settings), whole_atoms_only=True)


def _limits(settings: ChunkerSettings) -> Limits:
    return Limits(settings.size, settings.overlap, min(settings.minimum, settings.size // 2))


def _atoms(text: str, turns: Sequence[Region], size: int) -> list[Atom]:
    """A short turn is one atom, so that nothing can cut it; a long one is its sentences."""
    edges = [0]
    end = 0
    for turn in turns:
        edges.append(end if turn.span.start - end <= _LONGEST_LABEL else turn.span.start)
        end = turn.span.end
    edges.append(len(text))
    atoms: list[Atom] = []
    for start, stop in pairwise(edges):
        pieces = sentence_atoms(text[start:stop], size)
        if not pieces:
            continue
        whole = Span(pieces[0].span.start, pieces[-1].span.end)
        if whole.length <= size:
            atoms.append(Atom(whole.shift(start), Boundary.PARAGRAPH))
            continue
        for number, piece in enumerate(pieces):
            boundary = Boundary.PARAGRAPH if number == 0 else min(piece.boundary, Boundary.LINE)
            atoms.append(Atom(piece.span.shift(start), boundary))
    return atoms
