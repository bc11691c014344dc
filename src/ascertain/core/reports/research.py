"""Research: a question or a page, what several agents find about it, and the resulting report.

Agents pass each other these nouns and nothing else: no text of one is an instruction to the next. Everything quoted is
a ``Citation`` of a stored document, and passages are named by chunk id, so that a stored run stays small.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from ascertain.core.asking.answers import Citation, Decision, TaskUsage, Usage, VerdictLabel
from ascertain.core.asking.plans import SubQueryType
from ascertain.core.serialisation import Serialisable

MAX_STEPS = 10
"""Steps of the supervisor in one run (MA-1)."""
MOST_SUBJECTS = 20
"""Subjects listed in a question that are looked up."""


class ResearchMode(StrEnum):
    """How much is searched."""

    QUICK = "quick"
    DEEP = "deep"


class ResearchSource(StrEnum):
    """Where a run looks."""

    DOCUMENTS = "documents"
    """What is stored already."""
    WEB = "web"
    """The page that it was given."""
    ARXIV = "arxiv"


DEFAULT_SOURCES = (ResearchSource.DOCUMENTS, ResearchSource.WEB)
"""Where a run looks by default; also arXiv, as ``research.arxiv`` says."""


class Agent(StrEnum):
    """The agents that the supervisor sends."""

    WEBSITE = "website"
    PLAN = "plan"
    ARXIV = "arxiv"
    FILTER = "filter"
    RETRIEVE = "retrieve"
    RERANK = "rerank"
    SYNTHESISE = "synthesise"
    VALIDATE = "validate"
    SIMPLIFY = "simplify"
    WRITE = "write"
    CHECK = "check"


class ResearchState(StrEnum):
    """The state of a run."""

    RUNNING = "running"
    """Or interrupted: a run whose process ended stays so until it is resumed."""
    FINISHED = "finished"


@dataclass(frozen=True, slots=True)
class ResearchRequest:
    """A question, a page, or a question about a page; ``id`` names the run."""

    id: str
    question: str = ""
    url: str | None = None
    mode: ResearchMode = ResearchMode.QUICK
    sources: tuple[ResearchSource, ...] = (ResearchSource.DOCUMENTS, ResearchSource.WEB)
    tenant: str = "default"

    @property
    def subject(self) -> str:
        """What it is about, as it was asked."""
        return self.question or self.url or ""


@dataclass(frozen=True, slots=True)
class SubQuestion:
    """One thing to look up; ``priority`` 1 comes first."""

    text: str
    type: SubQueryType
    priority: int
    reason: str = ""


@dataclass(frozen=True, slots=True)
class ResearchPlan:
    """What is looked up. ``claim`` is the statement of a question that asks whether it is true, else empty; ``terms``
    are what papers are searched by. ``subjects`` are what the question lists, each looked up by the sub-question of its
    place; where ``is_comparison`` they are held against each other. ``left_out`` is what did not fit.
    """

    question: str
    sub_questions: tuple[SubQuestion, ...]
    terms: tuple[str, ...]
    claim: str = ""
    subjects: tuple[str, ...] = ()
    is_comparison: bool = False
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SiteAnalysis:
    """What a page says: what it is ``about``, its ``claims``, each in its exact words, and its ``terms``.

    ``problem`` says why nothing could be read; ``warnings`` are lines on text in it that reads like orders to a model.
    """

    title: str
    document_ids: tuple[str, ...]
    about: Citation | None
    claims: tuple[Citation, ...]
    terms: tuple[str, ...]
    problem: str = ""
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PaperRecord:
    """The metadata of a paper at arXiv; ``citations`` is how often it is cited, None if unknown (arXiv does not say)."""

    id: str
    title: str
    abstract: str
    authors: tuple[str, ...]
    published_at: datetime | None
    categories: tuple[str, ...]
    citations: int | None = None

    @property
    def address(self) -> str:
        """The address that adds it."""
        return f"arxiv:{self.id}"


@dataclass(frozen=True, slots=True)
class PaperSearch:
    """What arXiv was asked and found; ``problem`` says why it failed."""

    words: tuple[str, ...]
    papers: tuple[PaperRecord, ...]
    problem: str = ""


@dataclass(frozen=True, slots=True)
class PaperChoice(
    Serialisable,
    hidden=("document_ids",),
    examples={
        "id": "1706.03762",
        "title": "Attention Is All You Need",
        "relevance": 0.71,
        "recency": 0.3,
        "reason": "relevance 0.71, recency 0.30",
    },
):
    """A paper that arXiv found, and the decision on it."""

    id: str
    title: str
    relevance: float
    recency: float
    is_chosen: bool
    reason: str
    document_ids: tuple[str, ...] = ()
    """What was stored of one that was chosen."""


@dataclass(frozen=True, slots=True)
class SearchLoop:
    """One search for a sub-question. ``gap`` is what the search before had left open, "" for the first."""

    query: str
    gap: str
    found: int
    is_sufficient: bool


@dataclass(frozen=True, slots=True)
class Retrieved:
    """What was found for a sub-question: chunks with their scores, best first, how, and what is still missing."""

    sub_question: int
    chunks: tuple[tuple[str, float], ...]
    loops: tuple[SearchLoop, ...]
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Ranked:
    """What is written from for a sub-question: chunks chosen for relevance and diversity together.

    ``diversity`` is one minus the mean likeness of those chosen.
    """

    sub_question: int
    chunks: tuple[tuple[str, float], ...]
    diversity: float = 0.0


@dataclass(frozen=True, slots=True)
class ReportSentence(
    Serialisable,
    examples={
        "text": "The mill at Olhao was built in 1885.",
        "citations": [1],
        "verdict": "supported",
        "reason": "its words are quoted",
        "against": [],
    },
):
    """A sentence of the report, as the fact checker left it."""

    text: str
    citations: tuple[int, ...]
    """Numbers of citations."""
    sub_question: int = 0
    """Index of the sub-question that it answers."""
    verdict: VerdictLabel | None = None
    reason: str = ""
    against: tuple[int, ...] = ()
    """Citations of other documents that say otherwise."""

    @property
    def is_supported(self) -> bool:
        """Whether the fact checker found it supported by what it cites."""
        return self.verdict is VerdictLabel.SUPPORTED


class ClaimVerdict(StrEnum):
    """What the evidence says about a claim."""

    SUPPORTED = "supported"
    CONTRADICTED = "contradicted"
    NOT_ESTABLISHED = "not_established"

    @property
    def words(self) -> str:
        """For people."""
        return self.value.replace("_", " ")


class ClaimOrigin(StrEnum):
    """Who makes a claim."""

    QUESTION = "question"
    WEBSITE = "website"


@dataclass(frozen=True, slots=True)
class ClaimCheck(
    Serialisable,
    examples={
        "claim": "The mill at Olhao was built in 1885.",
        "score": 0.97,
        "reason": "the evidence says it",
        "evidence_for": [1],
        "evidence_against": [],
        "source": None,
    },
):
    """A claim with its verdict and the numbers of the citations for it and against it."""

    claim: str
    origin: ClaimOrigin
    """Who makes it."""
    verdict: ClaimVerdict
    score: float
    """The support found."""
    reason: str
    evidence_for: tuple[int, ...] = ()
    evidence_against: tuple[int, ...] = ()
    source: int | None = None
    """The citation that makes the claim."""


@dataclass(frozen=True, slots=True)
class ComputedVerdict:
    """Whether the rows of a table support a claim: ``said`` is the sentence that was computed, ``citations`` are the rows it rests on."""

    holds: bool
    said: str
    citations: tuple[Citation, ...]


@dataclass(frozen=True, slots=True)
class Disagreement(Serialisable, examples={"one": 1, "other": 2, "reason": "the evidence has no “1885”"}):
    """Two citations that cannot both be true."""

    one: int
    other: int
    reason: str


@dataclass(frozen=True, slots=True)
class PlainSummary(Serialisable, examples={"grade": 8.2, "wanted": 9}):
    """The findings in plain language, with the Flesch-Kincaid grade that was measured and the one aimed at."""

    sentences: tuple[ReportSentence, ...]
    grade: float
    wanted: int


@dataclass(frozen=True, slots=True)
class Synthesis:
    """What is known, by sub-question; ``open`` are the indexes of those for which nothing was found. ``confidences``,
    0..100 each, are of those that were answered, in their order.
    """

    findings: tuple[ReportSentence, ...]
    open: tuple[int, ...]
    disagreements: tuple[Disagreement, ...] = ()
    validated: ClaimCheck | None = None
    confidences: tuple[int, ...] = ()


class ReportSection(StrEnum):
    """The text around the findings."""

    INTRODUCTION = "introduction"
    COMPARISON = "comparison"
    CONCLUSION = "conclusion"


@dataclass(frozen=True, slots=True)
class FramingSentence(
    Serialisable,
    examples={
        "text": "Both notes date the mill to 1885.",
        "citations": [1, 2],
        "facts": ["It has 2 findings from 2 documents: “Mills”; “Olhao”."],
    },
):
    """A sentence of a chat model around the findings, supported by its citations and the facts of the run."""

    section: ReportSection
    text: str
    citations: tuple[int, ...]
    """Numbers of citations."""
    facts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Draft:
    """The report before it is checked: indexes of the findings worth telling, by sub-question, and the text around them."""

    title: str
    order: tuple[int, ...]
    framing: tuple[FramingSentence, ...] = ()


@dataclass(frozen=True, slots=True)
class CheckedReport:
    """The report as it goes out: everything in it was checked. ``removed`` are sentences that had no support; of ``framing``,
    which is empty without a chat model, only supported sentences are there.
    """

    title: str
    summary: PlainSummary
    findings: tuple[ReportSentence, ...]
    claims: tuple[ClaimCheck, ...]
    disagreements: tuple[Disagreement, ...]
    removed: tuple[ReportSentence, ...] = ()
    framing: tuple[FramingSentence, ...] = ()

    def list_framing(self, section: ReportSection) -> list[FramingSentence]:
        """The sentences of one section."""
        return [sentence for sentence in self.framing if sentence.section is section]


@dataclass(frozen=True, slots=True)
class StepRecord(
    Serialisable,
    hidden=("usage",),
    examples={
        "agent": "retrieve",
        "reason": "1 sub-questions are to be looked up",
        "outcome": "1 search for 1 sub-question",
        "decisions": [],
        "seconds": 0.2,
    },
):
    """One step of the supervisor."""

    agent: Agent
    reason: str
    outcome: str
    decisions: tuple[Decision, ...] = ()
    """Where a model failed and the rules took over."""
    usage: Usage = Usage()
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class ResearchRun:
    """A stored run: the request, each step, and the results of the agents, None for those not sent yet.

    ``citations`` are numbered from 1, the same in everything else.
    """

    request: ResearchRequest
    started_at: datetime
    state: ResearchState = ResearchState.RUNNING
    finished_at: datetime | None = None
    steps: tuple[StepRecord, ...] = ()
    citations: tuple[Citation, ...] = ()
    site: SiteAnalysis | None = None
    plan: ResearchPlan | None = None
    papers: PaperSearch | None = None
    choices: tuple[PaperChoice, ...] | None = None
    retrieved: tuple[Retrieved, ...] | None = None
    ranked: tuple[Ranked, ...] | None = None
    synthesis: Synthesis | None = None
    summary: PlainSummary | None = None
    draft: Draft | None = None
    report: CheckedReport | None = None

    @property
    def usage(self) -> Usage:
        """What all steps cost in model calls."""
        merged: dict[str, TaskUsage] = {}
        for task in (task for step in self.steps for task in step.usage.tasks):
            before = merged.get(task.task, TaskUsage(task.task))
            merged[task.task] = replace(
                before.plus(task.input_tokens, task.output_tokens, task.cost_usd), calls=before.calls + task.calls
            )
        return Usage.of(merged.values())

    @property
    def seconds(self) -> float:
        """What all steps took."""
        return sum(step.seconds for step in self.steps)

    def cite(self, number: int) -> Citation:
        """The citation with this number."""
        return self.citations[number - 1]


@dataclass(frozen=True, slots=True)
class ResearchSummary(
    Serialisable,
    examples={
        "id": "5b1f0c8e2d91",
        "subject": "When was the mill at Olhao built?",
        "steps": 7,
        "started_at": "2026-03-05T18:00:00+00:00",
        "supported": 3,
        "claims": 6,
    },
):
    """One run of a list."""

    id: str
    subject: str
    mode: ResearchMode
    state: ResearchState
    steps: int
    started_at: datetime
    supported: int
    """Claims found supported."""
    claims: int
    """Claims checked."""


@dataclass(frozen=True, slots=True)
class StepStarted:
    """The supervisor sends an agent."""

    run_id: str
    number: int
    agent: Agent
    reason: str


@dataclass(frozen=True, slots=True)
class StepFinished:
    """An agent has finished, and the run is stored with its result."""

    run_id: str
    number: int
    step: StepRecord


@dataclass(frozen=True, slots=True)
class ResearchDone:
    """The end, with the run and its report."""

    run: ResearchRun


ResearchEvent = StepStarted | StepFinished | ResearchDone


@dataclass(frozen=True, slots=True)
class ChangedVerdict(Serialisable, examples={"claim": "The mill at Olhao was built in 1885."}):
    """A claim that two runs judge otherwise."""

    claim: str
    one: ClaimVerdict
    other: ClaimVerdict


@dataclass(frozen=True, slots=True)
class RunComparison(
    Serialisable,
    examples={
        "one": "5b1f0c8e2d91",
        "other": "7c3e6f7a8b9c",
        "findings_of_one": [],
        "findings_of_other": ["The mill at Olhao was built in 1885."],
        "findings_of_both": [],
        "sources_of_one": [],
        "sources_of_other": ["Mills of the Algarve"],
    },
):
    """Two runs beside each other."""

    one: str
    other: str
    changed: tuple[ChangedVerdict, ...]
    findings_of_one: tuple[str, ...]
    findings_of_other: tuple[str, ...]
    findings_of_both: tuple[str, ...]
    sources_of_one: tuple[str, ...]
    sources_of_other: tuple[str, ...]


def compare_runs(one: ResearchRun, other: ResearchRun) -> RunComparison:
    """What they have in common, and what only one of them found."""
    first, second = _list_findings(one), _list_findings(other)
    judged = {claim.claim: claim.verdict for claim in one.report.claims} if one.report else {}
    later = {claim.claim: claim.verdict for claim in other.report.claims} if other.report else {}
    titles, others = _list_titles(one), _list_titles(other)
    return RunComparison(
        one=one.request.id,
        other=other.request.id,
        changed=tuple(
            ChangedVerdict(claim, verdict, later[claim])
            for claim, verdict in judged.items()
            if claim in later and later[claim] is not verdict
        ),
        findings_of_one=tuple(text for text in first if text not in second),
        findings_of_other=tuple(text for text in second if text not in first),
        findings_of_both=tuple(text for text in first if text in second),
        sources_of_one=tuple(title for title in titles if title not in others),
        sources_of_other=tuple(title for title in others if title not in titles),
    )


def _list_findings(run: ResearchRun) -> dict[str, None]:
    return dict.fromkeys(finding.text for finding in run.report.findings) if run.report else {}


def _list_titles(run: ResearchRun) -> dict[str, None]:
    return dict.fromkeys(citation.title for citation in run.citations)
