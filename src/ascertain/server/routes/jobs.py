"""``/v1/jobs``: background work."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query

from ascertain.app.jobs import cancel_job
from ascertain.server.identity import Known
from ascertain.server.problems import missing
from ascertain.server.responses import describe_problems
from ascertain.server.service import Running
from ascertain.wire.service import JobJson, JobsJson

router = APIRouter(prefix="/v1/jobs", tags=["jobs"])
JobId = Annotated[str, Path(min_length=1, max_length=200)]
MOST_LISTED = 1000


@router.get("", responses=describe_problems())
def list_jobs(
    who: Known, service: Running, limit: Annotated[int, Query(ge=1, le=MOST_LISTED)] = 100
) -> JobsJson:
    """List background work, the latest first."""
    return JobsJson(jobs=[JobJson.from_noun(job) for job in service.stores.jobs.jobs(who.tenant, limit)])


@router.get("/{job_id}", responses=describe_problems(404))
def show_job(job_id: JobId, who: Known, service: Running) -> JobJson:
    """Say how far a piece of background work is."""
    job = service.stores.jobs.get(job_id, who.tenant)
    if job is None:
        raise missing("job of this id")
    return JobJson.from_noun(job)


@router.delete("/{job_id}", responses=describe_problems(404))
def end_job(job_id: JobId, who: Known, service: Running) -> JobJson:
    """End a piece of background work; what it has added stays. One that has ended already stays as it is."""
    cancel_job(who.knowledge, job_id)
    return show_job(job_id, who, service)
