"""A chat model writes up what an analysis found: trends, patterns, and what named sources expect, shortly and later.

It writes from lines of figures that were computed and from sentences that are quoted, each with a key, and predicts nothing itself:
an outlook rests on statements about the future alone, and is shown with who made them. What it writes is checked as answers are
(``answering.sourced_writing``); a sentence that does not pass is left out, since the figures and quotations stand below anyway.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from pydantic import BaseModel

from ascertain.answering.checking.verification import Verify
from ascertain.answering.citations import cite_span
from ascertain.answering.units.candidates import collapse_spaces, count_noun
from ascertain.answering.writing.sourced_writing import (
    SentenceReply,
    SourcedSentence,
    check_sentences,
    cite_figures,
    is_computed,
    read_sentences,
    show_source,
)
from ascertain.core.asking.answers import AnswerSentence, Citation
from ascertain.core.asking.runs import Run, Task
from ascertain.core.documents.blocks import Span
from ascertain.core.documents.documents import Document
from ascertain.core.reports.analysis import Coverage, Findings, Forecast, NarrativePart, NarrativeSentence, Quote
from ascertain.language.instructions import instruction_spans
from ascertain.models.ports import Chat
from ascertain.models.prompts import PromptedStep, Prompts, as_data
from ascertain.reports.analysis.forecasts import find_forecast
from ascertain.workflow.analysis.figures import describe_coverage, describe_speaker, list_figures
from ascertain.workflow.analysis.steps import Scope
from ascertain.workflow.question_text import format_period

OF_PART = {NarrativePart.TREND: 3, NarrativePart.PATTERN: 3, NarrativePart.SHORT_TERM: 2, NarrativePart.LONGER_TERM: 2}
"""Sentences of each part."""
OUTLOOK = frozenset({NarrativePart.SHORT_TERM, NarrativePart.LONGER_TERM})
MOST_QUOTES, MOST_STATEMENTS = 24, 12
"""Quotations and statements about the future that it is written from: with the figures about 3,000 tokens."""
_FIGURES = "Computed from the documents"


class NarrativeReply(BaseModel):
    """What the figures and the quotations say together."""

    trends: list[SentenceReply] = []
    patterns: list[SentenceReply] = []
    short_term: list[SentenceReply] = []
    longer_term: list[SentenceReply] = []


@dataclass(slots=True)
class _Sources:
    """What is written from, by key, and the figures, the quote and the forecast behind the number of a citation."""

    by_key: dict[str, Citation]
    figures: dict[int, str]
    quotes: dict[int, Quote]
    forecasts: dict[int, Forecast]

    def add(self, letter: str, citation: Citation) -> None:
        self.by_key[f"{letter}{citation.number}"] = citation


class ModelNarrator:
    """Has the model write it; ``verify`` is the checker of answers."""

    def __init__(
        self, chat: Chat, prompts: Prompts, verify: Verify, document: Callable[[str], Document | None]
    ) -> None:
        self._step = PromptedStep(chat, prompts, Task.WRITE, "narrate", "write_narrative")
        self._verify = verify
        self._document = document

    def narrate(
        self, question: str, scope: Scope, coverage: Coverage, findings: Findings, run: Run, *, language: str
    ) -> tuple[NarrativeSentence, ...]:
        """The sentences that may be shown, in the order of ``NarrativePart``; none where nothing is on the subject."""
        if not findings.documents:
            return ()
        sources = _gather_sources(scope, coverage, findings, self._document)
        reply = self._step.reply(
            NarrativeReply,
            run,
            question=as_data(question, "question"),
            figures=_show_sources(sources, "F"),
            quotations=_show_sources(sources, "Q") or "(none)",
            statements=_show_sources(sources, "S") or "(none)",
        )
        if reply is None:
            return ()
        drafts = [(part, draft) for part, replies in _list_parts(reply) for draft in _read_part(part, replies, sources)]
        citations = list(sources.by_key.values())
        checked = check_sentences(
            [draft for _, draft in drafts], citations, question, self._verify, run=run, language=language
        )
        left_out = sum(sentence is None for sentence in checked)
        if left_out and not run.is_distrusted:
            self._step.fell_back(run, f"{count_noun(left_out, 'sentence')} of {len(drafts)} not found in what it cites")
        return tuple(
            _describe_sentence(part, sentence, sources)
            for (part, _), sentence in zip(drafts, checked, strict=True)
            if sentence is not None
        )


def _gather_sources(
    scope: Scope, coverage: Coverage, findings: Findings, document: Callable[[str], Document | None]
) -> _Sources:
    sources = _Sources({}, {}, {}, {})
    number = 0
    about = _describe_subject(scope)
    for line in (describe_coverage(scope, coverage), *list_figures(findings)):
        number += 1
        sources.add("F", cite_figures(number, f"{about}{line}", _FIGURES))
        sources.figures[number] = line
    for quote in list(dict.fromkeys(_list_quotes(findings)))[:MOST_QUOTES]:
        citation = _cite_quote(number + 1, quote, document)
        if citation is not None:
            number += 1
            sources.add("Q", citation)
            sources.quotes[number] = quote
    for forecast in findings.forecasts[:MOST_STATEMENTS]:
        citation = _cite_quote(number + 1, forecast.quote, document)
        if citation is not None:
            number += 1
            sources.add("S", citation)
            sources.quotes[number], sources.forecasts[number] = forecast.quote, forecast
    return sources


def _describe_subject(scope: Scope) -> str:
    """``On “Solana”, dated 16 May 2025 to 15 June 2025: ``, so that a line of figures says by itself what it is of."""
    period = format_period(scope.filter) if scope.filter.has_dates else ""
    about = ", ".join(filter(None, (f"On “{scope.subject.text}”" if scope.subject.text else "", period)))
    return f"{about[:1].upper()}{about[1:]}: " if about else ""


def _list_quotes(findings: Findings) -> Iterator[Quote]:
    """The most informative quotations, the best of each kind first; statements about the future are no facts."""
    expected = {forecast.quote for forecast in findings.forecasts}
    kinds: tuple[Sequence[Quote], ...] = (
        [each.quote for each in findings.events],
        [quote for each in findings.contradictions for quote in (each.one, each.other)],
        [each.quote for each in findings.voices],
        [move.quote for course in findings.courses for move in (course.highest, course.lowest, course.last)],
        [each.quote for each in sorted(findings.moves, key=lambda move: -(move.percent or 0.0))],
        [quote for each in findings.turning_points for quote in each.quotes],
        [quote for each in findings.agreements for quote in each.quotes],
    )
    for place in range(max(len(kind) for kind in kinds)):
        yield from (kind[place] for kind in kinds if place < len(kind) and kind[place] not in expected)


def _cite_quote(number: int, quote: Quote, document: Callable[[str], Document | None]) -> Citation | None:
    """None where it is no longer there, or reads like instructions to a model, which is not evidence."""
    stored = document(quote.document_id)
    if stored is None or quote.span.of(stored.text) != quote.text or instruction_spans(quote.text):
        return None
    return cite_span(number, stored, quote.span, quote.text)


def _show_sources(sources: _Sources, letter: str) -> str:
    def show(key: str, citation: Citation) -> str:
        forecast = sources.forecasts.get(citation.number)
        return show_source(key, citation, speaker=describe_speaker(forecast) if forecast else "")

    return "\n".join(show(key, each) for key, each in sources.by_key.items() if key.startswith(letter))


def _list_parts(reply: NarrativeReply) -> Iterator[tuple[NarrativePart, Sequence[SentenceReply]]]:
    yield NarrativePart.TREND, reply.trends
    yield NarrativePart.PATTERN, reply.patterns
    yield NarrativePart.SHORT_TERM, reply.short_term
    yield NarrativePart.LONGER_TERM, reply.longer_term


def _read_part(part: NarrativePart, replies: Sequence[SentenceReply], sources: _Sources) -> list[SourcedSentence]:
    """What may be in this part: an outlook from statements about the future alone, all else from what is known."""
    letters = "S" if part in OUTLOOK else "FQ"
    allowed: Mapping[str, Citation] = {key: each for key, each in sources.by_key.items() if key[0] in letters}
    drafts = read_sentences(replies, allowed, 2 * OF_PART[part])
    return [each for each in drafts if part in OUTLOOK or not _is_expectation(each.text)][: OF_PART[part]]


def _is_expectation(text: str) -> bool:
    """Whether a sentence speaks of what is to come; it would be a prediction of ours."""
    return find_forecast(Quote("", Span(0, len(text)), text), (), "", str) is not None


def _describe_sentence(part: NarrativePart, sentence: AnswerSentence, sources: _Sources) -> NarrativeSentence:
    by_number = {citation.number: citation for citation in sources.by_key.values()}
    cited = [by_number[number] for number in sentence.citations]
    forecasts = [sources.forecasts[each.number] for each in cited if each.number in sources.forecasts]
    return NarrativeSentence(
        part=part,
        text=collapse_spaces(sentence.text),
        verdict=sentence.verdict,
        quotes=tuple(sources.quotes[each.number] for each in cited if not is_computed(each)),
        figures=tuple(sources.figures[each.number] for each in cited if is_computed(each)),
        speakers=tuple(dict.fromkeys(map(describe_speaker, forecasts))),
    )
