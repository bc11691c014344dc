"""What the words of a question ask to be computed."""

import pytest

from ascertain.reports.tables.query import Aggregate, Comparison
from ascertain.reports.tables.questions.bounds import find_adjective
from ascertain.reports.tables.questions.computations import read_form
from ascertain.reports.tables.questions.interpretation import asks_computation


@pytest.mark.parametrize(
    ("question", "aggregate"),
    [
        ("How many chairs were sold?", Aggregate.COUNT),
        ("number of orders in March", Aggregate.COUNT),
        ("what was the average price?", Aggregate.MEAN),
        ("median wage", Aggregate.MEDIAN),
        ("total revenue of 2024", Aggregate.SUM),
        ("what do the fines add up to", Aggregate.SUM),
        ("What share of the orders was late?", Aggregate.SHARE),
        ("what is the phone number of Astrid?", None),
        ("What is the price of the desk?", None),
    ],
)
def test_the_aggregate_is_read_from_the_words(question, aggregate):
    form = read_form(question)
    assert form is not None
    assert form.aggregate is aggregate


@pytest.mark.parametrize(
    ("question", "end", "adjective", "rank", "most"),
    [
        ("Which river is the longest?", Aggregate.HIGHEST, "long", 1, 1),
        ("the second cheapest flight", Aggregate.LOWEST, "cheap", 2, 1),
        ("top 3 customers by revenue", Aggregate.HIGHEST, "", 1, 3),
        ("the three most expensive items", Aggregate.HIGHEST, "expensive", 1, 3),
        ("least expensive item", Aggregate.LOWEST, "expensive", 1, 1),
        ("who has at least 5 points", None, "", 1, 1),
        ("where is the forest?", None, "", 1, 1),
    ],
)
def test_superlatives_are_read_with_their_place(question, end, adjective, rank, most):
    form = read_form(question)
    assert form is not None
    assert (form.end, form.adjective, form.rank, form.most) == (end, adjective, rank, most)


@pytest.mark.parametrize(
    ("question", "comparison", "values"),
    [
        ("orders over 1,500 euros", Comparison.MORE, (1500.0,)),
        ("at least 250 points", Comparison.AT_LEAST, (250.0,)),
        ("prices below $2.5k", Comparison.LESS, (2500.0,)),
        ("50 or more", Comparison.AT_LEAST, (50.0,)),
        ("between 5 and 7 km", Comparison.WITHIN, (5.0, 7.0)),
        ("finished in under 3:00:00", Comparison.LESS, (10800.0,)),
        ("joined after 2020", Comparison.AT_LEAST, ("2021",)),
        ("before March 2024", Comparison.LESS, ("2024-03",)),
        ("since Sept 2023", Comparison.AT_LEAST, ("2023-09",)),
        ("between 2010 and 2020", Comparison.WITHIN, ("2010", "2021")),
        ("from January 2024 to March 2024", Comparison.WITHIN, ("2024-01", "2024-04")),
        ("sales in Mar 2025", Comparison.IN, ("2025-03", "2025-04")),
        ("sales in december 2024", Comparison.IN, ("2024-12", "2025-01")),
        ("how many in march", Comparison.SEASON, ("03", "04")),
        ("sales in Q2 2024", Comparison.IN, ("2024-04", "2024-07")),
    ],
)
def test_figures_and_days_set_bounds(question, comparison, values):
    form = read_form(question)
    assert form is not None
    assert [(each.comparison, each.values) for each in form.bounds] == [(comparison, values)]


def test_may_is_a_month_only_where_it_is_one():
    assert not read_form("what may we order?").bounds
    assert read_form("orders of May 2025").bounds


@pytest.mark.parametrize(
    "question",
    [
        "how do I count the words of a file?",
        "how to add up a column",
        "Who is the head cook?",
        "why is it the way it is?",
        "hello",
    ],
)
def test_ordinary_questions_ask_for_no_computation(question):
    assert not asks_computation(question)


def test_adjectives_of_superlatives_and_comparatives():
    assert [find_adjective(word) for word in ("hottest", "heavier", "oldest", "wettest", "forest", "over")] == [
        "hot",
        "heavy",
        "old",
        "wet",
        "",
        "",
    ]


def test_a_text_is_no_question():
    assert read_form("word " * 100) is None
    assert read_form("") is None


@pytest.mark.parametrize("text", ["1" * 10_000, "how many " + "9," * 5000, "$1" * 5000])
def test_a_text_too_long_for_a_question_is_none(text):
    assert read_form(text) is None
