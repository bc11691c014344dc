"""Models of packages that know other ways than OpenAI's, spoken to through LangChain's own interface."""

import pytest
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langchain_core.runnables import RunnableLambda
from pydantic import BaseModel

from ascertain.core.asking.runs import Budget, Run, Task
from ascertain.core.settings import ChatSettings
from ascertain.models.chat.calls import CalledModel
from ascertain.models.chat.provider import Dialect, ModelAddress
from ascertain.models.chat.structured import StructuredChat
from ascertain.models.ports import Image, Message
from ascertain.models.servers.failures import CallFailed

MESSAGES = [Message("user", "How good is it?")]


class Grade(BaseModel):
    score: int


class ToolModel(GenericFakeChatModel):
    """Asks for structure by a tool, in its one way."""

    def with_structured_output(self, schema, *, include_raw=False, **kwargs):
        assert include_raw
        assert not kwargs
        assert schema["title"] == "Grade"
        return RunnableLambda(lambda _: {"raw": next(self.messages), "parsed": None, "parsing_error": None})


def a_run() -> Run:
    return Run(Budget(2, 1000, 60, 1))


def called(model: GenericFakeChatModel, monkeypatch: pytest.MonkeyPatch) -> CalledModel:
    monkeypatch.setattr("ascertain.models.chat.calls.open_model", lambda *_: model)
    return CalledModel(ModelAddress("fake", "tiny"), 100, 10)


def test_arguments_of_a_tool_are_the_reply(monkeypatch):
    message = AIMessage("", tool_calls=[{"name": "Grade", "args": {"score": 7}, "id": "1"}])
    model = called(ToolModel(messages=iter([message])), monkeypatch)
    assert model.reply(MESSAGES, Grade, Dialect("json_schema"), 5, a_run()).text == '{"score": 7}'


def test_package_without_a_way_is_asked_in_words_and_that_is_remembered(monkeypatch):
    replies = iter([AIMessage('{"score": 7}'), AIMessage('{"score": 8}')])
    model = called(GenericFakeChatModel(messages=replies), monkeypatch)
    chat = StructuredChat(ChatSettings(model="fake:tiny"), {Task.JUDGE: model})
    run = a_run()  # what the package itself refuses reaches no server and costs no call
    assert [chat.ask(Task.JUDGE, MESSAGES, Grade, run).score for _ in range(2)] == [7, 8]
    assert run.usage.calls == 2


def test_one_way_of_its_own_is_no_json_object(monkeypatch):
    model = called(ToolModel(messages=iter([])), monkeypatch)
    with pytest.raises(CallFailed) as caught:
        model.reply(MESSAGES, Grade, Dialect("json_object"), 5, a_run())
    assert (caught.value.status, caught.value.reached) == (400, False)


@pytest.mark.parametrize(
    ("metadata", "is_cut_off"),
    [
        ({"finish_reason": "length"}, True),
        ({"stop_reason": "max_tokens"}, True),
        ({"finish_reason": "MAX_TOKENS"}, True),
        ({"done_reason": "length"}, True),
        ({"finish_reason": "stop"}, False),
        ({}, False),
    ],
)
def test_end_of_a_reply_that_was_too_long(monkeypatch, metadata, is_cut_off):
    message = AIMessage('{"score"', response_metadata=metadata)
    model = called(GenericFakeChatModel(messages=iter([message])), monkeypatch)
    assert model.reply(MESSAGES, Grade, Dialect("prompt"), 5, a_run()).is_cut_off is is_cut_off


def test_tokens_are_as_the_package_counts_them(monkeypatch):
    usage = {"input_tokens": 5, "output_tokens": 3, "total_tokens": 8}
    blocks = [{"type": "reasoning", "reasoning": "hm"}, {"type": "text", "text": '{"score": 7}'}]
    model = called(GenericFakeChatModel(messages=iter([AIMessage(blocks, usage_metadata=usage)])), monkeypatch)
    reply = model.reply(MESSAGES, Grade, Dialect("prompt"), 5, a_run())
    assert (reply.text, reply.input_tokens, reply.output_tokens) == ('{"score": 7}', 5, 3)


def test_pictures_go_along_in_blocks_that_packages_translate(monkeypatch):
    shown = []

    class SeeingModel(GenericFakeChatModel):
        def _generate(self, messages, *arguments, **options):
            shown.extend(messages[-1].content)
            return super()._generate(messages, *arguments, **options)

    model = called(SeeingModel(messages=iter([AIMessage('{"score": 7}')])), monkeypatch)
    chat = StructuredChat(ChatSettings(model="fake:tiny"), {Task.DESCRIBE: model})
    run = Run(Budget(2, 10_000, 60, 1))
    asked = [Message("user", "How good is it?", (Image(b"\x89PNG", "image/png"),))]
    assert chat.ask(Task.DESCRIBE, asked, Grade, run).score == 7
    assert {"type": "text", "text": "How good is it?"} in shown
    assert {"type": "image", "base64": "iVBORw==", "mime_type": "image/png"} in shown
    # no server counted
    assert run.usage.input_tokens > 1600
