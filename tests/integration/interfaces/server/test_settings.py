"""Settings over HTTP: what an administrator changes counts from the next question on, and stays."""

import tomllib

import pytest
from embedding_api import embeds
from material import GEARBOX, REFUNDS
from news_stories import MOON
from running_service import client_of, ended, new_key, upload
from scripted_chat_server import fails, says
from tavily_api import TavilyServer

from ascertain.app.wire.settings import EmbedderJson, NewsChoicesJson, SettingsJson
from ascertain.core.service.model_choice import MoveEstimate, NewsTrial
from ascertain.core.service.service import Role

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


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("PATCH", "/v1/settings"),
        ("POST", "/v1/settings/trial"),
        ("POST", "/v1/settings/embedder/estimate"),
        ("POST", "/v1/settings/embedder/move"),
        ("GET", "/v1/evaluation"),
    ],
)
def test_what_concerns_all_tenants_takes_the_operator(place, tenant, method, path):
    """An administrator of the tenant that the service belongs to, and of no other."""
    with client_of(place.url, new_key(place.knowledge, tenant, role=Role.ADMIN)) as admin:
        refused = admin.request(method, path, json={"embedder": "all-MiniLM-L6-v2"})
        assert (refused.status_code, refused.json()["type"]) == (403, "urn:ascertain:problem:forbidden")
        assert "the tenant default" in refused.json()["detail"]
        assert not admin.get("/v1/session").json()["is_operator"]
        assert admin.get("/v1/settings").status_code == 200
        assert admin.get("/v1/settings/embedder").json()["move"] is None
    with client_of(place.url, new_key(place.knowledge, "default", role=Role.ADMIN)) as operator:
        assert operator.get("/v1/session").json()["is_operator"]
        assert operator.request(method, path, json={"nothing": 1}).status_code in {200, 422}


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


def server_of(chat_server, **how):
    chat_server.reply_by(embeds(**how))
    return f"openai:scripted?base_url={chat_server.base_url}"


def test_all_documents_move_to_another_embedding_model_while_questions_go_on(alone, scripted_chat_server):
    service, client = alone
    name = server_of(scripted_chat_server)
    asked = {"embedder": name}
    told = client.post("/v1/settings/embedder/estimate", json=asked)
    estimate = MoveEstimate.from_json(told.json())
    before = EmbedderJson.model_validate(client.get("/v1/settings/embedder").json(), extra="forbid")
    assert (estimate.dimension, estimate.is_here, estimate.chunks) == (64, True, before.model.chunks)
    assert before.model.chunks > 0
    assert before.move is None
    assert not any("refund" in str(request.body["input"]).lower() for request in scripted_chat_server.requests)
    job = ended(client, client.post("/v1/settings/embedder/move", json=asked).json()["job"])
    assert (job["state"], job["kind"], job["done"]) == ("finished", "embedder", before.model.chunks), job
    after = client.get("/v1/settings/embedder").json()
    assert (after["model"]["name"], after["model"]["dimension"]) == (name, 64)
    assert after["move"]["id"] == job["id"]
    found = client.post("/v1/search", json={"query": "oil pressure of the gearbox"}).raise_for_status()
    assert "GB-7731" in found.text
    assert upload(client, {"bread.md": "# Bread\n\nSourdough is fed twice a day.\n"})["state"] == "finished"
    assert client.post("/v1/ask", json={"question": "How often is sourdough fed?"}).json()["citations"]
    assert written(service) == {"models": {"embedder": name}}


def test_a_move_that_fails_says_why_loses_nothing_and_is_taken_up_again(alone, scripted_chat_server):
    _, client = alone
    name = f"{server_of(scripted_chat_server)}&retries=0"
    scripted_chat_server.reply_by(lambda request: fails(400))
    job = ended(client, client.post("/v1/settings/embedder/move", json={"embedder": name}).json()["job"])
    assert job["state"] == "failed"
    assert job["reason"]
    assert client.post("/v1/ask", json={"question": "How are refunds paid?"}).json()["citations"]
    scripted_chat_server.reply_by(embeds())
    assert ended(client, client.post(f"/v1/jobs/{job['id']}/retry").json()["job"])["state"] == "finished"
    assert client.get("/v1/settings/embedder").json()["model"]["name"] == name


@pytest.mark.parametrize(
    ("embedder", "told"),
    [
        ("/etc", "cannot be chosen here"),
        ("openai:x?base_url=http://10.0.0.7/v1", "not on this machine"),
        ("openai:x?base_url=http://127.0.0.1:1/v1&key=HOME", "set by the operator of the service"),
        ("openai:x?nonsense=1", "no option"),
        ("nothing:x", "nothing"),
    ],
)
def test_a_model_that_may_not_be_named_from_outside_is_refused(alone, embedder, told):
    _, client = alone
    for path in ("estimate", "move"):
        refused = client.post(f"/v1/settings/embedder/{path}", json={"embedder": embedder})
        assert refused.status_code == 400
        assert told in refused.json()["detail"]
    assert client.get("/v1/settings/embedder").json()["move"] is None


def test_news_providers_say_what_they_lack_are_tried_and_taken_into_use(open_service, monkeypatch):
    monkeypatch.setenv("TAVILY_API_KEY", "tvly-secret")
    monkeypatch.delenv("GNEWS_API_KEY", raising=False)
    with TavilyServer([MOON]) as tavily:
        monkeypatch.setattr("ascertain.documents.sources.news.tavily.URL", tavily.url)
        service = open_service(web__allowed_hosts=[tavily.host])
        with client_of(service.url) as client:
            listed = NewsChoicesJson.model_validate(client.get("/v1/settings/news").json(), extra="forbid")
            by_name = {each.name: each for each in listed.providers}
            assert (by_name["tavily"].key_variable, by_name["tavily"].is_key_set) == ("TAVILY_API_KEY", True)
            assert "GNEWS_API_KEY" in by_name["gnews"].problem
            assert "news.rss.urls" in by_name["rss"].problem
            assert "tvly-secret" not in client.get("/v1/settings/news").text
            tried = NewsTrial.from_json(client.post("/v1/settings/news/tavily/trial").json())
            assert (tried.titles, tried.problem) == ([MOON.title], "")
            assert "GNEWS_API_KEY" in client.post("/v1/settings/news/gnews/trial").json()["problem"]
            assert client.post("/v1/settings/news/nobody/trial").status_code == 400
            told = change(client, values={"news.providers": "tavily", "news.fallback": "false"}).json()
            assert told["destinations"] == [{"what": "news", "where": "tavily"}]
            now = client.get("/v1/settings/news").json()
            assert ([each["name"] for each in now["providers"] if each["is_used"]], now["fallback"]) == (
                ["tavily"],
                False,
            )
            assert written(service) == {"news": {"providers": ["tavily"], "fallback": False}}
            assert change(client, values={"news.providers": "nobody"}).status_code == 400
            change(client, values={"news.providers": ""}).raise_for_status()
            assert written(service)["news"]["providers"] == []
