"""Several providers as one: asked in order, the next where one fails or finds too little."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ascertain.core.clock import Clock
from ascertain.sources.news.merging import merged
from ascertain.sources.news.ports import Article, NewsProvider, NewsQuery, ProviderError


@dataclass(frozen=True, slots=True)
class Report:
    """What one provider did, for the record. ``problem`` is why it found nothing, beginning with its name; empty when it answered."""

    provider: str
    articles: int
    seconds: float
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Findings:
    """``articles`` are best first; ``reports`` has one entry for each provider that was asked, in order."""

    articles: tuple[Article, ...]
    reports: tuple[Report, ...]


class NewsChain:
    """Providers in the order of the settings. Safe to use from several threads."""

    def __init__(
        self,
        providers: Sequence[NewsProvider],
        clock: Clock,
        *,
        elapsed: Callable[[], float] = time.monotonic,
    ) -> None:
        self._providers = tuple(providers)
        self._clock = clock
        self._elapsed = elapsed

    @property
    def names(self) -> tuple[str, ...]:
        """Whom it asks, in order."""
        return tuple(provider.name for provider in self._providers)

    def search(self, query: NewsQuery, seconds: float) -> Findings:
        """What the first providers that answer find, until there are ``query.limit`` articles; never raises ProviderError.

        A provider has an equal share of the time left over those still to be asked: what a quick one leaves is theirs.
        """
        end = self._elapsed() + seconds
        found: list[list[Article]] = []
        reports: list[Report] = []
        articles: list[Article] = []
        for index, provider in enumerate(self._providers):
            if len(articles) >= query.limit:
                break
            share = (end - self._elapsed()) / (len(self._providers) - index)
            got, report = self._ask(provider, query, share)
            found.append(got)
            reports.append(report)
            articles = merged(found, query, self._clock.now())
        return Findings(tuple(articles), tuple(reports))

    def _ask(self, provider: NewsProvider, query: NewsQuery, seconds: float) -> tuple[list[Article], Report]:
        name = provider.name
        if seconds <= 0:
            return [], Report(name, 0, 0.0, f"{name}: not asked, no time was left")
        started = self._elapsed()
        try:
            got = provider.search(query, seconds)
        except ProviderError as error:
            return [], Report(name, 0, self._elapsed() - started, str(error))
        return got, Report(name, len(got), self._elapsed() - started)
