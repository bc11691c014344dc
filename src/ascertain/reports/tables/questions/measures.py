"""The column that a question computes with: the one it names, else one that measures its adjective, its verb, or the only one there is."""

from __future__ import annotations

from collections.abc import Sequence

from ascertain.language.languages import ENGLISH
from ascertain.language.tokens import stem_word
from ascertain.language.word_lists import load_word_set
from ascertain.reports.tables.columns import Column
from ascertain.reports.tables.query import Comparison
from ascertain.reports.tables.questions.bounds import load_measures
from ascertain.reports.tables.questions.computations import QuestionForm
from ascertain.reports.tables.questions.conditions import ConditionReader, find_by_verb
from ascertain.reports.tables.questions.matching import ROOT, SYNONYM, ColumnMention, meet
from ascertain.reports.tables.values import ColumnKind

VAGUE = frozenset({"high", "low", "big", "large", "small", "great"})
"""Adjectives of amounts of every kind: what they measure has to be named, or be the only measure."""
_IN_TIME = frozenset({"early", "late"})
_FREQUENT = frozenset({"often", "frequently", "common", "frequent", "popular", "busiest"})
CHANGES, _FALLS = load_word_set("table_questions", "changes"), load_word_set("table_questions", "falls")
_OF_CHANGE = frozenset({"change", "changes", "growth", "delta", "difference", "increase", "decrease", "diff"})


def find_hinted(columns: Sequence[Column], adjective: str) -> list[tuple[Column, bool, int]]:
    """The columns that measure an adjective, whether their other end is meant, and how many of the words that say so they have; the best first."""
    if adjective not in load_measures():
        return []
    _, plain, turned = load_measures()[adjective]
    found: list[tuple[Column, bool, int]] = []
    for column in columns:
        own = {stem_word(word, ENGLISH) for word in column.words}
        fits = column.kind.is_amount or column.kind is ColumnKind.DATE
        if not fits or (column.is_identifier and not column.has_dates):
            continue
        for words, is_turned in ((plain, False), (turned, True)):
            count = len(own & {stem_word(word, ENGLISH) for word in words})
            if count:
                found.append((column, is_turned, count))
                break
    return sorted(found, key=lambda each: (-each[2], each[1], each[0].place))


def asks_for_change(form: QuestionForm) -> bool:
    """Whether the end of a change from row to row is asked for ("fell the most"): what a column of changes says, or else the rows in their order."""
    return form.end is not None and any(token.word in CHANGES for token in form.tokens)


def counts_rows(reader: ConditionReader) -> bool:
    """Whether "most" is of rows: of orders, or most often."""
    words = {token.word for token in reader.form.tokens}
    is_most = bool(words & {"most", "least", "fewest"}) and not reader.form.adjective
    return is_most or bool(words & _FREQUENT)


