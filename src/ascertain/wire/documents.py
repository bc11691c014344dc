"""Documents: what is known of them, what adding them came to, and a look at their text."""

from __future__ import annotations

from pydantic import Field

from ascertain.core.documents import DocumentKind, DocumentState
from ascertain.wire.shape import Date, Number, PlaceJson, Shape


class DocumentProfileJson(Shape):
    """What rules made of the text; see [document-profiles.md](document-profiles.md)."""

    type: str = Field(description="One of 29 types.", examples=["news_article"])
    type_confidence: Number = Field(description="0 to 1.", examples=[0.7])
    technical_density: Number = Field(description="0 to 1.", examples=[0.2])
    domains: list[str] = Field(description="Up to three subjects.", examples=[["cryptocurrency", "finance"]])


class DocumentJson(Shape):
    """What is known of a document, without its text."""

    id: str = Field(examples=["2b5c5f3e0e9d4f1c8a77"])
    title: str = Field(examples=["Gas fees"])
    kind: DocumentKind = Field(examples=["article"])
    source: str = Field(examples=["/home/me/news/gas.txt"])
    state: DocumentState = Field(description="A `duplicate` is linked to `duplicate_of`.")
    reason: str = Field(description="Why it is in this state.", examples=[""])
    chunks: int = Field(examples=[3])
    characters: int = Field(examples=[2210])
    profile: str = Field(examples=["news"])
    added_at: Date = Field(examples=["2024-12-05T18:00:00+00:00"])
    published_at: Date | None
    url: str | None
    author: str | None
    language: str | None = Field(examples=["en"])
    tags: list[str]
    conversation_id: str | None = Field(description="The conversation that it was fetched for alone.")
    duplicate_of: str | None
    content_hash: str = Field(examples=["9f86d0..."])
    document_profile: DocumentProfileJson | None = Field(
        description="Null for a document that was added before profiles were kept."
    )


class DocumentsJson(Shape):
    """Some of the documents, and how many there are."""

    documents: list[DocumentJson]
    total: int = Field(examples=[1])


class SourcesJson(Shape):
    """The documents fetched for a conversation."""

    documents: list[DocumentJson]


class NewsSourcesJson(Shape):
    """The articles fetched for a conversation."""

    conversation_id: str = Field(examples=["c7d1"])
    sources: list[DocumentJson]


class TextWindowJson(Shape):
    """A stretch of a document's text around a quotation; positions are code points of the whole text."""

    document_id: str = Field(examples=["2b5c5f3e0e9d4f1c8a77"])
    title: str = Field(examples=["Gas fees"])
    text: str = Field(examples=["Gas fees are what a transaction pays."])
    start: int = Field(examples=[0])
    end: int = Field(examples=[37])
    quote_start: int = Field(examples=[0])
    quote_end: int = Field(examples=[8])
    place: PlaceJson = Field(description="Where the quotation begins.")
    characters: int = Field(description="Of the whole document.", examples=[2210])


class DeletedJson(Shape):
    """How many were deleted: documents, or turns of a conversation."""

    deleted: int = Field(examples=[3])


class FailureJson(Shape):
    """Something that could not be read, and why."""

    source: str = Field(examples=["scan.pdf"])
    reason: str = Field(examples=["no text"])


class GraphGainJson(Shape):
    """What was read into the knowledge graph, or is in it."""

    documents: int = Field(examples=[40])
    names: int = Field(examples=[812])
    mentions: int = Field(examples=[3120])
    relations: int = Field(examples=[96])


class ReportJson(Shape):
    """What came of adding, in documents."""

    added: int = Field(examples=[40])
    changed: int = Field(examples=[0])
    unchanged: int = Field(examples=[2])
    deleted: int = Field(examples=[0])
    duplicates: int = Field(description="Of those added and changed.", examples=[1])
    chunks: int = Field(examples=[118])
    failures: list[FailureJson]
    notes: list[str] = Field(description="What else to know, such as what could not be read into the graph.")
    seconds: Number = Field(examples=[9.1])
    embedding_seconds: Number = Field(examples=[8.2])
    graph: GraphGainJson = Field(description="What was read into the knowledge graph.")
