"""What a question wants to know of rows: the column that answers who, which or when, and the column whose values make the groups."""

from __future__ import annotations

from ascertain.tables.columns import Column, find_keys
from ascertain.tables.conditions import ConditionReader
from ascertain.tables.matching import TableWords
from ascertain.tables.query import Grouping, Join, Part
from ascertain.tables.values import ColumnKind

_SMALL = frozenset({"is", "was", "are", "were", "the", "of"})
_NEAR = 3
"""Words behind a superlative in which the noun it belongs to stands."""


class SubjectFinder:
    """Finds the column that answers, and the groups, of one question in one table."""

    def __init__(self, reader: ConditionReader) -> None:
        self._reader = reader
        self._form, self._table = reader.form, reader.table
        self._dates = [column for column in self._table.columns if column.kind is ColumnKind.DATE]

    def find_grouping(self) -> Grouping | None:
        """The groups that are asked for in so many words: per product, by month."""
        for place in self._form.grouped:
            for step in (0, 1):
                grouping = self._group_by(place + step)
                if grouping is not None:
                    return grouping
        return None

    def _group_by(self, place: int) -> Grouping | None:
        reader = self._reader
        if not 0 <= place < len(self._form.tokens) or place in reader.notes.explained:
            return None
        stem = self._form.tokens[place].stem
        named = [
            each
            for each in reader.words.columns
            if place in each.tokens and each.column.place not in reader.notes.columns
        ]
        if any(each.column.is_unique for each in named):
            return None
        found = [each for each in named if not each.column.is_measure]
        if found:
            reader.explain(found[0].tokens, 1.0)
            return Grouping(found[0].column.place)
        if stem in ("month", "year") and self._dates:
            reader.explain({place}, 0.5)
            return Grouping(self._dates[0].place, Part.MONTH if stem == "month" else Part.YEAR)
        return None

    def find_joined_grouping(self) -> tuple[Grouping | None, Join | None]:
        """Groups by a column of another table: total quantity by city, which city orders the most."""
        reader, form = self._reader, self._form
        places = set(form.grouped)
        if form.asked is not None and form.end is not None:
            places.add(form.asked)
        for place, other in enumerate(reader.tables):
            if place == reader.place or not places or (keys := find_keys(self._table, other)) is None:
                continue
            for each in TableWords(form, other).columns:
                is_kind = each.column.kind is ColumnKind.TEXT and not each.column.is_unique
                if is_kind and each.column.place != keys[1] and places & each.tokens and each.score >= 0.9:
                    reader.explain(each.tokens, 1.0)
                    return Grouping(each.column.place, is_joined=True), Join(place, *keys)
        return None, None

    def find_shown(self) -> Column | None:
        """The column that answers who, when, which; None where the figure does."""
        form, reader = self._form, self._reader
        named = self._find_asked()
        if named is not None:
            return named
        asked = form.tokens[form.asked].stem if form.asked is not None and form.asked < len(form.tokens) else ""
        if asked in ("month", "year") and self._dates:
            reader.explain({form.asked} if form.asked is not None else (), 0.5)
            return self._dates[0]
        if form.asks_when:
            return next((column for column in self._table.columns if column.has_dates), None)
        if form.asks_who:
            persons = [column for column in self._table.columns if column.is_of_persons]
            free = [column for column in persons if column.place not in reader.notes.columns]
            return free[0] if free else self._table.label_column
        return None

    def _find_asked(self) -> Column | None:
        """The column behind "which" or "what"."""
        form, reader = self._form, self._reader
        if form.asked is None:
            return None
        for place in range(form.asked, min(form.asked + 3, len(form.tokens))):
            if form.tokens[place].word in _SMALL or place in form.operators:
                continue
            for each in reader.words.columns:
                if place in each.tokens and each.column.place not in reader.notes.columns:
                    reader.explain(each.tokens, each.score)
                    return each.column
            return None
        return None

    def find_noun(self) -> Column | None:
        """The column of texts that the noun behind the superlative names: the oldest runner, the top three customers."""
        last = max(self._form.end_tokens, default=-1)
        for each in self._reader.words.columns:
            is_free = each.column.kind is ColumnKind.TEXT and each.column.place not in self._reader.notes.columns
            if is_free and last - 1 < min(each.tokens) <= last + _NEAR:
                self._reader.explain(each.tokens, each.score)
                return each.column
        return None

    def group_by_column(self, column: Column) -> Grouping:
        """The groups by a column; of days by their months or years where the question speaks of these."""
        stems = {token.stem for token in self._form.tokens}
        part = Part.WHOLE
        if column.kind is ColumnKind.DATE:
            part = Part.MONTH if "month" in stems else Part.YEAR if "year" in stems else Part.WHOLE
        return Grouping(column.place, part)

    def is_kind(self, column: Column, share: float) -> bool:
        """Whether the rows that meet the conditions have fewer values of a column than this share of them."""
        values = [value for row in self._reader.matching_rows() if (value := column.values[row]) is not None]
        if column.kind is ColumnKind.DATE and self.group_by_column(column).part is not Part.WHOLE:
            length = 7 if self.group_by_column(column).part is Part.MONTH else 4
            values = [str(value)[:length] for value in values]
        return bool(values) and len(set(values)) < share * len(values)

    def names_shown(self, shown: Column) -> bool:
        """Whether the question asks for a value of that column in so many words, for persons, or for a time."""
        is_named = any(each.column is shown for each in self._reader.words.columns)
        is_time = shown.kind is ColumnKind.DATE
        return shown.kind is not ColumnKind.NUMBER and (shown.is_of_persons or is_named or is_time)
