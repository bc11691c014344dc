"""Research: runs, their reports, their events, and single claims that were checked."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from ascertain.app.wire.shape import Date, NounShape, Number, Shape
from ascertain.core.asking.answers import Citation, Usage
from ascertain.core.asking.plans import SubQueryType
from ascertain.core.reports.research import (
    ClaimCheck,
    ClaimVerdict,
    Disagreement,
    FramingSentence,
    PaperChoice,
    PlainSummary,
    ReportSentence,
    ResearchEvent,
    ResearchMode,
    ResearchRun,
    ResearchSource,
    ResearchState,
    ResearchSummary,
    StepFinished,
    StepRecord,
    StepStarted,
)


class SubQuestionJson(Shape):
    """What was looked up; 1 is the highest priority."""

    text: str = Field(examples=["When was the mill at Olhao built?"])
    type: SubQueryType
    priority: int = Field(examples=[1])
    is_open: bool = Field(description="Whether nothing was found that answers it.")
    searches: list[str] = Field(examples=[["When was the mill at Olhao built?"]])
    missing: list[str] = Field(description="What the last search still lacked.", examples=[[]])


class ResearchRunJson(NounShape[ResearchRun]):
    """A run with its report; what is not there yet is empty or null."""

    id: str = Field(examples=["5b1f0c8e2d91"])
    subject: str = Field(examples=["When was the mill at Olhao built?"])
    url: str | None
    mode: ResearchMode
    sources: list[ResearchSource] = Field(examples=[["documents"]])
    state: ResearchState
    started_at: Date = Field(examples=["2026-03-05T18:00:00+00:00"])
    finished_at: Date | None
    title: str | None = Field(examples=["When was the mill at Olhao built?"])
    verdict: ClaimCheck | None = Field(
        description="Of a question that asks whether something is true.", examples=[None]
    )
    summary: PlainSummary | None
    findings: list[ReportSentence]
    framing: list[FramingSentence] = Field(description="The text around the findings; empty without a chat model.")
    claims: list[ClaimCheck]
    disagreements: list[Disagreement] = Field(examples=[[]])
    removed: list[ReportSentence] = Field(description="Sentences that their citations contradict.", examples=[[]])
    sub_questions: list[SubQuestionJson]
    page: str | None = Field(description="Title of the page that was analysed.")
    terms: list[str] = Field(description="What the page is about.", examples=[[]])
    papers: list[PaperChoice] = Field(examples=[[]])
    problems: list[str] = Field(description="Why a page or arXiv brought nothing.", examples=[[]])
    citations: list[Citation]
    steps: list[StepRecord]
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
            mode=request.mode,
            sources=request.sources,
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
            "type": part.type,
            "priority": part.priority,
            "is_open": index in unanswered,
            "searches": [loop.query for loop in found[index].loops] if index in found else [],
            "missing": found[index].missing if index in found else (),
        }
        for index, part in enumerate(run.plan.sub_questions if run.plan else ())
    ]


class ResearchListJson(Shape):
    """Runs, the latest begun first."""

    runs: list[ResearchSummary]


class DeletedRunJson(Shape):
    """A run that was deleted, and how many documents fetched for it were deleted too."""

    id: str = Field(examples=["5b1f0c8e2d91"])
    documents: int = Field(examples=[4])


class CheckedClaimJson(Shape):
    """A claim that was asked about."""

    claim: str = Field(examples=["The mill at Olhao was built in 1885."])
    verdict: ClaimVerdict
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
