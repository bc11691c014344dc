import socket
import ssl
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from ascertain.models.servers.failures import read_failure


class Response:
    def __init__(self, status_code: int, **headers: str) -> None:
        self.status_code = status_code
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}


class StatusError(Exception):
    """As the clients of OpenAI, Anthropic and Groq raise."""

    def __init__(self, status: int, text: str = "no", **headers: str) -> None:
        super().__init__(text)
        self.status_code = status
        self.response = Response(status, **headers)


class CodeError(Exception):
    """As Google's client raises."""

    def __init__(self, code: object) -> None:
        super().__init__("quota")
        self.code = code


class HTTPStatusError(Exception):
    """As httpx raises."""

    def __init__(self, status: int) -> None:
        super().__init__("bad status")
        self.response = Response(status)


class TransportError(Exception):
    """As httpx names the root of what goes wrong on the way."""


class ConnectError(TransportError):
    pass


class ConnectTimeout(TransportError):
    pass


class ReadTimeout(TransportError, TimeoutError):
    pass


def caused(outer: Exception, inner: BaseException) -> Exception:
    outer.__cause__ = inner
    return outer


@pytest.mark.parametrize(
    ("error", "status", "is_transient"),
    [
        (StatusError(429), 429, True),
        (StatusError(500), 500, True),
        (StatusError(529), 529, True),
        (StatusError(408), 408, True),
        (StatusError(400), 400, False),
        (StatusError(401), 401, False),
        (StatusError(403), 403, False),
        (StatusError(404), 404, False),
        (CodeError(503), 503, True),
        (HTTPStatusError(502), 502, True),
        (caused(ValueError("wrapped"), StatusError(429)), 429, True),
    ],
)
def test_status_decides_whether_to_try_again(error: Exception, status: int, is_transient: bool):
    failure = read_failure(error)
    assert (failure.status, failure.is_transient, failure.reached) == (status, is_transient, True)
    assert f"HTTP {status}" in failure.reason


@pytest.mark.parametrize(
    ("error", "reached", "is_transient", "reason"),
    [
        (ConnectError("refused"), False, True, "cannot be reached: refused"),
        (caused(RuntimeError("Connection error."), ConnectError("all attempts failed")), False, True, "all attempts"),
        (ConnectTimeout("slow"), False, True, "cannot be reached"),
        (ConnectionRefusedError(111, "refused"), False, True, "cannot be reached"),
        (socket.gaierror(-2, "Name or service not known"), False, True, "Name or service not known"),
        (TransportError("incomplete body"), True, True, "was cut: incomplete body"),
        (ConnectionResetError(104, "reset"), True, True, "was cut"),
        (ssl.SSLError("bad record"), True, True, "was cut"),
        (ReadTimeout("late"), True, False, "took too long"),
        (TimeoutError(), True, False, "took too long"),
        (KeyError("choices"), True, True, "could not be read: KeyError: 'choices'"),
        (CodeError("content_filter"), True, True, "could not be read: CodeError: quota"),
    ],
)
def test_failure_without_a_status(error: Exception, reached: bool, is_transient: bool, reason: str):
    failure = read_failure(error)
    assert (failure.status, failure.reached, failure.is_transient) == (None, reached, is_transient)
    assert reason in failure.reason


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry_after": "7"}, 7),
        ({"retry_after": "0.25"}, 0.25),
        ({"retry_after": "-1"}, 0),
        ({"retry_after_ms": "1500", "retry_after": "2"}, 1.5),
        ({"retry_after": "soon"}, None),
        ({}, None),
    ],
)
def test_wait_that_the_server_asks_for(headers: dict[str, str], seconds: float | None):
    assert read_failure(StatusError(429, **headers)).retry_after == seconds


@pytest.mark.parametrize("ahead", [60, -60])
def test_wait_until_a_date(ahead: int):
    date = format_datetime(datetime.now(UTC) + timedelta(seconds=ahead), usegmt=True)
    wait = read_failure(StatusError(503, retry_after=date)).retry_after
    assert wait is not None
    assert 0 <= wait <= 60
    assert (wait > 0) is (ahead > 0)


def test_secret_and_long_pages_are_kept_out():
    failure = read_failure(StatusError(401, "bad key sk-123 " + "<p>" * 1000), secret="sk-123")
    assert "sk-123" not in failure.reason
    assert len(failure.reason) < 400


def test_what_a_server_says_cannot_steer_a_terminal():
    assert "\x1b" not in read_failure(StatusError(500, "\x1b[2Jgone")).reason


def test_circle_of_causes_ends():
    one, other = ValueError("one"), ValueError("other")
    one.__cause__, other.__cause__ = other, one
    assert "one" in read_failure(one).reason
