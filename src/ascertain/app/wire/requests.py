"""What is asked of the service: bodies and queries, checked; a field that is not known is an error."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime
from typing import Annotated, Literal, get_args

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationInfo,
    field_validator,
    model_validator,
)

from ascertain.core.asking.passages import OWN, Filter, Strategy, read_language_code
from ascertain.core.asking.requests import AskRequest, Mode
from ascertain.core.documents.blocks import Span
from ascertain.core.documents.documents import DocumentKind, DocumentState, fold_topic
from ascertain.core.reports.analysis import Pattern
from ascertain.core.reports.research import ResearchMode, ResearchSource
from ascertain.core.settings.sources import TIME_RANGE, TIME_RANGES

LONGEST_TEXT = 100_000
"""Characters of a question; ``answers.max_question_characters`` is the limit that counts."""
MOST_VALUES = 100
"""Values of one condition of a filter."""
MOST_LISTED = 1000
MOST_CHARACTERS = 2**31 - 1
"""Highest position or number of documents that can be named."""
LONGEST_NAME = 300
"""Characters of a name; what is longer is no name."""
MOST_ENTITIES = 100
MOST_NEIGHBOURS = 200
MOST_SENTENCES = 50
MOST_PASSAGES = 200
MOST_WAYS = 5
MOST_COMMUNITIES = 200
MOST_LEVELS = 100


class Body(BaseModel):
    """A request; a field that is not known is an error: a misspelt one would be left out in silence."""

    model_config = ConfigDict(extra="forbid")

    @field_validator("*", mode="before")
    @classmethod
    def _refuse_truth(cls, given: object, info: ValidationInfo) -> object:
        """``true`` is no number, though Python counts it as 1."""
        wanted = cls.model_fields[info.field_name or ""].annotation
        if isinstance(given, bool) and wanted is not bool and bool not in get_args(wanted):
            raise ValueError("give a value of its type, not true or false")
        return given


def _refuse_number(given: object) -> object:
    if isinstance(given, (int, float)):
        raise ValueError("give a date or time such as 2024-12-05T18:00:00Z, not a number")  # noqa: TRY004  as pydantic asks
    return given


def _set_zone(moment: datetime) -> datetime:
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


Moment = Annotated[datetime, BeforeValidator(_refuse_number), AfterValidator(_set_zone)]
"""A date or time; UTC where it names no zone."""

ID_PATTERN = r"^[^/\\?#\u0000-\u001f\u007f]*[^/\\?#\u0000-\u001f\u007f.][^/\\?#\u0000-\u001f\u007f]*$"
"""What can be one segment of a path: no slash, no control character, and not only dots."""

ConversationId = Annotated[
    str,
    Field(
        min_length=1,
        max_length=200,
        pattern=ID_PATTERN,
        description="Names the conversation, as you like; the first question with it begins it.",
    ),
]
Short = Annotated[str, Field(min_length=1, max_length=1000)]
Tag = Annotated[str, Field(min_length=1, max_length=100)]
Language = Annotated[
    str,
    Field(pattern="^[A-Za-z]{2}$", description="ISO 639-1 code, as documents have it in `language`.", examples=["de"]),
]
Profile = Annotated[
    str, Field(min_length=1, max_length=100, description="docs, news, papers, podcasts or one of your own.")
]


class FilterBody(Body):
    """Which documents may be used; within one field any value matches, and all given fields must match."""

    published_from: Moment | None = Field(default=None, description="On this moment or later.")
    published_before: Moment | None = Field(default=None, description="Before this moment.")
    kinds: list[DocumentKind] = Field(default=[], max_length=MOST_VALUES)
    sources: list[Short] = Field(
        default=[], max_length=MOST_VALUES, description="A source, a folder, or a beginning that ends in *."
    )
    tags: list[Tag] = Field(default=[], max_length=MOST_VALUES)
    topics: list[Tag] = Field(
        default=[], max_length=MOST_VALUES, description="What a passage is about, as `topics` of a search names it."
    )
    languages: list[Language] = Field(default=[], max_length=MOST_VALUES)
    document_ids: list[Short] = Field(default=[], max_length=MOST_VALUES)
    profiles: list[Profile] = Field(default=[], max_length=MOST_VALUES)

    @model_validator(mode="after")
    def _is_a_period(self) -> FilterBody:
        start, end = self.published_from, self.published_before
        if start and end and start >= end:
            raise ValueError("published_from is not before published_before: nothing can match")
        return self

    def to_filter(self, tenant: str) -> Filter:
        """As the app takes it."""
        return Filter(
            document_ids=tuple(self.document_ids),
            kinds=tuple(self.kinds),
            sources=tuple(self.sources),
            tags=tuple(self.tags),
            topics=tuple(map(fold_topic, self.topics)),
            languages=tuple(map(read_language_code, self.languages)),
            profiles=tuple(self.profiles),
            published_from=self.published_from,
            published_before=self.published_before,
            tenant=tenant,
        )


TimeRange = Annotated[str, Field(pattern=TIME_RANGE, description=f"How far back articles go: {TIME_RANGES}.")]
DaysBack = Annotated[int, Field(ge=1, le=365, description="Only the last so many days, whatever the words say.")]
MaxArticles = Annotated[int, Field(ge=1, le=100, description="Most articles fetched.")]
MaxChunks = Annotated[int, Field(ge=1, le=50, description="Most passages an answer is written from.")]
StrategyField = Annotated[
    Strategy | None, Field(description="How to search; chosen from the question where it is not given.")
]


class AskBody(Body):
    """A question, and what it may be answered from."""

    model_config = ConfigDict(
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
        }
    )

    question: Annotated[str, Field(min_length=1, max_length=LONGEST_TEXT)]
    conversation_id: ConversationId | None = None
    mode: Mode = Field(default="documents", description="news: answer from articles fetched for the conversation.")
    strategy: StrategyField = None
    filter: FilterBody | None = None
    days_back: DaysBack | None = None
    time_range: TimeRange | None = None
    max_articles: MaxArticles | None = None
    max_chunks: MaxChunks | None = None
    cache: bool = Field(default=True, description="Whether an answer given before may be given again.")

    def to_request(self, tenant: str) -> AskRequest:
        """As the app takes it."""
        return AskRequest(
            self.question,
            strategy=self.strategy,
            filter=self.filter.to_filter(tenant) if self.filter else Filter(tenant=tenant),
            days_back=self.days_back,
            conversation_id=self.conversation_id,
            mode=self.mode,
            time_range=self.time_range,
            max_articles=self.max_articles,
            max_chunks=self.max_chunks,
            use_cache=self.cache,
        )


class AnalyzeBody(Body):
    """A question about a whole period, every document of which is read."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {"question": "How did sentiment on bitcoin change in the last 30 days?"},
                {
                    "question": "What do the papers disagree about?",
                    "filter": {"kinds": ["paper"], "published_from": "2024-01-01"},
                    "pattern": "map_reduce",
                },
            ]
        }
    )

    question: Annotated[str, Field(min_length=1, max_length=LONGEST_TEXT)]
    filter: FilterBody | None = None
    days_back: DaysBack | None = None
    pattern: Pattern | None = Field(
        default=None, description="How the documents are read; chosen by their number where it is not given."
    )


