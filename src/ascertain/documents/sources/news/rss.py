"""RSS and Atom feeds as a source of news: the newest entries of a list of feeds, those that speak of what is asked."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import repeat

from ascertain.core.errors import SourceError
from ascertain.core.settings import FeedSettings
from ascertain.documents.formats.feeds import Feed, FeedEntry
from ascertain.documents.formats.reader import ReadLimits
from ascertain.documents.reading.pool import READERS
from ascertain.documents.sources.news.calling import QueryWords, query_words, web_address
from ascertain.documents.sources.news.ports import Around, Article, NewsQuery, ProviderError
from ascertain.documents.sources.web.fetching import Fetcher
from ascertain.language.folding import folded_text

AT_ONCE = 8
"""Feeds that are fetched at the same time: of many hosts, so none is asked twice at once but by its own list."""
TITLE_WEIGHT = 2.0
"""A word in the title counts twice: it says what the entry is about."""
_WORD = re.compile(r"\w+")
_ENDING = re.compile(r"(?<=\w{3})(?:ies|ied|ing|ed|es|s|e|y)$")
_ACCEPTED = ("application/", "text/")


class Feeds:
    """Fetches every feed of the list for each query; those that fail are left out while one answers."""

    name = "rss"

    def __init__(self, settings: FeedSettings, fetcher: Fetcher) -> None:
        self._urls = tuple(dict.fromkeys(url.strip() for url in settings.urls if url.strip()))
        self._fetcher = fetcher

    def search(self, query: NewsQuery, seconds: float) -> list[Article]:
        """See ``NewsProvider.search``: the entries with the words of the query, the most telling ones first; all of them, the newest first,
        when it has no words but those of asking for news.
        """
        if not self._urls:
            raise ProviderError(f"{self.name}: no feeds; list their addresses in news.rss.urls")
        with ThreadPoolExecutor(min(AT_ONCE, len(self._urls)), "feed") as pool:
            read = list(pool.map(self._read_feed, self._urls, repeat(seconds)))
        problems = [each for each in read if isinstance(each, str)]
        if len(problems) == len(read):
            raise ProviderError(f"{self.name}: no feed can be read: {'; '.join(problems[:3])}")
        articles = [
            article
            for feed in read
            if isinstance(feed, Feed)
            for entry in feed.entries
            if (article := _read_article(entry, feed)) is not None
        ]
        return rank_articles(articles, query_words(query.text))[: query.limit]

    def _read_feed(self, url: str, seconds: float) -> Feed | str:
        """The feed, or why it cannot be read."""
        try:
            fetched = self._fetcher.get(url, accept=_ACCEPTED, seconds=seconds)
        except SourceError as error:
            return str(error)
        content_type = fetched.headers.get("content-type", "")
        try:
            return READERS.read_feed(fetched.body, fetched.url, content_type, ReadLimits(seconds=seconds))
        except SourceError as error:
            return f"{url.partition('?')[0]}: {error}"


def open_feeds(around: Around) -> Feeds:
    """With the settings and the key of its own."""
    return Feeds(around.settings.rss, around.fetcher)


def rank_articles(articles: Sequence[Article], words: QueryWords) -> list[Article]:
    """The articles that hold the words, by how much these tell: a word that few articles hold more than one of many (inverse document
    frequency, Spärck Jones 1972). Where the query has names, an article must hold one of them.
    """
    newest = sorted(articles, key=_age_key)
    exact = _word_roots(" ".join((*words.phrases, *words.names)))
    wanted = exact | _word_roots(" ".join(words.others))
    if not wanted:
        return newest
    texts = [_Text.of(article) for article in newest]
    weights = {root: math.log(1 + len(texts) / (1 + sum(root in each.all for each in texts))) for root in wanted}
    scored = [
        (each.score(weights), article)
        for each, article in zip(texts, newest, strict=True)
        if (exact or wanted) & each.all
    ]
    return [article for _, article in sorted(scored, key=lambda pair: -pair[0])]


@dataclass(frozen=True, slots=True)
class _Text:
    title: frozenset[str]
    all: frozenset[str]

    @classmethod
    def of(cls, article: Article) -> _Text:
        title = _word_roots(article.title)
        return cls(title, title | _word_roots(article.summary) | _word_roots(article.text))

    def score(self, weights: dict[str, float]) -> float:
        return sum(
            weight * (TITLE_WEIGHT if root in self.title else 1.0)
            for root, weight in weights.items()
            if root in self.all
        )


def _word_roots(text: str) -> frozenset[str]:
    """The words of ``text`` without their commonest endings, so that "chips" finds "chip"."""
    return frozenset(_ENDING.sub("", word) for word in _WORD.findall(folded_text(text)))


def _age_key(article: Article) -> float:
    return -article.published_at.timestamp() if article.published_at else math.inf


def _read_article(entry: FeedEntry, feed: Feed) -> Article | None:
    url = web_address(entry.link)
    if url is None or not entry.title:
        return None
    return Article(
        url=url,
        title=entry.title,
        provider=Feeds.name,
        summary=entry.summary,
        text=entry.content,
        is_whole=entry.is_whole,
        published_at=entry.published_at or entry.updated_at,
        publisher=feed.title,
        author=entry.author,
        blocks=entry.content_blocks,
    )
