"""A question read as a query over one of several tables, by rules: conditions from the values, figures and days it names, the column it
measures, the one that answers, the groups, and a second table where the first has a key to it.

A reading says what it leaves unexplained and what it had to guess; with either it is never sure.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from ascertain.language.tokens import STOP_WORDS, stem_word
from ascertain.language.word_lists import load_pairs, load_word_set
from ascertain.tables.columns import NEARLY_UNIQUE, Column, TypedTable
from ascertain.tables.matching import ROOT, ColumnMention, TableWords, ValueMention, meet
from ascertain.tables.query import Aggregate, Comparison, Condition, Grouping, Join, Part, TableQuery
from ascertain.tables.questions import Bounds, QuestionForm, load_measures, read_form
from ascertain.tables.values import ColumnKind

SURE, GUESSED = 88, 62
"""Confidence of a reading that explains every word, and of one with a doubt: a reader has to look (by judgement, checked by
``bench/computed_tables.py``: no wrong answer was of the first kind)."""
NAMES_AGAIN = 0.95
"""Share of rows with a name of their own below which the amounts of one name are added up before they are compared (by judgement)."""
AS_STRONG = 0.1
"""Strength within which a question may be of either of two tables."""
MOST_LOOKED_UP = 5
"""Rows that a look-up may show; more than these and the question did not name its row."""
_ROW_WORDS = load_word_set("table_questions", "rows")
_TIME_UNITS = load_word_set("table_questions", "time_units")
_CHANGES = load_word_set("table_questions", "changes")


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


@dataclass
class _Notes:
    """What was used of the question, and what was guessed, while one table is read."""

    explained: set[int] = field(default_factory=set[int])
    doubts: list[str] = field(default_factory=list[str])
    conditions: list[Condition] = field(default_factory=list[Condition])
    columns: set[int] = field(default_factory=set[int])
    """Columns with conditions."""
    strength: float = 0.0


def interpret(question: str, tables: Sequence[TypedTable]) -> Reading | None:
    """The best reading of ``question`` over ``tables``; None where none of them is asked about, or nothing is computed of it."""
    form = read_form(question)
    if form is None or _asks_for_change(form):
        return None
    readings = [reading for place in range(len(tables)) if (reading := _TableReader(form, tables, place).read())]
    if not readings:
        return None
    ranked = sorted(readings, key=lambda each: (len(each.unexplained), len(each.doubts), -each.strength))
    best = ranked[0]
    rivals = [
        each
        for each in ranked[1:]
        if (len(each.unexplained), len(each.doubts)) == (len(best.unexplained), len(best.doubts))
        and each.strength >= best.strength - AS_STRONG
    ]
    if rivals:
        other = tables[rivals[0].query.table].table.label
        best = replace(
            best, confidence=min(best.confidence, GUESSED), doubts=(*best.doubts, f"{other} could be meant too")
        )
    return best


def asks_computation(question: str) -> bool:
    """Whether a question asks, by its words, for a count, a sum, a mean, an end, groups, or the rows that meet a comparison."""
    form = read_form(question)
    return form is not None and form.is_computed


def _asks_for_change(form: QuestionForm) -> bool:
    """Whether the end of a change from row to row is asked for ("fell the most"), which is not computed."""
    return form.end is not None and any(token.word in _CHANGES for token in form.tokens)


class _TableReader:
    def __init__(self, form: QuestionForm, tables: Sequence[TypedTable], place: int) -> None:
        self.form, self.tables, self.place = form, tables, place
        self.table = tables[place]
        self.words = TableWords(form, self.table)
        self.notes = _Notes()

    def read(self) -> Reading | None:
        notes = self.notes
        if not all(self._bind(bounds) for bounds in self.form.bounds):
            return None
        self._take_yes_no()
        self._take_values()
        self._take_numbers()
        grouping = self._find_grouping()
        shown = self._find_shown(grouping)
        join = self._find_join()
        query = self._build(grouping, shown, join)
        if query is None:
            return None
        unexplained = self._list_unexplained()
        if unexplained and not query.conditions and query.aggregate is Aggregate.COUNT:
            return None
        if not self._is_anchored() or len(unexplained) > 1 or (unexplained and len(notes.explained) < 2):
            return None
        return self._rate(query, unexplained)

    def _rate(self, query: TableQuery, unexplained: Sequence[str]) -> Reading | None:
        notes = self.notes
        doubts = [*notes.doubts, *(f"“{word}” was not understood" for word in unexplained)]
        if query.aggregate is Aggregate.LIST and not self.form.is_computed and doubts:
            return None
        if len(doubts) > 2:
            return None
        if not query.conditions or query.join is not None or self._count_rows():
            pass
        elif query.aggregate is Aggregate.COUNT and query.grouping is None:
            doubts.append("no row has this")
        else:
            return None
        unread = sum(self.table.columns[place].unread for place in {query.measure, *notes.columns} - {None})
        if unread:
            doubts.append(f"{unread:,} {'cell' if unread == 1 else 'cells'} could not be read")
        confidence = SURE if not doubts else GUESSED - 8 * (len(doubts) - 1)
        query, check = self._split_check(query)
        return Reading(query, confidence, notes.strength, tuple(unexplained), tuple(doubts), check)

    def _is_anchored(self) -> bool:
        return bool(self.words.about) or bool(self.notes.conditions) or self.notes.strength > 0

    def _explain(self, tokens: Iterable[int], strength: float) -> None:
        fresh = set(tokens) - self.notes.explained
        self.notes.explained |= set(tokens)
        self.notes.strength += strength * len(fresh)

    def _list_unexplained(self) -> list[str]:
        left = [place for place in self.words.content if place not in self.notes.explained]
        about = [place for place in left if place in self.words.about]
        self._explain(about, 0.5)
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

    def _bind(self, bounds: Bounds) -> bool:
        """Make a condition of a figure or a day; False where no column can meet it."""
        column = self._find_date_column(bounds) if bounds.is_date else self._find_bounded_column(bounds)
        if column is None:
            # a year in the name of the file says that all rows are of it
            if (
                bounds.is_date
                and bounds.comparison is Comparison.IN
                and all(token in self.words.about for token in bounds.tokens if self.form.tokens[token].text.isdigit())
            ):
                self._explain(bounds.tokens, 0.5)
                return True
            return False
        condition = _write_bound(column, bounds)
        if condition is None:
            return False
        self._add(condition, bounds.tokens, 1.0)
        return True

    def _add(self, condition: Condition, tokens: Iterable[int], strength: float) -> None:
        self.notes.conditions.append(condition)
        if not condition.is_joined:
            self.notes.columns.add(condition.column)
        self._explain(tokens, strength)

    def _find_date_column(self, bounds: Bounds) -> Column | None:
        dated = [column for column in self.table.columns if column.has_dates]
        if not dated:
            return None
        year = bounds.comparison is not Comparison.OF_MONTH and len(str(bounds.values[0])) == 4
        if not year:
            dated = [column for column in dated if not column.is_year]
        named = [each for each in self.words.columns if each.column in dated]
        if named:
            first = min(bounds.tokens)
            nearest = min(named, key=lambda each: min(abs(place - first) for place in each.tokens))
            self._explain(nearest.tokens, 1.0)
            return nearest.column
        if len(dated) > 1:
            starting = [
                column
                for column in dated
                if any(
                    token.word in _STARTING and any(meet(word, "start") >= ROOT for word in column.words)
                    for token in self.form.tokens
                    for word in column.words
                )
            ]
            if len(starting) == 1:
                return starting[0]
            self.notes.doubts.append(f"{dated[0].name} was taken for the date")
        return dated[0] if dated else None

    def _find_bounded_column(self, bounds: Bounds) -> Column | None:
        amounts = [column for column in self.table.columns if column.kind.is_amount and not column.is_year]
        is_clock = any(":" in self.form.tokens[place].text for place in bounds.tokens)
        if is_clock:
            amounts = [column for column in amounts if column.kind is ColumnKind.DURATION]
        named = [each for each in self.words.columns if each.column in amounts]
        first, last = min(bounds.tokens), max(bounds.tokens)
        behind = [each for each in named if 0 < min(each.tokens) - last <= 2]
        before = [each for each in named if max(each.tokens) < first]
        if bounds.unit and (of_unit := [column for column in amounts if _has_unit(column, bounds.unit)]):
            chosen = [each for each in named if each.column in of_unit]
            if chosen or len(of_unit) == 1:
                self._explain(chosen[0].tokens if chosen else (), 1.0)
                return chosen[0].column if chosen else of_unit[0]
        for group in (before[-1:] if before else [], behind, named):
            if group:
                best = max(
                    group,
                    key=lambda each: (max(each.tokens) if each.column in [b.column for b in before] else 0, each.score),
                )
                self._explain(best.tokens, 1.0)
                return best.column
        hinted = _find_hinted(amounts, bounds.adjective)
        if hinted:
            return hinted[0][0]
        if len(amounts) == 1 or (is_clock and amounts):
            if not is_clock:
                self.notes.doubts.append(f"{amounts[0].name} was taken for what is compared")
            return amounts[0]
        return None

    def _take_yes_no(self) -> None:
        for mention in self.words.columns:
            column = mention.column
            if (
                column.kind is ColumnKind.YES_NO
                and not mention.tokens & self.notes.explained
                and not set(self.form.grouped) & mention.tokens
            ):
                self._add_yes_no(column, mention.tokens, no=bool(mention.tokens & self.form.negated))
        for place in self.words.content:
            word = self.form.tokens[place].word
            if word.startswith("un") and place not in self.notes.explained:
                for column in self.table.columns:
                    if column.kind is ColumnKind.YES_NO and any(meet(word[2:], each) >= ROOT for each in column.words):
                        self._add_yes_no(column, {place}, no=True)

    def _add_yes_no(self, column: Column, tokens: Iterable[int], *, no: bool) -> None:
        words = f"{column.name} is {'no' if no else 'yes'}"
        self._add(Condition(column.place, Comparison.IN, (0.0 if no else 1.0,), words), tokens, 1.0)

    def _take_values(self) -> None:
        """Conditions from the values that are named: the longest first, each token once, one condition a column."""
        heads = self._asked_tokens()
        for mention in self.words.values:
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
                    f"{mention.column.name} was taken for where “{self._said(mention.tokens)}” stands"
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
                and mention.is_whole
                and not mention.tokens & self.form.negated
            ):
                added = tuple(value for value in mention.values if value not in condition.bounds)
                said = " or ".join(f"“{value}”" for value in added)
                self.notes.conditions[place] = replace(
                    condition, bounds=(*condition.bounds, *added), words=f"{condition.words} or {said}"
                )
                self._explain(mention.tokens, 1.5)

    def _write_values(self, mention: ValueMention, is_joined: bool = False) -> Condition:
        negated = bool(mention.tokens & self.form.negated)
        names = mention.values
        said = (
            " or ".join(f"“{value}”" for value in names[:3])
            if len(names) <= 3
            else f"one of {len(names)} values with “{self._said(mention.tokens)}”"
        )
        comparison = Comparison.NOT_IN if negated else Comparison.IN
        words = f"{mention.column.name} is {'not ' if negated else ''}{said}"
        return Condition(mention.column.place, comparison, names, words, is_joined)

    def _said(self, tokens: Iterable[int]) -> str:
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

    def _find_grouping(self) -> Grouping | None:
        for place in self.form.grouped:
            for step in (0, 1):
                grouping = self._group_by(place + step)
                if grouping is not None:
                    return grouping
        return None

    def _group_by(self, place: int) -> Grouping | None:
        if not 0 <= place < len(self.form.tokens) or place in self.notes.explained:
            return None
        word = self.form.tokens[place].stem
        named = [
            each for each in self.words.columns if place in each.tokens and each.column.place not in self.notes.columns
        ]
        if any(each.column.is_unique for each in named):
            return None
        found = [each for each in named if not each.column.is_measure]
        if found:
            self._explain(found[0].tokens, 1.0)
            return Grouping(found[0].column.place)
        dates = [column for column in self.table.columns if column.kind is ColumnKind.DATE]
        if word in ("month", "year") and dates:
            self._explain({place}, 0.5)
            return Grouping(dates[0].place, Part.MONTH if word == "month" else Part.YEAR)
        return None

    def _find_shown(self, grouping: Grouping | None) -> Column | None:
        """The column that answers who, when, which; None where the figure does."""
        if grouping is not None:
            return self.table.columns[grouping.column]
        form = self.form
        if form.asked is not None:
            places = range(form.asked, min(form.asked + 3, len(form.tokens)))
            for place in places:
                if form.tokens[place].word in {"is", "was", "are", "were", "the", "of"} or place in form.operators:
                    continue
                for each in self.words.columns:
                    if place in each.tokens and each.column.place not in self.notes.columns:
                        self._explain(each.tokens, each.score)
                        return each.column
                break
        if form.asks_when:
            return next((column for column in self.table.columns if column.has_dates), None)
        if form.asks_who:
            persons = [
                column
                for column in self.table.columns
                if column.is_of_persons and column.place not in self.notes.columns
            ]
            return persons[0] if persons else self.table.label_column
        return None

    def _find_join(self) -> Join | None:
        """Another table that holds what this one leaves unexplained, by a column that both have and that is a key there."""
        left = {
            place for place in self.words.content if place not in self.notes.explained and not self._is_named(place)
        }
        numbers = {place for place in left if self.form.tokens[place].text.isdigit()}
        if not left:
            return None
        for place, other in enumerate(self.tables):
            if place == self.place or (keys := find_keys(self.table, other)) is None:
                continue
            words = TableWords(self.form, other)
            for mention in words.values:
                if mention.tokens <= left and mention.column.place != keys[1] and mention.is_whole:
                    self._add(
                        replace(
                            self._write_values(mention, is_joined=True),
                            words=f"{mention.column.name} of {other.table.label} is {' or '.join(f'“{value}”' for value in mention.values[:3])}",
                        ),
                        mention.tokens,
                        1.25,
                    )
                    self._explain(self._own_tokens(words, mention.column), 0.5)
                    return Join(place, *keys)
            for number in numbers:
                near = [
                    each
                    for each in words.columns
                    if each.column.kind.is_amount and any(abs(token - number) == 1 for token in each.tokens)
                ]
                if near:
                    text = self.form.tokens[number].text
                    condition = Condition(
                        near[0].column.place,
                        Comparison.IN,
                        (float(text),),
                        f"{near[0].column.name} of {other.table.label} is {text}",
                        is_joined=True,
                    )
                    self._add(condition, {number, *near[0].tokens}, 1.0)
                    return Join(place, *keys)
        return None

    def _own_tokens(self, words: TableWords, column: Column) -> frozenset[int]:
        return frozenset(place for each in words.columns if each.column is column for place in each.tokens)

    def _is_named(self, place: int) -> bool:
        return (
            place in self.words.about
            or any(place in each.tokens for each in self.words.columns)
            or self.words.explains(place)
        )

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
        if form.aggregate in (Aggregate.SUM, Aggregate.MEAN, Aggregate.MEDIAN):
            measure, _ = self._find_measure(shown)
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
        self._explain(self._own_tokens(self.words, measure), 1.0)
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
        counted = self.form.counted
        if counted is not None:
            named = [
                each
                for each in self.words.columns
                if counted in each.tokens and each.column.place not in self.notes.columns
            ]
            amounts = [each for each in named if each.column.is_measure]
            if amounts and counted not in self.words.about:
                self._explain(amounts[0].tokens, amounts[0].score)
                return self._build_amount(base, amounts[0].column)
            kinds = [each for each in named if each.column.kind is ColumnKind.TEXT and self._is_kind(each.column)]
            if kinds and counted not in self.words.about and base.grouping is None:
                self._explain(kinds[0].tokens, 1.0)
                return replace(base, aggregate=Aggregate.DISTINCT, measure=kinds[0].column.place, shown=None)
            self._explain({counted} & {place for each in self.words.columns for place in each.tokens}, 0.5)
        if not self._counts_sensibly(base):
            return None
        extra = [
            each
            for each in self.words.columns
            if "quantity" in each.column.words
            and each.column.is_additive
            and not any(c.column == each.column.place for c in self.notes.conditions)
        ]
        if extra and any(token.word in {"altogether", "total"} for token in self.form.tokens):
            self._explain(extra[0].tokens, 1.0)
            return replace(base, aggregate=Aggregate.SUM, measure=extra[0].column.place, shown=None)
        return replace(base, shown=None)

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
        rows = self._count_rows()
        if rows == 1 and base.grouping is None:
            return replace(
                base, aggregate=Aggregate.LIST, measure=measure.place, shown=(self.table.label_column or measure).place
            )
        if not measure.is_additive:
            self.notes.doubts.append(f"{measure.name} was added up")
        return replace(base, aggregate=Aggregate.SUM, measure=measure.place, shown=None)

    def _count_rows(self) -> int:
        return sum(self._meets(row) for row in range(len(self.table.table.rows)))

    def _is_kind(self, column: Column) -> bool:
        """Whether several rows share its values, so that what it holds is counted once each."""
        return len(column.distinct) < NEARLY_UNIQUE * max(1, sum(column.distinct.values()))

    def _build_end(self, base: TableQuery, shown: Column | None) -> TableQuery | None:
        form = self.form
        assert form.end is not None
        inner = form.aggregate
        measure, turned = self._find_measure(shown)
        end = form.end
        if turned:
            end = Aggregate.LOWEST if end is Aggregate.HIGHEST else Aggregate.HIGHEST
        shown = shown or self._find_noun_column() or self.table.key_column
        if measure is not None and shown is measure:
            shown = self.table.key_column
        if measure is None:
            if not self._counts_rows() or shown is None or (shown.is_unique and base.grouping is None):
                return None
            grouping = base.grouping or self._grouping_of(shown)
            return replace(
                base, aggregate=Aggregate.COUNT, grouping=grouping, shown=None, end=end, rank=form.rank, most=form.most
            )
        grouping = base.grouping
        is_kind = shown is not None and self._is_kind_here(shown, NAMES_AGAIN if measure.is_additive else NEARLY_UNIQUE)
        if grouping is None and shown is not None and (inner is not None or is_kind) and self._names_shown(shown):
            grouping = self._grouping_of(shown)
        if grouping is None:
            return replace(
                base,
                aggregate=end,
                measure=measure.place,
                shown=shown.place if shown else None,
                rank=form.rank,
                most=form.most,
            )
        if inner is None and not measure.is_additive and base.grouping is None and form.rank == form.most == 1:
            return replace(base, aggregate=end, measure=measure.place, shown=shown.place if shown else None)
        if inner is None:
            inner = Aggregate.SUM if measure.is_additive else end
        return replace(
            base,
            aggregate=inner,
            measure=measure.place,
            grouping=grouping,
            shown=None,
            end=end,
            rank=form.rank,
            most=form.most,
        )

    def _names_shown(self, shown: Column) -> bool:
        """Whether the question asks for a value of that column in so many words, or for persons."""
        return shown.kind is not ColumnKind.NUMBER and (
            shown.is_of_persons or any(each.column is shown for each in self.words.columns) or self.form.asks_when
        )

    def _is_kind_here(self, column: Column, share: float) -> bool:
        """Whether the rows that meet the conditions have fewer values of it than this share of them."""
        rows = [row for row in range(len(column.values)) if self._meets(row)]
        values = [column.values[row] for row in rows if column.values[row] is not None]
        return bool(values) and len(set(values)) < share * len(values)

    def _meets(self, row: int) -> bool:
        return all(
            _holds(condition, self.table.columns[condition.column].values[row])
            for condition in self.notes.conditions
            if not condition.is_joined
        )

    def _grouping_of(self, column: Column) -> Grouping:
        words = {token.stem for token in self.form.tokens}
        part = Part.WHOLE
        if column.kind is ColumnKind.DATE:
            part = Part.MONTH if "month" in words else Part.YEAR if "year" in words else Part.WHOLE
        return Grouping(column.place, part)

    def _counts_rows(self) -> bool:
        """Whether "most" is of rows: of orders, or most often."""
        words = {token.word for token in self.form.tokens}
        return (bool(words & {"most", "least", "fewest"}) and not self.form.adjective) or bool(
            words & {"often", "frequently", "common", "frequent"}
        )

    def _find_noun_column(self) -> Column | None:
        """The column of texts that the noun behind the superlative names: the oldest runner."""
        last = max(self.form.operators, default=-1)
        named = [
            each
            for each in self.words.columns
            if each.column.kind is ColumnKind.TEXT
            and each.column.place not in self.notes.columns
            and min(each.tokens) > last - 1
        ]
        near = [each for each in named if min(each.tokens) - last <= 3]
        if near:
            self._explain(near[0].tokens, near[0].score)
            return near[0].column
        return None

    def _find_measure(self, shown: Column | None) -> tuple[Column | None, bool]:
        """The column that is computed with, and whether its other end is asked for (the oldest house has the least year)."""
        form = self.form
        free = [each for each in self.words.columns if each.column is not shown and not self._is_used(each)]
        amounts = [
            each for each in free if each.column.kind.is_amount and not (each.column.is_year and form.end is None)
        ]
        hinted = _find_hinted([column for column in self.table.columns if column is not shown], form.adjective)
        named = self._choose_named([each for each in amounts if not each.column.is_identifier] or amounts, hinted)
        is_vague = form.adjective in {"high", "low", "big", "large", "small", "great"}
        if named is not None:
            self._explain(named.tokens, named.score)
            return named.column, any(column is named.column and turned for column, turned, _ in hinted) and not is_vague
        if hinted and not (
            is_vague and len([each for each in self.table.columns if each.is_measure]) > 1 and hinted[0][2] < 1
        ):
            best = [each for each in hinted if each[1:] == hinted[0][1:]]
            if len(best) > 1 and not is_vague:
                self.notes.doubts.append(f"{best[0][0].name} was taken for what is measured")
            self.notes.strength += 0.5
            return hinted[0][0], hinted[0][1]
        verbal = self._find_by_verb(shown)
        if verbal is not None:
            return verbal, False
        return self._guess_measure(shown), False

    def _is_used(self, mention: ColumnMention) -> bool:
        return mention.column.place in self.notes.columns and not any(
            condition.column == mention.column.place and condition.comparison is not Comparison.IN
            for condition in self.notes.conditions
        )

    def _choose_named(
        self, mentions: Sequence[ColumnMention], hinted: Sequence[tuple[Column, bool, int]]
    ) -> ColumnMention | None:
        if not mentions:
            return None
        hints = {column.place for column, _, _ in hinted}
        operators = [self.form.tokens[place].word for place in self.form.operators]

        def rank(each: ColumnMention) -> tuple[float, ...]:
            supported = sum(any(meet(word, own) >= 0.7 for own in each.column.words) for word in operators)
            return (
                len(each.tokens - self.form.operators),
                each.column.place in hints,
                supported + (self._names_end(each.column)),
                each.score,
            )

        ordered = sorted(mentions, key=lambda each: (*(-value for value in rank(each)), each.column.place))
        best = ordered[0]
        if len(ordered) > 1 and rank(ordered[1]) == rank(best):
            self.notes.doubts.append(f"{best.column.name} was taken, not {ordered[1].column.name}")
        return best

    def _names_end(self, column: Column) -> bool:
        """Whether the name says that it holds the end asked for: ``temp_max`` for the highest."""
        ends = {
            Aggregate.HIGHEST: {"max", "maximum", "high", "highest", "peak"},
            Aggregate.LOWEST: {"min", "minimum", "low", "lowest"},
        }
        return self.form.end is not None and bool(ends[self.form.end] & set(column.words))

    def _find_by_verb(self, shown: Column | None) -> Column | None:
        """The column that a verb asks for: who earns the most, what did it cost."""
        hints = load_pairs("table_questions", "verbs")
        for place, token in enumerate(self.form.tokens):
            wanted = hints.get(token.word, "").split()
            for word in wanted:
                for column in self.table.columns:
                    if (
                        column is not shown
                        and column.is_measure
                        and column.place not in self.notes.columns
                        and any(meet(word, own, by_meaning=False) >= ROOT for own in column.words)
                    ):
                        self._explain({place}, 0.5)
                        return column
        return None

    def _guess_measure(self, shown: Column | None) -> Column | None:
        """The only column that can be measured, where the question speaks of amounts and names none."""
        if self._counts_rows():
            return None
        measures = [
            column
            for column in self.table.columns
            if column.is_measure and column is not shown and column.place not in self.notes.columns
        ]
        if len(measures) != 1:
            money = [column for column in measures if column.kind is ColumnKind.MONEY]
            measures = money if len(money) == 1 else measures
        if len(measures) != 1 or not (self.words.about or self.words.columns):
            return None
        if not (len([column for column in self.table.columns if column.is_measure]) == 1 and self.words.about):
            self.notes.doubts.append(f"{measures[0].name} was taken for what is measured")
        return measures[0]

    def _build_lookup(self, base: TableQuery, shown: Column | None, measure: Column | None) -> TableQuery | None:
        """The rows that the question names with the column it asks for, or the rows that meet its comparisons."""
        form = self.form
        asks_amount = self._asks_amount()
        if not self.notes.conditions and not (asks_amount and self._is_spent() and self.words.about):
            return None
        compares = any(each.comparison is not Comparison.IN for each in form.bounds)
        if form.is_listing and (compares or shown is not None) and measure is None:
            shown = shown or self._find_noun_column() or self.table.label_column
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
        rows = self._count_rows()
        if not 0 < rows <= MOST_LOOKED_UP:
            return None
        return replace(
            base, aggregate=Aggregate.LIST, measure=column.place, shown=(self.table.label_column or column).place
        )

    def _asks_amount(self) -> bool:
        return [token.word for token in self.form.tokens[:2]] == ["how", "much"]

    def _is_spent(self) -> bool:
        """Whether the question asks what was paid, sold or made in all, which is a sum over the rows."""
        return any(
            token.word in {"spend", "spent", "pay", "paid", "sell", "sold", "earn", "earned", "make", "made", "owe"}
            for token in self.form.tokens
        ) and bool({"did", "have", "has", "do", "was", "were"} & {token.word for token in self.form.tokens})

    def _find_asked_column(self, asks_amount: bool) -> Column | None:
        free = [each for each in self.words.columns if each.column.place not in self.notes.columns]
        if asks_amount:
            free = [each for each in free if each.column.kind.is_amount]
        if free:
            self._explain(free[0].tokens, 1.0)
            return free[0].column
        return self._find_by_verb(None)

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


_STARTING = frozenset({"started", "start", "joined", "began", "begin", "since", "hired"})


def _has_unit(column: Column, unit: str) -> bool:
    return unit in column.units or stem_word(unit) in {stem_word(each) for each in (*column.units, *column.words)}


def _find_hinted(columns: Sequence[Column], adjective: str) -> list[tuple[Column, bool, int]]:
    """The columns that measure an adjective, whether their other end is meant, and how many of the words that say so they have; the best first."""
    if adjective not in load_measures():
        return []
    _, plain, turned = load_measures()[adjective]
    found: list[tuple[Column, bool, int]] = []
    for column in columns:
        own = {stem_word(word) for word in column.words}
        for words, is_turned in ((plain, False), (turned, True)):
            count = len(own & {stem_word(word) for word in words})
            fits = column.kind.is_amount or (column.kind is ColumnKind.DATE)
            if count and fits and (not column.is_identifier or column.has_dates):
                found.append((column, is_turned, count))
                break
    return sorted(found, key=lambda each: (-each[2], each[1], each[0].place))


def _write_bound(column: Column, bounds: Bounds) -> Condition | None:
    values = bounds.values
    if bounds.is_date and column.is_year:
        if bounds.comparison is Comparison.OF_MONTH or any(len(str(value)) != 4 for value in values):
            return None
        years = tuple(float(value) for value in values)
        if bounds.comparison is Comparison.IN:
            return Condition(column.place, Comparison.IN, (years[0],), f"{column.name} is {years[0]:.0f}")
        if bounds.comparison is Comparison.WITHIN:
            return Condition(
                column.place,
                Comparison.WITHIN,
                (years[0], years[1] - 1),
                f"{column.name} is from {years[0]:.0f} to {years[1] - 1:.0f}",
            )
        return Condition(column.place, bounds.comparison, years, f"{column.name} is {bounds.words}")
    if bounds.is_date and bounds.comparison is Comparison.IN:
        return Condition(column.place, Comparison.WITHIN, values, f"{column.name} is in {values[0]}")
    if bounds.is_date and bounds.comparison is Comparison.OF_MONTH:
        return Condition(column.place, Comparison.OF_MONTH, values, f"{column.name} is {bounds.words}")
    return Condition(column.place, bounds.comparison, values, f"{column.name} is {bounds.words}")


def _holds(condition: Condition, value: object) -> bool:
    """Whether a value meets a condition, as the database decides it."""
    if value is None:
        return False
    bounds, comparison = condition.bounds, condition.comparison
    if comparison is Comparison.IN:
        return value in bounds
    if comparison is Comparison.NOT_IN:
        return value not in bounds
    if comparison is Comparison.OF_MONTH:
        return str(value)[5:7] == bounds[0] or str(value) == f"--{bounds[0]}"
    first = bounds[0]
    if isinstance(value, str) != isinstance(first, str):
        return False
    pair = (value, first)
    return _compare(comparison, pair, bounds)


def _compare(comparison: Comparison, pair: tuple[object, object], bounds: tuple[object, ...]) -> bool:
    value, first = pair
    if isinstance(value, str) and isinstance(first, str):
        below, same = value < first, value == first
        inside = not below and value < str(bounds[-1])
    else:
        number, bound = float(str(value)), float(str(first))
        below, same = number < bound, number == bound
        inside = not below and number <= float(str(bounds[-1]))
    return {
        Comparison.LESS: below,
        Comparison.AT_MOST: below or same,
        Comparison.MORE: not below and not same,
        Comparison.AT_LEAST: not below,
    }.get(comparison, inside)


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
    words = {stem_word(word) for word in own.words} - STOP_WORDS
    about = {stem_word(word) for word in other.table.about.lower().split()}
    named = {stem_word(word) for word in theirs.words}
    return bool(words & named) or bool(words & about)


def _are_values_of(own: Column, theirs: Column) -> bool:
    mine = set(own.distinct)
    return bool(mine) and len(mine & set(theirs.distinct)) >= NEARLY_UNIQUE * len(mine)


def list_doubts(reading: Reading) -> Iterator[str]:
    """What was guessed, for people."""
    yield from reading.doubts
