"""Research: runs, their reports, their events, and single claims that were checked."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from ascertain.app.wire.shape import Date, NounShape, Number, Shape
from ascertain.core.asking.answers import Citation, Decision, Usage
from ascertain.core.reports.research import (
    ChangedVerdict,
    ClaimCheck,
    Disagreement,
    ResearchEvent,
    ResearchRun,
    ResearchSummary,
    RunComparison,
    StepFinished,
    StepStarted,
)

ModeName = Literal["quick", "deep"]
SourceName = Literal["documents", "web", "arxiv"]
StateName = Literal["running", "finished"]
ClaimVerdictName = Literal["supported", "contradicted", "not_established"]
SentenceVerdict = Literal["supported", "inferred", "not_in_sources", "contradicted"]


class ReportSentenceJson(Shape):
    """A sentence of the report, as the fact checker left it."""

    text: str = Field(examples=["The mill at Olhao was built in 1885."])
    citations: list[int] = Field(description="Numbers of citations.", examples=[[1]])
    verdict: SentenceVerdict | None = Field(examples=["supported"])
    reason: str = Field(examples=["its words are quoted"])
    against: list[int] = Field(description="Citations of other documents that say otherwise.", examples=[[]])
    sub_question: int = Field(description="Index of the sub-question that it answers.", examples=[0])


class FramingSentenceJson(Shape):
    """A sentence of a chat model around the findings, supported by its citations and the facts of the run."""

    section: Literal["introduction", "comparison", "conclusion"]
    text: str = Field(examples=["Both notes date the mill to 1885."])
    citations: list[int] = Field(description="Numbers of citations.", examples=[[1, 2]])
    facts: list[str] = Field(examples=[["It has 2 findings from 2 documents: “Mills”; “Olhao”."]])


class PlainSummaryJson(Shape):
    """The findings in plain language, with the Flesch-Kincaid grade that was measured and the one aimed at."""

    sentences: list[ReportSentenceJson]
    grade: Number = Field(examples=[8.2])
    wanted: int = Field(examples=[9])


class ClaimJson(NounShape[ClaimCheck]):
    """A claim with its verdict and the numbers of the citations for it and against it."""

    claim: str = Field(examples=["The mill at Olhao was built in 1885."])
    origin: Literal["question", "website"] = Field(description="Who makes it.")
    verdict: ClaimVerdictName
    score: Number = Field(description="The support found.", examples=[0.97])
    reason: str = Field(examples=["the evidence says it"])
    evidence_for: list[int] = Field(examples=[[1]])
    evidence_against: list[int] = Field(examples=[[]])
    source: int | None = Field(description="The citation that makes the claim.", examples=[None])


class DisagreementJson(NounShape[Disagreement]):
    """Two citations that cannot both be true."""

    one: int = Field(examples=[1])
    other: int = Field(examples=[2])
    reason: str = Field(examples=["the evidence has no “1885”"])


class SubQuestionJson(Shape):
    """What was looked up; 1 is the highest priority."""

    text: str = Field(examples=["When was the mill at Olhao built?"])
    type: Literal["factual", "conceptual", "methodological"]
    priority: int = Field(examples=[1])
    is_open: bool = Field(description="Whether nothing was found that answers it.")
    searches: list[str] = Field(examples=[["When was the mill at Olhao built?"]])
    missing: list[str] = Field(description="What the last search still lacked.", examples=[[]])


class PaperJson(Shape):
    """A paper that arXiv found, and the decision on it."""

    id: str = Field(examples=["1706.03762"])
    title: str = Field(examples=["Attention Is All You Need"])
    relevance: Number = Field(examples=[0.71])
    recency: Number = Field(examples=[0.3])
    is_chosen: bool
    reason: str = Field(examples=["relevance 0.71, recency 0.30"])


class ResearchStepJson(Shape):
    """One step of the supervisor."""

    agent: str = Field(examples=["retrieve"])
    reason: str = Field(examples=["1 sub-questions are to be looked up"])
    outcome: str = Field(examples=["1 search for 1 sub-question"])
    decisions: list[Decision] = Field(description="Where a model failed and the rules took over.", examples=[[]])
    seconds: Number = Field(examples=[0.2])


class ResearchRunJson(NounShape[ResearchRun]):
    """A run with its report; what is not there yet is empty or null."""

    id: str = Field(examples=["5b1f0c8e2d91"])
    subject: str = Field(examples=["When was the mill at Olhao built?"])
    url: str | None
    mode: ModeName
    sources: list[SourceName] = Field(examples=[["documents"]])
    state: StateName
    started_at: Date = Field(examples=["2026-03-05T18:00:00+00:00"])
    finished_at: Date | None
    title: str | None = Field(examples=["When was the mill at Olhao built?"])
    verdict: ClaimJson | None = Field(description="Of a question that asks whether something is true.", examples=[None])
    summary: PlainSummaryJson | None
    findings: list[ReportSentenceJson]
    framing: list[FramingSentenceJson] = Field(description="The text around the findings; empty without a chat model.")
    claims: list[ClaimJson]
    disagreements: list[DisagreementJson] = Field(examples=[[]])
    removed: list[ReportSentenceJson] = Field(description="Sentences that their citations contradict.", examples=[[]])
    sub_questions: list[SubQuestionJson]
    page: str | None = Field(description="Title of the page that was analysed.")
    terms: list[str] = Field(description="What the page is about.", examples=[[]])
    papers: list[PaperJson] = Field(examples=[[]])
    problems: list[str] = Field(description="Why a page or arXiv brought nothing.", examples=[[]])
    citations: list[Citation]
    steps: list[ResearchStepJson]
    usage: Usage
    seconds: Number = Field(examples=[3.2])

    @classmethod
    def read_noun(cls, noun: ResearchRun) -> object:
        """The report laid out flat."""
        report, request = noun.report, noun.request
        synthesis = noun.synthesis
        problems = (noun.site.problem if noun.site else "", noun.papers.problem if noun.papers else "")
        return cls.read_attributes(
            noun,
            id=request.id,
            subject=request.subject,
            url=request.url,
            mode=request.mode.value,
            sources=[source.value for source in request.sources],
            title=report.title if report else None,
            verdict=synthesis.validated if synthesis else None,
            summary=report.summary if report else None,
            findings=report.findings if report else (),
            framing=report.framing if report else (),
            claims=report.claims if report else (),
            disagreements=report.disagreements if report else (),
            removed=report.removed if report else (),
            sub_questions=_list_sub_questions(noun),
            page=noun.site.title if noun.site else None,
            terms=noun.site.terms if noun.site else (),
            papers=noun.choices or (),
            problems=[problem for problem in problems if problem],
        )


def _list_sub_questions(run: ResearchRun) -> list[dict[str, object]]:
    found = {each.sub_question: each for each in run.retrieved or ()}
    unanswered = run.synthesis.open if run.synthesis else ()
    return [
        {
            "text": part.text,
            "type": part.type.value,
            "priority": part.priority,
            "is_open": index in unanswered,
            "searches": [loop.query for loop in found[index].loops] if index in found else [],
            "missing": found[index].missing if index in found else (),
        }
        for index, part in enumerate(run.plan.sub_questions if run.plan else ())
    ]


class ResearchSummaryJson(NounShape[ResearchSummary]):
    """One run of a list."""

    id: str = Field(examples=["5b1f0c8e2d91"])
    subject: str = Field(examples=["When was the mill at Olhao built?"])
    mode: ModeName
    state: StateName
    steps: int = Field(examples=[7])
    started_at: Date = Field(examples=["2026-03-05T18:00:00+00:00"])
    supported: int = Field(description="Claims found supported.", examples=[3])
    claims: int = Field(description="Claims checked.", examples=[6])


class ResearchListJson(Shape):
    """Runs, the latest begun first."""

    runs: list[ResearchSummaryJson]


class ChangedVerdictJson(NounShape[ChangedVerdict]):
    """A claim that two runs judge otherwise."""

    claim: str = Field(examples=["The mill at Olhao was built in 1885."])
    one: ClaimVerdictName
    other: ClaimVerdictName


class RunComparisonJson(NounShape[RunComparison]):
    """Two runs beside each other."""

    one: str = Field(examples=["5b1f0c8e2d91"])
    other: str = Field(examples=["7c3e6f7a8b9c"])
    changed: list[ChangedVerdictJson]
    findings_of_one: list[str] = Field(examples=[[]])
    findings_of_other: list[str] = Field(examples=[["The mill at Olhao was built in 1885."]])
    findings_of_both: list[str] = Field(examples=[[]])
    sources_of_one: list[str] = Field(examples=[[]])
    sources_of_other: list[str] = Field(examples=[["Mills of the Algarve"]])


class DeletedRunJson(Shape):
    """A run that was deleted, and how many documents fetched for it were deleted too."""

    id: str = Field(examples=["5b1f0c8e2d91"])
    documents: int = Field(examples=[4])


class CheckedClaimJson(Shape):
    """A claim that was asked about."""

    claim: str = Field(examples=["The mill at Olhao was built in 1885."])
    verdict: ClaimVerdictName
    score: Number = Field(examples=[0.97])
    reason: str = Field(examples=["the evidence says it"])
    evidence_for: list[int] = Field(description="Numbers of citations.", examples=[[1]])
    evidence_against: list[int] = Field(examples=[[]])
    citations: list[Citation]
    usage: Usage

    @classmethod
    def of(cls, check: ClaimCheck, citations: object, usage: object) -> CheckedClaimJson:
        """The shape of a verdict with what it rests on."""
        return cls.model_validate(cls.read_attributes(check, citations=citations, usage=usage))


class ResearchBegunJson(Shape):
    """`started`: the id of the run, by which it is read, resumed and deleted."""

    run_id: str = Field(examples=["5b1f0c8e2d91"])


class ResearchProgressJson(Shape):
    """`step`: an agent has started, or ended with an outcome; `number` counts from 1."""

    run_id: str = Field(examples=["5b1f0c8e2d91"])
    number: int = Field(examples=[3])
    state: Literal["started", "finished"]
    agent: str = Field(examples=["retrieve"])
    reason: str = Field(examples=["1 sub-questions are to be looked up"])
    outcome: str = Field(default="", examples=["1 search for 1 sub-question"])
    seconds: Number | None = Field(default=None, examples=[0.2])


def describe_research_event(event: ResearchEvent) -> tuple[str, Shape]:
    """An event of a run: its name and its data."""
    if isinstance(event, StepStarted):
        progress = ResearchProgressJson(
            run_id=event.run_id, number=event.number, state="started", agent=event.agent.value, reason=event.reason
        )
        return "step", progress
    if isinstance(event, StepFinished):
        step = event.step
        progress = ResearchProgressJson(
            run_id=event.run_id,
            number=event.number,
            state="finished",
            agent=step.agent.value,
            reason=step.reason,
            outcome=step.outcome,
            seconds=step.seconds,
        )
        return "step", progress
    return "report", ResearchRunJson.from_noun(event.run)
