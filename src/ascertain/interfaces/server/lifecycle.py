"""Startup and shutdown: what is opened before the first request, and finished after the last."""

import asyncio
import time
from functools import partial

from ascertain.app.access.api_keys import Openness
from ascertain.app.access.sign_in.admission import check_sign_in
from ascertain.app.access.sign_in.oidc import OidcClient
from ascertain.app.access.sign_in.proxies import ProxyUsers
from ascertain.app.ascertain import Ascertain
from ascertain.app.health import count_models_left_alone
from ascertain.app.jobs.runner import JobRunner
from ascertain.app.sources.watching import SourceWatch
from ascertain.app.telemetry.logs import logger
from ascertain.app.telemetry.metrics import Metrics
from ascertain.core.service.service import Job
from ascertain.core.settings import Settings
from ascertain.interfaces.server.event_streams import EventStreams
from ascertain.interfaces.server.service import QuestionPool, Service, UnderWay

MOST_WAITING = 200
"""Questions that may wait, beyond which the service answers 503 (by judgement; bench/service/load.py loads it)."""
LOOK_SECONDS = 0.05
CLOSING_SECONDS = 2.0
"""For work that did not end in time: long enough for the current step, in the offline mode."""


def open_service(knowledge: Ascertain, settings: Settings) -> Service:
    """A service that is ready for requests; a missing knowledge base is created.

    Raises what the app raises.
    """
    check_sign_in(settings.server)
    oidc = OidcClient(settings.server.oidc) if settings.server.oidc.issuer else None
    knowledge.set_up()
    pool = QuestionPool(settings.server.questions_at_once, MOST_WAITING, settings.server.processor_seconds)
    metrics = Metrics()
    metrics.watch_queue(lambda: pool.waiting, lambda: pool.running)
    metrics.watch_chat_models(count_models_left_alone)
    return Service(
        knowledge=knowledge,
        settings=settings,
        pool=pool,
        streams=EventStreams(lambda: knowledge.service, Service.now),
        jobs=JobRunner(knowledge.access, partial(note_job_end, metrics)),
        watch=SourceWatch(knowledge.access, partial(queue_source, knowledge)),
        metrics=metrics,
        under_way=UnderWay(),
        is_open=Openness(lambda: knowledge.service, settings.server, settings.server.host),
        proxy_users=ProxyUsers(settings.server, knowledge.tenant),
        oidc=oidc,
    )


def queue_source(knowledge: Ascertain, tenant: str, name: str) -> None:
    """Have a background job read a source of a tenant."""
    knowledge.as_tenant(tenant).jobs.submit_source(name)


def note_job_end(metrics: Metrics, job: Job) -> None:
    """Count and log a background job that ended here."""
    metrics.count_ended_job(job)
    logger.info("background job %s", job.state.value, extra={"job": job.id, "tenant": job.tenant})


async def drain_service(service: Service) -> None:
    """Take no more questions, and return once earlier requests are done, or ``server.drain_seconds`` are
    over.
    """
    seconds = service.settings.server.drain_seconds
    until = time.monotonic() + seconds
    service.is_ending.set()
    service.watch.end()
    service.pool.refuse()
    before = service.under_way.now()
    jobs = asyncio.create_task(asyncio.to_thread(service.jobs.stop, seconds))
    await asyncio.to_thread(service.pool.wait_until_idle, seconds)
    while service.under_way.any_of(before) and time.monotonic() < until:
        await asyncio.sleep(LOOK_SECONDS)
    await jobs


def close_service(service: Service) -> None:
    """Release everything but the knowledge base; what is still running is abandoned."""
    service.is_ending.set()
    service.watch.stop(CLOSING_SECONDS)
    service.pool.close(CLOSING_SECONDS)
    service.jobs.stop(CLOSING_SECONDS)
    service.streams.close()
