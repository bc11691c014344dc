"""What the real service tells of itself while it is used: log lines, figures and traces, and what must be in none of them."""

import json
import os
import select
import subprocess
import sys
import time
from collections import Counter

import httpx
import pytest
from otlp_collector import OtlpCollector, attributes
from prometheus_client.parser import text_string_to_metric_families

from ascertain import Ascertain
from ascertain.app.access.api_keys import create_key
from ascertain.core.service.service import Role

TEXT = "# Zymurgy\n\nA fermentation permit costs nineteen guilders at the Aldermanbury counter.\n"
QUESTION = "What does a fermentation permit cost at Aldermanbury?"
SECRET_WORDS = ("fermentation", "guilders", "aldermanbury", "zymurgy", "quockerwodger")
TAVILY_KEY = "tvly-dev-0123456789abcdef"
TRACE = "0af7651916cd43dd8448eb211c80319c"
HEADERS = {"x-request-id": "request-1", "traceparent": f"00-{TRACE}-b7ad6b7169203331-01"}
ENVIRONMENT = {
    "OMP_NUM_THREADS": "1",
    "ASCERTAIN_MODELS__THREADS": "1",
    "ASCERTAIN_TELEMETRY__TRACES": "true",
    "TAVILY_API_KEY": TAVILY_KEY,
}


def environment(collector):
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("ASCERTAIN_", "OTEL_"))}
    return {**kept, **ENVIRONMENT, "OTEL_EXPORTER_OTLP_ENDPOINT": collector.url}


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    folder = tmp_path_factory.mktemp("service")
    (folder / "permit.md").write_text(TEXT)
    with Ascertain.open(folder / "kb", environ={}) as knowledge:
        knowledge.add([folder / "permit.md"])
    return folder / "kb"


class Told:
    """Everything a service said from its start to its end."""

    def __init__(self, logs, figures, collector, key):
        self.logs = logs
        self.lines = [json.loads(line) for line in logs.splitlines()]
        self.figures = figures
        self.collector = collector
        self.key = key

    @property
    def samples(self):
        families = text_string_to_metric_families(self.figures)
        return [sample for family in families for sample in family.samples]

    @property
    def sent(self):
        return b"".join(self.collector.bodies).decode("utf-8", "replace")


