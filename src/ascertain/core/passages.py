"""Passages: chunks with how they were found."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from ascertain.core.chunks import Chunk


class Strategy(StrEnum):
    """Which legs a search uses."""

    SEMANTIC = "semantic"
    KEYWORD = "keyword"
    HYBRID = "hybrid"


@dataclass(frozen=True, slots=True)
class Hit:
    """A chunk id with one leg's raw score: cosine in -1..1 (dense) or BM25 from 0 up (lexical)."""

    chunk_id: str
    score: float


@dataclass(frozen=True, slots=True)
class Way:
    """How the knowledge graph led to a passage: over ``entities``, each by its id (or one of its names) and as it is written.

    It came there from the question itself, or from another document: ``document_id`` and ``title``.
    """

    entities: tuple[tuple[str, str], ...]
    document_id: str | None = None
    title: str = ""


@dataclass(frozen=True, slots=True)
class Passage:
    """A chunk and how it was found.

    ``score`` orders the list it came in and lies in 0..1. ``scores`` holds every raw and derived score by name
    (``dense``, ``lexical``, ``fused``, ``title``, ``content``, ``recency``). ``explanation`` is a line for people.
    """

    chunk: Chunk
    score: float
    scores: dict[str, float] = field(default_factory=dict[str, float])
    origin: str = "passages"
    explanation: str = ""
    note: str = ""
    """What a chat model took from it for the question at hand; never quoted from, as its words are the model's."""
    way: Way | None = None
    """What the graph came over; None for what the search found by itself."""


class Level(StrEnum):
    """How far a result can be trusted."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Confidence:
    """``score`` is 0..100; ``caveat`` is a sentence for people, None when the level is high."""

    level: Level
    score: int
    caveat: str | None = None
