"""Who asks: a key stands for a tenant; without any key a service on loopback is open to the tenant of its settings.

Callers are known, and their requests counted, before anything of a body is read: what strangers send costs nothing, and
wrong bodies count as others do.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, cast

from fastapi import Depends, Request, Security
from fastapi.concurrency import run_in_threadpool
from fastapi.security import APIKeyHeader, HTTPBearer
from fastapi.security.http import HTTPAuthorizationCredentials
from fastapi.security.utils import get_authorization_scheme_param
from starlette.datastructures import Headers
from starlette.requests import cookie_parser
from starlette.types import ASGIApp, Receive, Scope, Send

from ascertain.app.api_keys import authenticate_key, list_keys
from ascertain.app.ascertain import Ascertain
from ascertain.app.connections import find_stranger, is_foreign_page
from ascertain.app.ports import RateLimits, ServiceStores
from ascertain.core.errors import AscertainError
from ascertain.core.service import ApiKey
from ascertain.server.problems import Problem, ProblemError, answer_problem, note_error
from ascertain.server.service import Service

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


FOR_ALL = frozenset({"/", "/docs", "/openapi.json", "/healthz", "/readyz"})
"""Addresses that tell nobody's documents; everything else needs a caller, be it an address that is none."""
PAGE_FILES = "/page/"
"""How the addresses of the files begin that the page in the browser is made of."""
SESSIONS = "/v1/session"
SESSION_COOKIE = "ascertain_session"
"""Holds the key of somebody who uses the page."""


def is_for_all(scope: Scope) -> bool:
    """Whether a request needs no caller."""
    if scope["path"] == SESSIONS:
        return scope["method"] in {"POST", "DELETE"}
    return scope["path"] in FOR_ALL or scope["path"].startswith(PAGE_FILES)


class CallerCheck:
    """Lets requests through whose caller is known, once they are counted."""

    def __init__(self, app: ASGIApp, service: Service) -> None:
        self._app = app
        self._service = service

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """As ASGI says."""
        if scope["type"] == "http" and not is_for_all(scope):
            try:
                caller = await run_in_threadpool(identify_caller, self._service, Headers(scope=scope))
            except AscertainError as error:
                await answer_problem(note_error(error), scope, receive, send)
                return
            scope["state"]["caller"] = caller
            if caller.key is not None:
                scope["state"]["tenant"] = caller.tenant
        await self._app(scope, receive, send)


def identify_caller(service: Service, headers: Headers) -> Caller:
    """The caller, once its request is counted. Raises ProblemError: 401, 403 or 429."""
    scheme, credentials = get_authorization_scheme_param(headers.get("authorization"))
    text = credentials if credentials and scheme.lower() == "bearer" else headers.get("x-api-key")
    text = text or _read_session(headers)
    key = authenticate_key(service.stores, text, service.now()) if text else None
    # clients of OpenAI's API send a key wherever they go, and make one up where none is needed
    if key is None and service.is_open():
        told = find_stranger(headers, service.settings.server.cors_origins)
        if told is not None:
            raise ProblemError(Problem("forbidden", told))
        return Caller(service.knowledge, None)
    if key is None:
        raise ProblemError(
            Problem(
                "unauthorized",
                "Send a valid key: Authorization: Bearer KEY, or X-API-Key: KEY.",
                headers={"WWW-Authenticate": "Bearer"},
            )
        )
    take_one(service.stores.rates, key, service.now())
    return Caller(service.knowledge.as_tenant(key.tenant), key)


def _read_session(headers: Headers) -> str | None:
    """The key in the cookie of the page; a browser sends it along for other pages of this host too, which it does not
    count for.
    """
    if is_foreign_page(headers):
        return None
    return cookie_parser(headers.get("cookie", "")).get(SESSION_COOKIE)


def caller_of(
    request: Request,
    bearer: Annotated[HTTPAuthorizationCredentials | None, Security(_bearer)],
    header: Annotated[str | None, Security(_header)],
) -> Caller:
    """The caller that CallerCheck found."""
    return cast(Caller, request.state.caller)


def identify_admin(who: Annotated[Caller, Depends(caller_of)]) -> Caller:
    """A caller who may see the figures of the whole service. Raises ProblemError: 403."""
    if not who.is_admin:
        raise ProblemError(Problem("forbidden", "This needs a key made with `ascertain keys add --admin`."))
    return who


Known = Annotated[Caller, Depends(caller_of)]
"""A parameter of a route: the caller."""
