"""The records of a service: keys, jobs, files, feedback, answers, limits, events and states of fetched addresses.

For all of these ports: ids are free text, exact to the character. Every change is durable when its method returns (rate
limits and events may be lost with the machine, not with the process) and made in one short transaction, also while
another process ingests. Times are time-zone aware. Methods raise StoreError with the remedy when the store cannot be
used; they are safe to use from several threads and processes. Nothing of one tenant is visible to another. Adapters
pass ``tests/contract/service``.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Protocol

from ascertain.core.service.service import (
    ApiKey,
    AuditEntry,
    GivenAnswer,
    Job,
    JobState,
    LoggedEvent,
    Notebook,
    Thumb,
    User,
)


@dataclass(frozen=True, slots=True)
class CachedAnswer:
    """An answer with what it depends on.

    ``scope`` is a digest of everything that an answer depends on beside the question's words and the documents: settings,
    filter, conversation, day. ``question`` is its wording, equal for questions that are the same. ``corpus`` is
    ``ChunkStore.fingerprint`` of what the filter reaches.
    """

    scope: str
    question: str
    corpus: str
    answer: Mapping[str, object]
    """The shape of ``ask --json``."""
    stored_at: datetime
    tenant: str = "default"


class AnswerCache(Protocol):
    """Answers by tenant, scope and question."""

    def get(self, scope: str, question: str, tenant: str = "default") -> CachedAnswer | None:
        """The answer stored for exactly this question."""
        ...

    def put(self, answer: CachedAnswer, most: int) -> None:
        """Store an answer, replacing one to the same question in the same scope; a tenant's latest ``most`` stay."""
        ...

    def clear(self, tenant: str = "default") -> int:
        """Delete a tenant's answers; how many there were."""
        ...

    def delete_conversation(self, conversation_id: str, tenant: str = "default") -> int:
        """Delete the answers that were given in a conversation; how many there were."""
        ...


KEPT_SECONDS = 3600.0
"""How long a log is stored after its last event."""


class EventLog(Protocol):
    """Events by tenant and stream."""

    def append(
        self,
        stream_id: str,
        events: Sequence[LoggedEvent],
        moment: datetime,
        tenant: str = "default",
        *,
        user: str = "",
        about: str = "",
    ) -> None:
        """Add events in order, except for stored numbers; delete logs older than KEPT_SECONDS.

        A log begins with event 1, for its ``user`` and the conversation or run that it is ``about``. Later events of a missing log
        are dropped: one that was deleted during its run stays deleted.
        """
        ...

    def after(
        self, stream_id: str, number: int, tenant: str = "default", user: str | None = None
    ) -> list[LoggedEvent] | None:
        """The events after the numbered one, if any; None for an unknown log, or one not of ``user``."""
        ...

    def delete_about(self, about: str, tenant: str = "default") -> int:
        """Delete all logs about a conversation or run; how many there were."""
        ...

    def delete(self, stream_id: str, tenant: str = "default") -> bool:
        """Delete a log; False when there is none."""
        ...


KEPT_UNJUDGED = 10_000
"""Answers of a tenant that wait for feedback."""


class FeedbackStore(Protocol):
    """Answers and feedback by tenant."""

    def note(self, answer: GivenAnswer) -> None:
        """Store an answer; one with this id stays as it is. Of those without feedback the latest KEPT_UNJUDGED stay."""
        ...

    def judge(
        self, answer_id: str, thumb: Thumb, comment: str, moment: datetime, tenant: str = "default"
    ) -> GivenAnswer | None:
        """Store feedback, replacing earlier feedback; None for an unknown answer."""
        ...

    def get(self, answer_id: str, tenant: str = "default") -> GivenAnswer | None:
        """An answer with the feedback on it, if there is any."""
        ...

    def answers(self, tenant: str = "default", since: datetime | None = None) -> list[GivenAnswer]:
        """All stored ones, or those given since a moment, oldest first.

        Reads only these and the answers without feedback, however many were judged before that moment.
        """
        ...

    def judged(self, tenant: str = "default", since: datetime | None = None) -> list[GivenAnswer]:
        """Those with feedback since a moment, the earliest first."""
        ...

    def delete_conversation(self, conversation_id: str, tenant: str = "default") -> int:
        """Delete the answers of a conversation, with or without feedback; how many there were."""
        ...


@dataclass(frozen=True, slots=True)
class FetchState:
    """The caching headers of the last response of an address."""

    url: str
    fetched_at: datetime
    etag: str | None = None
    last_modified: str | None = None
    """As the header had it."""


