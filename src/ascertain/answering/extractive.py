"""Answers made of sentences quoted from the sources: offline, no model writes a word."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ascertain.answering.candidates import Candidate, Gathered, gather
from ascertain.answering.citations import cite
from ascertain.answering.confidence import Evidence, answer_confidence, confidence_of, evidence_features
from ascertain.answering.features import SENTENCE_FEATURES, sentence_features
from ascertain.answering.linear_model import load_model
from ascertain.answering.question import Question, analyse
from ascertain.answering.rejection import rejection_text
from ascertain.answering.selection import Chosen, choose
from ascertain.core.answers import (
    AnswerSentence,
    AnswerType,
    Citation,
    Decision,
    Verdict,
    VerdictLabel,
)
from ascertain.core.documents import Document
from ascertain.core.passages import Confidence, Level, Passage
from ascertain.core.settings import AnswerSettings
from ascertain.models.ports import Embedder

Matrix = NDArray[np.float64]

EMBEDDED = 24
"""Candidates whose similarity is computed, about 150 ms of two cores; the rest share too few words with the question."""
LOOKED_AT_TWICE = 4
"""Candidates that are embedded without their title too: a title lifts every sentence under it, right or wrong."""
_LONGEST_EMBEDDED = 400
"""Characters of a candidate that are embedded."""


@dataclass(frozen=True, slots=True)
class Composition:
    """What a composer made: the text to show, its sentences with the numbers of their citations, and why."""

    text: str
    sentences: tuple[AnswerSentence, ...]
    citations: tuple[Citation, ...]
    confidence: Confidence
    decisions: tuple[Decision, ...]
    type: AnswerType


class ExtractiveComposer:
    """Chooses the sentences of the passages that answer a question and cites them."""

    def __init__(
        self, embedder: Embedder, document: Callable[[str], Document | None], settings: AnswerSettings
    ) -> None:
        self._embedder = embedder
        self._document = document
        self._settings = settings

    def compose(
        self, question: str, passages: Sequence[Passage], confidence: Confidence, *, searched: str = ""
    ) -> Composition:
        """Answer ``question`` from ``passages`` (best first) with quoted sentences, or reject it.

        ``confidence`` is the retrieval's; the answer's own looks closer and is told apart from it in the decisions.
        ``searched`` describes what was searched, for the text of a rejection: ``24 documents published in March 2026``.
        Raises ModelError when the embedder fails.
        """
        asked = analyse(question)
        considered = passages[: self._settings.passages]
        gathered = gather(considered, self._document)
        if not gathered.candidates:
            return self._reject(asked, considered, confidence_of(0, 1), searched, gathered.decisions)
        similarity, closest = self._similarity(asked, gathered.candidates, considered)
        features = sentence_features(asked, gathered.candidates, considered, similarity)
        scores = load_model("selection", SENTENCE_FEATURES).scores(features)
        scores[np.isnan(similarity)] = -np.inf
        best = int(np.argmax(scores))
        evidence = Evidence(
            question=asked,
            candidates=gathered.candidates,
            passages=considered,
            similarity=similarity,
            closest=closest,
            best=best,
            pairs=float(features[best, SENTENCE_FEATURES.index("pairs")]),
        )
        sure = answer_confidence(evidence_features(evidence), self._settings.rejection_threshold)
        if sure.level is Level.NONE:
            return self._reject(asked, considered, sure, searched, gathered.decisions)
        chosen = choose(gathered.candidates, scores, self._settings.max_sentences)
        return _answer(gathered, chosen, sure, confidence)

    def _similarity(
        self, question: Question, candidates: Sequence[Candidate], passages: Sequence[Passage]
    ) -> tuple[Matrix, float]:
        """Cosine of each candidate to the question, and the best mean of the cosines with and without the title.

        The cosine is NaN beyond the ``EMBEDDED`` most promising candidates.
        """
        similarity = np.full(len(candidates), np.nan)
        promise = np.array([_promise(question, c, passages) for c in candidates])
        rows = sorted(int(i) for i in np.argsort(-promise, kind="stable")[:EMBEDDED])
        asked = self._embedder.embed_query(question.text)
        similarity[rows] = self._embedder.embed_documents([_titled(candidates[i]) for i in rows]) @ asked
        nearest = sorted(rows, key=lambda i: -similarity[i])[:LOOKED_AT_TWICE]
        plain = self._embedder.embed_documents([_plain(candidates[i]) for i in nearest]) @ asked
        return similarity, float(np.max((similarity[nearest] + plain) / 2))

    def _reject(
        self,
        question: Question,
        passages: Sequence[Passage],
        confidence: Confidence,
        searched: str,
        decisions: tuple[Decision, ...],
    ) -> Composition:
        reason = (
            f"confidence {confidence.score} is below {self._settings.rejection_threshold}"
            if passages
            else "no passage was found"
        )
        decision = Decision("compose", "rejected", reason, {"confidence": float(confidence.score)})
        text = rejection_text(question, passages, searched)
        return Composition(text, (), (), confidence, (*decisions, decision), AnswerType.REJECTION)


def _titled(candidate: Candidate) -> str:
    title = candidate.document.title
    return f"{title}\n{_plain(candidate)}" if title else _plain(candidate)


def _plain(candidate: Candidate) -> str:
    return candidate.text[:_LONGEST_EMBEDDED]


def _promise(question: Question, candidate: Candidate, passages: Sequence[Passage]) -> float:
    """A cheap first look: words shared with the question, and how good the passage is."""
    score = question.coverage(set(candidate.terms)) + passages[candidate.passage].score
    return score - float(candidate.is_fragment)


def _answer(
    gathered: Gathered, chosen: Sequence[Chosen], confidence: Confidence, retrieval: Confidence
) -> Composition:
    citations: list[Citation] = []
    sentences: list[AnswerSentence] = []
    text = ""
    previous: Candidate | None = None
    for choice in chosen:
        candidate = gathered.candidates[choice.candidate]
        first = len(citations) + 1
        for index in (choice.candidate, *choice.echoes):
            source = gathered.candidates[index]
            citations.append(cite(len(citations) + 1, source.document, source.span))
        numbers = tuple(range(first, len(citations) + 1))
        sentences.append(AnswerSentence(candidate.text, Verdict(VerdictLabel.SUPPORTED, 1.0), numbers))
        if previous is not None:
            text += " " if previous.document.id == candidate.document.id else "\n\n"
        text += candidate.text
        previous = candidate
    documents = len({citation.document_id for citation in citations})
    decision = Decision(
        "compose",
        "answered",
        f"{len(sentences)} of {len(gathered.candidates)} sentences quoted, from {documents} document(s)",
        {"confidence": float(confidence.score), "retrieval": float(retrieval.score)},
    )
    return Composition(
        text,
        tuple(sentences),
        tuple(citations),
        confidence,
        (*gathered.decisions, decision),
        AnswerType.SUMMARY,
    )
