"""What the passages say for and against an answer, in numbers: the signals that its confidence rests on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ascertain.answering.candidates import Candidate
from ascertain.answering.features import SENTENCE_FEATURES, sentence_features
from ascertain.answering.linear_model import load_model
from ascertain.answering.mentions import PENALTY, is_about
from ascertain.answering.question import Question
from ascertain.answering.similarity import Similarity, compare
from ascertain.core.passages import Passage
from ascertain.models.ports import Embedder
from ascertain.models.terms import content_terms

Matrix = NDArray[np.float64]

EVIDENCE_FEATURES = (
    "similarity",
    "similarity_lead",
    "coverage_lead",
    "pairs",
    "from_first_passage",
    "unseen_specifics",
)

_BACKGROUND = 8
"""Passages that a lead is measured against; where fewer were found, the rest count as unrelated ones."""
_UNRELATED_SIMILARITY = 0.2
_UNRELATED_COVERAGE = 0.25
"""What passages on another subject commonly score (median of the eighth passage on the development sets)."""


@dataclass(frozen=True, slots=True)
class Reading:
    """``scores``: log-odds that each candidate belongs to the answer, -inf where not looked at. ``evidence``: by name, as
    ``EVIDENCE_FEATURES``.
    """

    scores: Matrix
    evidence: Mapping[str, float]


def read_evidence(
    question: Question, candidates: Sequence[Candidate], passages: Sequence[Passage], embedder: Embedder
) -> Reading:
    """Score at least one candidate sentence of ``passages`` (best first). Raises ModelError when the embedder fails."""
    similarity = compare(question, candidates, passages, embedder)
    features = sentence_features(question, candidates, passages, similarity.titled)
    scores = load_model("selection", SENTENCE_FEATURES).scores(features)
    scores[np.isnan(similarity.titled)] = -np.inf
    if question.codes:
        scores -= PENALTY * np.array([not is_about(c, question.codes) for c in candidates])
    best = int(np.argmax(scores))
    pairs = float(features[best, SENTENCE_FEATURES.index("pairs")])
    return Reading(scores, _evidence(question, candidates, passages, similarity, best) | {"pairs": pairs})


def _evidence(
    question: Question,
    candidates: Sequence[Candidate],
    passages: Sequence[Passage],
    similarity: Similarity,
    best: int,
) -> dict[str, float]:
    """Every one but ``unseen_specifics`` speaks for an answer; ``best`` is the candidate that leads it.

    The leads compare the best passage with the rest: an answer stands out, a mere subject does not.
    """
    read = [set(content_terms(p.chunk.indexed_text)) for p in passages]
    dense = sorted(_passage_similarities(candidates, passages, similarity), reverse=True)[:_BACKGROUND]
    coverage = sorted((question.coverage(terms) for terms in read), reverse=True)[:_BACKGROUND]
    dense += [_UNRELATED_SIMILARITY] * (_BACKGROUND - len(dense))
    coverage += [_UNRELATED_COVERAGE] * (_BACKGROUND - len(coverage))
    unseen = question.specifics - set[str]().union(*read)
    return {
        "similarity": similarity.closest,
        "similarity_lead": dense[0] - float(np.mean(dense)),
        "coverage_lead": coverage[0] - float(np.median(coverage)),
        "from_first_passage": float(candidates[best].passage == 0),
        "unseen_specifics": len(unseen) / len(question.specifics) if question.specifics else 0.0,
    }


def _passage_similarities(
    candidates: Sequence[Candidate], passages: Sequence[Passage], similarity: Similarity
) -> list[float]:
    """The dense score of each passage; where a search made none, that of its best sentence."""
    best = [0.0] * len(passages)
    for candidate, value in zip(candidates, similarity.titled, strict=True):
        if not np.isnan(value):
            best[candidate.passage] = max(best[candidate.passage], float(value))
    return [p.scores.get("dense", value) for p, value in zip(passages, best, strict=True)]
