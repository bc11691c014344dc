"""``/v1/search``: the passages behind answers; ``/v1/stats``: how much there is."""

from __future__ import annotations

import asyncio

from fastapi import APIRouter, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import JSONResponse

from ascertain.app.json_shapes import search_shape, stats_shape
from ascertain.core.filters import Filter
from ascertain.server.asking import check_ready
from ascertain.server.identity import Known
from ascertain.server.service import Running
from ascertain.server.shapes.answers import SearchJson
from ascertain.server.shapes.material import StatsJson
from ascertain.server.shapes.requests import SearchBody
from ascertain.server.shapes.responses import gives

router = APIRouter(tags=["searching"])


@router.post("/v1/search", responses=gives(SearchJson, 400, 409, 503), response_class=JSONResponse)
async def search(body: SearchBody, who: Known, service: Running) -> Response:
    """Find passages, best first, each with its scores and its place."""
    await run_in_threadpool(check_ready, who.knowledge)

    def find() -> Response:
        found = who.knowledge.search(
            body.query,
            strategy=body.strategy,
            k=body.k,
            filter=body.filter.filter(who.tenant) if body.filter else Filter(tenant=who.tenant),
            days_back=body.days_back,
            context=body.context,
        )
        return JSONResponse(search_shape(found))

    return await asyncio.wrap_future(service.pool.submit(find))


@router.get("/v1/stats", responses=gives(StatsJson), response_class=JSONResponse)
def stats(who: Known) -> Response:
    """Count documents and passages, by kind, profile and state."""
    numbers = who.knowledge.stats()
    # a key is often held by somebody who need not know where this machine keeps things, nor how much others keep there
    place = who.knowledge.place if who.key is None else None
    graph = who.knowledge.graph.counts()
    return JSONResponse(stats_shape(numbers, place, who.knowledge.ingest_runs(), graph))
