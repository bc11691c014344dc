"""Rows of tables as answers: the row that a question names, with the column that it asks for, or the one that has the most
or the least of a column.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass

from ascertain.answering.checking.evaluation import IN_PLACE
from ascertain.answering.matching.telling import IN_FIGURES, Telling, read_telling
from ascertain.answering.matching.word_matching import meet_word, read_words
from ascertain.answering.units.candidates import Candidate
from ascertain.core.asking.passages import Passage
from ascertain.core.documents.blocks import Span
from ascertain.language.numbers import Kind, find_quantities
from ascertain.language.tables import BLANK, find_table, split_cells
from ascertain.language.tokens import STOP_WORDS
from ascertain.language.word_lists import load_alternatives, load_word_set
from ascertain.questions.reading.question import Question

NAMED = 0.7
"""How well a word of a row or a header must match one of the question to be what it names: another form, a synonym."""
TOLD, TOLD_OF_COLUMN = 0.6, 0.5
"""Share of the question's weight in a row, with its header, title and section, from which it is the answer; lower
where a word of the question names its column too (the least of the table look-ups of asked, dev, have 0.49 and 0.54)."""
PLACED = 0.45
"""Share of what the question asks of a row that the title and section of its table cover, where no column is named."""
AS_TELLING = 0.05
"""Difference of shares within which two rows of a table are equal: both are quoted."""


PROSE = 8
"""Words from which a cell after the first is prose: it says something about its row, and mentions other things too."""
FEWEST_COMPARED = 3
"""Fewest rows with an amount of which one can be the greatest or the least."""
_LEAST = re.compile(rf"\b(?:{load_alternatives('question_signs', 'least')})\b", re.I)
_MOST = re.compile(rf"\b(?:{load_alternatives('question_signs', 'most')})\b", re.I)
_OF_PRICE = re.compile(rf"\b(?:{load_alternatives('question_signs', 'of_price')})\b", re.I)
_SUMS = load_word_set("asked_facts", "sums")
_TOTALS = load_word_set("question_signs", "totals")
_BEFORE_SCALE = re.compile(r"(?<=\d) (?=[KMBT]\b)")
"""A space that separates a figure from its scale in a cell: in running text the letter may be something else."""


@dataclass(frozen=True, slots=True)
class _Row:
    candidate: int
    table: tuple[str, Span]
    own: Mapping[str, float]
    """How well its cells match each content word of the question; ``naming`` the same for those that are not prose, ``heads``
    for the header, ``place`` for the text above the table.
    """
    naming: Mapping[str, float]
    heads: Mapping[str, float]
    place: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class _Told:
    row: _Row
    share: float
    is_key: bool
    """Whether its first cell is the subject of the question, and nothing more."""


def match_rows(question: Question, candidates: Sequence[Candidate], passages: Sequence[Passage]) -> list[int]:
    """The rows among ``candidates`` that answer ``question``, best first; none where no row tells most of it.

    Such a row names something of the question that not every row of its table names; what the question asks about that is named by
    a column, or by the title or section of the table; and no sentence covers more of the question.
    """
    if all(each.header is None for each in candidates):
        return []
    telling = read_telling(question, passages)
    rows = [_read_row(telling, i, each) for i, each in enumerate(candidates) if each.header is not None]
    tables: dict[tuple[str, Span], list[_Row]] = defaultdict(list)
    for row in rows:
        tables[row.table].append(row)
    extreme = _find_extreme(telling, rows, candidates)
    if extreme is not None:
        return [extreme]
    told = [
        _Told(row, share, _names_key(telling, candidates[row.candidate]))
        for row in rows
        if (share := _share_told(telling, row, tables[row.table]))
    ]
    if not told:
        return []
    best = max(told, key=lambda each: (each.is_key, each.share, -each.row.candidate))
    if best.share < _find_best_sentence(telling, candidates):
        return []
    same = [
        each
        for each in told
        if each.row.table == best.row.table and each.is_key == best.is_key and each.share >= best.share - AS_TELLING
    ]
    return [each.row.candidate for each in sorted(same, key=lambda each: (-each.share, each.row.candidate))]


def _read_row(telling: Telling, index: int, candidate: Candidate) -> _Row:
    assert candidate.header is not None
    text = candidate.document.text
    cells = split_cells(candidate.span.of(text))
    # the first cell is the subject of its row, however long
    short = " ".join((cells[0], *(cell for cell in cells[1:] if len(cell.split()) < PROSE)))
    return _Row(
        index,
        (candidate.document.id, candidate.header),
        telling.meet_words(read_words(candidate.span.of(text), telling.question.language)),
        telling.meet_words(read_words(short, telling.question.language)),
        telling.meet_words(read_words(candidate.header.of(text), telling.question.language)),
        telling.meet_words(_read_place(candidate, telling.question.language)),
    )


def _read_place(candidate: Candidate, language: str) -> Set[str]:
    section = " ".join(candidate.document.place_of(candidate.span).section)
    return read_words(f"{candidate.document.title} {section}", language)


def _share_told(telling: Telling, row: _Row, table: Sequence[_Row]) -> float:
    """Share of the question that the row covers, 0..1; 0 where it is not the requested row."""
    named = {word for word, met in row.naming.items() if met >= NAMED}
    if not any(len(table) == 1 or any(other.naming[word] < NAMED for other in table) for word in named):
        return 0.0
    asked = {word: weight for word, weight in telling.weights.items() if word not in named}
    has_column = any(row.heads[word] >= NAMED for word in asked)
    placed = sum(weight * IN_PLACE * row.place[word] for word, weight in asked.items())
    if asked and not has_column and placed < PLACED * sum(asked.values()):
        return 0.0
    amounts = telling.amounts if has_column else frozenset[str]()
    met = {
        word: max(row.own[word], row.heads[word], IN_PLACE * max(row.place[word], float(word in amounts)))
        for word in telling.weights
    }
    share = telling.coverage(met)
    return share if share >= (TOLD_OF_COLUMN if has_column else TOLD) else 0.0


def _find_best_sentence(telling: Telling, candidates: Sequence[Candidate]) -> float:
    best = 0.0
    for candidate in candidates:
        if candidate.header is None and not candidate.is_fragment:
            own, place = (
                telling.meet_words(read_words(candidate.text, telling.question.language)),
                telling.meet_words(_read_place(candidate, telling.question.language)),
            )
            amounts = telling.amounts if telling.offers_fact(candidate.text) else ()
            met = {word: max(own[word], IN_PLACE * max(place[word], float(word in amounts))) for word in own}
            best = max(best, telling.coverage(met))
    return best


def _names_key(telling: Telling, candidate: Candidate) -> bool:
    """Whether each word of the first cell is one of the question."""
    key = read_words(split_cells(candidate.span.of(candidate.document.text))[0], telling.question.language)
    return bool(key) and all(
        any(meet_word(asked, (word,), telling.question.language) >= NAMED for asked in telling.weights) for word in key
    )


def _find_extreme(telling: Telling, rows: Sequence[_Row], candidates: Sequence[Candidate]) -> int | None:
    """The row with the most or the least of the column that the question names, or that holds its prices, in the first
    table that has such a column and is of what is asked about.
    """
    question = telling.question.text
    wants_least, wants_most = _LEAST.search(question) is not None, _MOST.search(question) is not None
    if wants_least == wants_most:
        return None
    degree = (_LEAST if wants_least else _MOST).findall(question)
    asked = [word for word in telling.weights if word not in {each.lower() for each in degree}]
    for row in rows:
        candidate = candidates[row.candidate]
        column = _choose_column(question, telling.question.language, asked, candidate)
        if column is None or not _is_of_table(asked, row):
            continue
        amounts = _read_column(candidate, column, telling.question.language)
        if len(amounts) < FEWEST_COMPARED:
            continue
        best = (min if wants_least else max)(amounts, key=lambda span: amounts[span])
        return next((r.candidate for r in rows if r.table == row.table and candidates[r.candidate].span == best), None)
    return None


def _choose_column(question: str, language: str, asked: Sequence[str], candidate: Candidate) -> int | None:
    """The column after the first whose name is in the question word for word."""
    assert candidate.header is not None
    names = split_cells(candidate.header.of(candidate.document.text))
    for place, name in enumerate(names[1:], 1):
        words = read_words(name, language) - STOP_WORDS
        if words and all(any(meet_word(each, (word,), language) >= NAMED for each in asked) for word in words):
            return place
    if not _OF_PRICE.search(question):
        return None
    priced = [place for place, name in enumerate(names) if place and read_words(name, language) & _SUMS]
    return priced[0] if len(priced) == 1 else None


def _is_of_table(asked: Sequence[str], row: _Row) -> bool:
    """Whether the header, and the text above the table, name everything the question is about."""
    return all(max(row.heads[word], row.place[word]) >= NAMED or word in IN_FIGURES for word in asked)


def _read_column(candidate: Candidate, column: int, language: str) -> dict[Span, float]:
    """The amounts of a column by row, without those of sums; none where they are of more than one kind."""
    text = candidate.document.text
    table = find_table(text, candidate.span.start, candidate.document.tree)
    columns: dict[Span, float] = {}
    kinds: set[Kind] = set()
    for row in table.rows if table else ():
        cells = split_cells(row.of(text))
        if len(cells) <= column or cells[column] in ("", BLANK) or read_words(cells[0], language) & _TOTALS:
            continue
        amounts = find_quantities(_BEFORE_SCALE.sub("", cells[column]))
        if len(amounts) != 1:
            return {}
        kinds.add(amounts[0].kind)
        columns[row] = amounts[0].value
    return columns if len(kinds) == 1 else {}
