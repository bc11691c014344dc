"""Queries that a chat model writes: what is run, and what is refused."""

from __future__ import annotations

import pytest

from ascertain.core.asking.runs import FELL_BACK
from ascertain.core.errors import ModelError
from ascertain.reports.tables.engine import TableEngine
from ascertain.reports.tables.questions.interpretation import asks_computation
from ascertain.reports.tables.questions.model_reading import ModelQuestionReader
from ascertain.reports.tables.wording import Wording

QUESTION = "On average, what did clients up north hand over for each purchase?"
GOOD = {
    "table": "T1",
    "aggregate": "mean",
    "measure": "revenue_eur",
    "conditions": [{"column": "region", "comparison": "=", "values": ["north"]}],
}


@pytest.fixture
def read(shop, scripted, prompts, run):
    def ask(*script):
        chat = scripted(*script)
        return ModelQuestionReader(chat, prompts).read(QUESTION, shop.typed, run), chat

    return ask


def test_a_query_is_run_as_any_other_and_never_sure(shop, read):
    reading, chat = read(GOOD)
    assert asks_computation(QUESTION)
    assert shop.read(QUESTION) is None
    assert reading.confidence < 70
    with TableEngine(shop.typed, reading.query) as engine:
        said = Wording(shop.typed, reading, engine.run()).write()
    assert "366.67, over 3 of 6 rows of sales.csv" in said
    assert "revenue_eur (number)" in chat.prompt or "revenue_eur (money)" in chat.prompt


def test_rows_are_not_shown_to_the_model(read):
    _, chat = read(GOOD)
    assert "2025-01-19" in chat.prompt
    assert "2025-01-19 | South" not in chat.prompt


@pytest.mark.parametrize(
    "change",
    [
        {"table": "T9"},
        {"table": "sales; DROP TABLE t"},
        {"measure": "profit"},
        {"measure": "region"},
        {"measure": ""},
        {"conditions": [{"column": "region", "comparison": "=", "values": ["Atlantis"]}]},
        {"conditions": [{"column": "region", "comparison": ">", "values": ["North"]}]},
        {"conditions": [{"column": "units", "comparison": ">", "values": ["many"]}]},
        {"conditions": [{"column": "day", "comparison": ">=", "values": ["soon"]}]},
        {"conditions": [{"column": "region", "values": []}]},
        {"aggregate": "list", "measure": "", "conditions": []},
        {"aggregate": "highest", "measure": "product"},
    ],
)
def test_what_is_no_query_over_the_tables_is_refused_and_noted(read, run, change):
    reading, _ = read({**GOOD, **change})
    assert reading is None
    assert [decision.outcome for decision in run.take_notes()] == [FELL_BACK]


def test_a_model_that_finds_no_table_or_fails_leaves_the_question_to_the_search(read, run):
    assert read({"table": ""})[0] is None
    assert not run.take_notes()
    assert read(ModelError("away"))[0] is None
    assert run.take_notes()


def test_days_months_and_years_bound_days(shop, read):
    for comparison, value, rows in (
        (">", "2025-02", 2),
        (">=", "2025-02-14", 3),
        ("=", "2025-01", 2),
        ("<", "2025-03", 4),
    ):
        conditions = [{"column": "day", "comparison": comparison, "values": [value]}]
        reading, _ = read({"table": "T1", "aggregate": "count", "conditions": conditions})
        with TableEngine(shop.typed, reading.query) as engine:
            assert engine.run().matching == rows
