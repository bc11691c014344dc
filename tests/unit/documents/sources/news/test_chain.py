"""Providers asked in order."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from ascertain.core.asking.runs import FixedClock
from ascertain.documents.sources.news.chain import NewsChain
from ascertain.documents.sources.news.ports import Article, NewsQuery, ProviderError

CLOCK = FixedClock(datetime(2024, 2, 29, tzinfo=UTC))


class Scripted:
    """A provider that finds so many articles, or fails; it takes ``seconds`` of the chain's time."""

    def __init__(self, name, count=0, problem=None, seconds=0.0, first=0):
        self.name = name
        self._articles = [
            Article(f"https://x.example/{number}", f"Story number {number}", name)
            for number in range(first, first + count)
        ]
        self._problem = problem
        self._seconds = seconds
        self.given = []
        self.time = None

    def search(self, query, seconds):
        self.given.append(seconds)
        self.time.now += self._seconds
        if self._problem:
            raise ProviderError(self._problem)
        return self._articles[: query.limit]


class Time:
    now = 0.0

    def __call__(self):
        return self.now


def asked(*providers, limit=3, seconds=10.0):
    time = Time()
    for provider in providers:
        provider.time = time
    return NewsChain(providers, CLOCK, elapsed=time).search(NewsQuery("q", limit), seconds)


def test_the_first_that_finds_enough_is_the_only_one_asked():
    second = Scripted("b", 3)
    found = asked(Scripted("a", 3), second)
    assert [report.provider for report in found.reports] == ["a"]
    assert not second.given


def test_the_next_is_asked_where_one_finds_too_little():
    found = asked(Scripted("a", 1), Scripted("b", 5, first=10))
    assert [(report.provider, report.articles) for report in found.reports] == [("a", 1), ("b", 3)]
    assert len(found.articles) == 3


def test_what_was_found_before_does_not_count_twice():
    found = asked(Scripted("a", 2), Scripted("b", 2), Scripted("c", 3))
    assert [report.provider for report in found.reports] == ["a", "b", "c"]
    assert len(found.articles) == 3


def test_the_next_is_asked_where_one_fails():
    found = asked(Scripted("a", problem="a: down"), Scripted("b", 3))
    assert found.reports[0].problem == "a: down"
    assert len(found.articles) == 3


def test_all_may_fail():
    found = asked(Scripted("a", problem="a: down"), Scripted("b", problem="b: down"))
    assert found.articles == ()
    assert [report.problem for report in found.reports] == ["a: down", "b: down"]


@pytest.mark.parametrize(
    ("slow", "given"),
    [((0.0, 0.0, 0.0), [3.0, 4.5, 9.0]), ((3.0, 3.0, 3.0), [3.0, 3.0, 3.0]), ((1.0, 6.0, 0.0), [3.0, 4.0, 2.0])],
)
def test_each_has_a_share_of_the_time_that_is_left(slow, given):
    providers = [Scripted(name, 0, seconds=seconds) for name, seconds in zip("abc", slow, strict=True)]
    asked(*providers, seconds=9.0)
    assert [seconds for provider in providers for seconds in provider.given] == given


def test_when_the_time_is_up_the_others_are_not_asked():
    late = Scripted("b", 3)
    found = asked(Scripted("a", 0, seconds=99.0), late)
    assert not late.given
    assert "no time was left" in found.reports[1].problem
