"""What the service is asked of the knowledge graph."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from ascertain.server.shapes.fields import Body
from ascertain.server.shapes.requests import MOST_CHARACTERS

LONGEST_NAME = 300
"""Characters of a name; what is longer is no name."""
MOST_ENTITIES = 100
MOST_NEIGHBOURS = 200
MOST_SENTENCES = 50
MOST_PASSAGES = 200
MOST_WAYS = 5
MOST_COMMUNITIES = 200
MOST_LEVELS = 100

Entity = Annotated[str, Field(min_length=1, max_length=LONGEST_NAME)]
Sentences = Annotated[
    int,
    Field(
        ge=0, le=MOST_SENTENCES, description="Sentences given of each link; the number of all is always said."
    ),
]


class EntitiesQuery(Body):
    """Part of a name."""

    q: str = Field(
        default="",
        max_length=LONGEST_NAME,
        description="The beginning of any word of a name or an alias, or a name that may be misspelt; without it those named most often.",
        examples=["nak"],
    )
    limit: int = Field(default=20, ge=1, le=MOST_ENTITIES)


class NeighbourhoodQuery(Body):
    """How much is told of an entity."""

    neighbours: int = Field(default=20, ge=0, le=MOST_NEIGHBOURS, description="Links, the strongest first.")
    sentences: Sentences = 3
    passages: int = Field(default=20, ge=0, le=MOST_PASSAGES, description="Sentences that name it.")


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
