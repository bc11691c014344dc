"""What the routes share."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, cast

from fastapi import Depends, Request

from ascertain.app.ascertain import Ascertain
from ascertain.app.results import ServiceStores
from ascertain.core.settings import Settings
from ascertain.server.event_streams import EventStreams
from ascertain.server.under_way import UnderWay
from ascertain.server.workers import QuestionPool
from ascertain.telemetry.metrics import Metrics

if TYPE_CHECKING:
    from ascertain.app.jobs import JobRunner


@dataclass(slots=True)
class Service:
    """One running service over one knowledge base; ``knowledge`` is that of the tenant of its settings."""

    knowledge: Ascertain
    settings: Settings
    pool: QuestionPool
    streams: EventStreams
    jobs: JobRunner
    metrics: Metrics
    under_way: UnderWay
    is_open: Callable[[], bool]
    is_ending: threading.Event = field(default_factory=threading.Event)
    """Set once the service has been told to end."""

    @staticmethod
    def now() -> datetime:
        """The moment that limits, keys and events go by; not the knowledge base's clock, which may be set to another day."""
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
