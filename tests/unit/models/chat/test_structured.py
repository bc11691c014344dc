from dataclasses import dataclass

import pytest
from pydantic import BaseModel, Field
from scripted_chat_server import cuts, drips, fails, hangs_up, says, sends, silent

from ascertain.core.asking.runs import Budget, Run, Task
from ascertain.core.errors import BudgetExceeded, ModelError
from ascertain.core.settings import ChatSettings, ModelSettings, TierSettings
from ascertain.models.chat.structured import open_chat
from ascertain.models.ports import Message

MESSAGES = [Message("system", "You judge."), Message("user", "How good is it?")]


class Grade(BaseModel):
    """How good something is."""

    score: int = Field(ge=0, le=100)
    reason: str = ""


GOOD = {"score": 70, "reason": "fits"}


def a_run(calls: int = 20, tokens: int = 100_000, seconds: float = 60, usd: float = 1.0) -> Run:
    return Run(Budget(calls, tokens, seconds, usd))


@dataclass
class Asking:
    """A chat on the scripted server, with the waits it made instead of sleeping."""

    server: object
    waits: list[float]

    def ask(self, run: Run | None = None, task: Task = Task.JUDGE, **settings: object) -> Grade:
        return self.chat(**settings).ask(task, MESSAGES, Grade, run or a_run())

    def chat(self, **settings: object):
        chosen = {"model": "tiny", "base_url": self.server.base_url, **settings}
        chat = open_chat(ModelSettings(chat=ChatSettings.model_validate(chosen)))
        assert chat is not None
        chat._sleep, chat._chance = lambda seconds, _: self.waits.append(seconds), lambda: 0.0
        return chat

    def error(self, run: Run | None = None, **settings: object) -> str:
        with pytest.raises(ModelError) as caught:
            self.ask(run, **settings)
        return str(caught.value)


@pytest.fixture
def asking(scripted_chat_server):
    return Asking(scripted_chat_server, [])


@pytest.fixture
def server(scripted_chat_server):
    return scripted_chat_server


def test_asks_by_schema_at_temperature_zero_and_reads_the_reply(asking, server):
    server.script(says(GOOD))
    assert asking.ask() == Grade(score=70, reason="fits")
    (request,) = server.requests
    assert request.path == "/v1/chat/completions"
    assert request.body["model"] == "tiny"
    assert request.body["temperature"] == 0
    assert request.body["max_tokens"] == 2000
    assert (request.structured, request.schema) == ("json_schema", "Grade")
    assert request.body["response_format"]["json_schema"]["strict"] is True
    assert not request.body.get("stream")
    assert [(m["role"], m["content"]) for m in request.messages] == [
        ("system", "You judge."),
        ("user", "How good is it?"),
    ]


@pytest.mark.parametrize("structured", ["json_object", "prompt"])
def test_schema_is_in_the_system_message_where_it_is_not_sent_beside(asking, server, structured):
    server.script(says(GOOD))
    assert asking.ask(structured=structured).score == 70
    (request,) = server.requests
    assert (request.structured, request.schema) == (structured, "Grade")
    assert [m["role"] for m in request.messages] == ["system", "user"]
    assert request.messages[0]["content"].startswith("You judge.\n\nReply with one JSON object")


@pytest.mark.parametrize(
    "text",
    [
        '```json\n{"score": 70}\n```',
        'Certainly! Here it is: {"score": 70} I hope this helps.',
        '<think>Perhaps {"score": 3}?</think>{"score": 70}',
        '<think>It fits. {"score": 70}',
        '{"score": 70,}',
    ],
)
def test_reads_what_is_wrapped(asking, server, text):
    server.script(says(text))
    assert asking.ask().score == 70
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("bad", "told"),
    [
        ("I would rather not.", "no complete JSON object"),
        ('{"score": 70', "no complete JSON object"),
        ({"score": 700}, "score: Input should be less than or equal to 100"),
        ({"points": 7}, "score: Field required"),
        ("[70]", "not an object"),
        ("", "empty"),
        ('{"score": 1} or {"score": 2}', "several JSON objects"),
    ],
)
def test_bad_reply_is_repaired_once(asking, server, bad, told):
    server.script(says(bad), says(GOOD))
    assert asking.ask().score == 70
    first, second = server.requests
    assert second.messages[: len(first.messages)] == first.messages
    assert [m["role"] for m in second.messages] == ["system", "user", "assistant", "user"]
    assert told in second.messages[-1]["content"]


