"""GNews's search API (docs.gnews.io, GET /search): titles, descriptions and, but for paid plans, the first words of the text."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from urllib.parse import urlencode

from ascertain.documents.formats.drafts.draft import short_line
from ascertain.documents.formats.drafts.metadata import parse_date
from ascertain.documents.sources.news.calling import (
    Json,
    QueryWords,
    answer_of,
    query_words,
    read_items,
    read_nested,
    read_objects,
    read_text,
    web_address,
)
from ascertain.documents.sources.news.ports import Around, Article, NewsQuery, ProviderError
from ascertain.documents.sources.web.fetching import Fetcher

URL = "https://gnews.io/api/v4"
MOST_CHARACTERS = 200
"""Of a query; a longer one is refused."""
MOST_RESULTS = 100
"""On the largest plan; others give fewer by themselves (10 on the free one)."""
KEY_VARIABLE = "GNEWS_API_KEY"
"""Environment variable with the key."""
_NEEDED = 2
"""Names that every article must hold: few hold more than two of those that a question names."""
_CUT = re.compile(r"(?:(?<!\s)\s++)?(?:(?:\.{3}|…)\s*+)?\[\+?\d[\d,]*\s+chars\]\s*$")
_BARE = re.compile(r"[^\W_]+")
_OPERATORS = frozenset({"and", "or", "not"})


class GNews:
    """One ``GET /search`` for each query; the key goes in a header, not in the address."""

    name = "gnews"

    def __init__(self, fetcher: Fetcher, environ: Mapping[str, str]) -> None:
        self._fetcher = fetcher
        self._key = environ.get(KEY_VARIABLE, "").strip()

    def search(self, query: NewsQuery, seconds: float) -> list[Article]:
        """See ``NewsProvider.search``."""
        if not self._key:
            raise ProviderError(f"{self.name}: no key; set the environment variable {KEY_VARIABLE}")
        words = syntax_of(query_words(query.text))
        if not words:
            raise ProviderError(f"{self.name}: the question has no words to search for")
        answer = answer_of(
            self.name,
            lambda: self._fetcher.get(
                f"{URL}/search?{urlencode(_build_parameters(query, words))}",
                accept=("application/json",),
                headers={"X-Api-Key": self._key},
                seconds=seconds,
            ),
            {
                401: f"the key in {KEY_VARIABLE} is missing or wrong",
                403: "the requests of the day are used up; they are renewed at 00:00 UTC",
                429: "too many requests in a short time",
            },
            _explain_error,
        )
        found = (_read_article(each, query.language) for each in read_objects(answer, "articles"))
        return [article for article in found if article is not None][: query.limit]


def open_gnews(around: Around) -> GNews:
    """With the settings and the key of its own."""
    return GNews(around.fetcher, around.environ)


def syntax_of(words: QueryWords) -> str:
    """The query in GNews's syntax, in at most 200 characters: the first names and quoted phrases must be met, one of the rest should be.

    Words side by side must all be met there, which a whole question never is. What is more than letters and digits stands in quotes.
    """
    exact = [_quote_term(word) for word in (*words.phrases, *words.names)]
    needed = _fit_terms(exact[:_NEEDED], " AND ", MOST_CHARACTERS)
    others = [*exact[_NEEDED:], *(_quote_term(word) for word in words.others)]
    used = len(" AND ".join(needed))
    if not needed:
        return " OR ".join(_fit_terms(others, " OR ", MOST_CHARACTERS))
    some = _fit_terms(others, " OR ", MOST_CHARACTERS - used - len(" AND ()"))
    # An article about two names is about the question; one about a single name may be about anything.
    if len(needed) < _NEEDED and some:
        needed.append(f"({' OR '.join(some)})")
    return " AND ".join(needed)


def _quote_term(word: str) -> str:
    return word if _BARE.fullmatch(word) and word.lower() not in _OPERATORS else f'"{word}"'


def _fit_terms(terms: list[str], joint: str, limit: int) -> list[str]:
    kept: list[str] = []
    for term in terms:
        if len(joint.join([*kept, term])) <= limit:
            kept.append(term)
    return kept


def _build_parameters(query: NewsQuery, words: str) -> dict[str, str]:
    parameters = {
        "q": words,
        "lang": query.language,
        "max": str(min(query.limit, MOST_RESULTS)),
        "sortby": "relevance",
        # without, an article that lacks one of them is left out
        "nullable": "description,content,image",
    }
    if query.since is not None:
        parameters["from"] = _format_moment(query.since)
    if query.until is not None:
        parameters["to"] = _format_moment(query.until)
    return parameters


def _format_moment(moment: datetime) -> str:
    return f"{moment.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"


def _explain_error(error: Json) -> object:
    """``{"errors": ["..."]}``, or ``{"errors": {"q": "..."}}`` for a bad parameter."""
    messages = [*read_items(error.get("errors")), *read_nested(error, "errors").values()]
    return " ".join(each for each in messages if isinstance(each, str))


def _read_article(found: Json, language: str) -> Article | None:
    url, title = web_address(found.get("url")), short_line(found.get("title"))
    if url is None or title is None:
        return None
    content = read_text(found.get("content"))
    beginning = _CUT.sub("", content)
    return Article(
        url=url,
        title=title,
        provider=GNews.name,
        summary=read_text(found.get("description")),
        text=beginning,
        # the whole text, on plans that give it, has no such mark
        is_whole=bool(content) and beginning == content,
        published_at=parse_date(found.get("publishedAt")),
        publisher=short_line(read_nested(found, "source").get("name")),
        language=short_line(found.get("lang")) or language,
    )
