"""A question read as a query over one of several tables, by rules.

A reading says what it leaves unexplained and what it had to guess; with either it is never sure.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ascertain.language.word_lists import load_word_set
from ascertain.tables.columns import NEARLY_UNIQUE, Column, TypedTable
from ascertain.tables.conditions import ConditionReader
from ascertain.tables.matching import NO_MEANINGS, ROOT, Meant, Relate, find_meanings, meet
from ascertain.tables.measures import MeasureFinder, asks_for_change, counts_rows
from ascertain.tables.query import Aggregate, Comparison, Condition, Grouping, Join, Part, TableQuery
from ascertain.tables.questions import QuestionForm, read_form
from ascertain.tables.subjects import SubjectFinder
from ascertain.tables.values import ColumnKind

SURE, GUESSED = 88, 62
"""Confidence of a reading that explains every word, and of one with a doubt: a reader has to look (by judgement, checked by
``bench/computed_tables.py``: no wrong answer was of the first kind)."""
LESS_SURE = 8
"""Points less for each further doubt."""
MOST_DOUBTS = 2
NAMES_AGAIN = 0.95
"""Share of rows with a name of their own below which the amounts of one name are added up before they are compared (by judgement)."""
AS_STRONG = 0.1
"""Strength within which a question may be of either of two tables."""
MOST_LOOKED_UP = 5
"""Rows that a look-up may show; with more the question did not name its row."""
_ROW_WORDS, _TIME_UNITS = (load_word_set("table_questions", name) for name in ("rows", "time_units"))
_QUANTITIES = frozenset({"units", "quantity", "qty", "sold", "pieces"})
_SPENDING = frozenset({"spend", "spent", "pay", "paid", "sell", "sold", "earn", "earned", "make", "made", "owe"})


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
    told = [f"“{word}” was taken for {name}" for word, name in _list_taken(near, tables, meant)] if near else []
    if near is None or not told or (plain is not None and len(near.unexplained) >= len(plain.unexplained)):
        return plain
    return replace(near, confidence=min(near.confidence, GUESSED), doubts=(*near.doubts, *told))


def _list_taken(reading: Reading, tables: Sequence[TypedTable], meant: Meant) -> list[tuple[str, str]]:
    """The words that a reading takes for columns which mean nearly the same."""
    query = reading.query
    places = {query.measure, query.shown, query.grouping.column if query.grouping else None}
    places |= {condition.column for condition in query.conditions if not condition.is_joined}
    names = {tables[query.table].columns[place].name for place in places if place is not None}
    return [(word, name) for word, columns in meant.items() for name in sorted(columns & names)]


def _choose_reading(form: QuestionForm, tables: Sequence[TypedTable], meant: Meant) -> Reading | None:
    readings = [reading for place in range(len(tables)) if (reading := _TableReader(form, tables, place, meant).read())]
    if not readings:
        return None
    ranked = sorted(readings, key=lambda each: (len(each.unexplained), len(each.doubts), -each.strength))
    best = ranked[0]
    plainness = (len(best.unexplained), len(best.doubts))
    for other in ranked[1:]:
        if (len(other.unexplained), len(other.doubts)) == plainness and other.strength >= best.strength - AS_STRONG:
            doubt = f"{tables[other.query.table].table.label} could be meant too"
            return replace(best, confidence=min(best.confidence, GUESSED), doubts=(*best.doubts, doubt))
    return best


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
        self.subjects = SubjectFinder(self.reader)
        self.measures = MeasureFinder(self.reader)

    def read(self) -> Reading | None:
        """The reading; None where the table is not asked about."""
        if not self.reader.read():
            return None
        grouping = self.subjects.find_grouping()
        shown = self.table.columns[grouping.column] if grouping is not None else self.subjects.find_shown()
        join = self.reader.find_join()
        if join is None and grouping is None and shown is None:
            grouping, join = self.subjects.find_joined_grouping()
        query = self._build(grouping, shown, join)
        if query is None:
            return None
        unexplained = self.reader.list_unexplained()
        if not self._is_anchored() or not self._may_leave(unexplained, query):
            return None
        return self._rate(query, unexplained)

    def _is_anchored(self) -> bool:
        return bool(self.words.about or self.notes.conditions or self.notes.strength > 0)

    def _may_leave(self, unexplained: Sequence[str], query: TableQuery) -> bool:
        """Whether what was not understood leaves a reading at all: one word, beside two that were, or the noun for the rows."""
        if not unexplained:
            return True
        if len(unexplained) > 1 or (
            query.aggregate is Aggregate.COUNT and not query.conditions and query.grouping is None
        ):
            return False
        is_row_noun = unexplained[0] == self._row_noun() and bool(query.conditions or query.grouping)
        return is_row_noun or len(self.notes.explained) > 1

    def _row_noun(self) -> str:
        """The word of the question for what is counted: how many books, the most books."""
        last = max(self.form.end_tokens, default=-1)
        place = self.form.counted if self.form.counted is not None else last + 1
        return self.form.tokens[place].text if 0 <= place < len(self.form.tokens) else ""

    def _rate(self, query: TableQuery, unexplained: Sequence[str]) -> Reading | None:
        notes = self.notes
        doubts = [*notes.doubts, *(f"“{word}” was not understood" for word in unexplained)]
        if query.conditions and query.join is None and not self.reader.count_rows():
            if query.aggregate is not Aggregate.COUNT or query.grouping is not None:
                return None
            doubts.append("no row has this")
        if len(doubts) > MOST_DOUBTS or (doubts and query.aggregate is Aggregate.LIST and not self.form.is_computed):
            return None
        used = [self.table.columns[place] for place in {query.measure, *notes.columns} if place is not None]
        unread = sum(column.unread for column in used)
        if unread:
            doubts.append(f"{unread:,} {'cell' if unread == 1 else 'cells'} could not be read")
        confidence = GUESSED - LESS_SURE * (len(doubts) - 1) if doubts else SURE
        strength = notes.strength + self._names_rows()
        query, check = self._split_check(query)
        return Reading(query, confidence, strength, tuple(unexplained), tuple(doubts), check)

    def _names_rows(self) -> bool:
        """Whether what is asked about or counted are the rows of this table, by the name of its key or the words over it."""
        noun = self.form.counted if self.form.counted is not None else self.form.asked
        key = self.table.key_column
        named = any(each.column is key and noun in each.tokens for each in self.words.columns)
        return noun is not None and (noun in self.words.about or named)

    def _build(self, grouping: Grouping | None, shown: Column | None, join: Join | None) -> TableQuery | None:
        form = self.form
        base = TableQuery(
            self.place,
            Aggregate.COUNT,
            conditions=tuple(self.notes.conditions),
            grouping=grouping,
            shown=shown.place if shown else None,
            join=join,
        )
        if form.end is not None:
            return self._build_end(base, shown)
        if form.aggregate is Aggregate.COUNT:
            return self._build_count(base)
        if form.aggregate is Aggregate.SHARE:
            return replace(base, aggregate=Aggregate.SHARE, shown=None) if base.conditions and join is None else None
        if form.aggregate in (Aggregate.SUM, Aggregate.MEAN, Aggregate.MEDIAN):
            measure, _ = self.measures.find(shown)
            if measure is None or self._is_part_of_name(measure):
                return self._build_lookup(base, shown, measure)
            return replace(base, aggregate=form.aggregate, measure=measure.place, shown=None)
        if grouping is not None:
            return self._build_groups(base)
        return self._build_lookup(base, shown, None)

    def _build_groups(self, base: TableQuery) -> TableQuery | None:
        """A figure for each group, where the words do not say which: rows counted, or the sum of the column that is named."""
        measure = next(
            (each.column for each in self.words.columns if each.column.is_measure and each.column.is_additive), None
        )
        if measure is None:
            return None if self._asks_amount() else replace(base, shown=None)
        self.reader.explain(self.reader.own_tokens(self.words, measure), 1.0)
        return replace(base, aggregate=Aggregate.SUM, measure=measure.place, shown=None)

    def _is_part_of_name(self, measure: Column) -> bool:
        """Whether the word that would ask for a mean or a total belongs to the name of the column: ``Mean discharge``."""
        own = next((each for each in self.words.columns if each.column is measure), None)
        operators = {
            place
            for place in self.form.operators
            if any(meet(self.form.tokens[place].word, word) >= ROOT for word in measure.words)
        }
        return own is not None and bool(operators) and own.score >= 0.9 and bool(self.notes.conditions)

    def _build_count(self, base: TableQuery) -> TableQuery | None:
        counted, reader = self.form.counted, self.reader
        if counted is not None:
            of_column = self._count_column(base, counted)
            if of_column is not None:
                return of_column
            reader.explain({counted} & {place for each in self.words.columns for place in each.tokens}, 0.5)
        if not self._counts_sensibly(base):
            return None
        return replace(base, shown=None)

    def _count_column(self, base: TableQuery, counted: int) -> TableQuery | None:
        """A count that is a sum over a column, or of the different values of one; None where rows are counted."""
        reader, word = self.reader, self.form.tokens[counted].word
        free = [each for each in self.words.columns if each.column.place not in self.notes.columns]
        named = [each for each in free if counted in each.tokens]
        amounts = [each for each in named if each.column.is_measure]
        if amounts and counted not in self.words.about:
            reader.explain(amounts[0].tokens, amounts[0].score)
            return self._build_amount(base, amounts[0].column)
        kinds = [each for each in named if each.column.kind is ColumnKind.TEXT and self._is_kind(each.column)]
        if kinds and counted not in self.words.about and base.grouping is None:
            reader.explain(kinds[0].tokens, 1.0)
            return replace(base, aggregate=Aggregate.DISTINCT, measure=kinds[0].column.place, shown=None)
        of_unit = [column for column in self.table.columns if column.is_measure and word in column.units]
        if len(of_unit) == 1:
            reader.explain({counted}, 1.0)
            return self._build_amount(base, of_unit[0])
        held = [each for each in free if each.column.is_measure and each.column.is_additive and each.score >= 0.9]
        held = [each for each in held if not each.tokens & self.notes.explained]
        if held and counted in self.notes.explained:
            # how many bolts are in stock: the bolts are rows, and a column says how many of each
            reader.explain(held[0].tokens, 1.0)
            return self._build_amount(base, held[0].column)
        return self._count_by_cause(base, counted) or self._count_sold(base, counted)

    def _count_sold(self, base: TableQuery, counted: int) -> TableQuery | None:
        """How many chairs were sold: the chairs are a value, and a column says how many of them each row is about."""
        column = self.measures.find_by_verb(None) if counted in self.notes.explained else None
        if column is None or not column.is_additive or not _QUANTITIES & set(column.words):
            return None
        return self._build_amount(base, column)

    def _count_by_cause(self, base: TableQuery, counted: int) -> TableQuery | None:
        """How many soldiers died of disease: what is counted is named nowhere, and the column of what they died of holds how many."""
        is_known = counted in self.words.about or self.words.explains(counted) or counted in self.notes.explained
        named = [each for each in self.words.columns if each.column.is_measure and each.score >= 0.9]
        free = [each for each in named if each.column.place not in self.notes.columns]
        if is_known or not free or not base.conditions:
            return None
        self.reader.explain({counted, *free[0].tokens}, free[0].score)
        self.notes.doubts.append(f"{free[0].column.name} was taken for how many {self.form.tokens[counted].text}")
        return self._build_amount(base, free[0].column)

    def _is_kind(self, column: Column) -> bool:
        """Whether several rows share its values, so that what it holds is counted once each; names of persons may be alike by chance."""
        share = NEARLY_UNIQUE if column is not self.table.label_column else NEARLY_UNIQUE / 2
        return len(column.distinct) < share * max(1, sum(column.distinct.values()))

    def _counts_sensibly(self, base: TableQuery) -> bool:
        """Whether rows are what is counted: all of them only where the question says rows or what they are, days only where rows have days, and
        never the single row that the question names.
        """
        counted, words = self.form.counted, self.words
        token = self.form.tokens[counted].word if counted is not None else ""
        if token in _TIME_UNITS and not any(column.kind is ColumnKind.DATE for column in self.table.columns):
            return False
        keys = {column.place for column in self.table.columns if column.is_unique}
        if any(
            condition.column in keys
            and len(condition.bounds) == 1
            and condition.comparison is Comparison.IN
            and not condition.is_joined
            for condition in base.conditions
        ):
            return False
        if base.conditions or base.grouping is not None or counted is None:
            return bool(base.conditions or base.grouping is not None)
        key = self.table.key_column or self.table.label_column
        of_rows = key is not None and any(each.column is key and counted in each.tokens for each in words.columns)
        return token in _ROW_WORDS or of_rows or (counted in words.about and words.table.table.is_file)

    def _build_amount(self, base: TableQuery, measure: Column) -> TableQuery | None:
        """How many of something that a column counts: its cell where one row is named, a sum over several."""
        rows = self.reader.count_rows()
        if rows == 1 and base.grouping is None:
            return replace(
                base, aggregate=Aggregate.LIST, measure=measure.place, shown=(self.table.label_column or measure).place
            )
        if not measure.is_additive:
            self.notes.doubts.append(f"{measure.name} was added up")
        return replace(base, aggregate=Aggregate.SUM, measure=measure.place, shown=None)

    def _build_end(self, base: TableQuery, shown: Column | None) -> TableQuery | None:
        """The rows, or the groups, of the highest or lowest figure."""
        form = self.form
        assert form.end is not None
        measure, turned = self.measures.find(shown)
        end = _turn(form.end) if turned else form.end
        shown = shown or self.subjects.find_noun() or self.table.key_column
        if measure is not None and shown is measure:
            shown = self.table.key_column
        base = replace(base, shown=None, rank=form.rank, most=form.most)
        if measure is None:
            grouping = base.grouping or self._group_counted(shown)
            if grouping is None or asks_for_change(form) or not counts_rows(self.reader):
                return None
            return replace(base, aggregate=Aggregate.COUNT, grouping=grouping, end=end)
        grouping = base.grouping or self._group_measured(shown, measure)
        is_of_rows = form.aggregate is None and not measure.is_additive and base.grouping is None
        if grouping is None or (is_of_rows and form.rank == form.most == 1):
            return replace(base, aggregate=end, measure=measure.place, shown=shown.place if shown else None)
        inner = form.aggregate or (Aggregate.SUM if measure.is_additive else end)
        return replace(base, aggregate=inner, measure=measure.place, grouping=grouping, end=end)

    def _group_counted(self, shown: Column | None) -> Grouping | None:
        """The groups whose rows are counted; None where each row is one of its own."""
        if shown is None:
            return None
        grouping = self.subjects.group_by_column(shown)
        return None if shown.is_unique and grouping.part is Part.WHOLE else grouping

    def _group_measured(self, shown: Column | None, measure: Column) -> Grouping | None:
        """The groups by what is shown, where several rows share it, or a figure over each is asked for."""
        if shown is None or not self.subjects.names_shown(shown):
            return None
        share = NAMES_AGAIN if measure.is_additive else NEARLY_UNIQUE
        if self.form.aggregate is None and not self.subjects.is_kind(shown, share):
            return None
        return self.subjects.group_by_column(shown)

    def _build_lookup(self, base: TableQuery, shown: Column | None, measure: Column | None) -> TableQuery | None:
        """The rows that the question names with the column it asks for, or the rows that meet its comparisons."""
        form = self.form
        asks_amount = self._asks_amount()
        if not self.notes.conditions and not (asks_amount and self._is_spent() and self.words.about):
            return None
        compares = any(each.compares for each in form.bounds)
        if form.is_listing and (compares or shown is not None) and measure is None:
            shown = shown or self.subjects.find_noun() or self.table.label_column
            return (
                replace(base, aggregate=Aggregate.LIST, measure=None, shown=shown.place if shown else None)
                if shown
                else None
            )
        column = measure or self._find_asked_column(asks_amount)
        if column is None or column.place in self.notes.columns:
            return None
        if asks_amount and column.is_additive and self._is_spent():
            return replace(base, aggregate=Aggregate.SUM, measure=column.place, shown=None)
        if not self.notes.conditions:
            return None
        rows = self.reader.count_rows()
        if not 0 < rows <= MOST_LOOKED_UP:
            return None
        return replace(
            base, aggregate=Aggregate.LIST, measure=column.place, shown=(self.table.label_column or column).place
        )

    def _asks_amount(self) -> bool:
        return [token.word for token in self.form.tokens[:2]] == ["how", "much"]

    def _is_spent(self) -> bool:
        """Whether the question asks what was paid, sold or made in all, which is a sum over the rows."""
        words = {token.word for token in self.form.tokens}
        return bool(words & _SPENDING) and bool(words & {"did", "have", "has", "do", "was", "were"})

    def _find_asked_column(self, asks_amount: bool) -> Column | None:
        free = [each for each in self.words.columns if each.column.place not in self.notes.columns]
        if asks_amount:
            free = [each for each in free if each.column.kind.is_amount]
        if free:
            self.reader.explain(free[0].tokens, 1.0)
            return free[0].column
        return self.measures.find_by_verb(None)

    def _split_check(self, query: TableQuery) -> tuple[TableQuery, Condition | None]:
        """Of a yes-or-no question about an end, the last value that is named is what the row is asked to have, not where it is looked for."""
        if not self.form.is_yes_no or self.form.end is None:
            return query, None
        named = [
            condition
            for condition in query.conditions
            if condition.comparison is Comparison.IN and not condition.is_joined
        ]
        if not named:
            return query, None
        last = named[-1]
        return replace(query, conditions=tuple(each for each in query.conditions if each is not last)), last


def _turn(end: Aggregate) -> Aggregate:
    return Aggregate.LOWEST if end is Aggregate.HIGHEST else Aggregate.HIGHEST
