"""``/v1/jobs``: background work."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query, Response
from fastapi.responses import JSONResponse

from ascertain.app.jobs import cancel_job, job_shape
from ascertain.server.identity import Known
from ascertain.server.problems import missing
from ascertain.server.service import Running
from ascertain.server.shapes.material import JobJson, JobsJson
from ascertain.server.shapes.responses import gives

router = APIRouter(prefix="/v1/jobs", tags=["jobs"])
JobId = Annotated[str, Path(min_length=1, max_length=200)]
MOST_LISTED = 1000


@router.get("", responses=gives(JobsJson), response_class=JSONResponse)
def list_jobs(
    who: Known, service: Running, limit: Annotated[int, Query(ge=1, le=MOST_LISTED)] = 100
) -> Response:
    """List background work, the latest first."""
    return JSONResponse({"jobs": [job_shape(job) for job in service.stores.jobs.jobs(who.tenant, limit)]})


@router.get("/{job_id}", responses=gives(JobJson, 404), response_class=JSONResponse)
def show_job(job_id: JobId, who: Known, service: Running) -> Response:
    """Say how far a piece of background work is."""
    job = service.stores.jobs.get(job_id, who.tenant)
    if job is None:
        raise missing("job of this id")
    return JSONResponse(job_shape(job))


@router.delete("/{job_id}", responses=gives(JobJson, 404), response_class=JSONResponse)
def end_job(job_id: JobId, who: Known, service: Running) -> Response:
    """End a piece of background work; what it has added stays. One that has ended already stays as it is."""
    cancel_job(who.knowledge, job_id)
    return show_job(job_id, who, service)
