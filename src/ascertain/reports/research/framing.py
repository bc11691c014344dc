"""The text around the findings of a report: an introduction, a comparison of the sources, a conclusion.

A chat model writes all three in one call, from the quotations that the findings cite and from facts of the run itself (what was looked
up, how much was found, what stays open). The fact checker checks each sentence as it does the others, in at most one more call; what
they do not say is left out. Without a chat model a report has its findings alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from pydantic import BaseModel

from ascertain.answering.checking.verification import Verify
from ascertain.answering.units.candidates import count_noun
from ascertain.answering.writing.sourced_writing import (
    SentenceReply,
    SourcedSentence,
    check_sentences,
    cite_figures,
    is_computed,
    read_sentences,
    show_source,
)
from ascertain.core.asking.answers import Citation
from ascertain.core.asking.runs import Run, Task
from ascertain.core.reports.research import FramingSentence, ReportSection, ResearchRun
from ascertain.language.instructions import instruction_spans
from ascertain.models.ports import Chat
from ascertain.models.prompts import PromptedStep, Prompts, as_data

FEWEST_FINDINGS = 2
"""One finding needs no introduction, and there is nothing to compare it with."""
OF_SECTION = {ReportSection.INTRODUCTION: 2, ReportSection.COMPARISON: 4, ReportSection.CONCLUSION: 3}
"""Sentences of each section."""
MOST_QUOTATIONS = 24
"""Quotations that it is written from, the first ones: about 2,000 tokens."""
MOST_TITLES = 6
"""Titles of sources that a fact names."""
_FACTS = "Of this report"


class FramingReply(BaseModel):
    """The three sections around the findings."""

    introduction: list[SentenceReply] = []
    comparison: list[SentenceReply] = []
    conclusion: list[SentenceReply] = []


class ModelFramer:
    """Has the model write the three sections."""

    def __init__(self, chat: Chat, prompts: Prompts) -> None:
        self._step = PromptedStep(chat, prompts, Task.WRITE, "write", "write_framing")

    def frame(self, run: ResearchRun, order: Sequence[int], ledger: Run) -> tuple[FramingSentence, ...]:
        """Sentences for the report whose findings are shown in ``order``, still to be checked; none where there is too little."""
        if len(order) < FEWEST_FINDINGS or ledger.is_out_of_time:
            return ()
        sources = _gather_sources(run, order)
        reply = self._step.reply(
            FramingReply,
            ledger,
            question=as_data(run.plan.question if run.plan else run.request.subject, "question"),
            facts="\n".join(show_source(key, each) for key, each in sources.items() if is_computed(each)),
            quotations="\n".join(_show_quotations(run, sources)),
        )
        return tuple(_read_reply(reply, sources)) if reply is not None else ()


def _show_quotations(run: ResearchRun, sources: Mapping[str, Citation]) -> Iterator[str]:
    """Each quotation with the sub-question that it was found for."""
    asked = run.plan.sub_questions if run.plan else ()
    findings = run.synthesis.findings if run.synthesis else ()
    part_of = {number: each.sub_question for each in reversed(findings) for number in each.citations}
    for key, citation in sources.items():
        if not is_computed(citation):
            part = part_of[citation.number]
            yield show_source(key, citation, about=asked[part].text if part < len(asked) else "")


def _gather_sources(run: ResearchRun, order: Sequence[int]) -> dict[str, Citation]:
    """By key: facts of the run, then what the findings cite, in their order."""
    findings = [run.synthesis.findings[index] for index in order] if run.synthesis else []
    numbers = list(dict.fromkeys(number for finding in findings for number in finding.citations))
    cited = [run.cite(number) for number in numbers if not instruction_spans(run.cite(number).quote)]
    first = len(run.citations) + 1
    facts = [cite_figures(first + n, line, _FACTS) for n, line in enumerate(_list_facts(run, len(findings), cited))]
    sources = {f"F{number}": each for number, each in enumerate(facts, 1)}
    return sources | {f"S{each.number}": each for each in cited[:MOST_QUOTATIONS]}


def _list_facts(run: ResearchRun, findings: int, cited: Sequence[Citation]) -> Iterator[str]:
    """What the run did and found, a line each."""
    parts = run.plan.sub_questions if run.plan else ()
    yield f"The report is on: {run.plan.question if run.plan else run.request.subject}"
    if len(parts) > 1:
        yield f"It was looked up in {len(parts)} parts: {'; '.join(part.text for part in parts)}"
    titles = list(dict.fromkeys(" ".join(each.title.split()) for each in cited if each.title.strip()))
    documents = len({each.document_id for each in cited})
    named = f": {'; '.join(f'“{title}”' for title in titles[:MOST_TITLES])}" if titles else ""
    yield f"It has {count_noun(findings, 'finding')} from {count_noun(documents, 'document')}{named}."
    unanswered = [parts[index].text for index in (run.synthesis.open if run.synthesis else ()) if index < len(parts)]
    if unanswered:
        yield f"What could not be established: {'; '.join(unanswered)}"
    for each in run.synthesis.disagreements if run.synthesis else ():
        one, other = run.cite(each.one), run.cite(each.other)
        yield f"“{one.title}” and “{other.title}” disagree: “{one.quote}” against “{other.quote}” ({each.reason})"


def _read_reply(reply: FramingReply, sources: Mapping[str, Citation]) -> Iterator[FramingSentence]:
    by_number = {each.number: each for each in sources.values()}
    for section, replies in (
        (ReportSection.INTRODUCTION, reply.introduction),
        (ReportSection.COMPARISON, reply.comparison),
        (ReportSection.CONCLUSION, reply.conclusion),
    ):
        drafts = read_sentences(replies, sources, 2 * OF_SECTION[section])
        sentences = [_build_sentence(section, draft, by_number) for draft in drafts]
        yield from [each for each in sentences if _is_at_home(each, by_number)][: OF_SECTION[section]]


def _build_sentence(section: ReportSection, draft: SourcedSentence, sources: Mapping[int, Citation]) -> FramingSentence:
    cited = [sources[number] for number in draft.sources]
    return FramingSentence(
        section=section,
        text=draft.text,
        citations=tuple(each.number for each in cited if not is_computed(each)),
        facts=tuple(each.quote for each in cited if is_computed(each)),
    )


def _is_at_home(sentence: FramingSentence, sources: Mapping[int, Citation]) -> bool:
    """Whether it fits its section: a comparison needs two documents."""
    documents = {sources[number].document_id for number in sentence.citations}
    return sentence.section is not ReportSection.COMPARISON or len(documents) > 1


def check_framing(
    sentences: Sequence[FramingSentence],
    stored: Sequence[Citation],
    question: str,
    verify: Verify,
    *,
    run: Run,
    language: str,
) -> tuple[FramingSentence, ...]:
    """The sentences supported by their facts and quotations, if all are still ``stored``; none of a model that
    failed a control.
    """
    numbers = {each.number for each in stored}
    whole = [each for each in sentences if numbers.issuperset(each.citations)]
    facts = dict.fromkeys(line for each in whole for line in each.facts)
    number_of = {line: max(numbers, default=0) + n for n, line in enumerate(facts, 1)}
    known = [*stored, *(cite_figures(number, line, _FACTS) for line, number in number_of.items())]
    drafts = [
        SourcedSentence(each.text, (*each.citations, *(number_of[line] for line in each.facts))) for each in whole
    ]
    checked = check_sentences(drafts, known, question, verify, run=run, language=language)
    return tuple(each for each, shown in zip(whole, checked, strict=True) if shown is not None)
