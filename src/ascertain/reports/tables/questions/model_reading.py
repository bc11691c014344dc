"""A chat model reads a question as a query where the rules do not.

The model sees names of columns and some of their values as data. What it says is checked against the tables before it is run: a column or a
value that there is not, or a comparison that its kind does not have, makes the query void. It is run as any other, read-only and bounded, and
what it was taken to mean is said.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel, Field

from ascertain.core.asking.runs import Run, Task
from ascertain.language.tokens import fold_words
from ascertain.models.ports import Chat
from ascertain.models.prompts import PromptedStep, Prompts, as_data
from ascertain.reports.tables.columns import Column, TypedTable
from ascertain.reports.tables.query import Aggregate, Bound, Comparison, Condition, Grouping, TableQuery
from ascertain.reports.tables.questions.computations import read_form
from ascertain.reports.tables.questions.interpretation import Reading
from ascertain.reports.tables.questions.matching import TableWords
from ascertain.reports.tables.values import ColumnKind, read_amount, read_date, read_duration, read_yes_no

MOST_TABLES = 8
"""Tables that are shown, those that share the most words with the question: a prompt of some thousand tokens."""
MOST_COLUMNS = 40
MOST_SAMPLES = 8
"""Values of a column that are shown."""
LONGEST_SAMPLE = 40
READ_BY_MODEL = 66
"""Confidence of a query that a chat model wrote: never high, as only the reader can see whether it is what was asked."""
_SIGNS = {
    "=": Comparison.IN,
    "!=": Comparison.NOT_IN,
    "<": Comparison.LESS,
    "<=": Comparison.AT_MOST,
    ">": Comparison.MORE,
    ">=": Comparison.AT_LEAST,
}


class ConditionReply(BaseModel):
    """One thing that rows have to meet."""

    column: str
    comparison: Literal["=", "!=", "<", "<=", ">", ">="] = "="
    values: list[str] = Field(description="One value, or several of which any will do.")


class TableQueryReply(BaseModel):
    """One query over one table."""

    table: str = Field(description="The key of a table, such as T1; empty where none can answer.")
    aggregate: Literal["count", "distinct", "sum", "mean", "median", "highest", "lowest", "list"] = "count"
    measure: str = ""
    conditions: list[ConditionReply] = Field(default=[], max_length=8)
    group_by: str = ""
    end: Literal["", "highest", "lowest"] = ""
    shown: str = ""


class InvalidQuery(Exception):
    """What a model wrote is no query over the tables; says why."""


@dataclass(frozen=True, slots=True)
class ModelQuestionReader:
    """Asks the model of the task *plan* for a query."""

    chat: Chat
    prompts: Prompts

    def read(self, question: str, tables: Sequence[TypedTable], run: Run) -> Reading | None:
        """The query as a reading; None, with a note on ``run``, where the model gives none that can be run."""
        step = PromptedStep(self.chat, self.prompts, Task.PLAN, "compute", "query_tables")
        chosen = _choose_tables(question, tables)
        shown = "\n\n".join(_describe_table(f"T{number}", tables[place]) for number, place in enumerate(chosen, 1))
        reply = step.reply(
            TableQueryReply, run, tables=as_data(shown, "tables"), question=as_data(question, "question")
        )
        if reply is None or not reply.table.strip():
            return None
        try:
            return Reading(build_query(reply, tables, chosen), READ_BY_MODEL, 1.0)
        except InvalidQuery as error:
            step.fell_back(run, str(error))
            return None


def _choose_tables(question: str, tables: Sequence[TypedTable]) -> list[int]:
    """The places of those that have the most to do with the words of the question, the best first."""
    form = read_form(question)
    if form is None or len(tables) <= MOST_TABLES:
        return list(range(len(tables)))

    def count(place: int) -> int:
        words = TableWords(form, tables[place])
        named = [mention.tokens for mention in (*words.columns, *words.values)]
        return len(frozenset(words.about).union(*named))

    return sorted(range(len(tables)), key=lambda place: (-count(place), place))[:MOST_TABLES]


def _describe_table(key: str, typed: TypedTable) -> str:
    lines = [f"{key}: {typed.table.label}, {len(typed.table.rows):,} rows"]
    for column in typed.columns[:MOST_COLUMNS]:
        lines.append(f"- {column.name} ({column.kind.value}): {'; '.join(list_samples(column))}")
    return "\n".join(lines)


def list_samples(column: Column) -> list[str]:
    """Some of the values of a column, as they stand in its first rows."""
    cells = [cell for cell in dict.fromkeys(column.cells[:200]) if cell][:MOST_SAMPLES]
    return [cell[:LONGEST_SAMPLE] for cell in cells]


def build_query(reply: TableQueryReply, tables: Sequence[TypedTable], places: Sequence[int]) -> TableQuery:
    """The query that a reply says; ``places`` are those of the tables by their keys. Raises InvalidQuery where it says none."""
    number = reply.table.strip().upper().removeprefix("T")
    if not number.isdecimal() or not 1 <= int(number) <= len(places):
        raise InvalidQuery(f"there is no table {reply.table!r}")
    place = places[int(number) - 1]
    table = tables[place]
    aggregate = Aggregate(reply.aggregate)
    measure = _find_column(table, reply.measure) if reply.measure.strip() else None
    _check_measure(aggregate, measure)
    group = _find_column(table, reply.group_by) if reply.group_by.strip() else None
    shown = _find_column(table, reply.shown) if reply.shown.strip() else None
    conditions = tuple(condition for each in reply.conditions for condition in _build_conditions(table, each))
    if aggregate is Aggregate.LIST and shown is None:
        shown = measure or table.label_column
        measure = None if shown is measure else measure
    if aggregate is Aggregate.LIST and (shown is None or not conditions):
        raise InvalidQuery("rows are listed without a condition or a column")
    return TableQuery(
        table=place,
        aggregate=aggregate,
        measure=None if measure is None or aggregate is Aggregate.COUNT else measure.place,
        conditions=conditions,
        grouping=None if group is None else Grouping(group.place),
        shown=None if shown is None or group is not None else shown.place,
        end=Aggregate(reply.end) if reply.end and group is not None else None,
    )


def _check_measure(aggregate: Aggregate, measure: Column | None) -> None:
    """Raise InvalidQuery where the column cannot be computed with so."""
    if aggregate in (Aggregate.COUNT, Aggregate.LIST):
        return
    if measure is None:
        raise InvalidQuery(f"{aggregate.value} of no column")
    is_ordered = measure.kind.is_amount or measure.kind is ColumnKind.DATE
    if aggregate in (Aggregate.HIGHEST, Aggregate.LOWEST) and not is_ordered:
        raise InvalidQuery(f"{measure.name} has no {aggregate.value} value")
    if aggregate in (Aggregate.SUM, Aggregate.MEAN, Aggregate.MEDIAN) and not measure.kind.is_amount:
        raise InvalidQuery(f"{measure.name} holds no amounts")


def _find_column(table: TypedTable, name: str) -> Column:
    wanted = fold_words(name.strip())
    found = [column for column in table.columns if fold_words(column.name) == wanted]
    if not found:
        raise InvalidQuery(f"{table.table.label} has no column {name!r}")
    return found[0]


def _build_conditions(table: TypedTable, reply: ConditionReply) -> list[Condition]:
    column = _find_column(table, reply.column)
    comparison = _SIGNS[reply.comparison]
    values = [value.strip() for value in reply.values if value.strip()]
    if not values:
        raise InvalidQuery(f"a condition on {column.name} has no value")
    is_equal = comparison in (Comparison.IN, Comparison.NOT_IN)
    if not is_equal and (len(values) > 1 or column.kind in (ColumnKind.TEXT, ColumnKind.YES_NO)):
        raise InvalidQuery(f"{column.name} cannot be compared with {reply.comparison} {', '.join(values)}")
    words = f"{column.name} {reply.comparison} {' or '.join(values)}"
    if column.kind is ColumnKind.DATE:
        return [_build_date_condition(column, comparison, values, words)]
    return [Condition(column.place, comparison, tuple(_read_bound(column, value) for value in values), words)]


def _build_date_condition(column: Column, comparison: Comparison, values: Sequence[str], words: str) -> Condition:
    """Days are compared as texts; a month or a year is all of its days."""
    starts = [_read_day(column, value) for value in values]
    if comparison in (Comparison.IN, Comparison.NOT_IN):
        within = tuple(
            value
            for value in column.distinct
            if isinstance(value, str) and any(value.startswith(start) for start in starts)
        )
        return Condition(column.place, comparison, within, words)
    bound = f"{starts[0]}~" if comparison in (Comparison.AT_MOST, Comparison.MORE) else starts[0]
    return Condition(column.place, comparison, (bound,), words)


def _read_day(column: Column, value: str) -> str:
    if value.isdecimal() and len(value) == 4:
        return value
    day = read_date(value)
    if day is None:
        raise InvalidQuery(f"{value!r} is no day of {column.name}")
    return day


def _read_bound(column: Column, value: str) -> Bound:
    if column.kind is ColumnKind.TEXT:
        found = [each for each in column.distinct if fold_words(str(each)) == fold_words(value)]
        if not found:
            raise InvalidQuery(f"{column.name} never is {value!r}")
        return str(found[0])
    if column.kind is ColumnKind.YES_NO:
        answer = read_yes_no(value)
        bound = None if answer is None else float(answer)
    elif column.kind is ColumnKind.DURATION:
        bound = read_duration(value)
    else:
        amount = read_amount(value)
        bound = None if amount is None else amount.value
    if bound is None:
        raise InvalidQuery(f"{value!r} is no value of {column.name}")
    return bound
