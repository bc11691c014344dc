"""What the reader makes of the passages: how likely each candidate sentence holds the answer, and which words.

The reader is a small model that reads the question together with a passage (``models/reader.py``, docs/reader.md). It knows
English; other languages, and passages that it cannot read, are left to the rules.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ascertain.answering.candidates import Candidate
from ascertain.answering.question import Question
from ascertain.core.documents import Span
from ascertain.core.errors import ModelError
from ascertain.core.passages import Passage
from ascertain.language.tokens import is_foreign
from ascertain.models.reader import Reader, Reading, find_answer

Matrix = NDArray[np.float64]

MOST_READ = 5
"""Passages that are read, those with the best sentences by rules: about 30 ms each on two cores."""

READER_FEATURES = ("reader_span", "reader_share", "reader_answerable", "unread")
"""Of a candidate: the score of the best answer inside it, its share among those read, and whether its passage answers."""
READER_EVIDENCE = ("reader_best_span", "reader_chosen_span", "reader_best_answerable", "reader_second_answerable")
"""Of the passages together: what speaks for an answer."""

_LEAST_SPAN, _MOST_SPAN = -12.0, 12.0
_LEAST_ANSWERABLE, _MOST_ANSWERABLE = -6.0, 6.0
"""Logits are cut here: beyond, they tell answers apart no better."""


@dataclass(frozen=True, slots=True)
class PassageNotes:
    """``spans`` and ``answerable``: logits for each candidate, NaN where its passage was not read. ``answers``: for those
    read, the characters of the document that answer best.
    """

    spans: Matrix
    answerable: Matrix
    answers: Mapping[int, Span] = field(default_factory=dict[int, Span])
    reason: str = ""
    """Why nothing was read, where the reader failed or does not know the language."""

    @property
    def is_empty(self) -> bool:
        """Whether nothing was read."""
        return not self.answers


NOTHING_READ = PassageNotes(np.empty(0), np.empty(0))


def read_passages(
    question: Question, candidates: Sequence[Candidate], passages: Sequence[Passage], scores: Matrix, reader: Reader
) -> PassageNotes:
    """Read the passages whose sentences have the best ``scores``, log-odds by rules, -inf for those of no promise."""
    spans, answerable = np.full(len(candidates), np.nan), np.full(len(candidates), np.nan)
    if is_foreign(question.text):
        return PassageNotes(spans, answerable, reason="the reader knows English only")
    best: dict[int, float] = {}
    for candidate, score in zip(candidates, scores, strict=True):
        if np.isfinite(score):
            best[candidate.passage] = max(best.get(candidate.passage, -np.inf), float(score))
    order = sorted(best, key=lambda index: (-best[index], index))[:MOST_READ]
    chosen = [index for index in order if not is_foreign(passages[index].chunk.text)]
    try:
        readings = reader.read(question.text, [passages[index].chunk.text for index in chosen])
    except ModelError as error:
        return PassageNotes(spans, answerable, reason=f"the reader failed: {error}")
    answers: dict[int, Span] = {}
    for index, reading in zip(chosen, readings, strict=True):
        own = [i for i, candidate in enumerate(candidates) if candidate.passage == index]
        for i, (score, answer) in zip(own, _find_answers(candidates, own, passages[index], reading), strict=True):
            if answer is not None:
                spans[i], answerable[i], answers[i] = score, reading.answerable, answer
    return PassageNotes(spans, answerable, answers)


def _find_answers(
    candidates: Sequence[Candidate], own: Sequence[int], passage: Passage, reading: Reading
) -> list[tuple[float, Span | None]]:
    """For each candidate of the passage its score and best answer, in characters of the document."""
    start = passage.chunk.span.start
    found: list[tuple[float, Span | None]] = []
    for i in own:
        span = candidates[i].span
        within = Span(max(span.start - start, 0), max(span.end - start, 0))
        score, answer = find_answer(reading, within)
        found.append((score, answer and answer.shift(start)))
    return found


def reader_features(notes: PassageNotes) -> Matrix:
    """One row a candidate, columns as in ``READER_FEATURES``, each about -1..1; those not read as the worst of all."""
    is_read = ~np.isnan(notes.spans)
    spans = np.where(is_read, np.clip(np.nan_to_num(notes.spans), _LEAST_SPAN, _MOST_SPAN), _LEAST_SPAN)
    raised = np.where(is_read, np.exp(spans - spans.max(initial=_LEAST_SPAN)), 0.0)
    answerable = np.clip(np.nan_to_num(notes.answerable, nan=_LEAST_ANSWERABLE), _LEAST_ANSWERABLE, _MOST_ANSWERABLE)
    columns = [
        spans / _MOST_SPAN,
        raised / max(float(raised.sum()), 1e-12),
        answerable / _MOST_ANSWERABLE,
        (~is_read).astype(np.float64),
    ]
    return np.stack(columns, axis=1)


def weigh_readings(notes: PassageNotes, candidates: Sequence[Candidate], best: Mapping[int, float]) -> dict[str, float]:
    """``READER_EVIDENCE`` by name; ``best`` are shares of the best candidates. Empty where nothing was read."""
    if notes.is_empty:
        return {}
    features = reader_features(notes)
    by_passage: dict[int, float] = {}
    for i in notes.answers:
        by_passage[candidates[i].passage] = float(features[i, 2])
    answerable = sorted(by_passage.values(), reverse=True)
    return {
        "reader_best_span": float(features[:, 0].max()),
        "reader_chosen_span": sum(share * float(features[i, 0]) for i, share in best.items()),
        "reader_best_answerable": answerable[0],
        "reader_second_answerable": answerable[1] if len(answerable) > 1 else -1.0,
    }