Url = Annotated[str, Field(min_length=1, max_length=2000, description="The address of a page, http or https.")]
ResearchModeField = Annotated[ResearchMode, Field(description="How much is looked at.")]


SourcesField = Annotated[
    list[ResearchSource] | None,
    Field(
        min_length=1,
        max_length=len(ResearchSource),
        description="Where to look; without it documents and web, and arxiv where the question is about papers.",
    ),
]


class ResearchBody(Body):
    """What to look into: a question, a page, or a question about a page."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {"question": "How do refunds work?"},
                {"url": "https://example.org/article", "mode": "deep", "sources": ["documents", "web", "arxiv"]},
            ]
        }
    )

    question: Annotated[str, Field(max_length=LONGEST_TEXT)] = ""
    url: Url | None = None
    mode: ResearchModeField = ResearchMode.QUICK
    sources: SourcesField = None

    @model_validator(mode="after")
    def _asks_something(self) -> ResearchBody:
        if not self.question.strip() and self.url is None:
            raise ValueError("give a question, a url, or both")
        return self


class RunBody(Body):
    """A page to look into."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"url": "https://example.org/article", "mode": "quick"}]})

    url: Url
    mode: ResearchModeField = ResearchMode.QUICK
    sources: SourcesField = None


class ClaimBody(Body):
    """A statement to check against the documents."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"claim": "Refunds take ten days."}]})

    claim: Annotated[str, Field(min_length=1, max_length=LONGEST_TEXT)]
    filter: FilterBody | None = None


class SearchBody(Body):
    """What to look for."""

    model_config = ConfigDict(
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
        }
    )

    query: Annotated[str, Field(min_length=1, max_length=LONGEST_TEXT)]
    k: Annotated[int, Field(ge=1, le=100)] | None = Field(default=None, description="Passages wanted.")
    strategy: StrategyField = None
    filter: FilterBody | None = None
    days_back: DaysBack | None = None
    context: Literal["none", "neighbours", "parents"] = Field(
        default="none", description="Give each passage with the chunks beside it, or as its parent chunk."
    )


class TableConditionBody(Body):
    """What rows have to meet."""

    column: Short
    comparison: Literal["=", "!=", "<", "<=", ">", ">="] = "="
    values: list[Short] = Field(min_length=1, max_length=MOST_VALUES, description="Any of them will do.")


class TableQueryBody(Body):
    """A query over one table."""

    table: Short = Field(description="Its name, as `tables` gives it.")
    aggregate: Literal["count", "distinct", "sum", "mean", "median", "highest", "lowest", "list"] = "count"
    measure: str = Field(default="", description="The column that is computed with; empty to count rows.")
    conditions: list[TableConditionBody] = Field(default=[], max_length=8, description="All must be met.")
    group_by: str = Field(default="", description="A column whose values make groups, each with its figure.")
    end: Literal["", "highest", "lowest"] = Field(default="", description="Of the groups only this one.")
    shown: str = Field(default="", description="The column that answers: who, which, when.")


class AddressesBody(Body):
    """What to fetch and add."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"addresses": ["https://example.org/news/feed.xml", "arxiv:1706.03762"], "tags": ["web"]}]
        }
    )

    addresses: Annotated[list[Short], Field(min_length=1, max_length=MOST_VALUES)]
    profile: Profile | None = None
    tags: list[Tag] = Field(default=[], max_length=MOST_VALUES)


