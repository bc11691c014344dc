from typing import Literal

import pytest
from pydantic import BaseModel, Field

from ascertain.core.asking.runs import Budget, Run, Task
from ascertain.core.errors import ModelError
from ascertain.core.settings import ChatSettings, ModelSettings
from ascertain.models.chat.structured import open_chat
from ascertain.models.ports import Message

MESSAGES = [
    Message("system", "You judge how well a passage answers a question. Reply in JSON."),
    Message("user", "Question: Which city is the capital of France?\nPassage: Paris is the capital of France."),
]


class Part(BaseModel):
    text: str = Field(max_length=60)
    kind: Literal["name", "number"]


class Judgement(BaseModel):
    """How well a passage answers a question."""

    score: int = Field(ge=0, le=100)
    issue: Literal["none", "off_topic", "partial"] = "none"
    parts: list[Part] = Field(default_factory=list, max_length=2)


@pytest.mark.parametrize(
    "structured",
    [
        "json_schema",
        pytest.param("json_object", marks=pytest.mark.slow),
        pytest.param("prompt", marks=pytest.mark.slow),
    ],
)
def test_real_model_gives_a_valid_reply_or_an_error(small_chat_server, structured):
    settings = ChatSettings(
        model="smollm2",
        base_url=small_chat_server.base_url,
        structured=structured,
        max_output_tokens=80,
        timeout_seconds=120,
    )
    chat = open_chat(ModelSettings(chat=settings))
    assert chat is not None
    run = Run(Budget(calls=6, tokens=20_000, seconds=250, usd=1))
    try:
        judgement = chat.ask(Task.JUDGE, MESSAGES, Judgement, run)
    except ModelError as error:
        assert "smollm2" in str(error)
        assert structured != "json_schema"  # the server holds the model to the schema
    else:
        assert 0 <= judgement.score <= 100
    assert 1 <= run.usage.calls <= 2
    assert run.usage.input_tokens > 0
