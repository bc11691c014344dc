"""Runs that are sent elsewhere, to servers on loopback that keep what came."""

import json
import re
import threading
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from otlp_collector import OtlpCollector, attributes
from typer.testing import CliRunner

from ascertain.core.settings import Settings
from ascertain.evaluation.runs import Result, describe_run, save_run
from ascertain.interfaces.cli.application import app

RESULTS = (
    Result(
        "golden",
        "q1",
        "How long is it kept?",
        0.25,
        {"answer_in_text": 1.0, "groundedness": 1.0, "answer_f1": None},
        {"answer": "For 72 hours.", "contexts": ["It is kept for 72 hours.", "Tea."], "expected": ["72 hours"]},
    ),
    Result("golden", "q2", "Who?", 0.5, {"answer_in_text": 0.0}, {"answer": "", "declined": True, "expected": ["Ann"]}),
)


@pytest.fixture
def run_file(tmp_path: Path) -> str:
    path = tmp_path / "hybrid.json"
    save_run(describe_run("answers", Settings(), {}, [], results=RESULTS), path)
    return str(path)


def send(*arguments: str) -> tuple[int, str, str]:
    done = CliRunner().invoke(app, ["eval", "export", *arguments])
    return done.exit_code, done.stdout, str(done.exception)


class LangSmith:
    """As much of LangSmith's API as a dataset and an experiment take."""

    def __init__(self):
        self.datasets = {}
        self.examples = {}
        self.sessions = []
        self.runs = []
        self.feedback = []
        self.keys = set()
        self.status = 200
        owner = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                owner.keys.add(self.headers["x-api-key"])
                path, query = urlsplit(self.path).path, urlsplit(self.path).query
                if owner.status != 200:
                    self.answer({"detail": "no"}, owner.status)
                elif path == "/datasets":
                    self.answer([held for name, held in owner.datasets.items() if f"name={name}" in query])
                elif path == "/examples":
                    offset = int(re.search(r"offset=(\d+)", query)[1])
                    self.answer(list(owner.examples.values())[offset:])
                else:
                    self.answer({"instance_flags": {}, "version": "0.11.0"})

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                path = self.path
                if path == "/datasets":
                    given = json.loads(body)
                    held = given | {"id": str(uuid.uuid4()), "created_at": "2026-11-23T20:00:00Z"}
                    owner.datasets[given["name"]] = held
                    self.answer(held)
                elif "examples" in path:
                    for found in owner.read_examples(body):
                        owner.examples[found["id"]] = found
                    self.answer(list(owner.examples.values()))
                elif path.startswith("/sessions"):
                    given = json.loads(body)
                    owner.sessions.append(given)
                    started = {"start_time": "2026-11-23T20:00:00Z", "tenant_id": str(uuid.uuid4())}
                    self.answer({"id": str(uuid.uuid4())} | given | started)
                elif path.startswith("/runs"):
                    owner.runs.append(json.loads(body))
                    self.answer({})
                else:
                    owner.feedback.append(json.loads(body))
                    self.answer(owner.feedback[-1])

            def answer(self, held, status=200):
                body = json.dumps(held).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def read_examples(self, body):
        """Examples of a bulk request: JSON, or the parts of a form."""
        if body.startswith((b"[", b"{")):
            given = json.loads(body)
            return given if isinstance(given, list) else [given]
        found = {}
        for name, held in re.findall(rb'name="([^"]+)"[^\n]*\r\n(?:[^\n]+\r\n)*\r\n(.*?)\r\n--', body, re.DOTALL):
            example, _, part = name.decode().partition(".")
            value = json.loads(held)
            row = found.setdefault(example, {"id": example, "dataset_id": next(iter(self.datasets.values()))["id"]})
            row |= {part: value} if part else {"metadata": value.get("metadata")}
        return found.values()

    def close(self):
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def langsmith(monkeypatch):
    server = LangSmith()
    monkeypatch.setenv("LANGSMITH_API_KEY", "a-key")
    monkeypatch.setenv("LANGSMITH_ENDPOINT", server.url)
    from langsmith import utils

    utils.get_env_var.cache_clear()
    yield server
    server.close()
    utils.get_env_var.cache_clear()


def test_langsmith_gets_the_questions_once_and_every_run_as_an_experiment(langsmith, run_file):
    first_sent = send(run_file, "--to", "langsmith", "--dataset", "handbook")
    assert first_sent[0] == 0, first_sent
    code, printed, _ = send(run_file, "--to", "langsmith", "--dataset", "handbook", "--json")
    assert code == 0
    sent = json.loads(printed)
    assert (sent["dataset"], sent["questions"]) == ("handbook", 2)
    assert langsmith.keys == {"a-key"}
    assert list(langsmith.datasets) == ["handbook"]
    examples = {held["inputs"]["question"]: held for held in langsmith.examples.values()}
    assert list(examples) == ["How long is it kept?", "Who?"]
    assert examples["How long is it kept?"]["outputs"]["expected"] == ["72 hours"]
    assert len(langsmith.sessions) == 2
    first = langsmith.runs[0]
    assert first["inputs"] == {"question": "How long is it kept?"}
    assert first["outputs"]["answer"] == "For 72 hours."
    assert first["reference_example_id"] == examples["How long is it kept?"]["id"]
    own = [(held["key"], held["score"]) for held in langsmith.feedback if held["run_id"] == first["id"]]
    assert own == [("answer_in_text", 1.0), ("groundedness", 1.0)]


def test_without_a_key_langsmith_is_not_asked(run_file, monkeypatch):
    monkeypatch.delenv("LANGSMITH_API_KEY", raising=False)
    code, _, problem = send(run_file, "--to", "langsmith")
    assert code != 0
    assert "LANGSMITH_API_KEY is empty" in problem


def test_what_langsmith_refuses_is_told(langsmith, run_file):
    langsmith.status = 403
    code, _, problem = send(run_file, "--to", "langsmith")
    assert code != 0
    assert problem.startswith("LangSmith: ")


@pytest.fixture
def collector(monkeypatch):
    server = OtlpCollector()
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", server.url)
    yield server
    server.close()


def test_a_collector_gets_a_trace_for_each_question_with_its_passages_and_scores(collector, run_file):
    code, printed, _ = send(run_file, "--to", "otlp", "--json")
    assert code == 0
    assert json.loads(printed) == {"questions": 2, "spans": 5, "dataset": None, "experiment": None}
    spans = collector.spans
    assert len({span.trace_id for span in spans}) == 2
    kinds = sorted(attributes(span)["openinference.span.kind"] for span in spans)
    assert kinds == ["CHAIN", "CHAIN", "EVALUATOR", "EVALUATOR", "RETRIEVER"]
    root = next(span for span in spans if attributes(span).get("input.value") == "How long is it kept?")
    assert attributes(root)["output.value"] == "For 72 hours."
    assert (root.end_time_unix_nano - root.start_time_unix_nano) / 1e9 == pytest.approx(0.25)
    below = [span for span in spans if span.parent_span_id == root.span_id]
    found = next(span for span in below if span.name == "retrieve")
    assert attributes(found)["retrieval.documents.0.document.content"] == "It is kept for 72 hours."
    scored = next(span for span in below if span.name == "score")
    told = {attributes(event)["gen_ai.evaluation.name"]: attributes(event) for event in scored.events}
    assert told["groundedness"]["gen_ai.evaluation.score.value"] == 1.0


def test_a_collector_that_takes_nothing_is_told(collector, run_file):
    collector.status = 400
    code, _, problem = send(run_file, "--to", "otlp")
    assert code != 0
    assert "the OTLP collector took no spans" in problem
