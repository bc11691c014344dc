"""``/v1/sign-in``: how people come in, by name and password, and the way to an OpenID Connect provider and back.

Both ends of that way are addresses that a browser goes to, so what went wrong is said on the page that it comes back to: ``?sign_in=REASON``.
"""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from datetime import timedelta
from typing import Annotated

from fastapi import APIRouter, Query, Request, Response
from fastapi.concurrency import run_in_threadpool
from pydantic import Field
from starlette.responses import RedirectResponse

from ascertain.app.access.api_keys import create_sign_in
from ascertain.app.access.connections import is_encrypted, is_foreign_page, read_address, warn_unencrypted
from ascertain.app.access.sign_in.admission import NotAdmitted, Person, admit_person
from ascertain.app.access.sign_in.oidc import Attempt, Identity, OidcClient
from ascertain.app.access.sign_in.passwords import LONGEST, TooManyTries, sign_in
from ascertain.app.access.viewers import Viewer, note_audit
from ascertain.app.telemetry.logs import logger
from ascertain.app.wire.requests import Body
from ascertain.app.wire.service import SessionJson, SignInJson
from ascertain.core.service.service import Role
from ascertain.interfaces.server.identity import LEAVES, SESSION_COOKIE, SIGN_IN_END, describe_key_user
from ascertain.interfaces.server.problems import Problem, ProblemError, describe_problems, missing_error
from ascertain.interfaces.server.routes.people.session import describe_caller
from ascertain.interfaces.server.service import Running, Service

COOKIE = "ascertain_sign_in"
"""Holds the secret of a try, and where on the page the browser was, while it is at the provider."""
KEPT_SECONDS = 600
"""How long somebody may take at the provider."""
PAGE = "../../../"
"""The page, as seen from the way back; relative, as the service may be below a path of a proxy."""


class SignInBody(Body):
    """Somebody by name."""

    user: Annotated[str, Field(min_length=1, max_length=100)]
    password: Annotated[str, Field(min_length=1, max_length=LONGEST)]


sign_in_router = APIRouter(prefix="/v1/sign-in", tags=["session"])
Place = Annotated[
    str, Query(max_length=500, description="The query of the page to come back to, as `conversation=abc`.")
]


@sign_in_router.get("", responses=describe_problems())
def show_ways_in(service: Running) -> SignInJson:
    """Say how people come in, to whoever asks."""
    passwords = bool(service.stores.users.users())
    return SignInJson(provider=service.oidc.label if service.oidc else None, passwords=passwords)


@sign_in_router.post("", responses=describe_problems(400))
def sign_in_by_password(body: SignInBody, service: Running, request: Request, response: Response) -> SessionJson:
    """Be known by name and password from now on: the browser gets a session in a cookie that no script of a page can read."""
    if is_foreign_page(request.headers):
        raise ProblemError(Problem("forbidden", "Only the page of this service may sign people in."))
    warn_unencrypted(request.scope, request.headers)
    server, address = service.settings.server, read_address(request.scope)
    try:
        key, text = sign_in(
            service.stores,
            body.user,
            body.password,
            lasts=timedelta(hours=server.access.session_hours),
            requests_per_minute=server.requests_per_minute,
            address=address,
        )
    except TooManyTries as refusal:
        raise ProblemError(Problem("rate-limited", f"{_sentence(refusal)}", retry_after=refusal.seconds)) from refusal
    except NotAdmitted as refusal:
        raise ProblemError(Problem("unauthorized", _sentence(refusal))) from refusal
    _set_session(service, request, response, text)
    return describe_caller(describe_key_user(service, key, address))


@sign_in_router.get("/oidc", status_code=303, include_in_schema=False)
async def begin_sign_in(service: Running, request: Request, to: Place = "") -> RedirectResponse:
    """Send the browser to the provider."""
    oidc, attempt = _find_oidc(service), Attempt.begin()
    try:
        response = RedirectResponse(await oidc.find_way_in(attempt, _callback(service, request)), 303)
    except NotAdmitted as refusal:
        logger.warning("nobody can sign in: %s", refusal)
        return RedirectResponse(f"../../?sign_in={refusal.reason}", 303)
    request.scope["state"][LEAVES] = True
    kept = f"{attempt.secret}.{urlsafe_b64encode(to.encode()).decode('ascii').rstrip('=')}"
    # lax, not strict: the way back is a link of the provider's page
    response.set_cookie(COOKIE, kept, max_age=KEPT_SECONDS, httponly=True, samesite="lax", secure=_is_secure(request))
    return response


