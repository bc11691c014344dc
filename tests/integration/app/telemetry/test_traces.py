"""Traces of real runs of the workflow, as they arrive at a collector over HTTP."""

import socket
import subprocess
import sys
import threading
from collections import Counter
from pathlib import Path

import pytest
from otlp_collector import attributes
from scripted_steps import DOCUMENT, Script, a_quality, a_result, context_of

from ascertain.app.telemetry.tracing import incoming_trace, stop_tracing, trace_events
from ascertain.core.asking.answers import Decision
from ascertain.core.asking.judgements import RetrievalIssue
from ascertain.core.asking.requests import AskRequest, Done, NodeStarted
from ascertain.core.asking.runs import Budget, Run, Task
from ascertain.core.errors import ModelError
from ascertain.core.settings import Settings
from ascertain.workflow.ask.run import stream_question

QUESTION = "When did Ether move to the zymurgical stake?"
KIND = "openinference.span.kind"


def settings(**more):
    chat = {"model": "openai:gpt-5-mini", "base_url": "http://127.0.0.1:9/v1"}
    models = {"chat": chat, "reranker": "a-cross-encoder", "embedder": "all-MiniLM-L6-v2"}
    return Settings(telemetry={"traces": True, **more}, models=models)


class Spending(Script):
    """A script whose writing costs two model calls, and whose evidence was reranked."""

    def __init__(self, **given):
        super().__init__(**given)
        self.run = Run(Budget(10, 100_000, 60, 1.0))

    def next(self, name, seen=None):
        if name == "composition":
            for _ in range(2):
                self.run.spend(Task.WRITE, input_tokens=700, output_tokens=50, cost_usd=0.001)
        if name == "found":
            self.run.note(Decision("rerank", "1 of 2 passages kept", f"by a model, for {seen.question}"))
        return super().next(name, seen)


def run(script=None, with_settings=None, **about):
    script = script or Spending()
    events = stream_question(AskRequest(QUESTION), context_of(script, run=script.run), 1000)
    events = trace_events(events, question=QUESTION, settings=with_settings or settings(), **about)
    *_, last = events
    assert isinstance(last, Done)
    return last.answer


def children(spans, parent):
    return [span for span in spans if span.parent_span_id == parent.span_id]


def test_a_question_is_one_trace_with_a_span_for_each_step_in_order(collector):
    answer = run(answer_id="a1", conversation_id="c1")
    stop_tracing()
    spans = collector.spans
    assert len({span.trace_id for span in spans}) == 1
    (root,) = [span for span in spans if not span.parent_span_id]
    assert root.name == "ask"
    assert attributes(root)[KIND] == "CHAIN"
    assert attributes(root)["session.id"] == "c1"
    assert attributes(root)["ascertain.answer.confidence"] == answer.confidence.score
    steps = children(spans, root)
    assert [span.name for span in steps] == [
        *("rewrite", "plan", "strategy", "expand", "retrieve", "judge", "generate", "check", "evaluate", "finish")
    ]
    assert all(root.start_time_unix_nano <= span.start_time_unix_nano for span in steps)
    assert all(span.end_time_unix_nano <= root.end_time_unix_nano for span in spans)
    parents = [attributes(span).get("graph.node.parent_id") for span in steps]
    assert parents == [None, *(span.name for span in steps[:-1])]


def test_a_second_attempt_is_more_spans_of_the_same_trace(collector):
    run(Spending(quality=[a_quality(20, RetrievalIssue.OFF_TOPIC), a_quality()]))
    stop_tracing()
    assert len({span.trace_id for span in collector.spans}) == 1
    assert Counter(span.name for span in collector.spans)["retrieve"] == 2


def test_a_search_names_the_passages_it_found_and_their_scores(collector):
    run()
    stop_tracing()
    (span,) = [span for span in collector.spans if span.name == "retrieve"]
    told = attributes(span)
    assert told[KIND] == "RETRIEVER"
    passage = a_result().passages[0]
    assert told["retrieval.documents.0.document.id"] == passage.chunk.id
    assert told["retrieval.documents.0.document.score"] == passage.score
    assert told["embedding.model_name"] == "all-MiniLM-L6-v2"
    (reranked,) = [each for each in children(collector.spans, span) if attributes(each)[KIND] == "RERANKER"]
    assert attributes(reranked)["reranker.model_name"] == "a-cross-encoder"


def test_model_calls_are_a_span_below_the_step_that_made_them(collector):
    run()
    stop_tracing()
    (span,) = [span for span in collector.spans if attributes(span)[KIND] == "LLM"]
    (step,) = [each for each in collector.spans if each.span_id == span.parent_span_id]
    assert step.name == "generate"
    told = attributes(span)
    assert (told["llm.model_name"], told["llm.provider"]) == ("gpt-5-mini", "openai")
    assert (told["llm.token_count.prompt"], told["llm.token_count.completion"]) == (1400, 100)
    assert told["llm.token_count.total"] == 1500
    assert told["llm.cost.total"] == pytest.approx(0.002)


