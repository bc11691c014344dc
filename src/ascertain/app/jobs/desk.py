"""Background jobs: adding uploaded files, named addresses and sources while the caller goes on.

A submitted job is durable, with its files, before the call returns; ``JobRunner`` runs it, in this
process or another one over the same store.
"""

from __future__ import annotations

import threading
import uuid
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from ascertain.app.adding.uploads import (
    ALL_JOBS,
    Upload,
    forget_unread,
    keep_upload,
    list_uploads,
    upload_name,
    uploads_of,
)
from ascertain.app.choosing.embedding import check_choice, describe_use
from ascertain.app.sources.desk import SourceDesk
from ascertain.core.errors import JobNotFailed, NameTaken, UsageError
from ascertain.core.service.service import Job, JobState
from ascertain.core.settings.profiles import load_profile
from ascertain.documents.sources.web.urls import Address, address_of

if TYPE_CHECKING:
    from ascertain.app.access.viewers import Access
    from ascertain.app.container.container import Container

MAX_ADDRESSES = 1000
"""Addresses of one job."""

_submitting = threading.Lock()
"""The watcher and the client that adds a source both request its first sync."""
_NAMED = 2
_TAG_CHARACTERS = 100


_arrived = threading.Condition()


def tell_runners() -> None:
    """Wake the threads that wait for a job."""
    with _arrived:
        _arrived.notify_all()


def await_job(seconds: float) -> None:
    """Return when there may be a new job, at the latest after ``seconds``."""
    with _arrived:
        _arrived.wait(seconds)


