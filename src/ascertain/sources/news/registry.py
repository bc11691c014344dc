"""The news providers by the names that ``news.providers`` takes.

To add one: write a module with a class that fulfils ``ports.NewsProvider`` and add one line to ``_OPENERS``. Each is imported when it is
opened: what reads the web takes a while to import.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from ascertain.core.clock import Clock
from ascertain.core.errors import ConfigurationError
from ascertain.core.nearest import did_you_mean
from ascertain.core.settings import NewsSettings
from ascertain.sources.news.ports import NewsProvider
from ascertain.sources.web.fetching import Fetcher


@dataclass(frozen=True, slots=True)
class Around:
    """What providers are opened with. ``environ`` holds their keys; ``clock`` is the services' own, whatever day a question is asked as of."""

    settings: NewsSettings
    fetcher: Fetcher
    environ: Mapping[str, str]
    clock: Clock


def _tavily(around: Around) -> NewsProvider:
    from ascertain.sources.news.tavily import Tavily  # noqa: PLC0415

    return Tavily(around.settings, around.fetcher, around.environ, around.clock)


def _gnews(around: Around) -> NewsProvider:
    from ascertain.sources.news.gnews import GNews  # noqa: PLC0415

    return GNews(around.fetcher, around.environ)


def _searxng(around: Around) -> NewsProvider:
    from ascertain.sources.news.searxng import Searxng  # noqa: PLC0415

    return Searxng(around.settings, around.fetcher, around.clock)


def _rss(around: Around) -> NewsProvider:
    from ascertain.sources.news.rss import Feeds  # noqa: PLC0415

    return Feeds(around.settings.rss, around.fetcher)


_OPENERS: dict[str, Callable[[Around], NewsProvider]] = {
    "tavily": _tavily,
    "gnews": _gnews,
    "searxng": _searxng,
    "rss": _rss,
}
NAMES = tuple(_OPENERS)


def open_providers(around: Around) -> tuple[NewsProvider, ...]:
    """The providers of ``news.providers`` in its order, each once; ConfigurationError for a name that is none.

    What one of them lacks to work, a key or an address, it says when it is asked.
    """
    check_names(around.settings.providers)
    return tuple(_OPENERS[name](around) for name in dict.fromkeys(around.settings.providers))


def check_names(names: Iterable[str]) -> None:
    """Raise ConfigurationError for a name that no provider has."""
    unknown = next((name for name in names if name not in _OPENERS), None)
    if unknown is not None:
        raise ConfigurationError(
            f"news.providers: there is no provider {unknown!r}{did_you_mean(unknown, NAMES)}"
        )
