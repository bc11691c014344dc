"""Shares, periods, comparisons and two sheets joined, as people ask of the tables of an office."""

from __future__ import annotations

import pytest

from ascertain.reports.tables.columns import type_table
from ascertain.reports.tables.engine import TableEngine
from ascertain.reports.tables.questions.entities import find_missing_attribute
from ascertain.reports.tables.questions.interpretation import SURE, interpret_claim
from ascertain.reports.tables.wording import Wording

from .conftest import Tables

MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()
REVENUE = "Month,Revenue (EUR),Orders\n" + "".join(
    f"{month},{1000 * (place + 1)},{place + 10}\n" for place, month in enumerate(MONTHS)
)
STAFF = """Id,Name,Department,Start date,Salary
1,Lena Falk,Workshop,2019-03-01,41000
2,Tom Reyes,Sales,2021-06-15,39500
3,Ines Duarte,Workshop,2022-01-10,37800
4,Karl Voss,Office,2017-09-01,45200
5,Mia Chen,Sales,2023-11-20,36100
"""
DEPARTMENTS = "Department\tHead\tFloor\nWorkshop\tLena Falk\t0\nSales\tTom Reyes\t1\nOffice\tKarl Voss\t2\n"
INVOICES = """No,Client,Issued,Amount,Currency,Paid
71,Lumen,2025-01-14,400.00,EUR,yes
72,Tarn,2025-02-20,150.00,GBP,yes
73,Lumen,2025-05-09,600.00,EUR,no
74,Ostara,2025-11-30,500.00,EUR,yes
"""


BUDGET = "Month,Plan,Actual\n" + "".join(
    f"{month},{100 + place},{100 + 2 * place if place % 2 else 90 + place}\n" for place, month in enumerate(MONTHS[:6])
)


@pytest.fixture
def office(read_files) -> Tables:
    tables = read_files(
        revenue_2025_dot_csv=REVENUE,
        staff_dot_csv=STAFF,
        departments_dot_tsv=DEPARTMENTS,
        invoices_2025_dot_csv=INVOICES,
    )
    return Tables([type_table(table) for table in tables])


@pytest.mark.parametrize(
    ("question", "figure"),
    [
        ("What share of the revenue came in December?", "15.4 % of Revenue (EUR), 12,000 of 78,000: 1 of 12 rows"),
        ("What share of the amount invoiced in EUR went to Ostara?", "33.3 % of Amount, 500 of 1,500 where Currency"),
        ("what percentage of the invoices in EUR is paid?", "66.7 % of the 3 rows where Currency is “EUR”"),
        ("What is the total revenue of the second half of 2025?", "57,000, over 6 of 12 rows"),
        ("How many orders were there in Q4?", "60, over 3 of 12 rows"),
        ("How many orders were there in the first quarter?", "33, over 3 of 12 rows"),
        ("What was the revenue between March and June?", "18,000, over 4 of 12 rows"),
        ("total revenue in May and June", "11,000, over 2 of 12 rows"),
        ("How much revenue was made before March 2025?", "3,000, over 2 of 12 rows"),
        ("How many invoices were issued between 10 February and 9 May?", "2 of 4 rows"),
        ("Which quarter had the highest revenue?", "Q4 has the highest total Revenue (EUR), 33,000"),
        (
            "Was revenue higher in May or in June?",
            "June: Revenue (EUR) is 5,000 for May and 6,000 for June, 1,000 more",
        ),
        ("Was revenue higher in May than in June?", "No: "),
        ("How much did revenue grow from January to March?", "2,000 more (200.0 % of the first), in 2 of 12 rows"),
        ("difference in revenue between Q1 and Q2", "6,000 for Q1 and 15,000 for Q2, 9,000 more"),
        ("Does Tom Reyes earn more than Mia Chen?", "Yes: Salary is 39,500 for Tom Reyes and 36,100 for Mia Chen"),
        ("Were more invoices issued in Q1 or in Q4?", "Q1: the number of rows is 2 for Q1 and 1 for Q4"),
        ("Who earns more than 40000?", "Lena Falk and Karl Voss"),
        ("How much more does Karl Voss earn than Mia Chen?", "45,200 for Karl Voss and 36,100 for Mia Chen"),
        ("Which employee started last in the workshop?", "Ines Duarte has the latest Start date"),
        ("Who started first?", "Karl Voss has the earliest Start date, 2017-09-01"),
        ("Which client was invoiced last?", "Ostara has the latest Issued"),
        ("Who joined before 2020?", "Lena Falk and Karl Voss"),
        ("Who is the head of the workshop?", "Lena Falk: the Head"),
        ("Who is the head of Mia Chen's department?", "Tom Reyes: the Head"),
        ("Who works on floor 1?", "Tom Reyes and Mia Chen"),
        ("What is the floor of the department of Ines Duarte?", "Floor is 0"),
        ("How much does Lumen owe?", "600"),
    ],
)
def test_questions_of_an_office_are_computed(office, question, figure):
    assert figure in office.say(question)
    reading = office.read(question)
    assert reading is not None
    assert reading.confidence == SURE


@pytest.mark.parametrize(
    "question",
    [
        "Who is the manager of Mia Chen?",
        "What is the head of Karl Voss?",
        "How many orders were there in Q4 2024?",
        "What was the revenue in the first half of March?",
        "total consumption in the second quarter",
        "What was decided in March?",
        "Who started before Tom Reyes?",
        "Which week had the highest revenue?",
        "What is the difference between the workshop and the office?",
    ],
)
def test_what_the_tables_do_not_hold_is_not_computed(office, question):
    assert office.read(question) is None


