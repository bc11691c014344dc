"""The query that a question asks for over one table, once its conditions are known: counts, sums, shares, ends, comparisons, groups, look-ups."""

from __future__ import annotations

from dataclasses import replace

from ascertain.language.word_lists import load_word_set
from ascertain.reports.tables.columns import INTENSIVE, NEARLY_UNIQUE, Column
from ascertain.reports.tables.query import Aggregate, Comparison, Condition, Grouping, Join, Part, TableQuery
from ascertain.reports.tables.questions.computations import Contrast, find_attribute, is_plural
from ascertain.reports.tables.questions.conditions import ConditionReader
from ascertain.reports.tables.questions.derived import Derived, find_difference, measure_changes, subtract_columns
from ascertain.reports.tables.questions.matching import ROOT, ColumnMention, meet
from ascertain.reports.tables.questions.measures import CHANGES, MeasureFinder, asks_for_change, counts_rows
from ascertain.reports.tables.questions.subjects import SubjectFinder
from ascertain.reports.tables.values import ColumnKind

NAMES_AGAIN = 0.95
"""Share of rows with a name of their own below which the amounts of one name are added up before they are compared (by judgement)."""
MOST_LOOKED_UP = 5
"""Rows that a look-up may show; with more the question did not name its row."""
_QUANTITIES = frozenset({"units", "quantity", "qty", "sold", "pieces"})
_VERBS = load_word_set("table_questions", "doings") | frozenset("is are was were did do does has have had came".split())
_OTHER_PARTS = frozenset("week weeks weekend weekday half season decade century hour".split())
_SPENDING = frozenset({"spend", "spent", "pay", "paid", "sell", "sold", "earn", "earned", "make", "made", "owe"})
_ROW_WORDS, _TIME_UNITS = (load_word_set("table_questions", name) for name in ("rows", "time_units"))


