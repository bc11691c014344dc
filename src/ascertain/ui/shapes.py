"""What the service says, as the page reads it: the JSON of docs/json.md and docs/service.md."""

from __future__ import annotations

from typing import NotRequired, TypedDict


class PlaceJson(TypedDict):
    """Where in a document; what is not known is None."""

    page: int | None
    section: list[str]
    speaker: str | None
    start_time: float | None
    end_time: float | None
    label: str


class NamedEntityJson(TypedDict):
    """An entity by its id, or by one of its names."""

    id: str
    name: str


class StartJson(TypedDict):
    """A document that a way begins in."""

    document_id: str
    title: str


CitedWayJson = TypedDict("CitedWayJson", {"entities": list[NamedEntityJson], "from": StartJson | None})
"""What the knowledge graph came over to find a passage; from the question itself where it is from no document."""


class CitationJson(TypedDict):
    """Exact characters of a document; ``span`` is ``[start, end)`` in code points of its text."""

    n: int
    document_id: str
    title: str
    url: str | None
    published_at: str | None
    quote: str
    span: tuple[int, int]
    place: PlaceJson
    source: str
    warning: str | None
    # answers of earlier versions have none of these
    origin: NotRequired[str]
    explanation: NotRequired[str]
    way: NotRequired[CitedWayJson | None]


class SentenceJson(TypedDict):
    """A sentence of an answer; ``citations`` are the numbers it rests on."""

    text: str
    verdict: str
    score: float
    citations: list[int]


class ConfidenceJson(TypedDict):
    """``score`` is 0..100."""

    level: str
    score: int


class DecisionJson(TypedDict):
    """What a step of the work decided."""

    node: str
    outcome: str
    reason: str
    scores: dict[str, float]
    seconds: float


class UsageJson(TypedDict):
    """What an answer cost in model calls."""

    calls: int
    input_tokens: int
    output_tokens: int
    cost_usd: float


class AnswerJson(TypedDict):
    """``ask --json``."""

    id: str
    is_cached: bool
    question: str
    standalone: str | None
    answer: str
    type: str
    confidence: ConfidenceJson
    caveat: str | None
    groundedness: float | None
    sentences: list[SentenceJson]
    citations: list[CitationJson]
    strategy: str
    attempts: int
    decisions: list[DecisionJson]
    usage: UsageJson
    conversation_id: str | None
    seconds: float


class DocumentJson(TypedDict):
    """One of ``documents --json``."""

    id: str
    title: str
    kind: str
    source: str
    state: str
    reason: str
    chunks: int
    characters: int
    profile: str
    added_at: str
    published_at: str | None
    url: str | None
    author: str | None
    tags: list[str]
    conversation_id: str | None


class DocumentPage(TypedDict):
    """Some of the documents, and how many there are."""

    documents: list[DocumentJson]
    total: int


class JobJson(TypedDict):
    """Background work; ``done`` of ``total`` in bytes or items."""

    id: str
    kind: str
    what: str
    state: str
    done: int
    total: int
    created_at: str
    updated_at: str
    reason: str
    report: dict[str, object]


class TextWindowJson(TypedDict):
    """A stretch of a document's text around a quote; all positions are code points of the whole text."""

    document_id: str
    title: str
    text: str
    start: int
    end: int
    quote_start: int
    quote_end: int
    place: PlaceJson
    characters: int


class ConversationJson(TypedDict):
    """One of ``conversations --json``."""

    id: str
    first_question: str
    turns: int
    last_used: str


class StatsJson(TypedDict):
    """``stats --json``, as far as the page shows it."""

    place: str
    documents: int
    chunks: int
    by_kind: dict[str, int]
    by_profile: dict[str, int]
    by_state: dict[str, int]
    embedding_model: str
    bytes_on_disk: int | None
    earliest: str | None
    latest: str | None
