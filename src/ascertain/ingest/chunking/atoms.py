"""Atoms: the smallest pieces that chunks are built from, and how strong the boundary before each one is."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import IntEnum
from itertools import pairwise

from ascertain.core.sentences import split_sentences
from ascertain.core.spans import Span

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


def sentence_atoms(text: str, size: int, breaks: Iterable[int] = ()) -> list[Atom]:
    """The sentences of ``text`` as atoms, none longer than ``size``; ``breaks`` are where sections begin.

    Together they cover every character that is not white space. Longer sentences are divided between words.
    """
    edges = sorted({0, len(text), *breaks})
    atoms: list[Atom] = []
    for start, end in pairwise(edges):
        sentences = [span.shift(start) for span in split_sentences(text[start:end])]
        for number, sentence in enumerate(sentences):
            before = atoms[-1].span.end if atoms else 0
            boundary = Boundary.SECTION if number == 0 else _boundary(text, Span(before, sentence.start))
            pieces = divide(text, sentence, size)
            atoms.append(Atom(next(pieces), boundary))
            atoms.extend(Atom(piece, Boundary.WORD) for piece in pieces)
    return atoms


def divide(text: str, span: Span, size: int) -> Iterator[Span]:
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


def _boundary(text: str, gap: Span) -> Boundary:
    breaks = gap.of(text).count("\n")
    if breaks > 1:
        return Boundary.PARAGRAPH
    return Boundary.LINE if breaks else Boundary.SENTENCE
