"""``/v1/users``: people who sign in by name and password, for administrators, each of its own tenant; and one's own password."""

from typing import Annotated

from fastapi import APIRouter, Path, Request, Response
from pydantic import Field

from ascertain.app.access.api_keys import list_keys
from ascertain.app.access.connections import read_address
from ascertain.app.access.sign_in.admission import NotAdmitted
from ascertain.app.access.sign_in.passwords import (
    LONGEST,
    TooManyTries,
    add_user,
    change_password,
    remove_user,
    verify_password,
)
from ascertain.app.wire.requests import ID_PATTERN, Body
from ascertain.app.wire.service import RemovedUserJson, UsersJson
from ascertain.core.errors import UsageError
from ascertain.core.service.service import Role, User
from ascertain.interfaces.server.identity import Caller, Known
from ascertain.interfaces.server.problems import Problem, ProblemError, describe_problems, missing_error
from ascertain.interfaces.server.service import Running

users_router = APIRouter(prefix="/v1/users", tags=["keys"])
own_password_router = APIRouter(prefix="/v1/session", tags=["session"])
UserName = Annotated[str, Path(min_length=1, max_length=100, pattern=ID_PATTERN)]
Password = Annotated[str, Field(min_length=1, max_length=LONGEST)]


class UserBody(Body):
    """Somebody to let in."""

    name: Annotated[str, Field(min_length=1, max_length=100, examples=["kim"])]
    password: Password
    role: Role = Field(default=Role.WRITE, examples=["write"])


class PasswordBody(Body):
    """Another password."""

    password: Password


class OwnPasswordBody(Body):
    """Another password of one's own, for the one in force."""

    old: Password
    password: Password


@users_router.get("", responses=describe_problems())
def list_users(who: Known, service: Running) -> UsersJson:
    """List the people of the tenant who sign in by name and password."""
    found = [user for user in service.stores.users.users() if user.tenant == who.tenant]
    return UsersJson(users=list(found))


@users_router.post("", status_code=201, responses=describe_problems(400))
def make_user(body: UserBody, who: Known, service: Running) -> User:
    """Let somebody in by name and password; once there is somebody, nobody comes in without a key or name.

    The first, where there are no keys, must be an administrator.
    """
    if body.role is not Role.ADMIN and service.is_open() and not list_keys(service.stores):
        raise UsageError("the first user closes this service for everybody else: make one of the role admin first")
    return add_user(
        service.stores, body.name, body.password, tenant=who.tenant, role=body.role, viewer=who.knowledge.viewer
    )


@users_router.put("/{name}/password", status_code=204, responses=describe_problems(400, 404), response_class=Response)
def set_password(name: UserName, body: PasswordBody, who: Known, service: Running) -> Response:
    """Give somebody another password; who is signed in as that user is signed out."""
    _check_own(who, service, name)
    change_password(service.stores, name, body.password, who.knowledge.viewer)
    return Response(status_code=204)


@users_router.delete("/{name}", responses=describe_problems(404))
def delete_user(name: UserName, who: Known, service: Running) -> RemovedUserJson:
    """Let somebody in no more, and sign them out; their conversations stay."""
    _check_own(who, service, name)
    remove_user(service.stores, name, who.knowledge.viewer)
    return RemovedUserJson(removed=name)


@own_password_router.put("/password", status_code=204, responses=describe_problems(400), response_class=Response)
def change_own_password(body: OwnPasswordBody, who: Known, service: Running, request: Request) -> Response:
    """Give oneself another password, for the one in force; every browser must sign in again."""
    found = service.stores.users.find(who.user) if who.user else None
    if found is None or found[0].tenant != who.tenant:
        raise UsageError("you do not sign in by name and password, so there is no password to change")
    try:
        verify_password(service.stores, found[0].name, body.old, read_address(request.scope))
    except TooManyTries as refusal:
        told = "There were too many tries; wait a little."
        raise ProblemError(Problem("rate-limited", told, retry_after=refusal.seconds)) from refusal
    except NotAdmitted as refusal:
        raise ProblemError(Problem("forbidden", "That is not the password in force.")) from refusal
    change_password(service.stores, found[0].name, body.password, who.knowledge.viewer)
    return Response(status_code=204)


def _check_own(who: Caller, service: Running, name: str) -> None:
    found = service.stores.users.find(name)
    if found is None or found[0].tenant != who.tenant:
        raise missing_error("user of this name")
