"""Queries over typed tables, run by SQLite in memory: read-only, bounded in time, every value bound as a parameter.

Columns are called ``c0``, ``c1``, … in the database, so that no name out of a document is ever part of a statement.
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Iterable, Sequence
from statistics import median

from ascertain.core.asking.answers import GroupFigure
from ascertain.core.errors import AscertainError
from ascertain.reports.tables.columns import Column, TypedTable
from ascertain.reports.tables.query import Aggregate, Comparison, Condition, Grouping, Outcome, Part, TableQuery

SECONDS = 10.0
"""For one query; a million rows take about one (by measurement)."""
_STEPS = 20_000
"""Instructions of SQLite's machine between two looks at the clock."""
MOST_GROUPS = 5_000
"""Groups with their figures that are kept."""


class QueryTooLong(AscertainError):
    """A query over tables ran out of time."""


class TableEngine:
    """One database in memory with the columns that one query needs; closed after it."""

    def __init__(self, tables: Sequence[TypedTable], query: TableQuery, seconds: float = SECONDS) -> None:
        self._query = query
        self._database = sqlite3.connect(":memory:")
        needed = _list_columns(query)
        self._load("t", tables[query.table], needed)
        if query.join is not None:
            self._load("j", tables[query.join.table], _list_joined(query))
        self._database.execute("PRAGMA query_only = ON")
        self._deadline = time.monotonic() + seconds
        self._database.set_progress_handler(lambda: time.monotonic() > self._deadline, _STEPS)

    def __enter__(self) -> TableEngine:
        return self

    def __exit__(self, *_: object) -> None:
        self._database.close()

    def _load(self, name: str, table: TypedTable, places: Iterable[int]) -> None:
        columns = [table.columns[place] for place in sorted(set(places))]
        types = ", ".join(f"c{column.place} {_storage(column)}" for column in columns)
        self._database.execute(f"CREATE TABLE {name} (r INTEGER PRIMARY KEY{', ' if types else ''}{types})")
        marks = ", ".join("?" * (len(columns) + 1))
        rows = zip(range(len(table.table.rows)), *(column.values for column in columns), strict=True)
        self._database.executemany(f"INSERT INTO {name} VALUES ({marks})", rows)
        if name == "j" and self._query.join is not None:
            self._database.execute(f"CREATE INDEX j_key ON j (c{self._query.join.other})")

    def run(self) -> Outcome:
        """What the query gives. Raises QueryTooLong when the time is up."""
        try:
            return self._run_grouped(self._query.grouping) if self._query.grouping else self._run_plain()
        except sqlite3.OperationalError as error:
            if "interrupted" in str(error):
                raise QueryTooLong(
                    "a query over the tables took too long; ask of fewer rows, or split the file"
                ) from error
            raise

    def _select(self, what: str, values: Sequence[object] = ()) -> list[tuple[object, ...]]:
        """The rows that meet the conditions, with ``what`` of them; ``values`` are bound in it."""
        where, bound = _write_conditions(self._query.conditions)
        join = self._query.join
        source = "t" if join is None else f"t JOIN j ON t.c{join.own} = j.c{join.other}"
        statement = f"SELECT {what} FROM {source} WHERE {where} ORDER BY t.r"
        return self._database.execute(statement, (*values, *bound)).fetchall()

    def _run_plain(self) -> Outcome:
        query = self._query
        measure = "1" if query.measure is None else f"t.c{query.measure}"
        selected = self._select(f"t.r, {measure}{', j.r' if query.join else ''}")
        joined = tuple(dict.fromkeys(_number(row[2]) for row in selected)) if query.join else ()
        # a row counts once, however many rows of the other table belong to it
        selected = list({row[0]: row for row in selected}.values())
        filled = [row for row in selected if row[1] is not None]
        empty = len(selected) - len(filled)
        if query.aggregate in (Aggregate.HIGHEST, Aggregate.LOWEST):
            return self._choose_rows(filled, len(selected), empty)
        rows = tuple(_number(row[0]) for row in filled)
        values = [row[1] for row in filled]
        if query.aggregate is Aggregate.SHARE:
            where, bound = _write_conditions(query.whole)
            total = self._database.execute(f"SELECT total({measure}) FROM t WHERE {where}", bound).fetchone()[0]
            part = sum(float(value) for value in values if isinstance(value, int | float))
            value = 100.0 * part / total if total > 0 else None
            return Outcome(value, rows, len(selected), (), empty, joined, share=(part, total))
        return Outcome(_aggregate(query.aggregate, values), rows, len(selected), (), empty, joined)

    def _choose_rows(self, filled: Sequence[tuple[object, ...]], matching: int, empty: int) -> Outcome:
        """The rows at the end asked for; those that share the last value shown come along."""
        query = self._query
        pairs = [(_number(row[0]), row[1]) for row in filled]
        ordered = sorted(pairs, key=lambda pair: _sort_key(pair[1]), reverse=query.aggregate is Aggregate.HIGHEST)
        values = list(dict.fromkeys(value for _, value in ordered))
        ties = 0
        if query.most > 1:
            chosen = ordered[: query.most]
            ties = sum(value == chosen[-1][1] for _, value in ordered[query.most :]) if chosen else 0
        else:
            wanted = values[query.rank - 1] if len(values) >= query.rank else None
            chosen = [pair for pair in ordered if pair[1] == wanted]
        first = chosen[0][1] if chosen else None
        value = float(first) if isinstance(first, int | float) else None
        return Outcome(value, tuple(row for row, _ in chosen), matching, (), empty, (), ties)

    def _run_grouped(self, grouping: Grouping) -> Outcome:
        query = self._query
        group, bound = _write_group(grouping)
        measure = "1" if query.measure is None else f"t.c{query.measure}"
        selected = self._select(f"t.r, {measure}, {group}{', j.r' if query.join else ''}", bound)
        members: dict[object, list[tuple[object, ...]]] = {}
        for row in selected:
            if row[2] is not None and row[1] is not None:
                members.setdefault(row[2], []).append(row)
        figures = [
            (name, value, rows)
            for name, rows in members.items()
            if (value := _aggregate(query.aggregate, [row[1] for row in rows])) is not None
        ]
        if query.end is not None:
            figures.sort(key=lambda each: each[1], reverse=query.end is Aggregate.HIGHEST)
        chosen = figures[query.rank - 1 : query.rank - 1 + query.most] if query.end is not None else figures
        last = chosen[-1][1] if chosen else None
        beyond = figures[query.rank - 1 + len(chosen) :] if query.end is not None else []
        tied = [each for each in beyond if last is not None and abs(each[1] - last) < 1e-9]
        kept = [*chosen, *tied]
        if query.end is not None and query.aggregate in (Aggregate.HIGHEST, Aggregate.LOWEST):
            rows = tuple(_number(row[0]) for _, value, each in kept for row in each if row[1] == value)
        elif query.end is not None:
            rows = tuple(_number(row[0]) for _, _, each in kept for row in each)
        else:
            # one row of each group first, so that what is quoted shows all of them
            rows = tuple(
                _number(each[place][0])
                for place in range(max((len(e) for _, _, e in kept), default=0))
                for _, _, each in kept
                if place < len(each)
            )
        if grouping.sides:
            figures.sort(key=lambda each: str(each[0]))
            figures = kept = [(grouping.sides[int(str(name))].words, value, each) for name, value, each in figures]
            selected = [row for row in selected if row[2] is not None]
        groups = tuple(
            GroupFigure(_write_name(name), value, len(each))
            for name, value, each in (figures if query.end else kept)[:MOST_GROUPS]
        )
        joined = tuple(dict.fromkeys(_number(row[3]) for _, _, each in kept for row in each)) if query.join else ()
        empty = sum(row[1] is None for row in selected)
        return Outcome(chosen[0][1] if chosen else None, rows, len(selected), groups, empty, joined, len(tied))


