"""The knowledge graph: entities, the sentences that relate them, ways between them and groups of them."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from ascertain.server.shapes.answers import PlaceJson, Shape, Span


class EntityJson(Shape):
    """Something that documents name; kind is empty when it is not known."""

    id: str = Field(description="Names it in a path, as its name does.")
    name: str
    kind: str
    aliases: list[str]
    mentions: int
    documents: int


class FoundEntityJson(EntityJson):
    """An entity whose name or alias is like what was typed."""

    how: str
    score: float = Field(ge=0, le=1)


class FoundEntitiesJson(Shape):
    """Entities by name, the likeliest first."""

    query: str
    entities: list[FoundEntityJson]
    total: int


class RelationJson(Shape):
    """A statement read out of a sentence, by a pattern or by a model."""

    subject: str
    predicate: str
    object: str
    origin: Literal["pattern", "model"]


class EvidenceJson(Shape):
    """A sentence that says so; span is [start, end) in code points of its document."""

    chunk_id: str
    document_id: str
    title: str
    url: str | None
    published_at: str | None
    quote: str
    span: Span
    place: PlaceJson
    source: str
    relation: RelationJson | None


class LinkJson(Shape):
    """A neighbour, how strong the link is from 0 to 1, how many sentences are behind it, and the first of them."""

    entity: EntityJson
    weight: float
    sentences: int
    evidence: list[EvidenceJson]
    predicates: list[str]


class MergeJson(Shape):
    """A name that was taken to be of the same entity, and why."""

    name: str
    reason: str


class BetweenJson(Shape):
    """Two neighbours that are linked themselves, by their ids."""

    left: str
    right: str
    weight: float


class NeighbourhoodJson(EntityJson):
    """An entity with its strongest links and where it is named."""

    merges: list[MergeJson]
    neighbours: list[LinkJson]
    total_neighbours: int
    between: list[BetweenJson]
    passages: list[EvidenceJson]
    total_passages: int


class StepJson(Shape):
    """A link on the way from one entity to the next."""

    weight: float
    sentences: int
    evidence: list[EvidenceJson]
    predicates: list[str]


class WayJson(Shape):
    """Entities in order, and a step between each and the next."""

    entities: list[EntityJson]
    steps: list[StepJson]


class PathJson(Shape):
    """Ways from one entity to another, the strongest first; none when nothing connects them."""

    start: EntityJson = Field(alias="from")
    to: EntityJson
    paths: list[WayJson]


class CommunityJson(Shape):
    """Entities that documents name together, and what they say of them."""

    id: str
    level: int
    parent: str | None
    label: str
    size: int = Field(description="Entities in it.")
    documents: int
    entities: list[EntityJson]
    summary: str
    evidence: list[EvidenceJson]


class CommunitiesJson(Shape):
    """Some of the groups of one level, the largest first; level 0 is the coarsest."""

    level: int
    levels: int
    total: int
    communities: list[CommunityJson]


class GraphStatsJson(Shape):
    """How much the graph holds; behind counts documents that it has not read yet."""

    enabled: bool
    extractor: str
    documents: int
    chunks: int
    entities: int
    mentions: int
    relations: int
    links: int
    behind: int
    by_kind: dict[str, int]
    top: list[EntityJson]
