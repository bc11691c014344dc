"""What a service keeps beside documents: jobs, keys, feedback, the events of answers."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Literal


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
    """How often its work was begun since it last got further than ever before; nothing else can have ended a process."""


@dataclass(frozen=True, slots=True)
class ApiKey:
    """A key as it is listed. ``hint`` is the beginning of the key, which people tell keys apart by."""

    id: str
    name: str
    tenant: str
    hint: str
    created_at: datetime
    requests_per_minute: int
    """0 is without a limit."""
    is_admin: bool = False
    """May see the figures of the whole service (``/metrics``) and nothing of another tenant's documents."""
    revoked_at: datetime | None = None
    last_used_at: datetime | None = None
    """To the minute."""


Thumb = Literal["up", "down"]


@dataclass(frozen=True, slots=True)
class GivenAnswer:
    """An answer that was given, and what somebody thought of it.

    ``features`` are those of the question that strategies are chosen by.
    """

    answer_id: str
    answered_at: datetime
    question: str
    answer_type: str
    strategy: str
    confidence: int
    """0..100."""
    question_kind: str = ""
    """Kind of question, by its plan."""
    features: Mapping[str, object] = field(default_factory=dict[str, object])
    conversation_id: str | None = None
    tenant: str = "default"
    thumb: Thumb | None = None
    comment: str = ""
    judged_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class LoggedEvent:
    """One event. ``number`` counts from 1; the last one of a log has ``is_last``."""

    number: int
    kind: str
    data: Mapping[str, object]
    is_last: bool = False
