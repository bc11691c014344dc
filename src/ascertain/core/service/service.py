"""What a service stores beside documents: jobs, keys, feedback, the events of answers."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Literal

from ascertain.core.serialisation import Serialisable


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
class Job(
    Serialisable,
    hidden=("tenant", "work", "attempts"),
    examples={
        "id": "4f0c1d2e9a8b4c6d8e7f001122334455",
        "kind": "files",
        "what": "report.pdf, notes.txt and 3 more",
        "state": "running",
        "done": 120000,
        "total": 480000,
        "created_at": "2024-12-05T18:00:00+00:00",
        "updated_at": "2024-12-05T18:00:07+00:00",
        "report": {},
    },
):
    """Background work."""

    id: str
    kind: str
    """`files` (`done` and `total` in bytes), `addresses` (in addresses), `source` or `embedder` (in passages)."""
    what: str
    """For people."""
    created_at: datetime
    updated_at: datetime
    tenant: str = "default"
    state: JobState = JobState.QUEUED
    work: Mapping[str, object] = field(default_factory=dict[str, object])
    """What to do, a JSON object."""
    report: Mapping[str, object] = field(default_factory=dict[str, object])
    """That of `add --json` once the job has finished or failed; what a killed process had added counts as unchanged."""
    done: int = 0
    """Of ``total``, in bytes or in items; for a progress bar."""
    total: int = 0
    reason: str = ""
    """Why it failed; one that failed can be run again."""
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
class ApiKey(
    Serialisable,
    computed={"is_sign_in": "role"},
    examples={
        "id": "3f9c02aa",
        "name": "alice",
        "tenant": "default",
        "hint": "ask_y8s8",
        "requests_per_minute": 120,
        "user": "alice",
        "role": "write",
        "created_at": "2024-12-05T18:00:00+00:00",
    },
):
    """An API key as it is listed."""

    id: str
    name: str
    """Who uses it."""
    tenant: str
    hint: str
    """The beginning of the key."""
    created_at: datetime
    """When its text was made."""
    requests_per_minute: int
    """0 is without a limit."""
    user: str = ""
    """Whose conversations, jobs, runs and feedback it opens."""
    role: Role = Role.WRITE
    expires_at: datetime | None = None
    """When it expires; null for never."""
    revoked_at: datetime | None = None
    last_used_at: datetime | None = None
    """To the minute."""

    def __post_init__(self) -> None:
        if not self.user:
            object.__setattr__(self, "user", self.id)

    @property
    def is_sign_in(self) -> bool:
        """Whether it stands for a browser in which somebody signed in; revoking it signs them out."""
        return self.id.startswith(SIGN_IN)

    def is_good(self, now: datetime) -> bool:
        """Whether it opens anything at that moment."""
        return self.revoked_at is None and (self.expires_at is None or now < self.expires_at)


@dataclass(frozen=True, slots=True)
class User(
    Serialisable,
    examples={"name": "kim", "tenant": "default", "role": "write", "changed_at": "2024-12-05T18:00:00+00:00"},
):
    """Somebody who signs in by name and password."""

    name: str
    tenant: str
    role: Role
    changed_at: datetime
    """When the password was set."""


@dataclass(frozen=True, slots=True)
class AuditEntry(
    Serialisable,
    examples={
        "moment": "2024-12-05T18:00:00+00:00",
        "action": "delete_documents",
        "subject": "document_ids 2b5c5f3e0e9d4f1c8a77",
        "key_id": "3f9c02aa",
        "user": "alice",
        "address": "192.0.2.7",
    },
):
    """An action of a user."""

    moment: datetime
    action: str
    subject: str
    """What it was done to."""
    outcome: str = "done"
    """`done`, `failed` or `refused`."""
    tenant: str = "default"
    key_id: str = ""
    """Empty where no key was used."""
    user: str = ""
    """Of the key, or of the account that the command ran as."""
    address: str = ""
    """That it came from; `local` for a command."""


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
