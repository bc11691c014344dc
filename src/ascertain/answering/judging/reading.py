"""The reader's judgement of the passages: how likely each candidate sentence holds the answer, and which words.

The reader is a small model that reads the question together with a passage (``models/reader.py``, docs/reader.md). It knows
English; other languages, and passages that it cannot read, are judged by the rules.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ascertain.answering.units.candidates import Candidate
from ascertain.core.asking.passages import Passage
from ascertain.core.documents.blocks import Span
from ascertain.core.errors import ModelError
from ascertain.language.tokens import is_foreign
from ascertain.models.reader import PassageReader, Reading, find_answer
from ascertain.questions.reading.question import Question

Matrix = NDArray[np.float64]

AROUND = 1
"""Candidates read on either side of the span, for what its pronouns and its verbless lines refer to."""

READER_FEATURES = ("reader_span", "reader_share", "reader_answerable", "unread")
SECOND_READER_FEATURES = ("second_span", "second_share", "second_answerable", "second_unread")
"""Of a candidate: the score of the best answer inside it, its share among those read, and whether its passage answers."""
READER_EVIDENCE = ("reader_best_span", "reader_best_answerable", "reader_second_answerable")
"""Of the passages together: signals for an answer."""
SECOND_READER_EVIDENCE = ("second_best_span", "second_best_answerable")
"""The same for the large reader."""

_LEAST_SPAN, _MOST_SPAN = -12.0, 12.0
_LEAST_ANSWERABLE, _MOST_ANSWERABLE = -6.0, 6.0
"""Logits are clipped here: beyond, they distinguish answers no better."""


@dataclass(frozen=True, slots=True)
class PassageNotes:
    """``spans`` and ``answerable``: logits for each candidate, NaN where its passage was not read. ``answers``: for those
    read, the characters of the document that answer best. ``readings``: of the passages read, best passage first.
    """

    spans: Matrix
    answerable: Matrix
    answers: Mapping[int, Span] = field(default_factory=dict[int, Span])
    readings: tuple[Reading, ...] = ()
    reason: str = ""
    """Why nothing was read, where the reader failed or does not know the language."""

    @property
    def is_empty(self) -> bool:
        """Whether nothing was read."""
        return not self.answers


NOTHING_READ = PassageNotes(np.empty(0), np.empty(0))


@dataclass(frozen=True, slots=True)
class ReadingBounds:
    """How much a reader reads: of the first ``passages``, the spans from the first to the last of the ``candidates`` that were best
    before.
    """

    passages: int
    candidates: int


def read_passages(
    question: Question,
    candidates: Sequence[Candidate],
    passages: Sequence[Passage],
    reader: PassageReader,
    *,
    scores: Matrix,
    bounds: ReadingBounds,
) -> PassageNotes:
    """Read of ``passages``, best first, what is in English and around the candidates with the best ``scores``."""
    spans, answerable = np.full(len(candidates), np.nan), np.full(len(candidates), np.nan)
    if is_foreign(question.text):
        return PassageNotes(spans, answerable, reason="the reader knows English only")
    chosen = [i for i, passage in enumerate(passages[: bounds.passages]) if not is_foreign(passage.chunk.text)]
    if not chosen:
        return PassageNotes(spans, answerable, reason="no passage is in English, which is all that the reader knows")
    stretches = _choose_stretches(candidates, passages, chosen, scores, most=bounds.candidates)
    texts = [
        stretch.shift(-passages[i].chunk.span.start).of(passages[i].chunk.text) for i, stretch in stretches.items()
    ]
    try:
        readings = reader.read(question.text, texts)
    except ModelError as error:
        return PassageNotes(spans, answerable, reason=f"the reader failed: {error}")
    answers: dict[int, Span] = {}
    for (index, stretch), reading in zip(stretches.items(), readings, strict=True):
        own = [i for i, candidate in enumerate(candidates) if candidate.passage == index]
        for i, (score, answer) in zip(own, _find_answers(candidates, own, stretch, reading), strict=True):
            if answer is not None:
                spans[i], answerable[i], answers[i] = score, reading.answerable, answer
    return PassageNotes(spans, answerable, answers, tuple(readings))


def _choose_stretches(
    candidates: Sequence[Candidate], passages: Sequence[Passage], chosen: Sequence[int], scores: Matrix, *, most: int
) -> dict[int, Span]:
    """What to read of each passage ``chosen``, in characters of its document; nothing of those without one of the ``most`` best
    candidates, and all of the first passage where there is none in any.
    """
    within = np.array([candidate.passage in chosen for candidate in candidates], dtype=bool)
    ranked = np.argsort(-np.where(within, scores, -np.inf), kind="stable")
    best = {int(i) for i in ranked[:most] if within[i] and np.isfinite(scores[i])}
    stretches: dict[int, Span] = {}
    for index in chosen:
        own = [i for i, candidate in enumerate(candidates) if candidate.passage == index]
        good = [place for place, i in enumerate(own) if i in best]
        if good:
            around = [candidates[i].span for i in own[max(good[0] - AROUND, 0) : good[-1] + AROUND + 1]]
            whole = Span(min(span.start for span in around), max(span.end for span in around))
            chunk = passages[index].chunk.span
            stretches[index] = Span(max(whole.start, chunk.start), min(whole.end, chunk.end))
    return stretches or {chosen[0]: passages[chosen[0]].chunk.span}


def _find_answers(
    candidates: Sequence[Candidate], own: Sequence[int], stretch: Span, reading: Reading
) -> list[tuple[float, Span | None]]:
    """For each candidate of the passage its score and best answer, in characters of the document."""
    start = stretch.start
    answers: list[tuple[float, Span | None]] = []
    for i in own:
        span = candidates[i].span
        within = Span(max(span.start - start, 0), max(span.end - start, 0))
        score, answer = find_answer(reading, within)
        answers.append((score, answer and answer.shift(start)))
    return answers


def reader_features(notes: PassageNotes) -> Matrix:
    """One row a candidate, columns as in ``READER_FEATURES``, each about -1..1; those not read like the worst of all."""
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


def weigh_readings(readings: Sequence[Reading]) -> dict[str, float]:
    """``READER_EVIDENCE`` by name, about -1..1; empty where nothing was read."""
    if not readings:
        return {}
    spans = [float(np.clip(reading.score, _LEAST_SPAN, _MOST_SPAN)) for reading in readings]
    answerable = sorted(
        (float(np.clip(reading.answerable, _LEAST_ANSWERABLE, _MOST_ANSWERABLE)) for reading in readings), reverse=True
    )
    return {
        "reader_best_span": max(spans) / _MOST_SPAN,
        "reader_best_answerable": answerable[0] / _MOST_ANSWERABLE,
        "reader_second_answerable": (answerable[1] if len(answerable) > 1 else _LEAST_ANSWERABLE) / _MOST_ANSWERABLE,
    }


def weigh_second_readings(readings: Sequence[Reading]) -> dict[str, float]:
    """``SECOND_READER_EVIDENCE`` by name; empty where nothing was read."""
    weighed = weigh_readings(readings)
    if not weighed:
        return {}
    return dict(
        zip(SECOND_READER_EVIDENCE, (weighed["reader_best_span"], weighed["reader_best_answerable"]), strict=True)
    )
