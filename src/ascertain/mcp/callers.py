"""Who calls over HTTP: a key stands for a tenant; as long as there is none, this machine may call without."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime
from ipaddress import ip_address

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from ascertain.app.api_keys import authenticate, list_keys
from ascertain.app.ascertain import Ascertain
from ascertain.app.results import ApiKey
from ascertain.core.errors import UsageError

TENANT = "ascertain_tenant"
"""In the state of a request: whose knowledge base it may see."""

MINUTE = 60.0


class KeyCheck:
    """Lets requests through that bring a key (``Authorization: Bearer`` or ``X-API-Key``); every request counts against its limit.

    ``may_be_open`` lets all through as long as there is no key at all.
    """

    def __init__(self, app: ASGIApp, knowledge: Ascertain, may_be_open: bool) -> None:
        self._app = app
        self._knowledge = knowledge
        self._may_be_open = may_be_open

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """As ASGI says."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        if self._may_be_open and not await asyncio.to_thread(has_keys, self._knowledge):
            await self._app(scope, receive, send)
            return
        # once there was a key the server never opens again by itself
        self._may_be_open = False
        headers = Headers(scope=scope)
        kind, _, text = headers.get("authorization", "").partition(" ")
        if kind.lower() != "bearer":
            text = headers.get("x-api-key", "")
        key, wait = await asyncio.to_thread(self._admitted, text.strip())
        if key is None:
            await _refuse(
                send, 401, "send a valid key: Authorization: Bearer KEY", "www-authenticate", "Bearer"
            )
        elif wait:
            await _refuse(
                send, 429, "the key's requests a minute are used up", "retry-after", str(int(wait) + 1)
            )
        else:
            scope.setdefault("state", {})[TENANT] = key.tenant
            await self._app(scope, receive, send)

    def _admitted(self, text: str) -> tuple[ApiKey | None, float]:
        service, now = self._knowledge.service, datetime.now(UTC)
        key = authenticate(service, text, now)
        if key is None or not key.requests_per_minute:
            return key, 0.0
        return key, service.rates.take(key.id, key.requests_per_minute, MINUTE, now)


def has_keys(knowledge: Ascertain) -> bool:
    """Whether there is a key, be it a revoked one."""
    return bool(list_keys(knowledge.service))


def check_open(knowledge: Ascertain, host: str) -> None:
    """Raise UsageError when others than this machine could call a server on ``host`` and there is no key."""
    if not is_loopback(host) and not has_keys(knowledge):
        raise UsageError(
            f"{host} can be reached from elsewhere, and there is no key yet: make one with `ascertain keys add NAME`, "
            "or listen on 127.0.0.1"
        )


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach ``host``."""
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


async def _refuse(send: Send, status: int, detail: str, header: str, value: str) -> None:
    body = json.dumps({"error": detail}).encode()
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        (header.encode(), value.encode()),
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
