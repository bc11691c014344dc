"""Typed columns of a table: what kind of values its cells hold, in which unit, and the words of its name."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from ascertain.language.languages import ENGLISH
from ascertain.language.tokens import STOP_WORDS, fold_words, stem_word
from ascertain.language.word_lists import load_word_set
from ascertain.reports.tables.reading import Table
from ascertain.reports.tables.values import (
    Amount,
    ColumnKind,
    guess_decimal_mark,
    is_currency,
    is_month_first,
    read_amount,
    read_date,
    read_duration,
    read_yes_no,
)

Value = float | str | None

TYPED = 0.9
"""Share of the cells with a value that have to be of one kind; the others are left out of what is computed, and counted (by judgement)."""
SAMPLE = 400
"""Cells by which the kind of a long column is guessed before all of them are read."""
NEARLY_UNIQUE = 0.8
"""Share of rows with a value of their own from which a column names rows, though some share a name (by judgement)."""
PROSE_WORDS = 8
"""Words of a cell on average from which a column holds prose, in which single words name nothing."""
IDENTIFIERS, INTENSIVE, ADDITIVE, PERSONS = (
    load_word_set("table_questions", name) for name in ("identifiers", "intensive", "additive", "persons")
)
_NAME_WORD = re.compile(r"[A-Z]+\d*(?![a-z])|[A-Z]?[^\W\d_A-Z]+\d*|\d+")
_IN_BRACKETS = re.compile(r"[(\[]([^)\]]{1,25})[)\]]")
_UNITS = frozenset("km cm mm mi kg lbs lb mw kw gw kwh mwh gwh eur usd gbp chf jpy ppm pct ha ml m2 m3 lbs".split())
"""Units that are no words beside: in a name they say what is counted in, and not what."""


@dataclass(frozen=True)
class Column:
    """``values`` has one entry a row: a number, seconds of a duration, a day in ISO form, 1 and 0 for yes and no, or the text; None where
    the cell is empty or of another kind, which ``unread`` counts.
    """

    place: int
    name: str
    kind: ColumnKind
    values: tuple[Value, ...]
    cells: tuple[str, ...]
    decimals: int = 0
    before: str = ""
    unit: str = ""
    unread: int = 0

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The words of its name in small letters, without its unit: ``gdpPercap`` has ``gdp`` and ``percap``."""
        plain = _IN_BRACKETS.sub(" ", self.name)
        words = tuple(fold_words(word) for word in _NAME_WORD.findall(plain))
        telling = tuple(
            word for word in words if word not in _UNITS and word not in {"in", "of", "per", "the"} and len(word) > 1
        )
        return telling or words

    @cached_property
    def units(self) -> frozenset[str]:
        """The units of its values by its name and its cells, in small letters."""
        named = {fold_words(word) for text in _IN_BRACKETS.findall(self.name) for word in (text, *text.split())}
        named |= {word for each in _NAME_WORD.findall(self.name) if (word := fold_words(each)) in _UNITS}
        if self.words and any(word.startswith("temp") for word in self.words):
            named |= {"degree", "degrees"}
        return frozenset(named | {fold_words(self.unit), fold_words(self.before)}) - {""}

    @cached_property
    def distinct(self) -> dict[Value, int]:
        """How often each value occurs, in the order of their first rows."""
        counts: dict[Value, int] = {}
        for value in self.values:
            if value is not None:
                counts[value] = counts.get(value, 0) + 1
        return counts

    @property
    def is_unique(self) -> bool:
        """Whether it names each row by itself."""
        filled = sum(self.distinct.values())
        return filled > 1 and len(self.distinct) == filled

    @cached_property
    def is_year(self) -> bool:
        """Whether its numbers are years."""
        if self.kind is not ColumnKind.NUMBER or self.decimals or self.unit or self.before:
            return False
        numbers = [value for value in self.distinct if isinstance(value, float)]
        return bool(numbers) and all(1500 <= value <= 2100 for value in numbers)

    @property
    def has_dates(self) -> bool:
        """Whether its values are days, months or years."""
        return self.kind is ColumnKind.DATE or self.is_year

    @cached_property
    def is_identifier(self) -> bool:
        """Whether its numbers name rows and measure nothing."""
        is_named = bool(IDENTIFIERS.intersection(self.words)) and not ADDITIVE.intersection(self.words)
        return self.kind is ColumnKind.NUMBER and (is_named or self.is_year)

    @cached_property
    def is_measure(self) -> bool:
        """Whether its values are amounts that questions ask for."""
        return self.kind.is_amount and not self.is_identifier

    @cached_property
    def is_additive(self) -> bool:
        """Whether a sum over rows says something."""
        if self.kind is ColumnKind.PERCENT or INTENSIVE.intersection(self.words):
            return False
        return self.kind is ColumnKind.MONEY or not ADDITIVE.isdisjoint({*self.words, *self.units})

    @cached_property
    def is_prose(self) -> bool:
        """Whether its cells are texts."""
        cells = [cell for cell in self.cells[:SAMPLE] if cell]
        return bool(cells) and sum(len(cell.split()) for cell in cells) / len(cells) >= PROSE_WORDS

    @property
    def is_of_persons(self) -> bool:
        """Whether it says who."""
        return self.kind is ColumnKind.TEXT and bool(PERSONS.intersection(self.words))


