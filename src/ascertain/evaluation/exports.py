"""A saved run for others to look at: as a dataset and an experiment of LangSmith, or as OpenInference spans for any OTLP collector.

Both get texts: questions, answers, the passages they were written from, and what was expected. Where they are sent, and with which key,
is set by the variables of LangSmith and of OpenTelemetry.
"""

from __future__ import annotations

import importlib.util
import json
import os
import uuid
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, cast

from langsmith import Client
from langsmith.utils import LangSmithError

from ascertain.core.errors import AscertainError, MissingExtra, UsageError
from ascertain.evaluation.runs import EvaluationRun, Result

if TYPE_CHECKING:
    from opentelemetry.trace import Tracer

_EXAMPLES = uuid.UUID("5a4c1f0e-8f0d-4a57-9a0e-2b1d64c0a9d1")
"""Of the ids of examples: the same question of the same set is the same example, whichever run it is sent with."""
_AT_ONCE = 100
"""Examples in one request, as many as LangSmith lists on a page."""


def export_langsmith(run: EvaluationRun, dataset: str = "", url: str = "") -> dict[str, object]:
    """Send the questions of ``run`` as a dataset, those that are not there yet, and the run as an experiment on it.

    Scores become feedback. ``dataset`` is its name, that of the set by default; ``url`` overrides ``LANGSMITH_ENDPOINT``. Raises
    UsageError without ``LANGSMITH_API_KEY``, and AscertainError when LangSmith refuses.
    """
    if not os.environ.get("LANGSMITH_API_KEY"):
        raise UsageError(
            "LANGSMITH_API_KEY is empty; set it to a key of LangSmith, and LANGSMITH_ENDPOINT for a server of yours"
        )
    # its methods are typed with bare dicts
    client: Any = Client(api_url=url or None, auto_batch_tracing=False)
    sent = {"dataset": dataset or _name_dataset(run), "experiment": f"{run.name} {run.started:%Y-%m-%d %H:%M:%S}"}
    try:
        examples = _send_examples(client, run, sent["dataset"])
        _send_experiment(client, run, examples, sent)
    except LangSmithError as error:
        raise AscertainError(f"LangSmith: {' '.join(str(error).split())}") from error
    return {**sent, "questions": len(run.results)}


def _name_dataset(run: EvaluationRun) -> str:
    return " ".join(dict.fromkeys(result.set for result in run.results)) or run.kind


def _send_examples(client: Any, run: EvaluationRun, name: str) -> uuid.UUID:
    """The id of the dataset, which then holds every question."""
    if client.has_dataset(dataset_name=name):
        dataset = client.read_dataset(dataset_name=name)
    else:
        dataset = client.create_dataset(name, description="Questions of a golden set, sent by Ascertain")
    there = {example.id for example in client.list_examples(dataset_id=dataset.id)}
    examples = [_build_example(result, name) for result in run.results]
    missing = [example for example in examples if example["id"] not in there]
    for start in range(0, len(missing), _AT_ONCE):
        client.create_examples(dataset_id=dataset.id, examples=missing[start : start + _AT_ONCE])
    return dataset.id


def _build_example(result: Result, dataset: str) -> dict[str, Any]:
    expected = {name: result.facts[name] for name in ("expected", "reference", "answerable") if name in result.facts}
    return {
        "id": name_example(dataset, result),
        "inputs": {"question": result.question},
        "reference_outputs": expected,
        "metadata": {"id": result.id, "set": result.set},
    }


def name_example(dataset: str, result: Result) -> uuid.UUID:
    """The id of a question in a dataset."""
    return uuid.uuid5(_EXAMPLES, f"{dataset}\0{result.set}\0{result.id}\0{result.question}")


def _send_experiment(client: Any, run: EvaluationRun, dataset: uuid.UUID, named: Mapping[str, str]) -> None:
    name = named["experiment"]
    about = {
        "kind": run.kind,
        "versions": dict(run.versions),
        "settings": dict(run.settings),
        "options": dict(run.options),
    }
    project = client.create_project(name, reference_dataset_id=dataset, metadata=about)
    for result, began, ended in _list_times(run):
        run_id = uuid.uuid4()
        client.create_run(
            name="ascertain",
            run_type="chain",
            id=run_id,
            inputs={"question": result.question},
            outputs={key: result.facts[key] for key in _ANSWER_FACTS if key in result.facts},
            project_name=name,
            start_time=began,
            end_time=ended,
            reference_example_id=name_example(named["dataset"], result),
        )
        for score, value in result.scores.items():
            if value is not None:
                client.create_feedback(
                    run_id, score, score=value, trace_id=run_id, session_id=project.id, start_time=began
                )


_ANSWER_FACTS = ("answer", "found", "contexts", "cited", "confidence", "declined", "type", "calls", "tokens")
"""Facts of a question that come from the system, not the set."""


