"""Rows of tables as answers: the row that a question names, with the column that it asks for."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass

from ascertain.answering.asked import Telling, meet_word, offers_fact, read_telling, read_words
from ascertain.answering.candidates import Candidate
from ascertain.answering.evaluation import IN_PLACE
from ascertain.core.documents import Span
from ascertain.core.passages import Passage

NAMED = 0.7
"""How far a word of a row or a header has to meet one of the question to be what it names: another form, a synonym."""
TOLD, TOLD_OF_COLUMN = 0.6, 0.5
"""Share of the question's weight that a row tells, with its header, title and section, from which it is the answer; less
where a word of the question names its column too (the least of the table look-ups of asked, dev, tell 0.49 and 0.54)."""
PLACED = 0.45
"""Share of what is asked of a row that the title and section of its table tell, where no column is named."""
AS_TELLING = 0.05
"""Shares within which two rows of a table tell the same: both are quoted."""


@dataclass(frozen=True, slots=True)
class _Row:
    candidate: int
    table: tuple[str, Span]
    own: Mapping[str, float]
    """How far its cells meet each telling word of the question; ``heads`` the same of the header, ``place`` of what
    stands over the table.
    """
    heads: Mapping[str, float]
    place: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class _Told:
    row: _Row
    share: float


def match_rows(question: str, candidates: Sequence[Candidate], passages: Sequence[Passage]) -> list[int]:
    """The rows among ``candidates`` that answer ``question``, best first; none where no row tells most of it.

    Such a row names something of the question that not every row of its table names; what is asked of that is named by
    a column, or by the title or section of the table; and no sentence tells more of the question.
    """
    telling = read_telling(question, passages)
    rows = [_read_row(telling, i, each) for i, each in enumerate(candidates) if each.header is not None]
    tables: dict[tuple[str, Span], list[_Row]] = defaultdict(list)
    for row in rows:
        tables[row.table].append(row)
    told = [_Told(row, share) for row in rows if (share := _share_told(telling, row, tables[row.table]))]
    if not told:
        return []
    best = max(told, key=lambda each: (each.share, -each.row.candidate))
    if best.share < _find_best_sentence(telling, candidates):
        return []
    same = [each for each in told if each.row.table == best.row.table and each.share >= best.share - AS_TELLING]
    return [each.row.candidate for each in sorted(same, key=lambda each: (-each.share, each.row.candidate))]


def _read_row(telling: Telling, index: int, candidate: Candidate) -> _Row:
    assert candidate.header is not None
    text = candidate.document.text
    return _Row(
        index,
        (candidate.document.id, candidate.header),
        _meet_words(telling, read_words(candidate.span.of(text))),
        _meet_words(telling, read_words(candidate.header.of(text))),
        _meet_words(telling, _read_place(candidate)),
    )


def _read_place(candidate: Candidate) -> Set[str]:
    section = " ".join(candidate.document.place_of(candidate.span).section)
    return read_words(f"{candidate.document.title} {section}")


def _meet_words(telling: Telling, words: Set[str]) -> dict[str, float]:
    return {word: meet_word(word, words) for word in telling.weights}


def _share_told(telling: Telling, row: _Row, table: Sequence[_Row]) -> float:
    """Share of the question that the row tells, 0..1; 0 where it is not what is asked for."""
    named = {word for word, met in row.own.items() if met >= NAMED}
    if not any(len(table) == 1 or any(other.own[word] < NAMED for other in table) for word in named):
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
            own, place = _meet_words(telling, read_words(candidate.text)), _meet_words(telling, _read_place(candidate))
            amounts = telling.amounts if offers_fact(telling.asked.fact, candidate.text, telling.known) else ()
            met = {word: max(own[word], IN_PLACE * max(place[word], float(word in amounts))) for word in own}
            best = max(best, telling.coverage(met))
    return best
