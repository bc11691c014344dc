"""What a failed call to a model on a server means.

The exceptions of the providers' packages share no base class but much of their shape: a status as ``status_code`` or
``code``, a ``response`` with headers, transport errors under well-known names. The whole chain of causes is read.
"""

from __future__ import annotations

import socket
import ssl
from collections.abc import Iterator
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, cast

from ascertain.core.errors import ModelError
from ascertain.models.untrusted import keep_visible

_LONGEST_REASON = 300  # characters; servers answer with whole pages of HTML

_UNREACHED = {"ConnectError", "ConnectTimeout", "NewConnectionError", "ClientConnectorError"}
_CUT = {"TransportError", "APIConnectionError", "ClientConnectionError", "ClientPayloadError"}
_LATE = {"TimeoutError", "TimeoutException", "APITimeoutError"}
_TRY_AGAIN = {408, 409, 425, 429}  # as the official clients do, besides every 5xx
_OVERLOADED = {408, 429}
UNREADABLE = 0.5
"""How far a reply that is none of the API's shows that the server is down: a gateway's page of HTML is one, but so may
be what a filter left of the reply to this one prompt. The second in a row counts.
"""


class CallFailed(ModelError):
    """One call that gave no reply.

    ``summary`` is in our words, ``detail`` in the server's. ``status`` is the server's, None where there was none;
    ``reached`` says whether the server saw the request, and so may charge for it; ``is_transient`` whether another try
    may succeed; ``retry_after`` the seconds the server asked to wait; ``outage`` in 0..1 how far this shows that the
    server is down, whatever it is asked.
    """

    def __init__(
        self,
        summary: str,
        detail: str = "",
        *,
        status: int | None = None,
        reached: bool = True,
        is_transient: bool = False,
        retry_after: float | None = None,
        outage: float = 0.0,
    ) -> None:
        self.reason = f"{summary}: {detail}" if detail else summary
        super().__init__(self.reason)
        self.summary = summary
        self.outage = outage
        self.status = status
        self.reached = reached
        self.is_transient = is_transient
        self.retry_after = retry_after


def read_failure(error: BaseException, secret: str = "") -> CallFailed:
    """What ``error`` of a provider package means; ``secret`` is removed from it, since servers repeat keys they refuse."""
    chain = list(_iterate_causes(error))
    texts = [_one_line(each, secret) for each in chain]
    status = next((found for each in chain if (found := _http_status(each)) is not None), None)
    if status is not None:
        return CallFailed(
            f"{_explain_status(status)} (HTTP {status})",
            texts[0],
            status=status,
            is_transient=status in _TRY_AGAIN or status >= 500,
            retry_after=next((wait for each in chain if (wait := _retry_after(each)) is not None), None),
            outage=1.0 if status in _OVERLOADED or status >= 500 else 0.0,
        )
    root = next((text for text in reversed(texts) if text), type(error).__name__)
    if _matches_any(chain, _UNREACHED, (ConnectionRefusedError, socket.gaierror, ssl.SSLCertVerificationError)):
        return CallFailed("the server cannot be reached", root, reached=False, is_transient=True, outage=1.0)
    if _matches_any(chain, _LATE, (TimeoutError,)):
        return CallFailed("the server took too long", outage=1.0)
    if _matches_any(chain, _CUT, (ConnectionError, ssl.SSLError)):
        return CallFailed("the connection was cut", root, is_transient=True, outage=1.0)
    return CallFailed(
        "the reply could not be read", f"{type(error).__name__}: {texts[0]}", is_transient=True, outage=UNREADABLE
    )


def _iterate_causes(error: BaseException | None) -> Iterator[BaseException]:
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__


def _matches_any(chain: list[BaseException], names: set[str], kinds: tuple[type[BaseException], ...]) -> bool:
    return any(isinstance(each, kinds) or names & {c.__name__ for c in type(each).__mro__} for each in chain)


def _http_status(error: BaseException) -> int | None:
    loose = cast(Any, error)
    for found in (
        getattr(loose, "status_code", None),
        getattr(loose, "code", None),
        getattr(getattr(loose, "response", None), "status_code", None),
    ):
        if isinstance(found, int) and 400 <= found < 600:
            return found
    return None


def _retry_after(error: BaseException) -> float | None:
    headers = getattr(getattr(cast(Any, error), "response", None), "headers", None)
    if headers is None:
        return None
    milliseconds, value = headers.get("retry-after-ms"), headers.get("retry-after")
    try:
        if milliseconds is not None:
            return max(0.0, float(milliseconds) / 1000)
        return None if value is None else max(0.0, float(value))
    except ValueError:
        return _seconds_until(value)


def _seconds_until(date: object) -> float | None:
    try:
        moment = parsedate_to_datetime(str(date))
    except ValueError:
        return None
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return max(0.0, (aware - datetime.now(UTC)).total_seconds())


def _explain_status(status: int) -> str:
    match status:
        case 401 | 403:
            return "the server refused the key"
        case 404:
            return "the server does not know the model or the address"
        case 429:
            return "the server is asked too often"
        case _ if status >= 500:
            return "the server failed"
        case _:
            return "the server refused the request"


def _one_line(error: BaseException, secret: str) -> str:
    line = " ".join(keep_visible(str(error)).split())
    if secret:
        line = line.replace(secret, "***")
    return line if len(line) <= _LONGEST_REASON else line[: _LONGEST_REASON - 1] + "…"