class FetchStates(Protocol):
    """States by tenant and address."""

    def get(self, url: str, tenant: str = "default") -> FetchState | None:
        """The state of an address."""
        ...

    def put(self, state: FetchState, tenant: str = "default") -> None:
        """Store the current state."""
        ...

    def put_all(self, states: Sequence[FetchState], tenant: str = "default") -> None:
        """The same for many addresses at once: all of it or nothing."""
        ...


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file without its content. ``sha256`` is in hex."""

    id: str
    name: str
    size: int
    sha256: str
    created_at: datetime
    tenant: str = "default"
    user: str = ""
    """Who uploaded it; empty without a key."""


class FileStore(Protocol):
    """Files by tenant; every replica over one server store sees all of them."""

    def put(
        self,
        file_id: str,
        name: str,
        pieces: Iterable[bytes],
        moment: datetime,
        tenant: str = "default",
        *,
        user: str = "",
    ) -> StoredFile:
        """Write a file, replacing one with this id, piece by piece; after an error or kill it does not exist."""
        ...

    def open(self, file_id: str, tenant: str = "default") -> AbstractContextManager[Path]:
        """A readable copy here, named as the file was, while the context lasts. Raises UsageError for an unknown id."""
        ...

    def get(self, file_id: str, tenant: str = "default") -> StoredFile | None:
        """The metadata of a file."""
        ...

    def files(self, tenant: str = "default", beginning: str = "") -> list[StoredFile]:
        """The files of a tenant whose ids begin with ``beginning``, the oldest first. Cheap when few do."""
        ...

    def delete(self, file_id: str, tenant: str = "default") -> bool:
        """Remove a file; False when there is none."""
        ...


KEPT_JOBS = 1000
"""Ended jobs that a tenant's list holds."""


class JobStore(Protocol):
    """Jobs by tenant."""

    def add(self, job: Job) -> None:
        """Queue a job; one with this id stays as it is. Ended jobs beyond the tenant's last KEPT_JOBS are deleted."""
        ...

    def claim(self, moment: datetime, passed_over: Collection[str] = ()) -> Job | None:
        """Take the oldest job that is queued, or runs in a process that has ended, of any tenant but those in
        ``passed_over``; None when there is none.

        It becomes running, and this instance owns it: no other can claim it while this process lives and has not
        closed the stores. Two claims never get the same job. That is not an attempt yet, see ``begin``.
        """
        ...

    def begin(self, job_id: str, moment: datetime) -> None:
        """Count an attempt: the work of a running job of this instance starts now.

        A process that is killed before, while it starts or waits for others, says nothing about the job.
        """
        ...

    def progress(self, job_id: str, done: int, total: int, moment: datetime) -> bool:
        """Store the progress of a running job; False when it was cancelled (or is not running), so that its work should stop.

        ``done`` never goes back: a restarted job stays where it was until it gets further.
        """
        ...

    def finish(
        self, job_id: str, state: JobState, moment: datetime, *, reason: str = "", report: Mapping[str, object] = {}
    ) -> None:
        """End a running job; one that has ended already stays as it is."""
        ...

    def release(self, job_id: str, moment: datetime) -> None:
        """Queue a running job again for any process; an attempt of it is not counted, since its process ended in
        order. One that has ended stays as it is.
        """
        ...

    def cancel(self, job_id: str, moment: datetime, tenant: str = "default") -> bool:
        """Cancel a job that has not ended, or that failed; False when there is none."""
        ...

    def retry(self, job_id: str, moment: datetime, tenant: str = "default") -> bool:
        """Queue a failed job as if it had never started; False when there is none."""
        ...

    def delete(self, job_id: str, tenant: str = "default") -> bool:
        """Delete a job that has ended; False when there is none."""
        ...

    def get(self, job_id: str, tenant: str = "default") -> Job | None:
        """One job."""
        ...

    def jobs(self, tenant: str = "default", limit: int = 100) -> list[Job]:
        """The latest jobs, last created first."""
        ...


