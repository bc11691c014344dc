"""Which columns and which values of a table the words of a question name: by spelling, stem, abbreviation, initials and synonym.

``lifeExp`` is life expectancy, ``gdpPercap`` is GDP, ``Sun`` is meant by Sundays, ``Japan`` by Japanese; a row that has all words of a phrase comes
before one that has some of them, so that a new night baker is not the head baker.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING

from ascertain.language.dates import MONTHS, WEEKDAYS
from ascertain.language.equivalents import equivalent_words
from ascertain.language.languages import ENGLISH
from ascertain.language.tokens import STOP_WORDS, fold_words, stem_word
from ascertain.language.word_lists import load_pairs, load_word_set
from ascertain.models.entail.alignment import Relation, relate_words
from ascertain.reports.tables.columns import IDENTIFIERS, Column, TypedTable
from ascertain.reports.tables.questions.bounds import Token, read_tokens
from ascertain.reports.tables.questions.computations import QuestionForm
from ascertain.reports.tables.values import ColumnKind

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SAME, STEM, SHORTENED, ROOT, SYNONYM = 1.0, 0.95, 0.85, 0.75, 0.7
"""How well a word meets another: as it stands, in another form, abbreviated, by a common root, by meaning."""
MENTIONED = 0.45
"""Share of the words of a column's name from which it is named."""
MOST_VALUES = 20_000
"""Distinct values of a column among which those named are looked for."""
Meant = Mapping[str, frozenset[str]]
"""By word of a question the names of columns that mean nearly the same."""
NO_MEANINGS: Meant = MappingProxyType({})
Relate = Callable[[Sequence[str], Sequence[str]], "NDArray[np.float32]"]
"""How near each of some words is to each of some names in meaning: cosines, words by names."""
NEAR = 0.55
"""Cosine from which a word is taken for the name of a column, with a reservation. Of 22 words beside 29 names of columns tried with the built-in model it
takes 11, nine of them rightly (earnings for revenue, rain for precipitation)."""
MOST_NAMES = 200
_SHORTEST_PREFIX, _SHORTEST_ROOT, _LONGEST_ENDING = 3, 4, 4
_ASKING = load_word_set("table_questions", "asking") | STOP_WORDS
_DOINGS = load_word_set("table_questions", "doings")
_ROWS = load_word_set("table_questions", "rows")
_PERSONS = load_word_set("table_questions", "persons")
_ANYBODY = frozenset(
    "people person persons man men woman women guy guys somebody anyone anybody everyone everybody who".split()
)
_NAMES = frozenset({"name", "names", "person", "people"})


@dataclass(frozen=True, slots=True)
class ColumnMention:
    """A column that tokens of the question name; ``score`` is how well, 0..1."""

    column: Column
    tokens: frozenset[int]
    score: float


@dataclass(frozen=True, slots=True)
class ValueMention:
    """Values of a column that tokens name; ``is_whole`` where each word of the values is named. ``quality`` is how well the words meet."""

    column: Column
    tokens: frozenset[int]
    values: tuple[str, ...]
    is_whole: bool
    quality: float


@lru_cache(maxsize=50_000)
def meet(asked: str, said: str, *, by_meaning: bool = True) -> float:
    """How well the folded word ``asked`` of a question meets ``said``, 0..1."""
    if asked == said:
        return SAME
    if asked.isdigit() or said.isdigit():
        return 0.0
    a, b = stem_word(asked, ENGLISH), stem_word(said, ENGLISH)
    if a == b:
        return STEM
    short, long = sorted((asked, said), key=len)
    if (
        len(short) >= _SHORTEST_PREFIX
        and len(long) > len(short) + 1
        and long.startswith(short)
        and short not in _ASKING
    ):
        return SHORTENED if len(short) <= 5 else ROOT
    short, long = sorted((a, b), key=len)
    ending = long.removeprefix(short)
    is_root = len(short) >= _SHORTEST_ROOT and long.startswith(short) and len(ending) <= _LONGEST_ENDING
    # a star is no start, but what is rainy has to do with rain
    if is_root and (len(short) > _SHORTEST_ROOT or ending in {"i", "y", "e"}):
        return ROOT
    if by_meaning and relate_words(asked, said, ENGLISH) in (Relation.SAME, Relation.SYNONYM):
        return SYNONYM
    return 0.0