def test_second_bad_reply_is_an_error_that_names_model_server_and_fault(asking, server):
    server.script(says("no"))
    message = asking.error()
    assert "tiny" in message
    assert server.base_url in message
    assert "judge" in message
    assert "no complete JSON object" in message
    assert len(server.requests) == 2


def test_reply_that_was_cut_off_is_told_apart(asking, server):
    server.script(says('{"score": 70, "reason": "so long', finish="length"))
    assert "cut off after 50 tokens" in asking.error(max_output_tokens=50)
    assert "cut off" in server.requests[1].text


@pytest.mark.parametrize(
    ("failure", "wait"),
    [
        (fails(429, retry_after="3"), 3.0),
        (fails(429, retry_after_ms="1500"), 1.5),
        (fails(429), 0.5),
        (fails(500), 0.5),
        (fails(503, retry_after="2"), 2.0),
        (cuts(GOOD), 0.5),
        (hangs_up, 0.5),
        (sends(b"<html>gateway</html>", content_type="text/html"), 0.5),
        (sends(b'{"choices": ['), 0.5),
        (sends(b'{"error": {"message": "overloaded"}}'), 0.5),
        (sends(b'{"choices": []}'), 0.5),
    ],
    ids=["429 after", "429 ms", "429", "500", "503 after", "cut", "hung up", "html", "half", "error", "no choice"],
)
def test_passing_failure_is_waited_out(asking, server, failure, wait):
    server.script(failure, says(GOOD))
    run = a_run()
    assert asking.ask(run).score == 70
    assert asking.waits == [wait]
    assert run.usage.calls == 2


def test_waits_double(asking, server):
    server.script(fails(500))
    message = asking.error(retries=4)
    assert asking.waits == [0.5, 1, 2, 4]
    assert "HTTP 500" in message
    assert "tried 5 times" in message
    assert len(server.requests) == 5


def test_wait_longer_than_a_call_may_take_is_not_begun(asking, server):
    server.script(fails(429, retry_after="3600"))
    assert "3.6e+03 s" in asking.error()
    assert asking.waits == []


@pytest.mark.parametrize(("status", "remedy"), [(401, "api_key_variable"), (403, "key"), (404, "base_url")])
def test_refused_key_and_unknown_model_are_final(asking, server, status, remedy):
    server.script(fails(status, "not for you"))
    message = asking.error()
    assert "not for you" in message
    assert remedy in message
    assert len(server.requests) == 1


@pytest.mark.parametrize("behaviour", [silent, drips(GOOD)], ids=["silent", "drips"])
def test_limit_of_a_call_holds_and_hangs_up(asking, server, behaviour):
    server.script(behaviour)
    assert "no complete reply within 0.3 s" in asking.error(timeout_seconds=0.3)
    assert len(server.requests) == 1
    if behaviour is not silent:
        assert server.hung_up.wait(5)


def test_no_call_outlives_the_run(asking, server):
    server.script(silent)
    chat = asking.chat()
    with pytest.raises(ModelError, match="no complete reply within"):
        chat.ask(Task.JUDGE, MESSAGES, Grade, a_run(seconds=0.5))


def test_server_that_is_not_there(asking):
    run = a_run()
    message = asking.error(run, base_url="http://127.0.0.1:9/v1")
    assert "cannot be reached" in message
    assert "tried 3 times" in message
    assert run.usage.calls == 0


@pytest.mark.parametrize(
    "refusal",
    [
        "response_format is not supported",
        "'response_format' of type 'json_schema' is not supported with this model",
        "Invalid schema for response_format",
    ],
)
def test_server_without_structured_replies_is_asked_more_simply_and_remembered(asking, server, refusal):
    def reply(request):
        return GOOD if request.structured == "prompt" else fails(400, refusal)

    server.reply_by(reply)
    chat, run = asking.chat(), a_run()
    chat.ask(Task.JUDGE, MESSAGES, Grade, run)
    chat.ask(Task.PLAN, MESSAGES, Grade, run)
    assert [r.structured for r in server.requests] == ["json_schema", "json_object", "prompt", "prompt"]
    assert run.usage.calls == 4