@pytest.fixture(scope="module")
def told(home):
    collector = OtlpCollector()
    with Ascertain.open(home, environ={}) as knowledge:
        _, key = create_key(knowledge.service, "Ada", role=Role.ADMIN)
    process = subprocess.Popen(
        [sys.executable, "-m", "ascertain", "serve", "--home", str(home), "--port", "0", "--json"],
        env=environment(collector),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    try:
        readable, _, _ = select.select([process.stdout], [], [], 120)
        assert readable
        url = json.loads(process.stdout.readline())["url"]
        figures = use(url, key)
    finally:
        process.terminate()
        _, logs = process.communicate(timeout=120)
        collector.close()
    return Told(logs.decode(), figures, collector, key)


def use(url, key):
    """A little of everything, with mistakes; the figures at the end."""
    with httpx.Client(base_url=url, headers={"authorization": f"Bearer {key}"}, timeout=60) as client:
        answer = client.post("/v1/ask", json={"question": QUESTION}, headers=HEADERS).json()
        assert "guilders" in answer["answer"]
        client.post("/v1/ask", json={"question": QUESTION})
        client.post("/v1/ask", json={"question": "Who is a quockerwodger?"})
        client.post("/v1/search", json={"query": QUESTION})
        client.post("/v1/feedback", json={"answer_id": answer["id"], "thumb": "up", "comment": "guilders!"})
        (document,) = client.get("/v1/documents").json()["documents"]
        client.get(f"/v1/documents/{document['id']}/text")
        job = client.post("/v1/documents", files={"files": ("quockerwodger.md", TEXT.encode())}).json()["job"]
        while job["state"] in {"queued", "running"}:
            time.sleep(0.05)
            job = client.get(f"/v1/jobs/{job['id']}").json()
        for wrong in ("/v1/documents/quockerwodger", "/quockerwodger/1", "/quockerwodger/2"):
            assert client.get(wrong).status_code == 404
        client.post("/v1/ask", json={"question": QUESTION, "quockerwodger": 1})
        client.get("/v1/stats", headers={"authorization": "Bearer ask_quockerwodger"})
        return figures_with(client, "ascertain_jobs_ended_total{")


def figures_with(client, name):
    """The figures once this one is among them: a job is counted after it can be seen to have ended."""
    deadline = time.monotonic() + 30
    while name not in (figures := client.get("/metrics").text) and time.monotonic() < deadline:
        time.sleep(0.05)
    return figures


def test_every_line_is_json_and_a_request_is_one_of_them(told):
    assert all({"time", "level", "message"} <= line.keys() for line in told.lines)
    (asked,) = [line for line in told.lines if line.get("request_id") == "request-1" and "status" in line]
    assert (asked["method"], asked["route"], asked["status"]) == ("POST", "/v1/ask", 200)
    assert asked["seconds"] > 0
    assert [line for line in told.lines if line["level"] == "error"] == []


def test_the_end_of_a_background_job_is_a_line(told):
    (line,) = [line for line in told.lines if line["message"] == "background job finished"]
    assert line["tenant"] == "default"
    assert line["job"]


def test_lines_of_the_work_behind_a_request_carry_its_id(told):
    behind = [line["message"] for line in told.lines if line.get("request_id") == "request-1"]
    assert "question answered" in behind


@pytest.mark.parametrize("of", ["logs", "figures", "sent"])
def test_no_secret_and_no_text_is_told(of, told):
    everything = getattr(told, of)
    assert everything
    for secret in (told.key, TAVILY_KEY, "ask_quockerwodger"):
        assert secret not in everything
    assert [word for word in SECRET_WORDS if word in everything.lower()] == []


def test_figures_count_by_route_template_and_not_by_address(told):
    routes = {sample.labels["route"] for sample in told.samples if "route" in sample.labels}
    assert {"/v1/ask", "/v1/documents/{document_id}/text", "other"} <= routes
    values = {
        (sample.name, *sorted(sample.labels.items())): sample.value
        for sample in told.samples
        if not sample.name.endswith("_created")
    }
    assert values["ascertain_http_requests_total", ("method", "GET"), ("route", "other"), ("status", "404")] == 2
    by_type = Counter()
    for sample in told.samples:
        if sample.name == "ascertain_questions_total":
            by_type[sample.labels["type"]] += sample.value
    assert by_type == {"summary": 2, "rejection": 1}
    assert values["ascertain_jobs_ended_total", ("state", "finished")] == 1
    assert sum(v for (name, *_), v in values.items() if name == "ascertain_ingested_documents_total") == 1
    assert values["ascertain_feedback_total", ("thumb", "up")] == 1
    assert not {"tenant", "key", "id"} & {name for sample in told.samples for name in sample.labels}


def test_a_question_is_part_of_the_trace_of_its_request(told):
    asked = [span for span in told.collector.spans if span.trace_id.hex() == TRACE]
    (root,) = [span for span in asked if span.name == "ask"]
    assert root.parent_span_id.hex() == "b7ad6b7169203331"
    steps = {span.name for span in asked if span.parent_span_id == root.span_id}
    assert {"plan", "retrieve", "generate", "check", "finish"} <= steps
    assert attributes(root)["ascertain.answer.type"] == "summary"


def test_an_answer_from_the_cache_is_a_trace_without_a_search(told):
    roots = [span for span in told.collector.spans if span.name == "ask"]
    (cached,) = [span for span in roots if attributes(span).get("ascertain.answer.is_cached")]
    steps = [span.name for span in told.collector.spans if span.trace_id == cached.trace_id]
    assert sorted(steps) == ["ask", "cache"]


def test_a_command_sends_its_trace_before_it_ends(home):
    collector = OtlpCollector()
    command = [sys.executable, "-m", "ascertain", "ask", QUESTION, "--home", str(home), "--json"]
    done = subprocess.run(command, env=environment(collector), capture_output=True, check=True, timeout=120)
    collector.close()
    answer = json.loads(done.stdout)
    (root,) = [span for span in collector.spans if span.name == "ask"]
    assert attributes(root)["ascertain.answer.confidence"] == answer["confidence"]["score"]
