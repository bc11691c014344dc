"""Shared by the routes: the knowledge base, the queue of questions, the running requests."""

from __future__ import annotations

import contextvars
import threading
import time
from collections.abc import Callable, Generator
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import chain, count
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, TypeVar, cast

from fastapi import Depends, Request

from ascertain.app.access.connections import ROOM_SECONDS
from ascertain.app.ascertain import Ascertain
from ascertain.app.ports import ServiceStores
from ascertain.app.telemetry.metrics import Metrics
from ascertain.core.settings import Settings
from ascertain.core.system.processor_time import limit_processor_time
from ascertain.interfaces.server.event_streams import EventStreams
from ascertain.interfaces.server.problems import Problem, ProblemError

if TYPE_CHECKING:
    from ascertain.app.access.sign_in.oidc import OidcClient
    from ascertain.app.access.sign_in.proxies import ProxyUsers
    from ascertain.app.jobs.runner import JobRunner
    from ascertain.app.sources.watching import SourceWatch


class UnderWay:
    """The running requests; belongs to the event loop."""

    def __init__(self) -> None:
        self._numbers = count()
        self._open: set[int] = set()

    @contextmanager
    def request(self) -> Generator[None]:
        """A request runs in the context."""
        number = next(self._numbers)
        self._open.add(number)
        try:
            yield
        finally:
            self._open.discard(number)

    def now(self) -> frozenset[int]:
        """The number running now."""
        return frozenset(self._open)

    def any_of(self, before: frozenset[int]) -> bool:
        """Whether any is still running."""
        return not before.isdisjoint(self._open)


T = TypeVar("T")

SHUTTING_DOWN = Problem(
    "shutting-down", "The service is shutting down; try again, or ask another replica.", retry_after=ROOM_SECONDS
)

MANY_DOCUMENTS = 10
"""The cost of an analysis or a research run, in questions: it reads documents by the hundred."""


class _Work(NamedTuple):
    future: Future[Any]
    run: Callable[[], Any]
    is_heavy: bool


