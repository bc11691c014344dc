"""Atoms are packed into chunks.

Each is filled as far as its size allows and cut at the strongest boundary that still
leaves it well filled; the next one starts a little earlier, at the start of a sentence, so that a thought cut in two
is whole in one of them.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from ascertain.core.documents.blocks import Span
from ascertain.core.settings import ChunkerSettings
from ascertain.documents.ingest.chunking.atoms import Atom, Boundary
from ascertain.documents.ingest.chunking.outline import Section, main_starts

PARENT_SIZE = 4000
"""Characters of a parent, for ``retrieval.context = parents``: about four chunks, and a thousand tokens, so that the budget of a
context (``retrieval.context_tokens``) holds four of them.
"""
MINIMUM = 100
"""Characters of the shortest chunk (IN-3), half of the size where that is less; a shorter rest joins a neighbour."""
_FILL = ((Boundary.SECTION, 0.5), (Boundary.PARAGRAPH, 0.7), (Boundary.LINE, 0.8), (Boundary.SENTENCE, 0.3))
"""How full a chunk must be to be cut at a boundary of this strength, tried in this order."""
_WORD_START = re.compile(r"(?<=\s)\S")


@dataclass(frozen=True, slots=True)
class Limits:
    """``size`` is never exceeded and ``overlap`` is at most that; rests under ``minimum`` are avoided by cutting earlier."""

    size: int
    overlap: int = 0
    minimum: int = 0


def pack_atoms(text: str, atoms: Sequence[Atom], limits: Limits, *, whole_atoms_only: bool = False) -> list[Span]:
    """Spans of chunks over ``atoms`` (none longer than ``limits.size``), in order, covering all of them.

    Every chunk ends with an atom and adds at least one to those before. An overlap never reaches into another section. With
    ``whole_atoms_only`` it is made of whole atoms; otherwise it may begin at a word where no atom begins near enough.
    """
    return _Packing(text, atoms, limits, whole_atoms_only).chunks()


class _Packing:
    def __init__(self, text: str, atoms: Sequence[Atom], limits: Limits, whole_atoms_only: bool) -> None:
        self._text = text
        self._limits = limits
        self._whole_atoms_only = whole_atoms_only
        self._starts = [atom.span.start for atom in atoms]
        self._ends = [atom.span.end for atom in atoms]
        self._boundaries = [atom.boundary for atom in atoms]

    def chunks(self) -> list[Span]:
        spans: list[Span] = []
        done = 0
        start = self._starts[0] if self._starts else 0
        while done < len(self._starts):
            cut = self._choose_cut(start, done)
            plain = self._choose_cut(self._starts[done], done)
            if plain > cut and self._added_length(done, cut) < 0.5 * self._added_length(done, plain):
                # the overlap would leave hardly any room for what is new
                start, cut = self._starts[done], plain
            spans.append(Span(start, self._ends[cut - 1]))
            done = cut
            start = self._next_start(start, cut) if done < len(self._starts) else start
        return spans

    def _added_length(self, done: int, cut: int) -> int:
        return self._ends[cut - 1] - self._starts[done]

    def _choose_cut(self, start: int, done: int) -> int:
        """The number of the first atom after the chunk that begins at ``start`` and holds at least atom ``done``."""
        size, minimum = self._limits.size, self._limits.minimum
        count = len(self._starts)
        furthest = bisect_right(self._ends, start + size)
        if furthest == count:
            return count
        while furthest > done + 1 and self._ends[-1] - self._starts[furthest] < minimum:
            furthest -= 1
        for boundary, fill in _FILL:
            for cut in range(furthest, done, -1):
                if self._ends[cut - 1] - start < fill * size:
                    break
                if self._boundaries[cut] >= boundary:
                    return cut
        return furthest

    def _next_start(self, previous_start: int, cut: int) -> int:
        """Where the chunk after ``cut`` begins: at ``cut``, or before it by at most the overlap."""
        if self._boundaries[cut] is Boundary.SECTION:
            return self._starts[cut]
        end = self._ends[cut - 1]
        room = min(self._limits.overlap, self._limits.size - (self._ends[cut] - end))
        earliest = max(end - room, previous_start + 1, self._section_start(cut, end - room))
        first = bisect_left(self._starts, earliest)
        if first < cut:
            return self._starts[first]
        if not self._whole_atoms_only and earliest < end:
            word = _WORD_START.search(self._text, earliest, end)
            if word is not None:
                return word.start()
        return self._starts[cut]

    def _section_start(self, cut: int, earliest: int) -> int:
        """The start of the section that holds the atom before ``cut``, as far back as ``earliest``."""
        atom = cut - 1
        while atom > 0 and self._starts[atom] > earliest and self._boundaries[atom] is not Boundary.SECTION:
            atom -= 1
        return self._starts[atom] if self._boundaries[atom] is Boundary.SECTION else 0


OVERLAP = 0.2
"""Share of a chunk that is repeated in the next (IN-3)."""


def paper_spans(text: str, atoms: Sequence[Atom], sections: Sequence[Section], settings: ChunkerSettings) -> list[Span]:
    """Spans of at most ``settings.size`` that share up to ``OVERLAP`` of it, each within a main section.

    A rest under ``MINIMUM`` joins its neighbour by cutting that one earlier; a main section under it
    joins the next.
    """
    limits = Limits(settings.size, int(settings.size * OVERLAP), min(MINIMUM, settings.size // 2))
    return [
        span
        for group in _group_sections(atoms, main_starts(sections), limits.minimum)
        for span in pack_atoms(text, group, limits)
    ]


def _group_sections(atoms: Sequence[Atom], starts: Sequence[int], minimum: int) -> list[list[Atom]]:
    """The atoms of each main section; one of fewer than ``minimum`` characters goes with the next, the last with the one before."""
    groups: list[list[Atom]] = []
    edges = iter([*starts, float("inf")])
    edge = next(edges)
    for atom in atoms:
        passed = atom.span.start >= edge
        while atom.span.start >= edge:
            edge = next(edges)
        if not groups or (passed and _length_of(groups[-1]) >= minimum):
            groups.append([])
        groups[-1].append(atom)
    if len(groups) > 1 and _length_of(groups[-1]) < minimum:
        groups[-2].extend(groups.pop())
    return groups


def _length_of(group: Sequence[Atom]) -> int:
    return group[-1].span.end - group[0].span.start


def recursive_spans(text: str, atoms: Sequence[Atom], settings: ChunkerSettings) -> list[Span]:
    """Spans of at most ``settings.size`` with up to ``settings.overlap`` in common; small sections share a chunk."""
    minimum = min(MINIMUM, settings.size // 2)
    return pack_atoms(text, atoms, Limits(settings.size, settings.overlap, minimum))


def parent_spans(text: str, atoms: Sequence[Atom], settings: ChunkerSettings) -> list[Span]:
    """Spans of at most ``PARENT_SIZE`` without overlap, for context around a chunk; never shorter than a chunk may be."""
    size = max(PARENT_SIZE, settings.size)
    return pack_atoms(text, atoms, Limits(size, minimum=size // 4))


def turn_spans(text: str, atoms: Sequence[Atom], settings: ChunkerSettings) -> list[Span]:
    """Spans of at most ``settings.size``; neighbours share whole turns, or sentences of a long turn, up to the overlap."""
    limits = Limits(settings.size, settings.overlap, min(MINIMUM, settings.size // 2))
    return pack_atoms(text, atoms, limits, whole_atoms_only=True)
