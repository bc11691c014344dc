"""Judgements: what the workflow thinks of what was found and of what was written."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from ascertain.core.answers import Verdict, VerdictLabel
from ascertain.core.passages import Passage, Strategy

GOOD_QUALITY = 60
"""Retrieval quality, 0 to 100, from which an answer is written at once (WF-2); one that is poor is then written
again, not searched for again (AN-5)."""


SUFFICIENT_AFTER_GOOD, SUFFICIENT_AFTER_POOR = 65, 50
"""Score of the evaluation that an answer needs after good and after poor retrieval (AN-6)."""


class RetrievalIssue(StrEnum):
    """What is wrong with a set of passages."""

    PARTIAL_COVERAGE = "partial_coverage"
    MISSING_KEY_INFO = "missing_key_info"
    INCOMPLETE_CONTEXT = "incomplete_context"
    DOMAIN_MISALIGNMENT = "domain_misalignment"
    LOW_CONFIDENCE = "low_confidence"
    MIXED_RELEVANCE = "mixed_relevance"
    OFF_TOPIC = "off_topic"
    WRONG_DOMAIN = "wrong_domain"


@dataclass(frozen=True, slots=True)
class RetrievalQuality:
    """``score`` is 0..100; ``issues`` are in order of weight, none when all is well."""

    score: int
    issues: tuple[RetrievalIssue, ...]
    reason: str
    signals: Mapping[str, float] = field(default_factory=dict[str, float])


SUBJECT_SIGNAL = "subject"
"""Share of the words that tell what is asked, names and times aside, that the passages hold, 0..1; by rules."""
RULES_SIGNAL, OFF_TOPIC_SIGNAL = "rules", "off_topic"
"""The score by rules, and whether they found the passages off topic, where a chat model judged."""


def is_off_subject(qualities: Sequence[RetrievalQuality]) -> bool:
    """Whether the judges of all searches agree that no passage speaks of what is asked: nothing is written then.

    A search by words alone, judged by rules, has no say where it found none of these words: it cannot tell whether the
    matter stands there in others.
    """
    telling = [
        quality
        for quality in qualities
        if {"similarity", RULES_SIGNAL} & quality.signals.keys()
        or quality.signals.get(SUBJECT_SIGNAL, 1.0) > 0
        or RetrievalIssue.OFF_TOPIC in quality.issues
    ]
    return bool(telling) and all(
        RetrievalIssue.OFF_TOPIC in quality.issues and quality.score < GOOD_QUALITY for quality in telling
    )


def is_off_topic_by_rules(quality: RetrievalQuality) -> bool:
    """Whether rules find the passages of one search off topic, whatever a chat model thinks of them."""
    if RULES_SIGNAL in quality.signals:
        return quality.signals.get(OFF_TOPIC_SIGNAL, 0.0) > 0
    return RetrievalIssue.OFF_TOPIC in quality.issues


class GapKind(StrEnum):
    """What kind of thing is missing; it steers the next retrieval (a concept: by meaning, a name: by words)."""

    NAME = "name"
    CONCEPT = "concept"
    TIME = "time"
    AMOUNT = "amount"
    """Too few passages, or too little text, or too far from the question."""


@dataclass(frozen=True, slots=True)
class Gap:
    """Something that an answer would need and the passages do not hold."""

    kind: GapKind
    what: str


@dataclass(frozen=True, slots=True)
class Sufficiency:
    """Whether the passages can hold an answer, decided before anything is written."""

    is_sufficient: bool
    gaps: tuple[Gap, ...]
    reason: str
    signals: Mapping[str, float] = field(default_factory=dict[str, float])


@dataclass(frozen=True, slots=True)
class Shortfall:
    """A retrieval that was not good enough, with what was wrong."""

    question: str
    strategy: Strategy
    passages: tuple[Passage, ...]
    quality: RetrievalQuality
    sufficiency: Sufficiency


@dataclass(frozen=True, slots=True)
class CheckedClaim:
    """One claim of a draft; ``sentence`` is the index of the sentence it stands in."""

    text: str
    sentence: int
    verdict: Verdict
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Groundedness:
    """``claims`` with their verdicts, in order of the text."""

    claims: tuple[CheckedClaim, ...]

    @property
    def score(self) -> float:
        """Supported claims by all claims, 0..1; 1 when nothing is claimed."""
        if not self.claims:
            return 1.0
        return sum(c.verdict.label is VerdictLabel.SUPPORTED for c in self.claims) / len(self.claims)

    @property
    def flagged(self) -> tuple[CheckedClaim, ...]:
        """The claims without support."""
        return tuple(c for c in self.claims if c.verdict.label is not VerdictLabel.SUPPORTED)

    @property
    def unsupported(self) -> tuple[str, ...]:
        """The same, as written."""
        return tuple(claim.text for claim in self.flagged)


def wanted_score(quality: RetrievalQuality) -> int:
    """Score of the evaluation from which an answer suffices after a retrieval of this quality (AN-6)."""
    return SUFFICIENT_AFTER_GOOD if quality.score >= GOOD_QUALITY else SUFFICIENT_AFTER_POOR


class AnswerIssue(StrEnum):
    """What is wrong with an answer."""

    INCOMPLETE_SYNTHESIS = "incomplete_synthesis"
    LACKS_SPECIFICITY = "lacks_specificity"
    MISSING_DETAILS = "missing_details"
    UNSUPPORTED_CLAIMS = "unsupported_claims"
    PARTIAL_ANSWER = "partial_answer"
    WRONG_FOCUS = "wrong_focus"
    RETRIEVAL_LIMITED = "retrieval_limited"
    CONTEXTUAL_GAPS = "contextual_gaps"


class EvaluatedBy(StrEnum):
    """Whose word an evaluation is."""

    RULES = "rules"
    MODEL = "model"
    """A chat model, of which nothing more is known."""
    TRIED_MODEL = "tried_model"
    """One that told an answer about something else from this one in the same breath."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Relevance, completeness and accuracy of an answer, each 0..100, as is ``score``, which weighs them."""

    score: int
    relevance: int
    completeness: int
    accuracy: int
    issues: tuple[AnswerIssue, ...]
    reason: str
    by: EvaluatedBy = EvaluatedBy.RULES

    def is_sufficient(self, quality: RetrievalQuality) -> bool:
        """Whether the answer suffices after a retrieval of this quality (AN-6)."""
        return self.score >= wanted_score(quality)
