"""Codes and names of a question that an answer must not pass over.

A person who asks about error TP-4107 is not helped by what is known of TP-4120, however alike the two sentences read.
"""

from __future__ import annotations

from collections.abc import Sequence

from ascertain.answering.candidates import Candidate
from ascertain.answering.identifiers import mentions
from ascertain.answering.question import Question
from ascertain.core.passages import Passage
from ascertain.language.tokens import WORD, content_terms

PENALTY = 8.0
"""Log-odds taken from a sentence that is not about the code asked for: more than any other sign can make up for."""
UNNAMED = 0.6
"""Factor on the confidence when a name of the question stands in none of the passages."""


def unmentioned(codes: Sequence[str], passages: Sequence[Passage]) -> tuple[str, ...]:
    """The codes that no passage holds in its text or heading."""
    return tuple(
        code for code in codes if not any(mentions(passage.chunk.indexed_text, code) for passage in passages)
    )


def is_about(candidate: Candidate, codes: Sequence[str]) -> bool:
    """Whether the sentence, or the heading of its section, holds one of the codes."""
    section = " ".join(candidate.document.place_of(candidate.span).section)
    return any(mentions(candidate.text, code) or mentions(section, code) for code in codes)


def unnamed(question: Question, passages: Sequence[Passage]) -> tuple[str, ...]:
    """Names of the question, as written there, that stand in no passage."""
    read = set[str]().union(*(content_terms(passage.chunk.indexed_text) for passage in passages))
    return tuple(
        dict.fromkeys(
            word
            for word in WORD.findall(question.text)
            if not any(c.isdigit() for c in word)
            for term in content_terms(word)
            if term in question.specifics and term not in read
        )
    )
