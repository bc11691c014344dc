"""The news providers by the names that ``news.providers`` takes.

To add one: write a module with a class that fulfils ``ports.NewsProvider`` and add one line to ``_OPENERS``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ascertain.core.clock import Clock
from ascertain.core.errors import ConfigurationError
from ascertain.core.nearest import did_you_mean
from ascertain.core.settings_sources import NewsSettings
from ascertain.sources.news.gnews import GNews
from ascertain.sources.news.ports import NewsProvider
from ascertain.sources.news.rss import Feeds
from ascertain.sources.news.searxng import Searxng
from ascertain.sources.news.tavily import Tavily
from ascertain.sources.web.fetching import Fetcher


@dataclass(frozen=True, slots=True)
class Around:
    """What providers are opened with. ``environ`` holds their keys."""

    settings: NewsSettings
    fetcher: Fetcher
    environ: Mapping[str, str]
    clock: Clock


_OPENERS: dict[str, Callable[[Around], NewsProvider]] = {
    "tavily": lambda a: Tavily(a.settings.tavily, a.fetcher, a.environ, a.clock),
    "gnews": lambda a: GNews(a.settings.gnews, a.fetcher, a.environ),
    "searxng": lambda a: Searxng(a.settings.searxng, a.fetcher, a.clock),
    "rss": lambda a: Feeds(a.settings.rss, a.fetcher),
}

NAMES = tuple(_OPENERS)


def open_providers(around: Around) -> tuple[NewsProvider, ...]:
    """The providers of ``news.providers`` in its order, each once; ConfigurationError for a name that is none.

    What one of them lacks to work, a key or an address, it says when it is asked.
    """
    names = dict.fromkeys(name.strip().lower() for name in around.settings.providers)
    unknown = next((name for name in names if name not in _OPENERS), None)
    if unknown is not None:
        raise ConfigurationError(
            f"news.providers: there is no provider {unknown!r}{did_you_mean(unknown, NAMES)}"
        )
    return tuple(_OPENERS[name](around) for name in names)
