"""``/v1/search``: the passages behind answers; ``/v1/stats``: how much there is."""

from __future__ import annotations

import asyncio

from fastapi import APIRouter
from fastapi.concurrency import run_in_threadpool

from ascertain.core.filters import Filter
from ascertain.server.asking import check_ready
from ascertain.server.identity import Known
from ascertain.server.responses import describe_problems
from ascertain.server.service import Running
from ascertain.wire.holdings import StatsJson
from ascertain.wire.requests import SearchBody
from ascertain.wire.search import SearchJson

router = APIRouter(tags=["searching"])


@router.post("/v1/search", responses=describe_problems(400, 409, 503))
async def search(body: SearchBody, who: Known, service: Running) -> SearchJson:
    """Find passages, best first, each with its scores and its place."""
    await run_in_threadpool(check_ready, who.knowledge)

    def find() -> SearchJson:
        found = who.knowledge.search(
            body.query,
            strategy=body.strategy,
            k=body.k,
            filter=body.filter.to_filter(who.tenant) if body.filter else Filter(tenant=who.tenant),
            days_back=body.days_back,
            context=body.context,
        )
        return SearchJson.from_noun(found)

    return await asyncio.wrap_future(service.pool.submit(find))


@router.get("/v1/stats", responses=describe_problems())
def stats(who: Known) -> StatsJson:
    """Count documents and passages, by kind, profile and state."""
    numbers = who.knowledge.stats()
    # a key is often held by somebody who need not know where this machine keeps things, nor how much others keep there
    place = who.knowledge.place if who.key is None else None
    graph = who.knowledge.graph.counts()
    return StatsJson.from_counts(numbers, place, who.knowledge.ingest_runs(), graph)
