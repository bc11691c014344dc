"""Running the background jobs of a knowledge base, in threads of this process."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from ascertain.app.access.api_keys import list_keys
from ascertain.app.adding.uploads import forget_orphans
from ascertain.app.jobs.desk import await_job, tell_runners
from ascertain.app.jobs.work import JobWork, Stopped
from ascertain.core.errors import AscertainError
from ascertain.core.service.service import Job

if TYPE_CHECKING:
    from ascertain.app.access.viewers import Access
    from ascertain.stores.ports.service import ServiceStores


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

    def __init__(self, access: Access, ended: Callable[[Job], None] | None = None) -> None:
        """``access`` names the first tenant; ``ended`` is called with each job that ended here, from its worker thread."""
        self._access = access
        self._container = access.container
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
                is_there = is_there or self._container.is_there
                if not is_there:
                    await_job(POLL_SECONDS)
                    continue
                if cleaned is None or time.monotonic() - cleaned > _CLEAN_SECONDS:
                    self._delete_orphans()
                    cleaned = time.monotonic()
                service = self._container.service
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
            JobWork(replace(self._access, tenant=job.tenant), service, job, self._stopping).run()
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

        service, first = self._container.service, self._access.tenant
        for tenant in {first, *(key.tenant for key in list_keys(service))}:
            forget_orphans(service, tenant, replace(self._access, tenant=tenant).list_documents)
            forget_expired(self._container.store(), tenant, self._container.settings.cache.hours)
