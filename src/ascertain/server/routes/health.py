"""Whether the service lives, whether it can work, and its figures."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Response
from fastapi.responses import JSONResponse

from ascertain import __version__
from ascertain.server.identity import Caller, admin
from ascertain.server.problems import Problem, ProblemError
from ascertain.server.service import Running
from ascertain.server.shapes.answers import StatusJson
from ascertain.server.shapes.responses import problems

MOST_COUNTED = 1000

router = APIRouter(tags=["health"])


@router.get(
    "/healthz",
    responses={200: {"model": StatusJson, "description": "It lives."}},
    response_class=JSONResponse,
)
async def healthz() -> Response:
    """Say that the process lives; a deployment restarts it where this fails."""
    return JSONResponse({"status": "ok", "version": __version__})


@router.get(
    "/readyz",
    responses={
        200: {"model": StatusJson, "description": "It can work."},
        503: problems(503)[503],
    },
    response_class=JSONResponse,
)
def readyz(service: Running) -> Response:
    """Say whether requests may be sent here: not while the service ends or its store cannot be reached."""
    if service.is_ending.is_set():
        raise ProblemError(Problem("shutting-down", "The service ends; ask another replica."))
    if service.knowledge.exists:
        service.knowledge.count()
    return JSONResponse({"status": "ready", "version": __version__})


@router.get(
    "/metrics",
    responses={
        200: {
            "description": "Figures for Prometheus.",
            "content": {"text/plain": {"schema": {"type": "string"}}},
        },
        **problems(),
    },
    response_class=Response,
)
def metrics(who: Annotated[Caller, Depends(admin)], service: Running) -> Response:
    """Give the figures of the whole service, in Prometheus' text format; where keys are used, this needs one of an administrator."""
    by_state: dict[str, int] = {}
    for job in service.stores.jobs.jobs(who.tenant, MOST_COUNTED):
        by_state[job.state.value] = by_state.get(job.state.value, 0) + 1
    service.metrics.jobs(by_state)
    text, content_type = service.metrics.exposition()
    return Response(text, media_type=content_type)
