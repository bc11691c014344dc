"""Answers: sentences, their evidence, and their decisions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import cast
from urllib.parse import urlsplit

from ascertain.core.asking.passages import Confidence, Strategy, Way
from ascertain.core.documents.blocks import Figure, Place, Span
from ascertain.core.markdown import disarm_markdown
from ascertain.core.serialisation import JsonObject, Serialisable


class AnswerType(StrEnum):
    """What kind of reply this is."""

    SUMMARY = "summary"
    FOLLOWUP_ANSWER = "followup_answer"
    WEB_AUGMENTED_ANSWER = "web_augmented_answer"
    ANALYSIS = "analysis"
    REPORT = "report"
    REJECTION = "rejection"
    GREETING = "greeting"


class VerdictLabel(StrEnum):
    """How far the evidence supports a sentence."""

    SUPPORTED = "supported"
    INFERRED = "inferred"
    """A chat model finds that it follows, and nothing speaks against it."""
    NOT_IN_SOURCES = "not_in_sources"
    """A name, figure, date or cause in it is missing from everything it cites."""
    CONTRADICTED = "contradicted"

    @property
    def is_sound(self) -> bool:
        """Whether the evidence supports the sentence."""
        return self in {VerdictLabel.SUPPORTED, VerdictLabel.INFERRED}


@dataclass(frozen=True, slots=True)
class Verdict(Serialisable):
    """``score`` is the support found, 0..1."""

    label: VerdictLabel
    score: float


# built only by answering.citations, which checks the quote
@dataclass(frozen=True, slots=True)
class Citation(
    Serialisable,
    names={"number": "n"},
    examples={
        "number": 1,
        "document_id": "2b5c5f3e0e9d4f1c8a77",
        "title": "Gas fees",
        "quote": "Gas fees are what a transaction pays.",
        "span": [0, 37],
        "source": "/home/me/news/gas.txt",
        "way": None,
        "answer": [13, 36],
        "figure": None,
    },
):
    """Exact characters of a document."""

    number: int
    """Its number in the sentences."""
    document_id: str
    title: str
    url: str | None
    published_at: datetime | None
    quote: str
    """Exactly the characters under `span`."""
    span: Span
    place: Place
    source: str = ""
    warning: str | None = None
    """A line for people when the passage holds text that reads like instructions to a model."""
    origin: str = "passages"
    """How its passage was found: `passages` by the search, or `graph` by the knowledge graph."""
    explanation: str = ""
    """Why the graph found it, in a line."""
    way: Way | None = None
    """The same for programs: the path in the graph."""
    answer: Span | None = None
    """The words of the quote that answer, as characters of the document like `span`; null where none are known."""
    figure: Figure | None = None
    """The figure that the quote describes: then it is what a model wrote, and no quotation of the document's words."""

    @property
    def answer_in_quote(self) -> Span | None:
        """The same in characters of the quote."""
        return self.answer and self.answer.shift(-self.span.start)


class Form(StrEnum):
    """How a part of an answer is shown; ``core.forms`` has the Markdown of each."""

    TEXT = "text"
    """A sentence of a paragraph."""
    ITEM = "item"
    """An entry of a list."""
    STEP = "step"
    """A numbered step."""
    ROW = "row"
    """A row of a table."""
    CODE = "code"
    """Commands or code."""


@dataclass(frozen=True, slots=True)
class AnswerSentence(
    Serialisable,
    hidden=("verdict",),
    computed={"label": "verdict", "score": "verdict"},
    names={"label": "verdict"},
    examples={"text": "Gas fees are what a transaction pays.", "citations": [1], "score": 1.0},
):
    """A sentence, item, step, row or block of code, its verdict, and its evidence."""

    text: str
    verdict: Verdict
    citations: tuple[int, ...]
    """The `n` of the citations that the sentence rests on."""
    referent: str = ""
    """What the pronoun that opens a quoted sentence stands for; `text` has it in brackets, the quote has not."""
    form: Form = Form.TEXT
    """Its form in `answer`, which is Markdown."""
    columns: tuple[str, ...] = ()
    """Of a row, whose cells have ` | ` between them: the columns of its table."""
    language: str = ""
    """Of code, as Markdown names it."""

    @property
    def label(self) -> VerdictLabel:
        """How far the evidence supports it."""
        return self.verdict.label

    @property
    def score(self) -> float:
        """The support found, 0 to 1."""
        return self.verdict.score

    @classmethod
    def _arrange_json(cls, given: Mapping[str, object]) -> Mapping[str, object]:
        return {**given, "verdict": {"label": given["verdict"], "score": given["score"]}}

    @property
    def said(self) -> str:
        """``text`` as it is quoted, without the brackets."""
        return self.text.replace(f" [{self.referent}]", "", 1) if self.referent else self.text

    @property
    def statement(self) -> str:
        """What it states by itself: of a row each cell with the name of its column."""
        if not self.columns:
            return self.text
        cells = zip(self.columns, self.text.split(" | "), strict=False)
        return " | ".join(f"{name}: {cell}" if name else cell for name, cell in cells if cell)


