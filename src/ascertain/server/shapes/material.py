"""Documents, jobs, conversations, opinions and figures."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from ascertain.core.documents import DocumentKind, DocumentState
from ascertain.server.shapes.answers import AnswerJson, PlaceJson, Shape

JobStateName = Literal["queued", "running", "finished", "failed", "cancelled"]
TurnStateName = Literal["running", "finished", "failed", "interrupted"]


class DocumentProfileJson(Shape):
    """What rules made of its text."""

    type: str
    type_confidence: float
    technical_density: float
    domains: list[str]


class DocumentJson(Shape):
    """What is known of a document, without its text."""

    id: str
    title: str
    kind: DocumentKind
    source: str
    state: DocumentState
    reason: str
    chunks: int
    characters: int
    profile: str
    added_at: str
    published_at: str | None
    url: str | None
    author: str | None
    language: str | None
    tags: list[str]
    conversation_id: str | None
    duplicate_of: str | None
    content_hash: str
    document_profile: DocumentProfileJson | None


class DocumentsJson(Shape):
    """Some of the documents, and how many there are."""

    documents: list[DocumentJson]
    total: int


class SourcesJson(Shape):
    """The documents fetched for a conversation."""

    documents: list[DocumentJson]


class NewsSourcesJson(Shape):
    """The articles fetched for a conversation."""

    conversation_id: str
    sources: list[DocumentJson]


class TextWindowJson(Shape):
    """A stretch of a document's text around a quotation; positions are code points of the whole text."""

    document_id: str
    title: str
    text: str
    start: int
    end: int
    quote_start: int
    quote_end: int
    place: PlaceJson
    characters: int


class DeletedJson(Shape):
    """How many documents were deleted."""

    deleted: int


class DeletedTurnsJson(Shape):
    """How many turns the conversation had."""

    deleted: int


class ForgottenJson(DeletedTurnsJson):
    """A conversation that was deleted, and how many turns it had."""

    conversation_id: str


class JobJson(Shape):
    """Background work; done of total in bytes or in items."""

    id: str
    kind: str
    what: str
    state: JobStateName
    done: int
    total: int
    created_at: str
    updated_at: str
    reason: str
    report: dict[str, object]


class JobsJson(Shape):
    """The latest background work."""

    jobs: list[JobJson]


class SubmittedJson(Shape):
    """The job that does what was asked."""

    job: JobJson


class ConversationSummaryJson(Shape):
    """One conversation; turns counts the finished ones."""

    id: str
    first_question: str
    turns: int
    last_used: str


class ConversationsJson(Shape):
    """All conversations, the last used first."""

    conversations: list[ConversationSummaryJson]


class FeedbackJson(Shape):
    """An opinion as it is kept."""

    answer_id: str
    thumb: Literal["up", "down"]
    comment: str


class TurnJson(Shape):
    """A question with its answer; whole is null where it is no longer kept, feedback where nobody judged the answer."""

    turn_id: str
    question: str
    standalone: str | None
    asked_at: str
    state: TurnStateName
    reason: str
    answer: str | None
    type: str | None
    whole: AnswerJson | None
    feedback: FeedbackJson | None


class ConversationJson(Shape):
    """A conversation, oldest turn first."""

    id: str
    turns: list[TurnJson]


class SatisfactionJson(Shape):
    """Opinions on answers to one kind of question found in one way; low and high bound the share of thumbs up (95 %)."""

    question_kind: str
    strategy: str
    judged: int
    up: int
    share: float
    low: float
    high: float


class FeedbackSummaryJson(Shape):
    """Opinions counted."""

    judged: int
    up: int
    rows: list[SatisfactionJson]


class CorpusJson(Shape):
    """The documents by what they seem to be."""

    profiled: int
    technical_density: float | None
    types: dict[str, float]
    domains: dict[str, float]


class RunJson(Shape):
    """A run that added documents."""

    id: str
    engine: str
    what: str
    state: str
    reason: str
    started_at: str
    updated_at: str
    bytes_done: int
    bytes_total: int
    chunks: int
    failures: int


class StatsJson(Shape):
    """How much there is."""

    place: str = Field(description="Where the knowledge base is; empty for callers with a key.")
    documents: int
    chunks: int
    by_kind: dict[str, int]
    by_profile: dict[str, int]
    by_state: dict[str, int]
    embedding_model: str
    dimension: int
    bytes_on_disk: int | None = Field(
        description="Of the whole store, with all tenants; null for callers with a key."
    )
    earliest: str | None
    latest: str | None
    corpus: CorpusJson
    runs: list[RunJson]