@pytest.mark.parametrize(
    ("question", "doubt"),
    [
        ("What is the total of all invoices?", "Amount is in EUR, GBP"),
        ("How many orders were there between November and February?", "was taken over the new year"),
        ("How many orders were there in the last quarter?", "was taken for the last of the year"),
    ],
)
def test_what_may_be_meant_otherwise_is_never_sure(office, question, doubt):
    reading = office.read(question)
    assert reading is not None
    assert reading.confidence < SURE
    assert doubt in " ".join(reading.doubts)


def test_a_row_without_the_attribute_asked_for_is_told_apart():
    row = "Id: 5 | Name: Mia Chen | Department: Sales"
    assert find_missing_attribute("Who is the head of Mia Chen's department?", row) == "head"
    for question in ("What is the department of Mia Chen?", "Where does Mia Chen work?", "Who is Mia Chen?"):
        assert find_missing_attribute(question, row) == ""


@pytest.mark.parametrize(
    ("question", "figure"),
    [
        ("Who earns more than the average?", "Lena Falk and Karl Voss: the Name in 2 of 5 rows"),
        ("Which employees earn above the average salary?", "Salary is more than the average of all rows, 39,920.00"),
        ("How many employees earn below the average salary?", "3 of 5 rows"),
        ("who earns less than the median?", "Ines Duarte and Mia Chen"),
        ("Which months had above average orders?", "Jul, Aug, Sep, Oct, Nov and Dec"),
        ("In how many months was revenue higher than average?", "6 of 12 rows"),
    ],
)
def test_the_mean_and_the_median_are_bounds(office, question, figure) -> None:
    assert figure in office.say(question)
    assert office.run(question)[0].confidence >= SURE


@pytest.fixture
def budget(read_files) -> Tables:
    return Tables([type_table(table) for table in read_files(budget_2025_dot_csv=BUDGET)])


@pytest.mark.parametrize(
    ("question", "figure"),
    [
        ("In which months was actual higher than plan?", "Feb, Apr and Jun: the Month in 3 of 6 rows"),
        ("Which months were below plan?", "where Actual is less than Plan"),
        ("How many months exceeded the plan?", "3 of 6 rows"),
        ("List the months where actual exceeded plan", "Feb, Apr and Jun"),
        ("which months was the plan higher than the actual?", "Jan, Mar and May"),
        ("Was actual higher than plan in April?", "Yes: Actual minus Plan is 3, in 1 of 6 rows"),
        ("Was actual higher than plan in March?", "No: Actual minus Plan is -10, in 1 of 6 rows"),
        ("What is the difference between plan and actual in June?", "Plan minus Actual is -5, in 1 of 6 rows"),
        (
            "What was the total difference between actual and plan?",
            "total of Actual minus Plan is -21, over all 6 rows",
        ),
        ("In which month did actual grow the most?", "Jun has the highest change of Actual"),
        ("Which month had the biggest drop in actual?", "change of Actual from one Month to the next, -12"),
    ],
)
def test_a_column_is_the_bound_of_another(budget, question, figure) -> None:
    assert figure in budget.say(question)
    assert budget.run(question)[0].confidence >= SURE


def test_a_change_is_not_of_a_longer_time_than_the_rows_are(read_files) -> None:
    days = "Date,Visitors\n" + "".join(
        f"2025-0{month}-1{day},{100 * month + day}\n" for month in (3, 4) for day in range(5)
    )
    tables = Tables([type_table(table) for table in read_files(visits_dot_csv=days)])
    assert tables.read("In which month did visitors grow the most?") is None
    assert "2025-04-10 has the highest change of Visitors" in tables.say("When did visitors grow the most?")


def test_who_is_faster_than_the_average_has_the_lower_time(read_files) -> None:
    race = "Runner,Time\nAda Lund,0:41:20\nBo Reyes,0:39:58\nCara Voss,0:44:02\n"
    tables = Tables([type_table(table) for table in read_files(race_dot_csv=race)])
    assert tables.say("Who runs faster than average?").startswith("Ada Lund and Bo Reyes: the Runner in 2 of 3 rows")
    assert tables.say("Who was slower than the average?").startswith("Cara Voss: the Runner in 1 of 3 rows")


def test_days_are_not_compared_as_amounts(office) -> None:
    assert office.read("Who has been here longer, Tom or Mia?") is None


@pytest.mark.parametrize(
    ("claim", "holds"),
    [
        ("Karl Voss has the highest salary.", True),
        ("Mia Chen has the highest salary.", False),
        ("December had the highest revenue.", True),
        ("Revenue was lowest in May.", False),
        ("Tom Reyes earns more than Mia Chen.", True),
        ("Lena Falk earns more than Karl Voss.", False),
    ],
)
def test_rows_bear_a_claim_out_or_deny_it(office, claim, holds) -> None:
    reading = interpret_claim(claim, office.typed)
    assert reading is not None
    with TableEngine(reading.extend_tables(office.typed), reading.query) as engine:
        assert Wording(office.typed, reading, engine.run()).decide() is holds


@pytest.mark.parametrize(
    "claim",
    [
        "Karl Voss has a salary of 45,200.",
        "Karl Voss started before Tom Reyes.",
        "Nina Park has the highest salary.",
        "The highest mountain is Everest.",
        "Lena Falk earns more than the director.",
    ],
)
def test_what_no_table_decides_is_left_to_the_sentences(office, claim) -> None:
    assert interpret_claim(claim, office.typed) is None
