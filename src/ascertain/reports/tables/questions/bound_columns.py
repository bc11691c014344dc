"""Which column a figure or a day of a question is a bound of, and the condition that it sets there."""

from __future__ import annotations

from collections.abc import Sequence

from ascertain.language.languages import ENGLISH
from ascertain.language.tokens import stem_word
from ascertain.reports.tables.columns import Column
from ascertain.reports.tables.query import Comparison, Condition
from ascertain.reports.tables.questions.bounds import Bounds, load_measures


def find_measured(columns: Sequence[Column], adjective: str) -> Column | None:
    """The first of ``columns`` that measures the adjective of a comparative: longer than 900."""
    _, plain, turned = load_measures().get(adjective, (None, frozenset[str](), frozenset[str]()))
    stems = {stem_word(word, ENGLISH) for word in plain}
    found = next((column for column in columns if stems & {stem_word(word, ENGLISH) for word in column.words}), None)
    return found or next((column for column in columns if is_contrary(column, adjective)), None) if turned else found


def is_contrary(column: Column, adjective: str) -> bool:
    """Whether a column holds less of what has more of an adjective: who is faster has the lower time."""
    _, plain, turned = load_measures().get(adjective, (None, frozenset[str](), frozenset[str]()))
    own = {stem_word(word, ENGLISH) for word in column.words}
    return bool(own & {stem_word(word, ENGLISH) for word in turned}) and not own & {
        stem_word(word, ENGLISH) for word in plain
    }


def spans_bounds(column: Column, bounds: Bounds) -> bool:
    """Whether the values of a column reach from below the figures of ``bounds`` to above them."""
    numbers = [value for value in column.distinct if isinstance(value, float)]
    figures = [float(value) for value in bounds.values]
    return bool(numbers) and all(min(numbers) <= figure <= max(numbers) for figure in figures)


def has_unit(column: Column, unit: str) -> bool:
    """Whether a column is counted in ``unit``, or called so."""
    return unit in column.units or stem_word(unit, ENGLISH) in {
        stem_word(each, ENGLISH) for each in (*column.units, *column.words)
    }


def write_bound(column: Column, bounds: Bounds) -> Condition | None:
    """The condition that ``bounds`` set on a column; None where a part of a year is asked of a column of years."""
    values = bounds.values
    if bounds.is_date and column.is_year:
        if bounds.comparison is Comparison.SEASON or any(len(str(value)) != 4 for value in values):
            return None
        years = tuple(float(value) for value in values)
        if bounds.comparison is Comparison.IN:
            said = " or ".join(f"{year:.0f}" for year in years[::2])
            return Condition(column.place, Comparison.IN, years[::2], f"{column.name} is {said}")
        if bounds.comparison is Comparison.WITHIN:
            return Condition(
                column.place,
                Comparison.WITHIN,
                (years[0], years[1] - 1),
                f"{column.name} is from {years[0]:.0f} to {years[1] - 1:.0f}",
            )
        return Condition(column.place, bounds.comparison, years, f"{column.name} is {bounds.words}")
    if bounds.is_date and bounds.comparison is Comparison.IN:
        return Condition(column.place, Comparison.WITHIN, values, f"{column.name} is in {bounds.period}")
    if bounds.comparison is Comparison.SEASON and not bounds.words.startswith(bounds.period):
        return Condition(column.place, Comparison.SEASON, values, f"{column.name} is in {bounds.period}")
    return Condition(column.place, bounds.comparison, values, f"{column.name} is {bounds.words}")
