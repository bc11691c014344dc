"""What both servers (the service and MCP) require of a connection: requests that arrive in time, and none
sent by a foreign web page.

A client that opens connections and sends almost nothing would hold them, and their resources, for as long as
it likes (slowloris). uvicorn only limits the pause between two requests.
"""

import asyncio
import logging
import ssl
from collections.abc import Callable, Collection
from functools import partial
from typing import Any, Protocol, cast
from urllib.parse import urlsplit

import uvicorn
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from ascertain.app.access.api_keys import is_loopback
from ascertain.core.errors import ConfigurationError
from ascertain.core.settings import ServerSettings

_logger = logging.getLogger("ascertain.interfaces.server")

SLOWEST_BYTES = 500
"""Least bytes a second of a request body: the limit of Apache (mod_reqtimeout, ``MinRate``)."""


def find_stranger(headers: Headers, allowed: Collection[str], is_open: bool) -> str | None:
    """Why a request may come from a foreign web page, in a sentence; None where it does not.

    ``allowed`` are ``server.cors_origins``. A browser sends requests to loopback on behalf of any page. One that merely sends names itself in
    Origin, or in Sec-Fetch-Site where there is no Origin; following a link is not such a request. A page that was made to believe
    that its own name is this machine (DNS rebinding) shows that name in Host: where no key is asked for, only the names of this machine count.
    """
    if is_open and not names_this_machine(headers):
        return "Without API keys this service only answers under the names of this machine."
    origin = headers.get("origin")
    if origin is None:
        is_foreign = is_foreign_page(headers) and headers.get("sec-fetch-mode") != "navigate"
    else:
        is_foreign = not (origin in allowed or "*" in allowed or _place_of(origin) == headers.get("host", "").lower())
    return "Pages of this origin may not call the service (server.cors_origins)." if is_foreign else None


def names_this_machine(headers: Headers) -> bool:
    """Whether a request was sent to a name that belongs to this machine alone."""
    return is_loopback(_name_of(f"//{headers.get('host', '')}"))