class JobDesk:
    """The background jobs of a tenant, as one viewer sees them; any number of threads may use it."""

    def __init__(self, container: Container, access: Access) -> None:
        self._container = container
        self._access = access
        self._tenant = access.tenant

    def submit_files(
        self,
        files: Sequence[tuple[str, Iterable[bytes]]],
        *,
        profile: str | None = None,
        tags: Sequence[str] = (),
        conversation_id: str | None = None,
        replaces: bool = False,
    ) -> Job:
        """Take files (name and content in pieces) to be added in the background; both they and the job are on disk when
        this returns.

        A file of a name that its user uploaded before, to the same conversation, takes its place; that of somebody else where
        ``replaces`` says so. Raises UsageError, and stores nothing, for no file, a bad name, duplicate names, a name that belongs to someone else,
        and a file over ``ingest.max_file_bytes``; ConfigurationError for an unknown profile.
        """
        if not files:
            raise UsageError("there is no file to add; give at least one")
        names = [upload_name(name) for name, _ in files]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise UsageError(f"two files are named {twice}; rename one")
        work = self._check_manner(profile, tags, conversation_id)
        self._container.set_up()
        store, limit, user = (
            self._container.service.files,
            self._container.settings.ingest.max_file_bytes,
            self._access.viewer.user or "",
        )
        for name in names if not replaces else ():
            if not all(
                self._access.viewer.owns(file.user) for file in list_uploads(store, self._tenant, name, conversation_id)
            ):
                raise NameTaken(
                    f"{name} was uploaded by someone else; rename it, or send replace=true to replace theirs"
                )
        kept: list[Upload] = []
        try:
            for name, (_, pieces) in zip(names, files, strict=True):
                kept.append(
                    keep_upload(
                        store, self._tenant, name, pieces, conversation_id=conversation_id, limit=limit, user=user
                    )
                )
            work["files"] = [upload.as_json() for upload in kept]
            return self._submit("files", names, work, sum(upload.size for upload in kept))
        except BaseException:
            for upload in kept:
                self._container.service.files.delete(upload.file_id, self._tenant)
            raise

    def submit_addresses(
        self,
        addresses: Sequence[str],
        *,
        profile: str | None = None,
        tags: Sequence[str] = (),
        conversation_id: str | None = None,
    ) -> Job:
        """Take addresses (web pages, feeds, arXiv) to be fetched and added in the background.

        Raises UsageError for anything but an address: above all, no one can name a file on the service's machine.
        """
        given = list(dict.fromkeys(address.strip() for address in addresses))
        if not given or len(given) > MAX_ADDRESSES:
            raise UsageError(f"{len(given):,} addresses to add; give 1 to {MAX_ADDRESSES:,}")
        shown = [_read_address(text).shown for text in given]
        work = self._check_manner(profile, tags, conversation_id)
        work["addresses"] = given
        self._container.set_up()
        return self._submit("addresses", shown, work, len(given))

    def list_latest(self, limit: int = 100) -> list[Job]:
        """The latest jobs of the viewer, last created first."""
        jobs, viewer = self._container.service.jobs, self._access.viewer
        if viewer.user is None:
            return jobs.jobs(self._tenant, limit)
        return [job for job in jobs.jobs(self._tenant, ALL_JOBS) if viewer.owns(_owner_of(job))][:limit]

    def find(self, job_id: str) -> Job | None:
        """A job of the viewer."""
        job = self._container.service.jobs.get(job_id, self._tenant)
        return job if job is not None and self._access.viewer.owns(_owner_of(job)) else None

    def submit_source(self, name: str) -> Job:
        """Sync a source in the background; an existing job for it is reused. UsageError for an unknown source."""
        record = SourceDesk(self._container, self._access).get(name)
        with _submitting:
            for job in self._container.service.jobs.jobs(self._tenant, ALL_JOBS):
                if not job.state.is_ended and job.work.get("source") == name:
                    return job
            return self._submit("source", [f"source {name}: {record.address}"], {"source": name}, 1)

    def submit_move(self, embedder: str) -> Job:
        """Have all passages embedded by another model in the background; a move already in progress is returned.

        Raises UsageError for a model that clients may not choose, and while another move is in progress.
        """
        check_choice(embedder, self._container.settings.models)
        total = describe_use(self._container).chunks
        with _submitting:
            for job in self._container.service.jobs.jobs(self._tenant, ALL_JOBS):
                if job.kind != "embedder" or job.state.is_ended:
                    continue
                under_way = str(job.work.get("embedder"))
                if under_way == embedder:
                    return job
                raise UsageError(f"a move to {under_way} is under way; stop it first, or wait until it is done")
            return self._submit("embedder", [f"embedding with {embedder}"], {"embedder": embedder}, total)

    def find_move(self) -> Job | None:
        """The last move to another embedding model; None where there was none, or its job was deleted."""
        jobs = self._container.service.jobs.jobs(self._tenant, ALL_JOBS)
        return next((job for job in jobs if job.kind == "embedder"), None)

    def cancel(self, job_id: str) -> bool:
        """Cancel a job that has not ended, or that failed; False when there is none. A running one ends after the current document, or in the
        middle of one that takes long.

        What it has added stays; files it has not reached, or could not read, are deleted.
        """
        job, service = self.find(job_id), self._container.service
        if job is None:
            return False
        with self._access.audited("cancel_job", job_id):
            is_cancelled = service.jobs.cancel(job_id, datetime.now(UTC), self._tenant)
        if not is_cancelled:
            return False
        if job.state is not JobState.RUNNING:
            # the runner takes care of the files of a running job
            forget_unread(self._container.service, self._tenant, self._access.list_documents, job.work)
        return True

    def retry(self, job_id: str) -> Job | None:
        """Retry a failed job; documents added before are recognised. None for an unknown id.

        Raises UsageError for one that has not failed, and when its files are no longer stored.
        """
        job, service, tenant = self.find(job_id), self._container.service, self._tenant
        if job is None:
            return None
        files = uploads_of(job.work)
        if (
            job.state is JobState.FAILED
            and files
            and not any(service.files.get(file.file_id, tenant) for file in files)
        ):
            raise JobNotFailed(f"the files of job {job_id} are no longer stored; add them again")
        if not service.jobs.retry(job_id, datetime.now(UTC), tenant):
            raise JobNotFailed(f"job {job_id} is {job.state.value}; only one that failed can be run again")
        tell_runners()
        return service.jobs.get(job_id, tenant)

    def forget(self, conversation_id: str) -> None:
        """Cancel the jobs that add documents for a conversation, and delete their records."""
        jobs = self._container.service.jobs
        for job in jobs.jobs(self._tenant, ALL_JOBS):
            if job.work.get("conversation_id") == conversation_id:
                self.cancel(job.id)
                jobs.delete(job.id, self._tenant)

    def _submit(self, kind: str, names: Sequence[str], work: Mapping[str, object], total: int) -> Job:
        now = datetime.now(UTC)
        job = Job(
            id=uuid.uuid4().hex,
            kind=kind,
            what=_join_names(names),
            created_at=now,
            updated_at=now,
            tenant=self._tenant,
            work={**work, "user": self._access.viewer.user or ""},
            total=total,
        )
        self._container.service.jobs.add(job)
        tell_runners()
        return job

    def _check_manner(self, profile: str | None, tags: Sequence[str], conversation_id: str | None) -> dict[str, object]:
        """How the documents are added, checked now, while the caller can still get an error."""
        settings = self._container.settings
        name = load_profile(profile or settings.profile, settings.home / "profiles").name
        kept = list(dict.fromkeys(tag.strip() for tag in tags))
        bad = next((tag for tag in kept if not tag or len(tag) > _TAG_CHARACTERS or not tag.isprintable()), None)
        if bad is not None:
            raise UsageError(f"{bad!r} is not a valid tag: use 1 to {_TAG_CHARACTERS} printable characters")
        return {"profile": name, "tags": kept, "conversation_id": conversation_id}


def _owner_of(job: Job) -> str:
    return str(job.work.get("user", ""))


def _read_address(text: str) -> Address:
    address = address_of(text)
    if address is None:
        raise UsageError(f"{text!r} is not an address; give https://…, or arxiv: and an id")
    return address


def _join_names(names: Sequence[str]) -> str:
    more = len(names) - _NAMED
    return ", ".join(names[:_NAMED]) + (f" and {more:,} more" if more > 0 else "")
