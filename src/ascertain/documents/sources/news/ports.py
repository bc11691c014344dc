"""The port of a news provider, and its results. ``registry`` says how one is found."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol, cast

from ascertain.core.asking.runs import Clock
from ascertain.core.documents.blocks import Block
from ascertain.core.errors import SourceError
from ascertain.core.settings import NewsSettings
from ascertain.core.system.plugins import NEWS, require_plugin
from ascertain.documents.sources.web.fetching import Fetcher


class ProviderError(SourceError):
    """A provider did not answer, or not with what it documents; the message begins with its name and never holds its key."""

    def __init__(self, message: str, *, retry_after: float | None = None, is_passing: bool = False) -> None:
        super().__init__(message)
        self.retry_after = retry_after
        """Seconds after which it asks to be tried again."""
        self.is_passing = is_passing
        """Whether the same request may work later."""


@dataclass(frozen=True, slots=True)
class NewsQuery:
    """What is looked for. ``since`` is inclusive, ``until`` exclusive; a provider that only knows whole ranges takes the next larger one, and
    what it finds outside of the dates is dropped.
    """

    text: str
    limit: int
    since: datetime | None = None
    until: datetime | None = None
    language: str = "en"


@dataclass(frozen=True, slots=True)
class Article:
    """One article as a provider gives it. ``text`` is as much of the words as it gave; ``is_whole`` when that is all of them."""

    url: str
    title: str
    provider: str
    summary: str = ""
    text: str = ""
    is_whole: bool = False
    published_at: datetime | None = None
    publisher: str | None = None
    author: str | None = None
    language: str | None = None
    blocks: tuple[Block, ...] = ()
    """Those of ``text``, where the provider tells them."""


class NewsProvider(Protocol):
    """A service that finds articles. Safe to use from several threads."""

    @property
    def name(self) -> str:
        """As in ``news.providers``."""
        ...

    def search(self, query: NewsQuery, seconds: float) -> list[Article]:
        """At most ``query.limit`` articles, best first, in one request. Raises ProviderError."""
        ...


# ``news.providers`` names entry points of ``ascertain.news``. Each stands for a function from ``Around`` to a
# ``ports.NewsProvider``; docs/extending.md has an example.

_SETTING = "news.providers"


@dataclass(frozen=True, slots=True)
class Around:
    """The arguments for opening providers. ``environ`` holds their keys; ``clock`` is the services' own, whatever day a question is asked as of."""

    settings: NewsSettings
    fetcher: Fetcher
    environ: Mapping[str, str]
    clock: Clock


def open_providers(around: Around) -> tuple[NewsProvider, ...]:
    """The providers of ``news.providers`` in its order, each once; ConfigurationError for an unknown name.

    A missing key or address of one is reported when it is called.
    """
    return tuple(_open_provider(name, around) for name in dict.fromkeys(around.settings.providers))


def _open_provider(name: str, around: Around) -> NewsProvider:
    plugin = require_plugin(NEWS, name, _SETTING)
    opener = cast(Callable[[Around], NewsProvider], plugin.load(_SETTING))
    with plugin.blame_package(_SETTING):
        return opener(around)