@sign_in_router.get("/oidc/callback", status_code=303, include_in_schema=False)
async def end_sign_in(service: Running, request: Request) -> RedirectResponse:
    """Take the browser back from the provider: it is known from now on, or the page says why not."""
    oidc = _find_oidc(service)
    secret, _, place = request.cookies.get(COOKIE, "").partition(".")
    try:
        text = await _admit(service, oidc, request, secret)
    except NotAdmitted as refusal:
        response = RedirectResponse(f"{PAGE}?sign_in={refusal.reason}", 303)
    else:
        place = _read_place(place)
        response = RedirectResponse(f"{PAGE}?{place}" if place else PAGE, 303)
        _set_session(service, request, response, text)
    response.delete_cookie(COOKIE, httponly=True, samesite="lax")
    return response


def _set_session(service: Service, request: Request, response: Response, text: str) -> None:
    seconds = round(service.settings.server.access.session_hours * 3600)
    response.set_cookie(
        SESSION_COOKIE, text, max_age=seconds, httponly=True, samesite="strict", secure=_is_secure(request)
    )


def _sentence(error: Exception) -> str:
    told = str(error)
    return f"{told[:1].upper()}{told[1:]}."


async def _admit(service: Service, oidc: OidcClient, request: Request, secret: str) -> str:
    """The text of a key for whoever came back. Raises NotAdmitted, once it is in the log and, where the provider said who it was, in the audit log."""
    address, own_tenant, user = read_address(request.scope), service.knowledge.tenant, ""
    try:
        attempt = Attempt(_require_secret(secret))
        identity = await oidc.identify(attempt, _callback(service, request), dict(request.query_params))
        user = identity.user
        # only now: strangers write nothing
        await run_in_threadpool(_take_attempt, service, attempt)
        person = admit_person(service.settings.server.access, identity.user, identity.groups, own_tenant)
        return await run_in_threadpool(_begin_session, service, person, identity, address)
    except NotAdmitted as refusal:
        logger.warning("sign-in refused: %s", refusal, extra={"reason": refusal.reason, "address": address})
        if user:
            viewer = Viewer(user, Role.READ, address=address, account=user)
            await run_in_threadpool(_note_refusal, service, viewer, own_tenant, f"{refusal.reason}: {refusal}")
        raise


def _require_secret(secret: str) -> str:
    if not secret:
        raise NotAdmitted("expired", "the browser has no cookie of a try")
    return secret


def _take_attempt(service: Service, attempt: Attempt) -> None:
    """Raise NotAdmitted for a try that ended before, at this replica or another."""
    if service.stores.rates.take(f"{COOKIE} {attempt.state}", 1, 2.0 * KEPT_SECONDS, service.now()):
        raise NotAdmitted("expired", "this try has ended before")


def _begin_session(service: Service, person: Person, identity: Identity, address: str) -> str:
    server = service.settings.server
    return create_sign_in(
        service.stores,
        person.user,
        person.tenant,
        person.role,
        name=identity.name,
        lasts=timedelta(hours=server.access.session_hours),
        requests_per_minute=server.requests_per_minute,
        address=address,
    )[1]


def _note_refusal(service: Service, viewer: Viewer, tenant: str, subject: str) -> None:
    note_audit(service.stores, viewer, tenant, "sign_in", subject=subject[:300], outcome="refused")


def _find_oidc(service: Service) -> OidcClient:
    if service.oidc is None:
        raise missing_error("provider to sign in at (server.oidc.issuer)")
    return service.oidc


def _callback(service: Service, request: Request) -> str:
    """The address that the provider sends the browser back to; the provider goes by a list of its own, whatever the request says."""
    address = service.settings.server.oidc.address
    if not address:
        scheme = "https" if _is_secure(request) else "http"
        address = f"{scheme}://{request.headers.get('host', '')}"
    return address.rstrip("/") + SIGN_IN_END


def _is_secure(request: Request) -> bool:
    return is_encrypted(request.scope, request.headers)


def _read_place(text: str) -> str:
    try:
        return urlsafe_b64decode(text + "=" * (-len(text) % 4)).decode()
    except ValueError:
        return ""
