"""Settings over HTTP: what an administrator changes counts from the next question on, and stays."""

import tomllib

import pytest
from material import GEARBOX, REFUNDS
from running_service import client_of, new_key, upload
from scripted_chat_server import says

from ascertain.wire.settings import SettingsJson

LONG = "How are refunds paid, how long does it take, and when can I get one?"


@pytest.fixture
def alone(open_service):
    """A service of one's own without keys, with two documents, and a client of it."""
    service = open_service()
    with client_of(service.url) as client:
        upload(client, {"refunds.md": REFUNDS, "gearbox.md": GEARBOX}, tags="house")
        yield service, client


def change(client, **body):
    return client.patch("/v1/settings", json=body)


def written(service):
    return tomllib.loads((service.knowledge.settings.home / "ascertain.toml").read_text(encoding="utf-8"))


def test_the_number_of_sentences_counts_from_the_next_question_on(alone):
    service, client = alone
    before = client.post("/v1/ask", json={"question": LONG}).json()
    assert len(before["sentences"]) > 1
    told = change(client, values={"answers.max_sentences": 1})
    assert SettingsJson.model_validate(told.json(), extra="forbid").answers.max_sentences == 1
    assert len(client.post("/v1/ask", json={"question": LONG}).json()["sentences"]) == 1
    assert written(service) == {"answers": {"max_sentences": 1}}


def test_a_chat_model_is_tried_taken_into_use_and_left_again(alone, scripted_chat_server):
    service, client = alone
    scripted_chat_server.script(says("no"))
    at = {"model": "tiny", "base_url": scripted_chat_server.base_url}
    trial = client.post("/v1/settings/trial", json=at).json()
    assert [result["is_passed"] for result in trial["results"]] == [False] * 3
    lines = f'[models.chat]\nmodel = "tiny"\nbase_url = "{scripted_chat_server.base_url}"\n'
    told = change(client, configuration=lines).json()
    assert [model["name"] for model in told["models"]["models"] if model["role"] == "chat"] == ["tiny"]
    assert told["destinations"] == []
    asked = {"question": "How are refunds paid?", "cache": False}
    assert client.post("/v1/ask", json=asked).json()["usage"]["calls"] > 0
    change(client, values={"models.chat.model": "", "models.chat.base_url": ""}).raise_for_status()
    assert client.post("/v1/ask", json=asked).json()["usage"]["calls"] == 0
    assert written(service)["models"]["chat"] == {"model": "", "base_url": ""}


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ({"store.url": "postgresql://elsewhere"}, "cannot be changed while the service runs"),
        ({"models.embedder": "openai:x"}, "cannot be changed while the service runs"),
        ({"answers.max_sentences": 99}, "answers.max_sentences"),
        ({"answers.nothing": 1}, "cannot be changed"),
        ({"models.chat.model": "x", "models.chat.base_url": "https://elsewhere.example/v1"}, "not on this machine"),
        ({"models.chat.model": "x", "models.chat.base_url": "http://127.0.0.1.evil.example/v1"}, "not on this machine"),
    ],
)
def test_what_may_not_be_changed_is_refused_and_nothing_is_written(alone, values, told):
    service, client = alone
    refused = change(client, values=values)
    assert refused.status_code == 400
    assert told in refused.json()["detail"]
    assert not (service.knowledge.settings.home / "ascertain.toml").exists()


def test_a_trial_calls_no_other_machine(alone):
    _, client = alone
    refused = client.post("/v1/settings/trial", json={"model": "x", "base_url": "http://10.0.0.7/v1"})
    assert (refused.status_code, "not on this machine" in refused.json()["detail"]) == (400, True)


@pytest.mark.parametrize(("method", "path"), [("GET", ""), ("PATCH", ""), ("GET", "/servers"), ("POST", "/trial")])
def test_settings_are_for_administrators(place, tenant, method, path):
    with client_of(place.url, new_key(place.knowledge, tenant)) as client:
        assert client.request(method, f"/v1/settings{path}", json={"model": "x"}).status_code == 403


def test_facets_count_what_a_question_can_be_narrowed_to(alone):
    _, client = alone
    facets = client.get("/v1/documents/facets").json()
    assert facets["sources"] == [{"value": "upload:*", "documents": 2}]
    assert facets["tags"] == [{"value": "house", "documents": 2}]
    assert facets["kinds"] == [{"value": "prose", "documents": 2}]
    source = client.get("/v1/documents", params={"q": "gearbox"}).json()["documents"][0]["source"]
    asked = {"question": "How are refunds paid?", "filter": {"sources": [source]}}
    assert client.post("/v1/ask", json=asked).json()["type"] == "rejection"
