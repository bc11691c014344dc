"""Atoms: the smallest pieces that chunks are built from, and how strong the boundary before each one is."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import IntEnum

from ascertain.core.spans import Span
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


def sentence_atoms(text: str, size: int, breaks: Iterable[int] = ()) -> list[Atom]:
    """The sentences of ``text`` as atoms, none longer than ``size``; ``breaks`` are where sections begin.

    Together they cover every character that is not white space. Longer sentences are divided between words.
    """
    atoms: list[Atom] = []
    edges = iter(sorted({0, *breaks}))
    edge = next(edges, None)
    end = 0
    for sentence in _split_at(text, split_sentences(text), sorted({0, *breaks})):
        boundary = _boundary(text, end, sentence.start)
        while edge is not None and edge <= sentence.start:
            boundary = Boundary.SECTION
            edge = next(edges, None)
        end = sentence.end
        if sentence.length <= size:
            atoms.append(Atom(sentence, boundary))
            continue
        for piece in divide(text, sentence, size):
            atoms.append(Atom(piece, boundary))
            boundary = Boundary.WORD
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


def _split_at(text: str, sentences: Iterable[Span], edges: Iterable[int]) -> Iterator[Span]:
    """``sentences``, cut in two where an edge falls inside one."""
    waiting = iter(edges)
    edge = next(waiting, None)
    for sentence in sentences:
        rest = sentence
        while edge is not None and edge < sentence.end:
            if rest.start < edge:
                before = text[rest.start : edge].rstrip()
                after = text[edge : rest.end]
                yield Span(rest.start, rest.start + len(before))
                rest = Span(rest.end - len(after.lstrip()), rest.end)
            edge = next(waiting, None)
        yield rest


def _boundary(text: str, start: int, end: int) -> Boundary:
    breaks = text.count("\n", start, end)
    if breaks > 1:
        return Boundary.PARAGRAPH
    return Boundary.LINE if breaks else Boundary.SENTENCE
