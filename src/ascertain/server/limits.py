"""Limits: how often a key may ask, and how large a request may be."""

from __future__ import annotations

from datetime import datetime

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ascertain.app.results import ApiKey, RateLimits
from ascertain.server.problems import Problem, ProblemError

MINUTE = 60.0
UPLOADS = "/v1/documents"
FILES_AT_ONCE = 100
"""Files of one upload; a program that has more sends them in several."""
LARGEST_UPLOAD = 4
"""An upload may be so many times as large as its largest file may be: some large ones together, not a hundred of them on disk."""


def take_one(rates: RateLimits, key: ApiKey, moment: datetime) -> None:
    """Count one request of a key. Raises ProblemError (429) when there were too many in the last minute."""
    limit = key.requests_per_minute
    wait = rates.take(key.id, limit, MINUTE, moment) if limit else 0.0
    if wait > 0:
        raise ProblemError(
            Problem("rate-limited", f"This key may send {limit} requests a minute.", retry_after=wait)
        )


class BodyLimit:
    """Refuses bodies that are too large: at once where their length is told, or else as soon as they have become so."""

    def __init__(self, app: ASGIApp, most: int, most_upload: int) -> None:
        """``most`` bytes of an ordinary request, ``most_upload`` of one that uploads files."""
        self._app = app
        self._most = most
        self._most_upload = most_upload

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """As ASGI says."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        is_upload = scope["method"] == "POST" and scope["path"] == UPLOADS
        most = self._most_upload if is_upload else self._most
        length = Headers(scope=scope).get("content-length", "")
        told = int(length) if length.isascii() and length.isdigit() else 0
        taken = 0

        async def receive_counted() -> Message:
            nonlocal taken
            if told > most:
                raise _too_large(most)
            message = await receive()
            taken += len(message.get("body", b""))
            if taken > most:
                raise _too_large(most)
            return message

        await self._app(scope, receive_counted, send)


def _too_large(most: int) -> HTTPException:
    # of the framework's own kind: anything else raised while a body is read becomes its plain 400
    return HTTPException(413, f"The body has more than {most:,} bytes.")
