"""What the ask workflow needs from the packages below it: one small protocol per step.

Each has an implementation by rules and, where a chat model helps, one by model that falls back to the rules and leaves
a note on the run. The workflow does not know which it runs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from ascertain.answering.checking.evaluation import Evaluator
from ascertain.answering.composition import Composition
from ascertain.answering.confidence import Assessment
from ascertain.answering.generative import Composer
from ascertain.answering.overviews.global_answers import GlobalAnswer, GlobalRequest
from ascertain.core.asking.answers import Answer, Decision
from ascertain.core.asking.judgements import Groundedness
from ascertain.core.asking.passages import Confidence, Filter, Passage
from ascertain.core.asking.plans import DigestQuestion, DocumentQuestion, EntityQuestion, Plan, StrategyChoice
from ascertain.core.asking.requests import AskRequest, SearchResult
from ascertain.core.asking.runs import Run
from ascertain.core.reports.analysis import AnalysisQuestion
from ascertain.core.reports.overviews import EntityReport
from ascertain.core.settings import VerificationSettings, WorkflowSettings
from ascertain.questions.conversation.acts import ReadAct, RequestedAct, read_act
from ascertain.questions.planning import Planner
from ascertain.questions.reading.question import Question
from ascertain.questions.timeframe import Timeframe
from ascertain.questions.understanding import Understander
from ascertain.retrieval.model_judging import PassageJudge, RetrievalJudge, SufficiencyCheck
from ascertain.retrieval.query.expansion import Expander
from ascertain.retrieval.query.refinement import Refiner
from ascertain.retrieval.search.retriever import RetrievalRequest


class Strategist(Protocol):
    """Chooses how to search (QU-7)."""

    def choose(self, question: str, language: str, plan: Plan, run: Run) -> StrategyChoice:
        """Semantic, keyword or hybrid."""
        ...


class Retriever(Protocol):
    """Finds passages."""

    def retrieve(self, request: RetrievalRequest, run: Run) -> SearchResult:
        """Ranked passages for the question, its parts and its variants."""
        ...


class EntityReporter(Protocol):
    """Gathers every place that names something (KG-2)."""

    def gather(
        self,
        question: str,
        language: str,
        entity_question: EntityQuestion,
        filter: Filter = ...,
        days_back: int | None = None,
    ) -> EntityReport | None:
        """The report for ``entity_question``; None where a search serves better."""
        ...


class GlobalAnswerer(Protocol):
    """Presents the themes of the documents as a whole (KG-4)."""

    def answer(self, request: GlobalRequest, run: Run) -> GlobalAnswer | None:
        """The main themes of what may be seen; None where there is no graph of it."""
        ...


class DigestWriter(Protocol):
    """Presents the stories of a period, newest first."""

    def write(
        self, question: str, asked: DigestQuestion, request: AskRequest, filter: Filter, run: Run, *, language: str
    ) -> GlobalAnswer | None:
        """The digest that ``question`` asks for, of what ``filter`` selects; None where nothing dated is on its subject."""
        ...


class DocumentPresenter(Protocol):
    """Presents whole documents along their headings."""

    def present(
        self, question: str, language: str, asked: DocumentQuestion, filter: Filter, run: Run
    ) -> GlobalAnswer | None:
        """What ``asked`` wants of the documents that it means among what ``filter`` selects; None where it means none."""
        ...


class Analyst(Protocol):
    """Reads every document of a period and reports what all of them say (AZ-1 to AZ-3)."""

    def answer(
        self, question: str, asked: AnalysisQuestion, request: AskRequest, filter: Filter, run: Run, *, language: str
    ) -> GlobalAnswer | None:
        """The analysis that ``question`` asks for, of what ``filter`` selects; None where nothing is on its subject."""
        ...


class ClaimValidator(Protocol):
    """Says whether a claim is true by what is stored (MA-3)."""

    def validate(self, claim: str, language: str, filter: Filter, run: Run) -> GlobalAnswer | None:
        """The verdict on ``claim`` with quotations for and against; None where nothing speaks of it."""
        ...


class ReportWriter(Protocol):
    """Sends the agents of research for a question that orders a report (MA-3)."""

    def write(
        self, subject: str, language: str, days_back: int | None, filter: Filter, run: Run
    ) -> GlobalAnswer | None:
        """The findings on ``subject`` in what ``filter`` selects; None where there are none."""
        ...


class TableAnswerer(Protocol):
    """Computes answers over the tables of documents."""

    def may_answer(self, question: str, filter: Filter) -> bool:
        """Whether ``question`` asks for something to be computed, or there are files of tables in which it may be looked up; quick."""
        ...

    def answer(self, question: str, language: str, filter: Filter, run: Run) -> GlobalAnswer | None:
        """The computed answer to ``question`` from what ``filter`` selects; None where no table of it is asked about."""
        ...


class Verifier(Protocol):
    """Checks an answer against its evidence (AN-5)."""

    def verify(
        self, composition: Composition, passages: Sequence[Passage], question: str, language: str, run: Run
    ) -> Groundedness:
        """Each claim of the answer to ``question`` with its verdict."""
        ...


@dataclass(frozen=True, slots=True)
class WebRequest:
    """What is searched outside. Results are stored as material of ``conversation_id``. ``since`` and ``until`` are
    dates that the question or its filter names; without them ``days_back``, then ``time_range`` (None as in the
    settings) says how far back articles go.
    """

    query: str
    conversation_id: str
    tenant: str
    since: datetime | None = None
    until: datetime | None = None
    days_back: int | None = None
    time_range: str | None = None
    max_articles: int | None = None
    is_passing: bool = False
    """Whether what is found is for one question that is part of no conversation, and is deleted after a while."""
    about: tuple[str, ...] = ()
    """What the conversation speaks of, where the query leaves it out."""


@dataclass(frozen=True, slots=True)
class WebFindings:
    """``document_ids`` are those that the conversation did not have before, best first; ``report`` says which services were called
    and the results.
    """

    document_ids: tuple[str, ...]
    report: str
    decisions: tuple[Decision, ...] = ()


class Researcher(Protocol):
    """Looks for articles outside and adds them to the knowledge base (NW-1, WF-5)."""

    @property
    def providers(self) -> tuple[str, ...]:
        """The providers it calls, in order; empty if none are set."""
        ...

    @property
    def is_fallback(self) -> bool:
        """Whether it may be asked if the stored documents are not enough."""
        ...

    def count(self, conversation_id: str, tenant: str) -> int:
        """How many documents a conversation has so far."""
        ...

    def find_held(self, words: Sequence[str], conversation_id: str, tenant: str) -> tuple[str, ...]:
        """Those of ``words`` that the documents of a conversation hold, in any inflection."""
        ...

    def fetch(self, request: WebRequest, run: Run) -> WebFindings:
        """Search, read, add; within the run's time. Outside failures are reported in the findings, never raised."""
        ...


