"""Authentication: a key stands for a user of a tenant; a service on loopback that never had a key is open to the tenant of its settings.

Callers are identified, and their requests counted, before any of a body is read: requests of strangers cost nothing, and
invalid bodies count like others.
"""

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

from ascertain.app.api_keys import authenticate_key
from ascertain.app.ascertain import Ascertain
from ascertain.app.connections import is_foreign_page, read_address, warn_unencrypted
from ascertain.app.ports import RateLimits
from ascertain.app.viewers import Viewer, note_audit
from ascertain.core.errors import AscertainError
from ascertain.core.service import ApiKey, Role
from ascertain.server.problems import Problem, ProblemError, answer_problem, note_error
from ascertain.server.roles import find_role
from ascertain.server.service import Service

MINUTE = 60.0
UPLOADS = "/v1/documents"
FILES_AT_ONCE = 100
"""Files of one upload; a program that has more sends them in several."""
LARGEST_UPLOAD = 4
"""An upload may be this many times as large as its largest file: some large ones together, not a hundred of them
on disk.
"""


def take_one(rates: RateLimits, key: ApiKey, moment: datetime) -> None:
    """Count one request of a key. Raises ProblemError (429) when there were too many in the last minute."""
    limit = key.requests_per_minute
    wait = rates.take(key.id, limit, MINUTE, moment) if limit else 0.0
    if wait > 0:
        raise ProblemError(Problem("rate-limited", f"This key may send {limit} requests a minute.", retry_after=wait))


_bearer = HTTPBearer(auto_error=False, scheme_name="bearer", description="An API key of `ascertain keys add`.")
_header = APIKeyHeader(
    name="X-API-Key", auto_error=False, scheme_name="header", description="The same key in a separate header."
)


@dataclass(frozen=True, slots=True)
class Caller:
    """``knowledge`` sees only what belongs to the caller's tenant; ``key`` is None where the service is open."""

    knowledge: Ascertain
    key: ApiKey | None

    @property
    def tenant(self) -> str:
        """The tenant of the documents."""
        return self.knowledge.tenant

    @property
    def user(self) -> str | None:
        """The user of the conversations, jobs and runs; None where the service is open."""
        return self.knowledge.viewer.user

    @property
    def role(self) -> Role:
        """What the caller may do."""
        return self.knowledge.viewer.role


FOR_ALL = frozenset({"/", "/docs", "/openapi.json", "/healthz", "/readyz"})
"""Addresses that reveal no documents; everything else needs a caller, even an unknown address."""
PAGE_FILES = "/page/"
"""The prefix of the addresses of the page's files."""
SESSIONS = "/v1/session"
SESSION_COOKIE = "ascertain_session"
"""Holds the key of a user of the page."""


def is_for_all(scope: Scope) -> bool:
    """Whether a request needs no caller."""
    if scope["path"] == SESSIONS:
        return scope["method"] in {"POST", "DELETE"}
    return scope["path"] in FOR_ALL or scope["path"].startswith(PAGE_FILES)


class CallerCheck:
    """Passes requests of known callers, once they are counted."""

    def __init__(self, app: ASGIApp, service: Service) -> None:
        self._app = app
        self._service = service

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """As ASGI says."""
        if scope["type"] == "http" and not is_for_all(scope):
            try:
                caller = await run_in_threadpool(identify_caller, self._service, scope)
            except AscertainError as error:
                await answer_problem(note_error(error), scope, receive, send)
                return
            scope["state"]["caller"] = caller
            if caller.key is not None:
                scope["state"]["tenant"] = caller.tenant
        await self._app(scope, receive, send)


def identify_caller(service: Service, scope: Scope) -> Caller:
    """The caller, once its request is counted. Raises ProblemError: 401, 403 or 429."""
    headers = Headers(scope=scope)
    scheme, credentials = get_authorization_scheme_param(headers.get("authorization"))
    text = credentials if credentials and scheme.lower() == "bearer" else headers.get("x-api-key")
    text = text or _read_session(headers)
    if text:
        warn_unencrypted(scope, headers)
    address = read_address(scope)
    key = authenticate_key(service.stores, text, service.now(), address) if text else None
    # clients of OpenAI's API always send a key, and a dummy one where none is needed
    if key is None and service.is_open():
        return Caller(service.knowledge.as_tenant(service.knowledge.tenant, Viewer(address=address)), None)
    if key is None:
        raise ProblemError(
            Problem(
                "unauthorized",
                "Send a valid key: Authorization: Bearer KEY, or X-API-Key: KEY.",
                headers={"WWW-Authenticate": "Bearer"},
            )
        )
    take_one(service.stores.rates, key, service.now())
    caller = Caller(service.knowledge.as_tenant(key.tenant, Viewer.of(key, address)), key)
    _check_role(service, caller, scope)
    return caller


def _check_role(service: Service, caller: Caller, scope: Scope) -> None:
    """Raise ProblemError (403), once it is in the audit log, if the key may not do this."""
    needed = find_role(scope["method"], scope["path"])
    if needed is None or caller.role.includes(needed):
        return
    request = f"{scope['method']} {scope['path']}"
    note_audit(service.stores, caller.knowledge.viewer, caller.tenant, "request", request, outcome="refused")
    problem = f"This key may {caller.role.value}; this needs one made with `ascertain keys add --role {needed.value}`."
    raise ProblemError(Problem("forbidden", problem))


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


Known = Annotated[Caller, Depends(caller_of)]
"""A parameter of a route: the caller."""
