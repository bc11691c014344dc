"""A question that orders research, answered within ``ask``: the same agents, quickly, over the documents alone.

No page is fetched and nothing is kept: that is what ``ascertain research`` is for, which the answer names at its end.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from statistics import fmean

from ascertain.answering.composition import Composition
from ascertain.answering.confidence import confidence_of
from ascertain.answering.overviews.global_answers import GlobalAnswer
from ascertain.answering.units.candidates import collapse_spaces, count_noun
from ascertain.answering.writing.sourced_writing import as_checked
from ascertain.app.container.tenant_view import TenantView
from ascertain.app.researching.agents import build_agents
from ascertain.core.asking.answers import AnswerSentence, AnswerType, Citation, Decision, Verdict, VerdictLabel
from ascertain.core.asking.passages import Filter, Passage
from ascertain.core.asking.runs import Run
from ascertain.core.errors import ModelError, SourceError, StoreError, UsageError
from ascertain.core.reports.research import (
    CheckedReport,
    PaperRecord,
    ReportSection,
    ReportSentence,
    ResearchDone,
    ResearchRequest,
    ResearchRun,
    ResearchSource,
)
from ascertain.workflow.research.agents import OUT_OF_TIME, Fetched
from ascertain.workflow.research.graph import Context
from ascertain.workflow.research.run import stream_research

MOST_CONFIDENCE = 90
"""Of a report by quotations alone (by judgement, as for verdicts: see ``research.validation``)."""
MOST_DISPUTED = 60
"""Where sources deny each other: which of them is right is not known (by judgement)."""


class NoOutside:
    """Used where a run may not call other services."""

    def fetch(self, address: str, run_id: str) -> Fetched:
        """Nothing."""
        return Fetched((), "a question fetches no pages")

    def search_papers(self, words: Sequence[str], limit: int) -> tuple[PaperRecord, ...]:
        """Raises SourceError."""
        raise SourceError("a question searches no papers")


@dataclass(frozen=True, slots=True)
class ReportWriter:
    """The ``ReportWriter`` of the workflow."""

    view: TenantView

    def write(
        self, subject: str, language: str, days_back: int | None, filter: Filter, run: Run
    ) -> GlobalAnswer | None:
        """The findings on ``subject`` in what ``filter`` selects; None, with a note on ``run`` where something failed."""
        clock = self.view.clock
        if days_back is not None and not filter.has_dates:
            filter = replace(filter, published_from=clock.now() - timedelta(days=days_back))
        agents = build_agents(self.view, NoOutside(), lambda _: filter)
        request = ResearchRequest(
            uuid.uuid4().hex[:12], subject, sources=(ResearchSource.DOCUMENTS,), tenant=filter.tenant
        )
        context = Context(agents, run, lambda _: None)
        done: ResearchRun | None = None
        try:
            for event in stream_research(ResearchRun(request, clock.now()), context):
                run.check_wanted()
                if isinstance(event, ResearchDone):
                    done = event.run
        except (StoreError, ModelError, UsageError) as error:
            run.note(Decision("research", "fell back to a search", f"no report could be written: {error}"))
            return None
        if done is None:
            raise AssertionError("research ends with its last event")
        for decision in list_decisions(done):
            run.note(decision)
        return self._read_report(done, language, filter)

    def _read_report(self, done: ResearchRun, language: str, filter: Filter) -> GlobalAnswer | None:
        findings = list_supported(done.report) if done.report else []
        sure = done.synthesis.confidences if done.synthesis else ()
        if not findings or not sure or done.plan is None:
            return None
        parts = len(done.plan.sub_questions)
        disputes = list_disputes(done, findings)
        framing = done.report.framing if done.report else ()
        cited = _number_citations(done, findings, disputes)
        score = min(MOST_DISPUTED if disputes else MOST_CONFIDENCE, round(fmean(sure) * len(sure) / parts))
        how = f"{count_noun(len(findings), 'finding')} on {len(sure)} of {count_noun(parts, 'sub-question')}"
        sentences = (
            *(_cite_sentence(each.text, [cited[n] for n in each.citations]) for each in framing if each.citations),
            *(_cite_sentence(finding.text, [cited[n] for n in finding.citations]) for finding in findings),
            *(_cite_sentence(cited[n].quote, [cited[n]]) for pair in disputes for n in pair),
        )
        composition: Composition = Composition(
            text="\n\n".join(_lay_out(done, findings, disputes)),
            sentences=sentences,
            citations=tuple(cited.values()),
            confidence=confidence_of(score, 0, language),
            decisions=(),
            type=AnswerType.SUMMARY,
            # the fact checker had all of it, and what stands around the findings together with facts that are cited nowhere
            checked=as_checked(sentences) if framing else None,
        )
        passages = self._find_cited(done, filter, list(cited))
        scores = {"findings": float(len(findings)), "answered": float(len(sure)), "sub_questions": float(parts)}
        return GlobalAnswer(composition, passages, filter, score, how, scores)

    def _find_cited(self, done: ResearchRun, filter: Filter, numbers: Sequence[int]) -> tuple[Passage, ...]:
        """The chunks that hold what is quoted."""
        cited = [done.cite(number) for number in numbers]
        ids = tuple(dict.fromkeys(citation.document_id for citation in cited))
        chunks = self.view.store.iterate_chunks(Filter(document_ids=ids, tenant=filter.tenant))
        return tuple(
            Passage(chunk, 1.0, explanation="found by research")
            for chunk in chunks
            if any(c.document_id == chunk.document_id and chunk.span.overlap(c.span) for c in cited)
        )


def list_supported(report: CheckedReport) -> list[ReportSentence]:
    """The findings that the fact checker let through."""
    return [finding for finding in report.findings if finding.is_supported and finding.citations]


def list_disputes(done: ResearchRun, findings: Sequence[ReportSentence]) -> list[tuple[int, int]]:
    """The numbers of the citations whose quotations deny each other, no quotation twice."""
    disputed = [(each.one, each.other) for each in done.report.disagreements] if done.report else []
    disputed += [(finding.citations[0], number) for finding in findings for number in finding.against]
    pairs: list[tuple[int, int]] = []
    seen: set[str] = set()
    for pair in disputed:
        quotes = {collapse_spaces(done.cite(number).quote) for number in pair}
        if not quotes & seen:
            seen |= quotes
            pairs.append(pair)
    return pairs


def list_decisions(done: ResearchRun) -> Iterator[Decision]:
    """What each agent did, and where a chat model failed it."""
    for step in done.steps:
        yield from step.decisions
        yield Decision("research", step.agent.value, step.outcome, {}, step.seconds)


def _number_citations(
    done: ResearchRun, findings: Sequence[ReportSentence], disputes: Sequence[tuple[int, int]]
) -> dict[int, Citation]:
    """The citations that are shown, by their numbers in the run, renumbered in order."""
    cited = [number for sentence in (done.report.framing if done.report else ()) for number in sentence.citations]
    cited += [number for finding in findings for number in finding.citations]
    cited += [number for pair in disputes for number in pair]
    return {number: replace(done.cite(number), number=n) for n, number in enumerate(dict.fromkeys(cited), start=1)}


def _cite_sentence(text: str, citations: Sequence[Citation]) -> AnswerSentence:
    verdict = Verdict(VerdictLabel.SUPPORTED, 1.0)
    return AnswerSentence(collapse_spaces(text), verdict, tuple(each.number for each in citations))


def _lay_out(
    done: ResearchRun, findings: Sequence[ReportSentence], disputes: Sequence[tuple[int, int]]
) -> Iterator[str]:
    """The paragraphs of the answer: the findings under their sub-questions, what sources disagree on, what is open; around them
    what a chat model wrote.
    """
    yield from _tell_section(done, ReportSection.INTRODUCTION)
    parts = done.plan.sub_questions if done.plan else ()
    for index, part in enumerate(parts):
        own = [collapse_spaces(finding.text) for finding in findings if finding.sub_question == index]
        if own:
            yield "\n".join((part.text, *own) if len(parts) > 1 else own)
    yield from _tell_section(done, ReportSection.COMPARISON)
    for pair in disputes:
        one, other = (collapse_spaces(done.cite(number).quote) for number in pair)
        yield f"Sources disagree: {one}"
        yield f"Against it: {other}"
    late = {each.sub_question for each in done.retrieved or () if OUT_OF_TIME in each.missing}
    missing = set(done.synthesis.open) if done.synthesis else set[int]()
    for lead, indexes in (
        ("The documents do not say", missing - late),
        ("There was no time to look up", missing & late),
    ):
        if indexes:
            yield f"{lead}: {'; '.join(parts[index].text for index in sorted(indexes))}"
    yield from _tell_section(done, ReportSection.CONCLUSION)


def _tell_section(done: ResearchRun, section: ReportSection) -> Iterator[str]:
    sentences = done.report.list_framing(section) if done.report else []
    if sentences:
        yield " ".join(collapse_spaces(sentence.text) for sentence in sentences)
