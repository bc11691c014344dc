"""SearXNG, against a server that answers as docs.searxng.org documents it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from news_service import Reply

from ascertain.core.settings import NewsSettings, SearxngSettings
from ascertain.documents.sources.news.ports import NewsQuery, ProviderError
from ascertain.documents.sources.news.searxng import Searxng

QUERY = NewsQuery("Orbital Foundry Moon", 5)


def settings_of(url):
    return NewsSettings(searxng=SearxngSettings(url=url))


@pytest.fixture
def provider(searxng, client, clock):
    return lambda **web: Searxng(settings_of(f"{searxng.url}/"), client(searxng, **web), clock)


def test_results_become_articles(provider, searxng):
    first, _ = provider().search(QUERY, 5)
    assert first.title == "Orbital Foundry lands its first cargo on the Moon"
    assert first.summary.startswith("Orbital Foundry landed a cargo craft")
    assert first.published_at == datetime(2024, 2, 27, 14, 30, tzinfo=UTC)
    assert not first.is_whole
    assert searxng.requests[0].query == {
        **{"q": "Orbital Foundry Moon", "format": "json", "categories": "news", "language": "en"}
    }


@pytest.mark.parametrize(
    ("back", "sent"),
    [
        (timedelta(hours=3), "day"),
        (timedelta(days=1), "day"),
        (timedelta(days=1, seconds=2), "day"),
        (timedelta(days=2), "week"),
        (timedelta(days=7, seconds=2), "week"),
        (timedelta(days=7, hours=18), "week"),
        (timedelta(days=9), "month"),
        (timedelta(days=31, hours=18), "month"),
        (timedelta(days=33), "year"),
        (timedelta(days=366, hours=18), "year"),
        (timedelta(days=400), None),
    ],
)
def test_the_range_asked_about_is_asked_for_and_not_the_next_larger(provider, searxng, clock, back, sent):
    provider().search(NewsQuery("Moon", 5, clock.now() - back), 5)
    assert searxng.requests[0].query.get("time_range") == sent


def test_an_instance_that_does_not_allow_json_says_what_to_set(provider, searxng):
    searxng.formats = {"html"}
    with pytest.raises(ProviderError, match=r"add json to search\.formats in its settings\.yml"):
        provider().search(QUERY, 5)


def test_engines_that_did_not_answer_are_named(provider, searxng):
    searxng.silent = [["brave", "timeout"], ["bing news", "access denied"], [], [3], "x"]
    with pytest.raises(ProviderError, match=r"brave \(timeout\), bing news \(access denied\)$") as caught:
        provider().search(QUERY, 5)
    assert caught.value.is_passing


def test_engines_do_not_matter_where_others_found_something(provider, searxng):
    answer = {"results": [{"title": "A", "url": "https://a.example/"}], "unresponsive_engines": [["b", "c"]]}
    searxng.fails_with = [Reply(200, answer)]
    assert len(provider().search(QUERY, 5)) == 1


def test_without_an_address_it_says_what_to_set(client, clock):
    with pytest.raises(ProviderError, match=r"set news\.searxng\.url"):
        Searxng(NewsSettings(), client(), clock).search(QUERY, 5)


def test_an_instance_on_this_machine_must_be_allowed(searxng, client, clock):
    provider = Searxng(settings_of(searxng.url), client(), clock)
    with pytest.raises(ProviderError, match=r"web\.allowed_hosts"):
        provider.search(QUERY, 5)
    assert not searxng.requests
