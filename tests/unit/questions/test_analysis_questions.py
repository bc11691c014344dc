from datetime import UTC, datetime

import pytest

from ascertain.language.languages import ENGLISH
from ascertain.questions.kinds.analysis import read_analysis_question, read_any_analysis

NOW = datetime(2025, 6, 15, 18, tzinfo=UTC)


@pytest.mark.parametrize(
    ("question", "kind", "focus"),
    [
        ("what is your prediction for crypto in the next month based on the last 30 days?", "prediction", "crypto"),
        ("what's your outlook on ETH by the end of the year?", "prediction", "ETH"),
        ("what do people predict for the bitcoin price by the end of the year?", "prediction", "bitcoin price"),
        ("should I buy ether?", "prediction", "ether"),
        ("how did sentiment on solana change since May?", "mood", "solana"),
        ("What was the market sentiment in May?", "mood", ""),
        ("how positive is the coverage of Quillon?", "mood", "Quillon"),
        ("what do the papers disagree about?", "disagreement", ""),
        ("Where do the sources contradict each other on Krellion?", "disagreement", "Krellion"),
        ("analyze bitcoin in the last 30 days", "trend", "bitcoin"),
        ("is BTC mooning?", "trend", "BTC"),
        ("are altcoins still pumping this week?", "trend", "altcoins"),
        ("what are the trends this month?", "trend", ""),
        ("what trends are there in the minutes?", "trend", ""),
        ("how did rents change over the month?", "trend", "rents"),
        ("where is the research on screens and sleep heading?", "prediction", "screens and sleep"),
        ("should I buy now or wait?", "prediction", ""),
        ("will the Rovers win the league?", "prediction", "Rovers"),
        ("what is the mood in the minutes?", "mood", ""),
        ("what worries people?", "mood", ""),
        ("what do people worry about in the minutes?", "mood", ""),
        ("what do researchers expect?", "prediction", ""),
        ("summarize the mood of the last two weeks", "mood", ""),
        ("is Duru's injury likely to cost the Rovers the title?", "prediction", "Duru's injury"),
        ("is now a good time to rent in Larkford?", "prediction", "Larkford"),
        ("should I buy a house in Larkford now?", "prediction", "house in Larkford"),
        ("what are residents afraid of?", "mood", ""),
        ("what worries people about peat in the podcasts?", "mood", "peat"),
        ("is the mood about Larkford Rovers good or bad?", "mood", "Larkford Rovers"),
        ("do the speakers agree about peat?", "disagreement", "peat"),
        ("what are the main trends in machine translation since 2024-01-01?", "trend", "machine translation"),
    ],
)
def test_recognises_questions_about_a_whole_period(question: str, kind: str, focus: str):
    found = read_analysis_question(question, ENGLISH, NOW)
    assert found is not None
    assert (found.kind.value, found.focus) == (kind, focus)


@pytest.mark.parametrize(
    "question",
    [
        "what happened this week",
        "bitcoin news",
        "summarize the last 30 days",
        "main themes",
        "Do Elena Brandt and Samir Haddad agree about where bitcoin goes?",
        "what is sentiment analysis?",
        "was it 41 or 45 million that krellion has to pay?",
        "How does the tone generator work?",
        "who predicted the crash?",
        "is the server crashing?",
        "what does mooning mean?",
        "why is bitcoin surging?",
        "what did she say about the trend?",
        "how do I change the mood of the lamp?",
        "is the weather forecast API free?",
        "",
    ],
)
def test_leaves_every_other_question_alone(question: str):
    assert read_analysis_question(question, ENGLISH, NOW) is None


@pytest.mark.parametrize(
    ("question", "focus"),
    [
        ("how is crypt doing today?", "crypt"),
        ("is BTC mooning?", "BTC"),
        ("xyz123 quantum chain", "xyz123 quantum chain"),
        ("summarize the last 30 days", ""),
        ("what happened with Solana this week?", "Solana"),
    ],
)
def test_finds_what_any_question_is_about(question: str, focus: str):
    assert read_any_analysis(question, ENGLISH, NOW).focus == focus
