"""What is not cut if it fits: sentences, and the items, definitions, code and turns of a document."""

import re
from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum

from ascertain.core.documents.blocks import Block, BlockKind, Span
from ascertain.core.documents.documents import Document
from ascertain.documents.ingest.chunking.outline import Section
from ascertain.language.blocks import announces
from ascertain.language.sentences import split_sentences

_WORD = re.compile(r"\S+")


class Boundary(IntEnum):
    """What begins with an atom; the higher, the better a place to cut before it."""

    WORD = 0
    SENTENCE = 1
    LINE = 2
    PARAGRAPH = 3
    SECTION = 4


@dataclass(frozen=True, slots=True)
class Atom:
    """A span without white space at its ends, and the boundary it begins with."""

    span: Span
    boundary: Boundary


def sentence_atoms(
    text: str, size: int, breaks: Iterable[int] = (), language: str | None = None, *, edges: Iterable[int] = ()
) -> list[Atom]:
    """The sentences of ``text`` as atoms, none longer than ``size``; ``breaks`` are where sections begin, ``edges`` where no
    sentence goes on.

    Together they cover every character that is not white space. Longer sentences are divided between words.
    """
    atoms: list[Atom] = []
    starts = iter(sorted({0, *breaks}))
    start = next(starts, None)
    end = 0
    for sentence in _split_at(text, split_sentences(text, language), sorted({0, *breaks, *edges})):
        boundary = _boundary_between(text, end, sentence.start)
        while start is not None and start <= sentence.start:
            boundary = Boundary.SECTION
            start = next(starts, None)
        end = sentence.end
        if sentence.length <= size:
            atoms.append(Atom(sentence, boundary))
            continue
        for piece in divide_text(text, sentence, size):
            atoms.append(Atom(piece, boundary))
            boundary = Boundary.WORD
    return atoms


def divide_text(text: str, span: Span, size: int) -> Iterator[Span]:
    """``span`` in pieces of at most ``size``, cut between words, inside a word only when it is longer than that."""
    start = end = span.start
    for word in _WORD.finditer(text, span.start, span.end):
        if word.end() - start > size and end > start:
            yield Span(start, end)
            start = word.start()
        while word.end() - start > size:
            yield Span(start, start + size)
            start += size
        end = word.end()
    if end > start:
        yield Span(start, end)


def _split_at(text: str, sentences: Iterable[Span], edges: Iterable[int]) -> Iterator[Span]:
    """``sentences``, cut in two where an edge falls inside one."""
    waiting = iter(edges)
    edge = next(waiting, None)
    for sentence in sentences:
        rest = sentence
        while edge is not None and edge < sentence.end:
            if rest.start < edge and text[rest.start : edge].strip():
                before = text[rest.start : edge].rstrip()
                after = text[edge : rest.end]
                yield Span(rest.start, rest.start + len(before))
                rest = Span(rest.end - len(after.lstrip()), rest.end)
            edge = next(waiting, None)
        yield rest


def _boundary_between(text: str, start: int, end: int) -> Boundary:
    breaks = text.count("\n", start, end)
    if breaks > 1:
        return Boundary.PARAGRAPH
    return Boundary.LINE if breaks else Boundary.SENTENCE


_UNITS = frozenset(
    {
        BlockKind.ITEM,
        BlockKind.DEFINITION,
        BlockKind.CODE,
        BlockKind.FIELD,
        BlockKind.FOOTNOTE,
        BlockKind.CAPTION,
        BlockKind.FIGURE,
    }
)
"""Blocks that say something only as a whole: they are divided only where they are longer than a chunk."""


