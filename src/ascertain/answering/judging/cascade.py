"""The judge of candidates, in a cascade: word signals choose what a small reader reads, and that chooses what a large one reads.

Each step adds what its model says to the signals before it, and weighs all of them with its own fitted model (``judge_by_words``,
``judge``, ``judge_twice``); the readers alone are better than any rule over them, and together better than either.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ascertain.answering.candidates import Candidate
from ascertain.answering.judging.features import WORD_FEATURES, Matrix, word_features
from ascertain.answering.judging.reading import (
    NOTHING_READ,
    READER_FEATURES,
    SECOND_READER_FEATURES,
    PassageNotes,
    ReadingBounds,
    read_passages,
    reader_features,
)
from ascertain.answering.question import FACTS, Question, mentions_identifier, offers_kind
from ascertain.core.blocks import BlockKind
from ascertain.core.passages import Passage
from ascertain.models.logistic_model import load_logistic_model
from ascertain.models.reader import PassageReader

FIRST_READ = ReadingBounds(passages=10, candidates=12)
"""What the small reader reads: 2,400 characters on average. With 8 candidates of six passages (1,700 characters) 63.9 of 100 questions
have the right sentence first and 77.6 among three, with 12 of ten 64.4 and 78.6, with all of ten (7,000) 65.2 and 79.7: ``asked`` and
``wild`` dev, each collection left out of the fit.
"""
SECOND_READ = ReadingBounds(passages=5, candidates=3)
"""What the large one reads: 790 characters on average. With two candidates 67.8, with three 69.9, with six 70.2 of 100 have the right
sentence first, where the small one alone has 64.4.
"""


@dataclass(frozen=True, slots=True)
class Readers:
    """The small reader, and the large one where it is installed."""

    first: PassageReader
    second: PassageReader | None = None

    @classmethod
    def pair(cls, first: PassageReader | None, second: PassageReader | None) -> Readers | None:
        """None without a small reader, which chooses what the large one reads."""
        return None if first is None else cls(first, second)


@dataclass(frozen=True, slots=True)
class JudgedCandidates:
    """``scores``: log-odds that a candidate is the answer, -inf for headings. ``notes`` and ``second_notes``: what the small and the large
    reader made of the passages, the latter empty where none read.
    """

    scores: Matrix
    notes: PassageNotes
    second_notes: PassageNotes = NOTHING_READ

    @property
    def best_notes(self) -> PassageNotes:
        """Of the reader that best identifies the words that answer."""
        return self.notes if self.second_notes.is_empty else self.second_notes


def judge_candidates(
    question: Question, candidates: Sequence[Candidate], passages: Sequence[Passage], readers: Readers
) -> JudgedCandidates:
    """Score ``candidates``, of which there is at least one, of ``passages``, best first. Where the small reader reads nothing of them, since
    it fails or does not know the language, ``notes`` say why, and the scores are those of words alone.
    """
    columns = word_features(question, candidates, passages)
    barred = np.array([is_heading(each) and not is_entry_heading(question, each) for each in candidates], dtype=bool)
    if barred.all():
        barred[:] = False
    scores = _weigh("judge_by_words", WORD_FEATURES, columns, barred)
    first = read_passages(question, candidates, passages, readers.first, scores=scores, bounds=FIRST_READ)
    if first.is_empty:
        return JudgedCandidates(scores, first)
    columns = np.hstack([columns, reader_features(first)])
    scores = _weigh("judge", (*WORD_FEATURES, *READER_FEATURES), columns, barred)
    if readers.second is None:
        return JudgedCandidates(scores, first)
    second = read_passages(question, candidates, passages, readers.second, scores=scores, bounds=SECOND_READ)
    if second.is_empty:
        return JudgedCandidates(scores, first)
    columns = np.hstack([columns, reader_features(second)])
    names = (*WORD_FEATURES, *READER_FEATURES, *SECOND_READER_FEATURES)
    return JudgedCandidates(_weigh("judge_twice", names, columns, barred), first, second)


def _weigh(model: str, names: tuple[str, ...], columns: Matrix, barred: np.ndarray) -> Matrix:
    scores = load_logistic_model(model, names).compute_log_odds(columns)
    return np.where(barred, -np.inf, scores)


def is_heading(candidate: Candidate) -> bool:
    """Whether a candidate is a heading, the title or the speaker's name, and nothing else."""
    if candidate.header is not None or candidate.is_block:
        return False
    around = candidate.document.tree.around(candidate.span.start)
    if around and around[-1].kind is BlockKind.HEADING:
        return True
    if candidate.is_fragment and _stands_as_heading(candidate):
        return True
    place = candidate.document.place_of(candidate.span)
    own, names = _keep_letters(candidate.text), (candidate.document.title, place.speaker or "", *place.section)
    return candidate.is_fragment and (not own or any(own == _keep_letters(name) for name in names))


def is_entry_heading(question: Question, candidate: Candidate) -> bool:
    """Whether a heading names a code of ``question`` and gives the requested fact: "Version 1.1.9 (2019-02-10)"."""
    return (
        question.kind in FACTS
        and any(mentions_identifier(candidate.text, code) for code in question.codes)
        and offers_kind(question.kind, candidate.text, question.weights.keys())
    )


LONGEST_HEADING = 8
"""Most words of a line by itself that may be a heading."""
_NO_HEADING = re.compile(r"[\d:|=<>/_]|[.!?]$")


def _stands_as_heading(candidate: Candidate) -> bool:
    """Whether a scrap of plain text is the only line of its paragraph, as headings are, and says nothing a question could ask for: no
    figure, no value.
    """
    text, span = candidate.document.text, candidate.span
    is_alone = not text[: span.start].rstrip(" ").removesuffix("\n\n") or text[: span.start].endswith("\n\n")
    is_alone = is_alone and text[span.end :].startswith("\n\n")
    return is_alone and len(candidate.text.split()) <= LONGEST_HEADING and not _NO_HEADING.search(candidate.text)


def _keep_letters(text: str) -> str:
    return "".join(c for c in text.casefold() if c.isalnum())
