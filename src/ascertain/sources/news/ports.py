"""The port of a news provider, and what it hands back. ``registry`` says how one is found."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from ascertain.core.errors import SourceError


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


class NewsProvider(Protocol):
    """Somebody who finds articles. Safe to use from several threads."""

    @property
    def name(self) -> str:
        """As in ``news.providers``."""
        ...

    def search(self, query: NewsQuery, seconds: float) -> list[Article]:
        """At most ``query.limit`` articles, best first, in one request. Raises ProviderError."""
        ...
