"""SearXNG's search API (docs.searxng.org, GET /search with format=json): titles, links and snippets of many search engines."""

from datetime import timedelta
from urllib.parse import urlencode

from ascertain.core.asking.runs import Clock
from ascertain.core.settings import NewsSettings
from ascertain.documents.formats.drafts.draft import short_line
from ascertain.documents.formats.drafts.metadata import parse_date
from ascertain.documents.sources.news.calling import (
    Json,
    answer_of,
    read_items,
    read_objects,
    read_text,
    shorten_query,
    web_address,
)
from ascertain.documents.sources.news.ports import Around, Article, NewsQuery, ProviderError
from ascertain.documents.sources.web.fetching import Fetcher

MOST_CHARACTERS = 400
"""Of a query. SearXNG has no limit of its own; the engines behind it have, of some hundred characters."""
_NAMED = 5
"""Engines that a message names."""
_RANGES = (
    ("day", timedelta(days=1, hours=1)),
    ("week", timedelta(days=8)),
    ("month", timedelta(days=32)),
    ("year", timedelta(days=367)),
)
"""The ranges it knows, the shortest first, each with how far back articles asked for with it may go.

A range is still the one asked for a little beyond its length: time passes between a question and its search, and "the
last 7 days" begin with a day, not with an hour. What of that day is too old for the range of SearXNG is missed, instead
of three weeks more being asked for, which would leave fewer of the last days among the results.
"""


class Searxng:
    """One ``GET /search`` for each query; the first page, which holds what all engines gave."""

    name = "searxng"

    def __init__(self, settings: NewsSettings, fetcher: Fetcher, clock: Clock) -> None:
        self._settings = settings
        self._fetcher = fetcher
        self._clock = clock

    def search(self, query: NewsQuery, seconds: float) -> list[Article]:
        """See ``NewsProvider.search``."""
        address = self._settings.searxng.url.rstrip("/")
        if not address:
            raise ProviderError(f"{self.name}: no address; set news.searxng.url")
        answer = answer_of(
            self.name,
            lambda: self._fetcher.get(
                f"{address}/search?{urlencode(self._build_parameters(query))}",
                accept=("application/json",),
                seconds=seconds,
            ),
            {
                403: "it does not let programs ask for JSON; add json to search.formats in its settings.yml",
                429: "too many requests in a short time; its limiter may need to know this machine",
            },
            lambda error: error.get("error"),
        )
        found = [_read_article(result) for result in read_objects(answer, "results")]
        articles = [article for article in found if article is not None][: query.limit]
        if not articles and (silent := _list_unresponsive(answer)):
            raise ProviderError(f"{self.name}: its search engines did not answer: {silent}", is_passing=True)
        return articles

    def _build_parameters(self, query: NewsQuery) -> dict[str, str]:
        parameters = {
            "q": shorten_query(query.text, MOST_CHARACTERS),
            "format": "json",
            "categories": self._settings.categories,
            "language": query.language,
        }
        if query.since is not None:
            back = self._clock.now() - query.since
            wanted = next((name for name, reach in _RANGES if back <= reach), None)
            if wanted:
                parameters["time_range"] = wanted
        return {name: value for name, value in parameters.items() if value}


def open_searxng(around: Around) -> Searxng:
    """With the settings and the key of its own."""
    return Searxng(around.settings, around.fetcher, around.clock)


def _list_unresponsive(answer: Json) -> str:
    """``[["brave", "timeout"], ...]`` as ``brave (timeout)``."""
    silent_engines: list[str] = []
    for pair in map(read_items, read_items(answer.get("unresponsive_engines"))[:_NAMED]):
        engine, *reason = (short_line(each, 60) for each in pair) if pair else (None,)
        if engine:
            silent_engines.append(f"{engine} ({reason[0]})" if reason and reason[0] else engine)
    return ", ".join(silent_engines)


def _read_article(result: Json) -> Article | None:
    url, title = web_address(result.get("url")), short_line(result.get("title"))
    if url is None or title is None:
        return None
    return Article(
        url=url,
        title=title,
        provider=Searxng.name,
        summary=read_text(result.get("content")),
        published_at=parse_date(result.get("publishedDate")),
        author=short_line(result.get("author")),
    )
