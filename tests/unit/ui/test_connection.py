import httpx
import pytest

from ascertain.ui.client import (
    Connection,
    KeyWanted,
    NotThere,
    ServiceAway,
    ServiceBusy,
    ServiceProblem,
    TooManyRequests,
    is_loopback,
    problem_of,
)


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, ServiceProblem),
        (401, KeyWanted),
        (403, KeyWanted),
        (404, NotThere),
        (422, ServiceProblem),
        (429, TooManyRequests),
        (500, ServiceProblem),
        (502, ServiceBusy),
        (503, ServiceBusy),
    ],
)
def test_status_decides_what_is_wrong(status, kind):
    problem = problem_of(httpx.Response(status, json={"title": "T", "detail": "what happened", "request_id": "r1"}))
    assert type(problem) is kind
    assert (str(problem), problem.status, problem.request_id) == ("what happened", status, "r1")


@pytest.mark.parametrize("body", [b"", b"<html>502</html>", b"[]", b'"text"'])
def test_answer_without_details_is_told_by_its_status(body):
    assert str(problem_of(httpx.Response(502, content=body))) == "Bad Gateway"


@pytest.mark.parametrize(("header", "seconds"), [("7", 7.0), ("-1", 0.0), ("soon", None), (None, None)])
def test_limit_says_how_long_to_wait(header, seconds):
    headers = {"Retry-After": header} if header else {}
    assert problem_of(httpx.Response(429, headers=headers)).seconds == seconds


@pytest.mark.parametrize(
    ("host", "is_here"),
    [
        ("127.0.0.1", True),
        ("127.9.9.9", True),
        ("::1", True),
        ("[::1]", True),
        ("localhost", True),
        ("10.0.0.1", False),
        ("kb.example.org", False),
    ],
)
def test_loopback_is_this_machine(host, is_here):
    assert is_loopback(host) is is_here


def test_nobody_there_is_said_with_the_address(closed_port):
    with pytest.raises(ServiceAway, match=f"nothing answers at http://127.0.0.1:{closed_port}"):
        Connection(f"http://127.0.0.1:{closed_port}").send_request("GET", "/v1/stats")
