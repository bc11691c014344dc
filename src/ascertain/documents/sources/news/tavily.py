"""Tavily's search API (docs.tavily.com, POST /search), which gives the text of the pages it finds."""

from collections.abc import Mapping
from datetime import UTC, timedelta

from ascertain.core.asking.runs import Clock
from ascertain.core.settings import NewsSettings
from ascertain.documents.formats.drafts.draft import short_line
from ascertain.documents.formats.drafts.metadata import parse_date
from ascertain.documents.sources.news.calling import (
    Json,
    answer_of,
    read_nested,
    read_objects,
    read_text,
    shorten_query,
    web_address,
)
from ascertain.documents.sources.news.ports import Around, Article, NewsQuery, ProviderError
from ascertain.documents.sources.web.fetching import Fetcher

URL = "https://api.tavily.com"
MOST_CHARACTERS = 400
"""Of a query; a longer one is refused."""
MOST_RESULTS = 20
KEY_VARIABLE = "TAVILY_API_KEY"
"""Environment variable with the key, as Tavily's own clients have it."""


class Tavily:
    """One ``POST /search`` for each query."""

    name = "tavily"

    def __init__(self, settings: NewsSettings, fetcher: Fetcher, environ: Mapping[str, str], clock: Clock) -> None:
        self._settings = settings
        self._fetcher = fetcher
        self._key = environ.get(KEY_VARIABLE, "").strip()
        self._clock = clock

    def search(self, query: NewsQuery, seconds: float) -> list[Article]:
        """See ``NewsProvider.search``. The service knows whole days, and says of a page when it was published or last changed."""
        if not self._key:
            raise ProviderError(f"{self.name}: no key; set the environment variable {KEY_VARIABLE}")
        answer = answer_of(
            self.name,
            lambda: self._fetcher.post(
                f"{URL}/search",
                self._build_body(query),
                headers={"Authorization": f"Bearer {self._key}"},
                seconds=seconds,
            ),
            {
                401: f"the key in {KEY_VARIABLE} is missing or wrong",
                429: "too many requests in a short time",
                432: "the plan's credits are used up; see app.tavily.com",
                433: "the pay-as-you-go limit is reached; raise it at app.tavily.com",
            },
            lambda error: read_nested(error, "detail").get("error"),
        )
        found = (_read_article(result) for result in read_objects(answer, "results"))
        return [article for article in found if article is not None][: query.limit]

    def _build_body(self, query: NewsQuery) -> dict[str, object]:
        body: dict[str, object] = {
            "query": shorten_query(query.text, MOST_CHARACTERS),
            "topic": "news" if "news" in self._settings.categories else "general",
            "max_results": min(query.limit, MOST_RESULTS),
            # not Markdown, whose marks would stand in quotes
            "include_raw_content": "text",
        }
        if query.since is not None:
            # a day earlier, for the service may count days in another time zone; what is too old is dropped later
            body["start_date"] = str(query.since.astimezone(UTC).date() - timedelta(days=1))
        if query.until is not None and query.until < self._clock.now():
            body["end_date"] = str(query.until.astimezone(UTC).date() + timedelta(days=1))
        return body


def open_tavily(around: Around) -> Tavily:
    """With the settings and the key of its own."""
    return Tavily(around.settings, around.fetcher, around.environ, around.clock)


def _read_article(result: Json) -> Article | None:
    url, title = web_address(result.get("url")), short_line(result.get("title"))
    if url is None or title is None:
        return None
    whole = read_text(result.get("raw_content"))
    return Article(
        url=url,
        title=title,
        provider=Tavily.name,
        summary=read_text(result.get("content")),
        text=whole,
        is_whole=bool(whole),
        published_at=parse_date(result.get("published_date")),
    )
