"""The conditions that a question sets on the rows of one table: by the values, figures and days that it names, by yes and no, and by the values of
another table that the first has a key to.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean, median

from ascertain.language.word_lists import load_pairs, load_word_set
from ascertain.reports.tables.columns import Column, TypedTable, find_keys, write_value
from ascertain.reports.tables.query import Aggregate, Comparison, Condition, Join
from ascertain.reports.tables.questions.bound_columns import (
    find_measured,
    has_unit,
    is_contrary,
    spans_bounds,
    write_bound,
)
from ascertain.reports.tables.questions.bounds import Bounds
from ascertain.reports.tables.questions.computations import QuestionForm
from ascertain.reports.tables.questions.matching import NO_MEANINGS, ROOT, Meant, TableWords, ValueMention, meet
from ascertain.reports.tables.values import ColumnKind


@dataclass
class Notes:
    """What was used of the question, and what was guessed, while one table is read."""

    explained: set[int] = field(default_factory=set[int])
    doubts: list[str] = field(default_factory=list[str])
    conditions: list[Condition] = field(default_factory=list[Condition])
    columns: set[int] = field(default_factory=set[int])
    """Columns with conditions."""
    strength: float = 0.0
    sides: list[Condition] = field(default_factory=list[Condition])
    """The two times that are compared."""
    places: dict[int, int] = field(default_factory=dict[int, int])
    """By column with a condition the place of its first token in the question."""
    joined_rows: frozenset[int] | None = None
    """The rows that conditions on another table leave; None without any."""
    compares_columns: bool = False
    """Whether one column is the bound of another."""


class ConditionReader:
    """Reads the conditions of one question for one table; what it used and guessed is in ``notes``."""

    def __init__(
        self, form: QuestionForm, tables: Sequence[TypedTable], place: int, meant: Meant = NO_MEANINGS
    ) -> None:
        self.form, self.tables, self.place = form, tables, place
        self.table = tables[place]
        self.words = TableWords(form, self.table, meant)
        self.notes = Notes()

    def read(self) -> bool:
        """Take all conditions; False where the table has no column for a figure or a day of the question."""
        times = self.form.contrast.times if self.form.contrast is not None else ()
        if not all(self._bind(bounds) for bounds in self.form.bounds) or not all(map(self._bind_side, times)):
            return False
        self._take_versus()
        # a night cook is a role before it is somebody who works at night
        self._take_values([each for each in self.words.values if each.is_whole and len(each.tokens) > 1])
        self._take_yes_no()
        self._take_values(self.words.values)
        self._take_numbers()
        return True

    def _bind(self, bounds: Bounds) -> bool:
        """Make a condition of a figure or a day; False where no column can meet it."""
        condition = self._make_bound(bounds)
        if condition is not None:
            self._add(condition, bounds.tokens, 1.0)
            return True
        # a year in the name of the file says that all rows are of it
        if bounds.is_date and bounds.comparison is Comparison.IN and self._is_of_year(bounds):
            self.explain(bounds.tokens, 0.5)
            return all(len(str(value)) == 4 for value in bounds.values)
        return False

    def _bind_side(self, bounds: Bounds) -> bool:
        """Make a condition of one of two times that are compared."""
        condition = self._make_bound(bounds)
        if condition is None:
            return False
        self.notes.sides.append(replace(condition, words=bounds.period))
        self.explain(bounds.tokens, 1.0)
        return True

    def _make_bound(self, bounds: Bounds) -> Condition | None:
        """The condition of a figure or a day; months without a year are of the year that the table is of."""
        column = self._find_date_column(bounds) if bounds.is_date else self._find_bounded_column(bounds)
        if column is None:
            return None
        if bounds.typical is not None:
            return self._write_typical(column, bounds, bounds.typical)
        if not bounds.is_date or column.kind is not ColumnKind.DATE:
            return write_bound(column, bounds)
        years = {str(value)[:4] for value in column.distinct if not str(value).startswith("--")}
        if not years and bounds.comparison is not Comparison.SEASON:
            is_dated = any(word.isdigit() and len(word) == 4 for word in self.table.table.about.split())
            if len(str(bounds.values[0])) == 4 or (is_dated and not self._is_of_year(bounds)):
                return None
            if not is_dated:
                self.notes.doubts.append(f"{self.table.table.label} does not say of which year it is")
            bounds = bounds.drop_years()
        elif bounds.comparison is Comparison.SEASON and str(bounds.values[0]) > str(bounds.values[1]):
            self.notes.doubts.append(f"“{bounds.words}” was taken over the new year")
        elif bounds.comparison is Comparison.SEASON and not bounds.is_month and len(years) > 1:
            self.notes.doubts.append(f"“{bounds.words}” was taken in each year")
        if "last" in bounds.words.lower() and " of " not in bounds.words.lower():
            self.notes.doubts.append(f"“{bounds.period}” was taken for the last of the year")
        return write_bound(column, bounds)

    def _write_typical(self, column: Column, bounds: Bounds, kind: Aggregate) -> Condition | None:
        """More or less than the mean or median of all rows."""
        numbers = [value for value in column.values if isinstance(value, float)]
        if not numbers:
            return None
        value = fmean(numbers) if kind is Aggregate.MEAN else median(numbers)
        more = (bounds.comparison is Comparison.MORE) is not is_contrary(column, bounds.adjective)
        name = "average" if kind is Aggregate.MEAN else "median"
        figure = write_value(value, column, is_mean=True)
        words = f"{column.name} is {'more' if more else 'less'} than the {name} of all rows, {figure}"
        return Condition(column.place, Comparison.MORE if more else Comparison.LESS, (value,), words)

    def _take_versus(self) -> None:
        """One column is the bound of another: actual above plan; of one that is named alone, the only other amount of its kind."""
        versus = self.form.versus
        if versus is None:
            return
        last = max(versus.tokens)
        amounts = [each for each in self.words.columns if each.column.is_measure and not each.tokens & versus.tokens]
        before = [each for each in amounts if max(each.tokens) < last]
        behind = [each for each in amounts if min(each.tokens) > last]
        if not behind:
            return
        bound = min(behind, key=lambda each: min(each.tokens))
        rivals = [
            column
            for column in self.table.columns
            if column.is_measure and column is not bound.column and column.kind is bound.column.kind
        ]
        named = max(before, key=lambda each: max(each.tokens)).column if before else None
        compared = named if named in rivals else rivals[0] if len(rivals) == 1 and not before else None
        if compared is None:
            return
        said = "more" if versus.comparison is Comparison.MORE else "less"
        condition = Condition(
            compared.place,
            versus.comparison,
            (),
            f"{compared.name} is {said} than {bound.column.name}",
            other=bound.column.place,
        )
        self._add(condition, versus.tokens | bound.tokens | self.own_tokens(self.words, compared), 1.0)
        self.notes.columns.add(bound.column.place)
        self.notes.compares_columns = True

    def _is_of_year(self, bounds: Bounds) -> bool:
        years = [place for place in bounds.tokens if len(self.form.tokens[place].text) == 4]
        return all(place in self.words.about for place in years if self.form.tokens[place].text.isdigit())

    def _add(self, condition: Condition, tokens: Iterable[int], strength: float) -> None:
        self.notes.conditions.append(condition)
        tokens = set(tokens)
        if not condition.is_joined:
            self.notes.columns.add(condition.column)
            self.notes.places.setdefault(condition.column, min(tokens))
        self.explain(tokens, strength)

    def _find_date_column(self, bounds: Bounds) -> Column | None:
        dated = [column for column in self.table.columns if column.has_dates]
        if not dated:
            return None
        year = bounds.comparison is not Comparison.SEASON and len(str(bounds.values[0])) == 4
        if not year:
            dated = [column for column in dated if not column.is_year]
        named = [each for each in self.words.columns if each.column in dated]
        if named:
            first = min(bounds.tokens)
            nearest = min(named, key=lambda each: min(abs(place - first) for place in each.tokens))
            self.explain(nearest.tokens, 1.0)
            return nearest.column
        begun = [place for place, token in enumerate(self.form.tokens) if token.word in _STARTING]
        starting = [each for each in dated if begun and any(meet("start", word) >= ROOT for word in each.words)]
        if len(starting) == 1:
            self.explain(begun, 0.5)
            return starting[0]
        if len(dated) > 1:
            self.notes.doubts.append(f"{dated[0].name} was taken for the date")
        return dated[0] if dated else None

    def _find_bounded_column(self, bounds: Bounds) -> Column | None:
        amounts = [column for column in self.table.columns if column.kind.is_amount and not column.is_year]
        if bounds.unit in _CURRENCIES:
            amounts = [each for each in amounts if each.kind is ColumnKind.MONEY or not (each.units or each.unit)]
        is_clock = any(":" in self.form.tokens[place].text for place in bounds.tokens)
        if is_clock:
            amounts = [column for column in amounts if column.kind is ColumnKind.DURATION]
        named = [each for each in self.words.columns if each.column in amounts]
        first, last = min(bounds.tokens), max(bounds.tokens)
        behind = [each for each in named if 0 < min(each.tokens) - last <= 2]
        before = [each for each in named if max(each.tokens) < first]
        if bounds.unit and (of_unit := [column for column in amounts if has_unit(column, bounds.unit)]):
            chosen = [each for each in named if each.column in of_unit]
            if chosen or len(of_unit) == 1:
                self.explain(chosen[0].tokens if chosen else (), 1.0)
                return chosen[0].column if chosen else of_unit[0]
        for group in (before[-1:] if before else [], behind, named):
            if group:
                best = max(
                    group,
                    key=lambda each: (max(each.tokens) if each.column in [b.column for b in before] else 0, each.score),
                )
                self.explain(best.tokens, 1.0)
                return best.column
        hinted = find_measured(amounts, bounds.adjective) or find_by_verb(self, amounts)
        if hinted is not None:
            return hinted
        reached = [column for column in amounts if spans_bounds(column, bounds)]
        if len(reached) == 1 and not is_clock:
            # the only column whose values a figure like this could be
            amounts = reached
        if len(amounts) == 1 or (is_clock and amounts):
            if not is_clock:
                self.notes.doubts.append(f"{amounts[0].name} was taken for what is compared")
            return amounts[0]
        return None

    def _take_yes_no(self) -> None:
        opposites = load_pairs("table_questions", "opposites")
        for mention in self.words.columns:
            column = mention.column
            words = [self.form.tokens[place].word for place in mention.tokens]
            # "pay" speaks of money, "paid" of a column Paid
            is_said = any(meet(word, own, by_meaning=False) >= ROOT for word in words for own in column.words)
            if (
                column.kind is ColumnKind.YES_NO
                and is_said
                and not mention.tokens & self.notes.explained
                and not set(self.form.grouped) & mention.tokens
            ):
                self._add_yes_no(column, mention.tokens, no=bool(mention.tokens & self.form.negated))
        for place in self.words.content:
            word = self.form.tokens[place].word
            contraries = [word[2:]] if word.startswith("un") else opposites.get(word, "").split()
            if contraries and place not in self.notes.explained:
                for column in self.table.columns:
                    if column.kind is ColumnKind.YES_NO and any(
                        meet(contrary, each) >= ROOT for each in column.words for contrary in contraries
                    ):
                        self._add_yes_no(column, {place}, no=True)

    def _add_yes_no(self, column: Column, tokens: Iterable[int], *, no: bool) -> None:
        words = f"{column.name} is {'no' if no else 'yes'}"
        self._add(Condition(column.place, Comparison.IN, (0.0 if no else 1.0,), words), tokens, 1.0)

    def _take_values(self, mentions: Sequence[ValueMention]) -> None:
        """Conditions from the values that are named: the longest first, each token once, one condition a column."""
        heads = self._asked_tokens()
        for mention in mentions:
            if mention.tokens & self.notes.explained:
                continue
            if mention.column.place in self.notes.columns:
                self._widen(mention)
                continue
            own = [each for each in self.words.columns if each.tokens >= mention.tokens and each.score >= 0.9]
            if own and not (mention.is_whole and len(mention.tokens) > 1):
                continue
            if mention.tokens <= heads and not mention.is_whole:
                continue
            self._add(self._write_values(mention), mention.tokens, 1.5 if mention.is_whole else 1.25)
            rivals = [
                other
                for other in self.words.values
                if other.tokens == mention.tokens
                and other.is_whole == mention.is_whole
                and other.column is not mention.column
                and other.quality >= mention.quality
            ]
            if (
                rivals
                and not mention.column.is_unique
                and not any(each.column is mention.column for each in self.words.columns)
            ):
                self.notes.doubts.append(
                    f"{mention.column.name} was taken for where “{self.said(mention.tokens)}” stands"
                )

    def _widen(self, mention: ValueMention) -> None:
        """A second value of a column is looked for beside the first: cars from Japan or Europe."""
        for place, condition in enumerate(self.notes.conditions):
            is_same = (
                condition.column == mention.column.place
                and condition.comparison is Comparison.IN
                and not condition.is_joined
            )
            if (
                is_same
                and mention.column.kind is ColumnKind.TEXT
                and (mention.is_whole or len(mention.values) == 1)
                and not mention.tokens & self.form.negated
            ):
                added = tuple(value for value in mention.values if value not in condition.bounds)
                said = " or ".join(f"“{value}”" for value in added)
                self.notes.conditions[place] = replace(
                    condition, bounds=(*condition.bounds, *added), words=f"{condition.words} or {said}"
                )
                self.explain(mention.tokens, 1.5)

    def _write_values(self, mention: ValueMention, is_joined: bool = False) -> Condition:
        negated = bool(mention.tokens & self.form.negated)
        names = mention.values
        said = (
            " or ".join(f"“{value}”" for value in names[:3])
            if len(names) <= 3
            else f"one of {len(names)} values with “{self.said(mention.tokens)}”"
        )
        comparison = Comparison.NOT_IN if negated else Comparison.IN
        words = f"{mention.column.name} is {'not ' if negated else ''}{said}"
        return Condition(mention.column.place, comparison, names, words, is_joined)

    def said(self, tokens: Iterable[int]) -> str:
        """Tokens as the question writes them."""
        return " ".join(self.form.tokens[place].text for place in sorted(tokens))

    def _asked_tokens(self) -> frozenset[int]:
        """The tokens that stand for what is asked about: behind which, how many, each."""
        places = {place for place in (self.form.asked, self.form.counted) if place is not None}
        return frozenset(places | set(self.form.grouped))

    def _take_numbers(self) -> None:
        """Equal to a bare figure that stands beside the name of a column: ``floor 2``, ``8 cylinders``."""
        for place in self.words.content:
            text = self.form.tokens[place].text
            if place in self.notes.explained or not text.replace(",", "").replace(".", "", 1).isdigit():
                continue
            value = float(text.replace(",", ""))
            near = [
                each
                for each in self.words.columns
                if each.column.kind.is_amount and any(abs(token - place) == 1 for token in each.tokens)
            ]
            if near:
                column = near[0].column
                self._add(
                    Condition(column.place, Comparison.IN, (value,), f"{column.name} is {text}"),
                    {place, *near[0].tokens},
                    1.0,
                )

    def find_join(self) -> Join | None:
        """Another table that holds what this one leaves unexplained, by a column that both have and that is a key there."""
        left = {
            place for place in self.words.content if place not in self.notes.explained and not self._is_named(place)
        }
        if not left:
            return None
        for place, other in enumerate(self.tables):
            keys = find_keys(self.table, other)
            if keys is None and (back := find_keys(other, self.table)) is not None:
                keys = back[1], back[0]
            if place == self.place or keys is None:
                continue
            reader = ConditionReader(self.form, self.tables, place)
            if reader.read_rest(left, keys[1]):
                return self._join(reader, Join(place, *keys))
        return None

    def read_rest(self, left: Iterable[int], key: int) -> bool:
        """Take the conditions that the tokens ``left`` set, but on the column ``key``; False where there are none."""
        self.notes.explained = set(range(len(self.form.tokens))).difference(left)
        self.notes.columns = {key}
        self._take_values([each for each in self.words.values if each.is_whole])
        self._take_yes_no()
        self._take_numbers()
        return bool(self.notes.conditions)

    def _join(self, reader: ConditionReader, join: Join) -> Join:
        """Take over the conditions that were read for another table."""
        columns, label = reader.table.columns, reader.table.table.label
        for each in reader.notes.conditions:
            name = columns[each.column].name
            words = each.words.replace(name, f"{name} of {label}", 1)
            self._add(
                replace(each, words=words, is_joined=True), self.own_tokens(reader.words, columns[each.column]), 0.5
            )
        fresh = reader.notes.explained - self.notes.explained
        self.explain({place for place in fresh if place in self.words.content}, 1.25)
        self.notes.doubts += reader.notes.doubts
        keys = {columns[join.other].values[row] for row in reader.matching_rows()}
        own = self.table.columns[join.own].values
        self.notes.joined_rows = frozenset(row for row, value in enumerate(own) if value in keys)
        return join

    def own_tokens(self, words: TableWords, column: Column) -> frozenset[int]:
        """The tokens that name a column."""
        return frozenset(place for each in words.columns if each.column is column for place in each.tokens)

    def _is_named(self, place: int) -> bool:
        return (
            place in self.words.about
            or any(place in each.tokens for each in self.words.columns)
            or self.words.explains(place)
        )

    def explain(self, tokens: Iterable[int], strength: float) -> None:
        """Note that tokens have a meaning in this table; ``strength`` is how plainly each of them has it."""
        fresh = set(tokens) - self.notes.explained
        self.notes.explained |= set(tokens)
        self.notes.strength += strength * len(fresh)

    def list_unexplained(self) -> list[str]:
        """The words of the question that mean nothing here."""
        left = [place for place in self.words.content if place not in self.notes.explained]
        about = [place for place in left if place in self.words.about]
        self.explain(about, 0.5)
        named: dict[int, float] = {}
        for each in self.words.columns:
            named |= {place: max(each.score, named.get(place, 0.0)) for place in each.tokens}
        rest = [
            place
            for place in left
            if place not in self.notes.explained and place not in named and not self.words.explains(place)
        ]
        self.notes.strength += sum(0.5 * named[place] for place in left if place in named and place not in about)
        return [self.form.tokens[place].text for place in rest]

    def count_rows(self) -> int:
        """How many rows meet the conditions on this table."""
        return len(self.matching_rows())

    def matching_rows(self, sides: Sequence[Condition] = ()) -> Sequence[int]:
        """The rows that meet the conditions on this table, and one of ``sides`` if there are any, as the database would choose them."""
        rows: Sequence[int] = range(len(self.table.table.rows))
        for condition in self.notes.conditions:
            if condition.other is not None:
                own, others = (self.table.columns[place].values for place in (condition.column, condition.other))
                rows = [row for row in rows if condition.holds_between(own[row], others[row])]
            elif not condition.is_joined:
                column = self.table.columns[condition.column]
                meeting = {value for value in column.distinct if condition.holds(value)}
                rows = [row for row in rows if column.values[row] in meeting]
        if sides:
            values = self.table.columns[sides[0].column].values
            rows = [row for row in rows if any(side.holds(values[row]) for side in sides)]
        joined = self.notes.joined_rows
        return rows if joined is None else [row for row in rows if row in joined]


_CURRENCIES = load_word_set("quantities", "currencies") | frozenset("$€£¥₹")
_STARTING = frozenset({"started", "start", "joined", "began", "begin", "since", "hired"})


def find_by_verb(reader: ConditionReader, columns: Sequence[Column]) -> Column | None:
    """The first of ``columns`` that a verb of the question asks for: who earns more than that?"""
    hints = load_pairs("table_questions", "verbs")
    for place, token in enumerate(reader.form.tokens):
        for word in hints.get(token.word, "").split():
            for column in columns:
                if any(meet(word, own, by_meaning=False) >= ROOT for own in column.words):
                    reader.explain({place}, 0.5)
                    return column
    return None
