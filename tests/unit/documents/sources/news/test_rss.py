"""Feeds as a source of news."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ascertain.core.settings import FeedSettings
from ascertain.documents.sources.news.calling import query_words
from ascertain.documents.sources.news.ports import Article, NewsQuery, ProviderError
from ascertain.documents.sources.news.rss import Feeds, rank_articles


def an_article(title, summary="", day=1):
    when = datetime(2024, 1, day, tzinfo=UTC)
    return Article(f"https://a.example/{title}", title, "rss", summary, published_at=when)


def test_entries_with_the_words_are_found(site, client):
    feeds = Feeds(FeedSettings(urls=(f"{site.url}/feed.xml",)), client(site))
    articles = feeds.search(NewsQuery("What about the olive harvest?", 5), 5)
    assert [article.title for article in articles] == ["Harvest of olives halves in Andalusia"]
    assert articles[0].publisher == "The Ledger"
    assert not articles[0].is_whole


def test_one_feed_that_fails_does_not_matter(site, client):
    urls = (f"{site.url}/none.xml", f"{site.url}/feed.xml", f"{site.url}/moon.html")
    feeds = Feeds(FeedSettings(urls=urls), client(site))
    assert len(feeds.search(NewsQuery("Orbital Foundry", 5), 5)) == 2


def test_when_all_fail_the_reasons_are_told(site, client):
    feeds = Feeds(FeedSettings(urls=(f"{site.url}/none.xml", f"{site.url}/moon.html")), client(site))
    with pytest.raises(ProviderError, match=r"^rss: no feed can be read: .*404.*neither an RSS nor an Atom"):
        feeds.search(NewsQuery("Moon", 5), 5)


def test_without_feeds_it_says_what_to_set(client):
    with pytest.raises(ProviderError, match=r"news\.rss\.urls"):
        Feeds(FeedSettings(urls=(" ",)), client()).search(NewsQuery("Moon", 5), 5)


def test_the_title_counts_more_than_the_text():
    in_text = an_article("Markets close lower", "Copper fell most of all metals.")
    in_title = an_article("Copper falls", "Metals had a bad day.")
    assert rank_articles([in_text, in_title], query_words("copper prices")) == [in_title, in_text]


def test_an_entry_must_hold_a_name_that_was_asked_about():
    other = an_article("Somebody announces a chip")
    named = an_article("Nvidia and its rivals")
    assert rank_articles([other, named], query_words("Which chip did Nvidia announce?")) == [named]


def test_a_question_for_news_alone_gets_the_newest():
    old, new = an_article("Old", day=1), an_article("New", day=9)
    assert rank_articles([old, new], query_words("what are the latest news today?")) == [new, old]


@given(st.lists(st.tuples(st.text(max_size=30), st.text(max_size=60)), max_size=6), st.text(max_size=60))
def test_ranking_only_selects_and_orders(entries, query):
    articles = [an_article(title, summary) for title, summary in entries]
    found = rank_articles(articles, query_words(query))
    assert all(article in articles for article in found)
    assert len(found) <= len(articles)
