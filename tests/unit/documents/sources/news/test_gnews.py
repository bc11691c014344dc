"""GNews, against a server that answers as docs.gnews.io documents it, its query language included."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from gnews_api import QUOTA_USED_UP, TOO_FAST, bad_parameter, failure, parsed
from hypothesis import given
from hypothesis import strategies as st
from news_service import Reply

from ascertain.documents.sources.news.calling import query_words
from ascertain.documents.sources.news.gnews import MOST_CHARACTERS, GNews, syntax_of
from ascertain.documents.sources.news.ports import NewsQuery, ProviderError

KEY = "gnews-secret"
QUERY = NewsQuery("What did Orbital Foundry land on the Moon?", 5)


@pytest.fixture
def provider(gnews, client, monkeypatch):
    monkeypatch.setattr("ascertain.documents.sources.news.gnews.URL", gnews.url)
    return lambda key=KEY, **web: GNews(client(gnews, **web), {"GNEWS_API_KEY": key})


def test_results_become_articles(provider):
    first, second = provider().search(QUERY, 5)
    assert first.title == "Orbital Foundry lands its first cargo on the Moon"
    assert first.publisher == "The Ledger"
    assert first.language == "en"
    assert first.published_at == datetime(2024, 2, 27, 14, 30, tzinfo=UTC)
    assert not first.is_whole
    assert "chars]" not in first.text
    assert second.is_whole


def test_plans_with_the_content_give_the_whole_text(provider, gnews):
    gnews.gives_text = True
    assert provider().search(QUERY, 5)[0].is_whole


def test_the_key_is_not_part_of_the_address(provider, gnews):
    provider().search(QUERY, 5)
    (request,) = gnews.requests
    assert request.headers["x-api-key"] == KEY
    assert "apikey" not in request.query


def test_dates_and_limits_are_sent(provider, gnews):
    since = datetime(2024, 2, 22, 1, tzinfo=timezone(timedelta(hours=1)))
    provider().search(NewsQuery("Moon", 500, since, since + timedelta(days=2), "de"), 5)
    asked = gnews.requests[0].query
    assert asked["from"] == "2024-02-22T00:00:00Z"
    assert asked["to"] == "2024-02-24T00:00:00Z"
    assert (asked["max"], asked["lang"]) == ("100", "de")


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What did Orbital Foundry land on the Moon?", '"Orbital Foundry" AND Moon'),
        ("how is the olive harvest going", "olive OR harvest"),
        ("What does Acme Corp. say about layoffs and profits?", '"Acme Corp" AND (layoffs OR profits)'),
        ('articles on "interest rates" in Japan', '"interest rates" AND Japan'),
        ("AT&T vs T-Mobile", '"AT&T" AND "T-Mobile"'),
        ("Is C++ dead?", '"C++" AND (dead)'),
        ("what about NOT AND OR?", ""),
        ("???", ""),
    ],
)
def test_a_question_becomes_a_query_that_articles_can_fulfil(question, expected):
    assert syntax_of(query_words(question)) == expected


@given(st.text(max_size=600))
def test_whatever_is_asked_the_query_is_valid_and_short(text):
    query = syntax_of(query_words(text))
    assert len(query) <= MOST_CHARACTERS
    if query:
        parsed(query)


@pytest.mark.parametrize(
    ("reply", "part", "is_passing"),
    [
        (failure(401, "Your API key is invalid."), "the key in GNEWS_API_KEY is missing or wrong", False),
        (QUOTA_USED_UP, "the requests of the day are used up", False),
        (TOO_FAST, "too many requests", True),
        (bad_parameter("lang", "The language is not supported."), "The language is not supported.", False),
        (failure(503, "Maintenance"), "503", True),
        (Reply(200, b""), "does not answer with a JSON object", False),
    ],
)
def test_refusals_say_what_they_mean(provider, gnews, reply, part, is_passing):
    gnews.fails_with = [reply] * 9
    with pytest.raises(ProviderError) as caught:
        provider().search(QUERY, 5)
    assert part in str(caught.value)
    assert caught.value.is_passing is is_passing
    assert KEY not in str(caught.value)


def test_without_a_key_it_says_which_variable_to_set(provider, gnews):
    with pytest.raises(ProviderError, match=r"GNEWS_API_KEY"):
        provider(key="").search(QUERY, 5)
    assert not gnews.requests


def test_a_question_without_words_is_not_sent(provider, gnews):
    with pytest.raises(ProviderError, match="no words to search for"):
        provider().search(NewsQuery("what is the news?", 5), 5)
    assert not gnews.requests
