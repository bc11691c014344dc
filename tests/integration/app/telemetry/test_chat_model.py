"""Model calls in traces, with a chat model behind a real HTTP server; and LangSmith, by its own variables alone."""

import json
import os
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from otlp_collector import attributes

from ascertain import Ascertain, Document, Settings
from ascertain.app.telemetry.tracing import stop_tracing
from ascertain.core.documents.documents import DocumentKind

TEXT = "A fermentation permit costs nineteen guilders at the Aldermanbury counter."
QUESTION = "What does a fermentation permit cost?"
KEY = "sk-0123456789abcdefghij"


@pytest.fixture
def home(tmp_path):
    with Ascertain(Settings(home=tmp_path / "kb")) as knowledge:
        knowledge.add_documents([Document("permit", TEXT, "Permits", DocumentKind.PROSE, "permit.md")])
    return tmp_path / "kb"


def test_every_call_is_booked_on_a_span_below_its_step(home, collector, scripted_chat_server, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    chat = {"model": "openai:tiny", "base_url": scripted_chat_server.base_url, "retries": 1}
    settings = Settings(home=home, telemetry={"traces": True}, models={"chat": chat})
    with Ascertain(settings) as knowledge:
        answer = knowledge.ask(QUESTION)
    stop_tracing()
    spans = {span.span_id: span for span in collector.spans}
    calls = [span for span in spans.values() if span.name.startswith("chat ")]
    told = [attributes(span) for span in calls]
    assert {span.name.removeprefix("chat ") for span in calls} == {task.task for task in answer.usage.tasks}
    assert sum(each["llm.token_count.prompt"] for each in told) == answer.usage.input_tokens > 0
    assert sum(each["llm.token_count.completion"] for each in told) == answer.usage.output_tokens
    assert sum(json.loads(each["metadata"])["calls"] for each in told) == len(scripted_chat_server.requests)
    assert {(each["llm.provider"], each["llm.model_name"]) for each in told} == {("openai", "tiny")}
    for span in calls:
        step = spans[span.parent_span_id]
        assert spans[step.parent_span_id].name == "ask"
        assert step.start_time_unix_nano <= span.start_time_unix_nano <= span.end_time_unix_nano
    sent = b"".join(collector.bodies)
    assert [word for word in (KEY, "guilders", "fermentation") if word.encode() in sent] == []


class _LangSmith(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_GET(self):
        self._reply(b"{}")

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.server.came.append((self.path, self.headers.get("x-api-key"), len(body)))
        self._reply(b"{}", 202)

    def _reply(self, body, status=200):
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        """Says nothing."""


@pytest.mark.parametrize("wanted", [True, False])
def test_langsmith_gets_runs_where_its_variables_ask_for_them(home, wanted):
    server = ThreadingHTTPServer(("127.0.0.1", 0), _LangSmith)
    server.came = []
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("LANGSMITH_", "LANGCHAIN_"))}
    variables = {
        "LANGSMITH_ENDPOINT": f"http://127.0.0.1:{server.server_address[1]}",
        "LANGSMITH_API_KEY": "lsv2_pt_test",
        **({"LANGSMITH_TRACING": "true"} if wanted else {}),
    }
    command = [sys.executable, "-m", "ascertain", "ask", QUESTION, "--home", str(home)]
    done = subprocess.run(command, env={**kept, **variables}, capture_output=True, timeout=120, check=True)
    server.shutdown()
    server.server_close()
    assert b"nineteen guilders" in done.stdout
    runs = [key for path, key, size in server.came if path.startswith("/runs") and size]
    assert (set(runs) == {"lsv2_pt_test"}) is wanted
