"""The installed news providers: which of them are used, what each lacks, and a trial of one.

Only whether a key is set is checked, never its value.
"""

from __future__ import annotations

import os
from contextlib import closing
from urllib.parse import urlsplit

from ascertain.core.asking.runs import SystemClock
from ascertain.core.service.model_choice import NewsChoice, NewsTrial
from ascertain.core.settings import NewsSettings, Settings
from ascertain.core.system.plugins import NEWS, list_plugins

QUERY = "news of the week"
"""What a trial asks for: nothing from any document."""
ARTICLES = 3
SECONDS = 20.0


def list_news_choices(settings: NewsSettings) -> list[NewsChoice]:
    """Every provider that is installed: those in use in their order, then the others by name."""
    names = [*dict.fromkeys(settings.providers), *sorted(set(list_plugins(NEWS)) - set(settings.providers))]
    return [_describe_provider(name, settings) for name in names]


def try_news_provider(settings: Settings, name: str) -> NewsTrial:
    """Ask a provider for the news of the week. Raises ConfigurationError for an unknown name; other errors are in ``problem``."""
    from ascertain.documents.sources.news.chain import NewsChain
    from ascertain.documents.sources.news.ports import Around, NewsQuery, open_providers
    from ascertain.documents.sources.web.guarded_client import GuardedClient

    clock = SystemClock()
    news = settings.news.model_copy(update={"providers": (name,)})
    with closing(GuardedClient(settings.web)) as fetcher:
        chain = NewsChain(open_providers(Around(news, fetcher, os.environ, clock)), clock)
        query = NewsQuery(QUERY, ARTICLES, language=settings.news.language)
        found = chain.search(query, SECONDS)
    report = found.reports[0]
    return NewsTrial(name, [article.title for article in found.articles], report.seconds, report.problem)


def _describe_provider(name: str, settings: NewsSettings) -> NewsChoice:
    from ascertain.documents.sources.news import gnews, tavily

    is_used = name in settings.providers
    services = {"tavily": (tavily.URL, tavily.KEY_VARIABLE), "gnews": (gnews.URL, gnews.KEY_VARIABLE)}
    if name in services:
        address, variable = services[name]
        is_key_set = bool(os.environ.get(variable, "").strip())
        problem = "" if is_key_set else f"set the environment variable {variable} to the key"
        return NewsChoice(name, is_used, _host_of(address), variable, is_key_set, problem)
    if name == "searxng":
        address = settings.searxng.url
        return NewsChoice(name, is_used, _host_of(address), problem="" if address else "set news.searxng.url")
    if name == "rss":
        hosts = ", ".join(dict.fromkeys(map(_host_of, settings.rss.urls)))
        return NewsChoice(name, is_used, hosts, problem="" if hosts else "list the addresses of feeds in news.rss.urls")
    return NewsChoice(name, is_used, "")


def _host_of(address: str) -> str:
    """Without what may be a key in the path or a password."""
    return urlsplit(address).hostname or ""
