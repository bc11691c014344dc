"""What an exception below the client means, in words. Its own text stays out where it may quote headers, and so keys."""

from __future__ import annotations

import socket
import ssl

import httpx

from ascertain.sources.web.deadline import Deadline
from ascertain.sources.web.fetching import FetchError
from ascertain.sources.web.request_urls import shown
from ascertain.sources.web.resolving import ForbiddenAddress


def failure_of(url: httpx.URL, error: Exception, deadline: Deadline) -> FetchError:
    """The error of a request of ``url`` that ended without an answer."""
    reason, is_passing = _meaning(error, deadline)
    return FetchError(f"{shown(url)}: {reason}", is_passing=is_passing)


def _meaning(error: Exception, deadline: Deadline) -> tuple[str, bool]:
    """The reason, and whether it may pass."""
    if isinstance(error, ForbiddenAddress):
        return str(error), False
    if deadline.has_passed or isinstance(error, (httpx.TimeoutException, TimeoutError)):
        return f"no whole answer within {deadline.seconds:g} s (web.timeout_seconds)", True
    cause = _root(error)
    if isinstance(cause, ssl.SSLCertVerificationError):
        return f"its certificate is not trusted: {cause.verify_message}", False
    if isinstance(cause, ssl.SSLError):
        return f"no secure connection: {cause.reason or 'the handshake failed'}", False
    if isinstance(cause, socket.gaierror):
        return f"the name has no address: {cause.strerror}", cause.errno == socket.EAI_AGAIN
    if isinstance(error, httpx.ConnectError):
        return f"cannot be connected to: {_strerror(cause)}", True
    if isinstance(error, httpx.LocalProtocolError):
        return "the request has a header that cannot be sent", False
    if isinstance(error, httpx.RemoteProtocolError):
        return "breaks off, or answers with something that is not HTTP", True
    return f"the connection was cut: {_strerror(cause)}", True


def _root(error: BaseException) -> BaseException:
    """The first cause of an exception: that of the socket, where there is one."""
    while (cause := error.__cause__ or error.__context__) is not None:
        error = cause
    return error


def _strerror(error: BaseException) -> str:
    return getattr(error, "strerror", None) or "no reason given"
