"""Answers made of sentences quoted from the sources: offline, no model writes a word."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from ascertain.answering.accounts import compose_account
from ascertain.answering.answer_kinds import FACTS, offers
from ascertain.answering.candidates import Candidate, Gathered, collapsed, gather
from ascertain.answering.citations import cite
from ascertain.answering.composition import Composition, WritingRequest
from ascertain.answering.confidence import confidence_of, evidence_confidence
from ascertain.answering.evidence import read_evidence
from ascertain.answering.mentions import unmentioned, unnamed
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
from ascertain.core.passages import Confidence, Passage
from ascertain.core.runs import Run
from ascertain.core.settings import AnswerSettings
from ascertain.language.tokens import is_called
from ascertain.models.ports import Embedder


class ExtractiveComposer:
    """Chooses the sentences of the passages that answer a question and cites them."""

    def __init__(
        self, embedder: Embedder, document: Callable[[str], Document | None], settings: AnswerSettings
    ) -> None:
        self._embedder = embedder
        self._document = document
        self._settings = settings

    def compose(self, request: WritingRequest, run: Run) -> Composition:
        """Answer from ``request.passages`` with quoted sentences; ``run`` is not spent from.

        Composes whenever there is a sentence to quote, however little it says: whether the answer is shown is decided by
        its confidence, whose level may be NONE. A rejection only where nothing can be quoted or no passage holds a code of
        the question. Sentences that an earlier draft had unsupported are not chosen again while there are others.
        Raises ModelError when the embedder fails.
        """
        asked = analyse(request.question)
        if request.account is not None:
            told = compose_account(request.account, self._document, self._settings.rejection_threshold)
            if told.sentences:
                return told
            return _rejection(asked, request.passages, request.searched, told.decisions)
        considered = request.passages[: self._settings.passages]
        gathered = _of_speaker(request.speaker, gather(considered, self._document))
        gathered = _without(request.unsupported, gathered)
        if not gathered.candidates:
            return _rejection(asked, considered, request.searched, (*gathered.decisions, _NOTHING_TO_QUOTE))
        absent = unmentioned(asked.codes, considered)
        if absent:
            decision = Decision("compose", "rejected", f"no passage mentions {', '.join(absent)}")
            return _rejection(asked, considered, request.searched, (*gathered.decisions, decision))
        reading = read_evidence(asked, gathered.candidates, considered, self._embedder)
        sure = evidence_confidence(reading.evidence, unnamed(asked, considered), self._settings)
        chosen = choose(
            gathered.candidates,
            reading.scores,
            self._settings.max_sentences,
            lambda c: _offers_fact(asked, c),
        )
        return _answer(gathered, chosen, sure, reading.evidence)


def _without(unsupported: Sequence[str], gathered: Gathered) -> Gathered:
    dropped = {collapsed(text) for text in unsupported}
    kept = tuple(candidate for candidate in gathered.candidates if candidate.text not in dropped)
    return replace(gathered, candidates=kept) if kept else gathered


def _of_speaker(asked: str, gathered: Gathered) -> Gathered:
    """What the speaker who is asked about says; everything where none of it is known to be theirs."""
    if not asked:
        return gathered
    own = tuple(
        each
        for each in gathered.candidates
        if (speaker := each.document.place_of(each.span).speaker) and is_called(speaker, asked)
    )
    return replace(gathered, candidates=own) if own else gathered


def _offers_fact(question: Question, candidate: Candidate) -> bool:
    return question.kind not in FACTS or offers(question.kind, candidate.text, question.weights.keys())


_NOTHING_TO_QUOTE = Decision("compose", "rejected", "no passage that can be quoted was found")


def _rejection(
    question: Question, passages: Sequence[Passage], searched: str, decisions: tuple[Decision, ...]
) -> Composition:
    text = rejection_text(question, passages, searched)
    return Composition(text, (), (), confidence_of(0, 1), decisions, AnswerType.REJECTION)


def _answer(
    gathered: Gathered, chosen: Sequence[Chosen], confidence: Confidence, evidence: Mapping[str, float]
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
        {"confidence": float(confidence.score), **evidence},
    )
    return Composition(
        text=_paragraphs([gathered.candidates[choice.candidate] for choice in chosen]),
        sentences=tuple(sentences),
        citations=tuple(citations),
        confidence=confidence,
        decisions=(*gathered.decisions, decision),
        type=AnswerType.SUMMARY,
        evidence=dict(evidence),
    )


def _paragraphs(answer: Sequence[Candidate]) -> str:
    """The sentences as text, those of each document a paragraph."""
    by_document: dict[str, list[str]] = {}
    for candidate in answer:
        by_document.setdefault(candidate.document.id, []).append(candidate.text)
    return "\n\n".join(" ".join(texts) for texts in by_document.values())