def test_refusal_of_a_prompt_that_is_too_long_is_not_taken_for_one_of_the_format(asking, server):
    server.script(fails(400, "the request exceeds the available context size"))
    assert "context size" in asking.error()
    assert len(server.requests) == 1


def test_options_that_a_model_refuses_are_left_out(asking, server):
    def reply(request):
        if "temperature" in request.body:
            return fails(400, "Unsupported value: 'temperature' does not support 0 with this model.")
        if "max_tokens" in request.body:
            return fails(400, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.")
        return GOOD

    server.reply_by(reply)
    assert asking.ask().score == 70
    assert server.requests[-1].body["max_completion_tokens"] == 2000
    assert {r.structured for r in server.requests} == {"json_schema"}


def test_usage_is_booked_by_task_with_its_price(asking, server):
    server.script(says(GOOD, usage=(1000, 500)))
    run = a_run()
    asking.ask(run, task=Task.WRITE, input_usd_per_million=2, output_usd_per_million=8)
    (task,) = run.usage.tasks
    assert (task.task, task.calls, task.input_tokens, task.output_tokens) == ("write", 1, 1000, 500)
    assert task.cost_usd == pytest.approx(0.006)


def test_tokens_are_estimated_where_the_server_does_not_count(asking, server):
    server.script(says('{"score": 70}', usage=None))
    run = a_run()
    asking.ask(run)
    assert (run.usage.input_tokens, run.usage.output_tokens) == (7, 4)  # 25 and 13 characters


def test_every_call_is_booked_also_those_in_vain(asking, server):
    server.script(fails(500), says("nonsense"), cuts(GOOD), says(GOOD))
    run = a_run()
    asking.ask(run)
    assert run.usage.calls == 4
    assert run.usage.input_tokens > 40  # two replies with 20 each, and the one that was lost


def test_call_that_was_cut_off_is_booked_as_the_server_counted(asking, server):
    server.script(says('{"score"', finish="length", usage=(11, 5)))
    run = a_run()
    asking.error(run)
    assert (run.usage.input_tokens, run.usage.output_tokens) == (22, 10)


@pytest.mark.parametrize(
    ("budget", "named"),
    [({"calls": 1}, "1 model calls"), ({"tokens": 30}, "30 tokens"), ({"usd": 0.00002}, "US dollars")],
)
def test_budget_ends_repairs_too(asking, server, budget, named):
    server.script(says("nonsense"))
    with pytest.raises(BudgetExceeded, match=named):
        asking.ask(a_run(**budget), input_usd_per_million=1)
    assert len(server.requests) == 1


def test_spent_budget_makes_no_call(asking, server):
    with pytest.raises(BudgetExceeded):
        asking.ask(a_run(calls=0))
    assert server.requests == []


def test_each_task_has_the_model_of_its_tier(asking, server):
    server.script(says(GOOD))
    chat = asking.chat(tier="premium", premium=TierSettings(write="openai:large").model_dump())
    for task in Task:
        chat.ask(task, MESSAGES, Grade, a_run())
    assert [r.body["model"] for r in server.requests] == ["large" if task is Task.WRITE else "tiny" for task in Task]


def test_task_without_a_model_says_so(asking):
    chat = asking.chat(model="", tier="balanced", balanced={"write": "large"})
    with pytest.raises(ModelError, match=r"rewrite: no chat model is set"):
        chat.ask(Task.REWRITE, MESSAGES, Grade, a_run())


def test_key_is_sent_and_kept_out_of_messages(asking, server, monkeypatch):
    monkeypatch.setenv("MY_KEY", "sk-very-secret")
    server.script(fails(401, "wrong key sk-very-secret"))
    message = asking.error(api_key_variable="MY_KEY")
    assert server.requests[0].headers["authorization"] == "Bearer sk-very-secret"
    assert "secret" not in message
    assert "check the key in MY_KEY" in message


def test_key_of_openai_is_not_sent_to_other_servers(asking, server, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-openai")
    server.script(says(GOOD))
    asking.ask()
    assert server.requests[0].headers["authorization"] == "Bearer none"


def test_calls_nobody_but_the_server(asking, server, monkeypatch):
    import socket

    connected = []
    connect = socket.socket.connect

    def recorded(self, address):
        connected.append(address)
        return connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", recorded)
    server.script(says(GOOD))
    asking.ask()
    assert {address[0] for address in connected if isinstance(address, tuple)} <= {"127.0.0.1"}
