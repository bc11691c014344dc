"""Answers: their text, evidence and decisions, and the events on the way to one."""

from datetime import datetime
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field

from ascertain.app.wire.shape import Date, FigureJson, NounShape, Number, PlaceJson, Shape, SpanJson, select_fields
from ascertain.core.asking.answers import (
    Answer,
    AnswerSentence,
    AnswerType,
    Citation,
    Computation,
    Decision,
    Form,
    GroupFigure,
    TaskUsage,
    Usage,
    Verdict,
    VerdictLabel,
)
from ascertain.core.asking.passages import Confidence, Level, Strategy, Way
from ascertain.core.asking.requests import AnswerText, Done, DraftText, Event, NodeFinished, NodeStarted, StepEvent
from ascertain.core.documents.blocks import Span
from ascertain.core.markdown import disarm_markdown


class ConfidenceJson(Shape):
    """How far to trust it."""

    level: Level
    score: int = Field(ge=0, le=100, description="0 to 100.", examples=[91])


class SentenceJson(Shape):
    """A sentence, item, step, row or block of code, its verdict, and its evidence."""

    text: str = Field(examples=["Gas fees are what a transaction pays."])
    verdict: VerdictLabel
    score: Number = Field(examples=[1.0])
    citations: list[int] = Field(description="The `n` of the citations that the sentence rests on.", examples=[[1]])
    # answers of earlier versions have none
    referent: str = Field(
        default="",
        description="What the pronoun that opens a quoted sentence stands for; `text` has it in brackets, the quote has not.",
        examples=[""],
    )
    form: Form = Field(default=Form.TEXT, description="Its form in `answer`, which is Markdown.")
    columns: list[str] = Field(
        default=[],
        description="Of a row, whose cells have ` | ` between them: the columns of its table.",
        examples=[[]],
    )
    language: str = Field(default="", description="Of code, as Markdown names it.", examples=[""])

    @classmethod
    def read_noun(cls, noun: AnswerSentence) -> object:
        """With the verdict and its score side by side."""
        return cls.read_attributes(noun, verdict=noun.verdict.label, score=noun.verdict.score)

    def to_sentence(self) -> AnswerSentence:
        """The inverse of ``from_noun``."""
        return AnswerSentence(
            self.text,
            Verdict(self.verdict, self.score),
            tuple(self.citations),
            self.referent,
            self.form,
            tuple(self.columns),
            self.language,
        )


class NamedEntityJson(Shape):
    """An entity by its id, or by one of its names."""

    id: str = Field(examples=["hal finney"])
    name: str = Field(examples=["Hal Finney"])


class StartJson(Shape):
    """A document that a way begins in."""

    document_id: str = Field(examples=["7f31ce02b8a94d5e6c10"])
    title: str = Field(examples=["The first transaction"])


class CitedWayJson(Shape):
    """The entities over which the graph led to a passage, and from which other document."""

    entities: list[NamedEntityJson]
    start: StartJson | None = Field(alias="from", description="Null where it began at the question itself.")

    @classmethod
    def read_noun(cls, noun: Way) -> object:
        """With names for what the noun has in pairs."""
        start = None if noun.document_id is None else {"document_id": noun.document_id, "title": noun.title}
        return {"entities": [{"id": id, "name": name} for id, name in noun.entities], "from": start}

    def to_way(self) -> Way:
        """The inverse of ``from_noun``."""
        entities = tuple((each.id, each.name) for each in self.entities)
        start = self.start
        return Way(entities) if start is None else Way(entities, start.document_id, start.title)


