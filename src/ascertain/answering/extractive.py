"""Answers made of sentences quoted from the sources: offline, no model writes a word."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from ascertain.answering.answer_kinds import FACTS, offers
from ascertain.answering.candidates import Candidate, Gathered, gather
from ascertain.answering.citations import cite
from ascertain.answering.composition import Composition
from ascertain.answering.confidence import (
    EVIDENCE_FEATURES,
    Evidence,
    answer_confidence,
    confidence_of,
    evidence_features,
)
from ascertain.answering.features import SENTENCE_FEATURES, sentence_features
from ascertain.answering.linear_model import load_model
from ascertain.answering.mentions import PENALTY, is_about, less_sure, unmentioned, unnamed
from ascertain.answering.question import Question, analyse
from ascertain.answering.rejection import rejection_text
from ascertain.answering.selection import Chosen, choose
from ascertain.answering.similarity import compare
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

        ``confidence`` is the retrieval's; the answer's own looks closer, and the decision holds both with the evidence.
        ``searched`` describes what was searched, for the text of a rejection: ``24 documents published in March 2026``.
        Raises ModelError when the embedder fails.
        """
        asked = analyse(question)
        considered = passages[: self._settings.passages]
        gathered = gather(considered, self._document)
        if not gathered.candidates:
            return _rejection(
                asked, considered, confidence_of(0, 1), searched, (*gathered.decisions, _NOTHING_TO_QUOTE)
            )
        absent = unmentioned(asked.codes, considered)
        if absent:
            reason = f"no passage mentions {', '.join(absent)}"
            decisions = (*gathered.decisions, Decision("compose", "rejected", reason))
            return _rejection(asked, considered, confidence_of(0, 1), searched, decisions)
        similarity = compare(asked, gathered.candidates, considered, self._embedder)
        features = sentence_features(asked, gathered.candidates, considered, similarity.titled)
        scores = load_model("selection", SENTENCE_FEATURES).scores(features)
        scores[np.isnan(similarity.titled)] = -np.inf
        if asked.codes:
            scores -= PENALTY * np.array([not is_about(c, asked.codes) for c in gathered.candidates])
        best = int(np.argmax(scores))
        pairs = float(features[best, SENTENCE_FEATURES.index("pairs")])
        evidence = evidence_features(
            Evidence(asked, gathered.candidates, considered, similarity, best, pairs)
        )
        threshold = self._settings.rejection_threshold
        sure = less_sure(answer_confidence(evidence, threshold), unnamed(asked, considered), threshold)
        trace = {
            "confidence": float(sure.score),
            "retrieval": float(confidence.score),
            **dict(zip(EVIDENCE_FEATURES, evidence, strict=True)),
        }
        if sure.level is Level.NONE:
            reason = f"confidence {sure.score} is below {threshold}"
            decisions = (*gathered.decisions, Decision("compose", "rejected", reason, trace))
            return _rejection(asked, considered, sure, searched, decisions)
        chosen = choose(
            gathered.candidates, scores, self._settings.max_sentences, lambda c: _offers_fact(asked, c)
        )
        return _answer(gathered, chosen, sure, trace)


def _offers_fact(question: Question, candidate: Candidate) -> bool:
    return question.kind not in FACTS or offers(question.kind, candidate.text, question.weights.keys())


_NOTHING_TO_QUOTE = Decision("compose", "rejected", "no passage that can be quoted was found")


def _rejection(
    question: Question,
    passages: Sequence[Passage],
    confidence: Confidence,
    searched: str,
    decisions: tuple[Decision, ...],
) -> Composition:
    text = rejection_text(question, passages, searched)
    return Composition(text, (), (), confidence, decisions, AnswerType.REJECTION)


def _answer(
    gathered: Gathered, chosen: Sequence[Chosen], confidence: Confidence, trace: Mapping[str, float]
) -> Composition:
    citations: list[Citation] = []
    sentences: list[AnswerSentence] = []
    for choice in chosen:
        first = len(citations) + 1
        for index in (choice.candidate, *choice.echoes):
            source = gathered.candidates[index]
            citations.append(cite(len(citations) + 1, source.document, source.span))
        numbers = tuple(range(first, len(citations) + 1))
        text = gathered.candidates[choice.candidate].text
        sentences.append(AnswerSentence(text, Verdict(VerdictLabel.SUPPORTED, 1.0), numbers))
    documents = len({citation.document_id for citation in citations})
    decision = Decision(
        "compose",
        "answered",
        f"{len(sentences)} of {len(gathered.candidates)} sentences quoted, from {documents} document(s)",
        dict(trace),
    )
    return Composition(
        text=_paragraphs([gathered.candidates[choice.candidate] for choice in chosen]),
        sentences=tuple(sentences),
        citations=tuple(citations),
        confidence=confidence,
        decisions=(*gathered.decisions, decision),
        type=AnswerType.SUMMARY,
    )


def _paragraphs(answer: Sequence[Candidate]) -> str:
    """The sentences as text, those of each document a paragraph."""
    by_document: dict[str, list[str]] = {}
    for candidate in answer:
        by_document.setdefault(candidate.document.id, []).append(candidate.text)
    return "\n\n".join(" ".join(texts) for texts in by_document.values())
