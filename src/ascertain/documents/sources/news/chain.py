"""Several providers as one: called in order, the next if one fails or finds too little."""

from __future__ import annotations

import calendar
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from urllib.parse import urlsplit

from ascertain.core.asking.runs import Clock
from ascertain.core.settings.sources import TIME_RANGE, TIME_RANGES
from ascertain.documents.sources.news.ports import Article, NewsProvider, NewsQuery, ProviderError
from ascertain.language.folding import folded_text

NEAR = 0.8
"""Share of words that two titles have in common from which they are the same story: a word or two of ten may differ."""
_FEWEST = 4
"""Words below which only equal titles count: "Markets today" is a column, not a story."""
_WORD = re.compile(r"\w+")
_PUBLISHER = re.compile(r"(?<!\s)\s+[-–—|·]\s+[^-–—|·]{2,40}$")
"""What sites and aggregators put behind a title."""


def address_key(address: str) -> str:
    """Equal for canonical addresses of one page, whatever the scheme, the ``www.`` or ``m.`` before the host and the slash at the end."""
    parts = urlsplit(address)
    host = re.sub(r"^(?:www\d?|m|amp|mobile)\.(?=[^.]+\.)", "", parts.netloc)
    path = re.sub(r"/(?:amp|index\.html?)?/{0,50}$", "", parts.path)
    return f"{host}{path}?{parts.query}".casefold()


class TitleKey:
    """A title as it is compared."""

    def __init__(self, title: str) -> None:
        words = _WORD.findall(folded_text(_PUBLISHER.sub("", title)))
        self._ordered = tuple(words)
        self._words = frozenset(words)
        self._figures = frozenset(word for word in words if any(c.isdigit() for c in word))

    def is_near(self, other: TitleKey) -> bool:
        """Whether both tell one story: the same words but for a few, and the same figures ("up 5 %" is not "up 9 %")."""
        if self._ordered == other._ordered:
            return bool(self._ordered)
        if min(len(self._words), len(other._words)) < _FEWEST or self._figures != other._figures:
            return False
        return len(self._words & other._words) >= NEAR * len(self._words | other._words)


AHEAD = timedelta(days=1)
"""How far ahead of the clock a date may be: sites write local times without saying so."""
_BEGINNING = datetime.min.replace(tzinfo=UTC)


@dataclass(slots=True)
class _Ranked:
    article: Article
    rank: int
    title: TitleKey


def merge_findings(findings: Sequence[Sequence[Article]], query: NewsQuery, now: datetime) -> list[Article]:
    """Every article of ``findings`` (each best first) that fits the dates of ``query``, once: by its best rank with any provider, then the
    newest first, at most ``query.limit``.

    Of an article that several gave, or gave under another address, the fullest text is kept and what it lacks is filled in.
    """
    kept: list[_Ranked] = []
    by_address: dict[str, _Ranked] = {}
    ranked = [(rank, article) for found in findings for rank, article in enumerate(found)]
    for rank, article in sorted(ranked, key=lambda pair: pair[0]):
        if not is_in_range(article.published_at, query, now):
            continue
        key, title = address_key(article.url), TitleKey(article.title)
        same = by_address.get(key) or next((each for each in kept if each.title.is_near(title)), None)
        if same is None:
            same = _Ranked(article, rank, title)
            kept.append(same)
        else:
            same.article = _fuller_article(same.article, article)
        by_address[key] = same
    kept.sort(key=lambda each: (each.rank, -_seconds_of(each.article.published_at)))
    return [each.article for each in kept[: query.limit]]


def is_in_range(published_at: datetime | None, query: NewsQuery, now: datetime) -> bool:
    """Whether an article of this date answers the query. One without a date may: the provider got the dates."""
    if published_at is None:
        return True
    if query.since is not None and published_at < query.since:
        return False
    return published_at < (query.until if query.until is not None else now + AHEAD)


def _fuller_article(first: Article, second: Article) -> Article:
    """``first``, or ``second`` in its place where that has more text; with what the other knows beside."""
    better, other = first, second
    if (second.is_whole, len(second.text)) > (first.is_whole, len(first.text)):
        better, other = second, first
    return replace(
        better,
        summary=better.summary or other.summary,
        published_at=better.published_at or other.published_at,
        publisher=better.publisher or other.publisher,
        author=better.author or other.author,
        language=better.language or other.language,
    )


def _seconds_of(moment: datetime | None) -> float:
    return ((moment or _BEGINNING) - _BEGINNING).total_seconds()


@dataclass(frozen=True, slots=True)
class Report:
    """The report of one provider. ``problem`` is why it found nothing, beginning with its name; empty when it answered."""

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
        self, providers: Sequence[NewsProvider], clock: Clock, *, elapsed: Callable[[], float] = time.monotonic
    ) -> None:
        self._providers = tuple(providers)
        self._clock = clock
        self._elapsed = elapsed

    @property
    def names(self) -> tuple[str, ...]:
        """The providers it calls, in order."""
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
            got, report = self._ask_provider(provider, query, share)
            found.append(got)
            reports.append(report)
            articles = merge_findings(found, query, self._clock.now())
        return Findings(tuple(articles), tuple(reports))

    def _ask_provider(self, provider: NewsProvider, query: NewsQuery, seconds: float) -> tuple[list[Article], Report]:
        name = provider.name
        if seconds <= 0:
            return [], Report(name, 0, 0.0, f"{name}: not asked, no time was left")
        started = self._elapsed()
        try:
            got = provider.search(query, seconds)
        except ProviderError as error:
            return [], Report(name, 0, self._elapsed() - started, str(error))
        return got, Report(name, len(got), self._elapsed() - started)


_LENGTHS = {"day": "1d", "week": "7d"}
_UNITS = {"d": timedelta(days=1), "h": timedelta(hours=1)}
_MONTHS = {"month": 1, "year": 12, **{f"{years}y": 12 * years for years in range(1, 10)}}


def beginning_of(range: str, now: datetime) -> datetime | None:
    """The moment a range of the form ``TIME_RANGE`` begins, by the clock of ``now``; None for "any". ValueError for
    another.
    """
    if not re.fullmatch(TIME_RANGE, range):
        raise ValueError(f"{range!r} is not a range; use: {TIME_RANGES}")
    if range == "any":
        return None
    if range not in _MONTHS:
        length = _LENGTHS.get(range, range)
        return now - int(length[:-1]) * _UNITS[length[-1]]
    year, month = divmod(now.year * 12 + now.month - 1 - _MONTHS[range], 12)
    last = calendar.monthrange(year, month + 1)[1]
    return now.replace(year=year, month=month + 1, day=min(now.day, last))
