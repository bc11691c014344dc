"""Tavily, against a server that answers as docs.tavily.com documents it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from news_service import Reply
from tavily_api import PAY_LIMIT, PLAN_USED_UP, RATE_LIMITED, failure

from ascertain.core.settings import NewsSettings
from ascertain.documents.sources.news.ports import NewsQuery, ProviderError
from ascertain.documents.sources.news.tavily import Tavily

KEY = "tvly-secret"
QUERY = NewsQuery("Orbital Foundry Moon cargo", 5)


@pytest.fixture
def provider(tavily, client, clock, monkeypatch):
    monkeypatch.setattr("ascertain.documents.sources.news.tavily.URL", tavily.url)

    def open_provider(key=KEY, topic="news", **web):
        settings = NewsSettings(categories=topic)
        return Tavily(settings, client(tavily, **web), {"TAVILY_API_KEY": key}, clock)

    return open_provider


def test_results_become_articles_with_their_whole_text(provider):
    first, second = provider().search(QUERY, 5)
    assert first.title == "Orbital Foundry lands its first cargo on the Moon"
    assert first.url == "https://ledger.example/moon"
    assert first.is_whole
    assert first.text.startswith("Orbital Foundry landed a cargo craft")
    assert first.published_at == datetime(2024, 2, 27, 14, 30, tzinfo=UTC)
    assert second.url == "https://ledger.example/delay"


def test_a_page_without_text_is_told_by_its_snippet(provider, tavily):
    tavily.gives_text = False
    first = provider().search(QUERY, 5)[0]
    assert not first.is_whole
    assert first.summary == "Orbital Foundry landed a cargo craft near the lunar south pole on Tuesday."


def test_the_key_travels_in_a_header_and_the_limits_are_kept(provider, tavily):
    long = NewsQuery('"lunar south pole" ' + "about the cargo and everything around it " * 20 + "Porto", 50)
    provider().search(long, 5)
    (request,) = tavily.requests
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert KEY not in request.path + request.body.decode()
    asked = request.json
    assert len(asked["query"]) <= 400
    assert asked["query"].startswith('"lunar south pole"')
    assert asked["query"].endswith("Porto")
    assert asked["max_results"] == 20


def test_dates_are_sent_and_what_lies_ahead_is_not(provider, tavily, clock):
    since = clock.now() - timedelta(days=7)
    provider().search(NewsQuery("Moon", 5, since, clock.now() + timedelta(hours=5)), 5)
    provider().search(NewsQuery("Moon", 5, since, clock.now() - timedelta(days=3)), 5)
    first, second = (request.json for request in tavily.requests)
    assert first["start_date"] == "2024-02-21"
    assert "end_date" not in first
    assert second["end_date"] == "2024-02-27"


@pytest.mark.parametrize(
    ("reply", "part", "is_passing"),
    [
        (failure(401, "Unauthorized"), "tavily: the key in TAVILY_API_KEY is missing or wrong", False),
        (RATE_LIMITED, "tavily: too many requests", True),
        (PLAN_USED_UP, "tavily: the plan's credits are used up", False),
        (PAY_LIMIT, "tavily: the pay-as-you-go limit is reached", False),
        (failure(400, "Invalid topic. Must be 'general' or 'news'."), "Invalid topic. Must be", False),
        (failure(500, "Internal Server Error"), "500", True),
        (Reply(200, b"<html>busy</html>"), "does not answer with a JSON object", False),
        (Reply(200, b"[" * 100_000), "does not answer with a JSON object", False),
        (Reply(200, []), "does not answer with a JSON object", False),
    ],
)
def test_refusals_say_what_they_mean(provider, tavily, reply, part, is_passing):
    tavily.fails_with = [reply] * 9
    with pytest.raises(ProviderError) as caught:
        provider().search(QUERY, 5)
    assert part in str(caught.value)
    assert str(caught.value).startswith("tavily: ")
    assert caught.value.is_passing is is_passing
    assert KEY not in str(caught.value)


def test_a_refusal_that_passes_is_tried_again(provider, tavily):
    tavily.fails_with = [RATE_LIMITED, failure(503, "busy")]
    assert len(provider().search(QUERY, 5)) == 2
    assert len(tavily.requests) == 3


def test_it_waits_as_long_as_it_is_asked_to(tavily, client, clock, monkeypatch):
    monkeypatch.setattr("ascertain.documents.sources.news.tavily.URL", tavily.url)
    fetcher = client(tavily)
    tavily.fails_with = [Reply(429, RATE_LIMITED.body, {"Retry-After": "3"})]
    provider = Tavily(NewsSettings(), fetcher, {"TAVILY_API_KEY": KEY}, clock)
    provider.search(QUERY, 5)
    assert fetcher.slept == [3.0]


def test_a_longer_wait_than_there_is_time_is_left_to_the_next_provider(provider, tavily):
    tavily.fails_with = [Reply(429, RATE_LIMITED.body, {"Retry-After": "600"})]
    with pytest.raises(ProviderError) as caught:
        provider().search(QUERY, 5)
    assert caught.value.retry_after == 600
    assert len(tavily.requests) == 1


def test_without_a_key_it_says_which_variable_to_set(provider, tavily):
    with pytest.raises(ProviderError, match=r"TAVILY_API_KEY"):
        provider(key="  ").search(QUERY, 5)
    assert not tavily.requests


def test_a_wrong_key_is_not_repeated_in_the_message(provider):
    with pytest.raises(ProviderError) as caught:
        provider(key="tvly-wrong").search(QUERY, 5)
    assert "tvly-wrong" not in str(caught.value)


def test_a_slow_server_is_given_up(provider, tavily):
    tavily.delay = 0.5
    with pytest.raises(ProviderError, match=r"0\.1 s"):
        provider(retries=0).search(QUERY, 0.1)


def test_a_huge_answer_is_given_up(provider, tavily):
    tavily.fails_with = [Reply(200, {"results": [{"title": "x" * 3_000_000}]})]
    with pytest.raises(ProviderError, match="MB"):
        provider(max_megabytes=1).search(QUERY, 5)


def test_results_that_cannot_be_cited_are_left_out(provider, tavily):
    results = [
        {"title": "No address", "content": "x"},
        {"title": None, "url": "https://ledger.example/1"},
        {"title": "Script", "url": "javascript:alert(1)"},
        {"title": "File", "url": "file:///etc/passwd"},
        {"title": "Number", "url": 7},
        "nonsense",
        {"title": "Good", "url": "https://ledger.example/2?utm_source=x#top", "published_date": "no date"},
    ]
    tavily.fails_with = [Reply(200, {"results": results})]
    (article,) = provider().search(QUERY, 5)
    assert (article.title, article.url) == ("Good", "https://ledger.example/2")
    assert article.published_at is None
