"""The findings of several providers as one list: each article once, none outside of the dates, best first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from ascertain.sources.news.ports import Article, NewsQuery
from ascertain.sources.news.same_story import TitleKey, address_key

AHEAD = timedelta(days=1)
"""How far ahead of the clock a date may be: sites write local times without saying so."""
_BEGINNING = datetime.min.replace(tzinfo=UTC)


@dataclass(slots=True)
class _Ranked:
    article: Article
    rank: int
    title: TitleKey


def merged(findings: Sequence[Sequence[Article]], query: NewsQuery, now: datetime) -> list[Article]:
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
            same.article = _fuller(same.article, article)
        by_address[key] = same
    kept.sort(key=lambda each: (each.rank, -_seconds(each.article.published_at)))
    return [each.article for each in kept[: query.limit]]


def is_in_range(published_at: datetime | None, query: NewsQuery, now: datetime) -> bool:
    """Whether an article of this date answers the query. One without a date may: whoever was asked was told the dates."""
    if published_at is None:
        return True
    if query.since is not None and published_at < query.since:
        return False
    return published_at < (query.until if query.until is not None else now + AHEAD)


def _fuller(first: Article, second: Article) -> Article:
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


def _seconds(moment: datetime | None) -> float:
    return ((moment or _BEGINNING) - _BEGINNING).total_seconds()
