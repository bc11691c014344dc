"""The sentences of a document in portions that a chat model reads in one call, each sentence with a number."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ascertain.core.chunks import Chunk
from ascertain.core.spans import Span
from ascertain.graph.extraction.words import read_chunk, speakers_of

CHARACTERS_A_CALL = 4000
"""About 1,000 tokens: with more, models leave out relations of the middle, and the longest reply of 2,000 tokens gets full."""


@dataclass(frozen=True, slots=True)
class Line:
    """One sentence: where it stands in the document, and its words without breaks of lines."""

    chunk: Chunk
    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class Batch:
    """What one call reads; sentence ``n`` is ``lines[n - 1]``."""

    lines: tuple[Line, ...]

    @property
    def sentences(self) -> str:
        """All sentences with their numbers, a line each."""
        return "\n".join(f"[{number}] {line.text}" for number, line in enumerate(self.lines, 1))


def batches(chunks: Sequence[Chunk]) -> Iterator[Batch]:
    """The sentences of a document in order; what chunks share is read once."""
    lines: list[Line] = []
    characters = 0
    for line in _lines(chunks):
        if lines and characters + len(line.text) > CHARACTERS_A_CALL:
            yield Batch(tuple(lines))
            lines, characters = [], 0
        lines.append(line)
        characters += len(line.text)
    if lines:
        yield Batch(tuple(lines))


def _lines(chunks: Sequence[Chunk]) -> Iterator[Line]:
    speakers = speakers_of(chunks)
    read = 0
    for chunk in chunks:
        for sentence in read_chunk(chunk, speakers).sentences:
            span = sentence.span.shift(chunk.span.start)
            if span.end > read:
                yield Line(chunk, span, " ".join(sentence.span.of(chunk.text).split()))
                read = span.end
