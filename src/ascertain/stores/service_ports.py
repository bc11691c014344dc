"""What a service keeps: keys, jobs, files, feedback, answers, limits, events and what is known of addresses fetched.

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

from ascertain.core.service import ApiKey, AuditEntry, GivenAnswer, Job, JobState, LoggedEvent, Notebook, Thumb, User


@dataclass(frozen=True, slots=True)
class CachedAnswer:
    """An answer with what it hangs on.

    ``scope`` is a digest of all that an answer hangs on beside the question's words and the documents: settings,
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
        """The answer kept for exactly this question."""
        ...

    def put(self, answer: CachedAnswer, most: int) -> None:
        """Keep an answer over one to the same question in the same scope; a tenant's latest ``most`` stay."""
        ...

    def clear(self, tenant: str = "default") -> int:
        """Forget a tenant's answers; how many there were."""
        ...

    def delete_conversation(self, conversation_id: str, tenant: str = "default") -> int:
        """Forget the answers that were given in a conversation; how many there were."""
        ...


KEPT_SECONDS = 3600.0
"""How long a log is kept after its last event."""


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
        """Add events in order but for numbers that are there already; forget logs older than KEPT_SECONDS.

        A log begins with event 1, for its ``user`` and the conversation or run that it is ``about``. Later events of a log that is not
        there are dropped: one that was deleted while its run went on stays deleted.
        """
        ...

    def after(
        self, stream_id: str, number: int, tenant: str = "default", user: str | None = None
    ) -> list[LoggedEvent] | None:
        """The events after the numbered one, as far as there are any; None when there is no such log, or none of ``user``."""
        ...

    def delete_about(self, about: str, tenant: str = "default") -> int:
        """Forget all logs about a conversation or run; how many there were."""
        ...

    def delete(self, stream_id: str, tenant: str = "default") -> bool:
        """Forget a log; False when there is none."""
        ...


KEPT_UNJUDGED = 10_000
"""Answers of a tenant that wait for feedback."""


class FeedbackStore(Protocol):
    """Answers and feedback by tenant."""

    def note(self, answer: GivenAnswer) -> None:
        """Keep an answer; one of this id stays as it is. Of those nobody judged the latest KEPT_UNJUDGED stay."""
        ...

    def judge(
        self, answer_id: str, thumb: Thumb, comment: str, moment: datetime, tenant: str = "default"
    ) -> GivenAnswer | None:
        """Keep what somebody thought, over earlier feedback; None when there is no such answer."""
        ...

    def get(self, answer_id: str, tenant: str = "default") -> GivenAnswer | None:
        """An answer with the feedback on it, if there is any."""
        ...

    def answers(self, tenant: str = "default", since: datetime | None = None) -> list[GivenAnswer]:
        """All that are kept, or those given since a moment, the first noted first.

        Reads no more than these and the answers nobody judged, however many were judged before that moment.
        """
        ...

    def judged(self, tenant: str = "default", since: datetime | None = None) -> list[GivenAnswer]:
        """Those somebody judged, since a moment, the earliest judged first."""
        ...

    def delete_conversation(self, conversation_id: str, tenant: str = "default") -> int:
        """Forget the answers of a conversation, judged or not; how many there were."""
        ...


@dataclass(frozen=True, slots=True)
class FetchState:
    """What the last answer of an address said of itself."""

    url: str
    fetched_at: datetime
    etag: str | None = None
    last_modified: str | None = None
    """As the header had it."""


