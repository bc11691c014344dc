"""Running one background job: its parts one after another, with its progress stored."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, TypeVar, cast

from ascertain.app.adding.addresses import add_address
from ascertain.app.adding.uploads import Upload, add_uploads, drop_older, forget_unread, uploads_of, waiting_files
from ascertain.app.sources.desk import SourceDesk
from ascertain.core.documents.ingest import Failure, IngestReport
from ascertain.core.errors import AscertainError, EmbeddingMismatch, StoreBusy, StoreDamaged, StoreError
from ascertain.core.service.service import Job, JobState
from ascertain.documents.ingest.report import merge_reports
from ascertain.documents.reading.pool import ReadingStopped
from ascertain.stores.ports.service import JobStore

if TYPE_CHECKING:
    from ascertain.app.access.viewers import Access
    from ascertain.stores.ports.service import ServiceStores, StoredFile


_logger = logging.getLogger(__name__)

_EVERY_SECONDS = 0.25
"""A progress bar needs no more, and each update is a transaction."""


class JobProgress:
    """Listens to an ingest.

    The job's parts are begun and ended one after another; each has its share of ``Job.total``.
    """

    def __init__(self, jobs: JobStore, job: Job, stopping: threading.Event) -> None:
        self._jobs = jobs
        self._job = job
        self._stopping = stopping
        self._before = 0
        self._share = 0
        self._within = 0
        self._done = 0
        self._noted = 0.0
        self.is_cancelled = False

    def begin(self, share: int) -> None:
        """Begin a part of so many bytes or items."""
        self._share, self._within = share, 0

    def end(self) -> None:
        """That part is done."""
        self._before, self._share, self._within = self._before + self._share, 0, 0

    def tell(self) -> None:
        """Note how far the job is now."""
        self._noted = time.monotonic()
        # a part that is begun again does not take the bar back
        self._done = max(self._done, self._before + self._within)
        try:
            running = self._jobs.progress(self._job.id, self._done, self._job.total, datetime.now(UTC))
        except StoreError as error:
            # the job itself finds out whether the store can be used
            _logger.debug("how far job %s is could not be noted: %s", self._job.id, error)
        else:
            self.is_cancelled = self.is_cancelled or not running

    def goes_on(self) -> bool:
        """Whether the job is still wanted, and from this process."""
        self._note_progress()
        return not (self.is_cancelled or self._stopping.is_set())

    def reach(self, done: int) -> None:
        """A share of the part is done."""
        self._within = min(self._share, done)
        self._note_progress()

    def found(self, total_documents: int | None, total_bytes: int) -> None:
        """A part is read, from its beginning."""
        self._within = 0

    def report_progress(self, source: str, bytes_done: int, chunks: int) -> None:
        """More bytes of the part are done; the first ones are stored at once."""
        self._within = min(self._share, self._within + bytes_done)
        if self._done:
            self._note_progress()
        else:
            self.tell()

    def failed(self, source: str, reason: str) -> None:
        """A failure is in the report."""

    def _note_progress(self) -> None:
        if time.monotonic() - self._noted >= _EVERY_SECONDS:
            self.tell()


MAX_ATTEMPTS = 2
"""How often a job is started whose process dies without progress, until the job counts as what
kills it.
"""
_MAX_READINGS = 4
"""The same where no file of the job was ever read: processes of their own read them, so that this one was rather killed from outside. Not
without end: where memory runs out, a container may end as a whole.
"""

_GROUP_FILES = 32
_GROUP_BYTES = 8_000_000
"""How much is read in one go, embedded together, while no other process can write to a store in a folder."""
_PAUSE_SECONDS = 0.2
"""Between groups; another process that waits for the right to write looks every 0.05 s."""
_STORE_TRIES = 8
_FIRST_WAIT_SECONDS = 1.0
_LONGEST_WAIT_SECONDS = 30.0
"""Waiting doubles from the one to the other: a store that is away has two minutes to come back before a job fails for
it.
"""

_GIVEN_UP = "given up: its process ended {times} times at the same place; nothing is lost: run it again, or add its parts one by one"

_READS_FILES = (JobState.QUEUED, JobState.RUNNING, JobState.FINISHED)
"""Jobs whose files are read, or were."""

_Done = TypeVar("_Done")


class Stopped(Exception):
    """The job was cancelled, or its process is to end."""


class JobWork:
    """Works on one claimed job of a tenant."""

    def __init__(self, access: Access, service: ServiceStores, job: Job, stopping: threading.Event) -> None:
        """``service`` is the one the job was claimed from, which stands for it."""
        self._access = access
        self._container = access.container
        self._tenant = access.tenant
        self._service = service
        self._job = job
        self._stopping = stopping
        self._progress = JobProgress(service.jobs, job, stopping)
        self._report = IngestReport()
        self._has_begun = False

    def run(self) -> None:
        """Run it, and return its state; requeues the job when the process has to end first.

        The files of a job that fails stay, so that it can be run again.
        """
        try:
            state, reason = self._do_job()
        except Stopped:
            if not self._progress.is_cancelled:
                self._service.jobs.release(self._job.id, _current_time())
                return
        else:
            self._finish_job(state, reason)
        self._forget_unread()

    def _do_job(self) -> tuple[JobState, str]:
        if self._job.attempts >= (_MAX_READINGS if self._job.kind == "files" and not self._job.done else MAX_ATTEMPTS):
            return JobState.FAILED, _GIVEN_UP.format(times=self._job.attempts)
        try:
            if self._job.kind == "files":
                self._add_files()
            elif self._job.kind == "source":
                failure = self._read_source()
                if failure:
                    return JobState.FAILED, failure
            elif self._job.kind == "embedder":
                self._move_embedder()
            else:
                self._add_addresses()
        except Stopped:
            raise
        except AscertainError as error:
            return JobState.FAILED, str(error)
        except Exception as error:  # whatever it was, people must see that the job has ended
            _logger.exception("background job %s broke off", self._job.id)
            return (JobState.FAILED, f"failed: unexpected {type(error).__name__}; see the service's log")
        report = self._report
        if report.failures and not (report.added or report.changed or report.unchanged):
            first = report.failures[0]
            return JobState.FAILED, f"nothing could be added: {first.source}: {first.reason}"
        return JobState.FINISHED, ""

    def _add_files(self) -> None:
        uploads = list(uploads_of(self._job.work))
        if self._job.attempts % MAX_ATTEMPTS == MAX_ATTEMPTS - 1:
            # one file that kills the process every time must not keep those after it from being added
            uploads.reverse()
        for group in _batch_uploads(uploads):
            self._progress.begin(sum(upload.size for upload in group))
            self._report = merge_reports(self._report, self._retry_work(partial(self._add_group, group)))
            self._progress.end()
            self._stopping.wait(_PAUSE_SECONDS)

    def _add_group(self, group: Sequence[Upload]) -> IngestReport:
        """What came of some files. Done again, after trouble with the store, it comes to the same."""
        work = self._job.work
        present, report = self._drop_overtaken(group)
        while present:
            added = add_uploads(
                self._container,
                self._tenant,
                present,
                profile=cast("str", work["profile"]),
                tags=cast("list[str]", work["tags"]),
                conversation_id=cast("str | None", work["conversation_id"]),
                listener=self._progress,
                goes_on=self._progress.goes_on,
                begin=self._begin_work,
            )
            if not self._progress.goes_on():
                raise Stopped
            report = merge_reports(report, added)
            self._drop_what_was_replaced(present, added)
            present = self._find_read_meanwhile(present)
        return report

    def _drop_overtaken(self, group: Sequence[Upload]) -> tuple[list[Upload], IngestReport]:
        """The files of which no later one of the same name has come, and a note about each of the others."""
        kept: list[Upload] = []
        notes: list[str] = []
        for upload in group:
            if self._find_later_file(upload) is None:
                kept.append(upload)
            else:
                self._service.files.delete(upload.file_id, self._tenant)
                notes.append(f"{upload.source}: replaced by a later upload with the same name")
        return kept, IngestReport(notes=tuple(notes))

    def _find_later_file(self, upload: Upload) -> StoredFile | None:
        """The newest file of the same name, if it came later than this one and there is a job that reads it.

        One whose request was killed before its job was queued was never accepted, and takes nothing's place.
        """
        tenant = self._tenant
        later = [file for file in self._service.files.files(tenant, upload.key) if file.id > upload.file_id]
        read = waiting_files(self._service, tenant, _READS_FILES) if later else set[str]()
        return max((file for file in later if file.id in read), key=lambda file: file.id, default=None)

    def _drop_what_was_replaced(self, group: Sequence[Upload], added: IngestReport) -> None:
        """Of each name that was read the files before the one that its documents were read from."""
        unread = {failure.source for failure in added.failures}
        for upload in group:
            if upload.source not in unread:
                drop_older(self._service.files, upload, self._tenant)

    def _find_read_meanwhile(self, group: Sequence[Upload]) -> list[Upload]:
        """Later files of the same names that another process may have read while we read the older ones: ours must not
        stand.
        """
        latest = [(upload, self._find_later_file(upload)) for upload in group]
        later = [Upload(file.id, upload.name, file.size) for upload, file in latest if file is not None]
        waiting = (JobState.QUEUED,)
        queued = waiting_files(self._service, self._tenant, waiting) if later else set[str]()
        return [upload for upload in later if upload.file_id not in queued]

    def _begin_work(self) -> None:
        """Count an attempt, once."""
        if not self._has_begun:
            self._service.jobs.begin(self._job.id, _current_time())
            self._has_begun = True

    def _add_addresses(self) -> None:
        work = self._job.work
        self._retry_work(partial(self._container.store_for_vectors, create=True))
        self._retry_work(self._begin_work)
        for address in cast("list[str]", work["addresses"]):
            self._progress.begin(1)
            # after a cancel no further site may be visited, however short the last visit was
            self._progress.tell()
            if not self._progress.goes_on():
                raise Stopped
            self._report = merge_reports(self._report, self._retry_work(partial(self._add_address, address)))
            self._progress.end()

    def _add_address(self, address: str) -> IngestReport:
        work = self._job.work
        try:
            return add_address(
                self._container,
                self._tenant,
                address,
                profile=cast("str", work["profile"]),
                tags=cast("list[str]", work["tags"]),
                conversation_id=cast("str | None", work["conversation_id"]),
                goes_on=self._progress.goes_on,
            )
        except ReadingStopped as error:
            raise Stopped from error
        except StoreError:
            raise
        except AscertainError as error:
            return IngestReport(failures=(Failure(address, str(error)),))

    def _read_source(self) -> str:
        """Why the source could not be read to its end; empty where it was."""
        name = cast("str", self._job.work["source"])
        self._retry_work(self._begin_work)
        self._progress.begin(1)
        try:
            record, self._report = self._retry_work(
                partial(SourceDesk(self._container, self._access).sync, name, goes_on=self._progress.goes_on)
            )
        except ReadingStopped as error:
            raise Stopped from error
        self._progress.end()
        return record.reason

    def _move_embedder(self) -> None:
        from ascertain.app.choosing.embedding import move_embedder

        self._retry_work(self._begin_work)
        self._progress.begin(self._job.total)
        name = cast("str", self._job.work["embedder"])
        notes = self._retry_work(partial(move_embedder, self._container, name, self))
        self._report = IngestReport(notes=tuple(notes))
        self._progress.end()

    def report_progress(self, done: int, total: int) -> None:
        """See ``ReindexListener``; of a move that goes on where another broke off, ``total`` is the rest."""
        self._progress.reach(self._job.total - total + done)
        if not self._progress.goes_on():
            raise Stopped

    def _retry_work(self, work: Callable[[], _Done]) -> _Done:
        """Do ``work``, retrying while another process is writing, and for a while when the store cannot be used."""
        tries, wait = 0, _FIRST_WAIT_SECONDS
        while True:
            try:
                return work()
            except (EmbeddingMismatch, StoreDamaged):
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

    def _finish_job(self, state: JobState, reason: str) -> None:
        self._progress.tell()
        jobs, report = self._service.jobs, self._report.to_json()
        self._retry_work(lambda: jobs.finish(self._job.id, state, _current_time(), reason=reason, report=report))

    def _forget_unread(self) -> None:
        """Delete the files of which nothing was added, unless the job has failed."""
        forget_unread(self._service, self._tenant, self._access.list_documents, self._job.work)


def _batch_uploads(uploads: Sequence[Upload]) -> Iterator[list[Upload]]:
    """The files in order, in groups; a large one by itself."""
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


def _current_time() -> datetime:
    return datetime.now(UTC)
