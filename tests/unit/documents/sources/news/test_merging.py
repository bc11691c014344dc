"""One list out of the findings of several providers."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ascertain.documents.sources.news.chain import TitleKey, address_key, merge_findings
from ascertain.documents.sources.news.ports import Article, NewsQuery

NOW = datetime(2024, 2, 29, tzinfo=UTC)
QUERY = NewsQuery("q", 10)


def an_article(name, title=None, provider="a", day=20, **more):
    when = datetime(2024, 2, day, tzinfo=UTC) if day else None
    return Article(f"https://x.example/{name}", title or f"Story {name}", provider, published_at=when, **more)


def titles(articles):
    return [article.title for article in articles]


def test_best_ranks_come_first_then_the_newest():
    first = [an_article("1", day=1), an_article("2", day=2)]
    second = [an_article("3", day=3), an_article("4", day=4)]
    assert titles(merge_findings([first, second], QUERY, NOW)) == ["Story 3", "Story 1", "Story 4", "Story 2"]


def test_one_address_is_one_article_whoever_gave_it():
    snippet = an_article("1", summary="short", day=None)
    whole = replace(an_article("1", provider="b", text="all of it", is_whole=True), url="http://www.x.example/1/")
    (found,) = merge_findings([[snippet], [whole]], QUERY, NOW)
    assert found.is_whole
    assert found.summary == "short"
    assert found.published_at == whole.published_at


def test_one_story_under_two_addresses_is_told_once():
    first = an_article("1", "Orbital Foundry lands its first cargo on the Moon - The Ledger")
    again = an_article("2", "Orbital Foundry lands first cargo on the Moon | Daily Planet")
    other = an_article("3", "Orbital Foundry delays its launch to the Moon")
    assert len(merge_findings([[first, again, other]], QUERY, NOW)) == 2


@pytest.mark.parametrize(
    ("one", "other", "is_near"),
    [
        ("Fed cuts rates by 25 basis points", "Fed cuts rates by 50 basis points", False),
        ("Fed cuts rates by 25 basis points", "Fed cuts rates by 25 basis points", True),
        ("Markets today", "Markets today", True),
        ("Markets today", "Markets", False),
        ("Bitcoin rises above 100,000 dollars – Reuters", "BITCOIN RISES ABOVE 100,000 DOLLARS", True),
        ("", "", False),
    ],
)
def test_titles_are_near_when_they_tell_one_story(one, other, is_near):
    assert TitleKey(one).is_near(TitleKey(other)) is is_near


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("https://x.example/a", "http://www.x.example/a/", True),
        ("https://x.example/a", "https://m.x.example/a/amp", True),
        ("https://x.example/", "https://x.example/index.html", True),
        ("https://x.example/a?id=1", "https://x.example/a?id=2", False),
        ("https://x.example/a", "https://y.example/a", False),
    ],
)
def test_addresses_of_one_page_are_known(one, other, same):
    assert (address_key(one) == address_key(other)) is same


@pytest.mark.parametrize(
    ("published", "is_kept"),
    [
        (NOW - timedelta(days=7), True),
        (NOW - timedelta(days=7, microseconds=1), False),
        (NOW - timedelta(days=1, microseconds=1), True),
        (NOW - timedelta(days=1), False),
        (None, True),
    ],
)
def test_what_lies_outside_of_the_dates_is_dropped(published, is_kept):
    query = replace(QUERY, since=NOW - timedelta(days=7), until=NOW - timedelta(days=1))
    article = replace(an_article("1"), published_at=published)
    assert bool(merge_findings([[article]], query, NOW)) is is_kept


def test_a_date_far_ahead_of_the_clock_is_dropped():
    soon = replace(an_article("1"), published_at=NOW + timedelta(hours=20))
    later = replace(an_article("2"), published_at=NOW + timedelta(hours=30))
    assert merge_findings([[soon, later]], QUERY, NOW) == [soon]


ARTICLES = st.lists(
    st.builds(
        an_article,
        st.sampled_from("123456"),
        st.none() | st.sampled_from(["A tale of two cities at night", "A tale of two cities", "Other"]),
        day=st.none() | st.integers(1, 28),
    ),
    max_size=8,
)


@given(st.lists(ARTICLES, max_size=3), st.integers(1, 8))
def test_nothing_is_told_twice_and_nothing_is_made_up(findings, limit):
    found = merge_findings(findings, replace(QUERY, limit=limit), NOW)
    assert len(found) <= limit
    assert len({address_key(article.url) for article in found}) == len(found)
    given_urls = {article.url for each in findings for article in each}
    assert {article.url for article in found} <= given_urls