class FetchStates(Protocol):
    """States by tenant and address."""

    def get(self, url: str, tenant: str = "default") -> FetchState | None:
        """What is known of an address."""
        ...

    def put(self, state: FetchState, tenant: str = "default") -> None:
        """Keep what is known now."""
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
    """Who brought it; empty where no key did."""


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
        """Write a file over one of this id, piece by piece; on any error or kill it is not there at all."""
        ...

    def open(self, file_id: str, tenant: str = "default") -> AbstractContextManager[Path]:
        """A readable copy here, named as the file was, while the context lasts. Raises UsageError for an unknown id."""
        ...

    def get(self, file_id: str, tenant: str = "default") -> StoredFile | None:
        """What is known of a file."""
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
        """Queue a job; one of this id stays as it is. Ended jobs beyond the tenant's last KEPT_JOBS are forgotten."""
        ...

    def claim(self, moment: datetime, passed_over: Collection[str] = ()) -> Job | None:
        """Take the oldest job that is queued, or runs in a process that has ended, of anybody but the tenants that are
        ``passed_over``; None when there is none.

        It becomes running, and this instance stands for it: no other can claim it while this process lives and has not
        closed the stores. Two claims never get the same job. That is no attempt yet, see ``begin``.
        """
        ...

    def begin(self, job_id: str, moment: datetime) -> None:
        """Count an attempt: what a running job of this instance is about is taken up now.

        A process that is killed before, while it starts or waits for others, says nothing about the job.
        """
        ...

    def progress(self, job_id: str, done: int, total: int, moment: datetime) -> bool:
        """Note how far a running job is; False when it was cancelled (or is not running), so that its work should stop.

        ``done`` never goes back: a job that is begun again stays where it was until it gets further.
        """
        ...

    def finish(
        self, job_id: str, state: JobState, moment: datetime, *, reason: str = "", report: Mapping[str, object] = {}
    ) -> None:
        """End a running job; one that has ended already stays as it is."""
        ...

    def release(self, job_id: str, moment: datetime) -> None:
        """Queue a running job again for any process; an attempt of it is taken back, since its process came to an end in
        order. One that has ended stays as it is.
        """
        ...

    def cancel(self, job_id: str, moment: datetime, tenant: str = "default") -> bool:
        """Cancel a job that has not ended, or that failed; False when there is none."""
        ...

    def retry(self, job_id: str, moment: datetime, tenant: str = "default") -> bool:
        """Queue a job that failed as if it had never begun; False when there is none."""
        ...

    def delete(self, job_id: str, tenant: str = "default") -> bool:
        """Forget a job that has ended; False when there is none."""
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
        """Keep a key by the SHA-256 of its text. Raises UsageError when its id or its digest is there already."""
        ...

    def find(self, digest: bytes) -> ApiKey | None:
        """The key of this digest, revoked ones included."""
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
        """Refuse the key from now on; False when there is none of this id. The first moment stays."""
        ...

    def delete(self, key_id: str) -> bool:
        """Forget a key as if it had never been; False when there is none of this id."""
        ...

    def rotate(self, key_id: str, digest: bytes, hint: str, created_at: datetime, expires_at: datetime | None) -> bool:
        """Give a key that was not revoked another text, made now, and another end; False when there is none of this id."""
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
    """Who did what, by tenant. Nothing in it is ever changed; what is old may be deleted."""

    def note(self, entry: AuditEntry) -> None:
        """Add an entry."""
        ...

    def entries(self, tenant: str | None = None, limit: int = 100) -> list[AuditEntry]:
        """The latest entries of a tenant, or of all, the last noted first."""
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
    """Who works on something that only one may work on, by tenant."""

    def take(self, name: str, tenant: str = "default") -> bool:
        """Have it, until it is given back or this process ends; False while somebody who is there has it, this instance
        included.
        """
        ...

    def give_back(self, name: str, tenant: str = "default") -> None:
        """Let others have what this instance has; what it has not stays as it is."""
        ...


class ServiceStores(Protocol):
    """The ports over one knowledge base; those of one instance share its connections."""

    @property
    def leases(self) -> Leases:
        """Who works on what."""
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
        """What people thought of answers."""
        ...

    @property
    def answers(self) -> AnswerCache:
        """Answers to use again."""
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
        """What is known of addresses fetched before."""
        ...

    def close(self) -> None:
        """Release what is open; further calls raise StoreError. Jobs this instance had claimed count as abandoned."""
        ...