def _list_times(run: EvaluationRun) -> Iterator[tuple[Result, datetime, datetime]]:
    """Each question with its begin and end, as if they had been asked one after another up to when the run was written."""
    moment = run.started - timedelta(seconds=sum(result.seconds for result in run.results))
    for result in run.results:
        ended = moment + timedelta(seconds=result.seconds)
        yield result, moment, ended
        moment = ended


def export_spans(run: EvaluationRun) -> dict[str, object]:
    """Send one trace for each question to the OTLP collector that OpenTelemetry's variables name.

    The question is a CHAIN, with a RETRIEVER for its passages and an EVALUATOR for its scores below; each score is also an event
    ``gen_ai.evaluation.result``. Raises MissingExtra without the extra ``tracing`` and AscertainError when the collector refuses.
    """
    if importlib.util.find_spec("opentelemetry") is None or importlib.util.find_spec("openinference") is None:
        raise MissingExtra("eval export --to otlp", "tracing")
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter  # noqa: PLC0415
    from opentelemetry.sdk.trace import TracerProvider  # noqa: PLC0415
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor, SpanExportResult  # noqa: PLC0415
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter  # noqa: PLC0415

    from ascertain.app.telemetry.tracing import describe_service  # noqa: PLC0415

    kept = InMemorySpanExporter()
    provider = TracerProvider(resource=describe_service(), shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(kept))
    tracer = provider.get_tracer("ascertain.evaluation")
    for result, began, ended in _list_times(run):
        _trace_result(tracer, run, result, began, ended=ended)
    spans = kept.get_finished_spans()
    exporter = OTLPSpanExporter()
    for start in range(0, len(spans), _AT_ONCE):
        if exporter.export(spans[start : start + _AT_ONCE]) is not SpanExportResult.SUCCESS:
            raise AscertainError(
                "the OTLP collector took no spans; check OTEL_EXPORTER_OTLP_ENDPOINT and OTEL_EXPORTER_OTLP_HEADERS"
            )
    return {"questions": len(run.results), "spans": len(spans)}


def _trace_result(tracer: Tracer, run: EvaluationRun, result: Result, began: datetime, *, ended: datetime) -> None:
    from openinference.semconv.trace import DocumentAttributes, OpenInferenceSpanKindValues, SpanAttributes  # noqa: PLC0415
    from opentelemetry.trace import set_span_in_context  # noqa: PLC0415

    kind = OpenInferenceSpanKindValues
    start, end = (int(moment.timestamp() * 1e9) for moment in (began, ended))
    about = {"run": run.name, "kind": run.kind, "set": result.set, "id": result.id}
    root = tracer.start_span(
        "eval question",
        start_time=start,
        attributes={
            SpanAttributes.OPENINFERENCE_SPAN_KIND: kind.CHAIN.value,
            SpanAttributes.INPUT_VALUE: result.question,
            SpanAttributes.OUTPUT_VALUE: str(result.facts.get("answer") or ""),
            SpanAttributes.METADATA: json.dumps(about),
        },
    )
    inside = set_span_in_context(root)
    found = _list_passages(result.facts)
    if found:
        said = {"found": DocumentAttributes.DOCUMENT_ID, "contexts": DocumentAttributes.DOCUMENT_CONTENT}
        documents = {
            f"{SpanAttributes.RETRIEVAL_DOCUMENTS}.{rank}.{said[name]}": text for rank, (name, text) in enumerate(found)
        }
        attributes = {SpanAttributes.OPENINFERENCE_SPAN_KIND: kind.RETRIEVER.value, **documents}
        tracer.start_span("retrieve", context=inside, start_time=start, attributes=attributes).end(end)
    scores = {name: score for name, score in result.scores.items() if score is not None}
    judged = tracer.start_span(
        "score",
        context=inside,
        start_time=end,
        attributes={
            SpanAttributes.OPENINFERENCE_SPAN_KIND: kind.EVALUATOR.value,
            SpanAttributes.OUTPUT_VALUE: json.dumps(scores),
            SpanAttributes.OUTPUT_MIME_TYPE: "application/json",
        },
    )
    for name, score in scores.items():
        attributes = {"gen_ai.evaluation.name": name, "gen_ai.evaluation.score.value": score}
        judged.add_event("gen_ai.evaluation.result", attributes, timestamp=end)
    judged.end(end)
    root.end(end)


def _list_passages(facts: Mapping[str, object]) -> list[tuple[str, str]]:
    """Passages of an answer, or ids of the documents that a search found, best first."""
    for name in ("contexts", "found"):
        held = facts.get(name)
        if isinstance(held, Sequence) and not isinstance(held, str):
            return [(name, str(text)) for text in cast("Sequence[object]", held)]
    return []
