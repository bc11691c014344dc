"""``/v1/keys``: who may use the service, for administrators of each tenant."""

from typing import Annotated

from fastapi import APIRouter, Path, Response
from pydantic import Field

from ascertain.app.access.api_keys import create_key, list_keys, read_lifetime, revoke_key, rotate_key
from ascertain.app.wire.requests import Body
from ascertain.app.wire.service import KeyListJson, NewKeyJson, RevokedJson
from ascertain.core.errors import UsageError
from ascertain.core.service.service import ApiKey, Role
from ascertain.interfaces.server.identity import Caller, Known
from ascertain.interfaces.server.problems import describe_problems, missing_error
from ascertain.interfaces.server.service import Running

keys_router = APIRouter(prefix="/v1/keys", tags=["keys"])
KeyId = Annotated[str, Path(max_length=20)]
Lifetime = Annotated[str, Field(max_length=10, description="12h, 90d or 4w.", examples=["90d"])]


class KeyBody(Body):
    """A key to make."""

    name: Annotated[str, Field(max_length=200, description="What it is for.", examples=["laptop"])]
    user: Annotated[str, Field(max_length=100)] = Field(
        default="", description="Whose conversations, jobs and runs it opens; left out, its own.", examples=["alice"]
    )
    role: Role = Field(default=Role.WRITE, examples=["write"])
    expires: Lifetime | None = None
    requests_per_minute: int | None = Field(
        default=None, ge=0, le=1_000_000, description="0 means no limit; by default `server.requests_per_minute`."
    )


class RotationBody(Body):
    """How long a key lasts with its new text."""

    expires: Lifetime | None = Field(default=None, description="By default as long as before.")


@keys_router.get("", responses=describe_problems())
def list_api_keys(who: Known, service: Running) -> KeyListJson:
    """List the keys of the tenant, with when each was last used; a key is shown by its beginning."""
    keys = list(_list_own(who, service))
    return KeyListJson(keys=keys, own=who.key.id if who.key else None)


@keys_router.post("", status_code=201, responses=describe_problems(400))
def make_api_key(body: KeyBody, who: Known, service: Running, response: Response) -> NewKeyJson:
    """Create a key. Its text is in the reply and nowhere else; only a digest of it is stored.

    Once there is a key, every request needs one: the first must have the role admin.
    """
    if body.role is not Role.ADMIN and service.is_open() and not list_keys(service.stores):
        raise UsageError(
            "the first key closes this service for everyone without one: create one with the role admin first"
        )
    usual = service.settings.server.requests_per_minute
    limit = usual if body.requests_per_minute is None else body.requests_per_minute
    # what many requests cost, all tenants pay
    if usual and not who.is_operator and not 0 < limit <= usual:
        raise UsageError(f"a key of this tenant may have up to {usual} requests a minute (server.requests_per_minute)")
    made, text = create_key(
        service.stores,
        body.name,
        who.tenant,
        user=body.user,
        role=body.role,
        expires=read_lifetime(body.expires),
        requests_per_minute=limit,
        viewer=who.knowledge.viewer,
    )
    return _show_once(response, made, text)


@keys_router.post("/{key_id}/rotate", responses=describe_problems(400, 404))
def rotate_api_key(
    key_id: KeyId, who: Known, service: Running, response: Response, body: RotationBody | None = None
) -> NewKeyJson:
    """Replace the text of a key; the old one is refused within a few seconds. What the key created stays its own."""
    _check_own(who, service, key_id)
    lifetime = read_lifetime(body.expires if body else None)
    return _show_once(response, *rotate_key(service.stores, key_id, lifetime, who.knowledge.viewer))


@keys_router.delete("/{key_id}", responses=describe_problems(404))
def revoke_api_key(key_id: KeyId, who: Known, service: Running) -> RevokedJson:
    """Refuse a key from now on; every process notices within a few seconds."""
    _check_own(who, service, key_id)
    revoke_key(service.stores, key_id, who.knowledge.viewer)
    return RevokedJson(revoked=key_id)


def _list_own(who: Caller, service: Running) -> list[ApiKey]:
    return [key for key in list_keys(service.stores) if key.tenant == who.tenant]


def _check_own(who: Caller, service: Running, key_id: str) -> None:
    if not any(key.id == key_id for key in _list_own(who, service)):
        raise missing_error("key of this id")


def _show_once(response: Response, key: ApiKey, text: str) -> NewKeyJson:
    # no cache on the way may store a secret
    response.headers["Cache-Control"] = "no-store"
    return NewKeyJson.of(key, text)
