"""Which models a tier takes where no setting names one."""

import importlib.metadata
import tomllib
from pathlib import Path

import pytest

from ascertain.core.asking.runs import Task
from ascertain.core.errors import ConfigurationError
from ascertain.core.settings import ChatSettings, ModelSettings
from ascertain.models.chat.presets import limit_output, load_presets
from ascertain.models.chat.structured import model_names, open_chat

PROVIDERS = ("openai", "anthropic", "google_genai", "ollama")


@pytest.fixture(autouse=True)
def without_keys(monkeypatch):
    for preset in load_presets().providers.values():
        for variable in preset.key_variables:
            monkeypatch.delenv(variable, raising=False)


def names_of(**settings):
    return {task.value: name for task, name in model_names(ChatSettings(**settings)).items()}


def test_each_provider_has_each_tier_and_the_list_is_dated():
    held = load_presets()
    assert tuple(held.providers) == PROVIDERS
    assert len(held.as_of) == len("2026-11")
    for preset in held.providers.values():
        assert preset.source.startswith("https://")


def test_the_extra_has_the_packages_of_the_presets():
    project = tomllib.loads((Path(__file__).parents[4] / "pyproject.toml").read_text("utf-8"))
    extra = {requirement.partition(">")[0] for requirement in project["project"]["optional-dependencies"]["llm"]}
    assert extra == {"langchain", "pillow", *(preset.package for preset in load_presets().providers.values())}
    assert importlib.metadata.version("langchain")


def test_a_key_alone_sends_nothing_anywhere(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-1")
    assert names_of() == {}
    assert open_chat(ModelSettings()) is None


@pytest.mark.parametrize(
    ("variable", "provider"),
    [
        ("OPENAI_API_KEY", "openai"),
        ("ANTHROPIC_API_KEY", "anthropic"),
        ("GOOGLE_API_KEY", "google_genai"),
        ("GEMINI_API_KEY", "google_genai"),
    ],
)
@pytest.mark.parametrize("tier", ["budget", "balanced", "premium"])
def test_a_tier_alone_works_with_the_provider_whose_key_is_set(monkeypatch, variable, provider, tier):
    monkeypatch.setenv(variable, "sk-1")
    names = names_of(tier=tier)
    assert set(names) == {task.value for task in Task}
    assert all(name.startswith(f"{provider}:") for name in names.values())


def test_premium_opens_with_a_key_and_leaves_room_to_think(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-1")
    settings = ChatSettings(tier="premium")
    assert open_chat(ModelSettings(chat=settings)) is not None
    assert limit_output(settings) == 16_000
    assert limit_output(ChatSettings(tier="premium", max_output_tokens=50_000)) == 50_000
    assert limit_output(ChatSettings(tier="premium", model="openai:gpt-5")) == 2000


def test_without_a_key_the_error_says_what_to_set():
    with pytest.raises(ConfigurationError, match=r"set one of OPENAI_API_KEY, ANTHROPIC_API_KEY.*models find"):
        open_chat(ModelSettings(chat=ChatSettings(tier="premium")))


def test_keys_of_two_providers_are_no_choice_until_one_is_named(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-1")
    monkeypatch.setenv("GEMINI_API_KEY", "sk-2")
    with pytest.raises(ConfigurationError, match=r"OPENAI_API_KEY, GEMINI_API_KEY.*models.chat.model") as raised:
        names_of(tier="budget")
    assert "sk-" not in str(raised.value)
    assert names_of(tier="budget", model="openai")["write"].startswith("openai:")


def test_ollama_needs_no_key_and_is_taken_by_name():
    assert set(names_of(tier="budget", model="ollama").values()) == {"ollama:qwen3:4b"}


def test_a_provider_by_itself_takes_its_middle_tier():
    assert names_of(model="anthropic") == names_of(model="anthropic", tier="balanced")


def test_settings_come_before_the_preset(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-1")
    assert set(names_of(tier="premium", model="ollama:tiny").values()) == {"ollama:tiny"}
    own = names_of(tier="premium", model="openai", premium={"write": "ollama:tiny"})
    assert own["write"] == "ollama:tiny" and own["plan"].startswith("openai:")


def test_a_table_with_a_model_of_this_machine_sends_the_other_tasks_nowhere(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-1")
    assert names_of(tier="premium", premium={"write": "ollama:tiny"}) == {"write": "ollama:tiny"}


def test_a_server_of_ones_own_takes_no_preset(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-1")
    settings = ChatSettings(tier="premium", base_url="http://127.0.0.1:9/v1")
    assert model_names(settings) == {}
    with pytest.raises(ConfigurationError, match=r"set a model of http://127.0.0.1:9/v1"):
        open_chat(ModelSettings(chat=settings))


def test_tables_are_in_force_only_with_their_tier():
    assert names_of(model="openai:tiny", premium={"write": "openai:large"})["write"] == "openai:tiny"