class KeyStore(Protocol):
    """Who may use the service, and as which tenant."""

    def add(self, key: ApiKey, digest: bytes) -> None:
        """Store a key by the SHA-256 of its text. Raises UsageError if its id or its digest exists already."""
        ...

    def find(self, digest: bytes) -> ApiKey | None:
        """The key with this digest, revoked ones included."""
        ...

    def touch(self, key_id: str, moment: datetime) -> None:
        """Note that a key was used; an unknown one is left alone."""
        ...

    def keys(self) -> list[ApiKey]:
        """All keys, the oldest first."""
        ...

    def digests(self) -> dict[str, bytes]:
        """The SHA-256 of each key by its id, for a copy of the knowledge base."""
        ...

    def revoke(self, key_id: str, moment: datetime) -> bool:
        """Refuse the key from now on; False for an unknown id. The first moment stays."""
        ...

    def delete(self, key_id: str) -> bool:
        """Forget a key as if it had never been; False when there is none of this id."""
        ...

    def rotate(self, key_id: str, digest: bytes, hint: str, created_at: datetime, expires_at: datetime | None) -> bool:
        """Replace the text of a key that was not revoked, as of now, and its expiry; False for an unknown id."""
        ...


class UserStore(Protocol):
    """People who sign in by name and password, of all tenants."""

    def put(self, user: User, secret: str) -> None:
        """Keep somebody with the hash of a password, over one of this name."""
        ...

    def find(self, name: str) -> tuple[User, str] | None:
        """Somebody, and the hash of the password."""
        ...

    def users(self) -> list[User]:
        """All of them, by name."""
        ...

    def delete(self, name: str) -> bool:
        """Forget somebody; False when there is none of this name."""
        ...


class NotebookStore(Protocol):
    """Notebooks by tenant."""

    def put(self, notebook: Notebook) -> None:
        """Keep a notebook, over one of this id."""
        ...

    def get(self, notebook_id: str, tenant: str = "default") -> Notebook | None:
        """One notebook."""
        ...

    def notebooks(self, tenant: str = "default") -> list[Notebook]:
        """All of a tenant, whosever they are, by id."""
        ...

    def delete(self, notebook_id: str, tenant: str = "default") -> bool:
        """Forget a notebook; False when there is none."""
        ...


class AuditLog(Protocol):
    """Who did what, by tenant. Entries never change; old ones may be deleted."""

    def note(self, entry: AuditEntry) -> None:
        """Add an entry."""
        ...

    def entries(self, tenant: str | None = None, limit: int = 100) -> list[AuditEntry]:
        """The latest entries of a tenant, or of all, latest first."""
        ...

    def delete_before(self, moment: datetime, tenant: str | None = None) -> int:
        """Delete the entries of a tenant, or of all, that are older than ``moment``; how many there were."""
        ...


class RateLimits(Protocol):
    """Requests by what they are counted for (a key's id)."""

    def take(self, name: str, limit: int, seconds: float, moment: datetime) -> float:
        """Count one request and return 0.0; or, beyond ``limit`` in ``seconds``, how many seconds to wait first.

        A token bucket of ``limit`` tokens that is refilled evenly in ``seconds``. A clock that goes backwards refills
        nothing.
        """
        ...


class Leases(Protocol):
    """Exclusive leases, by tenant."""

    def take(self, name: str, tenant: str = "default") -> bool:
        """Take it, until it is released or this process ends; False while a living instance has it, this one
        included.
        """
        ...

    def give_back(self, name: str, tenant: str = "default") -> None:
        """Release what this instance has; anything else stays as it is."""
        ...


class ServiceStores(Protocol):
    """The ports over one knowledge base; those of one instance share its connections."""

    @property
    def leases(self) -> Leases:
        """The leases."""
        ...

    @property
    def keys(self) -> KeyStore:
        """API keys."""
        ...

    @property
    def users(self) -> UserStore:
        """People who sign in by name and password."""
        ...

    @property
    def notebooks(self) -> NotebookStore:
        """Sources that people ask together."""
        ...

    @property
    def audit(self) -> AuditLog:
        """Who did what."""
        ...

    @property
    def jobs(self) -> JobStore:
        """Background work."""
        ...

    @property
    def files(self) -> FileStore:
        """Uploaded files as they came."""
        ...

    @property
    def feedback(self) -> FeedbackStore:
        """Feedback on answers."""
        ...

    @property
    def answers(self) -> AnswerCache:
        """Cached answers."""
        ...

    @property
    def rates(self) -> RateLimits:
        """Requests counted by key."""
        ...

    @property
    def events(self) -> EventLog:
        """Events of answers being streamed."""
        ...

    @property
    def fetches(self) -> FetchStates:
        """The states of fetched addresses."""
        ...

    def close(self) -> None:
        """Release what is open; further calls raise StoreError. Jobs this instance had claimed count as abandoned."""
        ...
