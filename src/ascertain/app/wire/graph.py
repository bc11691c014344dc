"""The knowledge graph: entities, the sentences that relate them, ways between them, and groups of them."""

from pydantic import Field

from ascertain.app.wire.shape import NounShape, Number, Shape, omit_fields
from ascertain.core.graph.results import (
    Between,
    EntityView,
    Evidence,
    FoundEntities,
    FoundEntity,
    LinkView,
    MergeView,
    NamedIn,
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


class FoundEntityJson(omit_fields(EntityView)):
    """An entity whose name or alias is like what was typed."""

    how: str = Field(description="`exact`, `alias`, `prefix` or `fuzzy`.", examples=["prefix"])
    score: Number = Field(ge=0, le=1, examples=[0.8])

    @classmethod
    def read_noun(cls, noun: FoundEntity) -> object:
        """With the entity's own fields beside how it was found."""
        return {**noun.entity.to_json(), "how": noun.how, "score": noun.score}


class FoundEntitiesJson(NounShape[FoundEntities]):
    """Entities by name, the likeliest first."""

    query: str = Field(examples=["duis"])
    entities: list[FoundEntityJson]
    total: int = Field(examples=[1])


class StepJson(omit_fields(LinkView, "entity")):
    """A link on the way from one entity to the next."""


class TopicCountJson(Shape):
    """A topic, and how many passages are about it."""

    topic: str = Field(examples=["cryptocurrency"])
    passages: int = Field(examples=[2])


class NeighbourhoodJson(omit_fields(EntityView)):
    """An entity with its strongest links and where it is named."""

    merges: list[MergeView]
    neighbours: list[LinkView]
    total_neighbours: int = Field(examples=[1])
    between: list[Between] = Field(description="Links among the neighbours given.")
    passages: list[Evidence] = Field(description="Sentences that name it.", examples=[[]])
    total_passages: int = Field(examples=[2])
    in_documents: list[NamedIn]
    topics: list[TopicCountJson] = Field(description="What the passages that name it are about; `topic` asks for one.")

    @classmethod
    def read_noun(cls, noun: Neighbourhood) -> object:
        """With the entity's own fields beside what is around it."""
        topics = [TopicCountJson(topic=topic, passages=count) for topic, count in noun.topics]
        others = cls.read_attributes(noun, in_documents=noun.documents, topics=topics)
        return {**others, **noun.entity.to_json()}


class WayJson(Shape):
    """Entities in order, and a step between each and the next."""

    entities: list[EntityView]
    steps: list[StepJson]


class PathJson(NounShape[PathView]):
    """Ways from one entity to another, the strongest first; empty when nothing connects them."""

    start: EntityView = Field(alias="from")
    to: EntityView = Field(examples=[BIRTHPLACE])
    paths: list[WayJson]

    @classmethod
    def read_noun(cls, noun: PathView) -> object:
        """From one end to the other."""
        return cls.read_attributes(noun, to=noun.end, paths=noun.ways)


class UndoneJson(Shape):
    """A decision was reverted."""

    undone: bool = Field(examples=[True])