def _sort_key(value: object) -> tuple[float, str]:
    return (float(value), "") if isinstance(value, int | float) else (0.0, str(value))


def _number(value: object) -> int:
    assert isinstance(value, int)
    return value


def _write_name(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _storage(column: Column) -> str:
    return "REAL" if any(isinstance(value, float) for value in column.distinct) else "TEXT"


def _list_columns(query: TableQuery) -> list[int]:
    places = [condition.column for condition in query.conditions if not condition.is_joined]
    places += [condition.other for condition in query.conditions if condition.other is not None]
    places += [
        place for place in (query.measure, query.shown, query.join.own if query.join else None) if place is not None
    ]
    if query.grouping is not None and not query.grouping.is_joined:
        places += [side.column for side in query.grouping.sides]
        places.append(query.grouping.column)
    return places


def _list_joined(query: TableQuery) -> list[int]:
    places = [condition.column for condition in query.conditions if condition.is_joined]
    if query.grouping is not None and query.grouping.is_joined:
        places.append(query.grouping.column)
    return [*places, query.join.other] if query.join else places


def _write_group(grouping: Grouping) -> tuple[str, list[object]]:
    column = f"{'j' if grouping.is_joined else 't'}.c{grouping.column}"
    if grouping.sides:
        sides = [_write_conditions([side]) for side in grouping.sides]
        cases = " ".join(f"WHEN {where} THEN {place}" for place, (where, _) in enumerate(sides))
        return f"CASE {cases} END", [value for _, bound in sides for value in bound]
    if grouping.part is Part.YEAR:
        return f"substr({column}, 1, 4)", []
    if grouping.part is Part.QUARTER:
        month = f"substr(replace({column}, '--', '0000-'), 6, 2)"
        year = f"CASE WHEN {column} LIKE '--%' THEN '' ELSE substr({column}, 1, 4) || '-' END"
        return f"CASE WHEN {month} <> '' THEN {year} || 'Q' || (({month} + 2) / 3) END", []
    return (f"substr({column}, 1, 7)" if grouping.part is Part.MONTH else column), []


_SIGNS = {Comparison.LESS: "<", Comparison.AT_MOST: "<=", Comparison.MORE: ">", Comparison.AT_LEAST: ">="}


def _write_conditions(conditions: Sequence[Condition]) -> tuple[str, list[object]]:
    parts, bound = ["1"], list[object]()
    for condition in conditions:
        column = f"{'j' if condition.is_joined else 't'}.c{condition.column}"
        bounds = condition.bounds
        if condition.other is not None:
            parts.append(f"{column} {_SIGNS[condition.comparison]} t.c{condition.other}")
        elif condition.comparison in _SIGNS:
            parts.append(f"{column} {_SIGNS[condition.comparison]} ?")
        elif condition.comparison is Comparison.WITHIN:
            pair = f"{column} >= ? AND {column} {'<' if isinstance(bounds[1], str) else '<='} ?"
            parts.append(f"({' OR '.join([pair] * (len(bounds) // 2))})")
        elif condition.comparison is Comparison.SEASON:
            # a month without a year is written --03; a season over the new year ends before it starts
            day = f"substr(replace({column}, '--', '0000-'), 6)"
            pairs = [
                f"({day} >= ? {'AND' if str(start) <= str(end) else 'OR'} {day} < ?)"
                for start, end in zip(bounds[::2], bounds[1::2], strict=True)
            ]
            parts.append(f"({' OR '.join(pairs)})")
        else:
            sign = "NOT IN" if condition.comparison is Comparison.NOT_IN else "IN"
            parts.append(f"{column} {sign} (SELECT value FROM json_each(?))")
            bounds = (json.dumps(bounds),)
        bound += bounds
    return " AND ".join(parts), bound


def _aggregate(aggregate: Aggregate, values: Sequence[object]) -> float | None:
    numbers = [float(value) for value in values if isinstance(value, int | float)]
    if aggregate in (Aggregate.COUNT, Aggregate.LIST):
        return float(len(values))
    if aggregate is Aggregate.DISTINCT:
        return float(len(set(values)))
    if not numbers:
        return None
    if aggregate is Aggregate.SUM:
        return float(sum(numbers))
    if aggregate is Aggregate.MEAN:
        return float(sum(numbers)) / len(numbers)
    if aggregate is Aggregate.MEDIAN:
        return float(median(numbers))
    return max(numbers) if aggregate is Aggregate.HIGHEST else min(numbers)
