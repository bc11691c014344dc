"""What a question wants to know of rows: the column that answers who, which or when, and the column whose values make the groups."""

from __future__ import annotations

from ascertain.reports.tables.columns import Column, find_keys
from ascertain.reports.tables.query import Grouping, Join, Part
from ascertain.reports.tables.questions.conditions import ConditionReader, find_by_verb
from ascertain.reports.tables.questions.matching import TableWords, meet
from ascertain.reports.tables.values import ColumnKind

_PARTS = {"month": Part.MONTH, "quarter": Part.QUARTER, "year": Part.YEAR}
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
        if stem in _PARTS and self._dates:
            reader.explain({place}, 0.5)
            return Grouping(self._dates[0].place, _PARTS[stem])
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
        if asked in _PARTS and self._dates:
            reader.explain({form.asked} if form.asked is not None else (), 0.5)
            return self._dates[0]
        if form.asks_when:
            return next((column for column in self._table.columns if column.has_dates), None)
        if form.asks_who:
            used = reader.notes.columns
            # what the question names is no answer to it
            free = [
                column
                for column in self._table.columns
                if column.kind is ColumnKind.TEXT and not column.is_prose and column.place not in used
            ]
            persons = [column for column in free if column.is_of_persons]
            label = self._table.label_column
            by_verb = find_by_verb(reader, free)
            return by_verb or (persons[0] if persons else label if label in free else None)
        return None

    def _find_asked(self) -> Column | None:
        """The column behind "which", "what" or "who is the"."""
        form, reader = self._form, self._reader
        words = [token.word for token in form.tokens]
        is_person = form.asks_who and words[0] == "who" and words[1:2] in (["is"], ["was"], ["are"], ["were"])
        start = 1 if is_person else form.asked
        if start is None:
            return None
        for place in range(start, min(start + 3, len(form.tokens))):
            if words[place] in _SMALL or place in form.operators:
                continue
            for each in reader.words.columns:
                is_free = each.column.place not in reader.notes.columns
                if place in each.tokens and is_free and (not is_person or each.column.kind is ColumnKind.TEXT):
                    if is_person and not any(meet(words[place], own, by_meaning=False) for own in each.column.words):
                        reader.notes.doubts.append(f"“{form.tokens[place].text}” was taken for {each.column.name}")
                    reader.explain(each.tokens, each.score)
                    return each.column
            return None
        return None

    def is_named(self, place: int | None) -> bool:
        """Whether the question names a column."""
        return any(each.column.place == place for each in self._reader.words.columns)

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
        bound = {place for each in self._form.bounds for place in each.tokens}
        stems = {token.stem for place, token in enumerate(self._form.tokens) if place not in bound}
        dated = column.kind is ColumnKind.DATE
        part = next((part for stem, part in _PARTS.items() if dated and stem in stems), Part.WHOLE)
        return Grouping(column.place, part)

    def is_kind(self, column: Column, share: float) -> bool:
        """Whether the rows that meet the conditions have fewer values of a column than this share of them."""
        values = [value for row in self._reader.matching_rows() if (value := column.values[row]) is not None]
        part = self.group_by_column(column).part
        if part is Part.QUARTER:
            return True
        if part is not Part.WHOLE:
            values = [str(value)[: 7 if part is Part.MONTH else 4] for value in values]
        return bool(values) and len(set(values)) < share * len(values)

    def names_shown(self, shown: Column) -> bool:
        """Whether the question asks for a value of that column in so many words, for persons, or for a time."""
        is_named = any(each.column is shown for each in self._reader.words.columns)
        is_time = shown.kind is ColumnKind.DATE
        return shown.kind is not ColumnKind.NUMBER and (shown.is_of_persons or is_named or is_time)
