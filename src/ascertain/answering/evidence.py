"""What the passages say for and against an answer, in numbers: the signals that its confidence rests on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ascertain.answering.answer_kinds import FACTS, AnswerKind
from ascertain.answering.candidates import Candidate
from ascertain.answering.features import SENTENCE_FEATURES, sentence_features
from ascertain.answering.mentions import PENALTY, is_about
from ascertain.answering.question import Question
from ascertain.answering.question_signs import asks_for_extreme, asks_yes_or_no, is_of_other_year
from ascertain.answering.similarity import compare, read_closely
from ascertain.core.passages import Passage
from ascertain.language.tokens import content_terms
from ascertain.models.logistic_model import load_logistic_model
from ascertain.models.ports import Embedder

Matrix = NDArray[np.float64]

EVIDENCE_FEATURES = (
    "similarity",
    "similarity_lead",
    "coverage_lead",
    "pairs",
    "from_first_passage",
    "asks_fact",
    "asks_number",
    "asks_extreme",
    "asks_yes_or_no",
    "other_year",
    "unseen_specifics",
)
TOKEN_FEATURES = ("token_match", "word_match")
"""Only where the embedder gives tokens."""

_BACKGROUND = 8
"""Passages that a lead is measured against; where fewer were found, the rest count as unrelated ones."""
_UNRELATED_SIMILARITY = 0.2
_UNRELATED_COVERAGE = 0.25
"""What a passage on another subject commonly holds (median of the eighth passage on the development sets)."""


@dataclass(frozen=True, slots=True)
class Reading:
    """``scores``: log-odds that each candidate belongs to the answer, -inf where not looked at. ``evidence``:
    by name, as ``EVIDENCE_FEATURES``.
    """

    scores: Matrix
    evidence: Mapping[str, float]


def read_evidence(
    question: Question, candidates: Sequence[Candidate], passages: Sequence[Passage], embedder: Embedder
) -> Reading:
    """Score at least one candidate sentence of ``passages`` (best first). Raises ModelError when the embedder
    fails.
    """
    similarity = compare(question, candidates, passages, embedder)
    features = sentence_features(question, candidates, passages, similarity.titled)
    scores = load_logistic_model("selection", SENTENCE_FEATURES).compute_log_odds(features)
    scores[np.isnan(similarity.titled)] = -np.inf
    if question.codes:
        scores -= PENALTY * np.array([not is_about(c, question.codes) for c in candidates])
    best = int(np.argmax(scores))
    close = read_closely(question, candidates, similarity, best, embedder)
    evidence = {
        "similarity": close.closest,
        "pairs": float(features[best, SENTENCE_FEATURES.index("pairs")]),
        "from_first_passage": float(candidates[best].passage == 0),
        "other_year": float(is_of_other_year(question.text, candidates[best].document.title)),
        **_leads(question, _passage_similarities(candidates, passages, similarity.titled), passages),
        **_signs(question),
    }
    if close.alignments:
        evidence["token_match"] = close.alignments[best].tokens
        evidence["word_match"] = max(alignment.words for alignment in close.alignments.values())
    return Reading(scores, evidence)


def _leads(
    question: Question, similarities: Sequence[float], passages: Sequence[Passage]
) -> dict[str, float]:
    """How far the best passage stands out from the rest: an answer does, a mere subject does not."""
    read = [set(content_terms(p.chunk.indexed_text)) for p in passages]
    dense = sorted(similarities, reverse=True)[:_BACKGROUND]
    dense += [_UNRELATED_SIMILARITY] * (_BACKGROUND - len(dense))
    coverage = sorted([*(question.coverage(terms) for terms in read), _UNRELATED_COVERAGE], reverse=True)
    unseen = question.specifics - set[str]().union(*read)
    return {
        "similarity_lead": dense[0] - float(np.mean(dense)),
        "coverage_lead": coverage[0] - coverage[1],
        "unseen_specifics": len(unseen) / len(question.specifics) if question.specifics else 0.0,
    }


def _signs(question: Question) -> dict[str, float]:
    return {
        "asks_fact": float(question.kind in FACTS),
        "asks_number": float(question.kind is AnswerKind.NUMBER),
        "asks_extreme": float(asks_for_extreme(question.text)),
        "asks_yes_or_no": float(asks_yes_or_no(question.text)),
    }


def _passage_similarities(
    candidates: Sequence[Candidate], passages: Sequence[Passage], titled: Matrix
) -> list[float]:
    """The dense score of each passage; where a search made none, that of its best sentence."""
    best = [0.0] * len(passages)
    for candidate, value in zip(candidates, titled, strict=True):
        if not np.isnan(value):
            best[candidate.passage] = max(best[candidate.passage], float(value))
    return [p.scores.get("dense", value) for p, value in zip(passages, best, strict=True)]