class MeasureFinder:
    """Finds the measure of one question in one table, and notes what it guessed."""

    def __init__(self, reader: ConditionReader) -> None:
        self._reader = reader
        self._form, self._table = reader.form, reader.table

    def find(self, shown: Column | None) -> tuple[Column | None, bool]:
        """The column, None where there is none, and whether its other end is asked for: the oldest house has the least year."""
        form, reader = self._form, self._reader
        if asks_for_change(form):
            return self._find_change(), any(token.word in _FALLS for token in form.tokens)
        if form.adjective in _IN_TIME:
            dated = self._find_date()
            if dated is not None or any(form.tokens[place].word in {"first", "last"} for place in form.end_tokens):
                return dated, False
        free = [each for each in reader.words.columns if each.column is not shown and not self._is_used(each)]
        amounts = [
            each for each in free if each.column.kind.is_amount and not (each.column.is_year and form.end is None)
        ]
        hinted = find_hinted([column for column in self._table.columns if column is not shown], form.adjective)
        named = self._choose_named([each for each in amounts if not each.column.is_identifier] or amounts, hinted)
        if named is not None:
            reader.explain(named.tokens, named.score)
            turned = any(column is named.column and is_turned for column, is_turned, _ in hinted)
            return named.column, turned and form.adjective not in VAGUE
        measures = [column for column in self._table.columns if column.is_measure]
        if hinted and (form.adjective not in VAGUE or len(measures) == 1):
            best = [each for each in hinted if each[1:] == hinted[0][1:]]
            if len(best) > 1:
                reader.notes.doubts.append(f"{best[0][0].name} was taken for what is measured")
            reader.notes.strength += 0.5
            return hinted[0][0], hinted[0][1]
        verbal = self.find_by_verb(shown)
        return (verbal or self.guess(shown)), False

    def _find_date(self) -> Column | None:
        """The column of days by which something was first or last: the one that is named, or the only one."""
        reader = self._reader
        dated = [column for column in self._table.columns if column.has_dates]
        named = next((each for each in reader.words.columns if each.column in dated), None)
        if named is not None:
            reader.explain(named.tokens, named.score)
            return named.column
        if len(dated) > 1:
            reader.notes.doubts.append(f"{dated[0].name} was taken for when it was")
        return dated[0] if dated else None

    def _find_change(self) -> Column | None:
        """The column of changes that shares a word with the question; what fell the most has the lowest."""
        changes = [column for column in self._table.columns if column.is_measure and _OF_CHANGE & set(column.words)]
        tokens = [token.word for token in self._form.tokens]
        for column in changes:
            telling = [word for word in column.words if word not in _OF_CHANGE]
            if not telling or any(meet(token, word) >= ROOT for token in tokens for word in telling):
                self._reader.explain(self._reader.own_tokens(self._reader.words, column), 1.0)
                return column
        return None

    def _is_used(self, mention: ColumnMention) -> bool:
        """Whether the column of a mention is one that rows are chosen by; a bound on it leaves it free to be measured."""
        bounds = [each for each in self._reader.notes.conditions if each.column == mention.column.place]
        return mention.column.place in self._reader.notes.columns and all(
            each.comparison is Comparison.IN for each in bounds if not each.is_joined
        )

    def _choose_named(
        self, mentions: Sequence[ColumnMention], hinted: Sequence[tuple[Column, bool, int]]
    ) -> ColumnMention | None:
        if not mentions:
            return None
        hints = {column.place for column, _, _ in hinted}
        operators = [self._form.tokens[place].word for place in self._form.operators]

        def rank(each: ColumnMention) -> tuple[float, ...]:
            supported = sum(any(meet(word, own) >= SYNONYM for own in each.column.words) for word in operators)
            return (len(each.tokens - self._form.operators), each.column.place in hints, supported, each.score)

        ordered = sorted(mentions, key=lambda each: (*(-value for value in rank(each)), each.column.place))
        best = ordered[0]
        if len(ordered) > 1 and rank(ordered[1]) == rank(best):
            self._reader.notes.doubts.append(f"{best.column.name} was taken, not {ordered[1].column.name}")
        return best

    def find_by_verb(self, shown: Column | None) -> Column | None:
        """The column that a verb, or the adjective behind "how", asks for: who earns the most, how long is the Fenn?"""
        tokens = self._form.tokens
        if len(tokens) > 1 and tokens[0].word == "how":
            hinted = find_hinted(self._table.columns, tokens[1].word)
            plain = [column for column, turned, _ in hinted if not turned and column.is_measure]
            if plain:
                self._reader.explain({1}, 0.5)
                return plain[0]
        return find_by_verb(self._reader, self._list_free(shown))

    def _list_free(self, shown: Column | None) -> list[Column]:
        return [
            column
            for column in self._table.columns
            if column.is_measure and column is not shown and column.place not in self._reader.notes.columns
        ]

    def guess(self, shown: Column | None) -> Column | None:
        """The only column that can be measured, where the question speaks of amounts and names none."""
        reader = self._reader
        is_telling = bool(self._form.adjective) and self._form.adjective not in VAGUE
        if is_telling or counts_rows(reader) or not (reader.words.about or reader.words.columns):
            return None
        start = max(self._form.operators, default=-1) + 1
        noun = next((place for place in reader.words.content if place >= start), None)
        named = reader.notes.explained.union(*(each.tokens for each in reader.words.columns))
        if (
            self._form.aggregate is not None
            and noun is not None
            and noun not in named
            and not reader.words.explains(noun)
        ):
            # what the sum is of has a name, and no column has it
            return None
        measures = self._list_free(shown)
        if len(measures) != 1:
            measures = [column for column in measures if column.kind is ColumnKind.MONEY]
        if len(measures) != 1:
            return None
        is_only = sum(column.is_measure for column in self._table.columns) == 1
        if not (is_only and reader.words.about):
            reader.notes.doubts.append(f"{measures[0].name} was taken for what is measured")
        return measures[0]
