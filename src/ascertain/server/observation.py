"""What surrounds every request: its id, its line in the log, its figures, the headers that protect browsers, and errors
nobody expected.
"""

from __future__ import annotations

import re
import time
import uuid

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ascertain.server.problems import INTERNAL
from ascertain.server.service import UnderWay
from ascertain.telemetry.logs import log_fields, log_request, logger
from ascertain.telemetry.metrics import Metrics
from ascertain.telemetry.tracing import incoming_trace

REQUEST_ID = "x-request-id"
_GIVEN_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]{0,127}")
"""An id that a caller may give: it goes into logs and headers as it is."""

PROTECTION = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
"""On every response that does not say otherwise (OWASP REST Security Cheat Sheet)."""


class Observation:
    """The outermost layer of the application."""

    def __init__(self, app: ASGIApp, metrics: Metrics, under_way: UnderWay) -> None:
        self._app = app
        self._metrics = metrics
        self._under_way = under_way

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """As ASGI says."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request_id = request_id_of(scope)
        started, status = time.perf_counter(), 0

        async def send_marked(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(scope=message)
                headers[REQUEST_ID] = request_id
                for name, value in PROTECTION.items():
                    headers.setdefault(name, value)
            await send(message)

        with self._under_way.request(), log_fields(request_id=request_id), incoming_trace(Headers(scope=scope)):
            try:
                await self._app(scope, receive, send_marked)
            except Exception:
                logger.exception("unexpected error")
                if status:
                    # the response has begun: cutting it off is the only way to say that it is not whole
                    raise
                response = INTERNAL.response(scope["path"], request_id)
                await response(scope, receive, send_marked)
            finally:
                self._note_request(scope, status or 499, time.perf_counter() - started)

    def _note_request(self, scope: Scope, status: int, seconds: float) -> None:
        route: str | None = getattr(scope.get("route"), "path", None)
        self._metrics.request(route, scope["method"], status, seconds)
        with log_fields(tenant=scope["state"].get("tenant")):
            log_request(scope["method"], route or "unknown", status, seconds)


def request_id_of(scope: Scope) -> str:
    """The id of a request: the one it came with, if that is fit for logs, or else a new one."""
    state = scope.setdefault("state", {})
    known = state.get("request_id")
    if isinstance(known, str):
        return known
    given = Headers(scope=scope).get(REQUEST_ID, "")
    state["request_id"] = given if _GIVEN_ID.fullmatch(given) else uuid.uuid4().hex
    return str(state["request_id"])