class QuestionPool:
    """Runs questions in its own threads: tenants take turns, each in the order of its requests, and work over many documents
    leaves a thread to the rest.

    The threads are daemons: a question that hangs cannot keep the process from ending.
    """

    def __init__(self, workers: int, waiting: int, processor_seconds: float) -> None:
        """``workers`` questions at a time; so many more may be ``waiting``. One may use this many seconds of processor time."""
        self._most = workers + waiting
        self._processor_seconds = processor_seconds
        self._most_heavy = max(1, workers - 1)
        self._queues: dict[str, list[_Work]] = {}
        self._changed = threading.Condition()
        self._taken = 0
        self._running = 0
        self._running_heavy = 0
        self._refuses = False
        self._is_closed = False
        self._threads = [
            threading.Thread(target=self._run_questions, name=f"question-{number}", daemon=True)
            for number in range(workers)
        ]
        for thread in self._threads:
            thread.start()

    def submit(self, work: Callable[[], T], *, tenant: str, share: int = 1) -> Future[T]:
        """Do ``work`` when its turn comes; cancelling the future leaves the queue.

        It may take ``share`` times the processor time of a question; beyond that it ends with TooMuchWork. Raises ProblemError when
        there is no room.
        """
        future: Future[T] = Future()
        with self._changed:
            if self._refuses:
                raise ProblemError(SHUTTING_DOWN)
            if self._taken >= self._most:
                problem = f"{self.waiting} questions are waiting already."
                raise ProblemError(Problem("overloaded", problem, retry_after=ROOM_SECONDS))
            self._taken += 1
        future.add_done_callback(self._free_place)
        # log lines of the work carry the id of the request behind it
        context = contextvars.copy_context()

        def run() -> T:
            return context.run(self._run_within, work, share * self._processor_seconds)

        with self._changed:
            self._queues.setdefault(tenant, []).append(_Work(future, run, share > 1))
            self._changed.notify_all()
        return future

    @staticmethod
    def _run_within(work: Callable[[], T], seconds: float) -> T:
        refusal = f"The request used more than {seconds:g} s of processor time and was stopped; ask for less at once."
        with limit_processor_time(seconds, refusal):
            return work()

    @property
    def running(self) -> int:
        """Questions being worked on."""
        return self._running

    @property
    def waiting(self) -> int:
        """Questions that wait for a thread."""
        return max(0, self._taken - self._running)

    def refuse(self) -> None:
        """Accept no more; accepted ones are still answered."""
        with self._changed:
            self._refuses = True

    def wait_until_idle(self, seconds: float) -> bool:
        """Whether every question that was taken ended within ``seconds``."""
        with self._changed:
            return self._changed.wait_for(lambda: self._taken == 0, seconds)

    def close(self, seconds: float) -> None:
        """Accept no more, drop the waiting ones, and give the running ones ``seconds`` to end."""
        self.refuse()
        with self._changed:
            self._is_closed = True
            dropped, self._queues = self._queues, {}
            self._changed.notify_all()
        for work in chain.from_iterable(dropped.values()):
            work.future.cancel()
        until = time.monotonic() + seconds
        for thread in self._threads:
            thread.join(max(0.0, until - time.monotonic()))

    def _run_questions(self) -> None:
        while (taken := self._take_work()) is not None:
            try:
                outcome = taken.run()
            except BaseException as error:
                self._stop_running(taken)
                taken.future.set_exception(error)
            else:
                self._stop_running(taken)
                taken.future.set_result(outcome)
                del outcome
            # or it would be held until the next question comes
            del taken

    def _take_work(self) -> _Work | None:
        """What is to be done next, once there is something; None when the pool is closed."""
        with self._changed:
            while not self._is_closed:
                work = self._choose_work()
                if work is None:
                    self._changed.wait()
                elif work.future.set_running_or_notify_cancel():
                    self._running += 1
                    self._running_heavy += work.is_heavy
                    return work
        return None

    def _choose_work(self) -> _Work | None:
        for tenant, works in self._queues.items():
            for work in works:
                if work.is_heavy and self._running_heavy >= self._most_heavy:
                    continue
                works.remove(work)
                # to the end of the row of tenants
                del self._queues[tenant]
                if works:
                    self._queues[tenant] = works
                return work
        return None

    def _stop_running(self, work: _Work) -> None:
        with self._changed:
            self._running -= 1
            self._running_heavy -= work.is_heavy
            self._changed.notify_all()

    def _free_place(self, _: object) -> None:
        with self._changed:
            self._taken -= 1
            if self._taken == 0:
                self._changed.notify_all()


@dataclass(slots=True)
class Service:
    """One running service over one knowledge base; ``knowledge`` is that of the tenant of its settings."""

    knowledge: Ascertain
    settings: Settings
    pool: QuestionPool
    streams: EventStreams
    jobs: JobRunner
    watch: SourceWatch
    metrics: Metrics
    under_way: UnderWay
    is_open: Callable[[], bool]
    proxy_users: ProxyUsers
    oidc: OidcClient | None
    is_ending: threading.Event = field(default_factory=threading.Event)
    """Set once the service is shutting down."""
    began_at: datetime = field(default_factory=lambda: datetime.now(UTC))

    @staticmethod
    def now() -> datetime:
        """The clock for limits, keys and events; not the knowledge base's clock, which may be set to another
        day.
        """
        return datetime.now(UTC)

    @property
    def stores(self) -> ServiceStores:
        """Keys, jobs, files and the rest."""
        return self.knowledge.service


def service_of(request: Request) -> Service:
    """The service that a request came to."""
    return cast(Service, request.app.state.service)


Running = Annotated[Service, Depends(service_of)]
"""A parameter of a route: the service."""
