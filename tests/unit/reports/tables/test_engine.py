"""Queries as the database runs them."""

from __future__ import annotations

import sqlite3

import pytest

from ascertain.core.documents.blocks import Block, BlockKind, Span
from ascertain.core.documents.documents import Document, DocumentKind
from ascertain.reports.tables.columns import TypedTable, find_keys, type_table
from ascertain.reports.tables.engine import QueryTooLong, TableEngine
from ascertain.reports.tables.query import Aggregate, Comparison, Condition, Grouping, Join, Part, TableQuery
from ascertain.reports.tables.reading import read_tables

PRICES = "day | shop | price\n2025-01-02 | A | 4\n2025-01-30 | B | 8\n2025-02-03 | A | \n2025-02-11 | B | 8\n2026-01-05 | A | 2"
SHOPS = "shop | town\nA | Graz\nB | Linz"


def typed(*texts: str) -> list[TypedTable]:
    documents = [
        Document(
            f"d{number}",
            text,
            "T",
            DocumentKind.PROSE,
            f"/x/t{number}.csv",
            blocks=(Block(BlockKind.TABLE, Span(0, len(text)), header_rows=1),),
        )
        for number, text in enumerate(texts)
    ]
    return [type_table(table) for table in read_tables(documents)]


def run(query: TableQuery, *texts: str, seconds: float = 10.0):
    with TableEngine(typed(*(texts or (PRICES,))), query, seconds) as engine:
        return engine.run()


def condition(column: int, comparison: Comparison, *bounds) -> Condition:
    return Condition(column, comparison, bounds, "")


@pytest.mark.parametrize(
    ("aggregate", "value"),
    [
        (Aggregate.COUNT, 4),
        (Aggregate.DISTINCT, 3),
        (Aggregate.SUM, 22),
        (Aggregate.MEAN, 5.5),
        (Aggregate.MEDIAN, 6),
        (Aggregate.HIGHEST, 8),
        (Aggregate.LOWEST, 2),
    ],
)
def test_aggregates_leave_empty_cells_out_and_count_them(aggregate, value):
    outcome = run(TableQuery(0, aggregate, measure=2))
    assert (outcome.value, outcome.empty, outcome.matching) == (value, 1, 5)


@pytest.mark.parametrize(
    ("found", "rows"),
    [
        (condition(1, Comparison.IN, "A"), 3),
        (condition(1, Comparison.NOT_IN, "A"), 2),
        (condition(2, Comparison.MORE, 4.0), 2),
        (condition(2, Comparison.AT_LEAST, 4.0), 3),
        (condition(2, Comparison.LESS, 4.0), 1),
        (condition(2, Comparison.WITHIN, 2.0, 4.0), 2),
        (condition(0, Comparison.WITHIN, "2025-01", "2025-02"), 2),
        (condition(0, Comparison.AT_LEAST, "2026"), 1),
        (condition(0, Comparison.SEASON, "01", "02"), 3),
        (condition(1, Comparison.IN, "x' OR '1'='1"), 0),
    ],
)
def test_conditions_choose_rows(found, rows):
    assert run(TableQuery(0, Aggregate.COUNT, conditions=(found,))).matching == rows


def test_rows_that_share_the_end_come_along_and_places_count_values():
    first = run(TableQuery(0, Aggregate.HIGHEST, measure=2, shown=1))
    assert first.rows == (1, 3)
    second = run(TableQuery(0, Aggregate.HIGHEST, measure=2, shown=1, rank=2))
    assert (second.value, second.rows) == (4, (0,))
    top = run(TableQuery(0, Aggregate.HIGHEST, measure=2, shown=1, most=1, rank=9))
    assert (top.value, top.rows) == (None, ())


def test_groups_have_their_figures_and_the_rows_of_the_one_asked_for():
    query = TableQuery(0, Aggregate.SUM, measure=2, grouping=Grouping(1), end=Aggregate.HIGHEST)
    outcome = run(query)
    assert [(group.name, group.value, group.rows) for group in outcome.groups] == [("B", 16, 2), ("A", 6, 2)]
    assert outcome.rows == (1, 3)
    months = run(TableQuery(0, Aggregate.COUNT, grouping=Grouping(0, Part.MONTH)))
    assert [(group.name, group.value) for group in months.groups] == [("2025-01", 2), ("2025-02", 2), ("2026-01", 1)]


def test_a_join_goes_over_a_key():
    tables = typed(PRICES, SHOPS)
    assert find_keys(tables[0], tables[1]) == (1, 0)
    assert find_keys(tables[1], tables[0]) is None
    town = Condition(1, Comparison.IN, ("Linz",), "", is_joined=True)
    outcome = run(TableQuery(0, Aggregate.SUM, measure=2, conditions=(town,), join=Join(1, 1, 0)), PRICES, SHOPS)
    assert (outcome.value, outcome.rows, outcome.joined) == (16, (1, 3), (1,))


def test_a_query_that_takes_too_long_is_given_up():
    rows = "\n".join(f"{number} | {number % 7}" for number in range(3_000))
    query = TableQuery(0, Aggregate.SUM, measure=1, conditions=(condition(0, Comparison.AT_LEAST, 0.0),))
    with pytest.raises(QueryTooLong, match="too long"):
        run(query, f"n | v\n{rows}", seconds=-1.0)


def test_nothing_can_be_written():
    with (
        TableEngine(typed(PRICES), TableQuery(0, Aggregate.COUNT)) as engine,
        pytest.raises(sqlite3.OperationalError, match="readonly"),
    ):
        engine._database.execute("DELETE FROM t")
