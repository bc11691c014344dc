"""Broad questions and questions for news over articles of one field: what is shown, how sure, and with which words before it."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import pytest

from ascertain.app.ascertain import Ascertain
from ascertain.core.asking.answers import AnswerType
from ascertain.core.asking.passages import Filter, Level
from ascertain.core.asking.runs import FixedClock
from ascertain.core.documents.documents import Document, DocumentKind
from ascertain.core.settings import Settings

NOW = datetime(2025, 6, 15, 18, tzinfo=UTC)
ARTICLES = {
    "ferry": (
        1,
        "Ferry to Orlen stops",
        "The ferry to Orlen stopped on Saturday because its engine failed. It is to sail again on Friday.",
    ),
    "copied": (
        1,
        "Ferry to Orlen has stopped",
        "The ferry to Orlen stopped on Saturday because its engine had failed. It is to sail again on Friday.",
    ),
    "bridge": (
        2,
        "Harbour bridge reopens",
        "The harbour bridge in Orlen reopened on Friday after repairs for 4 million euros.",
    ),
    "museum": (3, "Museum buys a whale", "The museum of Orlen bought the skeleton of a blue whale for 90,000 euros."),
    "strike": (4, "Tram drivers strike", "Tram drivers in Orlen went on strike on Wednesday for two days."),
    "robbery": (
        20,
        "Thieves rob the bank of Orlen",
        "Thieves robbed the bank of Orlen and stole 2 million euros on 26 May.",
    ),
    "storm": (50, "Storm over Orlen", "A storm tore the roofs from 300 houses in Orlen on 26 April."),
}


def an_article(name: str, *, conversation: str | None = None) -> Document:
    days, title, text = ARTICLES[name]
    return Document(
        name, text, title, DocumentKind.ARTICLE, f"{name}.md",
        published_at=NOW - timedelta(days=days), conversation_id=conversation,
    )  # fmt: skip


@pytest.fixture(scope="module")
def knowledge(tmp_path_factory):
    home = tmp_path_factory.mktemp("digests") / "kb"
    with Ascertain(Settings(home=home, profile="news"), clock=FixedClock(NOW)) as opened:
        opened.add_documents([an_article(name) for name in ARTICLES])
        yield opened


def days_of(answer) -> list[str]:
    return re.findall(r"^(\d+ \w+ 2025)", answer.text, re.MULTILINE)


def test_a_period_is_told_newest_first_each_story_once_with_what_it_tells_of(knowledge):
    answer = knowledge.ask("what happened this week")
    assert answer.type is AnswerType.SUMMARY
    assert answer.text.startswith("All 5 articles dated 9 June 2025 to 15 June 2025, newest first:\n\n14 June 2025: ")
    assert days_of(answer) == ["14 June 2025", "13 June 2025", "12 June 2025", "11 June 2025"]
    assert "(and 1 similar article)" in answer.text
    assert len(answer.sentences) == len(answer.citations) == 4
    for citation in answer.citations:
        assert citation.span.of(knowledge.document(citation.document_id).text) == citation.quote


@pytest.mark.parametrize("question", ["summarize the last 30 days", "give me a recap of the last 30 days"])
def test_a_month_has_what_is_older_than_a_week(knowledge, question):
    answer = knowledge.ask(question)
    assert "All 6 articles dated" in answer.text
    assert days_of(answer)[-1] == "26 May 2025"


def test_news_of_a_subject_are_those_of_the_last_days(knowledge):
    answer = knowledge.ask("latest ferry news")
    assert answer.type is AnswerType.SUMMARY
    assert days_of(answer) == ["14 June 2025"]
    assert "engine" in answer.text


def test_where_the_last_days_hold_nothing_that_is_said_first_and_the_time_before_is_told(knowledge):
    answer = knowledge.ask("any news on the storm?")
    assert answer.text.startswith(
        "Nothing was found of the last 7 days about “the storm”. 1 article found about “the storm”"
    )
    assert days_of(answer) == ["26 April 2025"]
    recent = knowledge.ask("any robberies recently?")
    assert days_of(recent) == ["26 May 2025"]


def test_news_of_what_no_document_speaks_of_are_not_made_up(knowledge):
    assert knowledge.ask("any news on volleyball?").type is AnswerType.REJECTION


def test_a_digest_of_little_is_of_low_confidence_and_says_so_instead_of_being_withheld(knowledge):
    answer = knowledge.ask("any robberies recently?")
    assert answer.confidence.level in {Level.LOW, Level.MEDIUM}
    assert answer.confidence.caveat


@pytest.mark.parametrize(
    ("question", "day"), [("newest article about Orlen?", "14 June 2025"), ("oldest report on Orlen", "26 April 2025")]
)
def test_the_newest_and_the_oldest_are_found_by_date(knowledge, question, day):
    answer = knowledge.ask(question)
    assert days_of(answer) == [day]
    assert len(answer.sentences) == 1


def test_dates_given_beside_the_question_hold(knowledge):
    before = Filter(published_before=NOW - timedelta(days=30))
    assert days_of(knowledge.ask("latest news", filter=before)) == ["26 April 2025"]
    assert knowledge.ask("latest news", days_back=2).text.startswith("All 3 articles")


PRICES = {1: 912, 2: 905, 3: 988, 12: 871, 20: 840, 40: 700}
"""Of a ton of wheat, by days ago."""


@pytest.fixture(scope="module")
def market(tmp_path_factory):
    home = tmp_path_factory.mktemp("market") / "kb"
    with Ascertain(Settings(home=home, profile="news"), clock=FixedClock(NOW)) as opened:
        for days, price in PRICES.items():
            day = NOW - timedelta(days=days)
            text = (
                f"Wheat closed at ${price} a ton on {day.day} {day:%B %Y}, after rain in the north. Traders were calm."
            )
            kind = DocumentKind.ARTICLE
            opened.add_documents(
                [Document(f"w{days}", text, f"Wheat on {day.day} {day:%B}", kind, f"w{days}.md", published_at=day)]
            )
        yield opened


@pytest.mark.parametrize(
    ("question", "price"),
    [
        ("lowest wheat price in june so far", "$871"),
        ("highest wheat price in june", "$988"),
        ("What was the lowest wheat price in the last 30 days?", "$840"),
        ("lowest wheat price this week", "$905"),
    ],
)
def test_extremes_are_computed_over_the_period(market, question, price):
    answer = market.ask(question)
    assert price in answer.sentences[0].text
    assert len(answer.sentences) == 1
    assert "figures found on" in answer.text
