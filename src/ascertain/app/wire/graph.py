"""The knowledge graph: entities, the sentences that relate them, ways between them, and groups of them."""

from typing import Literal

from pydantic import Field

from ascertain.app.wire.shape import Date, NounShape, Number, Shape, SpanJson
from ascertain.core.documents.blocks import Place
from ascertain.core.graph.results import (
    BuildEstimate,
    BuildReport,
    CommunitiesView,
    Decided,
    Evidence,
    ExportReport,
    FoundEntities,
    FoundEntity,
    GraphStats,
    Merged,
    Merges,
    Neighbourhood,
    PathView,
)

BIRTHPLACE: dict[str, object] = {
    "id": "heerenveen",
    "name": "Heerenveen",
    "kind": "",
    "aliases": [],
    "mentions": 1,
    "documents": 1,
}
"""An example of another entity."""


class EntityJson(Shape):
    """Something that documents name."""

    id: str = Field(description="Stable as long as its names are the same.", examples=["wim duisenberg"])
    name: str = Field(examples=["Wim Duisenberg"])
    kind: str = Field(description="Empty when it is not known.", examples=["Person"])
    aliases: list[str] = Field(examples=[["Duisenberg"]])
    mentions: int = Field(examples=[2])
    documents: int = Field(examples=[2])


class FoundEntityJson(EntityJson):
    """An entity whose name or alias is like what was typed."""

    how: str = Field(description="`exact`, `alias`, `prefix` or `fuzzy`.", examples=["prefix"])
    score: Number = Field(ge=0, le=1, examples=[0.8])

    @classmethod
    def read_noun(cls, noun: FoundEntity) -> object:
        """With the entity's own fields beside how it was found."""
        return cls.read_attributes(noun.entity, how=noun.how, score=noun.score)


class FoundEntitiesJson(NounShape[FoundEntities]):
    """Entities by name, the likeliest first."""

    query: str = Field(examples=["duis"])
    entities: list[FoundEntityJson]
    total: int = Field(examples=[1])


class RelationJson(Shape):
    """A statement read out of a sentence, by a pattern or by a model."""

    subject: str = Field(examples=["wim duisenberg"])
    predicate: str = Field(examples=["born in"])
    object: str = Field(examples=["heerenveen"])
    origin: Literal["pattern", "model"]


class EvidenceJson(Shape):
    """A supporting sentence: a citation without a number."""

    chunk_id: str = Field(examples=["ec42:0-38"])
    document_id: str = Field(examples=["ec42"])
    title: str = Field(examples=["Wim Duisenberg"])
    url: str | None
    published_at: Date | None
    quote: str = Field(
        description="The stored characters under `span`.", examples=["Wim Duisenberg was born in Heerenveen."]
    )
    span: SpanJson = Field(examples=[[0, 38]])
    place: Place
    source: str = Field(examples=["duisenberg.md"])
    relation: RelationJson | None = Field(description="Null where a sentence only names both.")

    @classmethod
    def read_noun(cls, noun: Evidence) -> object:
        """With the fields of its citation."""
        return cls.read_attributes(noun.citation, chunk_id=noun.chunk_id, relation=noun.relation)


class StepJson(Shape):
    """A link on the way from one entity to the next."""

    weight: Number = Field(description="How strong the link is, 0 to 1.", examples=[0.707107])
    sentences: int = Field(description="How many are behind the link.", examples=[1])
    evidence: list[EvidenceJson] = Field(description="The first of the sentences.")
    predicates: list[str] = Field(examples=[["born in"]])


class LinkJson(Shape):
    """A neighbour and what links it."""

    entity: EntityJson = Field(examples=[BIRTHPLACE])
    weight: Number = Field(description="How strong the link is, 0 to 1.", examples=[0.707107])
    sentences: int = Field(description="How many are behind the link.", examples=[1])
    evidence: list[EvidenceJson] = Field(description="The first of the sentences.")
    predicates: list[str] = Field(examples=[["born in"]])


class MergeJson(Shape):
    """A name that was merged into the entity, and why."""

    name: str = Field(examples=["Duisenberg"])
    reason: str = Field(examples=["last name"])


class BetweenJson(Shape):
    """Two neighbours that are linked themselves, by their ids."""

    left: str = Field(examples=["heerenveen"])
    right: str = Field(examples=["friesland"])
    weight: Number = Field(examples=[0.5])


class NamedInJson(Shape):
    """A document and how often it names an entity."""

    document_id: str = Field(examples=["ec42"])
    title: str = Field(examples=["Wim Duisenberg"])
    source: str = Field(examples=["duisenberg.md"])
    mentions: int = Field(examples=[1])


class TopicCountJson(Shape):
    """A topic, and how many passages are about it."""

    topic: str = Field(examples=["cryptocurrency"])
    passages: int = Field(examples=[2])


class NeighbourhoodJson(EntityJson, NounShape[Neighbourhood]):
    """An entity with its strongest links and where it is named."""

    merges: list[MergeJson]
    neighbours: list[LinkJson]
    total_neighbours: int = Field(examples=[1])
    between: list[BetweenJson] = Field(description="Links among the neighbours given.")
    passages: list[EvidenceJson] = Field(description="Sentences that name it.", examples=[[]])
    total_passages: int = Field(examples=[2])
    in_documents: list[NamedInJson]
    topics: list[TopicCountJson] = Field(description="What the passages that name it are about; `topic` asks for one.")

    @classmethod
    def read_noun(cls, noun: Neighbourhood) -> object:
        """With the entity's own fields beside what is around it."""
        topics = [TopicCountJson(topic=topic, passages=count) for topic, count in noun.topics]
        others = cls.read_attributes(noun, in_documents=noun.documents, topics=topics)
        return {**others, **EntityJson.read_attributes(noun.entity)}


