"""A workflow whose every step answers as a test says, and the nouns it passes around."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from ascertain.answering.citations import cite_span
from ascertain.answering.composition import Composition
from ascertain.answering.confidence import assess_confidence
from ascertain.answering.overviews.global_answers import GlobalAnswer
from ascertain.core.asking.answers import AnswerSentence, AnswerType, Decision, Verdict, VerdictLabel
from ascertain.core.asking.judgements import (
    AnswerIssue,
    CheckedClaim,
    EvaluatedBy,
    Evaluation,
    Groundedness,
    RetrievalIssue,
    RetrievalQuality,
    Sufficiency,
)
from ascertain.core.asking.passages import Confidence, Filter, Level, Passage, Strategy
from ascertain.core.asking.plans import Complexity, Intent, Plan, QuestionType, Refinement, StrategyChoice
from ascertain.core.asking.requests import SearchResult, Standalone
from ascertain.core.asking.runs import Budget, Run
from ascertain.core.documents.blocks import Span
from ascertain.core.documents.documents import Chunk, Document, DocumentKind, chunk_id
from ascertain.core.settings import AnswerSettings, VerificationSettings, WorkflowSettings
from ascertain.questions.reading.question import read_question
from ascertain.questions.understanding import RuleUnderstander
from ascertain.retrieval.model_judging import RulePassageJudge
from ascertain.workflow.ask.steps import (
    CheckingSteps,
    Context,
    ReadingSteps,
    SearchingSteps,
    SideSteps,
    Steps,
    WebFindings,
    WebRequest,
    WritingSteps,
)

DOCUMENT = Document("d1", "Ether moved to proof of stake in 2022.", "Ether", DocumentKind.PROSE, "ether.md")
PASSAGE = Passage(
    Chunk(
        chunk_id("d1", Span(0, len(DOCUMENT.text))),
        "d1",
        0,
        Span(0, len(DOCUMENT.text)),
        DOCUMENT.text,
        "Ether",
        "Ether",
        DocumentKind.PROSE,
        "ether.md",
    ),
    0.8,
    {"dense": 0.7},
)
SURE = Confidence(Level.HIGH, 90)
UNSURE = Confidence(Level.NONE, 5, "Nothing that was found answers this.")


def a_plan(intent: Intent = Intent.KNOWLEDGE) -> Plan:
    return Plan(intent, QuestionType.FACTUAL, Complexity.SIMPLE, "by the script")


def a_quality(score: int = 90, *issues: RetrievalIssue) -> RetrievalQuality:
    return RetrievalQuality(score, issues, "by the script")


def an_evaluation(score: int = 90, *issues: AnswerIssue) -> Evaluation:
    return Evaluation(score, score, score, score, issues, "by the script")


def a_groundedness(supported: int = 1, unsupported: int = 0) -> Groundedness:
    labels = [VerdictLabel.SUPPORTED] * supported + [VerdictLabel.NOT_IN_SOURCES] * unsupported
    return Groundedness(tuple(CheckedClaim(f"claim {n}", 0, Verdict(label, 1.0)) for n, label in enumerate(labels)))


def a_composition(type: AnswerType = AnswerType.SUMMARY) -> Composition:
    if type is AnswerType.REJECTION:
        return Composition("I could not find it.", (), (), UNSURE, (), type)
    sentence = AnswerSentence(DOCUMENT.text, Verdict(VerdictLabel.SUPPORTED, 1.0), (1,))
    citation = cite_span(1, DOCUMENT, Span(0, len(DOCUMENT.text)))
    return Composition(DOCUMENT.text, (sentence,), (citation,), SURE, (), type)


def a_global_answer(confidence: int = 90) -> GlobalAnswer:
    return GlobalAnswer(a_composition(), (PASSAGE,), Filter(), confidence, "by the script", {})


def a_result(passages: Iterable[Passage] = (PASSAGE,), filter: Filter = Filter()) -> SearchResult:
    return SearchResult("q", Strategy.HYBRID, tuple(passages), SURE, filter, (), 0.0)


@dataclass
class Script:
    """What each step gives: a value for ever, or a list whose last element is repeated. ``calls`` counts."""

    standalone: Any = None
    plan: Any = field(default_factory=a_plan)
    strategy: Any = Strategy.HYBRID
    found: Any = field(default_factory=a_result)
    quality: Any = field(default_factory=a_quality)
    composition: Any = field(default_factory=a_composition)
    groundedness: Any = field(default_factory=a_groundedness)
    confidence: Any = SURE
    """None: as the product assesses it; a function of the assessment says it of each."""
    evaluation: Any = field(default_factory=an_evaluation)
    rule_groundedness: Any = field(default_factory=a_groundedness)
    rule_evaluation: Any = field(default_factory=an_evaluation)
    """What rules find of the quotations behind a written answer."""
    timeframe: Callable[[str, str], Any] = lambda _, language: None
    global_answer: Any = None
    """What the documents as a whole are about; without one there is no graph."""
    has_model: bool = False
    """Whether rules and a chat model look at different things."""
    fails_control_at: str = ""
    """``quality``, ``groundedness`` or ``evaluation``: where the chat model gets something wrong that is certain."""
    researcher: Any = None
    """A ``ScriptedResearcher``; without one the web is no matter."""
    calls: list[tuple[str, Any]] = field(default_factory=list)

    def next(self, name: str, seen: Any = None) -> Any:
        count = sum(call == name for call, _ in self.calls)
        self.calls.append((name, seen))
        value = getattr(self, name)
        if isinstance(value, Iterator):
            return next(value)
        return value[min(count, len(value) - 1)] if isinstance(value, list) else value

    def count(self, name: str) -> int:
        return sum(call == name for call, _ in self.calls)

    def seen(self, name: str) -> list[Any]:
        return [value for call, value in self.calls if call == name]


class _GlobalAnswerer:
    def __init__(self, script: Script) -> None:
        self.script = script

    def answer(self, request, run):
        return self.script.next("global_answer", request)


class _Scripted:
    """Every step in one object, playing a script."""

    def __init__(self, script: Script) -> None:
        self.script = script

    def standalone(self, question, language, history, run, filter=None):
        given = self.script.next("standalone", history)
        return given or Standalone(question, False, (), "stands alone")

    def plan(self, question, language, run):
        return self.script.next("plan", question)

    def choose(self, question, language, plan, run):
        return StrategyChoice(self.script.next("strategy", question), 0.9, "by the script")

    def expand(self, question, language, plan, strategy, run):
        return ()

    def retrieve(self, request, run):
        return self.script.next("found", request)

    def judge(self, question, language, plan, passages, run):
        self._fail_control("quality", run)
        return self.script.next("quality", passages)

    def check(self, question, plan, passages, filter, run, *, language):
        return Sufficiency(True, (), "enough")

    def refine(self, shortfall, run):
        self.script.calls.append(("refine", shortfall))
        return Refinement(f"{shortfall.question} again", "another wording")

    def compose(self, request, run):
        made = self.script.next("composition", request)
        return made.quoted if run.is_distrusted and made.quoted else made

    def verify(self, composition, passages, question, language, run):
        self._fail_control("groundedness", run)
        return self.script.next("groundedness", composition)

    def evaluate(self, plan, answer, run):
        self._fail_control("evaluation", run)
        evaluation = self.script.next("evaluation", answer)
        is_by_model = self.script.has_model and not run.is_distrusted
        return replace(evaluation, by=EvaluatedBy.MODEL if is_by_model else EvaluatedBy.RULES)

    def _fail_control(self, at, run):
        if self.script.fails_control_at == at and not run.is_distrusted:
            run.distrust("check", "by the script")

    def assess(self, assessment):
        if self.script.confidence is None:
            return assess_confidence(assessment, AnswerSettings())
        if callable(self.script.confidence):
            return self.script.confidence(assessment)
        return self.script.next("confidence", assessment)


class _ByRules:
    """What looks at quotations where a chat model writes."""

    def __init__(self, script: Script) -> None:
        self.script = script

    def verify(self, composition, passages, question, language, run):
        return self.script.next("rule_groundedness", composition)

    def evaluate(self, plan, answer, run):
        return self.script.next("rule_evaluation", answer)


def steps_of(script: Script) -> Steps:
    plays = _Scripted(script)
    by_rules = _ByRules(script) if script.has_model else plays
    return Steps(
        reading=ReadingSteps(
            understander=RuleUnderstander(plays, plays), planner=plays, read=read_question, timeframe=script.timeframe
        ),
        searching=SearchingSteps(
            strategist=plays,
            expander=plays,
            retriever=plays,
            refiner=plays,
            evidence=lambda question, language, passages, limit, run: passages,
            passage_judge=RulePassageJudge(plays, plays),
            retrieval_judge=plays,
            sufficiency=plays,
            searched=lambda filter: "1 document",
        ),
        writing=WritingSteps(
            composer=plays,
            reject=lambda question, passages, searched: f"I could not find it in {searched}.",
            warn=lambda composition, passages: composition,
            present_again=lambda wanted, answer, language, filter: answer,
        ),
        checking=CheckingSteps(
            verifier=plays,
            examiner=plays,
            evaluator=plays,
            rule_verifier=by_rules,
            rule_evaluator=by_rules,
            assess=plays.assess,
        ),
        side=SideSteps(researcher=script.researcher, global_answerer=_GlobalAnswerer(script)),
    )


@dataclass
class ScriptedResearcher:
    """Brings the documents of ``brings``, one tuple a search, the last for ever; remembers what it was asked."""

    brings: list[tuple[str, ...]] = field(default_factory=lambda: [("d1",)])
    providers: tuple[str, ...] = ("wire",)
    is_fallback: bool = True
    known: int = 0
    held: tuple[str, ...] | None = None
    asked: list[WebRequest] = field(default_factory=list)

    def count(self, conversation_id, tenant):
        return self.known

    def find_held(self, words, conversation_id, tenant):
        return tuple(words) if self.held is None else self.held

    def fetch(self, request, run):
        brought = self.brings[min(len(self.asked), len(self.brings) - 1)]
        self.asked.append(request)
        return WebFindings(brought, f"wire found {len(brought)}", (Decision("provider", "wire", ""),))


def context_of(
    script: Script,
    workflow: WorkflowSettings = WorkflowSettings(),
    verification: VerificationSettings = VerificationSettings(),
    run: Run | None = None,
) -> Context:
    return Context(steps_of(script), workflow, verification, 8, run or Run(Budget(10, 1000, 60, 1.0)))
