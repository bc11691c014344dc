"""How close each candidate sentence is to the question, by meaning."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ascertain.answering.candidates import Candidate
from ascertain.answering.question import Question
from ascertain.core.passages import Passage
from ascertain.models.ports import Embedder

Matrix = NDArray[np.float64]

EMBEDDED = 16
"""Candidates that are embedded; the others share too few words with the question. On xquad_en 12 find as much as 24."""
LOOKED_AT_TWICE = 4
"""Candidates that are embedded without their title too: a title lifts every sentence under it, right or wrong."""
_LONGEST_EMBEDDED = 400
"""Characters of a candidate that are embedded."""


@dataclass(frozen=True, slots=True)
class Similarity:
    """``titled``: cosine of each candidate, under its document's title, to the question; NaN where not computed.

    ``closest``: the best mean of a candidate's cosines with and without the title.
    """

    titled: Matrix
    closest: float


def compare(
    question: Question, candidates: Sequence[Candidate], passages: Sequence[Passage], embedder: Embedder
) -> Similarity:
    """Compare the question with the most promising of ``candidates``, of which there is at least one."""
    titled = np.full(len(candidates), np.nan)
    promise = np.array([_promise(question, c, passages) for c in candidates])
    rows = sorted(int(i) for i in np.argsort(-promise, kind="stable")[:EMBEDDED])
    asked = embedder.embed_query(question.text)
    titled[rows] = embedder.embed_documents([_titled(candidates[i]) for i in rows]) @ asked
    nearest = sorted(rows, key=lambda i: -titled[i])[:LOOKED_AT_TWICE]
    plain = embedder.embed_documents([_plain(candidates[i]) for i in nearest]) @ asked
    return Similarity(titled, float(np.max((titled[nearest] + plain) / 2)))


def _titled(candidate: Candidate) -> str:
    title = candidate.document.title
    return f"{title}\n{_plain(candidate)}" if title else _plain(candidate)


def _plain(candidate: Candidate) -> str:
    return candidate.text[:_LONGEST_EMBEDDED]


def _promise(question: Question, candidate: Candidate, passages: Sequence[Passage]) -> float:
    """A cheap first look: words shared with the question, and how good the passage is."""
    score = question.coverage(set(candidate.terms)) + passages[candidate.passage].score
    return score - float(candidate.is_fragment)
