"""Chat servers that fail, over the real HTTP client: asked once, then left alone until the pause is over."""

import threading
import time

import pytest
from pydantic import BaseModel
from scripted_chat_server import closes, cuts, drips, fails, hangs_up, says, sends, silent, stops_after_headers

from ascertain.core.asking.runs import Budget, Run, Task
from ascertain.core.errors import BudgetExceeded, ModelError
from ascertain.core.settings import ChatSettings, ModelSettings
from ascertain.models.chat.provider import CONNECT_SECONDS, Dialect, ModelAddress, open_model
from ascertain.models.chat.structured import open_chat
from ascertain.models.ports import Message
from ascertain.models.servers.breaker import BreakerState, list_breakers


class Grade(BaseModel):
    score: int


GOOD = {"score": 70}
FIFTY_MB = b"z" * 50_000_000


@pytest.fixture
def server(scripted_chat_server):
    return scripted_chat_server


@pytest.fixture
def ask(server):
    """Asks for a grade; waits between tries take no time."""

    def with_settings(calls: int = 20, seconds: float = 60, task: Task = Task.JUDGE, **settings: object) -> Grade:
        chosen = {"model": "tiny", "base_url": server.base_url, "timeout_seconds": 20, **settings}
        chat = open_chat(ModelSettings(chat=ChatSettings.model_validate(chosen)))
        assert chat is not None
        chat._sleep = lambda *_: None
        run = Run(Budget(calls, 10**9, seconds, 1.0))
        return chat.ask(task, [Message("user", "How good is it?")], Grade, run)

    return with_settings


@pytest.fixture
def error(ask):
    def of_asking(**settings: object) -> str:
        with pytest.raises(ModelError) as caught:
            ask(**settings)
        return str(caught.value)

    return of_asking


def end_pause():
    """An hour passes, the longest pause there is."""
    (breaker,) = list_breakers()
    breaker._clock = lambda: time.monotonic() + 3601


@pytest.mark.parametrize(
    "behaviour", [silent, drips(GOOD, seconds_a_byte=1.0), stops_after_headers], ids=["silent", "drips", "headers"]
)
def test_a_server_that_hangs_costs_its_time_limit_once(error, server, behaviour):
    server.script(behaviour)
    message = error(timeout_seconds=0.3)
    assert "judge: no complete reply within 0.3 s; the rules answer until" in message
    began = time.monotonic()
    for _ in range(100):
        message = error(timeout_seconds=0.3)
    assert "is left alone (no complete reply within 0.3 s); the rules answer until" in message
    # on a busy machine the time limit may pass before the request has come
    assert len(server.requests) <= 1
    assert time.monotonic() - began < 100 * 0.3


@pytest.mark.parametrize(
    ("behaviour", "reason"),
    [
        (fails(500), "the server failed (HTTP 500)"),
        (fails(503), "the server failed (HTTP 503)"),
        (fails(429, retry_after="0"), "the server is asked too often (HTTP 429)"),
        (hangs_up, "the connection was cut"),
        (cuts(GOOD), "the connection was cut"),
        (closes(GOOD), "the connection was cut"),
    ],
    ids=["500", "503", "429", "hangs up", "cuts", "closes"],
)
def test_a_server_that_fails_is_tried_as_often_as_the_settings_say_and_then_left_alone(
    error, server, behaviour, reason
):
    server.script(behaviour)
    message = error(retries=2)
    assert f"judge: {reason}" in message
    assert "tried 3 times (models.chat.retries); the rules answer until" in message
    assert f"is left alone ({reason}); the rules answer until" in error()
    assert len(server.requests) == 3


def test_a_server_that_is_not_there_is_left_alone(error):
    address = "http://127.0.0.1:9/v1"
    assert "tried 3 times (models.chat.retries); the rules answer until" in error(base_url=address)
    assert "is left alone (the server cannot be reached)" in error(base_url=address)


@pytest.mark.parametrize(
    "behaviour",
    [sends(b"<html>Bad gateway</html>", content_type="text/html"), sends(FIFTY_MB)],
    ids=["HTML", "50 MB that are no JSON"],
)
def test_what_is_no_reply_of_the_api_is_believed_the_second_time(error, server, behaviour):
    server.script(behaviour)
    assert "the reply could not be read" in error(retries=0)
    assert "the reply could not be read" in error(retries=0)
    assert "is left alone (the reply could not be read)" in error(retries=0)
    assert len(server.requests) == 2