class LabelBody(Body):
    """What to call a conversation; what is not given stays as it is."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"name": "Budget of 2026"}, {"is_pinned": True}]})

    name: Annotated[str, Field(max_length=LONGEST_NAME)] | None = Field(
        default=None, description="Empty to name it by its first question again."
    )
    is_pinned: bool | None = None


class FeedbackBody(Body):
    """Feedback on an answer."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {"answer_id": "5f0c8a1e3b7d4f6a9c2e1d0b8a7f6e5d", "thumb": "up", "comment": "Found it at once."}
            ]
        }
    )

    answer_id: Short = Field(description="The id of the answer.")
    thumb: Literal["up", "down"]
    comment: str = Field(default="", max_length=10_000)


class NewsBody(Body):
    """A message of a conversation about the news."""

    model_config = ConfigDict(
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
        }
    )

    message: Annotated[str, Field(min_length=1, max_length=LONGEST_TEXT)]
    user_id: Annotated[str, Field(max_length=200)] | None = Field(
        default=None, description="Who sent the message, for your own records; it does not change the answer."
    )
    conversation_id: ConversationId | None = Field(default=None, description="Without one a conversation is started.")
    time_range: TimeRange | None = None
    max_articles: MaxArticles | None = None
    max_chunks: MaxChunks | None = None
    include_debug: bool = Field(default=False, description="Say also how the answer came about.")

    def to_request(self, tenant: str) -> AskRequest:
        """As the app takes it; it always belongs to a conversation."""
        return AskRequest(
            self.message,
            filter=Filter(tenant=tenant),
            conversation_id=self.conversation_id or uuid.uuid4().hex,
            mode="news",
            time_range=self.time_range,
            max_articles=self.max_articles,
            max_chunks=self.max_chunks,
        )


