"""One OpenTelemetry trace for each question, made from the events of its workflow.

The question is the root span, or a child of the request it came with; each step is a span below it, and a step's model calls and
reranking are spans below that; ``spans`` has their attributes.

They go where the standard variables of the environment send them: ``OTEL_EXPORTER_OTLP_ENDPOINT``, ``..._HEADERS``,
``..._TIMEOUT``, ``OTEL_SERVICE_NAME``, ``OTEL_RESOURCE_ATTRIBUTES``, ``OTEL_TRACES_SAMPLER`` and ``OTEL_BSP_*``. They wait in a
queue of fixed length and a thread sends them: a slow or unreachable collector costs spans, never an answer.
"""

from __future__ import annotations

import atexit
import importlib.util
import logging
import threading
import time
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from importlib.metadata import version
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeVar

from ascertain.core.asking.requests import Done, Event, NodeFinished, NodeStarted
from ascertain.core.errors import MissingExtra
from ascertain.core.settings import Settings

if TYPE_CHECKING:
    from opentelemetry.context import Context
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.trace import Span, Tracer

    from ascertain.app.telemetry.spans import Asked, Attributes


_HEADERS = ("traceparent", "tracestate")
_NONE: Mapping[str, str] = MappingProxyType({})
_incoming: ContextVar[Mapping[str, str]] = ContextVar("incoming_trace", default=_NONE)


@contextmanager
def incoming_trace(headers: Mapping[str, str]) -> Generator[None]:
    """Make questions asked inside part of the trace that ``headers`` (names in lower case) name, if they name one.

    For work passed to another thread, run it in a copy of the context (``contextvars.copy_context``).
    """
    token = _incoming.set({name: headers[name] for name in _HEADERS if headers.get(name)})
    try:
        yield
    finally:
        _incoming.reset(token)


def trace_headers() -> Mapping[str, str]:
    """``traceparent`` and ``tracestate`` of the current request; empty without them."""
    return _incoming.get()


_is_own_question: ContextVar[bool] = ContextVar("is_own_question", default=False)


@contextmanager
def without_trace() -> Generator[None]:
    """Make questions asked inside leave no trace: no user asked those that a service loads its models with."""
    token = _is_own_question.set(True)
    try:
        yield
    finally:
        _is_own_question.reset(token)


_logger = logging.getLogger("ascertain.app.telemetry")
_NANO = 1_000_000_000
T = TypeVar("T")


def trace_events(
    events: Iterator[Event],
    *,
    question: str,
    settings: Settings,
    answer_id: str = "",
    conversation_id: str | None = None,
    tenant: str = "default",
    mode: str = "documents",
) -> Iterator[Event]:
    """``events`` unchanged, with a trace of them where ``telemetry.traces`` is on and this is not ``without_trace``.

    Never fails or waits for a collector: failures are logged and skipped. Raises MissingExtra, at once,
    where traces are enabled and OpenTelemetry is not installed. Closing the result closes ``events``.
    """
    if not settings.telemetry.traces or _is_own_question.get():
        return events
    check_tracing()
    from ascertain.app.telemetry.spans import Asked

    return _tell_events(events, Asked(question, answer_id, conversation_id, tenant, mode), settings)


def _tell_events(events: Iterator[Event], asked: Asked, settings: Settings) -> Generator[Event]:
    trace = _try_telling(lambda: _Trace(open_tracer(), asked, settings))
    failure: BaseException | None = None
    try:
        for event in events:
            if trace is not None:
                _try_telling(lambda event=event: trace.take(event))
            yield event
    except BaseException as error:
        failure = error
        raise
    finally:
        if isinstance(events, Generator):
            events.close()
        if trace is not None:
            _try_telling(lambda: trace.end(failure))


