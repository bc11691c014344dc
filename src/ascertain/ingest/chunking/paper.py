"""Chunks for papers: never across two main sections, unless one is too short to stand alone."""

from __future__ import annotations

from collections.abc import Sequence

from ascertain.core.settings import ChunkerSettings
from ascertain.core.spans import Span
from ascertain.ingest.chunking.atoms import Atom
from ascertain.ingest.chunking.outline import Section, main_starts
from ascertain.ingest.chunking.packing import MINIMUM, Limits, pack

OVERLAP = 0.2
"""Share of a chunk that is repeated in the next (IN-3)."""


def paper_spans(
    text: str, atoms: Sequence[Atom], sections: Sequence[Section], settings: ChunkerSettings
) -> list[Span]:
    """Spans of at most ``settings.size`` that share up to ``OVERLAP`` of it, each within a main section.

    A rest under ``MINIMUM`` joins its neighbour by cutting that one earlier; a main section under it
    joins the next.
    """
    limits = Limits(settings.size, int(settings.size * OVERLAP), min(MINIMUM, settings.size // 2))
    return [
        span
        for group in _groups(atoms, main_starts(sections), limits.minimum)
        for span in pack(text, group, limits)
    ]


def _groups(atoms: Sequence[Atom], starts: Sequence[int], minimum: int) -> list[list[Atom]]:
    """The atoms of each main section; one of fewer than ``minimum`` characters goes with the next, the last with the one before."""
    groups: list[list[Atom]] = []
    edges = iter([*starts, float("inf")])
    edge = next(edges)
    for atom in atoms:
        passed = atom.span.start >= edge
        while atom.span.start >= edge:
            edge = next(edges)
        if not groups or (passed and _length(groups[-1]) >= minimum):
            groups.append([])
        groups[-1].append(atom)
    if len(groups) > 1 and _length(groups[-1]) < minimum:
        groups[-2].extend(groups.pop())
    return groups


def _length(group: Sequence[Atom]) -> int:
    return group[-1].span.end - group[0].span.start
