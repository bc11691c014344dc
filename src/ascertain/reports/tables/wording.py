"""What a query gave, in one sentence: the figure, what it was computed over, and under which conditions."""

from __future__ import annotations

from collections.abc import Sequence

from ascertain.answering.units.candidates import count_noun
from ascertain.core.asking.answers import Computation, GroupFigure
from ascertain.reports.tables.columns import Column, TypedTable, write_value
from ascertain.reports.tables.query import Aggregate, Comparison, Condition, Outcome, Part, TableQuery
from ascertain.reports.tables.questions.computations import load_ordinal
from ascertain.reports.tables.questions.interpretation import Reading

MOST_NAMED = 25
"""Rows or groups that a sentence names; the others are counted."""
MOST_SHARING = 6
"""Rows with the same highest or lowest value that are named."""
_MEANS = {
    Aggregate.MEAN: "average",
    Aggregate.MEDIAN: "median",
    Aggregate.SUM: "total",
    Aggregate.COUNT: "number of rows",
}
_ENDS = {Aggregate.HIGHEST: "highest", Aggregate.LOWEST: "lowest"}
_ENDS_IN_TIME = {Aggregate.HIGHEST: "latest", Aggregate.LOWEST: "earliest"}


class Wording:
    """Writes the sentence of one reading and its outcome."""

    def __init__(self, tables: Sequence[TypedTable], reading: Reading, outcome: Outcome) -> None:
        self.reading, self.outcome = reading, outcome
        self.query: TableQuery = reading.query
        self.typed = tables[self.query.table]
        self.table = self.typed.table
        self.other = tables[self.query.join.table] if self.query.join else None
        self.measure = None if self.query.measure is None else self.typed.columns[self.query.measure]
        self.shown = None if self.query.shown is None else self.typed.columns[self.query.shown]

    def write(self) -> str:
        """The sentence, with yes or no before it where the question asks for that."""
        sentence = self.write_figure()
        verdict = self.decide()
        return (
            sentence
            if verdict is None
            else f"{'Yes' if verdict else 'No'}: {sentence[:1].lower() if sentence.startswith('The ') else sentence[:1]}{sentence[1:]}"
        )

    def compute(self) -> Computation:
        """The same for programs and charts."""
        query = self.query
        of = self.measure.name if self.measure is not None else "rows"
        return Computation(
            meaning=self.describe(),
            table=self.table.label,
            aggregate=query.aggregate.value,
            of=of,
            value=self.outcome.value,
            rows=self.outcome.matching,
            of_rows=len(self.table.rows),
            by=self._name_grouping() if query.grouping else "",
            groups=self._order_groups(),
        )

    def describe(self) -> str:
        """What the question was taken to mean: ``counted rows of sales.csv where product is “bun”``."""
        query = self.query
        did = {
            Aggregate.COUNT: "counted rows",
            Aggregate.DISTINCT: f"counted the different values of {self._name(self.measure)}",
            Aggregate.SUM: f"added up {self._name(self.measure)}",
            Aggregate.MEAN: f"averaged {self._name(self.measure)}",
            Aggregate.MEDIAN: f"took the median of {self._name(self.measure)}",
            Aggregate.HIGHEST: f"took the highest {self._name(self.measure)}",
            Aggregate.LOWEST: f"took the lowest {self._name(self.measure)}",
            Aggregate.SHARE: f"took the share of {self._name(self.measure)}",
            Aggregate.LIST: "looked up rows",
        }[query.aggregate]
        by = f" by {self._name_grouping()}" if query.grouping else ""
        if query.grouping and query.grouping.sides:
            first, second = (side.words for side in query.grouping.sides)
            return f"compared {first} and {second}: {did} of {self.table.label}{self._where(' where ')}"
        end = f", and took the {self._rank()}{_ENDS[query.end]}" if query.end else ""
        return f"{did}{by} of {self.table.label}{self._where(' where ')}{end}"

    def decide(self) -> bool | None:
        """Yes or no, where that is asked; else None."""
        check = self.reading.check
        if self.reading.asks_whether and len(self.outcome.groups) == 2 and self.query.end is not None:
            first, second = (group.value for group in self.outcome.groups)
            return first > second if self.query.end is Aggregate.HIGHEST else first < second
        if check is None or not self.outcome.rows:
            return None
        if check.other is not None:
            own, others = (self.typed.columns[place].values for place in (check.column, check.other))
            return any(check.holds_between(own[row], others[row]) for row in self.outcome.rows)
        values = self.typed.columns[check.column].values
        return any(check.holds(values[row]) for row in self.outcome.rows)

    def write_figure(self) -> str:
        """The sentence without yes or no."""
        query = self.query
        if query.grouping is not None:
            return self._write_sides() if query.grouping.sides else self._write_groups()
        if query.aggregate in (Aggregate.HIGHEST, Aggregate.LOWEST):
            return self._write_end()
        if query.aggregate is Aggregate.LIST:
            return self._write_list()
        if query.aggregate is Aggregate.COUNT:
            return self._write_count()
        if query.aggregate is Aggregate.SHARE:
            return self._write_share()
        if query.aggregate is Aggregate.DISTINCT:
            return f"There are {write_value(self.outcome.value, None)} different values of {self._name(self.measure)} in {self._over()}."
        if self.outcome.value is None:
            return f"No row of {self.table.label} has a value of {self._name(self.measure)}{self._where(' where ')}."
        value = write_value(
            self.outcome.value, self.measure, is_mean=query.aggregate in (Aggregate.MEAN, Aggregate.MEDIAN)
        )
        return f"The {_MEANS[query.aggregate]} of {self._name(self.measure)} is {value}, over {self._over()}{self._empty()}."

    def _write_share(self) -> str:
        part, whole = self.outcome.share
        if self.outcome.value is None:
            return f"{self._name(self.measure)} adds up to nothing of which there is a share, in {self._over()}."
        of = f" where {' and '.join(map(_word, self.query.whole))}" if self.query.whole else ""
        if self.measure is None:
            total = f" of the {count_noun(round(whole), 'row')}{of}" if of else " of the rows"
            return f"{self.outcome.value:.1f} %{total}: {self._over()}."
        figures = f"{write_value(part, self.measure)} of {write_value(whole, self.measure)}{of}"
        return f"{self.outcome.value:.1f} % of {self.measure.name}, {figures}: {self._over()}{self._empty()}."

    def _write_sides(self) -> str:
        """Both figures, and how much the second is more or less than the first; of a comparison, which is the one asked for."""
        first, second = self.outcome.groups
        mean = self.query.aggregate is Aggregate.MEAN and max(first.rows, second.rows) > 1
        figures = [write_value(each.value, self.measure, is_mean=mean) for each in (first, second)]
        change = second.value - first.value
        what = "The number of rows" if self.measure is None else self.measure.name
        if self.measure is not None and max(first.rows, second.rows) > 1:
            what = f"The {_MEANS[self.query.aggregate]} of {what}"
        amount = write_value(abs(change), self.measure, is_mean=mean)
        share = f" ({abs(100 * change / first.value):.1f} % of the first)" if first.value > 0 else ""
        by = f"{amount} {'more' if change > 0 else 'less'}{share}" if abs(change) > 1e-9 else "the same"
        over = f"{self.outcome.matching:,} of {count_noun(len(self.table.rows), 'row')} of {self.table.label}{self._where(', where ')}"
        lead = ""
        if self.query.end is not None and not self.reading.asks_whether and abs(change) > 1e-9:
            is_second = (change > 0) == (self.query.end is Aggregate.HIGHEST)
            lead = f"{(second if is_second else first).name}: "
            what = f"{what[:1].lower()}{what[1:]}" if what.startswith("The ") else what
        return f"{lead}{what} is {figures[0]} for {first.name} and {figures[1]} for {second.name}, {by}, in {over}{self._empty()}."

    def _write_count(self) -> str:
        value = write_value(self.outcome.value, None)
        total = count_noun(len(self.table.rows), "row")
        if not self.query.conditions:
            return f"{self.table.label} has {value} {'row' if value == '1' else 'rows'}{self._totals()}."
        return f"{value} of {total} of {self.table.label} {'has' if value == '1' else 'have'} this: {self._where('')}."

    def _write_end(self) -> str:
        ends = _ENDS_IN_TIME if self.measure is not None and self.measure.has_dates else _ENDS
        outcome, end = self.outcome, ends[self.query.aggregate]
        if not outcome.rows:
            return f"No row of {self.table.label} has a value of {self._name(self.measure)}{self._where(' where ')}."
        over = self._over(matching=True)
        if self.query.most > 1:
            named = "; ".join(f"{self._row_name(row)}: {self._cell(row)}" for row in outcome.rows[:MOST_NAMED])
            more = f" ({outcome.ties} more share the last value)" if outcome.ties else ""
            return f"{named}{more}: the {end} {self._name(self.measure)} in {over}."
        names = list(dict.fromkeys(self._row_name(row) for row in outcome.rows))
        value = self._cell(outcome.rows[0])
        aside = self._name_row(outcome.rows[0], names[0])
        if not names[0]:
            return f"The {self._rank()}{end} {self._name(self.measure)} is {value}{aside}, in {over}{self._empty()}."
        said = (
            _join_names(names)
            if len(names) <= MOST_SHARING
            else f"{', '.join(names[:MOST_SHARING])} and {len(names) - MOST_SHARING:,} more"
        )
        verb = "has" if len(names) == 1 else "share"
        return f"{said} {verb} the {self._rank()}{end} {self._name(self.measure)}, {value}{aside if len(names) == 1 else ''}, in {over}{self._empty()}."

    def _name_row(self, row: int, shown: str) -> str:
        """What names a row besides what is shown of it: where the row is asked to have a value, that; else its key."""
        named = [self.typed.columns[self.reading.check.column]] if self.reading.check is not None else []
        key = self.typed.key_column
        label = self.typed.label_column
        dated = next((column for column in self.typed.columns if column.has_dates), None) if key is None else None
        named += [each for each in (dated,) if each is not None and each not in named]
        for column in (key, label):
            if column is not None and column is not self.shown and column is not self.measure and column not in named:
                named.append(column)
                break
        named = [column for column in named if column is not self.shown]
        parts = [
            f"{column.name} {column.cells[row]}" for column in named if column.cells[row] and column.cells[row] != shown
        ]
        return f" ({', '.join(parts)})" if parts else ""

    def _write_list(self) -> str:
        rows = self.outcome.rows
        if not rows:
            return f"No row of {self.table.label} has this: {self._where('')}."
        if self.measure is not None:
            named = [f"{self.measure.cells[row] or 'empty'}{self._for_row(row)}" for row in rows[:MOST_NAMED]]
            return f"{self._name(self.measure)} is {_join_names(named)}, in {self._over()}."
        names = list(dict.fromkeys(self._row_name(row) for row in rows))
        more = f" and {len(names) - MOST_NAMED:,} more" if len(names) > MOST_NAMED else ""
        said = f"{', '.join(names[:MOST_NAMED])}{more}" if more else _join_names(names)
        return f"{said}: the {self._name(self.shown)} in {self._over()}."

    def _for_row(self, row: int) -> str:
        name = self._row_name(row)
        is_known = any(
            condition.column == self.query.shown and not condition.is_joined for condition in self.query.conditions
        )
        return (
            f" for {name}"
            if name and self.shown is not self.measure and not (is_known and len(self.outcome.rows) == 1)
            else ""
        )

    def _write_groups(self) -> str:
        query, outcome = self.query, self.outcome
        if not outcome.groups:
            return f"No row of {self.table.label} has this: {self._where('')}."
        what = (
            "number of rows"
            if query.aggregate is Aggregate.COUNT
            else f"{_MEANS.get(query.aggregate, _ENDS.get(query.aggregate, ''))} {self._name(self.measure)}"
        )
        by, over = self._name_grouping(), self._over(matching=True)
        if query.end is None:
            groups = self._order_groups()
            named = ", ".join(f"{each.name}: {self._figure(each)}" for each in groups[:MOST_NAMED])
            more = f" and {len(groups) - MOST_NAMED:,} more" if len(groups) > MOST_NAMED else ""
            return f"{named}{more}: the {what} by {by}, in {over}."
        first = query.rank - 1
        chosen = outcome.groups[first : first + query.most + outcome.ties]
        if query.most > 1:
            named = ", ".join(f"{each.name}: {self._figure(each)}" for each in chosen[:MOST_NAMED])
            return f"{named}: the {_ENDS[query.end]} {what} by {by}, in {over}."
        names = _join_names([each.name for each in chosen[:MOST_NAMED]])
        end = f"{self._rank()}{_ENDS[query.end]} " if what.split(maxsplit=1)[0] not in _ENDS.values() else self._rank()
        return f"{names} {'has' if len(chosen) == 1 else 'share'} the {end}{what}, {self._figure(chosen[0])}, of {len(outcome.groups):,} by {by}, in {over}."

    def _order_groups(self) -> tuple[GroupFigure, ...]:
        """The groups by their figures, the end that is asked for first; those of days, months and years in their order."""
        grouping, groups = self.query.grouping, self.outcome.groups
        if grouping is None or self.query.end is not None or grouping.sides:
            return groups
        if not grouping.is_joined and self.typed.columns[grouping.column].has_dates:
            return tuple(sorted(groups, key=lambda each: each.name))
        return tuple(sorted(groups, key=lambda each: -each.value))

    def _figure(self, group: GroupFigure) -> str:
        return write_value(
            group.value, self.measure, is_mean=self.query.aggregate in (Aggregate.MEAN, Aggregate.MEDIAN)
        )

    def _cell(self, row: int) -> str:
        assert self.measure is not None
        return self.measure.cells[row]

    def _row_name(self, row: int) -> str:
        return self.shown.cells[row] if self.shown is not None else ""

    def _name(self, column: Column | None) -> str:
        return column.name if column is not None else "rows"

    def _name_grouping(self) -> str:
        grouping = self.query.grouping
        assert grouping is not None
        columns = self.other.columns if grouping.is_joined and self.other is not None else self.typed.columns
        part = f"{grouping.part.value} of " if grouping.part is not Part.WHOLE else ""
        return f"{part}{columns[grouping.column].name}"

    def _rank(self) -> str:
        return f"{load_ordinal(self.query.rank)} " if self.query.rank > 1 else ""

    def _over(self, *, matching: bool = False) -> str:
        """The rows that were read: ``2 of 5 rows of expenses.csv where …``, ``all 5 rows of expenses.csv``."""
        total, found = len(self.table.rows), self.outcome.matching
        if not self.query.conditions:
            return f"{'both' if total == 2 else 'all'} {count_noun(total, 'row')} of {self.table.label}{self._totals()}"
        return f"{found:,} of {count_noun(total, 'row')} of {self.table.label}, where {self._where('')}"

    def _totals(self) -> str:
        count = len(self.table.totals)
        return f" (without {count_noun(count, 'row')} of totals)" if count else ""

    def _empty(self) -> str:
        empty = self.outcome.empty
        return f" ({count_noun(empty, 'row')} without a value left out)" if empty else ""

    def _where(self, before: str) -> str:
        words = [_word(condition) for condition in self.query.conditions]
        return f"{before}{' and '.join(words)}" if words else ""


def _word(condition: Condition) -> str:
    return (
        condition.words
        if condition.comparison is not Comparison.NOT_IN or " not " in condition.words
        else f"not {condition.words}"
    )


def _join_names(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
