"""Which questions ask for a digest, and of what."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ascertain.core.asking.plans import DigestQuestion
from ascertain.core.asking.runs import Budget, FixedClock, Run
from ascertain.language.languages import ENGLISH
from ascertain.questions.planning import LONGEST_GLOBAL, RulePlanner, read_digest_question

NOW = datetime(2025, 6, 15, 18, tzinfo=UTC)


@pytest.mark.parametrize(
    ("question", "focus", "days"),
    [
        ("BTC news", "BTC", 7),
        ("latest bitcoin news", "bitcoin", 7),
        ("Give me the latest news on the Halcyon bridge, please", "the Halcyon bridge", 7),
        ("top crypto stories", "crypto", 7),
        ("whats new", "", 7),
        ("what's going on with ethereum?", "ethereum", 7),
        ("any news on solana?", "solana", 7),
        ("latest on Moorgate", "Moorgate", 7),
        ("any hacks recently?", "hacks", 30),
        ("recent developments in AI regulation", "AI regulation", 30),
        ("crypto news from yesterday", "crypto", 7),
        ("how is crypto doing today?", "crypto", 7),
        ("How's bitcoin doing?", "bitcoin", 7),
        ("how is the ETF market going?", "ETF market", 7),
        ("how has ethereum been doing lately?", "ethereum", 30),
        ("how are things with Quillon?", "Quillon", 7),
        ("what's up with Quillon?", "Quillon", 7),
        ("anything new on the AI Act?", "the AI Act", 7),
        ("have there been any hacks recently?", "hacks", 30),
        ("were there any hacks lately?", "hacks", 30),
        ("headlines", "", 7),
    ],
)
def test_news_are_asked_for_of_a_subject_or_of_everything(question, focus, days):
    asked = read_digest_question(question.removesuffix(", please"), ENGLISH, NOW)
    assert asked == DigestQuestion(focus, days)


@pytest.mark.parametrize(
    ("question", "focus"),
    [
        ("summarize the last 30 days", ""),
        ("what happened this week", ""),
        ("What changed since Monday?", ""),
        ("give me a summary of last week", ""),
        ("any hacks this week?", "hacks"),
        ("summarize bitcoin in May", "bitcoin"),
        ("what happened to LSUSD in May?", "LSUSD"),
    ],
)
def test_what_a_period_brought_is_asked_for(question, focus):
    asked = read_digest_question(question, ENGLISH, NOW)
    assert asked is not None
    assert (asked.focus, asked.for_articles) == (focus, False)


@pytest.mark.parametrize(
    ("question", "by_date", "focus"),
    [
        ("newest article about AI rules?", "newest", "AI rules"),
        ("What is the oldest report about the exchange Quillon?", "oldest", "the exchange Quillon"),
        ("show me the most recent post on Pectra", "newest", "Pectra"),
        ("the first Quillon story", "oldest", "Quillon"),
    ],
)
def test_one_document_is_asked_for_by_its_date(question, by_date, focus):
    assert read_digest_question(question, ENGLISH, NOW) == DigestQuestion(focus, by_date=by_date)


@pytest.mark.parametrize(
    ("question", "by_value", "focus"),
    [
        ("lowest btc price in june so far", "lowest", "btc price"),
        (
            "What was the highest bitcoin price in the market wraps of May 2025?",
            "highest",
            "bitcoin price in the market wraps",
        ),
    ],
)
def test_the_extreme_of_the_figures_of_a_period_is_asked_for(question, by_value, focus):
    assert read_digest_question(question, ENGLISH, NOW) == DigestQuestion(focus, by_value=by_value)


@pytest.mark.parametrize(
    "question", ["what happened to bitcoin?", "summarize the articles", "Summarize", "bitcoin ETF flows"]
)
def test_some_ask_it_of_the_articles_of_a_conversation_only(question):
    asked = read_digest_question(question, ENGLISH, NOW)
    assert asked is not None
    assert asked.for_articles


@pytest.mark.parametrize(
    "question",
    [
        "btc price on may 29",
        "how do I install updates",
        "Who reads the news?",
        "why is there no news on the strike?",
        "what is the latest stable version of click?",
        "When was trouble at LSUSD first reported?",
        "Did the Fed cut rates in May?",
        "how much is bitcoin right now?",
        "What did Ether do this week?",
        "how is it going?",
        "how are you doing?",
        "how is bitcoin mined?",
        "how is the reader doing on table questions?",
        "how is the weather in Berlin today?",
        "how are things?",
        "is there any saddle in stock today?",
        "were there any students?",
        "",
        "?",
        "news " * LONGEST_GLOBAL,
    ],
)
def test_other_questions_ask_for_none(question):
    assert read_digest_question(question, ENGLISH, NOW) is None


@given(st.text(max_size=80))
def test_any_text_can_be_read(text):
    asked = read_digest_question(text, ENGLISH, NOW)
    assert asked is None or asked.focus in " ".join(text.split())


def test_a_plan_says_that_a_digest_is_asked_for():
    plan = RulePlanner((), FixedClock(NOW)).plan("latest bitcoin news", ENGLISH, Run(Budget(1, 1, 1, 1)))
    assert plan.digest_question == DigestQuestion("bitcoin", 7)
