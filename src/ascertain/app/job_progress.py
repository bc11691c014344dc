"""How far a job is, told to its store while documents are added, and whether it should go on."""

from __future__ import annotations

import logging
import threading
import time
from datetime import UTC, datetime

from ascertain.core.errors import StoreError
from ascertain.stores.service.jobs import Job, JobStore

_logger = logging.getLogger(__name__)

_EVERY_SECONDS = 0.25
"""A progress bar needs no more, and each note is a transaction."""


class JobProgress:
    """Listens to an ingest. The job's parts are begun and ended one after another; each has its share of ``Job.total``."""

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
        """Whether there is still somebody who wants the job done, by this process."""
        self._note()
        return not (self.is_cancelled or self._stopping.is_set())

    def found(self, total_documents: int | None, total_bytes: int) -> None:
        """A part is read, from its beginning."""
        self._within = 0

    def advanced(self, source: str, bytes_done: int, chunks: int) -> None:
        """So many more bytes of the part are done."""
        self._within = min(self._share, self._within + bytes_done)
        self._note()

    def failed(self, source: str, reason: str) -> None:
        """A failure is in the report."""

    def _note(self) -> None:
        if time.monotonic() - self._noted >= _EVERY_SECONDS:
            self.tell()