def safe_link(address: str | None) -> str | None:
    """``address`` when it is a web address: a document may name anything, a script too."""
    try:
        parts = urlsplit(address or "")
    except ValueError:
        return None
    return address if parts.scheme in {"http", "https"} and parts.netloc else None


def find_answering_words(sentence: str, cited: Iterable[Citation]) -> Span | None:
    """Where the words that answer stand in a sentence of an answer, by those of its citations; None where that is
    uncertain.
    """
    for citation in cited:
        answer = citation.answer_in_quote
        if answer is not None:
            answering_words = carry_span(citation.quote, answer, sentence) or _find_once(
                answer.of(citation.quote), sentence
            )
            if answering_words is not None:
                return answering_words
    return None


def carry_span(text: str, span: Span, shown: str) -> Span | None:
    """Where ``span`` of ``text`` stands in ``shown``, which begins as ``text`` does up to white space; None where it does
    not go on as far.
    """
    printed = [place for place, character in enumerate(shown) if not character.isspace()]
    start, end = (sum(not character.isspace() for character in text[:bound]) for bound in span)
    if not start < end <= len(printed):
        return None
    found = Span(printed[start], printed[end - 1] + 1)
    is_same = "".join(text[: span.end].split()) == "".join(shown[: found.end].split())
    return found if is_same else None


def _find_once(words: str, sentence: str) -> Span | None:
    """``words`` in a sentence that tells its quote in another form, as a row with its columns; None where it has them
    twice.
    """
    wanted = r"\s+".join(map(re.escape, words.split()))
    places = list(re.finditer(rf"(?<!\w){wanted}(?!\w)", sentence)) if wanted else []
    return Span(*places[0].span()) if len(places) == 1 else None


@dataclass(frozen=True, slots=True)
class Decision(
    Serialisable,
    examples={"node": "judge", "outcome": "quality 84", "reason": "", "scores": {"quality": 84.0}, "seconds": 0.002},
):
    """What a step of the work decided, and why."""

    node: str
    """The step."""
    outcome: str
    reason: str
    scores: dict[str, float] = field(default_factory=dict[str, float])
    """What it rests on, by name."""
    seconds: float = 0.0

    def to_json(self) -> JsonObject:
        """The JSON object; what its words quote of documents is not live where they are read as Markdown."""
        words = {"outcome": disarm_markdown(self.outcome), "reason": disarm_markdown(self.reason)}
        return {**Serialisable.to_json(self), **words}


@dataclass(frozen=True, slots=True)
class TaskUsage(
    Serialisable, hidden=("task",), examples={"calls": 0, "input_tokens": 0, "output_tokens": 0, "cost_usd": 0.0}
):
    """Model calls and what they cost; the offline mode makes none."""

    task: str = ""
    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float = 0.0

    def plus(self, input_tokens: int, output_tokens: int, cost_usd: float) -> TaskUsage:
        """With one more call."""
        return TaskUsage(
            self.task,
            self.calls + 1,
            self.input_tokens + input_tokens,
            self.output_tokens + output_tokens,
            self.cost_usd + cost_usd,
        )

    def since(self, earlier: TaskUsage) -> TaskUsage:
        """The difference to ``earlier``."""
        return TaskUsage(
            self.task,
            self.calls - earlier.calls,
            self.input_tokens - earlier.input_tokens,
            self.output_tokens - earlier.output_tokens,
            self.cost_usd - earlier.cost_usd,
        )


