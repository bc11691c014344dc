import pytest

from ascertain.core.errors import ConfigurationError
from ascertain.core.settings import ChatSettings
from ascertain.models.chat.provider import model_address

LOCAL = "http://localhost:8080/v1"


@pytest.mark.parametrize(
    ("model", "base_url", "provider", "name"),
    [
        ("openai:gpt-5-mini", "", "openai", "gpt-5-mini"),
        ("ollama:qwen3:8b", "", "ollama", "qwen3:8b"),
        ("gpt-5-mini", "", "", "gpt-5-mini"),
        ("qwen3", LOCAL, "openai", "qwen3"),
        ("qwen3:8b", LOCAL, "openai", "qwen3:8b"),
        ("openai:qwen3:8b", LOCAL, "openai", "qwen3:8b"),
        ("ollama:qwen3:8b", LOCAL, "ollama", "qwen3:8b"),
        ("org/model", LOCAL, "openai", "org/model"),
    ],
)
def test_provider_and_name(model: str, base_url: str, provider: str, name: str):
    address = model_address(model, ChatSettings(base_url=base_url))
    assert (address.provider, address.name, address.base_url) == (provider, name, base_url)
    assert address.is_compatible_server is (provider == "openai" and bool(base_url))


def test_message_names_model_and_server_but_no_key(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("MY_KEY", "sk-1")
    address = model_address("qwen3", ChatSettings(base_url=LOCAL + "/", api_key_variable="MY_KEY"))
    assert str(address) == f"the chat model qwen3 at {LOCAL}"
    assert address.key == address.secret == "sk-1"
    assert "sk-1" not in f"{address!r}"


def test_server_of_ones_own_gets_no_key_unasked(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-openai")
    address = model_address("qwen3", ChatSettings(base_url=LOCAL))
    assert address.key == "none"
    assert address.secret == ""
    assert model_address("openai:gpt-5", ChatSettings()).key == ""


def test_empty_variable_is_named(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("MY_KEY", raising=False)
    with pytest.raises(ConfigurationError, match="'MY_KEY': that environment variable is empty"):
        model_address("qwen3", ChatSettings(api_key_variable="MY_KEY"))


def test_address_without_protocol_is_refused():
    with pytest.raises(ConfigurationError, match="begins with http"):
        model_address("qwen3", ChatSettings(base_url="localhost:8080"))
