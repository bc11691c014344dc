"""Figures of the service for Prometheus, in a separate registry.

Names follow Prometheus' conventions: base units, ``_total`` for counters. Every label has a handful of values that this program
sets; ids, questions, sources and tenants are not labels, as each new value would be a series kept forever.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, cast

from ascertain.core.asking.answers import Answer
from ascertain.core.asking.feedback import Drift
from ascertain.core.errors import MissingExtra
from ascertain.core.service.service import Job

if TYPE_CHECKING:
    from prometheus_client import Counter, Gauge, Histogram

PREFIX = "ascertain"
# Bounds of histograms: from what the offline mode takes on an idle machine to what a chat model may take (docs/benchmarks.md).
REQUEST_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)
QUESTION_SECONDS = (0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120)
NODE_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)
CONFIDENCE = tuple(range(10, 101, 10))
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
INGEST_RESULTS = ("added", "changed", "unchanged", "duplicates", "failures")
"""The results for a document, named as in the report of ``add --json``."""
OTHER = "other"
"""For requests without a route, and unknown methods: their text comes from outside and is unbounded."""


class Metrics:
    """What happened since the start of this process; safe to use from several threads.

    Raises MissingExtra without prometheus-client (extra ``server``).
    """

    def __init__(self) -> None:
        new = _Families()
        self._families = new
        route = ("route", "method", "status")
        self._requests = new.counter("http_requests", "Requests answered.", *route)
        self._request_seconds = new.histogram(
            "http_request_duration_seconds", "Time to the end of a response.", REQUEST_SECONDS, *route[:2]
        )
        self._questions = new.counter("questions", "Questions answered.", "mode", "type", "cached")
        self._failed = new.counter("questions_failed", "Questions that ended in an error.", "mode")
        self._question_seconds = new.histogram(
            "question_duration_seconds", "Time to an answer.", QUESTION_SECONDS, "mode", "cached"
        )
        self._confidence = new.histogram("question_confidence", "Confidence of answers.", CONFIDENCE, "mode")
        self._node_seconds = new.histogram("node_duration_seconds", "Time in a step.", NODE_SECONDS, "node")
        self._calls = new.counter("model_calls", "Calls of chat models.", "task")
        self._tokens = new.counter("model_tokens", "Tokens of chat models.", "task", "direction")
        self._dollars = new.counter("model_cost_usd", "Cost of chat models by the prices in the settings.", "task")
        self._fallbacks = new.counter("steps_left_to_rules", "Steps that rules did for a chat model.", "node")
        self._left_alone = new.gauge(
            "chat_models_left_alone", "Chat models that failed and are left alone for a while."
        )
        self._lookups = new.counter("answer_cache_lookups", "Questions looked up in the answer cache.", "result")
        self._feedback = new.counter("feedback", "Feedback given on answers.", "thumb")
        self._documents = new.counter("ingested_documents", "Documents that background jobs read.", "result")
        self._ended = new.counter("jobs_ended", "Background jobs that ended.", "state")
        self._jobs = new.gauge("jobs", "Background jobs by state, of the tenant that reads this.", "state")
        period = "of the last 7 days (recent) or the 28 before (earlier), of the tenant that reads this."
        self._given = new.gauge("answers_given", f"Answers {period}", "period")
        self._mean_confidence = new.gauge("answers_confidence_mean", f"Mean confidence of answers {period}", "period")
        self._declined = new.gauge("answers_declined_ratio", f"Share without an answer of questions {period}", "period")
        self._up = new.gauge("answers_up_ratio", f"Thumbs up of all feedback on answers {period}", "period")
        self._unanswered = new.gauge(
            "unanswered_questions",
            "Different questions without an answer of the last 7 days, by theme, the largest first, of the tenant that reads this.",
            "theme",
        )
        self._waiting = new.gauge("questions_waiting", "Questions in the queue.")
        self._running = new.gauge("questions_running", "Questions being worked on.")

    def request(self, route: str | None, method: str, status: int, seconds: float) -> None:
        """A request was answered; ``route`` is the template that matched, None when none did."""
        labels = (route or OTHER, method if method in METHODS else OTHER)
        self._requests.labels(*labels, str(status)).inc()
        self._request_seconds.labels(*labels).observe(seconds)

    def question(self, answer: Answer, mode: str, cache: str = "off") -> None:
        """A question was answered; ``cache`` is ``on`` where the answer cache was checked first."""
        cached = "true" if answer.is_cached else "false"
        self._questions.labels(mode, answer.type.value, cached).inc()
        self._question_seconds.labels(mode, cached).observe(answer.seconds)
        self._confidence.labels(mode).observe(answer.confidence.score)
        if cache == "on":
            self._lookups.labels("hit" if answer.is_cached else "miss").inc()
        if answer.is_cached:
            return
        for decision in (step for step in answer.decisions if step.seconds > 0):
            self._node_seconds.labels(decision.node).observe(decision.seconds)
        for decision in (step for step in answer.decisions if step.outcome.startswith("fell back")):
            self._fallbacks.labels(decision.node).inc()
        for task in answer.usage.tasks:
            self._calls.labels(task.task).inc(task.calls)
            self._tokens.labels(task.task, "input").inc(task.input_tokens)
            self._tokens.labels(task.task, "output").inc(task.output_tokens)
            self._dollars.labels(task.task).inc(task.cost_usd)

    def count_failed_question(self, mode: str) -> None:
        """A question ended in an error."""
        self._failed.labels(mode).inc()

    def feedback(self, thumb: str) -> None:
        """An answer got feedback."""
        self._feedback.labels(thumb).inc()

    def count_ended_job(self, job: Job) -> None:
        """A background job ended, with the results for its documents."""
        self._ended.labels(job.state.value).inc()
        for result in INGEST_RESULTS:
            count = job.report.get(result, 0)
            # failures are listed, the others are counted
            number = len(cast("list[object]", count)) if isinstance(count, list) else count
            if isinstance(number, int):
                self._documents.labels(result).inc(number)

    def watch_queue(self, waiting: Callable[[], float], running: Callable[[], float]) -> None:
        """Call these for the length of the queue and the running work whenever the figures are read."""
        self._waiting.set_function(waiting)
        self._running.set_function(running)

    def watch_chat_models(self, left_alone: Callable[[], float]) -> None:
        """Call this for the number of chat models in a pause whenever the figures are read."""
        self._left_alone.set_function(left_alone)

    def jobs(self, by_state: Mapping[str, int]) -> None:
        """The current background jobs, replacing those set before; to be set before the figures are read."""
        self._jobs.clear()
        for state, count in by_state.items():
            self._jobs.labels(state).set(count)

    def drift(self, drift: Drift) -> None:
        """The recent answers, replacing those set before; to be set before the figures are read."""
        for name, period in (("recent", drift.recent), ("earlier", drift.earlier)):
            self._given.labels(name).set(period.answers)
            for gauge, figure in (
                (self._mean_confidence, period.confidence),
                (self._declined, period.declined),
                (self._up, period.up),
            ):
                # without an answer, or feedback on one, there is no mean: Prometheus knows that as NaN
                gauge.labels(name).set(math.nan if figure.value is None else figure.value)
        self._unanswered.clear()
        # By rank: the word of a theme is from a question, and labels must not have values from outside.
        for rank, theme in enumerate(drift.unanswered, 1):
            self._unanswered.labels(str(rank)).set(len(theme.questions))

    def exposition(self) -> tuple[bytes, str]:
        """All figures in Prometheus' text format, and its content type."""
        return self._families.exposition()


class _Families:
    """Makes figures, all in one registry."""

    def __init__(self) -> None:
        try:
            import prometheus_client
        except ImportError:
            raise MissingExtra("the metrics of the service", "server") from None
        self._library = prometheus_client
        self._registry = prometheus_client.CollectorRegistry()

    def counter(self, name: str, about: str, *labels: str) -> Counter:
        return self._library.Counter(f"{PREFIX}_{name}", about, labels, registry=self._registry)

    def gauge(self, name: str, about: str, *labels: str) -> Gauge:
        return self._library.Gauge(f"{PREFIX}_{name}", about, labels, registry=self._registry)

    def histogram(self, name: str, about: str, buckets: Sequence[float], *labels: str) -> Histogram:
        return self._library.Histogram(f"{PREFIX}_{name}", about, labels, buckets=buckets, registry=self._registry)

    def exposition(self) -> tuple[bytes, str]:
        return self._library.generate_latest(self._registry), self._library.CONTENT_TYPE_LATEST
