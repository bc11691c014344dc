"""``ascertain models``: what is in use, what is on this machine, and what a model is good for."""

import json

import pytest
from model_list_server import LM_STUDIO_MODELS, OLLAMA_TAGS, lists, serve_models
from scripted_chat_server import says

from ascertain.app.choosing import servers
from ascertain.app.choosing.servers import OLLAMA, ServerPlace
from ascertain.models.chat.presets import load_presets

SECRET = "sk-do-not-show"


@pytest.fixture(autouse=True)
def without_keys(monkeypatch, unknown_chat_servers):
    for preset in load_presets().providers.values():
        for variable in preset.key_variables:
            monkeypatch.delenv(variable, raising=False)


def test_without_a_chat_model_it_says_where_to_look_for_one(run):
    code, out, _ = run("models")
    assert code == 0
    assert "all-MiniLM-L6-v2\tthis machine" in out and "ascertain models find" in out


def test_the_models_of_a_tier_are_shown_and_of_a_key_only_that_it_is_set(run, monkeypatch):
    monkeypatch.setenv("ASCERTAIN_MODELS__CHAT__TIER", "balanced")
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    code, out, err = run("models")
    assert code == 0 and SECRET not in out + err
    assert "OPENAI_API_KEY set" in out and f"models of openai, as of {load_presets().as_of}" in out
    held = json.loads(run("models", "--json")[1])
    assert held["tier"] == "balanced"
    chat = [model for model in held["models"] if model["role"] == "chat"]
    assert sorted(task for model in chat for task in model["tasks"]) == sorted(
        ["rewrite", "plan", "judge", "write", "verify", "evaluate", "extract", "describe"]
    )
    assert all(model["is_key_set"] and model["is_installed"] and not model["problem"] for model in chat)


def test_a_missing_key_and_a_missing_package_are_said_with_the_remedy(run, monkeypatch):
    monkeypatch.setenv("ASCERTAIN_MODELS__CHAT__MODEL", "mistralai:large")
    assert "pip install langchain-mistralai" in run("models")[1]
    monkeypatch.setenv("ASCERTAIN_MODELS__CHAT__MODEL", "openai:gpt-5")
    code, out, _ = run("models")
    assert code == 0 and "set OPENAI_API_KEY to the key" in out
    monkeypatch.setenv("ASCERTAIN_MODELS__EMBEDDER", "openai:text-embedding-3-small")
    monkeypatch.setenv("ASCERTAIN_MODELS__RERANKER", "rerank:bge?base_url=http://me:pass@10.0.0.1:8081")
    rows = {row["role"]: row for row in json.loads(run("models", "--json")[1])["models"]}
    assert rows["embedder"]["problem"] == "set OPENAI_API_KEY to the key"
    assert rows["reranker"]["where"] == "http://10.0.0.1:8081"


def test_doctor_names_the_missing_key_and_points_to_the_trial(run, monkeypatch):
    assert "ascertain models find" in run("doctor")[1]
    monkeypatch.setenv("ASCERTAIN_MODELS__CHAT__MODEL", "openai:gpt-5")
    code, out, _ = run("doctor")
    assert code == 1 and "problem: chat model openai:gpt-5: set OPENAI_API_KEY to the key" in out
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    code, out, _ = run("doctor")
    assert code == 0 and "ascertain models try" in out and SECRET not in out


def test_servers_of_this_machine_are_listed_with_the_settings_to_use_them(run, monkeypatch):
    with (
        serve_models("/api/tags", lists(OLLAMA_TAGS)) as ollama,
        serve_models("/v1/models", lists(LM_STUDIO_MODELS)) as studio,
    ):
        places = (
            ServerPlace(OLLAMA, ollama.address, "/api/tags"),
            ServerPlace("LM Studio", studio.address, "/v1/models"),
        )
        monkeypatch.setattr(servers, "USUAL_PLACES", places)
        assert run("models")[0] == 0 and not ollama.asked and not studio.asked
        code, out, _ = run("models", "find")
        assert code == 0
        assert f"LM Studio at {studio.address}" in out and "gemma3:4b (4.3B, Q4_K_M): chat model" in out
        assert '    model = "ollama:gemma3:4b"' in out
        held = json.loads(run("models", "find", "--json")[1])
    assert [server["kind"] for server in held] == ["Ollama", "LM Studio"]
    assert [model["is_embedder"] for model in held[1]["models"]] == [False, True]


def test_a_machine_without_servers_is_no_error(run, monkeypatch):
    monkeypatch.setattr(servers, "USUAL_PLACES", (ServerPlace("vLLM", "http://127.0.0.1:9", "/v1/models"),))
    code, out, _ = run("models", "find")
    assert code == 0 and "No server with a model on this machine. Asked: vLLM at http://127.0.0.1:9" in out


def test_trying_needs_a_model(run):
    code, _, err = run("models", "try")
    assert code == 2 and "no chat model is set; give one" in err


def test_a_model_of_no_use_ends_with_1_and_says_so(run, scripted_chat_server):
    scripted_chat_server.script(says("no idea"))
    code, out, _ = run("models", "try", "tiny", "--base-url", scripted_chat_server.base_url)
    assert code == 1 and "good for: nothing" in out
    code, out, _ = run("models", "try", "tiny", "--base-url", scripted_chat_server.base_url, "--json")
    (held,) = json.loads(out)
    assert code == 1 and held["good_for"] == [] and [row["calls"] for row in held["results"]] == [2, 2, 2]
