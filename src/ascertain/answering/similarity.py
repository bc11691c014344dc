"""How close each candidate sentence is to the question, by meaning."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ascertain.answering.alignment import Alignment, align
from ascertain.answering.candidates import Candidate
from ascertain.answering.question import Question
from ascertain.core.passages import Passage
from ascertain.models.ports import Embedder, TokenEmbedder, Vectors

Matrix = NDArray[np.float64]

EMBEDDED = 16
"""Candidates that are embedded; the others share too few words with the question. On xquad_en 12 find as much as 24."""
LOOKED_AT_TWICE = 4
"""Candidates that are read without their title too: a title lifts every sentence under it, right or wrong."""
_LONGEST_EMBEDDED = 400
"""Characters of a candidate that are embedded."""


@dataclass(frozen=True, slots=True)
class Similarity:
    """``asked``: the question's vector. ``titled``: cosine of each candidate, under its document's title, to the question; NaN
    where not computed.
    """

    asked: Vectors
    titled: Matrix

    @property
    def nearest(self) -> list[int]:
        """The candidates that are worth a second look, nearest first."""
        known = np.where(np.isnan(self.titled), -np.inf, self.titled)
        order = [int(i) for i in np.argsort(-known, kind="stable")[:LOOKED_AT_TWICE]]
        return [i for i in order if np.isfinite(known[i])]


@dataclass(frozen=True, slots=True)
class CloseReading:
    """What a second look at a few candidates saw.

    ``closest``: the best mean of a candidate's cosines with and without its title. ``alignments`` by candidate, empty where
    the embedder gives no tokens.
    """

    closest: float
    alignments: Mapping[int, Alignment]


def compare(
    question: Question, candidates: Sequence[Candidate], passages: Sequence[Passage], embedder: Embedder
) -> Similarity:
    """Compare the question with the most promising of ``candidates``, of which there is at least one."""
    titled = np.full(len(candidates), np.nan)
    promise = np.array([_promise(question, c, passages) for c in candidates])
    rows = sorted(int(i) for i in np.argsort(-promise, kind="stable")[:EMBEDDED])
    asked = embedder.embed_query(question.text)
    titled[rows] = embedder.embed_documents([_titled(candidates[i]) for i in rows]) @ asked
    return Similarity(asked, titled)


def read_closely(
    question: Question,
    candidates: Sequence[Candidate],
    similarity: Similarity,
    best: int,
    embedder: Embedder,
) -> CloseReading:
    """Look again at the nearest candidates and the ``best`` one, without their titles and word by word."""
    rows = list(dict.fromkeys([*similarity.nearest, best]))
    texts = [_plain(candidates[i]) for i in rows]
    tokens = embedder.embed_tokens([question.text, *texts]) if isinstance(embedder, TokenEmbedder) else None
    alignments: dict[int, Alignment] = {}
    if tokens is None:
        plain = embedder.embed_documents(texts)
    else:
        plain = np.stack([text.whole for text in tokens[1:]])
        for i, said in zip(rows, tokens[1:], strict=True):
            alignments[i] = align(question, tokens[0], said, candidates[i].document.title)
    both = (similarity.titled[rows] + plain @ similarity.asked) / 2
    return CloseReading(float(np.max(both)), alignments)


def _titled(candidate: Candidate) -> str:
    title = candidate.document.title
    return f"{title}\n{_plain(candidate)}" if title else _plain(candidate)


def _plain(candidate: Candidate) -> str:
    return candidate.text[:_LONGEST_EMBEDDED]


def _promise(question: Question, candidate: Candidate, passages: Sequence[Passage]) -> float:
    """A cheap first look: words shared with the question, and how good the passage is."""
    score = question.coverage(set(candidate.terms)) + passages[candidate.passage].score
    return score - float(candidate.is_fragment)
