"""``/v1/session``: a browser sends its key once, and from then on in a cookie that scripts cannot read."""

from typing import Annotated, Literal

from fastapi import APIRouter, Request, Response
from fastapi.concurrency import run_in_threadpool
from pydantic import Field

from ascertain import __version__
from ascertain.app.access.api_keys import authenticate_key, revoke_key
from ascertain.app.access.connections import is_encrypted, is_foreign_page, read_address, warn_unencrypted
from ascertain.app.access.viewers import Viewer
from ascertain.app.wire.requests import Body
from ascertain.app.wire.service import SessionJson
from ascertain.core.service.service import Role
from ascertain.interfaces.server.identity import SESSION_COOKIE, Caller, Known, describe_key_user, take_one
from ascertain.interfaces.server.problems import Problem, ProblemError, describe_problems
from ascertain.interfaces.server.service import Running

KEPT_SECONDS = 30 * 86_400
"""How long a browser keeps the key: a user who returns within a month is logged in; revoking the key ends it at once."""

session_router = APIRouter(prefix="/v1/session", tags=["session"])


class SessionBody(Body):
    """A key to log in with."""

    key: Annotated[str, Field(min_length=1, max_length=1000)]


@session_router.get("", responses=describe_problems())
def show_session(who: Known) -> SessionJson:
    """Show who the caller is."""
    return describe_caller(who)


@session_router.post("", responses=describe_problems(400))
async def begin_session(body: SessionBody, service: Running, request: Request, response: Response) -> SessionJson:
    """Log in with a key: the browser sends it in a cookie, which scripts cannot read.

    The cookie counts for requests of the page that the service itself serves, and for no other.
    """
    if is_foreign_page(request.headers):
        raise ProblemError(Problem("forbidden", "Only the page of this service may begin a session."))
    address = read_address(request.scope)
    warn_unencrypted(request.scope, request.headers)
    key = await run_in_threadpool(authenticate_key, service.stores, body.key.strip(), service.now(), address)
    if key is None:
        raise ProblemError(Problem("unauthorized", "This key is not known here, or it was revoked."))
    await run_in_threadpool(take_one, service.stores.rates, key.id, key.requests_per_minute, service.now())
    is_secure = is_encrypted(request.scope, request.headers)
    response.set_cookie(
        SESSION_COOKIE, body.key.strip(), max_age=KEPT_SECONDS, httponly=True, samesite="strict", secure=is_secure
    )
    return describe_caller(describe_key_user(service, key, address))


@session_router.delete("", status_code=204, responses=describe_problems(), response_class=Response)
def end_session(service: Running, request: Request) -> Response:
    """Forget the key in this browser; where somebody signed in at a provider, that session ends."""
    text = "" if is_foreign_page(request.headers) else request.cookies.get(SESSION_COOKIE, "")
    address = read_address(request.scope)
    key = authenticate_key(service.stores, text, service.now(), address)
    if key is not None and key.is_sign_in:
        revoke_key(service.stores, key.id, Viewer.of(key, address))
    response = Response(status_code=204)
    response.delete_cookie(SESSION_COOKIE, httponly=True, samesite="strict")
    return response


def describe_caller(who: Caller) -> SessionJson:
    """Who the caller is."""
    return SessionJson(
        name=who.key.name if who.key else who.user,
        way=_way_of(who),
        tenant=who.tenant,
        user=who.user,
        role=who.role,
        is_admin=who.role is Role.ADMIN,
        has_password=_has_password(who),
        is_operator=who.is_operator,
        version=__version__,
    )


def _way_of(who: Caller) -> Literal["open", "key", "sign-in", "proxy"]:
    if who.key is None:
        return "open" if who.user is None else "proxy"
    return "sign-in" if who.key.is_sign_in else "key"


def _has_password(who: Caller) -> bool:
    if who.key is None or not who.key.is_sign_in or not who.user:
        return False
    found = who.knowledge.service.users.find(who.user)
    return found is not None and found[0].tenant == who.tenant
