"""The port of background work: adding uploaded files and named addresses to a knowledge base."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Protocol

KEPT_JOBS = 1000
"""Ended jobs that a tenant's list holds."""


class JobState(StrEnum):
    """How far a job has come."""

    QUEUED = "queued"
    RUNNING = "running"
    FINISHED = "finished"
    FAILED = "failed"
    CANCELLED = "cancelled"

    @property
    def is_ended(self) -> bool:
        """Whether nothing more will come of it."""
        return self not in (JobState.QUEUED, JobState.RUNNING)


@dataclass(frozen=True, slots=True)
class Job:
    """One piece of work. ``work`` says what is to be done, ``report`` what came of it; both are JSON objects."""

    id: str
    kind: str
    what: str
    """For people."""
    created_at: datetime
    updated_at: datetime
    tenant: str = "default"
    state: JobState = JobState.QUEUED
    work: Mapping[str, object] = field(default_factory=dict[str, object])
    report: Mapping[str, object] = field(default_factory=dict[str, object])
    done: int = 0
    """Of ``total``, in bytes or in items; for a progress bar."""
    total: int = 0
    reason: str = ""
    """Why it failed or was cancelled."""
    attempts: int = 0
    """How often it was begun since it last got further than ever before."""


class JobStore(Protocol):
    """Jobs by tenant."""

    def add(self, job: Job) -> None:
        """Queue a job; one of this id stays as it is. Ended jobs beyond the tenant's last KEPT_JOBS are forgotten."""
        ...

    def claim(self, moment: datetime) -> Job | None:
        """Take the oldest job of any tenant that is queued, or running in a process that has ended; None when there is none.

        It becomes running with one more attempt, and this instance stands for it: no other can claim it while this process lives and
        has not closed the stores. Two claims never get the same job.
        """
        ...

    def progress(self, job_id: str, done: int, total: int, moment: datetime) -> bool:
        """Note how far a running job is; False when it was cancelled (or is not running), so that its work should stop.

        ``done`` never goes back: a job that is begun again stays where it was until it gets further.
        """
        ...

    def finish(
        self,
        job_id: str,
        state: JobState,
        moment: datetime,
        *,
        reason: str = "",
        report: Mapping[str, object] = {},
    ) -> None:
        """End a running job; one that has ended already stays as it is."""
        ...

    def release(self, job_id: str, moment: datetime) -> None:
        """Queue a running job again for any process; the attempt does not count. One that has ended stays as it is."""
        ...

    def cancel(self, job_id: str, moment: datetime, tenant: str = "default") -> bool:
        """Cancel a job that has not ended; False when there is none."""
        ...

    def get(self, job_id: str, tenant: str = "default") -> Job | None:
        """One job."""
        ...

    def jobs(self, tenant: str = "default", limit: int = 100) -> list[Job]:
        """The latest jobs, last created first."""
        ...