class WayJson(Shape):
    """Entities in order, and a step between each and the next."""

    entities: list[EntityJson]
    steps: list[StepJson]


class PathJson(NounShape[PathView]):
    """Ways from one entity to another, the strongest first; empty when nothing connects them."""

    start: EntityJson = Field(alias="from")
    to: EntityJson = Field(examples=[BIRTHPLACE])
    paths: list[WayJson]

    @classmethod
    def read_noun(cls, noun: PathView) -> object:
        """From one end to the other."""
        return cls.read_attributes(noun, to=noun.end, paths=noun.ways)


class CommunityJson(Shape):
    """Entities that documents name together, and what they say of them."""

    id: str = Field(examples=["0-3"])
    level: int = Field(examples=[0])
    parent: str | None
    label: str = Field(examples=["Wim Duisenberg, Heerenveen"])
    size: int = Field(description="Entities in it.", examples=[12])
    documents: int = Field(examples=[2])
    entities: list[EntityJson] = Field(description="The most telling first.")
    summary: str = Field(examples=["Wim Duisenberg was born in Heerenveen."])
    evidence: list[EvidenceJson]


class CommunitiesJson(NounShape[CommunitiesView]):
    """Some of the groups of one level, the largest first; level 0 is the coarsest."""

    level: int = Field(examples=[0])
    levels: int = Field(examples=[2])
    total: int = Field(examples=[1])
    communities: list[CommunityJson]


class GraphStatsJson(NounShape[GraphStats]):
    """The size of the graph."""

    enabled: bool = Field(examples=[True])
    extractor: str = Field(examples=["rules-3"])
    documents: int = Field(examples=[42])
    chunks: int = Field(examples=[118])
    entities: int = Field(examples=[640])
    mentions: int = Field(examples=[3120])
    relations: int = Field(examples=[96])
    links: int = Field(examples=[2210])
    behind: int = Field(description="Documents that the graph has not as they are now.", examples=[0])
    by_kind: dict[str, int] = Field(examples=[{"Person": 51}])
    top: list[EntityJson] = Field(description="The most frequent ones.")


class BuildJson(NounShape[BuildReport]):
    """The result of syncing the graph."""

    extractor: str = Field(examples=["rules-3"])
    read: int = Field(description="Documents.", examples=[40])
    removed: int = Field(examples=[2])
    left: int = Field(description="Documents that could not be read; the exit code is 1 then.", examples=[0])
    documents: int = Field(description="Those that the graph holds now.", examples=[42])
    names: int = Field(examples=[812])
    mentions: int = Field(examples=[3120])
    relations: int = Field(examples=[96])
    notes: list[str] = Field(description="Why documents could not be read.")
    seconds: Number = Field(examples=[1.9])

    @classmethod
    def read_noun(cls, noun: BuildReport) -> object:
        """With the documents that it holds."""
        return cls.read_attributes(noun, documents=noun.holds)


class EstimateJson(NounShape[BuildEstimate]):
    """What a build would read and cost."""

    extractor: str = Field(examples=["model-1-rules-3"])
    documents: int = Field(examples=[42])
    chunks: int = Field(examples=[118])
    gone: int = Field(description="Documents that would be removed.", examples=[0])
    calls: int | None = Field(description="Null where no model is called.", examples=[61])
    tokens: int | None = Field(description="Null where no model is called.", examples=[88000])
    usd: float | None = Field(description="Null where no price is set.", examples=[0.04])
    stops: str = Field(examples=["after 10,000 calls or 1.00 USD; rules read the rest"])


class ExportJson(NounShape[ExportReport]):
    """What was exported."""

    file: str = Field(examples=["notes.graphml"])
    format: Literal["graphml", "json"]
    entities: int = Field(examples=[640])
    links: int = Field(examples=[2210])


class DecidedJson(NounShape[Decided]):
    """A user's decision about two names."""

    left: str = Field(examples=["UST"])
    right: str = Field(examples=["TerraUSD"])
    same: bool
    reason: str = Field(examples=["a coin, and the company behind it"])
    made_at: Date = Field(examples=["2024-12-05T18:00:00+00:00"])
    holds: bool = Field(description="Whether the graph does so now.", examples=[True])


class MergedJson(Shape):
    """Two names that rules merge, or would."""

    left: str = Field(examples=["BERT"])
    right: str = Field(examples=["Bidirectional Encoder Representations"])
    reason: str = Field(examples=["also known as"])
    title: str = Field(description="The document that it applies to, if only one.", examples=[""])
    refused: bool = Field(description="Whether somebody decided otherwise.")

    @classmethod
    def read_noun(cls, noun: Merged) -> object:
        """With whether it was refused."""
        return cls.read_attributes(noun, refused=noun.is_refused)


class MergesJson(NounShape[Merges]):
    """All merges of names: by decision and by rules."""

    decided: list[DecidedJson]
    merged: list[MergedJson]


class UndoneJson(Shape):
    """A decision was reverted."""

    undone: bool = Field(examples=[True])
