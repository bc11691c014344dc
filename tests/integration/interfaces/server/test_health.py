"""Whether the service lives and can work, and its description."""

import re

import httpx
import pytest
from jsonschema import Draft202012Validator
from material import BITCOIN, QUESTION
from running_service import upload

from ascertain import __version__
from ascertain.core.errors import StoreError
from ascertain.core.service.service import Role
from ascertain.interfaces.server.roles import OPERATORS, ROLES
from ascertain.models.chat.provider import ModelAddress
from ascertain.models.servers.breaker import find_breaker


def test_it_lives_and_can_work(place):
    lives, works = (httpx.get(place.url + path, trust_env=False).json() for path in ("/healthz", "/readyz"))
    assert lives == {"status": "ok", "version": __version__}
    assert works == {"status": "ready", "version": __version__, "chat_models_left_alone": 0}


def test_an_empty_service_can_work(open_service):
    service = open_service()
    assert httpx.get(f"{service.url}/readyz", trust_env=False).status_code == 200


def test_without_its_store_it_lives_but_cannot_work(open_service, monkeypatch):
    service = open_service()

    def fail(*_):
        raise StoreError("postgresql://me:hunter2@db.internal is away")

    monkeypatch.setattr("ascertain.app.ascertain.Ascertain.count", fail)
    assert httpx.get(f"{service.url}/healthz", trust_env=False).status_code == 200
    response = httpx.get(f"{service.url}/readyz", trust_env=False)
    assert response.status_code == 503
    assert "hunter2" not in response.text


def test_a_chat_model_that_is_left_alone_is_told_and_the_service_can_still_work(open_service):
    service = open_service()
    find_breaker(str(ModelAddress("openai", "tiny"))).record_failure("no complete reply within 8 s", 1.0, 60)
    response = httpx.get(f"{service.url}/readyz", trust_env=False)
    assert (response.status_code, response.json()["chat_models_left_alone"]) == (200, 1)
    figures = httpx.get(f"{service.url}/metrics", trust_env=False).text
    assert "ascertain_chat_models_left_alone 1.0" in figures


def test_a_service_that_ends_sends_callers_elsewhere(open_service):
    service = open_service()
    service.service.is_ending.set()
    response = httpx.get(f"{service.url}/readyz", trust_env=False)
    assert response.json()["type"] == "urn:ascertain:problem:shutting-down"


@pytest.fixture(scope="session")
def described(place):
    return httpx.get(f"{place.url}/openapi.json", trust_env=False).json()


def operations(described):
    return [
        (method.upper(), path, operation)
        for path, methods in described["paths"].items()
        for method, operation in methods.items()
    ]


def test_every_operation_is_described(described):
    for method, path, operation in operations(described):
        assert operation["description"], (method, path)
        assert operation["tags"], (method, path)
    assert len({operation["operationId"] for *_, operation in operations(described)}) == len(operations(described))


def test_every_example_is_taken_and_answered_as_described(described, filled):
    """Each request body in the description, sent as it is; what comes back fits the schema that the description has for it."""
    answer = filled.post("/v1/ask", json={"question": QUESTION, "conversation_id": "c1"}).json()
    notebook = filled.post("/v1/notebooks", json={"name": "all", "sources": ["upload:*"]}).json()["id"]
    sent = 0
    for method, path, operation in operations(described):
        content = operation.get("requestBody", {}).get("content", {}).get("application/json")
        # evaluations, sources and settings need files, a site or a model: their own tests; a session needs a key or password: test_page.py, test_passwords.py
        is_administrators = ROLES.get((method, path)) is Role.ADMIN
        if (
            content is None
            or is_administrators
            or path in {"/v1/ask/stream", "/v1/session", "/v1/session/password", "/v1/sign-in"}
        ):
            continue
        schema = described["components"]["schemas"][content["schema"]["$ref"].rpartition("/")[2]]
        assert schema["examples"], path
        for example in schema["examples"]:
            body = {**example, "answer_id": answer["id"]} if "answer_id" in example else example
            address = path.replace("{conversation_id}", "c1").replace("{notebook_id}", notebook)
            response = filled.request(method, address, json=body)
            assert response.is_success, (path, example, response.text)
            check(described, operation, response)
            sent += 1
    assert sent >= 7


def test_every_example_of_a_parameter_is_taken_and_answered_as_described(described, client):
    """Each example of a parameter in the description, sent as it is, over a document that has what they name."""
    upload(client, {"bitcoin.md": BITCOIN})
    sent = 0
    for method, path, operation in operations(described):
        examples = {
            parameter["name"]: example
            for parameter in operation.get("parameters", [])
            if (example := _example(parameter)) is not None
        }
        if examples:
            in_path = re.sub(r"{(\w+)}", lambda name: examples.pop(name[1], name[0]), path)  # noqa: B023
            response = client.request(method, in_path, params=examples)
            assert response.is_success, (in_path, response.text)
            check(described, operation, response)
            sent += 1
    assert sent >= 3


def _example(parameter):
    given = parameter["schema"].get("examples") or parameter.get("examples") or [None]
    return given[0]


def test_what_is_read_is_as_described(described, filled, new_client, tenant):
    answer = filled.post("/v1/ask", json={"question": QUESTION, "conversation_id": "c1"}).json()
    (job,) = filled.get("/v1/jobs").json()["jobs"]
    known = {
        "document_id": filled.get("/v1/documents").json()["documents"][0]["id"],
        "conversation_id": "c1",
        "job_id": job["id"],
        "answer_id": answer["id"],
        "entity": filled.get("/v1/graph/entities").json()["entities"][0]["id"],
        "model": filled.get("/v1/models").json()["data"][0]["id"],
        "turn_id": filled.get("/v1/conversations/c1").json()["turns"][0]["turn_id"],
    }
    filled.post("/v1/research", json={"question": QUESTION})
    known["run_id"] = known["other_id"] = filled.get("/v1/research").json()["runs"][0]["id"]
    admin = new_client(tenant, role=Role.ADMIN)
    known["name"] = "guide"
    source = {"address": "https://example.org/guide/", "name": known["name"], "read": False}
    assert admin.post("/v1/sources", json=source).is_success
    required = {"/v1/graph/path": {"from": known["entity"], "to": known["entity"]}}
    for method, path, operation in operations(described):
        if (
            method == "GET"
            and path not in {"/metrics", "/v1/ask/stream/{answer_id}"}
            and (method, path) not in OPERATORS
            and not {"pages", "figures"} & set(path.split("/"))
        ):
            who = admin if ROLES.get((method, path)) is Role.ADMIN else filled
            response = who.get(re.sub(r"{(\w+)}", lambda name: known[name[1]], path), params=required.get(path))
            assert response.is_success, (path, response.text)
            check(described, operation, response)


def check(described, operation, response):
    content = operation["responses"][str(response.status_code)]["content"]
    type_ = response.headers["content-type"].partition(";")[0]
    if type_ != "application/json":
        # streams, which tests/integration/interfaces/server/test_chat_completions.py reads, and reports as text
        assert type_ in content
        return
    schema = operation["responses"][str(response.status_code)]["content"]["application/json"]["schema"]
    Draft202012Validator({**schema, "components": described["components"]}).validate(response.json())


def test_the_page_of_operations_needs_nothing_from_elsewhere(described, place):
    page = httpx.get(f"{place.url}/docs", trust_env=False)
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    for _, path, _ in operations(described):
        assert path in page.text
    assert not re.search(r"<script|https?://(?!example)", page.text)
