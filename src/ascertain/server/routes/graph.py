"""``/v1/graph``: what documents name, how it is connected, and the sentences that say so."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query, Response
from fastapi.responses import JSONResponse

from ascertain.app.graph_shapes import (
    communities_shape,
    entities_shape,
    graph_stats_shape,
    neighbourhood_shape,
    path_shape,
)
from ascertain.server.identity import Known
from ascertain.server.shapes.graph import (
    CommunitiesJson,
    FoundEntitiesJson,
    GraphStatsJson,
    NeighbourhoodJson,
    PathJson,
)
from ascertain.server.shapes.graph_requests import (
    LONGEST_NAME,
    CommunitiesQuery,
    EntitiesQuery,
    NeighbourhoodQuery,
    PathQuery,
)
from ascertain.server.shapes.responses import gives

router = APIRouter(prefix="/v1/graph", tags=["graph"])
# names have slashes too, as in "TCP/IP"
EntityPath = Annotated[
    str,
    Path(
        min_length=1,
        max_length=LONGEST_NAME,
        description="Its id or one of its names.",
        examples=["Satoshi Nakamoto"],
    ),
]


@router.get("", responses=gives(GraphStatsJson), response_class=JSONResponse)
def graph_stats(who: Known) -> Response:
    """Say how much the knowledge graph holds, and what is named most often; also where it is switched off."""
    return JSONResponse(graph_stats_shape(who.knowledge.graph.stats()))


@router.get("/entities", responses=gives(FoundEntitiesJson, 409), response_class=JSONResponse)
def find_entities(who: Known, query: Annotated[EntitiesQuery, Query()]) -> Response:
    """Find entities by what may be part of a name, for suggestions while one types."""
    return JSONResponse(entities_shape(who.knowledge.graph.entities(query.q, query.limit)))


@router.get(
    "/entities/{entity:path}", responses=gives(NeighbourhoodJson, 404, 409), response_class=JSONResponse
)
def show_entity(entity: EntityPath, who: Known, query: Annotated[NeighbourhoodQuery, Query()]) -> Response:
    """Show an entity: what it is named together with, the sentences behind each link, and where it is named."""
    found = who.knowledge.graph.entity(entity, query.neighbours, query.sentences, query.passages)
    return JSONResponse(neighbourhood_shape(found))


@router.get("/path", responses=gives(PathJson, 404, 409), response_class=JSONResponse)
def show_path(who: Known, query: Annotated[PathQuery, Query()]) -> Response:
    """Show how two entities are connected, with the sentences behind each step."""
    found = who.knowledge.graph.path(query.start, query.to, query.paths, query.sentences)
    return JSONResponse(path_shape(found))


@router.get("/communities", responses=gives(CommunitiesJson, 409), response_class=JSONResponse)
def list_communities(who: Known, query: Annotated[CommunitiesQuery, Query()]) -> Response:
    """List groups of entities that are named together, the largest first, each with the sentences that sum it up."""
    found = who.knowledge.graph.communities(query.level, query.limit, query.offset, query.sentences)
    return JSONResponse(communities_shape(found))
