"""The trace that a request belongs to, as its sender said it (W3C Trace Context); kept without knowing OpenTelemetry."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from types import MappingProxyType

_HEADERS = ("traceparent", "tracestate")
_NONE: Mapping[str, str] = MappingProxyType({})
_incoming: ContextVar[Mapping[str, str]] = ContextVar("incoming_trace", default=_NONE)


@contextmanager
def incoming_trace(headers: Mapping[str, str]) -> Generator[None]:
    """Make questions asked inside part of the trace that ``headers`` (names in lower case) name, if they name one.

    For work handed to another thread, run it in a copy of the context (``contextvars.copy_context``).
    """
    token = _incoming.set({name: headers[name] for name in _HEADERS if headers.get(name)})
    try:
        yield
    finally:
        _incoming.reset(token)


def trace_headers() -> Mapping[str, str]:
    """``traceparent`` and ``tracestate`` of the request in hand; empty where there are none."""
    return _incoming.get()
