"""Answers from entity reports: who said what and when, what is known about a thing, how two are connected (KG-2, AN-1).

Every sentence is a quotation with its citation. The text between the sentences, who says it where and when, is built
from the place of the citation below it and is not a statement of its own; how many places are omitted is stated at the end.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ascertain.answering.citations import cite_span
from ascertain.answering.composition import Composition
from ascertain.answering.confidence import confidence_of
from ascertain.answering.units.candidates import collapse_spaces, count_noun
from ascertain.core.asking.answers import AnswerSentence, AnswerType, Citation, Decision, Verdict, VerdictLabel
from ascertain.core.asking.passages import Passage
from ascertain.core.asking.plans import Asks
from ascertain.core.documents.blocks import Place, clock_time
from ascertain.core.documents.documents import Document
from ascertain.core.reports.overviews import EntityReport, Group


def compose_report(
    report: EntityReport, document: Callable[[str], Document | None], threshold: int, language: str
) -> Composition:
    """The report in quotations; a place whose document has changed is omitted, with a decision.

    The confidence is NONE below ``threshold``. Without a place to quote it is a rejection's, and the text is empty.
    """
    writing = _Writing(document)
    texts = [text for group in report.groups if (text := writing.group(group))]
    if not writing.sentences:
        decision = Decision("compose", "rejected", "no place of the account can be quoted")
        return Composition(
            "", (), (), confidence_of(0, 1, language), (*writing.decisions, decision), AnswerType.REJECTION
        )
    left_out = describe_remainder(report)
    documents = len({citation.document_id for citation in writing.citations})
    decision = Decision(
        "compose",
        "answered",
        f"{len(writing.sentences)} of {report.places} places quoted, from {documents} document(s): {report.how}",
        {"confidence": float(report.confidence)},
    )
    return Composition(
        text="\n\n".join([*texts, left_out] if left_out else texts),
        sentences=tuple(writing.sentences),
        citations=tuple(writing.citations),
        confidence=confidence_of(report.confidence, threshold, language),
        decisions=(*writing.decisions, decision),
        type=AnswerType.SUMMARY,
    )


def format_report(report: EntityReport, sentences: Sequence[AnswerSentence], citations: Sequence[Citation]) -> str:
    """Sentences of a report that were written, not quoted: each under who says what it cites first, with the time."""
    by_number = {citation.number: citation for citation in citations}
    paragraphs: list[tuple[str, list[str]]] = []
    for sentence in sentences:
        cited = next((by_number[number] for number in sentence.citations if number in by_number), None)
        label = _label_group(report, cited) if cited else ""
        when = _describe_place(cited.place) if cited else ""
        if not paragraphs or paragraphs[-1][0] != label:
            paragraphs.append((label, []))
        paragraphs[-1][1].append(f"{when}  {sentence.text}" if when else sentence.text)
    texts = ["\n".join(filter(None, (label, *lines))) for label, lines in paragraphs]
    return "\n\n".join(filter(None, (*texts, describe_remainder(report))))


def _label_group(report: EntityReport, citation: Citation) -> str:
    """The label of the group with the cited place; empty where the model cites another."""
    for group in report.groups:
        for passage in group.passages:
            chunk = passage.chunk
            if chunk.document_id == citation.document_id and chunk.span.contains(citation.span):
                return group.label
    return ""


def describe_remainder(report: EntityReport) -> str:
    """How much of the report is not shown, in a line; empty when all is shown."""
    if report.places <= report.shown and report.is_complete and not report.hidden_groups:
        return ""
    least = "" if report.is_complete else "at least "
    if report.question.asks is Asks.TOGETHER:
        others = report.hidden_groups
        more = f"; {least}{others} more {'is' if others == 1 else 'are'} named with it" if others else ""
    else:
        more = ""
    speakers = f" by {count_noun(report.speakers, 'speaker')}" if report.speakers else ""
    found = (
        f"{least}{count_noun(report.places, 'place')}{speakers} in {count_noun(report.documents, _name_kind(report))}"
    )
    return f"(Shown: {report.shown} of {found}{more}.)"


class _Writing:
    """Sentences and citations as they are written; numbers continue through the whole answer."""

    def __init__(self, document: Callable[[str], Document | None]) -> None:
        self._document = document
        self.sentences: list[AnswerSentence] = []
        self.citations: list[Citation] = []
        self.decisions: list[Decision] = []

    def group(self, group: Group) -> str:
        """The group under its label; empty when nothing in it can be quoted."""
        lines = [line for passage in group.passages if (line := self._write_line(passage))]
        if not lines:
            return ""
        more = [f"({count_noun(group.more, 'more place')})"] if group.more else []
        return "\n".join([group.label, *lines, *more])

    def _write_line(self, passage: Passage) -> str:
        chunk = passage.chunk
        stored = self._document(chunk.document_id)
        if stored is None or chunk.span.of(stored.text) != chunk.text:
            self.decisions.append(Decision("compose", "place skipped", f"{chunk.id}: its document has changed since"))
            return ""
        citation = cite_span(len(self.citations) + 1, stored, chunk.span, chunk.text)
        self.citations.append(citation)
        text = collapse_spaces(citation.quote)
        verdict = Verdict(VerdictLabel.SUPPORTED, 1.0)
        self.sentences.append(AnswerSentence(text, verdict, (citation.number,)))
        return f"{when}  {text}" if (when := _describe_place(citation.place)) else text


def _describe_place(place: Place) -> str:
    if place.start_time is not None:
        return clock_time(place.start_time)
    return place.part or "" if place.page is None else f"p. {place.page}"


def _name_kind(report: EntityReport) -> str:
    return "episode" if report.question.spoken else "document"
