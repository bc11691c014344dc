"""``/v1/graph``: what documents name, how it is connected, and the sentences that say so."""

from typing import Annotated

from fastapi import APIRouter, Path, Query

from ascertain.app.wire.graph import FoundEntitiesJson, NeighbourhoodJson, PathJson
from ascertain.app.wire.requests import LONGEST_NAME, CommunitiesQuery, EntitiesQuery, NeighbourhoodQuery, PathQuery
from ascertain.core.graph.results import CommunitiesView, GraphStats
from ascertain.interfaces.server.identity import Known
from ascertain.interfaces.server.problems import describe_problems

graph_router = APIRouter(prefix="/v1/graph", tags=["graph"])
# names have slashes too, as in "TCP/IP"
EntityPath = Annotated[
    str,
    Path(
        min_length=1, max_length=LONGEST_NAME, description="Its id or one of its names.", examples=["Satoshi Nakamoto"]
    ),
]


@graph_router.get("", responses=describe_problems())
def graph_stats(who: Known) -> GraphStats:
    """Show the size of the knowledge graph, and the most frequent names; also where it is switched off."""
    return who.knowledge.graph.stats()


@graph_router.get("/entities", responses=describe_problems(409))
def find_entities(who: Known, query: Annotated[EntitiesQuery, Query()]) -> FoundEntitiesJson:
    """Find entities by part of a name, for suggestions while typing."""
    return FoundEntitiesJson.from_noun(who.knowledge.graph.entities(query.q, query.limit))


@graph_router.get("/entities/{entity:path}", responses=describe_problems(404, 409))
def show_entity(entity: EntityPath, who: Known, query: Annotated[NeighbourhoodQuery, Query()]) -> NeighbourhoodJson:
    """Show an entity: what it is named together with, the sentences behind each link, and where it is named."""
    graph = who.knowledge.graph
    found = graph.entity(entity, query.neighbours, query.sentences, query.passages, topic=query.topic)
    return NeighbourhoodJson.from_noun(found)


@graph_router.get("/path", responses=describe_problems(404, 409))
def show_path(who: Known, query: Annotated[PathQuery, Query()]) -> PathJson:
    """Show how two entities are connected, with the sentences behind each step."""
    found = who.knowledge.graph.path(query.start, query.to, query.paths, query.sentences)
    return PathJson.from_noun(found)


@graph_router.get("/communities", responses=describe_problems(409))
def list_communities(who: Known, query: Annotated[CommunitiesQuery, Query()]) -> CommunitiesView:
    """List groups of entities that are named together, the largest first, each with the sentences that sum it up."""
    return who.knowledge.graph.communities(query.level, query.limit, query.offset, query.sentences)
