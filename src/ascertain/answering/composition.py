"""What a composer is asked for and what it makes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ascertain.core.accounts import Account
from ascertain.core.answers import AnswerSentence, AnswerType, Citation, Decision
from ascertain.core.passages import Confidence, Passage


@dataclass(frozen=True, slots=True)
class WritingRequest:
    """``passages`` best first. ``quality`` is the retrieval's, 0..100, and sets how bold the writer may be.

    ``unsupported`` are claims of an earlier draft that had no support: to be dropped or grounded. ``searched`` says what
    was searched, for the text of a rejection: ``24 documents published in March 2026``. With an ``account``, ``passages`` are its places.
    ``speaker`` is whose words are asked about: what others say is not quoted while there is anything of theirs.
    """

    question: str
    passages: tuple[Passage, ...]
    quality: int
    unsupported: tuple[str, ...] = ()
    searched: str = ""
    account: Account | None = None
    speaker: str = ""


@dataclass(frozen=True, slots=True)
class Composition:
    """What a composer made: the text to show, its sentences with the numbers of their citations, and why.

    ``evidence`` holds what the passages say for and against an answer, by name; see ``answering.confidence``.
    """

    text: str
    sentences: tuple[AnswerSentence, ...]
    citations: tuple[Citation, ...]
    confidence: Confidence
    decisions: tuple[Decision, ...]
    type: AnswerType
    evidence: Mapping[str, float] = field(default_factory=dict[str, float])
