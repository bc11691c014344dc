"""The text of an analysis as it is built: computed lines, and sentences of documents with their citations."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from ascertain.answering.citations import cite_span
from ascertain.answering.units.candidates import collapse_spaces
from ascertain.core.asking.answers import AnswerSentence, Citation, Verdict, VerdictLabel
from ascertain.core.documents.documents import Document
from ascertain.core.reports.analysis import NarrativeSentence, Quote


@dataclass(slots=True)
class Written:
    """The text with its quoted sentences and their citations, as they are put together."""

    document: Callable[[str], Document | None]
    lines: list[str] = field(default_factory=list[str])
    sentences: list[AnswerSentence] = field(default_factory=list[AnswerSentence])
    citations: list[Citation] = field(default_factory=list[Citation])
    _numbers: dict[tuple[str, int, int], int] = field(default_factory=dict[tuple[str, int, int], int])

    def tell(self, line: str) -> None:
        """A computed line."""
        self.lines.append(line)

    def quote(self, quote: Quote, before: str = "") -> bool:
        """A sentence of a document with its citation; ``before`` says whose it is. False where it no longer exists."""
        number = self.cite(quote)
        if number is None:
            return False
        text = collapse_spaces(quote.text)
        self.sentences.append(AnswerSentence(text, Verdict(VerdictLabel.SUPPORTED, 1.0), (number,)))
        self.lines.append(f"{before}{text}")
        return True

    def narrate(self, sentence: NarrativeSentence, before: str = "") -> None:
        """A sentence that was written, with the citations of what it rests on; one that rests on figures alone is a computed line."""
        numbers = tuple(number for quote in sentence.quotes if (number := self.cite(quote)) is not None)
        if numbers:
            self.sentences.append(AnswerSentence(sentence.text, sentence.verdict, numbers))
        self.lines.append(f"{before}{sentence.text}")

    def cite(self, quote: Quote) -> int | None:
        """The number of its citation; None where it no longer exists."""
        key = (quote.document_id, quote.span.start, quote.span.end)
        if key not in self._numbers:
            found = self.document(quote.document_id)
            if found is None or quote.span.of(found.text) != quote.text:
                return None
            self._numbers[key] = len(self.citations) + 1
            self.citations.append(cite_span(self._numbers[key], found, quote.span, quote.text))
        return self._numbers[key]

    @property
    def text(self) -> str:
        """All lines."""
        return "\n".join(self.lines).strip()
