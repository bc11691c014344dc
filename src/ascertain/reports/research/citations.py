"""The numbered citations of one run: exact words of stored documents, the same words under one number."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from ascertain.answering.citations import cite_span
from ascertain.core.asking.answers import Citation
from ascertain.core.documents.blocks import Span
from ascertain.core.documents.documents import Document
from ascertain.core.reports.research import (
    CheckedReport,
    ClaimCheck,
    Disagreement,
    FramingSentence,
    ReportSentence,
    ResearchRun,
)
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
        """The number of the characters under ``span``; raises CitationError for text that cannot be quoted."""
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


def list_cited(run: ResearchRun, report: CheckedReport) -> tuple[int, ...]:
    """Numbers of the citations that the report names, in the order in which it does."""
    asked = run.synthesis.validated if run.synthesis else None
    numbers = [*asked.evidence_for, *asked.evidence_against] if asked else []
    if run.site is not None and run.site.about is not None:
        numbers.append(run.site.about.number)
    for sentence in (*report.framing, *report.summary.sentences, *report.findings):
        numbers += sentence.citations
        numbers += sentence.against if isinstance(sentence, ReportSentence) else ()
    for claim in report.claims:
        numbers += (*claim.evidence_for, *claim.evidence_against)
    for each in report.disagreements:
        numbers += (each.one, each.other)
    return tuple(dict.fromkeys(numbers))


def renumber_citations(run: ResearchRun) -> ResearchRun:
    """``run`` with the citations of its report first, numbered from 1 as it names them; then those that it does not."""
    if run.report is None:
        return run
    order = dict.fromkeys((*list_cited(run, run.report), *(each.number for each in run.citations)))
    to = {number: place for place, number in enumerate(order, 1)}
    site, synthesis, draft, report = run.site, run.synthesis, run.draft, run.report
    return replace(
        run,
        citations=tuple(replace(run.cite(number), number=to[number]) for number in order),
        site=site
        and replace(
            site,
            about=site.about and replace(site.about, number=to[site.about.number]),
            claims=tuple(replace(each, number=to[each.number]) for each in site.claims),
        ),
        synthesis=synthesis
        and replace(
            synthesis,
            findings=_number_sentences(synthesis.findings, to),
            disagreements=_number_disagreements(synthesis.disagreements, to),
            validated=synthesis.validated and _number_claim(synthesis.validated, to),
        ),
        summary=run.summary and replace(run.summary, sentences=_number_sentences(run.summary.sentences, to)),
        draft=draft and replace(draft, framing=_number_framing(draft.framing, to)),
        report=replace(
            report,
            summary=replace(report.summary, sentences=_number_sentences(report.summary.sentences, to)),
            findings=_number_sentences(report.findings, to),
            claims=tuple(_number_claim(each, to) for each in report.claims),
            disagreements=_number_disagreements(report.disagreements, to),
            removed=_number_sentences(report.removed, to),
            framing=_number_framing(report.framing, to),
        ),
    )


def _number_sentences(sentences: Sequence[ReportSentence], to: Mapping[int, int]) -> tuple[ReportSentence, ...]:
    return tuple(
        replace(each, citations=_number(each.citations, to), against=_number(each.against, to)) for each in sentences
    )


def _number_framing(sentences: Sequence[FramingSentence], to: Mapping[int, int]) -> tuple[FramingSentence, ...]:
    return tuple(replace(each, citations=_number(each.citations, to)) for each in sentences)


def _number_disagreements(found: Sequence[Disagreement], to: Mapping[int, int]) -> tuple[Disagreement, ...]:
    return tuple(replace(each, one=to[each.one], other=to[each.other]) for each in found)


def _number_claim(claim: ClaimCheck, to: Mapping[int, int]) -> ClaimCheck:
    return replace(
        claim,
        evidence_for=_number(claim.evidence_for, to),
        evidence_against=_number(claim.evidence_against, to),
        source=None if claim.source is None else to[claim.source],
    )


def _number(numbers: Sequence[int], to: Mapping[int, int]) -> tuple[int, ...]:
    return tuple(to[number] for number in numbers)
