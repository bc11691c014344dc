"""Columns that questions ask for and no table holds: how far one amount is above another, and how much one changed from row to row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from ascertain.language.word_lists import load_word_set
from ascertain.reports.tables.columns import Column, TypedTable, Value
from ascertain.reports.tables.questions.computations import QuestionForm
from ascertain.reports.tables.questions.matching import ColumnMention, TableWords
from ascertain.reports.tables.values import ColumnKind

_SUBTRACTED = frozenset({ColumnKind.NUMBER, ColumnKind.MONEY, ColumnKind.PERCENT})
_JOINING = frozenset({"and", "from", "to", "against", "versus", "vs"})
_MONTH_CHARACTERS = 7
"""Of ``2025-03``; of a month without a year there are four: ``--03``."""


@dataclass(frozen=True)
class Derived:
    """``column`` stands behind those of the table. ``before`` has for each row the row that its value rests on besides, where it is another one."""

    column: Column
    before: tuple[int | None, ...] = ()


def find_difference(form: QuestionForm, words: TableWords) -> tuple[ColumnMention, ColumnMention] | None:
    """The two amounts behind "difference between": plan and actual."""
    nouns = load_word_set("table_questions", "differences")
    noun = next((place for place, token in enumerate(form.tokens) if token.word in nouns), None)
    if noun is None:
        return None
    behind = [each for each in words.columns if each.column.is_measure and min(each.tokens) > noun]
    behind.sort(key=lambda each: min(each.tokens))
    if len(behind) != 2 or behind[0].column.kind is not behind[1].column.kind:
        return None
    between = {form.tokens[place].word for place in range(max(behind[0].tokens) + 1, min(behind[1].tokens))}
    return (behind[0], behind[1]) if between & _JOINING and behind[0].column.kind in _SUBTRACTED else None


def subtract_columns(table: TypedTable, first: Column, second: Column) -> Derived:
    """The first amount minus the second, row by row."""
    values = tuple(map(_subtract, first.values, second.values))
    return Derived(_make_column(table, f"{first.name} minus {second.name}", values, first, second))


def measure_changes(table: TypedTable, form: QuestionForm, measure: Column) -> tuple[Derived, Column] | None:
    """The change of an amount from each day, month or year to the next, and the column of these; None where rows do not follow each other in time."""
    dated = [column for column in table.columns if column.has_dates and column.is_unique]
    if len(dated) != 1 or measure.kind not in _SUBTRACTED or not _asks_for_each(form, dated[0]):
        return None
    moments = dated[0].values
    order = sorted((row for row, moment in enumerate(moments) if moment is not None), key=lambda row: str(moments[row]))
    before: list[int | None] = [None] * len(moments)
    for earlier, later in pairwise(order):
        before[later] = earlier
    values = tuple(
        None if last is None else _subtract(measure.values[row], measure.values[last])
        for row, last in enumerate(before)
    )
    name = f"change of {measure.name} from one {dated[0].name} to the next"
    return Derived(_make_column(table, name, values, measure, sign="+"), tuple(before)), dated[0]


def _asks_for_each(form: QuestionForm, dated: Column) -> bool:
    """Whether what is asked for is what the rows are: no month where there is a row a day."""
    asked = form.tokens[form.asked].word if form.asked is not None else ""
    parts = load_word_set("table_questions", "time_units") - {"day", "days", "date", "dates"}
    if asked not in parts:
        return True
    is_monthly = all(len(str(value)) <= _MONTH_CHARACTERS for value in dated.distinct)
    return asked in dated.words or (asked.startswith("month") and is_monthly)


def _subtract(value: Value, other: Value) -> float | None:
    return value - other if isinstance(value, float) and isinstance(other, float) else None


def _make_column(table: TypedTable, name: str, values: Sequence[float | None], *of: Column, sign: str = "") -> Column:
    decimals = max(column.decimals for column in of)
    first = of[0]
    cells = tuple("" if value is None else f"{first.before}{value:{sign},.{decimals}f}{first.unit}" for value in values)
    return Column(len(table.columns), name, first.kind, tuple(values), cells, decimals, first.before, first.unit)
