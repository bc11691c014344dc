"""Working off background jobs: threads that claim them, for every tenant, until they are told to stop."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from ascertain.app.api_keys import list_keys
from ascertain.app.arrivals import await_job, tell_runners
from ascertain.app.job_work import JobWork, Stopped
from ascertain.app.uploads import forget_orphans
from ascertain.core.errors import AscertainError

if TYPE_CHECKING:
    from ascertain.app.ascertain import Ascertain
    from ascertain.stores.service.jobs import Job
    from ascertain.stores.service.stores import ServiceStores

_logger = logging.getLogger(__name__)

POLL_SECONDS = 1.0
"""How soon a job is found that another process took in; one of this process is found at once."""
_TROUBLE_SECONDS = 5.0
"""How long nothing is asked of stores that could not be used."""
_CLEAN_SECONDS = 3600.0
"""How often files are looked for that a kill has left to nobody."""


class JobRunner:
    """Works off the jobs of one knowledge base, of all its tenants.

    A job whose process is killed is taken up again by any other, or by the next start; what it had added is recognised and skipped. A
    job is never worked on in two places at once.
    """

    def __init__(self, knowledge: Ascertain, ended: Callable[[Job], None] | None = None) -> None:
        """``ended`` is told of each job that came to its end here, from the thread that worked on it."""
        self._knowledge = knowledge
        self._ended = ended
        self._stopping = threading.Event()
        self._threads: list[threading.Thread] = []

    def start(self, threads: int) -> None:
        """Begin, with so many jobs at a time."""
        self._stopping.clear()
        self._threads = [
            # daemons: a parser stuck in a file must not keep the process from ending
            threading.Thread(target=self._run, name=f"ascertain-jobs-{number}", daemon=True)
            for number in range(threads)
        ]
        for thread in self._threads:
            thread.start()

    def stop(self, seconds: float) -> bool:
        """Finish the documents in work and hand the rest of the jobs back, for any process to go on with.

        False when that takes longer than ``seconds``: such a job is taken up elsewhere once the service stores are closed.
        """
        self._stopping.set()
        tell_runners()
        deadline = time.monotonic() + seconds
        for thread in self._threads:
            thread.join(max(0.0, deadline - time.monotonic()))
        return not any(thread.is_alive() for thread in self._threads)

    def _run(self) -> None:
        is_there = False
        cleaned: float | None = None
        while not self._stopping.is_set():
            try:
                is_there = is_there or self._knowledge.exists
                if not is_there:
                    await_job(POLL_SECONDS)
                    continue
                if cleaned is None or time.monotonic() - cleaned > _CLEAN_SECONDS:
                    self._clean()
                    cleaned = time.monotonic()
                service = self._knowledge.service
                job = service.jobs.claim(datetime.now(UTC))
            except AscertainError as error:
                _logger.warning("background jobs wait: %s", error)
                self._stopping.wait(_TROUBLE_SECONDS)
                continue
            if job is None:
                if not self._stopping.is_set():
                    await_job(POLL_SECONDS)
            else:
                self._work_off(service, job)

    def _work_off(self, service: ServiceStores, job: Job) -> None:
        try:
            JobWork(self._knowledge.as_tenant(job.tenant), service, job, self._stopping).run()
            self._tell(service, job)
        except Stopped:
            _logger.warning(
                "background job %s could not be handed back; it is taken up at the next start", job.id
            )
        except AscertainError as error:
            _logger.warning("what came of background job %s could not be kept: %s", job.id, error)
            self._hand_back(service, job)

    def _tell(self, service: ServiceStores, job: Job) -> None:
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

    def _clean(self) -> None:
        service, first = self._knowledge.service, self._knowledge.tenant
        for tenant in {first, *(key.tenant for key in list_keys(service))}:
            forget_orphans(self._knowledge.service, tenant, self._knowledge.as_tenant(tenant).documents)
