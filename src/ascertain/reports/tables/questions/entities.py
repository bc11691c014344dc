"""Whether a row that was looked up is of what the question asks about, or of its like: the head baker is no new night baker."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ascertain.language.tables import BLANK, split_cells
from ascertain.language.tokens import STOP_WORDS
from ascertain.reports.tables.questions.bounds import Token, read_tokens
from ascertain.reports.tables.questions.computations import find_attribute
from ascertain.reports.tables.questions.matching import ROOT, SYNONYM, meet

LONGEST_NAME = 6
"""Words of a cell that names something; more are prose."""


@dataclass(frozen=True, slots=True)
class OtherEntity:
    """What the row names, and the words of the question for what it asks about."""

    named: str
    asked: str


def find_other_entity(question: str, row: str) -> OtherEntity | None:
    """What a row of a table names in place of what ``question`` asks about; None where nothing speaks against the row.

    A cell is of another thing where it has a word of the question, and beside it a word that the question has not, while in the question words
    stand right before it that no cell of the row has.
    """
    tokens = read_tokens(question)
    cells = [cell for cell in split_cells(row) if cell and cell != BLANK]
    known = [token.word for cell in cells for token in read_tokens(cell)]
    for cell in cells:
        words = [token.word for token in read_tokens(cell) if token.word not in STOP_WORDS and not token.word.isdigit()]
        if not 1 < len(words) <= LONGEST_NAME:
            continue
        heads = [place for place, token in enumerate(tokens) if _meets_any(token.word, words)]
        lacks = [word for word in words if not any(_meets_any(tokens[place].word, [word]) for place in heads)]
        for head in heads if lacks else ():
            before = _list_modifiers(tokens, head)
            if before and not any(_meets_any(tokens[place].word, known) for place in before):
                return OtherEntity(cell, " ".join(tokens[place].text for place in (*before, head)))
    return None


def find_missing_attribute(question: str, rows: str) -> str:
    """What ``question`` asks of something and no word of ``rows`` names, with the names of their columns: the row of an employee says no head; else empty."""
    tokens = read_tokens(question)
    noun = find_attribute(tokens) if tokens else None
    if noun is None or any(meet(tokens[noun].word, token.word) >= SYNONYM for token in read_tokens(rows)):
        return ""
    return tokens[noun].text


def _list_modifiers(tokens: Sequence[Token], head: int) -> list[int]:
    """The places of the words right before a noun that are no small words."""
    first = head
    while first and tokens[first - 1].word not in STOP_WORDS:
        first -= 1
    return list(range(first, head))


def _meets_any(word: str, others: Sequence[str]) -> bool:
    return any(meet(word, other, by_meaning=False) >= ROOT for other in others)
