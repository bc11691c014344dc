"""Where traces go: one OpenTelemetry provider for the process, set up by the standard variables of the environment.

``OTEL_EXPORTER_OTLP_ENDPOINT``, ``..._HEADERS``, ``..._TIMEOUT``, ``OTEL_SERVICE_NAME``, ``OTEL_RESOURCE_ATTRIBUTES``, ``OTEL_TRACES_SAMPLER`` and
``OTEL_BSP_*`` mean what OpenTelemetry says. Spans wait in a queue of fixed length and are sent by a thread of their own: a
collector that is slow or away costs spans, never an answer.
"""

from __future__ import annotations

import atexit
import importlib.util
import logging
import threading
from importlib.metadata import version
from typing import TYPE_CHECKING

from ascertain.core.errors import MissingExtra

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.trace import Tracer

SERVICE = "ascertain"
"""Name of the service where the environment gives none, and of the distribution whose version is told."""
FLUSH_SECONDS = 5.0
"""How long the end of the process waits for the last spans: long enough for a collector that answers, short for one that is away."""

_NEEDED = ("opentelemetry.sdk", "opentelemetry.exporter", "openinference.semconv")
_logger = logging.getLogger("ascertain.telemetry")
_lock = threading.Lock()
_provider: TracerProvider | None = None


def open_tracer() -> Tracer:
    """The tracer of this process. Raises MissingExtra without OpenTelemetry's SDK and exporter (extra ``tracing``)."""
    global _provider  # noqa: PLW0603  one for the process, as the variables it is made from are
    check_tracing()
    with _lock:
        if _provider is None:
            _provider = _new_provider()
            atexit.register(stop_tracing)
        return _provider.get_tracer(SERVICE, version(SERVICE))


def check_tracing() -> None:
    """Raise MissingExtra when traces cannot be made here."""
    if _provider is None and not all(map(_has_module, _NEEDED)):
        raise MissingExtra("telemetry.traces", "tracing")


def stop_tracing(seconds: float = FLUSH_SECONDS) -> None:
    """Send what still waits, for at most ``seconds``, and forget the provider; the next question makes a new one."""
    global _provider
    with _lock:
        provider, _provider = _provider, None
    if provider is None:
        return
    atexit.unregister(stop_tracing)
    # its own shutdown waits for the exporter's last attempt, with as many repetitions as that likes
    ending = threading.Thread(target=provider.shutdown, name="last-spans", daemon=True)
    ending.start()
    ending.join(seconds)
    if ending.is_alive():
        _logger.warning("the last spans were not sent within %g seconds", seconds)


def _new_provider() -> TracerProvider:
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter  # noqa: PLC0415
    from opentelemetry.sdk.resources import SERVICE_NAME, SERVICE_VERSION, Resource  # noqa: PLC0415
    from opentelemetry.sdk.trace import TracerProvider  # noqa: PLC0415
    from opentelemetry.sdk.trace.export import BatchSpanProcessor  # noqa: PLC0415

    given = Resource.create({})
    named = str(given.attributes.get(SERVICE_NAME, ""))
    own = {SERVICE_VERSION: version(SERVICE)} | (
        {} if named and not named.startswith("unknown_service") else {SERVICE_NAME: SERVICE}
    )
    provider = TracerProvider(resource=given.merge(Resource(own)), shutdown_on_exit=False)
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    return provider


def _has_module(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:
        return False