DocumentOrder = Literal["source", "-source", "title", "-title", "added", "-added", "published", "-published"]


class DocumentsQuery(Body):
    """Which documents are listed; within one condition any value matches."""

    state: list[DocumentState] = Field(default=[], max_length=MOST_VALUES)
    kind: list[DocumentKind] = Field(default=[], max_length=MOST_VALUES)
    source: list[Short] = Field(
        default=[], description="A source, a folder, or a beginning that ends in *; repeatable, as the others are."
    )
    tag: list[Short] = Field(default=[], max_length=MOST_VALUES)
    language: list[Language] = Field(default=[], max_length=MOST_VALUES)
    conversation_id: ConversationId | None = Field(
        default=None, description="Those fetched for this conversation, instead of those of the knowledge base."
    )
    q: str = Field(
        default="",
        max_length=LONGEST_NAME,
        description="Words, all of which stand in the title, the author, the source or the tags.",
    )
    sort: DocumentOrder = Field(default="source", description="By what they are ordered; a minus reverses the order.")
    limit: int = Field(default=100, ge=1, le=MOST_LISTED)
    offset: int = Field(default=0, ge=0, le=MOST_CHARACTERS)

    def to_filter(self, tenant: str) -> Filter:
        """As the app takes it; without the states."""
        return Filter(
            kinds=tuple(self.kind),
            sources=tuple(self.source),
            tags=tuple(self.tag),
            languages=tuple(map(read_language_code, self.language)),
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


Entity = Annotated[str, Field(min_length=1, max_length=LONGEST_NAME)]
Sentences = Annotated[
    int, Field(ge=0, le=MOST_SENTENCES, description="Sentences given of each link; the total is always given.")
]


class EntitiesQuery(Body):
    """Part of a name."""

    q: str = Field(
        default="",
        max_length=LONGEST_NAME,
        description=(
            "The beginning of any word of a name or an alias, or a name that may be misspelt; without it "
            "those named most often."
        ),
        examples=["nak"],
    )
    limit: int = Field(default=20, ge=1, le=MOST_ENTITIES)


class NeighbourhoodQuery(Body):
    """How much is shown of an entity."""

    neighbours: int = Field(default=20, ge=0, le=MOST_NEIGHBOURS, description="Links, the strongest first.")
    sentences: Sentences = 3
    passages: int = Field(default=20, ge=0, le=MOST_PASSAGES, description="Sentences that name it.")
    topic: Annotated[str, Field(max_length=LONGEST_NAME)] = Field(
        default="", description="Only from passages about this topic."
    )


class PathQuery(Body):
    """Between what, by id or name."""

    start: Entity = Field(alias="from", description="An entity by id or name.", examples=["Satoshi Nakamoto"])
    to: Entity = Field(description="Another.", examples=["Bitcoin"])
    paths: int = Field(default=3, ge=1, le=MOST_WAYS, description="Ways, the strongest first.")
    sentences: Sentences = 3


class CommunitiesQuery(Body):
    """Which groups are listed."""

    level: int = Field(
        default=0, ge=0, le=MOST_LEVELS, description="0 has the largest; each next divides them further."
    )
    limit: int = Field(default=50, ge=1, le=MOST_COMMUNITIES)
    offset: int = Field(default=0, ge=0, le=MOST_CHARACTERS)
    sentences: Sentences = 3
