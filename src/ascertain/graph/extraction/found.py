"""A name that was found in a sentence, before it is settled what it is."""

from __future__ import annotations

from dataclasses import dataclass

from ascertain.core.spans import Span
from ascertain.graph.extraction.words import ADJECTIVE, Reading, Run, Sentence
from ascertain.graph.keys import key_of


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """Words ``first`` to ``end`` of a sentence of a chunk.

    ``origin`` is title, quoted, code, capitals, listed (in the profile), recalled (from
    elsewhere in the document) or term. ``span`` is in the text of the chunk and leaves out a possessive
    ending and what makes an adjective of a name; ``written`` has a space where the text breaks a line.
    """

    reading: Reading
    sentence: Sentence
    first: int
    end: int
    origin: str
    span: Span
    written: str
    key: str
    kind: str = ""
    """The general kind that a recogniser gave it."""


def found(
    reading: Reading, sentence: Sentence, run: Run, origin: str, *, marked: Span | None = None, kind: str = ""
) -> Found:
    """The name of the words of ``run``; ``marked`` is what quotation or code marks enclose, where they do."""
    span = marked or _span(sentence, run)
    written = span.of(reading.chunk.text)
    written = " ".join(written.split()) if "\n" in written else written
    return Found(reading, sentence, *run, origin, span, written, key_of(written), kind)


def _span(sentence: Sentence, run: Run) -> Span:
    first, last = sentence.words[run[0]], sentence.words[run[1] - 1]
    written = last.written
    is_possessive = len(written) > 2 and written[-2] in "'’" and written[-1] in "sS"
    ending = ADJECTIVE.search(written)
    return Span(first.start, last.end - 2 if is_possessive else last.end - len(ending[0] if ending else ""))
