"""Liveness, readiness, metrics, and the audit log."""

from typing import Annotated

from fastapi import APIRouter, Query, Response

from ascertain import __version__
from ascertain.app.health import count_models_left_alone
from ascertain.app.wire.service import AuditJson, ReadyJson, StatusJson
from ascertain.interfaces.server.identity import Known
from ascertain.interfaces.server.problems import Problem, ProblemError, describe_problems, describe_text
from ascertain.interfaces.server.service import Running

MOST_COUNTED = 1000
MOST_ENTRIES = 10_000
FIGURES = 'ascertain_questions_total{mode="documents"} 12.0\n'

health_router = APIRouter(tags=["health"])


@health_router.head("/healthz", include_in_schema=False)
@health_router.get("/healthz")
async def healthz() -> StatusJson:
    """Report that the process is alive; a deployment restarts it if this fails."""
    return StatusJson(status="ok", version=__version__)


@health_router.head("/readyz", include_in_schema=False)
@health_router.get("/readyz", responses={503: describe_problems(503)[503]})
def readyz(service: Running) -> ReadyJson:
    """Report whether requests may be sent here: not during shutdown or while its store is unreachable.

    A failing chat model does not matter: the rules answer.
    """
    if service.is_ending.is_set():
        raise ProblemError(Problem("shutting-down", "The service is shutting down; ask another replica."))
    if service.knowledge.exists:
        service.knowledge.count()
    return ReadyJson(status="ready", version=__version__, chat_models_left_alone=count_models_left_alone())


@health_router.get("/v1/audit", responses=describe_problems())
def show_audit(who: Known, service: Running, limit: Annotated[int, Query(ge=1, le=MOST_ENTRIES)] = 100) -> AuditJson:
    """List who did what in the caller's tenant, the latest first; where keys are used, this needs an admin key."""
    found = service.stores.audit.entries(who.tenant, limit)
    return AuditJson(entries=list(found))


@health_router.get(
    "/metrics",
    responses={**describe_text("Figures for Prometheus.", "text/plain", FIGURES), **describe_problems()},
    response_class=Response,
)
def metrics(who: Known, service: Running) -> Response:
    """Show the metrics of the whole service, in Prometheus' text format; where keys are used, this needs an
    admin key.
    """
    by_state: dict[str, int] = {}
    for job in service.stores.jobs.jobs(who.tenant, MOST_COUNTED):
        by_state[job.state.value] = by_state.get(job.state.value, 0) + 1
    service.metrics.jobs(by_state)
    if who.knowledge.exists:
        service.metrics.drift(who.knowledge.drift())
    text, content_type = service.metrics.exposition()
    return Response(text, media_type=content_type)