class PageCheck:
    """Refuses requests from foreign web pages, and sets in every response what browsers may do with it, for all servers alike."""

    def __init__(
        self,
        app: ASGIApp,
        allowed: Collection[str],
        is_open: Callable[[], bool],
        refuse: Callable[[str], ASGIApp],
        free: Collection[str] = (),
    ) -> None:
        """``refuse`` answers with the given reason; requests for a path in ``free``, which reveals nothing, are always answered."""
        self._app = app
        self._allowed = allowed
        self._is_open = is_open
        self._refuse = refuse
        self._free = free

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """As ASGI says."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_protected(message: Message) -> None:
            if message["type"] == "http.response.start":
                protect_response(message)
            await send(message)

        refusal = None
        if scope["path"] not in self._free:
            headers = Headers(scope=scope)
            # whether it is open is looked up, which takes a thread, only where that decides
            is_open = not names_this_machine(headers) and await asyncio.to_thread(self._is_open)
            refusal = find_stranger(headers, self._allowed, is_open)
        await (self._app if refusal is None else self._refuse(refusal))(scope, receive, send_protected)


PROTECTION = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
"""On every response that does not say otherwise (OWASP REST Security Cheat Sheet)."""


def protect_response(message: Message) -> None:
    """Add the default headers that a response does not set itself."""
    headers = MutableHeaders(scope=message)
    for name, value in PROTECTION.items():
        headers.setdefault(name, value)


_MOST_WARNED = 1000
_warned: set[str] = set()


def warn_unencrypted(scope: Scope, headers: Headers) -> None:
    """Log once per address that a key came unencrypted from another machine.

    A proxy that speaks TLS says so in X-Forwarded-Proto; a forged header only saves a log line.
    """
    address = read_address(scope)
    if is_encrypted(scope, headers) or not address or is_loopback(address):
        return
    if address not in _warned and len(_warned) < _MOST_WARNED:
        _warned.add(address)
        _logger.warning(
            "a key came unencrypted from %s: anyone on the network path can read it; give the service a certificate (server.certificate), or "
            "put a proxy before it that speaks TLS",
            address,
        )


def is_encrypted(scope: Scope, headers: Headers) -> bool:
    """Whether a request came by TLS, to the service or to a proxy that says so; who makes that up harms nobody else."""
    return scope["scheme"] == "https" or headers.get("x-forwarded-proto") == "https"


def read_address(scope: Scope) -> str:
    """The address of the machine that sent a request; empty where it is not known."""
    return scope["client"][0] if scope.get("client") else ""


def is_foreign_page(headers: Headers) -> bool:
    """Whether a browser says that a request comes from another origin, including another port of the same host.

    By Origin, and by Sec-Fetch-Site (Fetch Metadata, W3C) where a request has no Origin, as for a picture.
    """
    origin = headers.get("origin")
    if origin is not None and _place_of(origin) != headers.get("host", "").lower():
        return True
    return headers.get("sec-fetch-site", "none") not in {"same-origin", "none"}


def _name_of(address: str) -> str:
    try:
        return urlsplit(address).hostname or ""
    except ValueError:
        return ""


def _place_of(origin: str) -> str:
    try:
        return urlsplit(origin).netloc.lower()
    except ValueError:
        return ""


ROOM_SECONDS = 2
"""When to retry after an overload; answers of the offline mode take less (docs/benchmarks.md)."""


class RequestLimit:
    """Refuses requests while too many are in progress, including those that wait or listen."""

    def __init__(self, app: ASGIApp, most: int, refuse: Callable[[str], ASGIApp], free: Collection[str] = ()) -> None:
        """``refuse`` answers with the given reason and ROOM_SECONDS; requests for a path in ``free`` are never refused."""
        self._app = app
        self._most = most
        self._refuse = refuse
        self._free = free
        self._under_way = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """As ASGI says."""
        if scope["type"] != "http" or scope["path"] in self._free:
            await self._app(scope, receive, send)
        elif self._under_way >= self._most:
            current = "1 request is" if self._most == 1 else f"{self._most} requests are"
            await self._refuse(f"{current} in progress already")(scope, receive, send)
        else:
            self._under_way += 1
            try:
                await self._app(scope, receive, send)
            finally:
                self._under_way -= 1


class BodyLimit:
    """Refuses bodies that are too large, at once if their length is declared or else as soon as the limit is passed, and
    those that do not arrive: after ``seconds``, and a second more for every SLOWEST_BYTES that came.
    """

    def __init__(
        self, app: ASGIApp, most: Callable[[Scope], int], seconds: float, refuse: Callable[[HTTPException], ASGIApp]
    ) -> None:
        """``most`` gives the bytes that the body of a request may have; ``refuse`` answers instead of the application."""
        self._app = app
        self._most = most
        self._seconds = seconds
        self._refuse = refuse

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """As ASGI says."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        body = _Body(self._most(scope), self._seconds)
        length = Headers(scope=scope).get("content-length", "")
        try:
            body.check_size(int(length) if length.isascii() and length.isdigit() else 0)
        except HTTPException as error:
            await self._refuse(error)(scope, receive, send)
            return

        has_begun = False

        async def send_noted(message: Message) -> None:
            nonlocal has_begun
            has_begun = True
            await send(message)

        async def receive_limited() -> Message:
            if not has_begun:
                try:
                    return await body.take_piece(receive)
                except HTTPException:
                    if not has_begun:
                        raise
            # a response that has begun reads no body: it listens for its caller to leave
            return await receive()

        await self._app(scope, receive_limited, send_noted)


class _Body:
    """One body on its way; errors are of the framework's own kind: any other that is raised while a body is read
    becomes its plain 400.
    """

    def __init__(self, most: int, seconds: float) -> None:
        self._most = most
        self._seconds = seconds
        self._began: float | None = None
        self._taken = 0
        self._is_whole = False

    def check_size(self, size: int) -> None:
        if size > self._most:
            raise HTTPException(413, f"The body has more than {self._most:,} bytes.")

    async def take_piece(self, receive: Receive) -> Message:
        if self._is_whole:
            return await receive()
        loop = asyncio.get_running_loop()
        if self._began is None:
            self._began = loop.time()
        try:
            async with asyncio.timeout_at(self._began + self._seconds + self._taken / SLOWEST_BYTES):
                message = await receive()
        except TimeoutError:
            problem = f"The body did not come within {self._seconds:g} s."
            raise HTTPException(408, problem, headers={"Connection": "close"}) from None
        self._taken += len(message.get("body", b""))
        self._is_whole = not message.get("more_body", False)
        self.check_size(self._taken)
        return message


