"""The whole text of articles, from their pages where the provider has not all of it."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from ascertain.core.documents.blocks import BlockKind
from ascertain.core.documents.documents import DocumentKind, document_id
from ascertain.documents.formats.dom.markup import read_markup
from ascertain.documents.formats.reader import ReadOptions
from ascertain.documents.sources.news import articles
from ascertain.documents.sources.news.articles import MOST_CHARACTERS, read_articles
from ascertain.documents.sources.news.ports import Article
from ascertain.testing.documents import check_document

OPTIONS = ReadOptions(tenant="blue", conversation_id="c1")


def an_article(site, name="moon", **more):
    story = next(story for story in site.stories if f"/{name}." in story.url)
    return Article(story.url, story.title, "rss", story.teaser, **more)


def test_a_page_is_read_where_there_is_only_a_summary(site, client):
    reading = read_articles([an_article(site)], OPTIONS, client(site), 5)
    (document,) = reading.documents
    assert "Engineers in Porto cheered" in document.text
    assert "Subscribe now" not in document.text
    assert document.kind is DocumentKind.ARTICLE
    assert document.author == "Nora Feld"
    assert document.published_at == datetime(2024, 2, 27, 14, 30, tzinfo=UTC)
    assert document.source == document.url == f"{site.url}/moon.html"
    assert document.id == document_id(document.source, "blue", "c1")
    assert (document.profile, document.tenant, document.conversation_id) == ("news", "blue", "c1")


def test_a_whole_text_is_taken_without_a_request(site, client):
    article = an_article(site, text="All of it is told here, and at length.", is_whole=True)
    (document,) = read_articles([article], OPTIONS, client(site), 5).documents
    assert "All of it is told here" in document.text
    assert not site.requests


def test_a_page_that_asks_for_cookies_is_not_taken_for_the_article(site, client):
    site.walled = True
    reading = read_articles([an_article(site)], OPTIONS, client(site), 5)
    (document,) = reading.documents
    assert "cookies" not in document.text
    assert "lunar south pole" in document.text
    assert "may ask for a login" in reading.problems[0]


def test_a_page_that_is_gone_leaves_the_summary(site, client):
    article = replace(an_article(site), url=f"{site.url}/gone.html")
    reading = read_articles([article], OPTIONS, client(site), 5)
    assert "lunar south pole" in reading.documents[0].text
    assert "404" in reading.problems[0]


def test_a_title_alone_is_no_document(site, client):
    article = Article(f"{site.url}/gone.html", "A title", "rss")
    assert read_articles([article], OPTIONS, client(site), 5).documents == ()


def test_slow_pages_are_left_behind(site, client):
    site.delay = 1.0
    reading = read_articles([an_article(site), an_article(site, "olives")], OPTIONS, client(site), 0.2)
    assert len(reading.documents) == 2
    assert len(reading.problems) == 2


def test_without_a_client_no_page_is_read(site):
    reading = read_articles([an_article(site)], OPTIONS, None, 5)
    assert len(reading.documents) == 1
    assert not site.requests


def test_two_addresses_of_one_page_are_one_document(site, client):
    article = an_article(site)
    again = replace(article, url=f"{article.url}?utm_source=feed")
    assert len(read_articles([article, again], OPTIONS, client(site), 5).documents) == 1


def test_a_very_long_text_is_cut_between_paragraphs():
    paragraphs = [f"Paragraph {number}. " + "word " * 100 for number in range(400)]
    article = Article("https://x.example/1", "Long", "tavily", text="\n\n".join(paragraphs), is_whole=True)
    (document,) = read_articles([article], OPTIONS, None, 5).documents
    assert MOST_CHARACTERS / 2 < len(document.text) <= MOST_CHARACTERS
    assert document.text.endswith("word")


def test_a_list_that_is_cut_keeps_the_items_before_the_cut():
    markup = "".join(f"<li><p>Item {number}. {'word ' * 100}</p><p>More of it.</p></li>" for number in range(400))
    found = read_markup(f"<h2>Items</h2><ul>{markup}</ul>")
    article = Article("https://x.example/1", "Long", "rss", text=found.text, is_whole=True, blocks=found.blocks)
    (document,) = read_articles([article], OPTIONS, None, 5).documents
    check_document(document)
    assert len(document.text) <= MOST_CHARACTERS
    (items,) = document.blocks_of(BlockKind.LIST)
    assert items.span.end == len(document.text)
    shown = document.blocks_of(BlockKind.ITEM)
    assert 0 < len(shown) < 400
    assert shown[-1].span.end == len(document.text)


@pytest.mark.parametrize("end", range(1, 40))
def test_documents_are_sound_wherever_they_are_cut(monkeypatch, end):
    monkeypatch.setattr(articles, "MOST_CHARACTERS", end)
    found = read_markup(
        "<h2>Go</h2><ul><li>a b<ul><li>c</li></ul></li><li>d</li></ul><blockquote><p>e</p><p>f</p></blockquote>"
    )
    article = Article("https://x.example/1", "T", "rss", text=found.text, is_whole=True, blocks=found.blocks)
    (document,) = read_articles([article], OPTIONS, None, 5).documents
    check_document(document)
