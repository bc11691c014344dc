"""Everything that goes wrong is a problem (RFC 9457), and tells nothing about the inside."""

import json

import httpx
import pytest
from material import QUESTION, REFUNDS
from running_service import upload

from ascertain.app.wire.service import ProblemJson
from ascertain.core.errors import EmbeddingMismatch, ModelError, StoreBusy, StoreError
from ascertain.interfaces.server import lifecycle
from ascertain.interfaces.server.application import MAX_BODY_BYTES

SECRET = "postgresql://me:hunter2@db.internal/knowledge"


def problem(response, status, kind):
    assert response.status_code == status, response.text
    assert response.headers["content-type"] == "application/problem+json"
    given = response.json()
    ProblemJson.model_validate(given, extra="forbid")
    assert given["type"] == f"urn:ascertain:problem:{kind}"
    assert given["status"] == status
    assert given["request_id"] == response.headers["x-request-id"]
    return given


def test_an_address_that_is_none(client):
    given = problem(client.get("/v1/nothing"), 404, "not-found")
    assert given["instance"] == "/v1/nothing"


def test_a_body_that_is_no_json_says_where_it_breaks(client):
    response = client.post("/v1/ask", content=b'{"question": }', headers={"content-type": "application/json"})
    given = problem(response, 422, "invalid-body")
    assert given["errors"] == [{"pointer": "#", "detail": "invalid JSON from character 14 on"}]


def test_a_method_that_is_none(client):
    response = client.put("/v1/ask", json={})
    problem(response, 405, "method-not-allowed")
    assert response.headers["allow"] == "POST"


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({}, "#/question"),
        ({"question": ""}, "#/question"),
        ({"question": 7}, "#/question"),
        ({"question": "q", "qestion": "q"}, "#/qestion"),
        ({"question": "q", "days_back": 0}, "#/days_back"),
        ({"question": "q", "strategy": "magic"}, "#/strategy"),
        ({"question": "q", "filter": {"kinds": ["book"]}}, "#/filter/kinds/0"),
        ({"question": "q", "filter": {"published_from": "soon"}}, "#/filter/published_from"),
        ({"question": "q", "filter": {"published_from": 1733421600}}, "#/filter/published_from"),
        ({"question": "q", "filter": {"published_from": "2024-02-01", "published_before": "2024-01-01"}}, "#/filter"),
        ([], "#"),
    ],
)
def test_a_body_of_another_form_is_refused_with_the_field(client, body, pointer):
    given = problem(client.post("/v1/ask", json=body), 422, "invalid-body")
    assert given["errors"][0]["pointer"] == pointer
    assert pointer in given["detail"]


@pytest.mark.parametrize(
    "content", [b"", b"{", b"\xff\xfe", b"nonsense", b'{"question": "\\ud800"}', b"[" * 100_000, b"NaN"]
)
def test_a_body_that_cannot_be_read_is_refused(client, content):
    response = client.post("/v1/ask", content=content, headers={"Content-Type": "application/json"})
    assert response.status_code in {400, 422}, response.text
    assert response.headers["content-type"] == "application/problem+json"


def test_what_was_sent_is_not_repeated(client):
    response = client.post("/v1/ask", json={"question": 7, "api_key": SECRET})
    assert "hunter2" not in response.text


def test_a_large_body_is_refused(client, place):
    most = MAX_BODY_BYTES
    body = json.dumps({"question": "q" * most}).encode()
    problem(client.post("/v1/ask", content=body, headers={"Content-Type": "application/json"}), 413, "too-large")

    def pieces():
        for at in range(0, len(body), 65_536):
            yield body[at : at + 65_536]

    response = client.post("/v1/ask", content=pieces(), headers={"Content-Type": "application/json"})
    problem(response, 413, "too-large")


@pytest.mark.parametrize(
    ("given", "kept"),
    [("my-request.1", True), ("a" * 128, True), ("a" * 129, False), ("two words", False), ("<script>", False)],
)
def test_a_request_keeps_the_id_it_came_with_if_that_is_fit_for_a_log(client, given, kept):
    response = client.get("/v1/jobs", headers={"X-Request-ID": given})
    assert (response.headers["x-request-id"] == given) is kept


def test_browsers_are_told_what_they_may_not_do(client):
    headers = client.get("/v1/jobs").headers
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["x-frame-options"] == "DENY"
    assert "default-src 'none'" in headers["content-security-policy"]
    assert headers["cache-control"] == "no-store"
    assert "server" not in headers


@pytest.fixture
def service(open_service, monkeypatch):
    """An open service with one document."""
    monkeypatch.setattr(lifecycle, "MOST_WAITING", 1)
    running = open_service(server__questions_at_once=1)
    with httpx.Client(base_url=running.url, trust_env=False, timeout=60) as client:
        assert upload(client, {"refunds.md": REFUNDS})["state"] == "finished"
        running.client = client
        yield running


@pytest.mark.parametrize(
    ("error", "status", "kind"),
    [
        (RuntimeError(SECRET), 500, "internal-error"),
        (StoreError(f"cannot reach {SECRET}"), 503, "unavailable"),
        (StoreBusy(f"{SECRET} is being written"), 503, "unavailable"),
        (EmbeddingMismatch(SECRET), 503, "unavailable"),
        (ModelError(SECRET), 503, "unavailable"),
    ],
)
def test_errors_of_the_inside_tell_nothing_of_it(service, monkeypatch, error, status, kind):
    def fail(*_, **__):
        raise error

    monkeypatch.setattr("ascertain.app.ascertain.Ascertain.ask_stream", fail)
    monkeypatch.setattr("ascertain.app.ascertain.Ascertain.stats", fail)
    ask = {"question": QUESTION}
    for response in (service.client.post("/v1/ask", json=ask), service.client.get("/v1/stats")):
        problem(response, status, kind)
        assert "hunter2" not in response.text
        assert ("retry-after" in response.headers) == (status == 503)
    streamed = service.client.post("/v1/ask/stream", json=ask)
    assert '"type": "urn:ascertain:problem:' + kind in streamed.text
    assert "hunter2" not in streamed.text


def test_beyond_the_queue_questions_are_turned_away(service, monkeypatch):
    pool = service.service.pool
    import threading

    held = threading.Event()
    futures = [pool.submit(held.wait, tenant="a") for _ in range(2)]
    try:
        for path in ("/v1/ask", "/v1/ask/stream"):
            response = service.client.post(path, json={"question": QUESTION})
            problem(response, 503, "overloaded")
            assert int(response.headers["retry-after"]) >= 1
        assert service.client.get("/healthz").status_code == 200
    finally:
        held.set()
        for future in futures:
            future.result(60)
