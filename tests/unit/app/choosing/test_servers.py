"""What is found at the usual addresses of this machine, from real servers on loopback."""

import socket
import time
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from model_list_server import LM_STUDIO_MODELS, OLLAMA_TAGS, VLLM_MODELS, lists, sends, serve_models

from ascertain.app.choosing.servers import OLLAMA, USUAL_PLACES, ServerPlace, find_servers, quote_toml
from ascertain.models.embed.cards import read_card

TAGS, MODELS = "/api/tags", "/v1/models"


def find_one(kind, path, reply):
    with serve_models(path, reply) as server:
        found = find_servers([ServerPlace(kind, server.address, path)])
    assert len(found) <= 1
    return (found[0] if found else None), server


def test_usual_places_are_on_loopback_and_nowhere_else():
    assert {place.address for place in USUAL_PLACES} == {
        f"http://127.0.0.1:{port}" for port in (11434, 1234, 8080, 8000)
    }


def test_models_of_ollama_come_with_size_and_settings_that_use_them():
    found, server = find_one(OLLAMA, TAGS, lists(OLLAMA_TAGS))
    assert (found.kind, found.address, found.problem) == ("Ollama", server.address, "")
    chat, embedder = found.models
    assert (chat.name, chat.is_embedder, chat.about) == ("gemma3:4b", False, "4.3B, Q4_K_M")
    assert tomllib.loads(chat.configuration)["models"]["chat"] == {
        "model": "ollama:gemma3:4b",
        "base_url": server.address,
    }
    assert embedder.is_embedder
    value = tomllib.loads(embedder.configuration)["models"]["embedder"]
    kind, _, name = value.partition(":")
    card = read_card(kind, name, "models.embedder")
    assert (card.model, card.options.base_url) == ("nomic-embed-text:latest", server.address + "/v1")


def test_models_of_lm_studio_are_told_apart_by_name():
    found, server = find_one("LM Studio", MODELS, lists(LM_STUDIO_MODELS))
    chat, embedder = found.models
    assert tomllib.loads(chat.configuration)["models"]["chat"] == {
        "model": "qwen2.5-7b-instruct",
        "base_url": server.address + "/v1",
    }
    assert (chat.is_embedder, embedder.is_embedder) == (False, True)


def test_the_owner_of_the_models_says_what_server_it_is():
    found, _ = find_one("llama.cpp", MODELS, lists(VLLM_MODELS))
    assert (found.kind, found.models[0].about) == ("vLLM", "40,960 tokens")


def test_where_nothing_listens_there_is_no_entry():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    assert find_servers([ServerPlace("vLLM", f"http://127.0.0.1:{port}", MODELS)]) == []


@pytest.mark.parametrize(
    ("reply", "problem"),
    [
        (sends(b"<html>hello</html>"), "something else"),
        (lists({"data": "none"}), "something else"),
        (lists([1, 2]), "something else"),
        (sends(b"\xff\xfe\x00"), "something else"),
        (lists({"error": "no"}, 401), "it requires a key"),
        (lists({"data": []}), "no model loaded"),
        (lists({"data": [{"id": "ascertain", "owned_by": "ascertain"}]}), "a service of Ascertain"),
        (sends(b" " * 1_100_000), "more than 1,000,000 bytes"),
        (sends(b"", 302, {"Location": "http://192.0.2.1/v1/models"}), "status 302"),
    ],
)
def test_what_is_no_list_of_models_is_said_to_be_so(reply, problem):
    found, _ = find_one("vLLM", MODELS, reply)
    assert problem in found.problem and not found.models


def test_an_ollama_without_models_says_how_to_fetch_one():
    found, _ = find_one(OLLAMA, TAGS, lists({"models": []}))
    assert "ollama pull" in found.problem


def test_names_that_cannot_be_shown_are_left_out():
    names = ["good", "bad\x1b[2J", " ", "x" * 300, "two\nlines"]
    found, _ = find_one("vLLM", MODELS, lists({"data": [{"id": name} for name in names]}))
    assert [model.name for model in found.models] == ["good"]


def test_a_server_that_keeps_silent_or_drips_gets_little_time():
    def drip(handler):
        handler.send_response(200)
        handler.send_header("Content-Length", "1000")
        handler.end_headers()
        for _ in range(100):
            handler.wfile.write(b" ")
            handler.wfile.flush()
            time.sleep(0.1)

    def keep_silent(handler):
        time.sleep(4)

    started = time.monotonic()
    for reply in (drip, keep_silent):
        found, _ = find_one("vLLM", MODELS, reply)
        assert "no reply" in found.problem
    assert time.monotonic() - started < 15


def test_a_proxy_of_the_environment_is_passed_by(monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", "http://192.0.2.1:3128")
    monkeypatch.delenv("NO_PROXY", raising=False)
    found, server = find_one("vLLM", MODELS, lists(VLLM_MODELS))
    assert found.models and server.asked == [MODELS]


@given(st.text(st.characters(exclude_categories=("Cs",)), max_size=50))
def test_any_name_is_written_as_toml_that_reads_back(name):
    assert tomllib.loads(f"name = {quote_toml(name)}") == {"name": name}
