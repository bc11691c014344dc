import pytest
from hypothesis import given
from hypothesis import strategies as st

from ascertain.core.asking.plans import Complexity, GraphQuery, Intent, Plan, QuestionType, Sources
from ascertain.core.asking.runs import Budget, Run
from ascertain.core.settings.profiles import load_profile
from ascertain.language.languages import ENGLISH
from ascertain.questions.planning import RulePlanner


def planned(question: str, profile: str = "docs") -> Plan:
    run = Run(Budget(calls=0, tokens=0, seconds=60, usd=0))
    return RulePlanner([load_profile(profile)]).plan(question, ENGLISH, run)


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("Who founded the company?", QuestionType.FACTUAL),
        ("When was the bridge built?", QuestionType.FACTUAL),
        ("How many seats does it have?", QuestionType.FACTUAL),
        ("Who decides how land or property may be used?", QuestionType.FACTUAL),
        ("Why does the sky look blue?", QuestionType.CONCEPTUAL),
        ("What is a webhook?", QuestionType.CONCEPTUAL),
        ("Explain attention in neural networks", QuestionType.CONCEPTUAL),
        ("What is the difference between a mutex and a semaphore?", QuestionType.COMPARATIVE),
        ("wifi vs bluetooth", QuestionType.COMPARATIVE),
        ("Which is older, Rome or Athens?", QuestionType.COMPARATIVE),
        ("How do I rotate the signing keys?", QuestionType.PROCEDURAL),
        ("What are the steps to reset a password?", QuestionType.PROCEDURAL),
    ],
)
def test_kinds_of_questions(question: str, kind: QuestionType) -> None:
    assert planned(question).type is kind


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("What is the price of Bitcoin?", QuestionType.PRICE),
        ("latest news on Ethereum", QuestionType.NEWS),
        ("Why did Bitcoin fall?", QuestionType.ANALYSIS),
        ("Bitcoin halving", QuestionType.GENERAL),
        ("Who is the CEO of Binance?", QuestionType.FACTUAL),
    ],
)
def test_news_has_kinds_of_its_own(question: str, kind: QuestionType) -> None:
    assert planned(question, "news").type is kind
    assert planned(question).type not in {QuestionType.PRICE, QuestionType.NEWS, QuestionType.GENERAL}


def test_a_single_fact_is_simple() -> None:
    plan = planned("Who founded the company?")
    assert (plan.complexity, plan.sub_queries, plan.searches) == (Complexity.SIMPLE, (), True)


def test_a_comparison_is_split_into_its_sides() -> None:
    plan = planned("What is the difference between Kafka and RabbitMQ?")
    assert plan.complexity is Complexity.COMPLEX
    assert ["Kafka" in part.text for part in plan.sub_queries] == [True, False]


def test_a_nested_question_asks_for_its_inside_first() -> None:
    plan = planned("In what city was the director of the film that features the band Oasis born?")
    assert plan.complexity is Complexity.COMPLEX
    assert [part.priority for part in plan.sub_queries] == sorted(part.priority for part in plan.sub_queries)
    assert plan.graph_query is GraphQuery.MULTI_HOP


def test_a_question_across_documents_wants_the_graph_too() -> None:
    plan = planned("What do the guests say about habits across episodes?")
    assert (plan.graph_query, plan.sources) == (GraphQuery.CROSS_DOCUMENT, Sources.BOTH)


@pytest.mark.parametrize("message", ["hi there", "what is 2+2?"])
def test_messages_that_ask_nothing_do_not_search(message: str) -> None:
    plan = planned(message)
    assert not plan.searches
    assert plan.sub_queries == ()


def test_a_word_alone_is_worded_in_other_ways_too() -> None:
    assert planned("Satellite").expand
    assert not planned("Which satellites did the agency launch in 2020?").expand


@given(
    st.one_of(
        st.text(max_size=200),
        st.sampled_from(
            ["how " * 2500, "or " * 3300, ", or A" * 1600, "better " * 1400, "what is " * 1250, "x" * 10_000]
        ),
    )
)
def test_any_text_is_planned(question: str) -> None:
    plan = planned(question, "news")
    assert isinstance(plan.intent, Intent)
    assert plan.reason
    assert plan == planned(question, "news")
