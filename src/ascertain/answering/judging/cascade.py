"""The judge of candidates, in a cascade: word signals choose what a small reader reads, and that chooses what a large one reads.

Each step adds what its model says to the signals before it, and weighs all of them with its own fitted model (``judge_by_words``,
``judge``, ``judge_twice``); the readers alone are better than any rule over them, and together better than either.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ascertain.answering.judging.features import WORD_FEATURES, Matrix, word_features
from ascertain.answering.judging.headings import bar_headings
from ascertain.answering.judging.reading import (
    NOTHING_READ,
    READER_FEATURES,
    SECOND_READER_FEATURES,
    PassageNotes,
    ReadingBounds,
    read_passages,
    reader_features,
)
from ascertain.answering.units.candidates import Candidate
from ascertain.core.asking.passages import Passage
from ascertain.models.logistic_model import load_logistic_model
from ascertain.models.reader import PassageReader
from ascertain.questions.reading.question import Question

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


FIRST_STEP = WORD_FEATURES
SECOND_STEP = (*FIRST_STEP, *READER_FEATURES)
THIRD_STEP = (*SECOND_STEP, *SECOND_READER_FEATURES)
"""What is known of a candidate at each step, in the order of the columns."""


def judge_candidates(
    question: Question,
    candidates: Sequence[Candidate],
    passages: Sequence[Passage],
    signals: Matrix,
    *,
    readers: Readers,
) -> JudgedCandidates:
    """Score ``candidates``, of which there is at least one, of ``passages``, best first. Each step adds ``signals``, log-odds by what the
    question names, so that what it names is read. Where the small reader reads nothing of them, since it fails or does not know the language,
    ``notes`` say why, and the scores are those of words alone.
    """
    columns = word_features(question, candidates, passages)
    barred = bar_headings(question, candidates)

    def weigh(model: str, names: tuple[str, ...]) -> Matrix:
        scores = load_logistic_model(model, names).compute_log_odds(columns) + signals
        return np.where(barred, -np.inf, scores)

    scores = weigh("judge_by_words", FIRST_STEP)
    first = read_passages(question, candidates, passages, readers.first, scores=scores, bounds=FIRST_READ)
    if first.is_empty:
        return JudgedCandidates(scores, first)
    columns = np.hstack([columns, reader_features(first)])
    scores = weigh("judge", SECOND_STEP)
    if readers.second is None:
        return JudgedCandidates(scores, first)
    second = read_passages(question, candidates, passages, readers.second, scores=scores, bounds=SECOND_READ)
    if second.is_empty:
        return JudgedCandidates(scores, first)
    columns = np.hstack([columns, reader_features(second)])
    return JudgedCandidates(weigh("judge_twice", THIRD_STEP), first, second)