@dataclass(frozen=True, slots=True)
class Usage(
    Serialisable,
    hidden=("tasks",),
    computed={"by_task": "tasks"},
    names={"by_task": "tasks"},
    examples={"calls": 0, "input_tokens": 0, "output_tokens": 0, "cost_usd": 0.0, "by_task": {}},
):
    """Model calls and what they cost, in sum and by task; the offline mode makes none."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float = 0.0
    tasks: tuple[TaskUsage, ...] = ()

    @property
    def by_task(self) -> Mapping[str, TaskUsage]:
        """By task: `rewrite`, `plan`, `judge`, `write`, `verify`, `evaluate`."""
        return {each.task: each for each in self.tasks}

    @classmethod
    def _arrange_json(cls, given: Mapping[str, object]) -> Mapping[str, object]:
        tasks = cast("Mapping[str, Mapping[str, object]]", given.get("tasks", {}))
        return {**given, "tasks": [{"task": task, **each} for task, each in tasks.items()]}

    @classmethod
    def of(cls, tasks: Iterable[TaskUsage]) -> Usage:
        """The sum over ``tasks``."""
        each = tuple(tasks)
        return cls(
            sum(task.calls for task in each),
            sum(task.input_tokens for task in each),
            sum(task.output_tokens for task in each),
            sum((task.cost_usd for task in each), 0.0),
            each,
        )

    def since(self, earlier: Usage) -> Usage:
        """The difference to ``earlier``, by task."""
        before = {task.task: task for task in earlier.tasks}
        later = (task.since(before.get(task.task, TaskUsage(task.task))) for task in self.tasks)
        return Usage.of(task for task in later if task.calls)


@dataclass(frozen=True, slots=True)
class GroupFigure(Serialisable, examples={"name": "Cinnamon bun", "value": 4426.8, "rows": 4}):
    """One group of rows with its figure."""

    name: str
    value: float
    rows: int
    """How many rows it has."""


@dataclass(frozen=True, slots=True)
class Computation(
    Serialisable,
    examples={
        "meaning": "added up amount_gbp of expenses.csv where category is “repair”",
        "table": "expenses.csv",
        "aggregate": "sum",
        "of": "amount_gbp",
        "value": 785.4,
        "rows": 2,
        "of_rows": 5,
    },
):
    """What was computed over the rows of a table; its groups are what `ascertain ask --chart` draws."""

    meaning: str
    """What the question was taken to mean."""
    table: str
    aggregate: str
    """`count`, `distinct`, `sum`, `mean`, `median`, `highest`, `lowest` or `list`."""
    of: str
    """The column that was computed with, or `rows`."""
    value: float | None
    """The figure; of groups that of the first one."""
    rows: int
    """Rows that meet the conditions."""
    of_rows: int
    """Rows of the table, without those of totals."""
    by: str = ""
    """What makes the groups; empty where there are none."""
    groups: tuple[GroupFigure, ...] = ()


@dataclass(frozen=True, slots=True)
class Answer(
    Serialisable,
    names={"text": "answer"},
    computed={"caveat": "confidence"},
    examples={
        "question": "What are gas fees?",
        "text": "Gas fees are what a transaction pays.",
        "strategy": "hybrid",
        "seconds": 0.31,
        "groundedness": 1.0,
        "id": "5b1f0c8e2d914b7a9c3e6f7a8b9c0d1e",
        "computation": None,
    },
):
    """A checked answer, or a rejection that says what was searched."""

    question: str
    text: str
    """Markdown where a chat model wrote it: `form` of the sentences says what is in lists, tables and code."""
    type: AnswerType
    """`followup_answer` is a turn of a conversation with turns before it; for a `rejection`, where nothing fits, `answer` says what
    was searched and what would help, without sentences and citations.
    """
    confidence: Confidence
    sentences: tuple[AnswerSentence, ...]
    citations: tuple[Citation, ...]
    strategy: Strategy
    attempts: int = 1
    """How many searches were made; more than 1 when the workflow [changed course](workflow.md)."""
    decisions: tuple[Decision, ...] = ()
    """What every step decided, in order; see [workflow.md](workflow.md)."""
    usage: Usage = Usage()
    conversation_id: str | None = None
    seconds: float = 0.0
    groundedness: float | None = None
    """Supported claims by all claims, 0 to 1; null for a reply that claims nothing."""
    standalone: str | None = None
    """The question as it was searched, where the conversation changed it."""
    id: str = ""
    """The id of the answer, for `ascertain feedback ID up` and for its stream of events; in a conversation it is the id of the
    turn.
    """
    is_cached: bool = False
    """Whether it was made for an earlier, equal question ([cache-and-feedback.md](cache-and-feedback.md)); then `seconds` and
    `usage` are those of giving it again, and the first of the `decisions` says when it was made.
    """
    computation: Computation | None = None
    """What was computed over a table ([tables.md](tables.md)); null for an answer that was looked up."""

    @property
    def caveat(self) -> str | None:
        """A sentence for people; null when the level is high."""
        return self.confidence.caveat

    @classmethod
    def _arrange_json(cls, given: Mapping[str, object]) -> Mapping[str, object]:
        confidence = cast("Mapping[str, object]", given["confidence"])
        return {**given, "confidence": {**confidence, "caveat": given.get("caveat")}}
