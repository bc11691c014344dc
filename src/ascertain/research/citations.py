"""The numbered citations of one run: exact words of stored documents, the same words under one number."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from ascertain.answering.citations import cite_span
from ascertain.core.answers import Citation
from ascertain.core.blocks import Span
from ascertain.core.documents import Document
from ascertain.language.instructions import instruction_warning

FindDocument = Callable[[str], Document | None]


class RunCitations:
    """Adds to the citations of a run; every one is checked against the stored text when it is added."""

    def __init__(self, before: Sequence[Citation], document: FindDocument) -> None:
        self._citations = list(before)
        self._numbers = {(each.document_id, each.span): each.number for each in before}
        self._document = document

    @property
    def all(self) -> tuple[Citation, ...]:
        """In order of number, from 1."""
        return tuple(self._citations)

    def add(self, document: Document, span: Span) -> int:
        """The number of the characters under ``span``; raises CitationError for what cannot be quoted."""
        key = (document.id, span)
        if key not in self._numbers:
            number = len(self._citations) + 1
            warning = instruction_warning(document.text)
            self._citations.append(replace(cite_span(number, document, span), warning=warning))
            self._numbers[key] = number
        return self._numbers[key]

    def adopt(self, given: Iterable[Citation]) -> dict[int, int]:
        """The numbers that citations of an answer have here, by those they had there; one whose words are not stored
        any more is left out.
        """
        numbers: dict[int, int] = {}
        for citation in given:
            stored = self._document(citation.document_id)
            if stored is not None and citation.span.of(stored.text) == citation.quote:
                numbers[citation.number] = self.add(stored, citation.span)
        return numbers
