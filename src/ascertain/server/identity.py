"""Who asks: a key stands for a tenant; without any key a service on loopback is open to the tenant of its settings."""

import time
from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import datetime
from ipaddress import ip_address
from typing import Annotated
from urllib.parse import urlsplit

from fastapi import Depends, Request, Security
from fastapi.security import APIKeyHeader, HTTPBearer
from fastapi.security.http import HTTPAuthorizationCredentials
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ascertain.app.api_keys import authenticate_key, list_keys
from ascertain.app.ascertain import Ascertain
from ascertain.app.ports import RateLimits, ServiceStores
from ascertain.core.service import ApiKey
from ascertain.server.problems import Problem, ProblemError
from ascertain.server.service import Service, service_of

MINUTE = 60.0
UPLOADS = "/v1/documents"
FILES_AT_ONCE = 100
"""Files of one upload; a program that has more sends them in several."""
LARGEST_UPLOAD = 4
"""An upload may be so many times as large as its largest file may be: some large ones together, not a hundred of them
on disk.
"""


def take_one(rates: RateLimits, key: ApiKey, moment: datetime) -> None:
    """Count one request of a key. Raises ProblemError (429) when there were too many in the last minute."""
    limit = key.requests_per_minute
    wait = rates.take(key.id, limit, MINUTE, moment) if limit else 0.0
    if wait > 0:
        raise ProblemError(Problem("rate-limited", f"This key may send {limit} requests a minute.", retry_after=wait))


class BodyLimit:
    """Refuses bodies that are too large: at once where their length is told, or else as soon as they have become so."""

    def __init__(self, app: ASGIApp, most: int, most_upload: int) -> None:
        """``most`` bytes of an ordinary request, ``most_upload`` of one that uploads files."""
        self._app = app
        self._most = most
        self._most_upload = most_upload

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """As ASGI says."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        is_upload = scope["method"] == "POST" and scope["path"] == UPLOADS
        most = self._most_upload if is_upload else self._most
        length = Headers(scope=scope).get("content-length", "")
        told = int(length) if length.isascii() and length.isdigit() else 0
        taken = 0

        async def receive_counted() -> Message:
            nonlocal taken
            if told > most:
                raise _too_large(most)
            message = await receive()
            taken += len(message.get("body", b""))
            if taken > most:
                raise _too_large(most)
            return message

        await self._app(scope, receive_counted, send)


def _too_large(most: int) -> HTTPException:
    # of the framework's own kind: anything else raised while a body is read becomes its plain 400
    return HTTPException(413, f"The body has more than {most:,} bytes.")


def is_loopback(host: str) -> bool:
    """Whether a name or address, without a port, is this machine and nobody else's."""
    if host.lower().rstrip(".") == "localhost":
        return True
    try:
        return ip_address(host.strip("[]").partition("%")[0]).is_loopback
    except ValueError:
        return False


def refuse_strangers(headers: Headers, allowed: Collection[str]) -> None:
    """Raise ProblemError for a request to an open service that a stranger's page may have made; ``allowed`` are
    ``server.cors_origins``.

    A browser sends requests to loopback on behalf of any page. One that was made to believe that its own name is this
    machine (DNS rebinding) shows that name in Host; one that merely sends names itself in Origin.
    """
    host = headers.get("host", "")
    if not is_loopback(_name_of(f"//{host}")):
        raise ProblemError(
            Problem("forbidden", "Without API keys this service answers to the names of this machine only.")
        )
    origin = headers.get("origin")
    if origin is None or origin in allowed or "*" in allowed:
        return
    if urlsplit(origin).netloc.lower() != host.lower():
        raise ProblemError(Problem("forbidden", "Pages of this origin may not call the service (server.cors_origins)."))


def _name_of(address: str) -> str:
    try:
        return urlsplit(address).hostname or ""
    except ValueError:
        return ""


LOOK_AGAIN_SECONDS = 2.0
"""How soon an open service notices that it has a key now."""

_bearer = HTTPBearer(auto_error=False, scheme_name="bearer", description="An API key of `ascertain keys add`.")
_header = APIKeyHeader(
    name="X-API-Key", auto_error=False, scheme_name="header", description="The same key in a header of its own."
)


@dataclass(frozen=True, slots=True)
class Caller:
    """``knowledge`` sees only what belongs to the caller's tenant; ``key`` is None where the service is open."""

    knowledge: Ascertain
    key: ApiKey | None

    @property
    def tenant(self) -> str:
        """Whose documents these are."""
        return self.knowledge.tenant

    @property
    def is_admin(self) -> bool:
        """Whether the figures of the whole service are the caller's business."""
        return self.key is None or self.key.is_admin


class Openness:
    """Whether requests need no key: a service that began open stays so until it has a key."""

    def __init__(self, service: Callable[[], ServiceStores], may_be_open: bool) -> None:
        self._service = service
        self._may_be_open = may_be_open
        self._looked: float | None = None

    def __call__(self) -> bool:
        """Looks for keys at most every LOOK_AGAIN_SECONDS; once there was one, the service never opens by itself."""
        if not self._may_be_open:
            return False
        now = time.monotonic()
        if self._looked is None or now - self._looked > LOOK_AGAIN_SECONDS:
            self._may_be_open = not has_keys(self._service())
            self._looked = now
        return self._may_be_open


def has_keys(service: ServiceStores) -> bool:
    """Whether anybody holds a key that is not revoked."""
    return any(key.revoked_at is None for key in list_keys(service))


def identify_caller(
    request: Request,
    service: Annotated[Service, Depends(service_of)],
    bearer: Annotated[HTTPAuthorizationCredentials | None, Security(_bearer)],
    header: Annotated[str | None, Security(_header)],
) -> Caller:
    """The caller, once its request is counted. Raises ProblemError: 401, 403 or 429."""
    text = bearer.credentials if bearer else header
    key = authenticate_key(service.stores, text, service.now()) if text else None
    # clients of OpenAI's API send a key wherever they go, and make one up where none is needed
    if key is None and service.is_open():
        refuse_strangers(request.headers, service.settings.server.cors_origins)
        return Caller(service.knowledge, None)
    if key is None:
        raise ProblemError(
            Problem(
                "unauthorized",
                "Send a valid key: Authorization: Bearer KEY, or X-API-Key: KEY.",
                headers={"WWW-Authenticate": "Bearer"},
            )
        )
    request.state.tenant = key.tenant
    take_one(service.stores.rates, key, service.now())
    return Caller(service.knowledge.as_tenant(key.tenant), key)


def identify_admin(who: Annotated[Caller, Depends(identify_caller)]) -> Caller:
    """A caller who may see the figures of the whole service. Raises ProblemError: 403."""
    if not who.is_admin:
        raise ProblemError(Problem("forbidden", "This needs a key made with `ascertain keys add --admin`."))
    return who


Known = Annotated[Caller, Depends(identify_caller)]
"""A parameter of a route: the caller."""
