"""A name that was found in a sentence, before it is settled what it is."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from ascertain.core.spans import Span
from ascertain.graph.extraction.words import Reading, Sentence
from ascertain.graph.keys import key_of


@dataclass(frozen=True)
class Found:
    """Words ``first`` to ``end`` of a sentence of a chunk. ``origin`` is capitals, term, code or quoted."""

    reading: Reading
    sentence: Sentence
    first: int
    end: int
    origin: str
    marked: Span | None = None
    """What quotation marks or code marks enclose, in the text of the chunk."""

    @cached_property
    def span(self) -> Span:
        """In the text of the chunk, without a possessive ending."""
        if self.marked is not None:
            return self.marked
        words = self.sentence.words
        last = words[self.end - 1]
        written = last.written
        end = last.end - 2 if len(written) > 2 and written[-2] in "'’" and written[-1] in "sS" else last.end
        return Span(words[self.first].start, end)

    @cached_property
    def written(self) -> str:
        """As it stands in the text, a break of a line as a space."""
        found = self.span.of(self.reading.chunk.text)
        return " ".join(found.split()) if "\n" in found else found

    @cached_property
    def key(self) -> str:
        """How the name is compared."""
        return key_of(self.written)
