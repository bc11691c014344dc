"""Background jobs: adding uploaded files, named addresses and sources while the caller goes on.

A submitted job is durable, with its files, before the call returns; ``JobRunner`` runs it, in this
process or another one over the same store.
"""

from __future__ import annotations

import logging
import threading
import time
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from ascertain.app.adding.uploads import (
    ALL_JOBS,
    Upload,
    forget_orphans,
    forget_unread,
    keep_upload,
    list_uploads,
    upload_name,
    uploads_of,
)
from ascertain.app.api_keys import list_keys
from ascertain.app.choosing.embedding import check_choice, describe_use
from ascertain.app.jobs.work import JobWork, Stopped
from ascertain.app.viewers import audited
from ascertain.core.errors import AscertainError, JobNotFailed, NameTaken, UsageError
from ascertain.core.service.service import Job, JobState
from ascertain.core.settings.profiles import load_profile
from ascertain.documents.sources.web.urls import Address, address_of

if TYPE_CHECKING:
    from ascertain.app.ascertain import Ascertain
    from ascertain.stores.ports.service import ServiceStores


_arrived = threading.Condition()


def tell_runners() -> None:
    """Wake the threads that wait for a job."""
    with _arrived:
        _arrived.notify_all()


def await_job(seconds: float) -> None:
    """Return when there may be a new job, at the latest after ``seconds``."""
    with _arrived:
        _arrived.wait(seconds)


_logger = logging.getLogger(__name__)

POLL_SECONDS = 1.0
"""How soon a job submitted in another process is found; one of this process is found at once."""
_TROUBLE_SECONDS = 5.0
"""Pause after a store could not be used."""
_CLEAN_SECONDS = 3600.0
"""How often orphaned files, left by a kill, are looked for."""


class JobRunner:
    """Runs the jobs of one knowledge base, of all its tenants.

    A job whose process is killed is taken up again by any other, or by the next start; documents it had added are recognised
    and skipped. A job is never worked on in two places at once.
    """

    def __init__(self, knowledge: Ascertain, ended: Callable[[Job], None] | None = None) -> None:
        """``ended`` is called with each job that ended here, from its worker thread."""
        self._knowledge = knowledge
        self._ended = ended
        self._stopping = threading.Event()
        self._threads: list[threading.Thread] = []
        self._claiming = threading.Lock()
        self._at_work: list[str] = []

    def start(self, threads: int) -> None:
        """Start, with this many jobs at a time."""
        self._stopping.clear()
        self._threads = [
            # daemons: a parser stuck in a file must not keep the process from ending
            threading.Thread(target=self._run_jobs, name=f"ascertain-jobs-{number}", daemon=True)
            for number in range(threads)
        ]
        for thread in self._threads:
            thread.start()

    def stop(self, seconds: float) -> bool:
        """Finish the documents in work and hand the rest of the jobs back, for any process to go on with.

        False when that takes longer than ``seconds``: such a job is resumed elsewhere once the service stores are
        closed.
        """
        self._stopping.set()
        tell_runners()
        deadline = time.monotonic() + seconds
        for thread in self._threads:
            thread.join(max(0.0, deadline - time.monotonic()))
        return not any(thread.is_alive() for thread in self._threads)

    def _run_jobs(self) -> None:
        is_there = False
        cleaned: float | None = None
        while not self._stopping.is_set():
            try:
                is_there = is_there or self._knowledge.exists
                if not is_there:
                    await_job(POLL_SECONDS)
                    continue
                if cleaned is None or time.monotonic() - cleaned > _CLEAN_SECONDS:
                    self._delete_orphans()
                    cleaned = time.monotonic()
                service = self._knowledge.service
                job = self._claim_job(service)
            except AscertainError as error:
                _logger.warning("background jobs wait: %s", error)
                self._stopping.wait(_TROUBLE_SECONDS)
                continue
            if job is None:
                if not self._stopping.is_set():
                    await_job(POLL_SECONDS)
            else:
                try:
                    self._work_off(service, job)
                finally:
                    self._at_work.remove(job.tenant)

    def _claim_job(self, service: ServiceStores) -> Job | None:
        """The next job. One thread is always left to other tenants: files that take as long as they may hold up their own."""
        with self._claiming:
            most = max(1, len(self._threads) - 1)
            busy = {tenant for tenant in self._at_work if self._at_work.count(tenant) >= most}
            job = service.jobs.claim(datetime.now(UTC), busy)
            if job is not None:
                self._at_work.append(job.tenant)
            return job

    def _work_off(self, service: ServiceStores, job: Job) -> None:
        try:
            JobWork(self._knowledge.as_tenant(job.tenant), service, job, self._stopping).run()
            self._tell_end(service, job)
        except Stopped:
            _logger.warning("background job %s could not be requeued; it is resumed at the next start", job.id)
        except AscertainError as error:
            _logger.warning("the result of background job %s could not be stored: %s", job.id, error)
            self._hand_back(service, job)

    def _tell_end(self, service: ServiceStores, job: Job) -> None:
        now = service.jobs.get(job.id, job.tenant) if self._ended is not None else None
        if self._ended is not None and now is not None and now.state.is_ended:
            self._ended(now)

    def _hand_back(self, service: ServiceStores, job: Job) -> None:
        """Queue the job again as soon as the store can be used."""
        while not self._stopping.wait(_TROUBLE_SECONDS):
            try:
                service.jobs.release(job.id, datetime.now(UTC))
            except AscertainError:
                continue
            return

    def _delete_orphans(self) -> None:
        from ascertain.app.asking.researching import forget_expired

        service, first = self._knowledge.service, self._knowledge.tenant
        for tenant in {first, *(key.tenant for key in list_keys(service))}:
            knowledge = self._knowledge.as_tenant(tenant)
            forget_orphans(service, tenant, knowledge.documents)
            forget_expired(knowledge.opened.store(), tenant, self._knowledge.settings.cache.hours)


