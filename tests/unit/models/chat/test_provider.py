import importlib.util
import json
import subprocess
import sys

import langchain.chat_models
import pytest
from pydantic import BaseModel, ConfigDict
from scripted_chat_server import sends

from ascertain.core.asking.runs import Budget, Run, Task
from ascertain.core.errors import ConfigurationError, MissingExtra
from ascertain.core.settings import ChatSettings, ModelSettings
from ascertain.models.chat.provider import Dialect, ModelAddress, open_model
from ascertain.models.ports import Message
from ascertain.models.registry import open_chat

DIALECT = Dialect("json_schema")


class Grade(BaseModel):
    reason: str
    score: int


def test_no_model_means_offline():
    assert open_chat(ModelSettings()) is None


def test_langchain_is_imported_only_for_a_model():
    code = (
        "import sys\n"
        "from ascertain.core.settings import ModelSettings\n"
        "import ascertain.models.chat.structured, ascertain.models.prompts\n"
        "from ascertain.models.registry import open_chat\n"
        "assert open_chat(ModelSettings()) is None\n"
        "print([m for m in sys.modules if m.startswith(('langchain', 'langsmith', 'openai', 'httpx'))])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_missing_langchain_names_the_extra(monkeypatch: pytest.MonkeyPatch):
    find_spec = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "langchain" else find_spec(name))
    with pytest.raises(MissingExtra, match=r"pip install .*\[llm\]"):
        open_chat(ModelSettings(chat=ChatSettings(model="openai:gpt-5")))


def test_missing_package_of_a_provider_is_named():
    with pytest.raises(ConfigurationError, match="pip install langchain-mistralai"):
        open_chat(ModelSettings(chat=ChatSettings(model="mistralai:large")))


@pytest.mark.parametrize("model", ["nobody:gpt-5", "some-model"])
def test_unknown_provider_is_a_faulty_setting(model: str):
    with pytest.raises(ConfigurationError, match=r"models\.chat\.model is provider:model"):
        open_chat(ModelSettings(chat=ChatSettings(model=model)))


@pytest.mark.parametrize("model", ["openai:", ":", "ollama: "])
def test_a_model_without_a_name_is_a_faulty_setting(model: str):
    with pytest.raises(ConfigurationError, match="does not name a model; write provider:model"):
        open_chat(ModelSettings(chat=ChatSettings(model=model)))


def test_missing_key_is_said_at_once(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(ConfigurationError, match="OPENAI_API_KEY"):
        open_chat(ModelSettings(chat=ChatSettings(model="openai:gpt-5")))


@pytest.fixture
def given(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, object]]:
    """The options of each call of init_chat_model, which opens nothing."""
    calls: list[dict[str, object]] = []

    def init(name: str, **options: object) -> str:
        calls.append({"name": name, **options})
        return "model"

    monkeypatch.setattr(langchain.chat_models, "init_chat_model", init)
    return calls


def test_options_of_a_hosted_model(given: list[dict[str, object]]):
    open_model(ModelAddress("anthropic", "claude"), DIALECT, 500, 30)
    assert given == [
        {
            "name": "claude",
            "model_provider": "anthropic",
            "max_retries": 0,
            "timeout": 30,
            "disable_streaming": True,
            "temperature": 0,
            "max_tokens": 500,
        }
    ]


def test_ollama_has_a_name_of_its_own_for_the_longest_reply(given: list[dict[str, object]]):
    open_model(ModelAddress("ollama", "qwen3"), Dialect("prompt", temperature=False), 500, 30)
    (options,) = given
    assert options["num_predict"] == 500
    assert "max_tokens" not in options
    assert "temperature" not in options


@pytest.mark.parametrize(("longest", "window"), [(500, 16_384), (16_000, 32_000)])
def test_ollama_is_given_a_window_that_our_prompts_fit_into(given: list[dict[str, object]], longest: int, window: int):
    open_model(ModelAddress("ollama", "qwen3"), DIALECT, longest, 30)
    assert given[0]["num_ctx"] == window


def test_options_that_a_package_refuses_are_left_out(monkeypatch: pytest.MonkeyPatch):
    class Strict(BaseModel):
        model_config = ConfigDict(extra="forbid")
        temperature: float
        max_tokens: int

    monkeypatch.setattr(
        langchain.chat_models, "init_chat_model", lambda name, model_provider, **options: Strict(**options)
    )
    model = open_model(ModelAddress("bedrock_converse", "nova"), DIALECT, 500, 30)
    assert model == Strict(temperature=0, max_tokens=500)


PLAYED = {"reason": "fits", "score": 70}


@pytest.mark.parametrize(
    ("package", "model", "reply"),
    [
        (
            "langchain_anthropic",
            "anthropic:claude-sonnet-5",
            {
                "id": "m",
                "type": "message",
                "role": "assistant",
                "model": "claude-sonnet-5",
                "content": [{"type": "text", "text": json.dumps(PLAYED)}],
                "stop_reason": "end_turn",
                "usage": {"input_tokens": 30, "output_tokens": 5},
            },
        ),
        (
            "langchain_google_genai",
            "google_genai:gemini-3.6-flash",
            {
                "candidates": [
                    {"content": {"role": "model", "parts": [{"text": json.dumps(PLAYED)}]}, "finishReason": "STOP"}
                ],
                "usageMetadata": {"promptTokenCount": 30, "candidatesTokenCount": 5, "totalTokenCount": 35},
            },
        ),
        (
            "langchain_ollama",
            "ollama:qwen3:4b",
            {
                "model": "qwen3:4b",
                "created_at": "2025-10-03T23:34:03Z",
                "message": {"role": "assistant", "content": json.dumps(PLAYED)},
                "done": True,
                "done_reason": "stop",
                "prompt_eval_count": 30,
                "eval_count": 5,
            },
        ),
    ],
)
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # google-genai's, of its own library
@pytest.mark.filterwarnings(
    "ignore::pytest.PytestUnraisableExceptionWarning"
)  # ollama's client leaves its connection open
def test_the_package_of_each_provider_gives_a_structured_reply_with_its_tokens(
    scripted_chat_server, monkeypatch, package, model, reply
):
    """Each provider's own package, where it is installed, with a server that answers as its API does."""
    pytest.importorskip(package)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-1")
    monkeypatch.setenv("GOOGLE_API_KEY", "sk-2")
    scripted_chat_server.script(sends(json.dumps(reply).encode() + b"\n"))
    chat = ChatSettings(model=model, base_url=scripted_chat_server.base_url.removesuffix("/v1"))
    opened = open_chat(ModelSettings(chat=chat))
    assert opened is not None
    run = Run(Budget(calls=10, tokens=1000, seconds=60, usd=1))
    assert opened.ask(Task.PLAN, [Message("user", "How good?")], Grade, run) == Grade(**PLAYED)
    assert (run.usage.calls, run.usage.input_tokens, run.usage.output_tokens) == (1, 30, 5)