class TableWords:
    """What the words of one question name in one table."""

    def __init__(self, form: QuestionForm, table: TypedTable, meant: Meant = NO_MEANINGS) -> None:
        self.form, self.table, self._meant = form, table, meant
        self.content = _list_content(form)
        self.about = {place for place in range(len(form.tokens)) if self._is_about(form.tokens[place])}
        self._compounds = {place + 1 for place in self.about if place + 1 in self.content}
        self.columns = self._find_columns()
        self.values = self._find_values()

    def _is_about(self, token: Token) -> bool:
        if token.word in STOP_WORDS or (token.word.isdigit() and len(token.word) < 4):
            return False
        return any(
            token.word == word
            or stem_word(token.word, ENGLISH) == stem_word(word, ENGLISH)
            or _share_root(token.word, word)
            for word in _words_of(self.table.table.about)
        )

    def explains(self, place: int) -> bool:
        """Whether a token names nothing that would have to be met: the table itself, its rows, a person where the rows are persons, a bare verb."""
        token = self.form.tokens[place]
        if any(
            relate_words(token.word, word, ENGLISH) is Relation.SYNONYM for word in _words_of(self.table.table.about)
        ):
            return True
        # the Crimean war is what a table called Crimea is about
        if (
            place in self.about
            or place in self._compounds
            or token.word in _ROWS
            or token.word in _DOINGS
            or token.word in IDENTIFIERS
        ):
            return True
        label = self.table.label_column
        if label is None or not label.is_of_persons:
            return False
        if token.word in _ANYBODY:
            return True
        # employees may be called by their names; a table of customers has none
        is_open = bool(_NAMES & set(label.words))
        return is_open and (token.word in _PERSONS or token.stem in {stem_word(word, ENGLISH) for word in _PERSONS})

    def _find_columns(self) -> list[ColumnMention]:
        found = (self._mention_column(column) for column in self.table.columns)
        return sorted(filter(None, found), key=lambda each: (-len(each.tokens), -each.score, each.column.place))

    def _mention_column(self, column: Column) -> ColumnMention | None:
        """As its name is said, or else as a word means nearly the same."""
        said = self._mention_name(column)
        if said is not None:
            return said
        near = [place for place in self.content if column.name in self._meant.get(self.form.tokens[place].word, ())]
        return ColumnMention(column, frozenset(near), SYNONYM) if near else None

    def _mention_name(self, column: Column) -> ColumnMention | None:
        tokens = self.form.tokens
        usable = [place for place in range(len(tokens)) if tokens[place].word not in STOP_WORDS]
        words = column.words
        met: dict[int, float] = {}
        total = 0.0
        for word in words:
            values = {place: meet(tokens[place].word, word) for place in usable}
            # two words of the question may be written as one in the name: per capita, percap
            best = max(values, key=lambda place: values[place], default=None)
            if best is not None and values[best] >= SYNONYM:
                met[best] = max(met.get(best, 0.0), values[best])
                total += values[best]
            elif joined := _meet_joined(tokens, word):
                met |= dict.fromkeys(joined, SHORTENED)
                total += SHORTENED
        whole = "".join(words)
        for place in usable:
            if tokens[place].word == whole and len(words) > 1:
                met, total = {place: SAME}, float(len(words))
        initials = "".join(word[0] for word in fold_words(column.name).replace("_", " ").split() if word)
        for place in usable:
            if len(initials) >= 3 and tokens[place].word == initials:
                met, total = {place: SAME}, float(len(words))
        own = {place for place in met if place not in self.form.operators}
        if not own or total / len(words) < MENTIONED:
            return None
        return ColumnMention(column, frozenset(met), total / len(words))

    def _find_values(self) -> list[ValueMention]:
        values = [mention for column in self.table.columns for mention in self._mention_values(column)]
        named = {each.column.place for each in self.columns}
        return sorted(
            values,
            key=lambda each: (
                -len(each.tokens),
                -each.is_whole,
                -each.quality,
                each.column.place not in named,
                not each.column.is_unique,
                len(each.column.distinct),
                each.column.place,
            ),
        )

    def _mention_values(self, column: Column) -> list[ValueMention]:
        tokens = self.form.tokens
        if column.kind is not ColumnKind.TEXT or column.is_prose:
            return []
        if len(column.distinct) > MOST_VALUES:
            # names of a million rows are found as they stand alone
            exact = [place for place in self.content if tokens[place].text in column.distinct]
            return [ValueMention(column, frozenset({place}), (tokens[place].text,), True, SAME) for place in exact]
        places = [place for place in self.content if not _is_of_names(tokens[place], column)]
        bare = {place for place in places if tokens[place].word in _DOINGS}
        index = _index_values(tuple(str(value) for value in column.distinct))
        matches: dict[str, dict[int, float]] = {}
        for place in places:
            for word, quality in index.find(tokens[place].word):
                for value in index.holders[word]:
                    own = matches.setdefault(value, {})
                    own[place] = max(own.get(place, 0.0), quality)
        runs: dict[frozenset[int], list[tuple[str, float, bool]]] = {}
        for value, met in matches.items():
            run = _longest_run(met, tokens)
            if run <= bare and max(met.values()) < STEM:
                continue
            whole = index.is_whole(value, [tokens[place].word for place in range(len(tokens))])
            runs.setdefault(run, []).append((value, sum(met[place] for place in run) / len(run), whole))
        return list(self._choose_values(column, runs))

    def _choose_values(
        self, column: Column, runs: dict[frozenset[int], list[tuple[str, float, bool]]]
    ) -> Iterable[ValueMention]:
        for run, values in runs.items():
            if any(run < other for other in runs):
                continue
            whole = [each for each in values if each[2]]
            chosen = whole or values
            best = max(quality for _, quality, _ in chosen)
            names = tuple(value for value, quality, _ in chosen if quality >= best - 0.1)
            is_telling = len(names) < len(column.distinct) or (len(column.distinct) == 1 and bool(whole))
            of_table = not whole and run <= self.about
            if is_telling and not of_table:
                yield ValueMention(column, run, names, bool(whole), best)


