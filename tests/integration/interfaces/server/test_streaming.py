"""Questions over HTTP, answered as events that can be taken up again."""

import asyncio
import logging
import time
import uuid

import httpx
import pytest
from material import QUESTION, REFUNDS
from running_service import PATIENCE, client_of, streamed, upload

from ascertain.core.errors import StoreError
from ascertain.core.service.service import LoggedEvent
from ascertain.interfaces.server.event_streams import ALIVE


def ask(client, **body):
    return streamed(client, "POST", "/v1/ask/stream", json={"question": QUESTION, **body})


def listen(client, answer_id, after=""):
    headers = {"Last-Event-ID": after} if after else {}
    return streamed(client, "GET", f"/v1/ask/stream/{answer_id}", headers=headers)


@pytest.fixture
def told(filled):
    """All events of one question."""
    with ask(filled, cache=False) as events:
        return list(events)


def test_events_tell_how_an_answer_comes_about(told):
    names = [name for _, name, _ in told]
    assert names[0] == "started"
    assert names[-1] == "answer"
    assert set(names[1:-1]) == {"node", "text"}
    answer = told[-1][2]
    assert "".join(data["text"] for _, name, data in told if name == "text") == answer["answer"]
    assert told[0][2] == {"answer_id": answer["id"], "conversation_id": None}


def test_every_step_that_begins_also_ends_with_what_it_decided(told):
    steps = [data for _, name, data in told if name == "node"]
    begun = [step["node"] for step in steps if step["state"] == "started"]
    ended = [step for step in steps if step["state"] == "finished"]
    assert begun == [step["node"] for step in ended]
    assert all({"outcome", "reason", "scores", "seconds"} <= step.keys() for step in ended)


def test_ids_of_events_are_those_of_the_answer_and_rise(told):
    answer_id = told[0][2]["answer_id"]
    numbers = [int(id.removeprefix(f"{answer_id}:")) for id, _, _ in told]
    assert numbers == sorted(set(numbers))


@pytest.mark.parametrize("share", [0.0, 0.5, 0.9])
def test_whoever_comes_back_is_told_the_rest(filled, told, share):
    answer_id, at = told[0][2]["answer_id"], int(len(told) * share)
    after = told[at - 1][0] if at else ""
    with listen(filled, answer_id, after) as events:
        assert list(events) == told[at:]


def test_whoever_was_told_everything_need_not_come_back(filled, told):
    answer_id = told[0][2]["answer_id"]
    response = filled.get(f"/v1/ask/stream/{answer_id}", headers={"Last-Event-ID": told[-1][0]})
    assert response.status_code == 204
    assert response.content == b""


def test_the_run_goes_on_when_its_listener_leaves(filled):
    with ask(filled, cache=False) as events:
        _, name, data = next(events)
        assert name == "started"
    with listen(filled, data["answer_id"], f"{data['answer_id']}:1") as events:
        assert list(events)[-1][1] == "answer"


def test_several_can_listen_to_one_answer(filled):
    with ask(filled, cache=False) as first:
        started = next(first)
        with listen(filled, started[2]["answer_id"]) as second:
            heard = list(second)
        assert [started, *first] == heard


def test_a_turn_that_was_streamed_belongs_to_its_conversation(filled):
    with ask(filled, conversation_id="c1") as events:
        next(events)
    until, turns = time.monotonic() + PATIENCE, []
    while (not turns or turns[0]["state"] == "running") and time.monotonic() < until:
        time.sleep(0.05)
        turns = filled.get("/v1/conversations/c1").json().get("turns", [])
    (turn,) = turns
    assert turn["state"] == "finished"


def test_the_answer_of_another_tenant_is_one_that_does_not_exist(told, new_client):
    stranger = new_client("a-stranger")
    response = stranger.get(f"/v1/ask/stream/{told[0][2]['answer_id']}")
    assert response.status_code == 404
    unknown = stranger.get(f"/v1/ask/stream/{uuid.uuid4().hex}")
    assert response.json()["detail"] == unknown.json()["detail"]


@pytest.mark.parametrize("given", ["nonsense", "other:3", "{}:x", "{}:-1", "{}:9999999999"])
def test_an_event_of_something_else_is_refused(filled, told, given):
    answer_id = told[0][2]["answer_id"]
    response = filled.get(f"/v1/ask/stream/{answer_id}", headers={"Last-Event-ID": given.format(answer_id)})
    assert response.status_code == 400


