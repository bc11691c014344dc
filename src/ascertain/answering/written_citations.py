"""Citations of what a model wrote, each built on the stored words that it names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ascertain.answering.citations import cite
from ascertain.answering.quotes import FEWEST_WORDS, locate, nearest_sentence
from ascertain.answering.source_texts import SourceText
from ascertain.core.answers import Citation
from ascertain.core.spans import Span
from ascertain.language.sentences import MAX_SENTENCE
from ascertain.language.tokens import WORD

MOST = 4
"""Citations of one sentence; a model that names everything names nothing."""
LONGEST = 2 * MAX_SENTENCE
"""Characters of a quote; a longer one is not what a single sentence rests on, nor checked at a glance."""


class CitationList:
    """The numbered citations of one answer; the same words have one number."""

    def __init__(self, sources: Sequence[SourceText]) -> None:
        self._sources = {source.key: source for source in sources}
        self._numbers: dict[tuple[str, Span], int] = {}
        self._citations: list[Citation] = []

    @property
    def all(self) -> tuple[Citation, ...]:
        """In order of number, from 1."""
        return tuple(self._citations)

    @property
    def documents(self) -> int:
        """How many documents they are of."""
        return len({citation.document_id for citation in self._citations})

    def quote(self, number: int) -> str:
        """The stored words of citation ``number``."""
        return self._citations[number - 1].quote

    def cite(self, sentence: str, quotes: Sequence[tuple[str, str]]) -> tuple[int, ...]:
        """Numbers of the citations that ``quotes`` (key and words) give ``sentence``; none when none is found.

        Words are looked for under their key, then, when they are many enough to be no accident, in the other sources. Where they
        are nowhere, the sentence of the named source that says most of the same is cited. Unknown keys count for nothing.
        """
        numbers: list[int] = []
        for key, words in quotes:
            named = self._sources.get(key.strip().strip("[]()").upper())
            if named is None:
                continue
            for source, span in self._found(named, words) or self._near(named, sentence):
                numbers.append(self._number(source, span))
        return tuple(dict.fromkeys(numbers))[:MOST]

    def _found(self, named: SourceText, words: str) -> list[tuple[SourceText, Span]]:
        others = [s for s in self._sources.values() if s is not named]
        wide = len(WORD.findall(words)) >= 2 * FEWEST_WORDS
        for source in (named, *(others if wide else ())):
            found = [(source, span) for span in _honest(source, locate(words, source.passage.chunk.text))]
            if found:
                return found
        return []

    @staticmethod
    def _near(source: SourceText, sentence: str) -> list[tuple[SourceText, Span]]:
        near = nearest_sentence(sentence, source.passage.chunk.text)
        return [(source, span) for span in _honest(source, (near,) if near else ())]

    def _number(self, source: SourceText, span: Span) -> int:
        where = (source.document.id, span.shift(source.passage.chunk.span.start))
        if where not in self._numbers:
            self._numbers[where] = len(self._citations) + 1
            quote = span.of(source.passage.chunk.text)
            self._citations.append(cite(self._numbers[where], source.document, where[1], quote))
        return self._numbers[where]


def _honest(source: SourceText, spans: Sequence[Span]) -> Iterator[Span]:
    """Without those that are too long, and those that touch what reads like instructions to a model: evidence of nothing."""
    for span in spans:
        if span.length <= LONGEST and not any(span.overlap(orders) for orders in source.instructions):
            yield span
