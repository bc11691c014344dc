"""What the service is asked."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import ConfigDict, Field

from ascertain.core.documents import DocumentKind, DocumentState
from ascertain.core.filters import OWN, Filter
from ascertain.core.passages import Strategy
from ascertain.core.spans import Span
from ascertain.server.shapes.fields import (
    LONGEST_TEXT,
    MOST_VALUES,
    Body,
    ConversationId,
    FilterBody,
    Profile,
    Short,
    Tag,
)

MOST_LISTED = 1000
MOST_CHARACTERS = 2**31 - 1
"""Highest position or number of documents that can be named."""

TimeRange = Literal["any", "day", "week", "month", "year"]
DaysBack = Annotated[
    int, Field(ge=1, le=365, description="Only the last so many days, whatever the words say.")
]
MaxArticles = Annotated[int, Field(ge=1, le=100, description="Most articles fetched.")]
MaxChunks = Annotated[int, Field(ge=1, le=50, description="Most passages an answer is written from.")]
StrategyField = Annotated[
    Strategy | None, Field(description="How to search; chosen from the question where it is not given.")
]


class AskBody(Body):
    """A question, and what it may be answered from."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [
                {"question": "How do refunds work?"},
                {
                    "question": "And how long does it take?",
                    "conversation_id": "support-17",
                    "filter": {"kinds": ["prose"], "published_from": "2024-01-01"},
                    "max_chunks": 6,
                    "cache": False,
                },
            ]
        },
    )

    question: Annotated[str, Field(min_length=1, max_length=LONGEST_TEXT)]
    conversation_id: ConversationId | None = None
    mode: Literal["documents", "news"] = Field(
        default="documents", description="news: answer from articles fetched for the conversation."
    )
    strategy: StrategyField = None
    filter: FilterBody | None = None
    days_back: DaysBack | None = None
    time_range: TimeRange | None = Field(default=None, description="How far back to look for news.")
    max_articles: MaxArticles | None = None
    max_chunks: MaxChunks | None = None
    cache: bool = Field(default=True, description="Whether an answer given before may be given again.")


class SearchBody(Body):
    """What to look for."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [
                {"query": "refund", "k": 5},
                {
                    "query": "when is money paid back?",
                    "strategy": "semantic",
                    "filter": {"kinds": ["prose", "article"]},
                    "context": "neighbours",
                },
            ]
        },
    )

    query: Annotated[str, Field(min_length=1, max_length=LONGEST_TEXT)]
    k: Annotated[int, Field(ge=1, le=100)] | None = Field(default=None, description="Passages wanted.")
    strategy: StrategyField = None
    filter: FilterBody | None = None
    days_back: DaysBack | None = None
    context: Literal["none", "neighbours", "parents"] = Field(
        default="none", description="Give each passage with the chunks beside it, or as its parent chunk."
    )


class AddressesBody(Body):
    """What to fetch and add."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [
                {"addresses": ["https://example.org/news/feed.xml", "arxiv:1706.03762"], "tags": ["web"]}
            ]
        },
    )

    addresses: Annotated[list[Short], Field(min_length=1, max_length=MOST_VALUES)]
    profile: Profile | None = None
    tags: list[Tag] = Field(default=[], max_length=MOST_VALUES)


class FeedbackBody(Body):
    """What somebody thinks of an answer."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [
                {
                    "answer_id": "5f0c8a1e3b7d4f6a9c2e1d0b8a7f6e5d",
                    "thumb": "up",
                    "comment": "Found it at once.",
                }
            ]
        },
    )

    answer_id: Short = Field(description="The id of the answer.")
    thumb: Literal["up", "down"]
    comment: str = Field(default="", max_length=10_000)


class NewsBody(Body):
    """A message of a conversation about the news."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [
                {
                    "message": "What happened to the harbour bridge?",
                    "user_id": "u-17",
                    "time_range": "week",
                    "max_articles": 10,
                    "max_chunks": 8,
                    "include_debug": True,
                }
            ]
        },
    )

    message: Annotated[str, Field(min_length=1, max_length=LONGEST_TEXT)]
    user_id: Annotated[str, Field(max_length=200)] | None = Field(
        default=None, description="Whose message it is, for your own records; it does not change the answer."
    )
    conversation_id: ConversationId | None = Field(
        default=None, description="Without one a conversation is begun."
    )
    time_range: TimeRange | None = None
    max_articles: MaxArticles | None = None
    max_chunks: MaxChunks | None = None
    include_debug: bool = Field(default=False, description="Say also how the answer came about.")


class DocumentsQuery(Body):
    """Which documents are listed; within one condition any value matches."""

    state: list[DocumentState] = Field(default=[], max_length=MOST_VALUES)
    kind: list[DocumentKind] = Field(default=[], max_length=MOST_VALUES)
    source: list[Short] = Field(
        default=[],
        description="A source, a folder, or a beginning that ends in *; repeatable, as the others are.",
    )
    tag: list[Short] = Field(default=[], max_length=MOST_VALUES)
    conversation_id: ConversationId | None = Field(
        default=None,
        description="Those fetched for this conversation, instead of those of the knowledge base.",
    )
    limit: int = Field(default=100, ge=1, le=MOST_LISTED)
    offset: int = Field(default=0, ge=0, le=MOST_CHARACTERS)

    def filter(self, tenant: str) -> Filter:
        """As the app takes it; states are none of its business."""
        return Filter(
            kinds=tuple(self.kind),
            sources=tuple(self.source),
            tags=tuple(self.tag),
            conversation_id=self.conversation_id,
            within=(OWN,) if self.conversation_id is None else None,
            tenant=tenant,
        )


class WindowQuery(Body):
    """A stretch of a document's text, in code points."""

    start: int = Field(default=0, ge=0, le=MOST_CHARACTERS)
    end: int | None = Field(
        default=None, ge=0, le=MOST_CHARACTERS, description="Where it ends; at its start without it."
    )
    context: int = Field(default=1000, ge=0, le=20_000, description="Characters wanted on either side of it.")


class MarkQuery(Body):
    """The characters of the document to mark on a page; none without both."""

    start: int | None = Field(default=None, ge=0, le=MOST_CHARACTERS)
    end: int | None = Field(default=None, ge=0, le=MOST_CHARACTERS)

    @property
    def span(self) -> Span | None:
        """Where they stand."""
        if self.start is None or self.end is None or self.start >= self.end:
            return None
        return Span(self.start, self.end)
