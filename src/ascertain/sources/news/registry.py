"""The news providers that ``news.providers`` names, found by the entry points ``ascertain.news``.

An entry point stands for a function from ``Around`` to a ``ports.NewsProvider``; docs/extending.md has an example.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import cast

from ascertain.core.clock import Clock
from ascertain.core.plugins import NEWS, require_plugin
from ascertain.core.settings import NewsSettings
from ascertain.sources.news.ports import NewsProvider
from ascertain.sources.web.fetching import Fetcher

_SETTING = "news.providers"


@dataclass(frozen=True, slots=True)
class Around:
    """What providers are opened with. ``environ`` holds their keys; ``clock`` is the services' own, whatever day a question is asked as of."""

    settings: NewsSettings
    fetcher: Fetcher
    environ: Mapping[str, str]
    clock: Clock


def open_providers(around: Around) -> tuple[NewsProvider, ...]:
    """The providers of ``news.providers`` in its order, each once; ConfigurationError for a name that is none.

    What one of them lacks to work, a key or an address, it says when it is asked.
    """
    return tuple(_open_provider(name, around) for name in dict.fromkeys(around.settings.providers))


def check_names(names: Iterable[str]) -> None:
    """Raise ConfigurationError for a name that no provider has."""
    for name in names:
        require_plugin(NEWS, name, _SETTING)


def _open_provider(name: str, around: Around) -> NewsProvider:
    plugin = require_plugin(NEWS, name, _SETTING)
    opener = cast(Callable[[Around], NewsProvider], plugin.load(_SETTING))
    with plugin.blame_package(_SETTING):
        return opener(around)
