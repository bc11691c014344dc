"""Replies that somebody hears while they are written, from a real server on loopback."""

import json
import time
from contextlib import suppress
from itertools import pairwise

import pytest
from pydantic import BaseModel
from scripted_chat_server import completion, fails, says, says_whole, sends, silent, streams

from ascertain.core.asking.runs import Budget, Run, Task
from ascertain.core.errors import ModelError
from ascertain.core.settings import ChatSettings, ModelSettings
from ascertain.models.chat.structured import open_chat
from ascertain.models.ports import Message

MESSAGES = [Message("system", "You write."), Message("user", "What is it?")]
GOOD = {"text": "It is a bridge of stone over the Elm, built in 1912."}


class Text(BaseModel):
    text: str


def a_run(calls: int = 20, seconds: float = 60) -> Run:
    return Run(Budget(calls, 100_000, seconds, 1.0))


@pytest.fixture
def server(scripted_chat_server):
    return scripted_chat_server


@pytest.fixture
def ask(server):
    """Asks for a text; gives it, and all that was heard of the reply on the way."""

    def ask(run=None, **settings):
        chat = open_chat(
            ModelSettings(
                chat=ChatSettings.model_validate(
                    {"model": "tiny", "base_url": server.base_url, "retries": 1, **settings}
                )
            )
        )
        chat._sleep = lambda *_: None
        heard: list[str] = []
        reply = chat.ask(Task.WRITE, MESSAGES, Text, run or a_run(), heard.append)
        return reply.text, heard

    return ask


@pytest.mark.parametrize("structured", ["json_schema", "json_object", "prompt"])
def test_a_reply_is_heard_while_it_is_written(ask, server, structured):
    server.script(streams(GOOD, seconds_a_piece=0.01))
    run = a_run()
    text, heard = ask(run, structured=structured)
    assert text == GOOD["text"]
    assert len(heard) > 2
    assert all(json.dumps(GOOD).startswith(each) for each in heard)
    assert heard == sorted(heard, key=len)
    (request,) = server.requests
    assert (request.is_streamed, request.structured) == (True, structured)
    assert (run.usage.calls, run.usage.input_tokens, run.usage.output_tokens) == (1, 20, 10)


def test_what_is_heard_comes_long_before_the_end(server):
    server.script(streams(GOOD, seconds_a_piece=0.1))
    chat = open_chat(ModelSettings(chat=ChatSettings(model="tiny", base_url=server.base_url)))
    moments: list[float] = []
    chat.ask(Task.WRITE, MESSAGES, Text, a_run(), lambda _: moments.append(time.monotonic()))
    assert time.monotonic() - moments[0] > 0.05


def test_nothing_is_streamed_where_nobody_listens(server):
    server.script(says(GOOD))
    chat = open_chat(ModelSettings(chat=ChatSettings(model="tiny", base_url=server.base_url)))
    assert chat.ask(Task.WRITE, MESSAGES, Text, a_run()).text == GOOD["text"]
    assert not server.requests[0].is_streamed


def test_tokens_are_estimated_where_a_stream_does_not_count_them(ask, server):
    server.script(streams(GOOD, usage=None))
    run = a_run()
    ask(run)
    assert run.usage.output_tokens == -(-len(json.dumps(GOOD)) // 4)


def test_a_server_without_streams_is_asked_for_the_whole_and_that_is_remembered(server):
    server.script(says_whole(GOOD))
    chat = open_chat(ModelSettings(chat=ChatSettings(model="tiny", base_url=server.base_url)))
    heard: list[str] = []
    for _ in range(2):
        assert chat.ask(Task.WRITE, MESSAGES, Text, a_run(), heard.append).text == GOOD["text"]
    assert [request.is_streamed for request in server.requests] == [True, False, False]
    assert not heard


def test_a_server_that_refuses_streams_is_asked_for_the_whole(ask, server):
    server.script(fails(400, "stream_options: unknown field"), says_whole(GOOD))
    assert ask() == (GOOD["text"], [])
    assert [(r.is_streamed, r.structured) for r in server.requests] == [(True, "json_schema"), (False, "json_schema")]


def test_a_reply_begun_again_is_heard_from_its_beginning(ask, server):
    server.script(streams(GOOD, stops_after=3, ends="dies", seconds_a_piece=0.02), streams(GOOD, seconds_a_piece=0.02))
    text, heard = ask()
    assert text == GOOD["text"]
    assert any(len(later) < len(earlier) for earlier, later in pairwise(heard))
    assert len(server.requests) == 2


@pytest.mark.parametrize("ends", ["dies", "hangs"])
def test_a_model_that_ends_within_a_stream_fails_in_time(ask, server, ends):
    server.script(streams(GOOD, stops_after=2, ends=ends))
    began = time.monotonic()
    with pytest.raises(ModelError, match=r"cut|no complete reply within 0\.8 s|took too long"):
        ask(timeout_seconds=0.8)
    assert time.monotonic() - began < 30


def test_a_model_that_never_begins_a_stream_fails_in_time(ask, server):
    server.script(silent)
    with pytest.raises(ModelError, match="no complete reply within"):
        ask(timeout_seconds=0.5)


def test_a_stream_that_drips_for_ever_is_ended_by_the_budget(ask, server):
    server.script(streams("{" * 10_000, seconds_a_piece=0.05))
    with pytest.raises(ModelError, match="no complete reply within"):
        ask(a_run(seconds=1.0))


def test_a_stream_of_nonsense_is_repaired_once(ask, server):
    server.script(streams("I would rather not. " * 5), streams(GOOD))
    assert ask()[0] == GOOD["text"]
    assert len(server.requests) == 2


def test_a_stream_that_was_cut_off_says_so(ask, server):
    server.script(streams(json.dumps(GOOD)[:40], finish="length"))
    with pytest.raises(ModelError, match=r"cut off after 2000 tokens \(models\.chat\.max_output_tokens\)"):
        ask()


@pytest.mark.parametrize(
    "behaviour",
    [
        sends(b"data: <html>\n\n", content_type="text/event-stream"),
        sends(b"<html>busy</html>", content_type="text/html"),
        sends(b"", content_type="text/event-stream"),
    ],
)
def test_what_is_no_stream_is_asked_for_whole(ask, server, behaviour):
    server.script(behaviour, sends(completion(json.dumps(GOOD))))
    assert ask()[0] == GOOD["text"]


def test_an_interrupt_ends_a_stream(server):
    server.script(streams(GOOD, stops_after=2, ends="hangs"))
    chat = open_chat(ModelSettings(chat=ChatSettings(model="tiny", base_url=server.base_url)))
    run = a_run()
    with pytest.raises(KeyboardInterrupt):
        chat.ask(Task.WRITE, MESSAGES, Text, run, lambda _: run.interrupt())


@pytest.mark.slow
def test_a_real_small_model_is_heard(small_chat_server):
    chat = open_chat(
        ModelSettings(
            chat=ChatSettings(model="smollm2", base_url=small_chat_server.base_url, max_output_tokens=60, retries=0)
        )
    )
    heard: list[str] = []
    run = a_run(seconds=120)
    with suppress(ModelError):
        chat.ask(Task.WRITE, MESSAGES, Text, run, heard.append)
    assert len(heard) > 3
    assert run.usage.input_tokens > 0