class CitationJson(Shape):
    """Exact characters of a document."""

    n: int = Field(description="Its number in the sentences.", examples=[1])
    document_id: str = Field(examples=["2b5c5f3e0e9d4f1c8a77"])
    title: str = Field(examples=["Gas fees"])
    url: str | None
    published_at: Date | None
    quote: str = Field(
        description="Exactly the characters under `span`.", examples=["Gas fees are what a transaction pays."]
    )
    span: SpanJson = Field(examples=[[0, 37]])
    place: PlaceJson
    source: str = Field(examples=["/home/me/news/gas.txt"])
    warning: str | None = Field(
        description="A line for people when the passage holds text that reads like instructions to a model."
    )
    # answers of earlier versions have none of these
    origin: str = Field(
        default="passages",
        description="How its passage was found: `passages` by the search, or `graph` by the knowledge graph.",
        examples=["passages"],
    )
    explanation: str = Field(default="", description="Why the graph found it, in a line.", examples=[""])
    way: CitedWayJson | None = Field(
        default=None, description="The same for programs: the path in the graph.", examples=[None]
    )
    answer: SpanJson | None = Field(
        default=None,
        description="The words of the quote that answer, as characters of the document like `span`; null where none are known.",
        examples=[[13, 36]],
    )
    figure: FigureJson | None = Field(
        default=None,
        description="The figure that the quote describes: then it is what a model wrote, and no quotation of the document's words.",
        examples=[None],
    )

    @classmethod
    def read_noun(cls, noun: Citation) -> object:
        """With its number as ``n``."""
        return cls.read_attributes(noun, n=noun.number)

    def to_citation(self) -> Citation:
        """The inverse of ``from_noun``."""
        return Citation(
            number=self.n,
            document_id=self.document_id,
            title=self.title,
            url=self.url,
            published_at=None if self.published_at is None else datetime.fromisoformat(self.published_at),
            quote=self.quote,
            span=Span(*self.span),
            place=self.place.to_place(),
            source=self.source,
            warning=self.warning,
            origin=self.origin,
            explanation=self.explanation,
            way=None if self.way is None else self.way.to_way(),
            answer=None if self.answer is None else Span(*self.answer),
            figure=None if self.figure is None else self.figure.to_figure(),
        )


ReadableText = Annotated[str, AfterValidator(disarm_markdown)]
"""Words about an answer, for people: what they quote of documents is not live where they are read as Markdown."""


class DecisionJson(Shape):
    """What a step of the work decided, and why."""

    node: str = Field(description="The step.", examples=["judge"])
    outcome: ReadableText = Field(examples=["quality 84"])
    reason: ReadableText = Field(examples=[""])
    scores: dict[str, Number] = Field(description="What it rests on, by name.", examples=[{"quality": 84.0}])
    seconds: Number = Field(examples=[0.002])


class SpentJson(Shape):
    """Model calls and what they cost; the offline mode makes none."""

    calls: int = Field(examples=[0])
    input_tokens: int = Field(examples=[0])
    output_tokens: int = Field(examples=[0])
    cost_usd: Number = Field(examples=[0.0])


class UsageJson(SpentJson):
    """Model calls and what they cost, in sum and by task; the offline mode makes none."""

    tasks: dict[str, SpentJson] = Field(
        description="By task: `rewrite`, `plan`, `judge`, `write`, `verify`, `evaluate`.", examples=[{}]
    )

    @classmethod
    def read_noun(cls, noun: Usage) -> object:
        """With the tasks by their names."""
        return cls.read_attributes(noun, tasks={each.task: each for each in noun.tasks})

    def to_usage(self) -> Usage:
        """The inverse of ``from_noun``."""
        return Usage.of(
            TaskUsage(task, each.calls, each.input_tokens, each.output_tokens, each.cost_usd)
            for task, each in self.tasks.items()
        )


class GroupFigureJson(Shape):
    """One group of rows with its figure."""

    name: str = Field(examples=["Cinnamon bun"])
    value: Number = Field(examples=[4426.8])
    rows: int = Field(description="How many rows it has.", examples=[4])


class ComputationJson(Shape):
    """What was computed over the rows of a table; its groups are what `ascertain ask --chart` draws."""

    meaning: str = Field(
        description="What the question was taken to mean.",
        examples=["added up amount_gbp of expenses.csv where category is “repair”"],
    )
    table: str = Field(examples=["expenses.csv"])
    aggregate: str = Field(
        description="`count`, `distinct`, `sum`, `mean`, `median`, `highest`, `lowest` or `list`.", examples=["sum"]
    )
    of: str = Field(description="The column that was computed with, or `rows`.", examples=["amount_gbp"])
    value: Number | None = Field(description="The figure; of groups that of the first one.", examples=[785.4])
    rows: int = Field(description="Rows that meet the conditions.", examples=[2])
    of_rows: int = Field(description="Rows of the table, without those of totals.", examples=[5])
    by: str = Field(description="What makes the groups; empty where there are none.", examples=[""])
    groups: list[GroupFigureJson]

    def to_computation(self) -> Computation:
        """The inverse of ``from_noun``."""
        groups = tuple(GroupFigure(each.name, each.value, each.rows) for each in self.groups)
        return Computation(
            self.meaning, self.table, self.aggregate, self.of, self.value, self.rows, self.of_rows, self.by, groups
        )


