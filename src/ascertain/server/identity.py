"""Who asks: a key stands for a tenant; without any key a service on loopback is open to the tenant of its settings."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request, Security
from fastapi.security import APIKeyHeader, HTTPBearer
from fastapi.security.http import HTTPAuthorizationCredentials

from ascertain.app.api_keys import authenticate, list_keys
from ascertain.app.ascertain import Ascertain
from ascertain.app.results import ApiKey, ServiceStores
from ascertain.server.limits import take_one
from ascertain.server.origins import refuse_strangers
from ascertain.server.problems import Problem, ProblemError
from ascertain.server.service import Service, service_of

LOOK_AGAIN_SECONDS = 2.0
"""How soon an open service notices that it has a key now."""

_bearer = HTTPBearer(
    auto_error=False, scheme_name="bearer", description="An API key of `ascertain keys add`."
)
_header = APIKeyHeader(
    name="X-API-Key",
    auto_error=False,
    scheme_name="header",
    description="The same key in a header of its own.",
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
        """Looks for keys at most every LOOK_AGAIN_SECONDS; once there was one, the service never opens again by itself."""
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


def caller(
    request: Request,
    service: Annotated[Service, Depends(service_of)],
    bearer: Annotated[HTTPAuthorizationCredentials | None, Security(_bearer)],
    header: Annotated[str | None, Security(_header)],
) -> Caller:
    """The caller, once its request is counted. Raises ProblemError: 401, 403 or 429."""
    text = bearer.credentials if bearer else header
    if text is None and service.is_open():
        refuse_strangers(request.headers, service.settings.server.cors_origins)
        return Caller(service.knowledge, None)
    key = authenticate(service.stores, text, service.now()) if text else None
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


def admin(who: Annotated[Caller, Depends(caller)]) -> Caller:
    """A caller who may see the figures of the whole service. Raises ProblemError: 403."""
    if not who.is_admin:
        raise ProblemError(Problem("forbidden", "This needs a key made with `ascertain keys add --admin`."))
    return who


Known = Annotated[Caller, Depends(caller)]
"""A parameter of a route: the caller."""