def test_no_text_leaves_unless_it_is_asked_for(collector):
    run()
    stop_tracing()
    sent = b"".join(collector.bodies)
    for word in (*QUESTION.split(), *DOCUMENT.text.split()):
        if len(word) > 4:
            assert word.encode() not in sent, word
    assert not any("value" in key for span in collector.spans for key in attributes(span))


def test_with_content_the_texts_are_there(collector):
    answer = run(with_settings=settings(content=True))
    stop_tracing()
    (root,) = [span for span in collector.spans if not span.parent_span_id]
    assert attributes(root)["input.value"] == QUESTION
    assert attributes(root)["output.value"] == answer.text
    (found,) = [span for span in collector.spans if span.name == "retrieve"]
    assert attributes(found)["retrieval.documents.0.document.content"] == DOCUMENT.text


def test_the_trace_goes_on_that_the_request_came_with(collector):
    trace, parent = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
    with incoming_trace({"traceparent": f"00-{trace}-{parent}-01", "tracestate": "vendor=1"}):
        run()
    stop_tracing()
    (root,) = [span for span in collector.spans if span.name == "ask"]
    assert (root.trace_id.hex(), root.parent_span_id.hex()) == (trace, parent)
    assert root.trace_state == "vendor=1"


def test_a_request_that_wants_no_trace_gets_none(collector):
    with incoming_trace({"traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00"}):
        run()
    stop_tracing()
    assert collector.spans == []


def test_nonsense_in_the_header_begins_a_new_trace(collector):
    with incoming_trace({"traceparent": "nonsense"}):
        run()
    stop_tracing()
    assert len([span for span in collector.spans if not span.parent_span_id]) == 1


def test_two_questions_are_two_traces(collector):
    run()
    run()
    stop_tracing()
    assert len({span.trace_id for span in collector.spans}) == 2


def test_an_error_is_told_without_its_words(collector):
    class Failing(Spending):
        def next(self, name, seen=None):
            if name == "composition":
                raise ModelError(f"no reply to {QUESTION}")
            return super().next(name, seen)

    with pytest.raises(ModelError):
        run(Failing())
    stop_tracing()
    (root,) = [span for span in collector.spans if span.name == "ask"]
    assert root.status.code == root.status.STATUS_CODE_ERROR
    assert root.status.message == "ModelError"
    assert b"zymurgical" not in b"".join(collector.bodies)


def test_a_listener_that_leaves_ends_the_trace_and_the_work(collector):
    script = Spending()
    events = stream_question(AskRequest(QUESTION), context_of(script, run=script.run), 1000)
    told = trace_events(events, question=QUESTION, settings=settings())
    assert isinstance(next(told), NodeStarted)
    told.close()
    stop_tracing()
    assert next(events, None) is None
    (root,) = [span for span in collector.spans if span.name == "ask"]
    assert [event.name for event in root.events] == ["the listener left"]


def test_the_service_has_its_name_and_the_environment_may_give_another(collector, monkeypatch):
    run()
    stop_tracing()
    monkeypatch.setenv("OTEL_SERVICE_NAME", "answers-eu")
    run()
    stop_tracing()
    names = [attributes(each.resource)["service.name"] for each in collector.resources]
    assert names == ["ascertain", "answers-eu"]


def test_headers_of_the_environment_go_along(collector, monkeypatch):
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_HEADERS", "authorization=Bearer%20abc")
    run()
    stop_tracing()
    assert {name.lower(): value for name, value in collector.headers[0].items()}["authorization"] == "Bearer abc"


@pytest.mark.parametrize("trouble", ["refuses", "is not there", "never answers"])
def test_a_collector_in_trouble_costs_spans_and_no_answer(trouble, collector, monkeypatch):
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        if trouble == "refuses":
            collector.status = 503
        else:
            if trouble == "never answers":
                silent.listen()
            monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", f"http://127.0.0.1:{silent.getsockname()[1]}")
        answers = [run() for _ in range(5)]
        stop_tracing(0.1)
    assert {answer.text for answer in answers} == {DOCUMENT.text}
    assert collector.spans == []


def test_settings_of_opentelemetry_that_make_no_sense_cost_no_answer(collector, monkeypatch):
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "soon")
    monkeypatch.setenv("OTEL_BSP_MAX_QUEUE_SIZE", "many")
    assert run().text == DOCUMENT.text


def test_the_last_spans_are_sent_where_no_thread_can_begin_any_more(collector, monkeypatch):
    run()

    begin = threading.Thread.start

    def begin_unless_at_the_end(thread):
        # what Python 3.12 does once the process ends; the collector's process goes on
        if threading.current_thread() is threading.main_thread():
            raise RuntimeError("can't create new thread at interpreter shutdown")
        begin(thread)

    monkeypatch.setattr(threading.Thread, "start", begin_unless_at_the_end)
    stop_tracing()
    monkeypatch.undo()
    assert "ask" in [span.name for span in collector.spans]


def test_a_process_that_ends_by_itself_sends_its_root_span(collector):
    code = "import sys; sys.path[:] = {path!r}; from test_traces import run; run()"
    path = [str(Path(__file__).parent), *sys.path]
    subprocess.run([sys.executable, "-W", "error", "-c", code.format(path=path)], check=True)
    assert "ask" in [span.name for span in collector.spans if not span.parent_span_id]
