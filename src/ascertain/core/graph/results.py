"""Results of the methods of ``Ascertain`` on the knowledge graph."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from ascertain.core.asking.answers import Citation
from ascertain.core.documents.blocks import Figure, Place, Span
from ascertain.core.graph.nouns import Relation
from ascertain.core.serialisation import Serialisable


@dataclass(frozen=True, slots=True)
class EntityView(
    Serialisable,
    examples={
        "id": "wim duisenberg",
        "name": "Wim Duisenberg",
        "kind": "Person",
        "aliases": ["Duisenberg"],
        "mentions": 2,
        "documents": 2,
    },
):
    """Something that documents name."""

    id: str
    """Stable as long as its names are the same."""
    name: str
    kind: str
    """Empty when it is not known."""
    aliases: tuple[str, ...]
    mentions: int
    documents: int


@dataclass(frozen=True, slots=True)
class FoundEntity:
    """An entity, ``how`` it was found (exact, alias, prefix, fuzzy) and how far to trust that, 0..1."""

    entity: EntityView
    how: str
    score: float


@dataclass(frozen=True, slots=True)
class FoundEntities:
    """The first of ``total`` entities for what was looked for."""

    query: str
    entities: tuple[FoundEntity, ...]
    total: int


@dataclass(frozen=True, slots=True)
class Evidence(
    Serialisable,
    examples={
        "chunk_id": "ec42:0-38",
        "document_id": "ec42",
        "title": "Wim Duisenberg",
        "quote": "Wim Duisenberg was born in Heerenveen.",
        "span": [0, 38],
        "source": "duisenberg.md",
        "figure": None,
    },
):
    """A supporting sentence: a citation without a number."""

    chunk_id: str
    document_id: str
    title: str
    url: str | None
    published_at: datetime | None
    quote: str
    """The stored characters under `span`."""
    span: Span
    place: Place
    source: str
    relation: Relation | None = None
    """Null where a sentence only names both."""
    figure: Figure | None = None
    """The figure that the quote describes: then it is what a model wrote."""

    @classmethod
    def of(cls, chunk_id: str, citation: Citation, relation: Relation | None = None) -> Evidence:
        """What a citation shows."""
        return cls(
            chunk_id,
            citation.document_id,
            citation.title,
            citation.url,
            citation.published_at,
            citation.quote,
            citation.span,
            citation.place,
            citation.source,
            relation,
            citation.figure,
        )


@dataclass(frozen=True, slots=True)
class LinkView(
    Serialisable,
    examples={
        "entity": {"id": "heerenveen", "name": "Heerenveen", "kind": "", "aliases": [], "mentions": 1, "documents": 1},
        "weight": 0.707107,
        "sentences": 1,
        "predicates": ["born in"],
    },
):
    """A neighbour and what links it."""

    entity: EntityView
    weight: float
    """How strong the link is, 0 to 1."""
    sentences: int
    """How many are behind the link."""
    evidence: tuple[Evidence, ...]
    """The first of the sentences."""
    predicates: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MergeView(Serialisable, examples={"name": "Duisenberg", "reason": "last name"}):
    """A name that was merged into the entity, and why."""

    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class Between(Serialisable, examples={"left": "heerenveen", "right": "friesland", "weight": 0.5}):
    """Two neighbours that are linked themselves, by their ids."""

    left: str
    right: str
    weight: float


@dataclass(frozen=True, slots=True)
class NamedIn(
    Serialisable, examples={"document_id": "ec42", "title": "Wim Duisenberg", "source": "duisenberg.md", "mentions": 1}
):
    """A document and how often it names an entity."""

    document_id: str
    title: str
    source: str
    mentions: int


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """An entity with its links, the strongest first, and where it is named, the densest passages and
    documents first.
    """

    entity: EntityView
    merges: tuple[MergeView, ...]
    neighbours: tuple[LinkView, ...]
    total_neighbours: int
    between: tuple[Between, ...]
    passages: tuple[Evidence, ...]
    total_passages: int
    documents: tuple[NamedIn, ...]
    topics: tuple[tuple[str, int], ...] = ()
    """What the passages are about, and how many of them each; the most frequent first."""


@dataclass(frozen=True, slots=True)
class Way:
    """Entities in order; ``steps[i]`` leads to ``entities[i + 1]``."""

    entities: tuple[EntityView, ...]
    steps: tuple[LinkView, ...]


@dataclass(frozen=True, slots=True)
class PathView:
    """Ways from one entity to another, the shortest first; empty where nothing connects them."""

    start: EntityView
    end: EntityView
    ways: tuple[Way, ...]


@dataclass(frozen=True, slots=True)
class CommunityView(
    Serialisable,
    examples={
        "id": "0-3",
        "level": 0,
        "label": "Wim Duisenberg, Heerenveen",
        "size": 12,
        "documents": 2,
        "summary": "Wim Duisenberg was born in Heerenveen.",
    },
):
    """Entities that documents name together, and what they say of them."""

    id: str
    level: int
    parent: str | None
    label: str
    size: int
    """Entities in it."""
    documents: int
    entities: tuple[EntityView, ...]
    """The most telling first."""
    summary: str
    evidence: tuple[Evidence, ...]


@dataclass(frozen=True, slots=True)
class CommunitiesView(Serialisable, examples={"level": 0, "levels": 2, "total": 1}):
    """Some of the groups of one level, the largest first; level 0 is the coarsest."""

    level: int
    levels: int
    total: int
    communities: tuple[CommunityView, ...]


@dataclass(frozen=True, slots=True)
class GraphStats(
    Serialisable,
    examples={
        "enabled": True,
        "extractor": "rules-3",
        "documents": 42,
        "chunks": 118,
        "entities": 640,
        "mentions": 3120,
        "relations": 96,
        "links": 2210,
        "behind": 0,
        "by_kind": {"Person": 51},
    },
):
    """The size of the graph."""

    enabled: bool
    extractor: str
    documents: int
    chunks: int
    entities: int
    mentions: int
    relations: int
    links: int
    """Pairs of entities that some sentence names together."""
    behind: int
    """Documents that the graph has not as they are now."""
    by_kind: Mapping[str, int]
    top: tuple[EntityView, ...]
    """The most frequent ones."""


@dataclass(frozen=True, slots=True)
class BuildReport(
    Serialisable,
    names={"holds": "documents"},
    examples={
        "extractor": "rules-3",
        "read": 40,
        "removed": 2,
        "left": 0,
        "holds": 42,
        "names": 812,
        "mentions": 3120,
        "relations": 96,
        "seconds": 1.9,
    },
):
    """The result of syncing the graph."""

    extractor: str
    read: int
    """Documents."""
    removed: int
    left: int
    """Documents that could not be read; the exit code is 1 then."""
    holds: int
    """Those that the graph holds now."""
    names: int
    mentions: int
    relations: int
    notes: tuple[str, ...]
    """Why documents could not be read."""
    seconds: float


@dataclass(frozen=True, slots=True)
class BuildEstimate(
    Serialisable,
    examples={
        "extractor": "model-1-rules-3",
        "documents": 42,
        "chunks": 118,
        "gone": 0,
        "calls": 61,
        "tokens": 88000,
        "usd": 0.04,
        "stops": "after 10,000 calls or 1.00 USD; rules read the rest",
    },
):
    """What a build would read and cost."""

    extractor: str
    documents: int
    chunks: int
    gone: int
    """Documents that would be removed."""
    calls: int | None = None
    """Null where no model is called."""
    tokens: int | None = None
    """Null where no model is called."""
    usd: float | None = None
    """Null where no price is set."""
    stops: str = ""


@dataclass(frozen=True, slots=True)
class Decided(
    Serialisable,
    examples={
        "left": "UST",
        "right": "TerraUSD",
        "reason": "a coin, and the company behind it",
        "made_at": "2024-12-05T18:00:00+00:00",
        "holds": True,
    },
):
    """A user's decision about two names."""

    left: str
    right: str
    same: bool
    reason: str
    made_at: datetime
    holds: bool
    """Whether the graph does so now."""


@dataclass(frozen=True, slots=True)
class Merged(
    Serialisable,
    names={"is_refused": "refused"},
    examples={"left": "BERT", "right": "Bidirectional Encoder Representations", "reason": "also known as"},
):
    """Two names that rules merge, or would."""

    left: str
    right: str
    reason: str
    title: str = ""
    """The document that it applies to, if only one."""
    is_refused: bool = False
    """Whether somebody decided otherwise."""


@dataclass(frozen=True, slots=True)
class Merges(Serialisable):
    """All merges of names: by decision and by rules."""

    decided: tuple[Decided, ...]
    merged: tuple[Merged, ...]


GraphFormat = Literal["graphml", "json"]
"""The format that a graph is exported in."""


@dataclass(frozen=True, slots=True)
class ExportReport(Serialisable, examples={"file": "notes.graphml", "entities": 640, "links": 2210}):
    """What was exported."""

    file: str
    format: GraphFormat
    entities: int
    links: int