def write_value(value: float | None, column: Column | None, *, is_mean: bool = False) -> str:
    """A figure as people write it: with separators, the column's decimals (two more at the least for a mean), its currency or unit."""
    if value is None:
        return "no value"
    if column is None:
        return f"{value:,.0f}"
    if column.kind is ColumnKind.DURATION:
        seconds = round(value)
        return f"{seconds // 3600}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
    decimals = min(max(column.decimals, 2), 3) if is_mean else column.decimals
    text = f"{value:.{decimals}f}" if column.is_year else f"{value:,.{decimals}f}"
    if column.kind is not ColumnKind.MONEY and "." in text:
        text = text.rstrip("0").rstrip(".") if not is_mean else text
    space = " " if column.unit and column.unit[0].isalpha() else ""
    before = f"{column.before}{' ' if column.before.isalpha() else ''}"
    return f"{before}{text}{space}{column.unit}"


@dataclass(frozen=True)
class TypedTable:
    """A table with its columns typed."""

    table: Table
    columns: tuple[Column, ...]

    @property
    def key_column(self) -> Column | None:
        """The column by which people would name a row: one that is unique, a text before a day; None where there is none."""
        keys = [
            column
            for column in self.columns
            if column.is_unique and column.kind in (ColumnKind.TEXT, ColumnKind.DATE) and not column.is_prose
        ]
        label = self.label_column
        nearly = label is not None and len(label.distinct) >= NEARLY_UNIQUE * max(1, sum(label.distinct.values()))
        texts = [column for column in keys if column.kind is ColumnKind.TEXT]
        return (texts or ([label] if nearly and label else []) or keys or [None])[0]

    @property
    def name_column(self) -> Column | None:
        """The column that identifies a row in a list: the one that names the rows, or a number that each has of its own."""
        label = self.label_column
        numbers = (column for column in self.columns if column.is_identifier and column.is_unique)
        return label if label is not None and label.is_unique else next(numbers, label)

    @property
    def label_column(self) -> Column | None:
        """The column that names the rows: the first text that is unique, else the text with the most values among the first ones."""
        texts = [
            column
            for column in self.columns
            if column.kind is ColumnKind.TEXT and not column.is_prose and column.distinct
        ]
        unique = next((column for column in texts if column.is_unique), None)
        if unique is not None:
            return unique
        first = texts[:3]
        return max(first, key=lambda column: (len(column.distinct), -column.place), default=None)


def type_table(table: Table) -> TypedTable:
    """The table with the kind of each column found from its cells."""
    cells = list(zip(*(row.cells for row in table.rows), strict=True))
    return TypedTable(table, tuple(_type_column(place, name, cells[place]) for place, name in enumerate(table.names)))


def _type_column(place: int, name: str, cells: Sequence[str]) -> Column:
    filled = [cell for cell in cells if cell]
    sample = filled[:SAMPLE]
    for read in (_read_yes_no, _read_amounts, _read_dates, _read_durations):
        if sample and read(place, name, sample) is not None:
            column = read(place, name, cells)
            if column is not None:
                return column
    return Column(place, name, ColumnKind.TEXT, tuple(cell or None for cell in cells), tuple(cells))


def _is_typed(read: int, cells: Sequence[str]) -> bool:
    filled = sum(bool(cell) for cell in cells)
    return read > 0 and read >= TYPED * filled


