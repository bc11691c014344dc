"""Random requests made from the description, with and without a key: no error of the inside, and nothing that the
description does not say.
"""

from itertools import product
from urllib.parse import urlencode

import hypothesis
import pytest
import schemathesis
from hypothesis.errors import Unsatisfiable
from material import GEARBOX, QUESTION, REFUNDS
from running_service import RunningService, client_of, new_key, settings_of
from schemathesis import GenerationMode
from schemathesis.checks import CHECKS, load_all_checks

from ascertain.core.service.service import Role

load_all_checks()
LEFT_OUT = {
    "positive_data_acceptance": "a schema cannot say that a question has words, or which addresses can be fetched",
    "use_after_free": "half of the requests name what is there, or was",
    "ensure_resource_availability": "the same",
    "object_level_authorization": "needs two tenants, as test_isolation.py has",
}
KNOWN = {}
"""Ids that exist, put into half of the requests by name of the parameter: at random nobody ever finds one."""
LONGEST_ADDRESS = 50_000
"""Beyond 64 KiB of headers the server ends the connection, whatever it serves."""
NOT_FOR = {"open": {"ignored_auth"}, "with a key": set(), "without a key": set()}
"""Checks that make no sense for a caller."""
NOT_FOR_RIGHT_FORMS = {"negative_data_rejection"}
"""The fields of a form are text: a number or a list in place of one is sent as text, and right. What a form lacks, or has
beside its fields, is wrong however it is sent.
"""


@pytest.fixture(scope="module", params=NOT_FOR)
def described(request, tmp_path_factory):
    """The description of a running service with documents, which fetches nothing that it is told to fetch; what callers
    send with each request; and the checks that hold for them.
    """
    folder = tmp_path_factory.mktemp("schema")
    for name, text in (("refunds.md", REFUNDS), ("gearbox.md", GEARBOX)):
        (folder / name).write_text(text)
    # a key that is made at random must not close the service that is asked without one
    is_open = request.param == "open"
    service = RunningService(settings_of(folder / "kb", server__ingest_workers=0, server__open=is_open))
    key = None if request.param == "open" else new_key(service.knowledge, "default", role=Role.ADMIN)
    service.knowledge.add([folder / "refunds.md", folder / "gearbox.md"])
    with client_of(service.url, key) as client:
        answer = client.post("/v1/ask", json={"question": QUESTION, "conversation_id": "shop"}).json()
        job = client.post("/v1/documents", files=[("files", ("a.md", REFUNDS))]).json()["job"]
    headers = {"Authorization": f"Bearer {key}"} if request.param == "with a key" else {}
    KNOWN.update(
        document_id=answer["citations"][0]["document_id"],
        conversation_id="shop",
        answer_id=answer["id"],
        job_id=job["id"],
        entity="gb-7731",
    )
    left_out = LEFT_OUT.keys() | NOT_FOR[request.param]
    checks = [CHECKS.get_one(name) for name in CHECKS.get_all_names() if name not in left_out]
    assert len(checks) >= 9
    # 413 and 408 refuse what is wrong too, which the check does not know by itself
    config = schemathesis.Config.from_dict(
        {"checks": {"negative_data_rejection": {"expected-statuses": ["4xx", "503"]}}}
    )
    yield schemathesis.openapi.from_url(f"{service.url}/openapi.json", config=config), headers, checks
    service.close()


# Schemathesis draws from `random` in its strategies.
pytestmark = pytest.mark.filterwarnings("ignore:Do not use the `random` module inside strategies")


def test_a_few_random_requests_to_each_operation(described):
    send_to_each(described, 3)


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_many_random_requests_to_each_operation(described):
    send_to_each(described, 75)


def send_to_each(described, examples):
    """All of them, not the pytest plugin's own loop: it knows no pytest as new as ours. Half of them break the
    description.
    """
    operations = [found.ok() for found in described[0].get_all_operations()]
    assert len(operations) >= 33
    for operation, mode in product(operations, (GenerationMode.POSITIVE, GenerationMode.NEGATIVE)):
        try:
            send_random(operation, mode, examples, *described[1:])
        except Unsatisfiable:
            # nothing of an operation without parameters and body can be wrong
            assert mode is GenerationMode.NEGATIVE


def send_random(operation, mode, examples, headers, checks):
    right_forms = [check for check in checks if check.__name__ not in NOT_FOR_RIGHT_FORMS]

    @hypothesis.given(case=operation.as_strategy(generation_mode=mode))
    @hypothesis.settings(max_examples=examples, database=None, suppress_health_check=list(hypothesis.HealthCheck))
    def send(case):
        if mode is GenerationMode.POSITIVE:
            fill_in_known(case)
        hypothesis.assume(len(urlencode(case.query or {}, doseq=True)) < LONGEST_ADDRESS)
        case.call_and_validate(
            checks=right_forms if may_be_right_as_text(operation, case) else checks, headers=headers, timeout=60
        )

    send()


def may_be_right_as_text(operation, case):
    """Whether a form has all the fields it must have and no other, so that only their types can be wrong."""
    if case.media_type != "multipart/form-data" or not isinstance(case.body, dict):
        return False
    form = operation.definition.raw["requestBody"]["content"]["multipart/form-data"]["schema"]
    return set(form["required"]) <= case.body.keys() <= form["properties"].keys() and bool(case.body["files"])


def fill_in_known(case):
    for name, value in list((case.path_parameters or {}).items()):
        if name in KNOWN and len(str(value)) % 2 == 0:
            case.path_parameters[name] = KNOWN[name]
