"""Answers and what they are made of; the same JSON as the command line's (docs/json.md)."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from ascertain.core.answers import AnswerType, VerdictLabel
from ascertain.core.passages import Level, Strategy

Span = tuple[int, int]


class Shape(BaseModel):
    """Something the service says; fields may be added to it."""

    model_config = ConfigDict(extra="allow")


class PlaceJson(Shape):
    """Where in a document; what is not known is null."""

    page: int | None
    section: list[str]
    speaker: str | None
    start_time: float | None = Field(description="Seconds from the start of the recording.")
    end_time: float | None
    label: str = Field(description="The place in words.")


class ConfidenceJson(Shape):
    """How far to trust it; score is 0 to 100."""

    level: Level
    score: int = Field(ge=0, le=100)


class SentenceJson(Shape):
    """A sentence, how it stands to its evidence, and the numbers of the citations it rests on."""

    text: str
    verdict: VerdictLabel
    score: float
    citations: list[int]


class CitationJson(Shape):
    """Exact characters of a document; span is [start, end) in code points of its text."""

    n: int
    document_id: str
    title: str
    url: str | None
    published_at: str | None
    quote: str
    span: Span
    place: PlaceJson
    source: str
    warning: str | None
    origin: str = Field(default="passages", description="How its passage was found: passages or graph.")
    explanation: str = Field(default="", description="Why the graph found it, in a line.")
    way: CitedWayJson | None = Field(default=None, description="What the graph came over to find it.")


class NamedEntityJson(Shape):
    """An entity by its id, or by one of its names."""

    id: str
    name: str


class StartJson(Shape):
    """A document that a way begins in."""

    document_id: str
    title: str


class CitedWayJson(Shape):
    """Over which entities the graph led to a passage, and from which other document; null when from the question itself."""

    entities: list[NamedEntityJson]
    start: StartJson | None = Field(alias="from")


class DecisionJson(Shape):
    """What a step of the work decided, and why."""

    node: str
    outcome: str
    reason: str
    scores: dict[str, float]
    seconds: float


class SpentJson(Shape):
    """Model calls and what they cost."""

    calls: int
    input_tokens: int
    output_tokens: int
    cost_usd: float


class UsageJson(SpentJson):
    """In sum, and by task."""

    tasks: dict[str, SpentJson]


class AnswerJson(Shape):
    """A checked answer, or a rejection that says what was searched."""

    id: str = Field(description="Names this answer, for feedback and for its stream of events.")
    is_cached: bool = Field(description="Whether it was made for an earlier, equal question.")
    question: str
    standalone: str | None
    answer: str
    type: AnswerType
    confidence: ConfidenceJson
    caveat: str | None
    groundedness: float | None
    sentences: list[SentenceJson]
    citations: list[CitationJson]
    strategy: Strategy
    attempts: int
    decisions: list[DecisionJson]
    usage: UsageJson
    conversation_id: str | None
    seconds: float


class FoundJson(Shape):
    """A passage that was found; score orders the list, scores holds every score behind it."""

    rank: int
    chunk_id: str
    document_id: str
    title: str
    url: str | None
    published_at: str | None
    score: float
    scores: dict[str, float]
    text: str
    span: Span
    place: PlaceJson


class FoundConfidenceJson(ConfidenceJson):
    """With a sentence for people; null when the level is high."""

    caveat: str | None


class SearchJson(Shape):
    """What a search found, best first."""

    query: str
    strategy: Strategy
    results: list[FoundJson]
    confidence: FoundConfidenceJson
    seconds: float


class SourceJson(Shape):
    """A source of an answer about the news."""

    n: int
    document_id: str
    title: str
    url: str | None
    published_at: str | None
    quote: str
    source: str


class NewsJson(Shape):
    """An answer from articles that were fetched for a conversation."""

    answer_text: str
    answer_type: AnswerType
    sources: list[SourceJson]
    conversation_id: str
    answer_id: str
    debug: NewsDebugJson | None = None


class NewsDebugJson(Shape):
    """How it came about."""

    standalone: str | None
    strategy: Strategy
    attempts: int
    confidence: ConfidenceJson
    groundedness: float | None
    decisions: list[DecisionJson]
    usage: UsageJson
    is_cached: bool
    seconds: float


class ProblemJson(Shape):
    """A problem (RFC 9457)."""

    type: str = Field(examples=["urn:ascertain:problem:invalid-request"])
    title: str
    status: int = Field(ge=400, le=599)
    detail: str
    instance: str = Field(description="What was asked for.")
    request_id: str
    errors: list[FieldErrorJson] | None = None
    suggestions: list[str] | None = Field(default=None, description="Names like the one that is not there.")


class FieldErrorJson(Shape):
    """One field that is wrong; pointer is a JSON pointer into the body, or the name of a parameter."""

    pointer: str
    detail: str


class StatusJson(Shape):
    """How the service is."""

    status: Literal["ok", "ready"]
    version: str