def find_meanings(form: QuestionForm, tables: Sequence[TypedTable], relate: Relate) -> Meant:
    """The columns of ``tables`` that words of a question mean nearly, by the embedding model."""
    content = [form.tokens[place].word for place in _list_content(form)]
    words = [word for word in dict.fromkeys(content) if word.isalpha() and word not in _DOINGS and word not in _ROWS]
    names = list(dict.fromkeys(column.name for table in tables for column in table.columns))[:MOST_NAMES]
    if not words or not names:
        return NO_MEANINGS
    shown = {column.name: " ".join(column.words) for table in tables for column in table.columns}
    near = relate(words, [shown[name] for name in names])
    found = {
        word: frozenset(
            name for name, cosine in zip(names, row, strict=True) if cosine >= max(NEAR, float(row.max()) - 0.05)
        )
        for word, row in zip(words, near, strict=True)
    }
    return {word: columns for word, columns in found.items() if columns}


def _list_content(form: QuestionForm) -> tuple[int, ...]:
    """The tokens that have to mean something: no operators, no bounds, no words that every question has."""
    taken = set(form.operators) | {place for each in form.bounds for place in each.tokens}
    return tuple(
        place
        for place, token in enumerate(form.tokens)
        if place not in taken and token.word not in _ASKING and (len(token.word) > 1 or token.word.isdigit())
    )


@lru_cache(maxsize=500)
def _words_of(text: str) -> tuple[str, ...]:
    return tuple(
        dict.fromkeys(token.word for token in read_tokens(text.replace("_", " ")) if token.word not in STOP_WORDS)
    )


