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

from ascertain.app.access.api_keys import authenticate_key
from ascertain.app.access.connections import is_foreign_page, read_address, warn_unencrypted
from ascertain.app.access.sign_in.admission import NotAdmitted
from ascertain.app.access.viewers import Viewer, note_audit
from ascertain.app.ascertain import Ascertain
from ascertain.app.ports import RateLimits
from ascertain.core.errors import AscertainError
from ascertain.core.service.service import ApiKey, Role
from ascertain.interfaces.server.problems import Problem, ProblemError, answer_problem, note_error
from ascertain.interfaces.server.roles import find_need
from ascertain.interfaces.server.service import Service

MINUTE = 60.0
UPLOADS = "/v1/documents"
FILES_AT_ONCE = 100
"""Files of one upload; a program that has more sends them in several."""
LARGEST_UPLOAD = 4
"""An upload may be this many times as large as its largest file: some large ones together, not a hundred of them
on disk.
"""


def take_one(rates: RateLimits, name: str, limit: int, moment: datetime) -> None:
    """Count one request of a key or user; ``limit`` 0 is without one. Raises ProblemError (429) when there were too many in the last minute."""
    wait = rates.take(name, limit, MINUTE, moment) if limit else 0.0
    if wait > 0:
        raise ProblemError(Problem("rate-limited", f"There may be {limit} requests a minute.", retry_after=wait))


_bearer = HTTPBearer(auto_error=False, scheme_name="bearer", description="An API key of `ascertain keys add`.")
_header = APIKeyHeader(
    name="X-API-Key", auto_error=False, scheme_name="header", description="The same key in a separate header."
)


@dataclass(frozen=True, slots=True)
class Caller:
    """``knowledge`` sees only what belongs to the caller's tenant; ``key`` is None where the service is open, or a proxy names the user."""

    knowledge: Ascertain
    key: ApiKey | None
    operator_tenant: str
    """The tenant of the service's own settings."""

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

    @property
    def is_operator(self) -> bool:
        """Whether the caller may do what concerns all tenants: an administrator of the service's own tenant."""
        return self.role is Role.ADMIN and self.tenant == self.operator_tenant


LEAVES = "leaves"
"""The mark of a request that is answered with a redirect to another host, on purpose."""
SIGN_IN = "/v1/sign-in"
SIGN_IN_START = f"{SIGN_IN}/oidc"
SIGN_IN_END = f"{SIGN_IN_START}/callback"
FOR_ALL = frozenset({"/", "/docs", "/openapi.json", "/healthz", "/readyz", SIGN_IN, SIGN_IN_START, SIGN_IN_END})
"""Addresses that tell nobody's documents; everything else needs a caller, be it an address that is none."""
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
            if caller.user is not None:
                scope["state"]["tenant"] = caller.tenant
        await self._app(scope, receive, send)


def identify_caller(service: Service, scope: Scope) -> Caller:
    """The caller, once its request is counted. Raises ProblemError: 401, 403 or 429."""
    headers = Headers(scope=scope)
    caller = _find_proxy_user(service, scope, headers) or _find_key_user(service, scope, headers)
    if caller is not None:
        _check_role(service, caller, scope)
        return caller
    # clients of OpenAI's API send a key wherever they go, and make one up where none is needed
    if service.is_open():
        viewer = Viewer(address=read_address(scope))
        return Caller(service.knowledge.as_tenant(service.knowledge.tenant, viewer), None, service.knowledge.tenant)
    raise ProblemError(
        Problem(
            "unauthorized",
            "Send a valid key: Authorization: Bearer KEY, or X-API-Key: KEY.",
            headers={"WWW-Authenticate": "Bearer"},
        )
    )


def describe_key_user(service: Service, key: ApiKey, address: str) -> Caller:
    """The caller that a key stands for."""
    return Caller(service.knowledge.as_tenant(key.tenant, Viewer.of(key, address)), key, service.knowledge.tenant)


def _find_key_user(service: Service, scope: Scope, headers: Headers) -> Caller | None:
    scheme, credentials = get_authorization_scheme_param(headers.get("authorization"))
    text = credentials if credentials and scheme.lower() == "bearer" else headers.get("x-api-key")
    text = text or _read_session(headers)
    if not text:
        return None
    warn_unencrypted(scope, headers)
    address = read_address(scope)
    key = authenticate_key(service.stores, text, service.now(), address)
    if key is None:
        return None
    take_one(service.stores.rates, key.id, key.requests_per_minute, service.now())
    return describe_key_user(service, key, address)


def _find_proxy_user(service: Service, scope: Scope, headers: Headers) -> Caller | None:
    """Whoever a proxy names, before any key: what the proxy says of a request is newer than a cookie."""
    address = read_address(scope)
    try:
        person = service.proxy_users.find_person(headers, address)
    except NotAdmitted as refusal:
        viewer = Viewer(refusal.user, Role.READ, address=address, account=refusal.user)
        if refusal.user and service.proxy_users.is_new(refusal.reason, refusal.user, service.now().date().isoformat()):
            note_audit(
                service.stores, viewer, service.knowledge.tenant, "sign_in", subject=str(refusal), outcome="refused"
            )
        raise ProblemError(Problem("not-admitted", f"You are not let in: {refusal}.")) from refusal
    if person is None:
        return None
    limit = service.settings.server.requests_per_minute
    take_one(service.stores.rates, f"user {person.tenant} {person.user}", limit, service.now())
    viewer = Viewer(person.user, person.role, address=address, account=person.user)
    service.proxy_users.note_person(service.stores, person, viewer, service.now())
    return Caller(service.knowledge.as_tenant(person.tenant, viewer), None, service.knowledge.tenant)


def _check_role(service: Service, caller: Caller, scope: Scope) -> None:
    """Raise ProblemError (403), once it is in the audit log, where the key may not do what is asked."""
    need = find_need(scope["method"], scope["path"])
    if need is None:
        return
    if not caller.role.includes(need.role):
        told = f"You may {caller.role.value}; this takes the role {need.role.value}, as `ascertain keys add --role {need.role.value}` gives a key."
    elif need.operator and not caller.is_operator:
        told = f"This concerns all tenants: it takes an administrator of the tenant {caller.operator_tenant}, which the service belongs to."
    else:
        return
    request = f"{scope['method']} {scope['path']}"
    note_audit(service.stores, caller.knowledge.viewer, caller.tenant, "request", subject=request, outcome="refused")
    raise ProblemError(Problem("forbidden", told))


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