def test_what_is_wrong_with_a_question_is_said_before_the_stream_begins(client):
    response = client.post("/v1/ask/stream", json={"question": QUESTION})
    assert response.status_code == 409
    assert response.headers["content-type"] == "application/problem+json"


@pytest.fixture
def logged():
    """What the service logs while the test runs."""
    kept, handler = [], logging.Handler()
    handler.emit = kept.append
    logger = logging.getLogger("ascertain")
    logger.addHandler(handler)
    yield kept
    logger.removeHandler(handler)


@pytest.fixture
def streaming(open_service):
    """An open service with a document, and a client of it."""
    service = open_service()
    with client_of(service.url) as client:
        upload(client, {"refunds.md": REFUNDS})
        yield service, client


def errors_in(logged):
    return [record.exc_info[1] for record in logged if record.exc_info]


@pytest.mark.parametrize("error", [RuntimeError("hunter2"), ExceptionGroup("tasks", [KeyError("hunter2")])])
def test_an_error_inside_a_run_is_told_as_an_event_and_logged(streaming, monkeypatch, logged, error):
    def fail(*_, **__):
        raise error

    monkeypatch.setattr("ascertain.app.ascertain.Ascertain.ask_stream", fail)
    with ask(streaming[1], cache=False) as events:
        names = [(name, data) for _, name, data in events]
    assert [name for name, _ in names] == ["started", "error"]
    assert names[-1][1]["problem"]["type"] == "urn:ascertain:problem:internal-error"
    assert error in errors_in(logged)


@pytest.mark.parametrize(
    ("error", "kind"), [(RuntimeError("hunter2"), "internal-error"), (StoreError("hunter2"), "unavailable")]
)
def test_an_error_while_events_are_told_is_an_event_too(streaming, monkeypatch, logged, error, kind):
    async def fail(*_):
        yield LoggedEvent(1, "started", {})
        raise error

    monkeypatch.setattr("ascertain.interfaces.server.event_streams.LiveStream.after", fail)
    response = streaming[1].post("/v1/ask/stream", json={"question": QUESTION})
    *_, last = response.text.strip().split("\n\n")
    assert last.startswith("event: error\n")
    assert f"urn:ascertain:problem:{kind}" in last
    assert response.headers["x-request-id"] in last
    assert "hunter2" not in response.text
    assert any("unavailable" in record.getMessage() for record in logged) or error in errors_in(logged)


def test_listeners_who_leave_at_any_moment_are_no_error(streaming, logged):
    service, _ = streaming

    async def listen_for_a_while(client, number):
        body = {"question": f"{QUESTION} {number}", "cache": False}
        async with client.stream("POST", f"{service.url}/v1/ask/stream", json=body) as response:
            left = number
            async for _ in response.aiter_lines():
                left -= 1
                if left < 0:
                    return

    async def all_of_them():
        async with httpx.AsyncClient(timeout=PATIENCE, trust_env=False) as client:
            await asyncio.gather(*(listen_for_a_while(client, number) for number in range(30)))

    asyncio.run(all_of_them())
    assert errors_in(logged) == []


def test_a_large_body_where_none_is_read_is_no_error(streaming, logged):
    _, client = streaming
    with ask(client) as events:
        answer_id = next(events)[2]["answer_id"]
    refused = client.request("GET", f"/v1/ask/stream/{answer_id}", content=b"x" * 2_000_000)
    assert refused.status_code == 413
    client.request("GET", f"/v1/ask/stream/{answer_id}", content=iter([b"x" * 500_000] * 4))
    assert errors_in(logged) == []


def test_a_silent_run_gives_signs_of_life(streaming, monkeypatch):
    async def wait(*_):
        yield LoggedEvent(1, "started", {})
        yield LoggedEvent(2, ALIVE, {})
        yield LoggedEvent(3, "answer", {}, is_last=True)

    monkeypatch.setattr("ascertain.interfaces.server.event_streams.LiveStream.after", wait)
    told = streaming[1].post("/v1/ask/stream", json={"question": QUESTION}).text
    assert [block.partition("\n")[0] for block in told.strip().split("\n\n")] == [
        "event: started",
        ": ping",
        "event: answer",
    ]