def _read_each(cells: Sequence[str], read: Callable[[str], Value]) -> tuple[tuple[Value, ...], int] | None:
    known: dict[str, Value] = {"": None}
    for cell in cells:
        if cell not in known:
            known[cell] = read(cell)
    values = tuple([known[cell] for cell in cells])
    count = sum(value is not None for value in values)
    return (values, sum(bool(cell) for cell in cells) - count) if _is_typed(count, cells) else None


def _read_yes_no(place: int, name: str, cells: Sequence[str]) -> Column | None:
    def read(cell: str) -> Value:
        answer = read_yes_no(cell)
        return None if answer is None else float(answer)

    said = {fold_words(cell) for cell in cells if cell}
    # one word for each: x and y are two values of something
    if len({read_yes_no(word) for word in said}) < len(said):
        return None
    found = _read_each(cells, read)
    return found and Column(place, name, ColumnKind.YES_NO, found[0], tuple(cells), unread=found[1])


def _read_dates(place: int, name: str, cells: Sequence[str]) -> Column | None:
    day_first = not is_month_first(cells)
    dates = _read_each(cells, lambda cell: read_date(cell, day_first=day_first))
    return dates and Column(place, name, ColumnKind.DATE, dates[0], tuple(cells), unread=dates[1])


def _read_durations(place: int, name: str, cells: Sequence[str]) -> Column | None:
    durations = _read_each(cells, read_duration)
    return durations and Column(place, name, ColumnKind.DURATION, durations[0], tuple(cells), unread=durations[1])


def _read_amounts(place: int, name: str, cells: Sequence[str]) -> Column | None:
    mark = guess_decimal_mark(cells)
    known: dict[str, Amount | None] = {"": None}
    for cell in cells:
        if cell not in known:
            known[cell] = read_amount(cell, mark)
    amounts = [known[cell] for cell in cells]
    read = [amount for amount in amounts if amount is not None]
    if not _is_typed(len(read), cells):
        return None
    units = {amount.unit for amount in read}
    befores = {amount.before for amount in read}
    # two units in one column are amounts that cannot be compared
    if len(units - {""}) > 1 or len(befores - {""}) > 1:
        return None
    unit, before = max(units, key=len), max(befores, key=len)
    if unit and not is_currency(unit) and unit != "%" and _starts_words(cells):
        return None
    words = {fold_words(word) for word in _NAME_WORD.findall(name)}
    if is_currency(before) or is_currency(unit) or _names_currency(name):
        kind = ColumnKind.MONEY
    elif unit == "%" or "%" in name or words & {"percent", "percentage", "pct"}:
        kind = ColumnKind.PERCENT
    elif before:
        return None
    else:
        kind = ColumnKind.NUMBER
    decimals = max((amount.decimals for amount in read), default=0)
    values = tuple(None if amount is None else amount.value for amount in amounts)
    unread = sum(bool(cell) for cell in cells) - len(read)
    return Column(place, name, kind, values, tuple(cells), decimals, before, unit, unread)


def _names_currency(name: str) -> bool:
    return any(
        is_currency(word) for word in (*_IN_BRACKETS.findall(name), *name.replace("_", " ").split()) if len(word) <= 4
    )


def _starts_words(cells: Sequence[str]) -> bool:
    """Whether cells with something like a unit are rather names (``3B``, ``7 Dials``): the words behind the figures differ."""
    return len({re.sub(r"[\d., ]", "", cell) for cell in cells if cell}) > 2


def find_keys(one: TypedTable, other: TypedTable) -> tuple[int, int] | None:
    """The columns by which rows of ``one`` belong to rows of ``other``: of the same or nearly the same name, unique there, and most values of the
    first are among them.
    """
    for theirs in other.columns:
        if not theirs.is_unique or theirs.kind is not ColumnKind.TEXT:
            continue
        for own in one.columns:
            if own.kind is theirs.kind and _share_name(own, theirs, other) and _are_values_of(own, theirs):
                return own.place, theirs.place
    return None


def _share_name(own: Column, theirs: Column, other: TypedTable) -> bool:
    words = {stem_word(word, ENGLISH) for word in own.words} - STOP_WORDS
    about = {stem_word(word, ENGLISH) for word in other.table.about.lower().split()}
    named = {stem_word(word, ENGLISH) for word in theirs.words}
    return bool(words & named) or bool(words & about)


def _are_values_of(own: Column, theirs: Column) -> bool:
    mine = set(own.distinct)
    return bool(mine) and len(mine & set(theirs.distinct)) >= NEARLY_UNIQUE * len(mine)