def block_atoms(document: Document, size: int, sections: Sequence[Section]) -> list[Atom]:
    """The units of the document's blocks as atoms, none longer than ``size``: an item, a definition, code, else sentences.

    They cover every character that is neither white space nor part of the page's furniture. What follows a heading, or a sentence that
    announces it, is bound to that more closely than to what comes after it.
    """
    content = document.tree.content()
    edges = {edge for block in content for edge in block.span}
    starts = [section.start for section in sections]
    atoms = sentence_atoms(document.text, size, starts, document.language, edges=edges)
    units = [block.span for block in content if block.kind in _UNITS and block.span.length <= size]
    atoms = list(_join_units(atoms, units))
    headings = {block.span.end for block in content if block.kind is BlockKind.HEADING}
    bound = list(_bind_atoms(document.text, atoms, headings))
    furniture = [block.span for block in content if block.kind is BlockKind.FURNITURE]
    return list(_drop_covered(bound, furniture)) if furniture else bound


def _join_units(atoms: Iterable[Atom], units: Iterable[Span]) -> Iterator[Atom]:
    """The atoms, those within one of ``units`` (in order, the outer before those in it) as one."""
    waiting = iter(units)
    unit = next(waiting, None)
    joined: Atom | None = None
    for atom in atoms:
        while unit is not None and unit.end <= atom.span.start:
            unit = next(waiting, None)
        within = unit is not None and unit.contains(atom.span)
        if joined is not None and within and unit is not None and unit.contains(joined.span):
            joined = Atom(Span(joined.span.start, atom.span.end), joined.boundary)
            continue
        if joined is not None:
            yield joined
        joined = atom
    if joined is not None:
        yield joined


def _bind_atoms(text: str, atoms: Iterable[Atom], headings: Collection[int]) -> Iterator[Atom]:
    """The atoms, those behind a heading (``headings`` are the ends) or behind what announces them with a weaker boundary."""
    end = 0
    for atom in atoms:
        is_led = end in headings or announces(text[max(0, end - _LONGEST_LEAD) : end])
        if end and is_led and atom.boundary is not Boundary.SECTION:
            yield Atom(atom.span, min(atom.boundary, Boundary.SENTENCE))
        else:
            yield atom
        end = atom.span.end


_LONGEST_LEAD = 20
"""Characters behind which it shows whether a sentence ends in a colon."""


def _drop_covered(atoms: Iterable[Atom], furniture: Sequence[Span]) -> Iterator[Atom]:
    """The atoms outside of ``furniture``."""
    ends = [span.end for span in furniture]
    for atom in atoms:
        number = bisect_right(ends, atom.span.start)
        if number == len(furniture) or furniture[number].start > atom.span.start:
            yield atom


_LONGEST_LABEL = 200
"""Text between two turns that is no longer than this (a name, a time) belongs to the second."""


def turn_atoms(text: str, turns: Sequence[Block], size: int, language: str | None = None) -> list[Atom]:
    """The turns of ``text``: one no longer than ``size`` is one atom, so that nothing can cut it; a longer one is its sentences.

    Text between turns goes with the second when it is a label and there is room for both.
    """
    edges: list[int] = []
    end = 0
    for turn in turns:
        labelled = len(text[end : turn.span.end].strip())
        edges.append(end)
        if turn.span.start - end > _LONGEST_LABEL or turn.span.length <= size < labelled:
            edges.append(turn.span.start)
        end = turn.span.end
    groups: list[list[Atom]] = []
    for atom in sentence_atoms(text, size, (*edges, end), language):
        if atom.boundary is Boundary.SECTION:
            groups.append([])
        groups[-1].append(atom)
    return [atom for group in groups for atom in _turn_atoms(group, size)]


def _turn_atoms(sentences: Sequence[Atom], size: int) -> list[Atom]:
    whole = Span(sentences[0].span.start, sentences[-1].span.end)
    if whole.length <= size:
        return [Atom(whole, Boundary.PARAGRAPH)]
    first, *others = sentences
    return [
        Atom(first.span, Boundary.PARAGRAPH),
        *(Atom(atom.span, min(atom.boundary, Boundary.LINE)) for atom in others),
    ]
