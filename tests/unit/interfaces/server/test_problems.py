import json

import pytest

from ascertain.core import errors
from ascertain.interfaces.server.problems import KINDS, Problem, missing_error, problem_of, problem_of_status

SECRET = "postgresql://me:hunter2@db.internal/knowledge"


@pytest.mark.parametrize(
    ("error", "kind", "is_told"),
    [
        (errors.UsageError("k is 0"), "invalid-request", True),
        (errors.ConfigurationError("no profile nwes"), "invalid-request", True),
        (errors.SourceError("a.pdf: no text"), "invalid-request", True),
        (errors.MissingExtra("arXiv", "web"), "not-installed", False),
        (errors.StoreBusy(SECRET), "unavailable", False),
        (errors.StoreError(SECRET), "unavailable", False),
        (errors.EmbeddingMismatch(SECRET), "unavailable", False),
        (errors.ModelError(SECRET), "unavailable", False),
        (errors.BudgetExceeded(SECRET), "internal-error", False),
        (errors.CitationError(SECRET), "internal-error", False),
        (KeyError(SECRET), "internal-error", False),
        (errors.UnknownEntity("Berln", ("Berlin",)), "not-found", False),
        (errors.NoGraph("set graph.build = true"), "no-graph", False),
        (missing_error("document of this id"), "not-found", True),
    ],
)
def test_only_errors_about_the_request_are_told_in_their_words(error, kind, is_told):
    problem = problem_of(error)
    assert problem.kind == kind
    assert (problem.detail == str(error)) is is_told
    assert "hunter2" not in json.dumps(problem.describe("/", "").to_json())


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_has_the_members_of_the_standard(kind):
    shape = Problem(kind, "Because.").describe("/v1/ask", "r1").to_json()
    assert shape["type"] == f"urn:ascertain:problem:{kind}"
    assert shape["status"] == KINDS[kind][0]
    assert {"title", "detail", "instance", "request_id"} < shape.keys()


def test_waiting_is_told_in_whole_seconds_and_never_none():
    for seconds, told in ((0.01, "1"), (1.2, "2"), (30, "30")):
        response = Problem("rate-limited", "Slowly.", retry_after=seconds).response({"path": "/", "headers": []})
        assert response.headers["retry-after"] == told


@pytest.mark.parametrize(
    ("status", "kind"),
    [(404, "not-found"), (405, "method-not-allowed"), (418, "invalid-request"), (599, "internal-error")],
)
def test_any_status_of_the_framework_is_some_problem(status, kind):
    assert problem_of_status(status, "So it is.").kind == kind


def test_names_near_one_that_is_not_there_are_told():
    shape = problem_of(errors.UnknownEntity("Berln", ("Berlin", "Bern"))).describe("/", "").to_json()
    assert shape["suggestions"] == ["Berlin", "Bern"]
    assert shape["detail"].endswith("Near it are: Berlin, Bern.")
    assert "suggestions" not in problem_of(errors.UnknownEntity("x")).describe("/", "").to_json()
