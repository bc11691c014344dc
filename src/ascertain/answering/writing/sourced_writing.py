"""Sentences that a chat model writes from numbered sources, for digests, analyses and research: shown where their sources support them.

A sentence names its sources by keys from a closed set. It is left out when it names none, when it reads like an instruction, when
a figure in it is in none of them, and when the checker of answers does not find each of its claims supported. A model that fails
a control of that check is not trusted at all. The caller replaces an omitted sentence: with the quotation
behind it, or with nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from pydantic import BaseModel, Field

from ascertain.answering.checking.verification import Verify
from ascertain.answering.citations import shown_text
from ascertain.answering.composition import Composition
from ascertain.core.asking.answers import AnswerSentence, AnswerType, Citation, Verdict, VerdictLabel
from ascertain.core.asking.judgements import CheckedClaim, Groundedness
from ascertain.core.asking.passages import Confidence, Level
from ascertain.core.asking.runs import Run, Task
from ascertain.core.documents.blocks import Place, Span
from ascertain.language.dates import format_day
from ascertain.language.instructions import instruction_spans, without_instructions
from ascertain.language.numbers import Kind, Quantity, find_quantities, holds_quantity
from ascertain.language.sentences import split_sentences
from ascertain.language.tokens import WORD
from ascertain.models.prompts import as_data

MOST_SOURCES = 6
"""Sources of one sentence; a model that cites everything cites nothing."""
CHECKING_CALLS = 1
"""Model calls that checking what was written for one digest, analysis or report may cost; what does not fit is checked by rules."""
_SHOWN = frozenset({VerdictLabel.SUPPORTED, VerdictLabel.INFERRED})
"""Verdicts of the sentences shown."""


class SentenceReply(BaseModel):
    """One sentence with what it rests on."""

    text: str
    keys: list[str] = Field(default=[], description="Keys of the sources that state it, such as S1; at least one.")


@dataclass(frozen=True, slots=True)
class SourcedSentence:
    """A sentence as written; ``sources`` are the numbers of its citations."""

    text: str
    sources: tuple[int, ...]


def cite_figures(number: int, line: str, title: str) -> Citation:
    """A line of computed figures, in the form of a citation: for writing and checking, never shown.

    It is not in a document, so its ``document_id`` is empty.
    """
    return Citation(number, "", title, None, None, line, Span(0, len(line)), Place())


def is_computed(citation: Citation) -> bool:
    """Whether it is a line of computed figures, not of a document."""
    return not citation.document_id


def show_source(key: str, citation: Citation, **about: str) -> str:
    """The citation as a block of a prompt, with its title, its date and what else it is ``about``; without instructions to a model."""
    text = without_instructions(" ".join(citation.quote.split()))
    if is_computed(citation):
        return as_data(text, "figures", {"key": key})
    named = {"title": citation.title, "date": citation.published_at.date().isoformat() if citation.published_at else ""}
    given = {name: without_instructions(value) for name, value in {**named, **about}.items() if value}
    return as_data(text, "source", {"key": key, **given})


def read_sentences(
    replies: Sequence[SentenceReply], sources: Mapping[str, Citation], most: int
) -> list[SourcedSentence]:
    """What of ``replies`` can be checked, at most ``most`` sentences: with words, and an existing source.

    ``sources`` are by key. A reply of several sentences becomes as many, each with the same sources.
    """
    return list(_read_replies(replies, sources))[:most]


def _read_replies(replies: Sequence[SentenceReply], sources: Mapping[str, Citation]) -> Iterator[SourcedSentence]:
    quotes = [citation.quote for citation in sources.values()]
    for reply in replies:
        named = (key.strip().strip("[]()").upper() for key in reply.keys)
        numbers = tuple(dict.fromkeys(sources[key].number for key in named if key in sources))[:MOST_SOURCES]
        text = shown_text(reply.text, quotes)
        for span in split_sentences(text) if numbers else ():
            sentence = span.of(text)
            if WORD.search(sentence) and not instruction_spans(sentence):
                yield SourcedSentence(sentence, numbers)


def check_sentences(
    sentences: Sequence[SourcedSentence],
    citations: Sequence[Citation],
    question: str,
    verify: Verify,
    *,
    run: Run,
    language: str,
) -> list[AnswerSentence | None]:
    """Each sentence with its verdict, None for those that must not be shown; in the same order.

    At most ``CHECKING_CALLS`` calls are made. Nothing from a model that fails a control is shown.
    """
    by_number = {citation.number: citation for citation in citations}
    cited = [[by_number[number] for number in sentence.sources] for sentence in sentences]
    sound = [
        index
        for index, sentence in enumerate(sentences)
        if not find_foreign_figures(sentence.text, cited[index], question)
    ]
    if not sound or run.is_distrusted:
        return [None] * len(sentences)
    groundedness = _verify_sentences(
        [sentences[i] for i in sound], citations, question, verify, run=run, language=language
    )
    if run.is_distrusted:
        return [None] * len(sentences)
    checked: list[AnswerSentence | None] = [None] * len(sentences)
    for place, index in enumerate(sound):
        verdicts = [claim.verdict for claim in groundedness.claims if claim.sentence == place]
        if verdicts and all(verdict.label in _SHOWN for verdict in verdicts):
            worst = min(verdicts, key=lambda each: (each.label is VerdictLabel.SUPPORTED, each.score))
            checked[index] = AnswerSentence(sentences[index].text, worst, sentences[index].sources)
    return checked


def _verify_sentences(
    sentences: Sequence[SourcedSentence],
    citations: Sequence[Citation],
    question: str,
    verify: Verify,
    *,
    run: Run,
    language: str,
) -> Groundedness:
    """The claims of ``sentences``, checked within ``CHECKING_CALLS``; the only place that requests it."""
    unknown = Verdict(VerdictLabel.NOT_IN_SOURCES, 0.0)
    composition = Composition(
        text=" ".join(sentence.text for sentence in sentences),
        sentences=tuple(AnswerSentence(each.text, unknown, each.sources) for each in sentences),
        citations=tuple(citations),
        confidence=Confidence(Level.NONE, 0),
        decisions=(),
        type=AnswerType.REPORT,
    )
    with run.limit(Task.VERIFY, CHECKING_CALLS) as part:
        return verify(composition, (), question, language, part)


def _name_day(citation: Citation) -> str:
    moment = citation.published_at
    return format_day(moment) if moment else ""


def find_foreign_figures(text: str, cited: Sequence[Citation], question: str = "") -> list[str]:
    """The figures of ``text`` that are in nothing it cites, nor in its title or date, nor in the question.

    How many sources it has is a figure too: "two papers disagree".
    """
    known: list[Quantity] = find_quantities(question)
    for citation in cited:
        known += find_quantities(f"{citation.quote}\n{citation.title}\n{_name_day(citation)}")
    return [
        each.text
        for each in find_quantities(text)
        if not holds_quantity(each, known) and not (each.kind is Kind.PLAIN and each.value == len(cited))
    ]


def number_citations(
    sentences: Sequence[AnswerSentence], citations: Sequence[Citation]
) -> tuple[list[AnswerSentence], list[Citation]]:
    """``sentences`` with their citations numbered from 1 in order, and those citations; the others are omitted."""
    by_number = {citation.number: citation for citation in citations}
    numbers: dict[int, int] = {}
    for sentence in sentences:
        for number in sentence.citations:
            numbers.setdefault(number, len(numbers) + 1)
    renumbered = [replace(each, citations=tuple(numbers[number] for number in each.citations)) for each in sentences]
    return renumbered, [replace(by_number[old], number=new) for old, new in numbers.items()]


def as_checked(sentences: Sequence[AnswerSentence]) -> Groundedness:
    """The verdicts already reached on ``sentences``, as ``Composition.checked``: nothing is checked twice."""
    return Groundedness(tuple(CheckedClaim(each.text, index, each.verdict) for index, each in enumerate(sentences)))
