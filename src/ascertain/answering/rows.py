"""Rows of tables as answers: the row that a question names, with the column that it asks for."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass

from ascertain.answering.candidates import Candidate
from ascertain.answering.evaluation import Telling, meet_word, read_telling, read_words
from ascertain.answering.question import OPEN_FACTS, offers_fact
from ascertain.core.documents import Span
from ascertain.core.passages import Passage
from ascertain.language.tables import split_cells

NAMED = 0.7
"""How far a word of a row or a header has to meet one of the question to be what it names: another form, a synonym."""
TOLD = 0.6
"""Share of the question's weight that a row tells, with its header, title and section, from which it is the answer."""
AS_TELLING = 0.05
"""Shares within which two rows of a table tell the same: both are quoted."""
_IN_PLACE = 0.8
"""How far a title or section over a table meets a word of the question, as in an evaluation."""


@dataclass(frozen=True, slots=True)
class _Row:
    candidate: int
    table: tuple[str, Span]
    own: Mapping[str, float]
    """How far its cells meet each telling word of the question; ``heads`` the same of the header, ``place`` of what
    stands over the table."""
    heads: Mapping[str, float]
    place: Mapping[str, float]
    has_fact: bool


def match_rows(question: str, candidates: Sequence[Candidate], passages: Sequence[Passage]) -> list[int]:
    """The rows among ``candidates`` that answer ``question``, best first; none where no row tells most of it.

    Such a row names something of the question that not every row of its table names, tells what is asked for (its
    header names it, or a cell is of that kind), and no sentence tells more of the question.
    """
    telling = read_telling(question, passages)
    rows = [_read_row(telling, i, each) for i, each in enumerate(candidates) if each.header is not None]
    if not rows:
        return []
    tables: dict[tuple[str, Span], list[_Row]] = defaultdict(list)
    for row in rows:
        tables[row.table].append(row)
    shares = {row.candidate: _share_told(telling, row) for row in rows if _is_asked_for(row, tables[row.table])}
    best = max(shares.values(), default=0.0)
    if best < max(TOLD, _find_best_sentence(telling, candidates)):
        return []
    first = max(shares, key=lambda i: (shares[i], -i))
    same = [row.candidate for row in tables[rows_by_candidate(rows)[first].table] if row.candidate in shares]
    return sorted((i for i in same if shares[i] >= best - AS_TELLING), key=lambda i: (-shares[i], i))


def rows_by_candidate(rows: Sequence[_Row]) -> dict[int, _Row]:
    """Each row under the index of its candidate."""
    return {row.candidate: row for row in rows}


def _read_row(telling: Telling, index: int, candidate: Candidate) -> _Row:
    assert candidate.header is not None
    text = candidate.document.text
    row, header = candidate.span.of(text), candidate.header.of(text)
    return _Row(
        index,
        (candidate.document.id, candidate.header),
        _meet_words(telling, read_words(row)),
        _meet_words(telling, read_words(header)),
        _meet_words(telling, _read_place(candidate)),
        any(offers_fact(telling.asked.fact, cell, telling.known) for cell in split_cells(row)),
    )


def _read_place(candidate: Candidate) -> Set[str]:
    section = " ".join(candidate.document.place_of(candidate.span).section)
    return read_words(f"{candidate.document.title} {section}")


def _meet_words(telling: Telling, words: Set[str]) -> dict[str, float]:
    return {word: meet_word(word, words) for word in telling.weights}


def _is_asked_for(row: _Row, table: Sequence[_Row]) -> bool:
    named = {word for word, met in row.own.items() if met >= NAMED}
    alone = {word for word in named if len(table) == 1 or any(other.own[word] < NAMED for other in table)}
    columns = {word for word, met in row.heads.items() if met >= NAMED}
    return bool(alone) and bool(columns - named or row.has_fact)


def _share_told(telling: Telling, row: _Row) -> float:
    met = {
        word: max(
            row.own[word],
            row.heads[word],
            _IN_PLACE * row.place[word],
            _IN_PLACE * (row.has_fact and word in telling.amounts),
        )
        for word in telling.weights
    }
    return telling.coverage(met)


def _find_best_sentence(telling: Telling, candidates: Sequence[Candidate]) -> float:
    best = 0.0
    for candidate in candidates:
        if candidate.header is None and not candidate.is_fragment:
            own, place = _meet_words(telling, read_words(candidate.text)), _meet_words(telling, _read_place(candidate))
            has_fact = telling.asked.fact not in OPEN_FACTS and offers_fact(
                telling.asked.fact, candidate.text, telling.known
            )
            met = {w: max(own[w], _IN_PLACE * place[w], _IN_PLACE * (has_fact and w in telling.amounts)) for w in own}
            best = max(best, telling.coverage(met))
    return best