class _Trace:
    """The spans of one question; those that have begun and not ended yet are open."""

    def __init__(self, tracer: Tracer, asked: Asked, settings: Settings) -> None:
        from opentelemetry.trace.propagation import set_span_in_context

        from ascertain.app.telemetry.spans import asked_attributes

        self._tracer = tracer
        self._settings = settings
        self._with_content = settings.telemetry.content
        self._began = time.time_ns()
        self._root = tracer.start_span(
            "ask",
            context=_parent_context(),
            attributes=asked_attributes(asked, self._with_content),
            start_time=self._began,
        )
        self._inside = set_span_in_context(self._root)
        self._step_began = self._began
        self._before: str | None = None

    def take(self, event: Event) -> None:
        if isinstance(event, NodeStarted):
            self._step_began = time.time_ns()
        elif isinstance(event, NodeFinished):
            self._end_step(event)
        elif isinstance(event, Done):
            from ascertain.app.telemetry.spans import answer_attributes

            self._root.set_attributes(answer_attributes(event.answer, self._with_content))

    def end(self, failure: BaseException | None) -> None:
        from opentelemetry.trace import Status, StatusCode

        if failure is None:
            self._root.set_status(Status(StatusCode.OK))
        elif isinstance(failure, GeneratorExit):
            self._root.add_event("the listener left")
        else:
            # its words may quote the question
            self._root.set_status(Status(StatusCode.ERROR, type(failure).__name__))
        self._root.end()

    def _end_step(self, event: NodeFinished) -> None:
        from opentelemetry.trace.propagation import set_span_in_context

        from ascertain.app.telemetry import spans

        end = time.time_ns()
        own = event.decisions[-1]
        # a slow listener sees a step's start late; the step's own clock is right
        start = max(self._began, min(self._step_began, end - int(own.seconds * _NANO)))
        attributes = spans.node_attributes(event.node, self._before)
        attributes |= spans.decision_attributes(own, self._with_content)
        attributes |= spans.passage_attributes(event.passages, self._settings, self._with_content)
        step = self._start_span(event.node, attributes, self._inside, start)
        inside = set_span_in_context(step)
        for usage in event.usage.tasks:
            made = spans.usage_attributes(usage, self._settings)
            self._start_span(f"chat {usage.task}", made, inside, start).end(end)
        for decision in event.decisions:
            if decision.node == spans.RERANK and self._settings.models.reranker:
                made = spans.reranker_attributes(decision, self._settings, self._with_content)
                self._start_span(spans.RERANK, made, inside, end - int(decision.seconds * _NANO)).end(end)
        step.end(end)
        self._before = event.node

    def _start_span(self, name: str, attributes: Attributes, inside: Context, start: int) -> Span:
        return self._tracer.start_span(name, context=inside, attributes=attributes, start_time=start)


def _parent_context() -> Context | None:
    """The request's trace where it named one; else OpenTelemetry's current one, as in a program with its own traces."""
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

    headers = trace_headers()
    return TraceContextTextMapPropagator().extract(dict(headers)) if headers else None


def _try_telling(telling: Callable[[], T]) -> T | None:
    """The result of ``telling``; None, and a log line, when it fails: a trace must not cost an answer."""
    try:
        return telling()
    except Exception:
        _logger.warning("a question could not be traced", exc_info=True)
        return None


SERVICE = "ascertain"
"""Name of the service where the environment gives none, and of the distribution whose version is reported."""
FLUSH_SECONDS = 5.0
"""How long the end of the process waits for the last spans: long enough for a collector that answers, short for an unreachable one."""

_NEEDED = ("opentelemetry.sdk", "opentelemetry.exporter", "openinference.semconv")
_lock = threading.Lock()
_provider: TracerProvider | None = None
_ending: _Ending | None = None


def open_tracer() -> Tracer:
    """The tracer of this process. Raises MissingExtra without OpenTelemetry's SDK and exporter (extra ``tracing``)."""
    global _provider, _ending  # noqa: PLW0603  one for the process, as the variables it is made from are
    check_tracing()
    with _lock:
        if _provider is None:
            _provider = _new_provider()
            _ending = _Ending(_provider)
            atexit.register(stop_tracing)
        return _provider.get_tracer(SERVICE, version(SERVICE))


def check_tracing() -> None:
    """Raise MissingExtra when traces cannot be made here."""
    if _provider is None and not all(map(_has_module, _NEEDED)):
        raise MissingExtra("telemetry.traces", "tracing")


def stop_tracing(seconds: float = FLUSH_SECONDS) -> None:
    """Send what still waits, for at most ``seconds``, and drop the provider; the next question creates a new one."""
    global _provider, _ending
    with _lock:
        ending, _provider, _ending = _ending, None, None
    if ending is None:
        return
    atexit.unregister(stop_tracing)
    if not ending.send_last_spans(seconds):
        _logger.warning("the last spans were not sent within %g seconds", seconds)


class _Ending:
    """Shuts down a provider, whose own shutdown waits for the exporter's last attempt and all its retries.

    Its thread exists from the first question on: since Python 3.12 none can start once the process ends.
    """

    def __init__(self, provider: TracerProvider) -> None:
        self._is_ending = threading.Event()
        self._thread = threading.Thread(target=self._end_on_signal, args=(provider,), name="last-spans", daemon=True)
        self._thread.start()

    def _end_on_signal(self, provider: TracerProvider) -> None:
        self._is_ending.wait()
        provider.shutdown()

    def send_last_spans(self, seconds: float) -> bool:
        """Whether all were sent in time."""
        self._is_ending.set()
        self._thread.join(seconds)
        return not self._thread.is_alive()


def _new_provider() -> TracerProvider:
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    provider = TracerProvider(resource=describe_service(), shutdown_on_exit=False)
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    return provider


def describe_service() -> Resource:
    """Who sends spans: the name that OpenTelemetry's variables give, else ours, and our version."""
    from opentelemetry.sdk.resources import SERVICE_NAME, SERVICE_VERSION, Resource

    given = Resource.create({})
    named = str(given.attributes.get(SERVICE_NAME, ""))
    own = {SERVICE_VERSION: version(SERVICE)} | (
        {} if named and not named.startswith("unknown_service") else {SERVICE_NAME: SERVICE}
    )
    return given.merge(Resource(own))


def _has_module(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:
        return False
