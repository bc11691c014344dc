"""What the service says of the knowledge graph, as the page reads it (docs/service.md)."""

from __future__ import annotations

from typing import TypedDict

from ascertain.ui.shapes import PlaceJson


class EntityJson(TypedDict):
    """Something that documents name; ``kind`` is empty when it is not known."""

    id: str
    name: str
    kind: str
    aliases: list[str]
    mentions: int
    documents: int


class RelationJson(TypedDict):
    """A statement read out of a sentence."""

    subject: str
    predicate: str
    object: str
    origin: str


class EvidenceJson(TypedDict):
    """A sentence that says so: a citation without a number."""

    chunk_id: str
    document_id: str
    title: str
    url: str | None
    published_at: str | None
    quote: str
    span: tuple[int, int]
    place: PlaceJson
    source: str
    relation: RelationJson | None


class StepJson(TypedDict):
    """A link: ``weight`` is 0..1, ``sentences`` counts all behind it, ``evidence`` has the first of them."""

    weight: float
    sentences: int
    evidence: list[EvidenceJson]
    predicates: list[str]


class LinkJson(StepJson):
    """A link to a neighbour."""

    entity: EntityJson


class MergeJson(TypedDict):
    """A name that was taken to be of the same entity, and why."""

    name: str
    reason: str


class BetweenJson(TypedDict):
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


class WayJson(TypedDict):
    """Entities in order, and a step between each and the next."""

    entities: list[EntityJson]
    steps: list[StepJson]


PathJson = TypedDict("PathJson", {"from": EntityJson, "to": EntityJson, "paths": list[WayJson]})
"""Ways from one entity to another, the strongest first."""


class CommunityJson(TypedDict):
    """Entities that documents name together, and what they say of them."""

    id: str
    level: int
    parent: str | None
    label: str
    size: int
    documents: int
    entities: list[EntityJson]
    summary: str
    evidence: list[EvidenceJson]


class CommunitiesJson(TypedDict):
    """Some of the groups of one level, the largest first."""

    level: int
    levels: int
    total: int
    communities: list[CommunityJson]


class GraphStatsJson(TypedDict):
    """How much the graph holds."""

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
