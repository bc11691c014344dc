"""Questions put to tables: the figure, what it was taken to mean, and when nothing is computed."""

from __future__ import annotations

import numpy as np
import pytest

from ascertain.reports.tables.columns import type_table
from ascertain.reports.tables.engine import TableEngine
from ascertain.reports.tables.query import Aggregate
from ascertain.reports.tables.questions.entities import find_other_entity
from ascertain.reports.tables.questions.interpretation import SURE, interpret


@pytest.mark.parametrize(
    ("question", "figure"),
    [
        ("How many sales were express?", "2 of 6 rows"),
        ("how many sales were not express", "4 of 6 rows"),
        ("How many Oak chairs were sold in January 2025?", "6, over 2 of 6 rows"),
        ("What was the total revenue in the north?", "1,100.00"),
        ("average revenue per sale of pine tables", "480.00"),
        ("median units", "2.50"),
        ("Which product has the highest revenue in total?", "Oak chair"),
        ("revenue by region", "North: 1,100.00"),
        ("which month had the most sales?", "2025-01, 2025-02 and 2025-03 share"),
        ("How many sales had more than 3 units?", "2 of 6 rows"),
        ("sales over 3 units and after January 2025, how many?", "1 of 6 rows"),
        ("what percentage of sales were of the desk?", "16.7 %"),
        ("How many regions are in Norway?", "2 of 3 rows"),
        ("total revenue of regions in Norway", "1,820.00"),
        ("revenue by country", "Norway: 1,820.00"),
        ("Who earns the most?", "Ola Berg"),
        ("who joined last?", "Una Fox"),
        ("Who is the newest of the crew?", "Una Fox"),
        ("How many people work at night?", "2 of 4 rows"),
        ("What is the wage of the night cook?", "$24.50"),
        ("which peaks are higher than 4,000 m?", "Weisshorn and Toubkal"),
        ("what is the highest peak?", "Weisshorn"),
        ("second highest peak", "Toubkal"),
        ("which peaks were climbed before 1865?", "Weisshorn"),
        ("How tall is Ben Dearg?", "1.084,0"),
        ("mean height of the peaks in the alps", "3,552.75"),
    ],
)
def test_questions_are_computed(shop, question, figure):
    assert figure in shop.say(question)


@pytest.mark.parametrize(
    "question",
    [
        "How many members can the committee have?",
        "What is the capital of Norway?",
        "What is the wage of the new night baker?",
        "who decided on the prices?",
        "What does Tim Roe think of the menu?",
        "how do I count the sales?",
        "which region fell the most?",
        "How long does the project leader serve?",
    ],
)
def test_what_no_table_answers_is_not_computed(shop, question):
    assert shop.read(question) is None


def test_what_was_taken_to_mean_is_said(shop):
    said = shop.say("How many sales were express in the west?")
    assert said == "1 of 6 rows of sales.csv has this: express is yes and region is “West”."


def test_a_word_that_is_not_understood_makes_a_reading_unsure(shop):
    reading = shop.read("total revenue of wooden oak chairs")
    assert reading is not None
    assert reading.confidence < 70
    assert reading.doubts == ("“wooden” was not understood",)


def test_an_attribute_belongs_to_what_is_asked_for(shop):
    assert "Tim Roe" in shop.say("Who is the night cook?")
    reading, outcome = shop.run("What is the wage of the head cook?")
    assert [shop.typed[reading.query.table].columns[0].cells[row] for row in outcome.rows] == ["Ola Berg"]
    assert shop.read("what is the wage of the pastry cook?") is None


def test_two_tables_that_answer_alike_make_a_reading_unsure(read_files):
    text = "team,points\nA,3\nB,5\nC,4\n"
    tables = [type_table(table) for table in read_files(home_dot_csv=text, away_dot_csv=text)]
    reading = interpret("which team has the most points?", tables)
    assert reading is not None
    assert reading.confidence < 70
    assert "could be meant too" in reading.doubts[0]


def test_yes_or_no_about_an_end_looks_at_all_rows(shop):
    assert shop.say("Was the highest peak in the Alps?").startswith("Yes: Weisshorn has the highest Height (m)")
    assert shop.say("Is the lowest peak in the Alps?").startswith("No: Ben Dearg")


def test_rows_of_totals_are_not_computed_with(read_files):
    tables = [
        type_table(table) for table in read_files(votes_dot_csv="District,Votes\nMill,120\nQuay,340\nTotal,460\n")
    ]
    reading = interpret("which district had the most votes?", tables)
    assert reading is not None
    assert reading.query.aggregate is Aggregate.HIGHEST
    assert len(tables[0].table.rows) == 2


def test_a_column_with_a_hostile_name_is_only_a_name(read_files):
    name = 'price"); --'
    tables = [type_table(table) for table in read_files(a_dot_tsv=f"item\t{name}\nNut\t4\nBolt\t7\n")]
    reading = interpret("what is the total price of the items?", tables)
    assert reading is not None
    with TableEngine(tables, reading.query) as engine:
        assert engine.run().value == 11


def test_a_row_of_another_thing_is_told_apart():
    row = "Ola Berg | Head cook | $31.00 | no"
    other = find_other_entity("What is the wage of the new night cook?", row)
    assert other is not None
    assert (other.named, other.asked) == ("Head cook", "new night cook")
    for question in ("What is the wage of the head cook?", "What does Ola Berg earn?", "What does a cook earn?"):
        assert find_other_entity(question, row) is None


def test_a_word_that_means_nearly_a_column_is_taken_for_it_with_a_reservation(shop):
    asked: list[str] = []

    def relate(words, names):
        asked.extend(words)
        near = {("takings", "revenue eur"), ("takings", "revenue")}
        return np.array([[0.7 if (word, name) in near else 0.1 for name in names] for word in words], dtype=np.float32)

    assert interpret("average takings in the north", shop.typed) is None
    reading = interpret("average takings in the north", shop.typed, relate)
    assert reading is not None
    assert reading.confidence < 70
    assert reading.doubts == ("“takings” was taken for revenue_eur",)
    asked.clear()
    sure = interpret("average revenue in the north", shop.typed, relate)
    assert sure is not None
    assert sure.confidence == SURE
    assert not asked
