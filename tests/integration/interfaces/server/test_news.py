"""Conversations about the news over HTTP, with the fields their clients know."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from news_stories import DRILL, MOON
from running_service import client_of
from tavily_api import TavilyServer

from ascertain.app.wire.answers import NewsJson
from ascertain.app.wire.documents import NewsSourcesJson


def query(client, message="What happened to the harbour bridge?", **body):
    return client.post("/rag/query", json={"message": message, **body})


def test_without_any_provider_the_answer_says_what_was_not_searched(client):
    response = query(client, user_id="u-1", include_debug=True).raise_for_status().json()
    NewsJson.model_validate(response, extra="forbid")
    assert response["answer_type"] == "rejection"
    assert "news.providers" in response["answer_text"]
    assert response["sources"] == []
    assert response["debug"]["decisions"]


def test_older_clients_ask_for_a_summary(client):
    message = {"message": "What happened to the harbour bridge?", "conversation_id": "c1", "max_articles": 3}
    response = client.post("/summarize", json=message).raise_for_status().json()
    NewsJson.model_validate(response, extra="forbid")
    assert response["conversation_id"] == "c1"
    assert response["answer_text"] == query(client, **{**message, "conversation_id": "c2"}).json()["answer_text"]
    assert client.get("/rag/conversation/c1/sources").status_code == 200
    assert client.post("/summarize", json={"text": "x"}).status_code == 422
    described = client.get("/openapi.json").json()["paths"]["/summarize"]["post"]
    assert described["deprecated"] is True


def test_older_clients_get_a_summary_of_articles_that_are_fetched_for_them(open_service, monkeypatch):
    yesterday = datetime.now(UTC) - timedelta(days=1)
    monkeypatch.setenv("TAVILY_API_KEY", "tvly-secret")
    with TavilyServer([replace(story, published_at=yesterday) for story in (MOON, DRILL)]) as tavily:
        monkeypatch.setattr("ascertain.documents.sources.news.tavily.URL", tavily.url)
        service = open_service(news__providers=["tavily"], web__allowed_hosts=[tavily.host], profile="news")
        with client_of(service.url) as client:
            said = {"message": "What did Orbital Foundry land on the Moon?", "conversation_id": "moon"}
            response = client.post("/summarize", json=said).raise_for_status().json()
            NewsJson.model_validate(response, extra="forbid")
            assert response["answer_type"] == "summary"
            assert "cargo" in response["answer_text"]
            assert MOON.url in {source["url"] for source in response["sources"]}
            # the next turn, at the other address, is answered from what was fetched
            more = query(client, "How much did the landing cost?", conversation_id="moon").json()
            assert more["answer_type"] == "followup_answer"
            assert "92 million euros" in more["answer_text"]
        assert len(tavily.requests) == 1


def test_a_message_without_a_conversation_begins_one(client):
    begun = query(client).json()
    assert begun["debug"] is None
    path = f"/rag/conversation/{begun['conversation_id']}"
    sources = client.get(f"{path}/sources").json()
    NewsSourcesJson.model_validate(sources, extra="forbid")
    assert sources == {"conversation_id": begun["conversation_id"], "sources": []}
    assert client.delete(path).json() == {"conversation_id": begun["conversation_id"], "deleted": 1}
    assert client.delete(path).status_code == 404
    assert client.get(f"{path}/sources").status_code == 404


def test_figures_are_those_of_the_documents(filled):
    assert filled.get("/rag/stats").json()["documents"] == 2


@pytest.mark.parametrize(
    "body",
    [{"message": ""}, {"time_range": "fortnight"}, {"max_articles": 0}, {"max_chunks": 1000}, {"include_debug": "ja"}],
)
def test_fields_are_checked(client, body):
    assert query(client, **body).status_code == 422