class QueryBuilder:
    """Builds the query of one question over one table; its guesses are in the notes of ``reader``."""

    def __init__(self, reader: ConditionReader) -> None:
        self.reader, self.form, self.table = reader, reader.form, reader.table
        self.words, self.notes = reader.words, reader.notes
        self.subjects = SubjectFinder(reader)
        self.measures = MeasureFinder(reader)
        self.derived: Derived | None = None
        """The column that is computed with where the table has none."""
        self.verdict: Condition | None = None
        """What a yes-or-no question asks of the row."""

    def names_rows(self) -> bool:
        """Whether what is asked about or counted are the rows of this table, by the name of its key or the words over it."""
        noun = self.form.counted if self.form.counted is not None else self.form.asked
        key = self.table.key_column
        named = any(each.column is key and noun in each.tokens for each in self.words.columns)
        return noun is not None and (noun in self.words.about or named)

    def build(self, grouping: Grouping | None, shown: Column | None, join: Join | None) -> TableQuery | None:
        """The query that gives the figure of each group, or what is ``shown``; None where there is none."""
        form = self.form
        base = TableQuery(
            self.reader.place,
            Aggregate.COUNT,
            conditions=tuple(self.notes.conditions),
            grouping=grouping,
            shown=shown.place if shown else None,
            join=join,
        )
        difference = find_difference(form, self.words)
        if difference is not None and join is None and grouping is None:
            return self._build_difference(base, *difference, shown)
        if self.notes.compares_columns and form.is_yes_no:
            return self._build_verdict(base)
        if form.end is not None:
            return self._build_end(base, shown)
        contrast = form.contrast
        if (
            contrast is not None
            and not self.notes.compares_columns
            and (contrast.end is not None or contrast.times or self._value_sides())
        ):
            return self._build_contrast(base, contrast)
        if form.aggregate is Aggregate.COUNT:
            return self._build_count(base)
        if form.aggregate is Aggregate.SHARE:
            return self._build_share(base) if base.conditions and join is None else None
        if form.aggregate in (Aggregate.SUM, Aggregate.MEAN, Aggregate.MEDIAN):
            measure, _ = self.measures.find(shown)
            if measure is None:
                return self._build_lookup(base, shown, measure)
            return replace(base, aggregate=form.aggregate, measure=measure.place, shown=None)
        if grouping is not None:
            return self._build_groups(base)
        return self._build_lookup(base, shown, None)

    def _build_difference(
        self, base: TableQuery, first: ColumnMention, second: ColumnMention, shown: Column | None
    ) -> TableQuery | None:
        """One column minus another: of the rows that are named, at an end, or put together."""
        form = self.form
        self.derived = subtract_columns(self.table, first.column, second.column)
        base = replace(base, measure=self.derived.column.place)
        self.reader.explain(first.tokens | second.tokens, 1.0)
        label = shown or self.table.label_column or self.table.key_column
        if form.end is not None:
            return replace(base, aggregate=form.end, shown=label.place if label else None)
        if form.aggregate in (Aggregate.SUM, Aggregate.MEAN, Aggregate.MEDIAN):
            return replace(base, aggregate=form.aggregate, shown=None)
        if not base.conditions or not 0 < self.reader.count_rows() <= MOST_LOOKED_UP:
            return None
        return replace(base, aggregate=Aggregate.LIST, shown=label.place if label else base.measure)

    def _build_verdict(self, base: TableQuery) -> TableQuery | None:
        """Whether one column is above another in the row that is named."""
        (versus,) = (each for each in self.notes.conditions if each.other is not None)
        assert versus.other is not None
        self.derived = subtract_columns(self.table, self.table.columns[versus.column], self.table.columns[versus.other])
        self.notes.conditions.remove(versus)
        self.verdict = versus
        base = replace(base, conditions=tuple(self.notes.conditions))
        if not base.conditions or self.reader.count_rows() != 1:
            return None
        label = self.table.label_column or self.table.key_column
        measure = self.derived.column.place
        return replace(base, aggregate=Aggregate.LIST, measure=measure, shown=label.place if label else measure)

    def _build_change(self, base: TableQuery, end: Aggregate) -> TableQuery | None:
        """The row at whose day or month an amount rose or fell the most."""
        named = next((each for each in self.words.columns if each.column.is_measure), None)
        if named is None or self.form.end is not Aggregate.HIGHEST or base.grouping is not None or base.conditions:
            return None
        changes = measure_changes(self.table, self.form, named.column)
        if changes is None:
            return None
        self.derived, dated = changes
        self.reader.explain(named.tokens, named.score)
        change_tokens = {place for place, token in enumerate(self.form.tokens) if token.word in CHANGES}
        self.reader.explain(change_tokens | self.reader.own_tokens(self.words, dated), 1.0)
        base = replace(base, rank=self.form.rank, most=self.form.most)
        return replace(base, aggregate=end, measure=self.derived.column.place, shown=dated.place)

    def _value_sides(self) -> tuple[Condition, ...]:
        """Two values of one column that the question names, each as a condition, in its order."""
        for condition in self.notes.conditions:
            if condition.comparison is Comparison.IN and len(condition.bounds) == 2 and not condition.is_joined:
                named = [each for each in self.words.values if each.column.place == condition.column]
                first = {each.values[0]: min(each.tokens) for each in named if len(each.values) == 1}
                if set(condition.bounds) <= set(first):
                    values = sorted(condition.bounds, key=lambda value: first[str(value)])
                    return tuple(replace(condition, bounds=(value,), words=str(value)) for value in values)
        return ()

    def _build_contrast(self, base: TableQuery, contrast: Contrast) -> TableQuery | None:
        """The figure of each of two times, or of two values of a column: their sum where it adds up, else their mean."""
        sides = tuple(self.notes.sides) or self._value_sides()
        if (
            len({side.column for side in sides}) != 1
            or not all(self.reader.matching_rows((side,)) for side in sides)
            or base.join is not None
        ):
            return None
        rest = tuple(each for each in base.conditions if sides[0].column != each.column or each.is_joined)
        said, is_counted = self.form.aggregate, self._counts_more(contrast)
        measure, turned = self.measures.find(None) if not is_counted else (None, False)
        if measure is None:
            if said is not Aggregate.COUNT and not is_counted:
                return None
            aggregate = Aggregate.COUNT
        elif measure.kind is ColumnKind.DATE:
            return None
        elif said in (Aggregate.SUM, Aggregate.MEAN, Aggregate.MEDIAN):
            aggregate = said
        else:
            aggregate = Aggregate.SUM if measure.is_additive else Aggregate.MEAN
        end = _turn(contrast.end) if turned and contrast.end is not None else contrast.end
        grouping = Grouping(sides[0].column, sides=sides)
        place = None if measure is None else measure.place
        return replace(
            base, aggregate=aggregate, measure=place, conditions=rest, grouping=grouping, shown=None, end=end
        )

    def _counts_more(self, contrast: Contrast) -> bool:
        """Whether there are more of what the rows are: more sunny days, and not more goals where a column holds them."""
        tokens, last = self.form.tokens, max(contrast.tokens)
        nouns = [
            place for place in (last + 1, last + 2) if place in self.words.content and is_plural(tokens[place].word)
        ]
        measured = {place for each in self.words.columns if each.column.is_measure for place in each.tokens}
        is_amount = self._asks_amount() or tokens[last].word not in {"more", "fewer"}
        return not is_amount and bool(nouns) and measured.isdisjoint(nouns)

    def _build_share(self, base: TableQuery) -> TableQuery:
        """A part of what a column adds up to, where the question names one, or of the rows. What stands before the verb holds for the whole."""
        reader, tokens = self.reader, self.form.tokens
        start = max(self.form.operators) + 1
        verb = max((place for place in range(start, len(tokens)) if tokens[place].word in _VERBS), default=None)
        amounts = [
            each
            for each in self.words.columns
            if each.column.is_measure and each.column.place not in self.notes.columns
        ]
        whole = tuple(each for each in base.conditions if verb is not None and self.notes.places[each.column] < verb)
        if len(whole) == len(base.conditions):
            whole = ()
        if verb is None and len(base.conditions) > 1:
            self.notes.doubts.append("it was taken as the share of all rows")
        telling = {*self.words.content, *(place for each in amounts for place in each.tokens)}
        noun = next((place for place in range(start, len(tokens)) if place in telling), start)
        named = next((each for each in amounts if noun in each.tokens), None)
        are_rows = self.words.explains(noun) and noun not in self.notes.explained
        named_texts = [each.column for each in self.words.columns if noun in each.tokens]
        if any(each.kind is ColumnKind.TEXT and self.subjects.is_kind(each, NEARLY_UNIQUE) for each in named_texts):
            self.notes.doubts.append("each row was counted")
        if named is None and amounts and not are_rows:
            named = amounts[0]
        if named is not None:
            reader.explain(named.tokens, named.score)
            if not named.column.is_additive:
                self.notes.doubts.append(f"{named.column.name} was added up")
        elif amounts or not (are_rows or noun in self.notes.explained):
            self.notes.doubts.append("it was taken as the share of the rows")
        measure = None if named is None else named.column.place
        return replace(base, aggregate=Aggregate.SHARE, measure=measure, shown=None, whole=whole)

    def _build_groups(self, base: TableQuery) -> TableQuery | None:
        """A figure for each group, where the words do not say which: rows counted, or the sum of the column that is named."""
        measure = next(
            (each.column for each in self.words.columns if each.column.is_measure and each.column.is_additive), None
        )
        if measure is None:
            return None if self._asks_amount() else replace(base, shown=None)
        self.reader.explain(self.reader.own_tokens(self.words, measure), 1.0)
        return replace(base, aggregate=Aggregate.SUM, measure=measure.place, shown=None)

    def _build_count(self, base: TableQuery) -> TableQuery | None:
        counted, reader = self.form.counted, self.reader
        if counted is not None:
            of_column = self._count_column(base, counted)
            if of_column is not None:
                return of_column
            reader.explain({counted} & {place for each in self.words.columns for place in each.tokens}, 0.5)
        if not self._counts_sensibly(base):
            return None
        join = base.join
        if (
            join is not None
            and not self.reader.tables[join.table].columns[join.other].is_unique
            and not self.names_rows()
        ):
            # what has rows in the other table is counted only where it is called so
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
        if measure is None and asks_for_change(form):
            return self._build_change(base, end)
        shown = shown or self.subjects.find_noun() or self.table.key_column
        if measure is not None and shown is measure:
            shown = self.table.key_column if self.table.key_column is not measure else self.table.name_column
        if self._asks_other_part(shown):
            return None
        base = replace(base, shown=None, rank=form.rank, most=form.most)
        if measure is None:
            grouping = base.grouping or self._group_counted(shown)
            if grouping is None or not counts_rows(self.reader):
                return None
            return replace(base, aggregate=Aggregate.COUNT, grouping=grouping, end=end)
        grouping = base.grouping or self._group_measured(shown, measure)
        # what has the most credits has them in all its rows
        is_most = (
            bool({"most", "fewest"} & {form.tokens[place].word for place in form.end_tokens}) and not form.adjective
        )
        adds_up = measure.is_additive or (is_most and not INTENSIVE.intersection(measure.words))
        is_of_rows = form.aggregate is None and not adds_up and base.grouping is None
        if grouping is None or (is_of_rows and form.rank == form.most == 1):
            return replace(base, aggregate=end, measure=measure.place, shown=shown.place if shown else None)
        inner = form.aggregate or (Aggregate.SUM if adds_up else end)
        return replace(base, aggregate=inner, measure=measure.place, grouping=grouping, end=end)

    def _asks_other_part(self, shown: Column | None) -> bool:
        """Whether a week, a season or another part of a year is asked for, by which rows are not grouped."""
        asked = self.form.tokens[self.form.asked].word if self.form.asked is not None else ""
        is_named = shown is not None and any(meet(asked, word, by_meaning=False) >= ROOT for word in shown.words)
        return asked in _OTHER_PARTS and not is_named

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
        compares = self.notes.compares_columns or any(each.compares for each in form.bounds)
        named = self._find_amount_asked() if shown is None else None
        is_listing = form.is_listing and not asks_amount
        if is_listing and (compares or shown is not None) and measure is None and named is None:
            shown = shown or self.subjects.find_noun() or self.table.name_column or self.table.key_column
            return (
                replace(base, aggregate=Aggregate.LIST, measure=None, shown=shown.place if shown else None)
                if shown
                else None
            )
        column = measure or named or self._find_asked_column(asks_amount)
        if column is None and asks_amount:
            column = self.measures.guess(shown)
        if column is None or column.place in self.notes.columns:
            return None
        rows = self.reader.count_rows()
        is_period = any(each.is_date for each in form.bounds) and rows > 1
        if column.is_additive and (is_period or (asks_amount and self._is_spent())):
            return replace(base, aggregate=Aggregate.SUM, measure=column.place, shown=None)
        if not self.notes.conditions:
            return None
        if not 0 < rows <= MOST_LOOKED_UP:
            return None
        return replace(
            base, aggregate=Aggregate.LIST, measure=column.place, shown=(self.table.label_column or column).place
        )

    def _find_amount_asked(self) -> Column | None:
        """The column of amounts behind "what is" or "what was"."""
        words = [token.word for token in self.form.tokens]
        if words[0] not in {"what", "what's"} or self.form.asked != 0:
            return None
        first = next((place for place in self.words.content if place > 0), None)
        for each in self.words.columns:
            if first in each.tokens and each.column.is_measure and each.column.place not in self.notes.columns:
                self.reader.explain(each.tokens, 1.0)
                return each.column
        return None

    def _asks_amount(self) -> bool:
        """Whether it asks how much, or what was paid: a doing without a noun for the amount."""
        words = [token.word for token in self.form.tokens[:3]]
        is_done = words[:2] == ["what", "was"] and words[2:] != [] and words[2].endswith("ed")
        known = self.words.about.union(*(each.tokens for each in self.words.columns))
        return words[:2] == ["how", "much"] or (is_done and 2 in known)

    def _is_spent(self) -> bool:
        """Whether the question asks what was paid, sold or invoiced in all, which is a sum over the rows."""
        words = {token.word for token in self.form.tokens}
        is_done = any(token.word.endswith("ed") for token in self.form.tokens)
        return (is_done or bool(words & _SPENDING)) and bool(
            words & {"did", "does", "have", "has", "do", "was", "were"}
        )

    def _find_asked_column(self, asks_amount: bool) -> Column | None:
        free = [each for each in self.words.columns if each.column.place not in self.notes.columns]
        if asks_amount:
            free = [each for each in free if each.column.kind.is_amount]
        if free:
            noun = find_attribute(self.form.tokens)
            chosen = next((each for each in free if noun in each.tokens), free[0])
            self.reader.explain(chosen.tokens, 1.0)
            return chosen.column
        return self.measures.find_by_verb(None)


def _turn(end: Aggregate) -> Aggregate:
    return Aggregate.LOWEST if end is Aggregate.HIGHEST else Aggregate.HIGHEST