class _Cycle(Protocol):
    response_complete: bool


class _HttpProtocol(Protocol):
    """The parts of uvicorn's protocols that are used: ``cycle`` is the request whose headers came last."""

    cycle: _Cycle | None

    def connection_made(self, transport: asyncio.BaseTransport, /) -> None: ...
    def connection_lost(self, exc: Exception | None, /) -> None: ...
    def data_received(self, data: bytes, /) -> None: ...
    def eof_received(self) -> bool | None: ...
    def pause_writing(self) -> None: ...
    def resume_writing(self) -> None: ...


class TimelyProtocol(asyncio.Protocol):
    """uvicorn's protocol, which closes a connection whose headers are not whole after so many seconds.

    It is the one on h11, which takes 64 KiB of headers and no more. The one on httptools, which uvicorn prefers where that is installed, holds
    whatever comes in that time: 600 MB in seven seconds.
    """

    def __init__(self, seconds: float, **options: Any) -> None:
        self._seconds = seconds
        self._inner = cast("Callable[..., _HttpProtocol]", H11Protocol)(**options)
        self._transport: asyncio.Transport | None = None
        self._deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """A connection is there."""
        self._transport = cast(asyncio.Transport, transport)
        self._inner.connection_made(transport)
        self._set_deadline()

    def data_received(self, data: bytes) -> None:
        """Some bytes of a request; those of an unread body count as headers of the next."""
        self._inner.data_received(data)
        cycle = self._inner.cycle
        if cycle is None or cycle.response_complete:
            self._set_deadline()
        else:
            self._drop_deadline()

    def connection_lost(self, exc: Exception | None) -> None:
        """The connection is gone."""
        self._drop_deadline()
        self._inner.connection_lost(exc)

    def eof_received(self) -> bool | None:
        """The client sends no more."""
        return self._inner.eof_received()

    def pause_writing(self) -> None:
        """The client reads slowly."""
        self._inner.pause_writing()

    def resume_writing(self) -> None:
        """The client reads again."""
        self._inner.resume_writing()

    def _set_deadline(self) -> None:
        if self._deadline is None and self._transport is not None:
            self._deadline = asyncio.get_running_loop().call_later(self._seconds, self._transport.close)

    def _drop_deadline(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None


def serving_config(
    app: ASGIApp, server: ServerSettings, *, host: str = "127.0.0.1", port: int = 0, closing_seconds: int | None = None
) -> uvicorn.Config:
    """How uvicorn serves ``app``: with our own logs, behind no proxy that it would believe, in time, and encrypted where there is a certificate.

    ``closing_seconds`` is how long connections may take to be closed at the end.
    """
    return uvicorn.Config(
        app,
        host=host,
        port=port,
        # called like the class that it stands for
        http=cast("type[asyncio.Protocol]", partial(TimelyProtocol, server.receive_seconds)),
        ws="none",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        lifespan="on",
        timeout_graceful_shutdown=closing_seconds,
        ssl_certfile=server.certificate or None,
        ssl_keyfile=server.key_file or None,
    )


def check_certificate(server: ServerSettings) -> None:
    """Raise ConfigurationError for a certificate, or a key of it, that is unusable."""
    if server.key_file and not server.certificate:
        raise ConfigurationError("server.key_file needs a certificate: give that too (--certificate)")
    if not server.certificate:
        return
    try:
        # without an answer to give, OpenSSL would ask the terminal for the password of a key
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(server.certificate, server.key_file or None, lambda: "")
    except OSError as error:
        reason = "no such file" if isinstance(error, FileNotFoundError) else error.strerror or str(error)
        both = server.certificate + (f" with {server.key_file}" if server.key_file else "")
        raise ConfigurationError(
            f"{both}: cannot be used as a certificate ({reason}); give a certificate and its key, which has no password, as PEM"
        ) from error
