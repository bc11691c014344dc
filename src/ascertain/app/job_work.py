"""One job: its files or addresses one group after another, with progress told, cancelling and trouble with the store minded."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, TypeVar, cast

from ascertain.app.job_progress import JobProgress
from ascertain.app.uploads import (
    Upload,
    drop_older,
    forget_uploads,
    newest,
    sources_of,
    uploads_of,
    waiting_files,
)
from ascertain.core.errors import AscertainError, EmbeddingMismatch, StoreBusy, StoreError
from ascertain.ingest.report import Failure, IngestReport, merged
from ascertain.stores.service.jobs import Job, JobState
from ascertain.wire.documents import ReportJson

if TYPE_CHECKING:
    from ascertain.app.ascertain import Ascertain
    from ascertain.stores.service.stores import ServiceStores

_logger = logging.getLogger(__name__)

MAX_ATTEMPTS = 3
"""How often a job is begun whose process dies over it before it gets any further, until it counts as what kills it."""

_GROUP_FILES = 32
_GROUP_BYTES = 8_000_000
"""How much is read in one go, embedded together, while no other process can write to a store in a folder."""
_PAUSE_SECONDS = 0.2
"""Between groups; another process that waits for the right to write looks every 0.05 s."""
_STORE_TRIES = 8
_FIRST_WAIT_SECONDS = 1.0
_LONGEST_WAIT_SECONDS = 30.0
"""Waiting doubles from the one to the other: a store that is away has two minutes to come back before a job fails for it."""

_GIVEN_UP = f"given up: its process ended {MAX_ATTEMPTS} times at the same place; add its parts one by one"

_Done = TypeVar("_Done")


class Stopped(Exception):
    """The job was cancelled, or its process is to end."""


class JobWork:
    """Works on one claimed job of the tenant of ``knowledge``."""

    def __init__(
        self, knowledge: Ascertain, service: ServiceStores, job: Job, stopping: threading.Event
    ) -> None:
        """``service`` is the one the job was claimed from, which stands for it."""
        self._knowledge = knowledge
        self._service = service
        self._job = job
        self._stopping = stopping
        self._progress = JobProgress(service.jobs, job, stopping)
        self._report = IngestReport()

    def run(self) -> None:
        """Do it, and say what came of it; hands the job back when the process is to end first."""
        try:
            state, reason = self._outcome()
        except Stopped:
            if not self._progress.is_cancelled:
                self._service.jobs.release(self._job.id, _now())
                return
        else:
            self._finish(state, reason)
        self._forget_unread()

    def _outcome(self) -> tuple[JobState, str]:
        if self._job.attempts > MAX_ATTEMPTS:
            return JobState.FAILED, _GIVEN_UP
        try:
            if self._job.kind == "files":
                self._add_files()
            else:
                self._add_addresses()
        except Stopped:
            raise
        except AscertainError as error:
            return JobState.FAILED, str(error)
        except Exception as error:  # whatever it was, people are told that nothing more will come
            _logger.exception("background job %s broke off", self._job.id)
            return (
                JobState.FAILED,
                f"broke off: unexpected {type(error).__name__}; the service's log says more",
            )
        report = self._report
        if report.failures and not (report.added or report.changed or report.unchanged):
            first = report.failures[0]
            return JobState.FAILED, f"nothing could be added: {first.source}: {first.reason}"
        return JobState.FINISHED, ""

    def _add_files(self) -> None:
        uploads = list(uploads_of(self._job.work))
        if self._job.attempts == MAX_ATTEMPTS:
            # one file that kills the process every time must not keep those after it from being added
            uploads.reverse()
        for group in _groups(uploads):
            self._progress.begin(sum(upload.size for upload in group))
            self._report = merged(self._report, self._patiently(partial(self._added_group, group)))
            self._progress.end()
            self._stopping.wait(_PAUSE_SECONDS)

    def _added_group(self, group: Sequence[Upload]) -> IngestReport:
        """What came of some files. Done again, after trouble with the store, it comes to the same."""
        work = self._job.work
        present, report = self._without_overtaken(group)
        while present:
            added = self._knowledge.add_uploads(
                present,
                profile=cast("str", work["profile"]),
                tags=cast("list[str]", work["tags"]),
                conversation_id=cast("str | None", work["conversation_id"]),
                listener=self._progress,
                goes_on=self._progress.goes_on,
            )
            if not self._progress.goes_on():
                raise Stopped
            report = merged(report, added)
            self._keep_what_was_read(present, added)
            present = self._read_before_us(present)
        return report

    def _without_overtaken(self, group: Sequence[Upload]) -> tuple[list[Upload], IngestReport]:
        """The files of which no later one of the same name has come, and a note about each of the others."""
        files, tenant = self._service.files, self._knowledge.tenant
        kept: list[Upload] = []
        notes: list[str] = []
        for upload in group:
            latest = newest(files, upload.key, tenant)
            if latest is None or latest.id <= upload.file_id:
                kept.append(upload)
            else:
                files.delete(upload.file_id, tenant)
                notes.append(f"{upload.source}: a later upload of this name takes its place")
        return kept, IngestReport(notes=tuple(notes))

    def _keep_what_was_read(self, group: Sequence[Upload], added: IngestReport) -> None:
        """Of each name the file that its documents were read from, and later ones."""
        files, tenant = self._service.files, self._knowledge.tenant
        unread = {failure.source for failure in added.failures}
        for upload in group:
            if upload.source in unread:
                files.delete(upload.file_id, tenant)
            else:
                drop_older(files, upload, tenant)

    def _read_before_us(self, group: Sequence[Upload]) -> list[Upload]:
        """Later files of the same names that another process may have read while we read the older ones: ours must not stand."""
        service, tenant = self._service, self._knowledge.tenant
        latest = [(upload, newest(service.files, upload.key, tenant)) for upload in group]
        later = [
            Upload(file.id, upload.name, file.size)
            for upload, file in latest
            if file is not None and file.id > upload.file_id
        ]
        queued = waiting_files(service, tenant, (JobState.QUEUED,)) if later else set[str]()
        return [upload for upload in later if upload.file_id not in queued]

    def _add_addresses(self) -> None:
        work = self._job.work
        for address in cast("list[str]", work["addresses"]):
            self._progress.begin(1)
            # whoever cancels expects that nobody is visited any more, however short the last visit was
            self._progress.tell()
            if not self._progress.goes_on():
                raise Stopped
            self._report = merged(self._report, self._patiently(partial(self._added, address)))
            self._progress.end()

    def _added(self, address: str) -> IngestReport:
        work = self._job.work
        try:
            return self._knowledge.add(
                [address],
                profile=cast("str", work["profile"]),
                tags=cast("list[str]", work["tags"]),
                conversation_id=cast("str | None", work["conversation_id"]),
            )
        except StoreError:
            raise
        except AscertainError as error:
            return IngestReport(failures=(Failure(address, str(error)),))

    def _patiently(self, work: Callable[[], _Done]) -> _Done:
        """Do ``work``, again while another process is writing, and for a while when the store cannot be used."""
        tries, wait = 0, _FIRST_WAIT_SECONDS
        while True:
            try:
                return work()
            except EmbeddingMismatch:
                raise
            except StoreError as error:
                tries += not isinstance(error, StoreBusy)
                if tries >= _STORE_TRIES:
                    raise
                _logger.warning("background job %s waits: %s", self._job.id, error)
            self._stopping.wait(wait)
            if not self._progress.goes_on():
                raise Stopped
            wait = min(2 * wait, _LONGEST_WAIT_SECONDS)

    def _finish(self, state: JobState, reason: str) -> None:
        self._progress.tell()
        jobs, report = self._service.jobs, ReportJson.from_noun(self._report).to_json()
        self._patiently(lambda: jobs.finish(self._job.id, state, _now(), reason=reason, report=report))

    def _forget_unread(self) -> None:
        """Let go of the files of which nothing was added."""
        forget_uploads(
            self._service, self._knowledge.tenant, self._knowledge.documents, sources_of(self._job.work)
        )


def _groups(uploads: Sequence[Upload]) -> Iterator[list[Upload]]:
    """The files in order, some at a time; a large one by itself."""
    group: list[Upload] = []
    size = 0
    for upload in uploads:
        if group and (len(group) == _GROUP_FILES or size + upload.size > _GROUP_BYTES):
            yield group
            group, size = [], 0
        group.append(upload)
        size += upload.size
    if group:
        yield group


def _now() -> datetime:
    return datetime.now(UTC)
