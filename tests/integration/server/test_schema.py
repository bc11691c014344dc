"""Random requests made from the description: no error of the inside, and nothing that the description does not say."""

import hypothesis
import pytest
import schemathesis
from material import GEARBOX, QUESTION, REFUNDS
from running_service import RunningService, client_of, settings_of
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]
KNOWN = {}
"""Ids that exist, put into half of the requests by name of the parameter: at random nobody ever finds one."""


@pytest.fixture(scope="module")
def described(tmp_path_factory):
    """The description of a running service with documents, which fetches nothing that it is told to fetch."""
    folder = tmp_path_factory.mktemp("schema")
    for name, text in (("refunds.md", REFUNDS), ("gearbox.md", GEARBOX)):
        (folder / name).write_text(text)
    service = RunningService(settings_of(folder / "kb", server__ingest_workers=0))
    service.knowledge.add([folder / "refunds.md", folder / "gearbox.md"])
    with client_of(service.url) as client:
        answer = client.post("/v1/ask", json={"question": QUESTION, "conversation_id": "shop"}).json()
        job = client.post("/v1/documents", files=[("files", ("a.md", REFUNDS))]).json()["job"]
    KNOWN.update(
        document_id=answer["citations"][0]["document_id"],
        conversation_id="shop",
        answer_id=answer["id"],
        job_id=job["id"],
        entity="gb-7731",
    )
    yield schemathesis.openapi.from_url(f"{service.url}/openapi.json")
    service.close()


# Schemathesis draws from `random` in its strategies.
pytestmark = pytest.mark.filterwarnings("ignore:Do not use the `random` module inside strategies")


def test_a_few_random_requests_to_each_operation(described):
    send_to_each(described, 4)


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_many_random_requests_to_each_operation(described):
    send_to_each(described, 150)


def send_to_each(described, examples):
    """All of them, not the pytest plugin's own loop: it knows no pytest as new as ours."""
    operations = [found.ok() for found in described.get_all_operations()]
    assert len(operations) >= 32
    for operation in operations:

        @hypothesis.given(case=operation.as_strategy())
        @hypothesis.settings(max_examples=examples, database=None, suppress_health_check=list(hypothesis.HealthCheck))
        def send_random(case):
            send(case)

        send_random()


def send(case):
    for name, value in list((case.path_parameters or {}).items()):
        if name in KNOWN and len(str(value)) % 2 == 0:
            case.path_parameters[name] = KNOWN[name]
    case.call_and_validate(checks=CHECKS, timeout=60)
