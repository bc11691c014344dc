"""Answers: sentences, their evidence, and their decisions."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from urllib.parse import urlsplit

from ascertain.core.asking.passages import Confidence, Strategy, Way
from ascertain.core.documents.blocks import Figure, Place, Span


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
class Verdict:
    """``score`` is the support found, 0..1."""

    label: VerdictLabel
    score: float


@dataclass(frozen=True, slots=True)
class Citation:
    """Exact characters of a stored document, its own or a description of a figure in it; built only by ``answering.citations``, which checks them."""

    number: int
    document_id: str
    title: str
    url: str | None
    published_at: datetime | None
    quote: str
    span: Span
    place: Place
    source: str = ""
    warning: str | None = None
    """Set when the passage behind it holds text that reads like instructions to a model; a line for people."""
    origin: str = "passages"
    """How the passage behind it was found: ``passages`` by the search, ``graph`` by the knowledge graph."""
    explanation: str = ""
    """Why the graph found it, in a line for people."""
    way: Way | None = None
    """The same for a drawing."""
    answer: Span | None = None
    """The words of the quote that answer, in characters of the document; None where no reader found any."""
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
class AnswerSentence:
    """One sentence of an answer, or one item, step, row or block of code, and the numbers of the citations it rests on.

    Of a row ``text`` has the cells with `` | `` between them, and ``columns`` names the columns of its table.
    ``language`` is that of code, as Markdown names it.
    """

    text: str
    verdict: Verdict
    citations: tuple[int, ...]
    referent: str = ""
    """What the pronoun that opens a quoted sentence stands for; ``text`` has it in brackets behind the pronoun."""
    form: Form = Form.TEXT
    columns: tuple[str, ...] = ()
    language: str = ""

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
            found = carry_span(citation.quote, answer, sentence) or _find_once(answer.of(citation.quote), sentence)
            if found is not None:
                return found
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
class Decision:
    """What one step of the work decided and why."""

    node: str
    outcome: str
    reason: str
    scores: dict[str, float] = field(default_factory=dict[str, float])
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class TaskUsage:
    """What one task of the work cost in model calls."""

    task: str
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
class Usage:
    """What the answer cost in model calls, in sum and by task; the offline mode makes none."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float = 0.0
    tasks: tuple[TaskUsage, ...] = ()

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
class GroupFigure:
    """One group of rows with its figure; ``rows`` says how many it has."""

    name: str
    value: float
    rows: int


@dataclass(frozen=True, slots=True)
class Computation:
    """What was computed over the rows of a table. ``meaning`` says in words what the question was taken to mean. ``of`` names what the figures
    are of: a column, or rows. ``rows`` meet the conditions, out of ``of_rows``. ``groups`` have one figure each; ``by`` is what makes them.
    """

    meaning: str
    table: str
    aggregate: str
    of: str
    value: float | None
    rows: int
    of_rows: int
    by: str = ""
    groups: tuple[GroupFigure, ...] = ()


@dataclass(frozen=True, slots=True)
class Answer:
    """A checked answer, or a rejection that says what was searched."""

    question: str
    text: str
    type: AnswerType
    confidence: Confidence
    sentences: tuple[AnswerSentence, ...]
    citations: tuple[Citation, ...]
    strategy: Strategy
    attempts: int = 1
    decisions: tuple[Decision, ...] = ()
    usage: Usage = Usage()
    conversation_id: str | None = None
    seconds: float = 0.0
    groundedness: float | None = None
    """Supported claims by all claims, 0..1; None for a reply that claims nothing."""
    standalone: str | None = None
    """The question as it was searched, where the conversation changed it."""
    id: str = ""
    """Names this answer in feedback and in the stream of its events."""
    is_cached: bool = False
    """Whether it was made for an earlier, equal question."""
    computation: Computation | None = None
    """What was computed over a table, None for an answer that was looked up."""