__all__ = [
    "MAX_ADDRESSES",
    "JobRunner",
    "cancel_job",
    "find_job",
    "find_move",
    "forget_jobs",
    "list_jobs",
    "retry_job",
    "submit_addresses",
    "submit_files",
    "submit_move",
    "submit_source",
]

MAX_ADDRESSES = 1000
"""Addresses of one job."""

_submitting = threading.Lock()
"""The watcher and the client that adds a source both request its first sync."""
_NAMED = 2
_TAG_CHARACTERS = 100


def submit_files(
    knowledge: Ascertain,
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
    work = _check_manner(knowledge, profile, tags, conversation_id)
    knowledge.set_up()
    store, limit, user = knowledge.service.files, knowledge.settings.ingest.max_file_bytes, knowledge.viewer.user or ""
    for name in names if not replaces else ():
        if not all(
            knowledge.viewer.owns(file.user) for file in list_uploads(store, knowledge.tenant, name, conversation_id)
        ):
            raise NameTaken(f"{name} was uploaded by someone else; rename it, or send replace=true to replace theirs")
    kept: list[Upload] = []
    try:
        for name, (_, pieces) in zip(names, files, strict=True):
            kept.append(keep_upload(store, knowledge.tenant, name, pieces, conversation_id, limit=limit, user=user))
        work["files"] = [upload.as_json() for upload in kept]
        return _submit_job(knowledge, "files", names, work, sum(upload.size for upload in kept))
    except BaseException:
        for upload in kept:
            knowledge.service.files.delete(upload.file_id, knowledge.tenant)
        raise


def submit_addresses(
    knowledge: Ascertain,
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
    work = _check_manner(knowledge, profile, tags, conversation_id)
    work["addresses"] = given
    knowledge.set_up()
    return _submit_job(knowledge, "addresses", shown, work, len(given))


def list_jobs(knowledge: Ascertain, limit: int = 100) -> list[Job]:
    """The latest jobs of the viewer, last created first."""
    jobs, viewer = knowledge.service.jobs, knowledge.viewer
    if viewer.user is None:
        return jobs.jobs(knowledge.tenant, limit)
    return [job for job in jobs.jobs(knowledge.tenant, ALL_JOBS) if viewer.owns(_owner_of(job))][:limit]


def find_job(knowledge: Ascertain, job_id: str) -> Job | None:
    """A job of the viewer."""
    job = knowledge.service.jobs.get(job_id, knowledge.tenant)
    return job if job is not None and knowledge.viewer.owns(_owner_of(job)) else None


def _owner_of(job: Job) -> str:
    return str(job.work.get("user", ""))


def submit_source(knowledge: Ascertain, name: str) -> Job:
    """Sync a source in the background; an existing job for it is reused. UsageError for an unknown source."""
    record = knowledge.sources.get(name)
    with _submitting:
        for job in knowledge.service.jobs.jobs(knowledge.tenant, ALL_JOBS):
            if not job.state.is_ended and job.work.get("source") == name:
                return job
        return _submit_job(knowledge, "source", [f"source {name}: {record.address}"], {"source": name}, 1)


def submit_move(knowledge: Ascertain, embedder: str) -> Job:
    """Have all passages embedded by another model in the background; a move already in progress is returned.

    Raises UsageError for a model that clients may not choose, and while another move is in progress.
    """
    check_choice(embedder, knowledge.settings.models)
    total = describe_use(knowledge).chunks
    with _submitting:
        for job in knowledge.service.jobs.jobs(knowledge.tenant, ALL_JOBS):
            if job.kind != "embedder" or job.state.is_ended:
                continue
            under_way = str(job.work.get("embedder"))
            if under_way == embedder:
                return job
            raise UsageError(f"a move to {under_way} is under way; stop it first, or wait until it is done")
        return _submit_job(knowledge, "embedder", [f"embedding with {embedder}"], {"embedder": embedder}, total)


def find_move(knowledge: Ascertain) -> Job | None:
    """The last move to another embedding model; None where there was none, or its job was deleted."""
    jobs = knowledge.service.jobs.jobs(knowledge.tenant, ALL_JOBS)
    return next((job for job in jobs if job.kind == "embedder"), None)


def cancel_job(knowledge: Ascertain, job_id: str) -> bool:
    """Cancel a job that has not ended, or that failed; False when there is none. A running one ends after the current document, or in the
    middle of one that takes long.

    What it has added stays; files it has not reached, or could not read, are deleted.
    """
    job, service = find_job(knowledge, job_id), knowledge.service
    if job is None:
        return False
    with audited(knowledge, "cancel_job", job_id):
        is_cancelled = service.jobs.cancel(job_id, datetime.now(UTC), knowledge.tenant)
    if not is_cancelled:
        return False
    if job.state is not JobState.RUNNING:
        # the runner takes care of the files of a running job
        forget_unread(knowledge.service, knowledge.tenant, knowledge.documents, job.work)
    return True


def retry_job(knowledge: Ascertain, job_id: str) -> Job | None:
    """Retry a failed job; documents added before are recognised. None for an unknown id.

    Raises UsageError for one that has not failed, and when its files are no longer stored.
    """
    job, service, tenant = find_job(knowledge, job_id), knowledge.service, knowledge.tenant
    if job is None:
        return None
    files = uploads_of(job.work)
    if job.state is JobState.FAILED and files and not any(service.files.get(file.file_id, tenant) for file in files):
        raise JobNotFailed(f"the files of job {job_id} are no longer stored; add them again")
    if not service.jobs.retry(job_id, datetime.now(UTC), tenant):
        raise JobNotFailed(f"job {job_id} is {job.state.value}; only one that failed can be run again")
    tell_runners()
    return service.jobs.get(job_id, tenant)


def forget_jobs(knowledge: Ascertain, conversation_id: str) -> None:
    """Cancel the jobs that add documents for a conversation, and delete their records."""
    jobs = knowledge.service.jobs
    for job in jobs.jobs(knowledge.tenant, ALL_JOBS):
        if job.work.get("conversation_id") == conversation_id:
            cancel_job(knowledge, job.id)
            jobs.delete(job.id, knowledge.tenant)


def _read_address(text: str) -> Address:
    address = address_of(text)
    if address is None:
        raise UsageError(f"{text!r} is not an address; give https://…, or arxiv: and an id")
    return address


def _submit_job(knowledge: Ascertain, kind: str, names: Sequence[str], work: Mapping[str, object], total: int) -> Job:
    now = datetime.now(UTC)
    job = Job(
        id=uuid.uuid4().hex,
        kind=kind,
        what=_join_names(names),
        created_at=now,
        updated_at=now,
        tenant=knowledge.tenant,
        work={**work, "user": knowledge.viewer.user or ""},
        total=total,
    )
    knowledge.service.jobs.add(job)
    tell_runners()
    return job


def _check_manner(
    knowledge: Ascertain, profile: str | None, tags: Sequence[str], conversation_id: str | None
) -> dict[str, object]:
    """How the documents are added, checked now, while the caller can still get an error."""
    settings = knowledge.settings
    name = load_profile(profile or settings.profile, settings.home / "profiles").name
    kept = list(dict.fromkeys(tag.strip() for tag in tags))
    bad = next((tag for tag in kept if not tag or len(tag) > _TAG_CHARACTERS or not tag.isprintable()), None)
    if bad is not None:
        raise UsageError(f"{bad!r} is not a valid tag: use 1 to {_TAG_CHARACTERS} printable characters")
    return {"profile": name, "tags": kept, "conversation_id": conversation_id}


def _join_names(names: Sequence[str]) -> str:
    more = len(names) - _NAMED
    return ", ".join(names[:_NAMED]) + (f" and {more:,} more" if more > 0 else "")