class AnswerJson(NounShape[Answer]):
    """A checked answer, or a rejection that says what was searched."""

    question: str = Field(examples=["What are gas fees?"])
    standalone: str | None = Field(description="The question as it was searched, where the conversation changed it.")
    answer: str = Field(
        description="Markdown where a chat model wrote it: `form` of the sentences says what is in lists, tables and code.",
        examples=["Gas fees are what a transaction pays."],
    )
    type: AnswerType = Field(
        description=(
            "`followup_answer` is a turn of a conversation with turns before it; for a `rejection`, where"
            " nothing fits, `answer` says "
            "what was searched and what would help, without sentences and citations."
        )
    )
    confidence: ConfidenceJson
    caveat: str | None = Field(description="A sentence for people; null when the level is high.")
    groundedness: Number | None = Field(
        description="Supported claims by all claims, 0 to 1; null for a reply that claims nothing.", examples=[1.0]
    )
    sentences: list[SentenceJson]
    citations: list[CitationJson]
    strategy: Strategy = Field(examples=["hybrid"])
    attempts: int = Field(
        description=("How many searches were made; more than 1 when the workflow [changed course](workflow.md)."),
        examples=[1],
    )
    decisions: list[DecisionJson] = Field(
        description="What every step decided, in order; see [workflow.md](workflow.md)."
    )
    usage: UsageJson
    conversation_id: str | None
    seconds: Number = Field(examples=[0.31])
    # answers kept before these two were there have neither
    id: str = Field(
        default="",
        description=(
            "The id of the answer, for `ascertain feedback ID up` and for its stream of events; in a "
            "conversation it is the id of the turn."
        ),
        examples=["5b1f0c8e2d914b7a9c3e6f7a8b9c0d1e"],
    )
    is_cached: bool = Field(
        default=False,
        description=(
            "Whether it was made for an earlier, equal question ([cache-and-feedback.md](cache-and-"
            "feedback.md)); then `seconds` and "
            "`usage` are those of giving it again, and the first of the `decisions` says when it was made."
        ),
    )
    computation: ComputationJson | None = Field(
        default=None,
        description="What was computed over a table ([tables.md](tables.md)); null for an answer that was looked up.",
        examples=[None],
    )

    @classmethod
    def read_noun(cls, noun: Answer) -> object:
        """With the caveat of its confidence beside that."""
        return cls.read_attributes(noun, answer=noun.text, caveat=noun.confidence.caveat)

    def to_answer(self) -> Answer:
        """The inverse of ``from_noun``."""
        return Answer(
            question=self.question,
            text=self.answer,
            type=self.type,
            confidence=Confidence(self.confidence.level, self.confidence.score, self.caveat),
            sentences=tuple(each.to_sentence() for each in self.sentences),
            citations=tuple(each.to_citation() for each in self.citations),
            strategy=self.strategy,
            attempts=self.attempts,
            decisions=tuple(Decision(**dict(each)) for each in self.decisions),
            usage=self.usage.to_usage(),
            conversation_id=self.conversation_id,
            seconds=self.seconds,
            groundedness=self.groundedness,
            standalone=self.standalone,
            id=self.id,
            is_cached=self.is_cached,
            computation=None if self.computation is None else self.computation.to_computation(),
        )


class NamedAnswerJson(Shape):
    """The answer of one of several knowledge bases."""

    knowledge_base: str = Field(examples=["papers"])
    answer: AnswerJson


class StepBegunJson(NounShape[NodeStarted]):
    """A step has begun."""

    event: Literal["node_started"] = "node_started"
    node: str = Field(examples=["retrieve"])


class StepEndedJson(NounShape[NodeFinished]):
    """A step is done; the last of its decisions is its own."""

    event: Literal["node_finished"] = "node_finished"
    node: str = Field(examples=["retrieve"])
    decisions: list[DecisionJson]


