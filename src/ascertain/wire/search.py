"""Searches: the passages found, best first, and how far to trust them."""

from __future__ import annotations

from typing import Self

from pydantic import Field

from ascertain.core.passages import Passage, Strategy
from ascertain.core.results import SearchResult
from ascertain.wire.answers import ConfidenceJson
from ascertain.wire.shape import Date, Number, PlaceJson, Shape, SpanJson


class FoundJson(Shape):
    """A passage that was found."""

    rank: int = Field(examples=[1])
    chunk_id: str = Field(examples=["2b5c5f3e0e9d4f1c8a77:0-812"])
    document_id: str = Field(examples=["2b5c5f3e0e9d4f1c8a77"])
    title: str = Field(examples=["Gas fees"])
    url: str | None
    published_at: Date | None = Field(examples=["2024-12-05T00:00:00+00:00"])
    score: Number = Field(description="Orders the list; 0 to 1.", examples=[0.83])
    scores: dict[str, Number] = Field(
        description="Every score behind it by name; names may be added.",
        examples=[{"dense": 0.71, "lexical": 9.2, "fused": 0.83}],
    )
    text: str = Field(examples=["Gas fees are what a transaction pays ..."])
    span: SpanJson = Field(examples=[[0, 812]])
    place: PlaceJson

    @classmethod
    def from_passage(cls, rank: int, passage: Passage) -> Self:
        """A passage by its place in the list, from 1."""
        chunk = passage.chunk
        score = min(1.0, max(0.0, passage.score))
        return cls.model_validate(
            cls.read_attributes(chunk, rank=rank, chunk_id=chunk.id, score=score, scores=passage.scores)
        )


class FoundConfidenceJson(ConfidenceJson):
    """How far to trust it, with a sentence for people."""

    caveat: str | None = Field(description="Null when the level is high.")


class SearchJson(Shape):
    """What a search found, best first."""

    query: str = Field(examples=["gas fees"])
    strategy: Strategy = Field(examples=["hybrid"])
    results: list[FoundJson]
    confidence: FoundConfidenceJson
    seconds: Number = Field(examples=[0.021])

    @classmethod
    def read_noun(cls, noun: SearchResult) -> object:
        """With the passages by rank."""
        found = [FoundJson.from_passage(rank, passage) for rank, passage in enumerate(noun.passages, 1)]
        return cls.read_attributes(noun, results=found)
