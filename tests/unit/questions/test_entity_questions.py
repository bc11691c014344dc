"""Which questions ask about a thing by its name, and which only look so."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ascertain.core.asking.plans import Asks, EntityQuestion, GraphQuery
from ascertain.core.asking.runs import Budget, Run
from ascertain.language.languages import ENGLISH
from ascertain.questions.planning import RulePlanner, read_entity_question


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What do we know about OpenAI?", EntityQuestion(Asks.WORDS, "OpenAI")),
        ("what can you find out about the Bank of England", EntityQuestion(Asks.WORDS, "the Bank of England")),
        ("What do we know about the Bank of England?", EntityQuestion(Asks.WORDS, "the Bank of England")),
        ("What is known about Sam Altman?", EntityQuestion(Asks.WORDS, "Sam Altman")),
        ("Everything about Nvidia", EntityQuestion(Asks.WORDS, "Nvidia")),
        ("What do the articles say about Nvidia?", EntityQuestion(Asks.WORDS, "Nvidia")),
        (
            "Which companies are mentioned together with Nvidia?",
            EntityQuestion(Asks.TOGETHER, "Nvidia", kind="company"),
        ),
        ("What other companies appear alongside Nvidia?", EntityQuestion(Asks.TOGETHER, "Nvidia", kind="company")),
        ("Who is mentioned with OpenAI?", EntityQuestion(Asks.TOGETHER, "OpenAI", kind="person")),
        ("Which people are often named with OpenAI?", EntityQuestion(Asks.TOGETHER, "OpenAI", kind="person")),
        ("What is mentioned together with Tesla?", EntityQuestion(Asks.TOGETHER, "Tesla")),
        ("How are OpenAI and Microsoft connected?", EntityQuestion(Asks.CONNECTION, "OpenAI", other="Microsoft")),
        ("How is OpenAI related to Microsoft?", EntityQuestion(Asks.CONNECTION, "OpenAI", other="Microsoft")),
        ("What connects Oslo with Equinor?", EntityQuestion(Asks.CONNECTION, "Oslo", other="Equinor")),
        (
            "What is the connection between Ada Stone and Elm Bridge?",
            EntityQuestion(Asks.CONNECTION, "Ada Stone", other="Elm Bridge"),
        ),
    ],
)
def test_asks_about_a_thing_by_its_name(question, expected):
    assert read_entity_question(question) == expected


@pytest.mark.parametrize(
    "question",
    [
        "What do we know about it?",
        "What do we know about the author of this paper?",
        "What do I need to know about rate limits?",
        "What do you know?",
        "Tell me about tokens",
        "How are embeddings and reranking connected?",
        "How is the chunk size related to the overlap?",
        "What is the relationship between chunk size and overlap?",
        "What is the difference between OpenAI and Microsoft?",
        "How do I connect Slack to Zapier in the settings?",
        "Which company was founded by the man who is mentioned in the letter?",
        "What companies does Nvidia own?",
        "Are OpenAI and Microsoft both American?",
        "",
    ],
)
def test_other_questions_are_left_to_the_search(question):
    assert read_entity_question(question) is None


@given(st.text(max_size=300))
def test_any_text_is_read(text):
    for question in (text, f"What do we know about {text}?", f"How are {text} and {text} connected?"):
        found = read_entity_question(question)
        if found is not None:
            assert found.subject in " ".join(question.split())


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("Who discussed WebAssembly?", GraphQuery.CROSS_DOCUMENT),
        ("When did Tyler Cowen talk about inflation?", GraphQuery.ENTITY),
        ("What do we know about OpenAI?", GraphQuery.ENTITY),
        ("How are OpenAI and Microsoft connected?", GraphQuery.MULTI_HOP),
    ],
)
def test_the_plan_says_what_is_asked_of_the_graph(question, kind):
    plan = RulePlanner(()).plan(question, ENGLISH, Run(Budget(calls=0, tokens=0, seconds=60, usd=0)))
    assert plan.graph_query is kind
    assert plan.entity_question is not None
    assert plan.searches


def test_a_greeting_and_an_analysis_ask_for_no_entity_report():
    run = Run(Budget(calls=0, tokens=0, seconds=60, usd=0))
    for message in ("Hello!", "How often is inflation mentioned?"):
        assert RulePlanner(()).plan(message, ENGLISH, run).entity_question is None