def _meet_joined(tokens: Sequence[Token], word: str) -> tuple[int, ...]:
    """Two tokens that stand together and are written as one word of a name, the second perhaps cut short: ``per capita``, ``percap``."""
    for place in range(len(tokens) - 1):
        joined = tokens[place].word + tokens[place + 1].word
        if len(word) > len(tokens[place].word) + 1 and len(word) >= _SHORTEST_ROOT and joined.startswith(word):
            return (place, place + 1)
    return ()


def _is_of_names(token: Token, column: Column) -> bool:
    """Whether a token is the column's own name, whatever its values hold."""
    return token.stem in {stem_word(word, ENGLISH) for word in column.words}


class _ValueIndex:
    """The values of one column by their words."""

    def __init__(self, values: Sequence[str]) -> None:
        self.holders: dict[str, list[str]] = {}
        self._words: dict[str, tuple[str, ...]] = {}
        self._starts: dict[str, list[str]] = {}
        self._other_names: dict[str, set[str]] = {}
        for value in values:
            words = tuple(dict.fromkeys(token.word for token in read_tokens(value)))
            self._words[value] = words
            for word in words:
                self.holders.setdefault(word, []).append(value)
        for word in self.holders:
            self._starts.setdefault(word[:_SHORTEST_PREFIX], []).append(word)
            for other in _other_names(word):
                self._other_names.setdefault(other, set()).add(word)

    def find(self, asked: str) -> Iterable[tuple[str, float]]:
        """The words among the values that a word of the question meets, and how well."""
        if asked in self.holders:
            yield asked, SAME
            return
        for word in self._starts.get(asked[:_SHORTEST_PREFIX], ()):
            quality = meet(asked, word, by_meaning=False)
            # the beginning of a word is its abbreviation among the names of days and months alone
            is_cut = quality == SHORTENED or (
                quality == ROOT
                and stem_word(asked, ENGLISH) != stem_word(word, ENGLISH)
                and not _share_root(asked, word)
            )
            if quality >= ROOT and not (is_cut and not _is_calendar_name(asked)):
                yield word, quality
        for word in self._other_names.get(asked, ()):
            yield word, STEM

    def is_whole(self, value: str, asked: Sequence[str]) -> bool:
        """Whether each word of a value that says something is one of the question."""
        words = [word for word in self._words[value] if word not in STOP_WORDS] or list(self._words[value])
        return all(
            any(meet(other, word, by_meaning=False) >= ROOT or other in _other_names(word) for other in asked)
            for word in words
        )


@lru_cache(maxsize=64)
def _index_values(values: tuple[str, ...]) -> _ValueIndex:
    return _ValueIndex(values)


@lru_cache(maxsize=20_000)
def _other_names(word: str) -> frozenset[str]:
    """Other words for the same: those of the house's lists, and the companies behind the signs of stocks."""
    tickers = load_pairs("table_questions", "tickers")
    if word.isdigit():
        return frozenset()
    return frozenset(tickers.get(word, "").split()) | frozenset(equivalent_words(word)) - {word}


def _share_root(one: str, other: str) -> bool:
    short, long = sorted((stem_word(one, ENGLISH), stem_word(other, ENGLISH)), key=len)
    ending = long.removeprefix(short)
    return (
        long.startswith(short)
        and len(ending) <= _LONGEST_ENDING
        and (len(short) > _SHORTEST_ROOT or ending in {"i", "y", "e"})
    )


def _is_calendar_name(word: str) -> bool:
    return any(word.startswith(name) for name in (*MONTHS, *WEEKDAYS))


def _longest_run(met: dict[int, float], tokens: Sequence[Token]) -> frozenset[int]:
    """The longest run of tokens that stand together, small words between them overlooked; the best met of those of one length."""
    runs: list[list[int]] = []
    for place in sorted(met):
        between = tokens[runs[-1][-1] + 1 : place] if runs else ()
        if runs and all(token.word in STOP_WORDS for token in between):
            runs[-1].append(place)
        else:
            runs.append([place])
    return frozenset(max(runs, key=lambda run: (len(run), sum(met[place] for place in run))))