class AnswerTextJson(NounShape[AnswerText]):
    """A piece of the checked answer; the pieces make up its text."""

    event: Literal["answer_text"] = "answer_text"
    text: str = Field(examples=["Gas fees are what a transaction pays ..."])


class AnswerDoneJson(NounShape[Done]):
    """The end, with the whole answer."""

    event: Literal["done"] = "done"
    answer: AnswerJson


EventJson = StepBegunJson | StepEndedJson | AnswerTextJson | AnswerDoneJson


def describe_event(event: StepEvent) -> EventJson:
    """One line of ``ask --stream --json``."""
    if isinstance(event, NodeStarted):
        return StepBegunJson.from_noun(event)
    if isinstance(event, AnswerText):
        return AnswerTextJson.from_noun(event)
    return AnswerDoneJson.from_noun(event) if isinstance(event, Done) else StepEndedJson.from_noun(event)


class StreamBegunJson(Shape):
    """`started`: the id that the answer will have, by which its stream is found again."""

    answer_id: str = Field(examples=["5b1f0c8e2d914b7a9c3e6f7a8b9c0d1e"])
    conversation_id: str | None


class NodeBegunJson(NounShape[NodeStarted]):
    """`node`: a step has begun."""

    node: str = Field(examples=["retrieve"])
    state: Literal["started"] = "started"


class NodeEndedJson(DecisionJson):
    """`node`: a step is done; `notes` are decisions on the way to its own."""

    state: Literal["finished"] = "finished"
    notes: list[DecisionJson]


class DraftJson(NounShape[DraftText]):
    """`draft`: a piece of a draft as a chat model writes it, in Markdown; it is not checked yet."""

    text: str = Field(examples=["Gas fees are"])
    is_new: bool = Field(description="Whether another draft begins; it replaces what was shown of an earlier one.")


class PieceJson(NounShape[AnswerText]):
    """`text`: a piece of the checked answer."""

    text: str = Field(examples=["Gas fees are what a transaction pays ..."])


StreamEventJson = NodeBegunJson | NodeEndedJson | DraftJson | PieceJson | AnswerJson


def describe_stream_event(event: Event) -> tuple[str, StreamEventJson]:
    """An event of a run as the service sends it: its name and its data."""
    if isinstance(event, NodeStarted):
        return "node", NodeBegunJson.from_noun(event)
    if isinstance(event, DraftText):
        return "draft", DraftJson.from_noun(event)
    if isinstance(event, AnswerText):
        return "text", PieceJson.from_noun(event)
    if isinstance(event, Done):
        return "answer", AnswerJson.from_noun(event.answer)
    own = event.decisions[-1] if event.decisions else Decision(event.node, "", "")
    given = NodeEndedJson.read_attributes(own, node=event.node, notes=event.decisions[:-1])
    return "node", NodeEndedJson.model_validate(given)


class SourceJson(select_fields(CitationJson, "n", "document_id", "title", "url", "published_at", "quote", "source")):
    """A source of an answer about the news."""


class NewsDebugJson(
    select_fields(
        AnswerJson,
        *("standalone", "strategy", "attempts", "confidence", "groundedness"),
        *("decisions", "usage", "is_cached", "seconds"),
    )
):
    """How an answer was made."""


class NewsJson(Shape):
    """An answer from articles that were fetched for a conversation."""

    answer_text: str = Field(examples=["The bridge was closed on Monday."])
    answer_type: AnswerType
    sources: list[SourceJson]
    conversation_id: str = Field(examples=["c7d1"])
    answer_id: str = Field(examples=["5b1f0c8e2d914b7a9c3e6f7a8b9c0d1e"])
    debug: NewsDebugJson | None = Field(default=None, description="How it was made, if requested.")

    @classmethod
    def from_answer(cls, answer: Answer, conversation_id: str, with_debug: bool) -> Self:
        """The answer with the field names of the clients of ``/rag``."""
        whole = AnswerJson.from_noun(answer).to_json()
        return cls.model_validate(
            {
                "answer_text": answer.text,
                "answer_type": answer.type,
                "sources": whole["citations"],
                "conversation_id": conversation_id,
                "answer_id": answer.id,
                "debug": whole if with_debug else None,
            }
        )
