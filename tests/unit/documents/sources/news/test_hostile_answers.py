"""Whatever a service answers, a provider gives articles that can be cited, or says in one line why not."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ascertain.core.asking.runs import FixedClock
from ascertain.core.settings import NewsSettings, SearxngSettings
from ascertain.documents.formats.reader import ReadOptions
from ascertain.documents.sources.news.articles import read_articles
from ascertain.documents.sources.news.chain import merge_findings
from ascertain.documents.sources.news.gnews import GNews
from ascertain.documents.sources.news.ports import NewsQuery, ProviderError
from ascertain.documents.sources.news.searxng import Searxng
from ascertain.documents.sources.news.tavily import Tavily
from ascertain.documents.sources.web.fetching import Fetched

QUERY = NewsQuery("Moon", 5)
KEYS = st.sampled_from(
    "results articles title url content raw_content published_date publishedAt publishedDate source name description"
    " unresponsive_engines lang author errors".split()
)
TEXTS = st.text(max_size=30) | st.sampled_from(
    [
        "https://a.example/x",
        "http://[::1",
        "https://a.example/" + "y" * 3000,
        "9999-12-31T23:59:59Z",
        "0001-01-01",
        "[9 chars]",
    ]
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=6),
    max_leaves=20,
)
ANSWERS = st.dictionaries(KEYS, st.lists(st.dictionaries(KEYS, JSON, max_size=6), max_size=4) | JSON, max_size=4)


class Answering:
    """A client that is answered with one body, whatever it asks for."""

    def __init__(self, body):
        self._fetched = Fetched("https://service.example/search", 200, body, "application/json")

    def get(self, url, **_):
        return self._fetched

    def post(self, url, body, **_):
        return self._fetched

    def close(self):
        pass


@pytest.fixture(params=["tavily", "gnews", "searxng"], scope="module")
def opened(request):
    clock = FixedClock(datetime(2024, 2, 29, tzinfo=UTC))
    environ = {"TAVILY_API_KEY": "k", "GNEWS_API_KEY": "k"}
    return {
        "tavily": lambda fetcher: Tavily(NewsSettings(), fetcher, environ, clock),
        "gnews": lambda fetcher: GNews(fetcher, environ),
        "searxng": lambda fetcher: Searxng(
            NewsSettings(searxng=SearxngSettings(url="https://s.example")), fetcher, clock
        ),
    }[request.param], clock


def taken(opened, body):
    make, clock = opened
    try:
        articles = make(Answering(body)).search(QUERY, 5)
    except ProviderError as error:
        assert "\n" not in str(error)
        return
    for article in articles:
        assert article.url.startswith(("http://", "https://"))
        assert article.title.strip()
    read_articles(merge_findings([articles], QUERY, clock.now()), ReadOptions(), None, 1)


@given(body=st.binary(max_size=60))
def test_bytes(opened, body):
    taken(opened, body)


@given(answer=ANSWERS)
def test_json_of_every_shape(opened, answer):
    taken(opened, json.dumps(answer).encode())
