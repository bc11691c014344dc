"""Serving: the socket, the signals, and the order in which a running service ends.

On the first signal the service says on ``/readyz`` that it ends and takes no more questions, but goes on with what it
has and with answering everything else, so that a balancer can turn away from it. Once what was asked is answered, or
after ``server.drain_seconds``, it closes. A second signal closes at once.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from types import FrameType

import uvicorn
from fastapi import FastAPI

from ascertain.app.ascertain import Ascertain
from ascertain.core.errors import UsageError
from ascertain.server.application import create_app
from ascertain.server.identity import has_keys, is_loopback
from ascertain.server.lifecycle import drain_service, warm_up
from ascertain.server.service import Service
from ascertain.telemetry.logs import configure_logs, logger

BACKLOG = 2048
"""Connections that wait to be taken; uvicorn's own default."""
CLOSING_SECONDS = 2
"""How long connections that are still open after the drain may take to be closed."""


def check_reach(knowledge: Ascertain, host: str) -> bool:
    """Whether the service runs open. Raises UsageError where it would be open to other machines."""
    is_keyed = knowledge.exists and has_keys(knowledge.service)
    if not is_keyed and not is_loopback(host):
        raise UsageError(
            f"{host} can be reached from other machines, and there is no key yet; make one first: ascertain keys add NAME"
        )
    return not is_keyed


def open_listener(host: str, port: int) -> socket.socket:
    """A listening socket; port 0 takes a free one. Raises UsageError when the address cannot be had."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listening = socket.socket(family, kind, protocol)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
        listening.listen(BACKLOG)
    except OSError as error:
        raise UsageError(f"cannot listen on {host}, port {port}: {error.strerror or error}") from error
    return listening


def url_of(listening: socket.socket, host: str) -> str:
    """The address to type."""
    shown = f"[{host}]" if ":" in host else host
    return f"http://{shown}:{listening.getsockname()[1]}"


def server_of(app: FastAPI, ready: Callable[[], None] = lambda: None) -> DrainingServer:
    """The server of an application, not running yet; ``ready`` is called once it takes requests."""
    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        lifespan="on",
        timeout_graceful_shutdown=CLOSING_SECONDS,
    )
    return DrainingServer(config, app.state.service, ready)


class DrainingServer(uvicorn.Server):
    """Finishes what is under way before it closes."""

    def __init__(self, config: uvicorn.Config, service: Service, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._service = service
        self._ready = ready
        self._draining: asyncio.Task[None] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Open, and say so."""
        await super().startup(sockets)
        self._loop = asyncio.get_running_loop()
        self._ready()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """The first signal begins the end, the second makes it sudden. The process ends with 0, as it was asked to."""
        if self._service.is_ending.is_set():
            self.should_exit = self.force_exit = True
        else:
            self.end()

    def end(self) -> None:
        """Begin the end; from any thread."""
        self._service.is_ending.set()
        loop = self._loop
        if loop is None or loop.is_closed():
            self.should_exit = True
        else:
            loop.call_soon_threadsafe(self._begin_draining)

    def _begin_draining(self) -> None:
        if self._draining is None:
            self._draining = asyncio.get_running_loop().create_task(self._drain_service())

    async def _drain_service(self) -> None:
        await drain_service(self._service)
        self.should_exit = True


def run_service(knowledge: Ascertain, announce: Callable[[str, bool], None]) -> None:
    """Serve until a signal says to end.

    ``announce`` is told the address, and whether the service is open, once it takes requests.

    Raises UsageError for an address that cannot be had or must not be served without a key.

    """
    settings = knowledge.settings
    is_open = check_reach(knowledge, settings.server.host)
    # the address is taken first: a port that is in use is told before anything is loaded
    with open_listener(settings.server.host, settings.server.port) as listening:
        configure_logs(settings.telemetry)
        app = create_app(knowledge, settings)
        logger.info("loaded", extra={"seconds": round(warm_up(knowledge), 3)})
        url = url_of(listening, settings.server.host)
        server_of(app, lambda: announce(url, is_open)).run(sockets=[listening])
