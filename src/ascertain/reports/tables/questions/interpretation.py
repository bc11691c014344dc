"""A question read as a query over one of several tables, by rules.

A reading says what it leaves unexplained and what it had to guess; with either it is never sure.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ascertain.reports.tables.columns import INTENSIVE, TypedTable
from ascertain.reports.tables.query import Aggregate, Comparison, Condition, TableQuery
from ascertain.reports.tables.questions.building import QueryBuilder
from ascertain.reports.tables.questions.computations import QuestionForm, find_attribute, read_form
from ascertain.reports.tables.questions.conditions import ConditionReader
from ascertain.reports.tables.questions.derived import Derived
from ascertain.reports.tables.questions.matching import NO_MEANINGS, Meant, Relate, find_meanings
from ascertain.reports.tables.values import ColumnKind

SURE, GUESSED = 88, 62
"""Confidence of a reading that explains every word, and of one with a doubt: a reader has to look (by judgement, checked by
``bench/answers/computed_tables.py``: no wrong answer was of the first kind)."""
LESS_SURE = 8
"""Points less for each further doubt."""
MOST_DOUBTS = 2
AS_STRONG = 0.1
"""Strength within which a question may be of either of two tables."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A query with how sure it is that it is what was asked. ``doubts`` say in words what was guessed or not understood. ``check`` is a condition
    that a yes-or-no question asks of the row at the end.
    """

    query: TableQuery
    confidence: int
    strength: float
    unexplained: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()
    check: Condition | None = None
    asks_whether: bool = False
    """Of a comparison: yes or no is asked, and not which."""
    derived: Derived | None = None
    """The column that is computed with, where the table has none."""
    detours: int = 0
    """Another table, and a column of persons that do not name the rows of theirs."""

    def extend_tables(self, tables: Sequence[TypedTable]) -> Sequence[TypedTable]:
        """``tables`` as the query means them: with the derived column, if there is one."""
        if self.derived is None:
            return tables
        typed = tables[self.query.table]
        extended = replace(typed, columns=(*typed.columns, self.derived.column))
        return [extended if place == self.query.table else each for place, each in enumerate(tables)]


def interpret(question: str, tables: Sequence[TypedTable], relate: Relate | None = None) -> Reading | None:
    """The best reading of ``question`` over ``tables``; None where none of them is asked about, or nothing is computed of it.

    Where words are left that no column has, ``relate`` says which columns mean nearly the same; a reading by these is never sure.
    """
    form = read_form(question)
    if form is None:
        return None
    plain = _choose_reading(form, tables, NO_MEANINGS)
    if relate is None or not tables or not form.is_computed or (plain is not None and not plain.unexplained):
        return plain
    meant = find_meanings(form, tables, relate)
    near = _choose_reading(form, tables, meant) if meant else None
    taken_names = [f"“{word}” was taken for {name}" for word, name in _list_taken(near, tables, meant)] if near else []
    if near is None or not taken_names or (plain is not None and len(near.unexplained) >= len(plain.unexplained)):
        return plain
    return replace(near, confidence=min(near.confidence, GUESSED), doubts=(*near.doubts, *taken_names))


def interpret_claim(claim: str, tables: Sequence[TypedTable]) -> Reading | None:
    """``claim`` as the question whether it is so; None where no table decides it, or where anything of it had to be guessed."""
    form = read_form(claim)
    if form is None or not (form.end is not None or form.contrast is not None or form.versus is not None):
        return None
    reading = _choose_reading(replace(form, is_yes_no=True), tables, NO_MEANINGS)
    is_decided = reading is not None and (reading.check is not None or reading.asks_whether)
    return reading if is_decided and reading is not None and reading.confidence >= SURE else None


def _list_taken(reading: Reading, tables: Sequence[TypedTable], meant: Meant) -> list[tuple[str, str]]:
    """The words that a reading takes for columns which mean nearly the same."""
    query = reading.query
    places = {query.measure, query.shown, query.grouping.column if query.grouping else None}
    places |= {condition.column for condition in query.conditions if not condition.is_joined}
    columns = reading.extend_tables(tables)[query.table].columns
    names = {columns[place].name for place in places if place is not None}
    return [(word, name) for word, columns in meant.items() for name in sorted(columns & names)]


def _choose_reading(form: QuestionForm, tables: Sequence[TypedTable], meant: Meant) -> Reading | None:
    readings = [reading for place in range(len(tables)) if (reading := _TableReader(form, tables, place, meant).read())]
    if not readings:
        return None
    ranked = sorted(readings, key=lambda each: (*_plainness(each), -each.strength))
    best = ranked[0]
    for other in ranked[1:]:
        if _plainness(other) == _plainness(best) and other.strength >= best.strength - AS_STRONG:
            doubt = f"{tables[other.query.table].table.label} could be meant too"
            return replace(best, confidence=min(best.confidence, GUESSED), doubts=(*best.doubts, doubt))
    return best


def _plainness(reading: Reading) -> tuple[int, int, int]:
    """How much of a reading is guessed, and how far round it goes."""
    return len(reading.unexplained), len(reading.doubts), reading.detours


def asks_computation(question: str) -> bool:
    """Whether a question asks, by its words, for a count, a sum, a mean, an end, groups, or the rows that meet a comparison."""
    form = read_form(question)
    return form is not None and form.is_computed


class _TableReader:
    """Reads one question over one table."""

    def __init__(self, form: QuestionForm, tables: Sequence[TypedTable], place: int, meant: Meant) -> None:
        self.form, self.place, self.table = form, place, tables[place]
        self.reader = ConditionReader(form, tables, place, meant)
        self.words, self.notes = self.reader.words, self.reader.notes
        self.builder = QueryBuilder(self.reader)
        self.subjects = self.builder.subjects

    def read(self) -> Reading | None:
        """The reading; None where the table is not asked about."""
        if not self.reader.read():
            return None
        grouping = self.subjects.find_grouping()
        shown = self.table.columns[grouping.column] if grouping is not None else self.subjects.find_shown()
        join = self.reader.find_join()
        if join is None and grouping is None and shown is None:
            grouping, join = self.subjects.find_joined_grouping()
        query = self.builder.build(grouping, shown, join)
        if query is None:
            return None
        if self.builder.derived is not None:
            self.table = replace(self.table, columns=(*self.table.columns, self.builder.derived.column))
        unexplained = self.reader.list_unexplained()
        if not self._is_anchored() or not self._may_leave(unexplained, query):
            return None
        return self._rate(query, unexplained)

    def _is_anchored(self) -> bool:
        return bool(self.words.about or self.notes.conditions or self.notes.strength > 0)

    def _may_leave(self, unexplained: Sequence[str], query: TableQuery) -> bool:
        """Whether what was not understood leaves a reading at all: one word, beside two that were, or the noun for the rows."""
        bound = {place for each in self.form.bounds for place in each.tokens}
        compared = {place for place, token in enumerate(self.form.tokens) if token.word in {"than", "before", "after"}}
        if compared - bound and self.form.contrast is None:
            # before somebody else, more than another: that is no figure and no day
            return False
        timed = {place for each in self.form.bounds if each.is_date for place in each.tokens}
        if query.aggregate is Aggregate.LIST and (not self._knows_asked(query) or self.notes.explained <= timed):
            return False
        if not unexplained:
            return True
        if len(unexplained) > 1 or (
            query.aggregate is Aggregate.COUNT and not query.conditions and query.grouping is None
        ):
            return False
        is_row_noun = unexplained[0] == self._row_noun() and bool(query.conditions or query.grouping)
        return is_row_noun or len(self.notes.explained) > 1

    def _knows_asked(self, query: TableQuery) -> bool:
        """Whether the noun behind "who is the" or "what was the" is a column that is shown or a value that was looked for: the head of a department is
        in no table of employees.
        """
        shown = {query.shown, query.measure}
        known = {place for each in self.words.columns if each.column.place in shown for place in each.tokens}
        known |= {
            place for each in self.words.values if each.column.place in self.notes.columns for place in each.tokens
        }
        noun = find_attribute(self.form.tokens)
        return noun is None or noun not in self.words.content or noun in known

    def _row_noun(self) -> str:
        """The word of the question for what is counted: how many books, the most books."""
        last = max(self.form.end_tokens, default=-1)
        place = self.form.counted if self.form.counted is not None else last + 1
        return self.form.tokens[place].text if 0 <= place < len(self.form.tokens) else ""

    def _rate(self, query: TableQuery, unexplained: Sequence[str]) -> Reading | None:
        notes = self.notes
        doubts = [*notes.doubts, *(f"“{word}” was not understood" for word in unexplained)]
        if query.conditions and not self.reader.count_rows():
            if query.aggregate is not Aggregate.COUNT or query.grouping is not None or unexplained:
                return None
            doubts.append("no row has this")
        if len(doubts) > MOST_DOUBTS or (doubts and query.aggregate is Aggregate.LIST and not self.form.is_computed):
            return None
        doubts += self._list_units(query)
        used = [self.table.columns[place] for place in {query.measure, *notes.columns} if place is not None]
        unread = sum(column.unread for column in used)
        if unread:
            doubts.append(f"{unread:,} {'cell' if unread == 1 else 'cells'} could not be read")
        confidence = GUESSED - LESS_SURE * (len(doubts) - 1) if doubts else SURE
        strength = notes.strength + self.builder.names_rows()
        query, check = self._split_check(query)
        contrast = self.form.contrast
        whether = contrast is not None and self.form.is_yes_no and not contrast.is_choice and query.end is not None
        label = self.table.label_column
        is_other = self.form.asks_who and query.shown is not None and label is not None and query.shown != label.place
        detours = (query.join is not None) + (is_other and not self.subjects.is_named(query.shown))
        derived = self.builder.derived
        return Reading(query, confidence, strength, tuple(unexplained), tuple(doubts), check, whether, derived, detours)

    def _list_units(self, query: TableQuery) -> list[str]:
        """What is to be said where amounts of several currencies or units are put together: another column says each row's."""
        if query.measure is None or query.aggregate is Aggregate.LIST:
            return []
        measure = self.table.columns[query.measure]
        if not measure.kind.is_amount:
            return []
        rows = self.reader.matching_rows(query.grouping.sides if query.grouping is not None else ())
        named = {"currency"} if INTENSIVE.intersection(measure.words) else {"currency", "unit", "units"}
        for column in self.table.columns:
            values = list(dict.fromkeys(column.cells[row] for row in rows if column.cells[row]))
            if column.kind is ColumnKind.TEXT and set(column.words) <= named and len(values) > 1:
                return [f"{measure.name} is in {', '.join(values[:3])}{', …' if len(values) > 3 else ''}"]
        return []

    def _split_check(self, query: TableQuery) -> tuple[TableQuery, Condition | None]:
        """Of a yes-or-no question about an end, the last value that is named is what the row is asked to have, not where it is looked for."""
        if not self.form.is_yes_no or self.form.end is None:
            return query, self.builder.verdict
        named = [
            condition
            for condition in query.conditions
            if not condition.is_joined and (condition.comparison is Comparison.IN or self._names_one_day(condition))
        ]
        if not named:
            return query, None
        last = max(named, key=lambda condition: self.notes.places.get(condition.column, 0))
        return replace(query, conditions=tuple(each for each in query.conditions if each is not last)), last

    def _names_one_day(self, condition: Condition) -> bool:
        """Whether it chooses one of the days or months that the rows are of."""
        column = self.table.columns[condition.column]
        is_time = condition.comparison in (Comparison.SEASON, Comparison.WITHIN) and column.kind is ColumnKind.DATE
        return is_time and column.is_unique and sum(map(condition.holds, column.distinct)) == 1
