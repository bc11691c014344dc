"""What a service stores beside documents: jobs, keys, feedback, the events of answers."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Literal


class JobState(StrEnum):
    """The state of a job."""

    QUEUED = "queued"
    RUNNING = "running"
    FINISHED = "finished"
    FAILED = "failed"
    CANCELLED = "cancelled"

    @property
    def is_ended(self) -> bool:
        """Whether it has ended."""
        return self not in (JobState.QUEUED, JobState.RUNNING)


@dataclass(frozen=True, slots=True)
class Job:
    """One piece of work. ``work`` says what to do, ``report`` what was done; both are JSON objects."""

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
    """How often its work was started since its last progress; a job that crashes its process keeps this rising."""


class Role(StrEnum):
    """What a key may do; each includes those before it."""

    READ = "read"
    """Ask, search and read; have its own conversations, research runs and feedback."""
    WRITE = "write"
    """Add documents, and delete them."""
    ADMIN = "admin"
    """See the figures of the whole service, evaluations and the audit log of its tenant, and what was created without a key."""

    def includes(self, other: "Role") -> bool:
        """Whether this role includes ``other``."""
        order = list(Role)
        return order.index(self) >= order.index(other)


SIGN_IN = "sign-in-"
"""How the ids begin of keys that stand for a browser in which somebody signed in by name."""


@dataclass(frozen=True, slots=True)
class ApiKey:
    """A key as it is listed. ``hint`` is the beginning of the key, by which people recognise keys."""

    id: str
    name: str
    tenant: str
    hint: str
    created_at: datetime
    requests_per_minute: int
    """0 means no limit."""
    user: str = ""
    """Whose conversations, jobs, runs and feedback it opens; that of a key made without one is its id."""
    role: Role = Role.WRITE
    expires_at: datetime | None = None
    revoked_at: datetime | None = None
    last_used_at: datetime | None = None
    """To the minute."""

    def __post_init__(self) -> None:
        if not self.user:
            object.__setattr__(self, "user", self.id)

    @property
    def is_sign_in(self) -> bool:
        """Whether it stands for a browser in which somebody signed in, and not for a program."""
        return self.id.startswith(SIGN_IN)

    def is_good(self, now: datetime) -> bool:
        """Whether it opens anything at that moment."""
        return self.revoked_at is None and (self.expires_at is None or now < self.expires_at)


@dataclass(frozen=True, slots=True)
class User:
    """Somebody who signs in by name and password; names are one of a kind in the whole service."""

    name: str
    tenant: str
    role: Role
    changed_at: datetime
    """When the password was set."""


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """An action of a user. ``user``, ``key_id`` and ``address`` are empty where none is known; ``outcome`` is ``done``, ``failed`` or ``refused``."""

    moment: datetime
    action: str
    subject: str
    """What it was done to."""
    outcome: str = "done"
    tenant: str = "default"
    key_id: str = ""
    user: str = ""
    address: str = ""
    """Of the machine that asked; ``local`` for a command."""


@dataclass(frozen=True, slots=True)
class Notebook:
    """Sources that somebody often asks together, under a name; ``sources`` are as a filter takes them."""

    id: str
    name: str
    sources: tuple[str, ...]
    changed_at: datetime
    owner: str = ""
    """Whose it is; empty where nobody was asked for a key."""
    is_shared: bool = False
    """Whether all of the tenant may see and use it."""
    tenant: str = "default"


Thumb = Literal["up", "down"]


@dataclass(frozen=True, slots=True)
class GivenAnswer:
    """An answer that was given, and the feedback on it.

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
    user: str = ""
    """Who asked; empty without a key."""
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