def test_a_reply_of_50_mb_is_refused_without_being_read(error, server):
    server.script(says("{x " * (len(FIFTY_MB) // 3)))
    assert "the reply has 49,999,998 characters, more than requested" in error()
    assert len(server.requests) == 2
    assert "characters" in server.requests[1].text


def test_a_server_that_fails_from_the_third_call_on(ask, error, server):
    server.script(says(GOOD), says(GOOD), silent)
    assert [ask(timeout_seconds=5).score for _ in range(2)] == [70, 70]
    assert "no complete reply within 0.3 s; the rules answer" in error(timeout_seconds=0.3)
    assert "is left alone" in error(timeout_seconds=0.3)
    assert len(server.requests) == 3


def test_after_the_pause_one_call_finds_it_back(ask, error, server):
    server.script(fails(500), says(GOOD))
    error(retries=0)
    assert "is left alone" in error()
    end_pause()
    assert [ask().score for _ in range(3)] == [70, 70, 70]


def test_after_the_pause_one_call_finds_it_still_away(error, server):
    server.script(silent)
    error(timeout_seconds=0.2)
    end_pause()
    assert "judge: no complete reply" in error(timeout_seconds=0.2)
    assert "is left alone" in error(timeout_seconds=0.2)
    assert len(server.requests) == 2


def test_after_the_pause_one_thread_of_many_tries_and_nobody_waits_for_it(ask, error, server):
    asked, may_reply = threading.Event(), threading.Event()

    def reply(request):
        if len(server.requests) == 1:
            return fails(500)
        asked.set()
        assert may_reply.wait(30)
        return GOOD

    server.reply_by(reply)
    error(retries=0)
    end_pause()
    scores: list[int] = []
    trial = threading.Thread(target=lambda: scores.append(ask().score))
    trial.start()
    assert asked.wait(30)
    assert {"is being tried by another question" in error() for _ in range(8)} == {True}
    may_reply.set()
    trial.join()
    assert scores == [70]
    assert len(server.requests) == 2


def test_the_pause_is_as_long_as_a_busy_server_asks_for(error, server):
    server.script(fails(429, retry_after="1800"))
    began = time.monotonic()
    assert "longer than a call may take; the rules answer until" in error()
    (breaker,) = list_breakers()
    assert breaker._pause is not None
    assert 1790 < breaker._pause.ends - began < 1810


def test_others_are_told_nothing_that_the_server_said(error, server):
    server.script(fails(500, "cannot process 'salary of Jane Roe'"))
    assert "Jane Roe" in error(retries=0)
    assert "Jane Roe" not in error(retries=0)


@pytest.mark.parametrize(
    "behaviour",
    [
        says("I would rather not."),
        says('{"score": "high"}'),
        says('{"score": 1', finish="length"),
        fails(400, "the request exceeds the available context size"),
        fails(404, "no such model"),
        fails(401, "wrong key"),
        fails(403, "not yours"),
    ],
    ids=["prose", "invalid", "cut off", "too long", "404", "401", "403"],
)
def test_what_lies_in_the_request_or_the_reply_leaves_the_server_in_use(ask, error, server, behaviour):
    server.script(behaviour)
    for _ in range(3):
        assert "the rules answer until" not in error()
    server.script(says(GOOD))
    assert ask().score == 70


def test_a_wrong_key_says_so_and_leaves_the_server_to_others(ask, error, server, monkeypatch):
    monkeypatch.setenv("WRONG_KEY", "sk-wrong")
    monkeypatch.setenv("GOOD_KEY", "sk-good")

    def reply(request):
        return GOOD if request.headers["authorization"] == "Bearer sk-good" else fails(401, "no such key")

    server.reply_by(reply)
    assert ask(api_key_variable="GOOD_KEY").score == 70
    message = error(api_key_variable="WRONG_KEY")
    assert "the server refused the key (HTTP 401)" in message
    assert "check the key in WRONG_KEY" in message
    assert ask(api_key_variable="GOOD_KEY").score == 70


def test_a_refused_key_is_no_sign_that_the_model_is_back(error, server):
    server.script(fails(500), fails(401))
    error(retries=0)
    end_pause()
    assert "refused the key" in error()
    assert [breaker.state for breaker in list_breakers()] == [BreakerState.HALF_OPEN]


def test_a_spent_budget_leaves_the_server_in_use(ask, server):
    with pytest.raises(BudgetExceeded):
        ask(calls=0)
    server.script(says(GOOD))
    assert ask().score == 70


def test_a_question_with_few_seconds_says_less_of_the_server_than_its_own_limit(error, server):
    server.script(silent)
    assert "the rules answer until" not in error(timeout_seconds=0.5, seconds=0.25)
    assert "the rules answer until" in error(timeout_seconds=0.5, seconds=0.25)
    assert "is left alone" in error(timeout_seconds=0.5)


def test_one_document_that_fails_leaves_the_server_to_the_next_three_do_not(error, server):
    server.script(fails(500))
    for told in (False, False, True):
        assert ("the rules answer until" in error(retries=0, task=Task.EXTRACT)) is told
    assert "is left alone" in error(task=Task.EXTRACT)


def test_tries_of_one_call_share_its_time_limit(error, server):
    def fail_late(exchange):
        exchange.closing.wait(0.3)
        fails(504)(exchange)

    server.script(fail_late)
    began = time.monotonic()
    assert "the rules answer until" in error(timeout_seconds=1, retries=10)
    assert len(server.requests) < 11
    assert time.monotonic() - began < 11 * 0.3


@pytest.mark.parametrize(("timeout", "connect"), [(60, CONNECT_SECONDS), (2, 2)])
def test_a_connection_is_waited_for_less_than_a_reply(timeout, connect):
    address = ModelAddress("openai", "tiny", "http://127.0.0.1:9/v1", "none")
    limit = open_model(address, Dialect("json_schema"), 100, timeout).root_async_client.timeout  # pyright: ignore
    assert (limit.connect, limit.read) == (connect, timeout)
