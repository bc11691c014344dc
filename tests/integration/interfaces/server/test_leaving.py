"""Callers who go away: the work for them ends with the call of a model that is under way, and nothing is left behind."""

import json
import threading
import time

import httpx
import pytest
from material import GEARBOX, QUESTION, REFUNDS
from running_service import PATIENCE, RunningService, new_key, settings_of
from scripted_chat_server import pauses, says

RESEARCH = "Research how refunds work and what the gearbox costs, and write a report."
WITHIN = 1.5
"""Seconds after which the work has ended; half a second of it is the service's own look for its caller."""


@pytest.fixture
def slow(tmp_path, scripted_chat_server):
    """A service whose chat model takes half a minute for everything."""
    scripted_chat_server.script(pauses(30, says("{}")))
    for name, text in (("refunds.md", REFUNDS), ("gearbox.md", GEARBOX)):
        (tmp_path / name).write_text(text)
    settings = settings_of(
        tmp_path / "kb",
        models__chat__model="tiny",
        models__chat__base_url=scripted_chat_server.base_url,
        server__questions_at_once=1,
        server__ingest_workers=0,
    )
    service = RunningService(settings)
    service.knowledge.add([tmp_path / "refunds.md", tmp_path / "gearbox.md"])
    yield service
    service.close()


def wait_until(is_so, seconds=PATIENCE):
    """How long it took."""
    began = time.monotonic()
    while not is_so():
        assert time.monotonic() - began < seconds
        time.sleep(0.02)
    return time.monotonic() - began


def own_threads():
    """Threads but those of the scripted server, which go on not answering."""
    return sum("process_request_thread" not in thread.name for thread in threading.enumerate())


def is_idle(service):
    pool = service.service.pool
    return pool.running == 0 and pool.waiting == 0


def leave_while_asked(service, server, path, body, headers=None):
    """Ask, and go away once the model is asked; how long the work went on."""
    asked = len(server.requests)
    with (
        httpx.Client(base_url=service.url, trust_env=False, timeout=60, headers=headers) as client,
        client.stream("POST", path, json=body) as response,
    ):
        assert response.status_code == 200
        wait_until(lambda: len(server.requests) > asked)
    return wait_until(lambda: is_idle(service), 20)


def chat(question, **more):
    return {"model": "ascertain", "stream": True, "messages": [{"role": "user", "content": question}], **more}


@pytest.mark.parametrize("question", [QUESTION, RESEARCH], ids=["question", "research"])
def test_a_chat_that_is_left_ends_in_the_middle_of_a_call_of_a_model(slow, scripted_chat_server, question):
    assert leave_while_asked(slow, scripted_chat_server, "/v1/chat/completions", chat(question)) < WITHIN
    assert len(scripted_chat_server.requests) == 1


def test_who_hangs_up_on_a_whole_answer_ends_the_work_too(slow, scripted_chat_server):
    with pytest.raises(httpx.ReadTimeout):
        httpx.post(f"{slow.url}/v1/ask", json={"question": QUESTION}, timeout=1, trust_env=False)
    assert len(scripted_chat_server.requests) == 1
    assert wait_until(lambda: is_idle(slow), 20) < WITHIN


def test_nothing_is_left_of_many_who_went_away(slow, scripted_chat_server):
    """No thread, no request that counts as under way, no server held to be down; the next question is answered."""
    leave_while_asked(slow, scripted_chat_server, "/v1/chat/completions", chat(QUESTION))
    threads = own_threads()
    for _ in range(5):
        leave_while_asked(slow, scripted_chat_server, "/v1/chat/completions", chat(QUESTION))
    wait_until(lambda: not slow.service.under_way.now())
    wait_until(lambda: own_threads() <= threads, 10)
    readiness = httpx.get(f"{slow.url}/readyz", trust_env=False).json()
    assert readiness["chat_models_left_alone"] == 0
    scripted_chat_server.script(says("no"))
    answer = httpx.post(f"{slow.url}/v1/ask", json={"question": QUESTION}, timeout=60, trust_env=False)
    assert answer.status_code == 200


def test_a_request_that_was_left_counts_once(slow, scripted_chat_server):
    key = new_key(slow.knowledge, "default", requests_per_minute=3)
    headers = {"Authorization": f"Bearer {key}"}
    wait_until(lambda: httpx.get(f"{slow.url}/v1/models", trust_env=False).status_code == 401)
    for _ in range(2):
        leave_while_asked(slow, scripted_chat_server, "/v1/chat/completions", chat(QUESTION), headers)
    statuses = [httpx.get(f"{slow.url}/v1/models", headers=headers, trust_env=False).status_code for _ in range(2)]
    assert statuses == [200, 429]


def test_a_turn_of_a_conversation_goes_on_without_its_listener(slow, scripted_chat_server):
    scripted_chat_server.script(pauses(1, says("no")))
    body = chat(QUESTION, user="shop")
    leave_while_asked(slow, scripted_chat_server, "/v1/chat/completions", body)
    turns = httpx.get(f"{slow.url}/v1/conversations/shop", trust_env=False).json()["turns"]
    assert [turn["state"] for turn in turns] == ["finished"]


def test_a_place_in_the_queue_is_given_up(slow, scripted_chat_server):
    """Who leaves while another's question is answered is never answered."""
    with httpx.Client(base_url=slow.url, trust_env=False, timeout=60) as client:
        with client.stream("POST", "/v1/chat/completions", json=chat(QUESTION)) as first:
            wait_until(lambda: len(scripted_chat_server.requests) == 1)
            with client.stream("POST", "/v1/chat/completions", json=chat("What does the gearbox cost?")):
                wait_until(lambda: slow.service.pool.waiting == 1)
            wait_until(lambda: slow.service.pool.waiting == 0)
            assert json.loads(next(first.iter_lines()).removeprefix("data: "))["object"] == "chat.completion.chunk"
        wait_until(lambda: is_idle(slow))
    assert len(scripted_chat_server.requests) == 1


def test_a_streamed_question_that_is_stopped_says_so_and_leaves_no_answer(slow):
    with httpx.Client(base_url=slow.url, timeout=PATIENCE, trust_env=False) as client:
        body = {"question": RESEARCH, "conversation_id": "c"}
        with client.stream("POST", "/v1/ask/stream", json=body) as response:
            lines = response.iter_lines()
            answer_id = json.loads(next(line for line in lines if line.startswith("data: "))[6:])["answer_id"]
            began = time.monotonic()
            assert client.delete(f"/v1/ask/stream/{answer_id}").status_code == 204
            told = [line for line in lines if line.startswith(("event:", "data:"))]
        assert time.monotonic() - began < WITHIN
        assert told[-2] == "event: error" or told[-1] == "event: error"
        assert any("urn:ascertain:problem:stopped" in line for line in told)
        wait_until(lambda: slow.service.pool.running == 0)
        [turn] = client.get("/v1/conversations/c").json()["turns"]
        assert (turn["state"], turn["reason"], turn["answer"]) == ("failed", "it was stopped", None)
        assert client.delete(f"/v1/ask/stream/{answer_id}").status_code == 404