@dataclass(frozen=True, slots=True)
class ReadingSteps:
    """What a question means.

    ``planner`` is that of single questions, for research. ``read`` reads a question in a language, with slang and abbreviations
    written out; ``timeframe`` gives the dates that its words ask for. ``read_act`` tells what is asked of an answer or the conversation.
    """

    understander: Understander
    planner: Planner
    read: Callable[[str, str], Question]
    timeframe: Callable[[str, str], Timeframe | None]
    read_act: ReadAct = read_act


@dataclass(frozen=True, slots=True)
class SearchingSteps:
    """What finds passages, and says whether they are worth reading.

    ``evidence`` turns ranked passages into those worth reading, at most so many where a number is given; ``passage_judge``
    chooses among them those that an answer is written from. ``retrieval_judge`` and ``sufficiency`` are those of single questions, for
    research. ``searched`` says in words what a filter leaves to search.
    """

    strategist: Strategist
    expander: Expander
    retriever: Retriever
    refiner: Refiner
    evidence: Callable[[str, str, Sequence[Passage], int | None, Run], Sequence[Passage]]
    passage_judge: PassageJudge
    retrieval_judge: RetrievalJudge
    sufficiency: SufficiencyCheck
    searched: Callable[[Filter], str]


@dataclass(frozen=True, slots=True)
class WritingSteps:
    """What an answer says.

    ``reject`` says in words that nothing answers a question: what was searched, what came nearest, what would help. ``warn`` marks the
    citations of passages that hold instructions to a model. ``present_again`` gives an answer as it is asked for after it was given; with
    ``rewords`` a chat model words it in another way.
    """

    composer: Composer
    reject: Callable[[Question, Sequence[Passage], str], str]
    warn: Callable[[Composition, Sequence[Passage]], Composition]
    present_again: Callable[[RequestedAct, Answer, str, Filter], Answer]
    rewords: bool = False


@dataclass(frozen=True, slots=True)
class CheckingSteps:
    """Whether an answer holds, and how sure that is.

    ``examiner`` verifies a written answer, and where a chat model does, has it judge the whole in the same call. ``rule_verifier`` and
    ``rule_evaluator`` look at the quotations behind a written answer; without a chat model they are ``verifier`` and ``evaluator``.
    ``assess`` gives the calibrated confidence of an answer, never taken from the generator.
    """

    verifier: Verifier
    examiner: Verifier
    evaluator: Evaluator
    rule_verifier: Verifier
    rule_evaluator: Evaluator
    assess: Callable[[Assessment], Confidence]


@dataclass(frozen=True, slots=True)
class SideSteps:
    """What answers questions that the best few passages do not. Each may be missing; then its questions are searched as all others are.

    Without a ``researcher`` nothing outside is ever spoken of.
    """

    researcher: Researcher | None = None
    entity_reporter: EntityReporter | None = None
    """For every place that names something."""
    global_answerer: GlobalAnswerer | None = None
    """For all documents together."""
    digest_writer: DigestWriter | None = None
    """For news."""
    document_presenter: DocumentPresenter | None = None
    """For a document as a whole."""
    analyst: Analyst | None = None
    """For a whole period."""
    claim_validator: ClaimValidator | None = None
    """For whether something is true."""
    report_writer: ReportWriter | None = None
    """For orders of research."""
    table_answerer: TableAnswerer | None = None
    """For figures over the rows of tables."""


@dataclass(frozen=True, slots=True)
class Steps:
    """One implementation of each, by what they serve."""

    reading: ReadingSteps
    searching: SearchingSteps
    writing: WritingSteps
    checking: CheckingSteps
    side: SideSteps = SideSteps()


@dataclass(frozen=True, slots=True)
class Context:
    """Passed to every node; never part of the state, so never stored. ``depth`` is how many passages a search is asked
    for.
    """

    steps: Steps
    workflow: WorkflowSettings
    verification: VerificationSettings
    depth: int
    run: Run

    def depth_for(self, max_chunks: int | None) -> int:
        """Passages to search for where an answer may be written from ``max_chunks``: never fewer than twice those, as
        duplicates drop out.
        """
        return self.depth if max_chunks is None else max(self.depth, 2 * max_chunks)
