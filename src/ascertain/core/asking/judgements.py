"""Judgements: the workflow's assessment of passages and answers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from ascertain.core.asking.answers import Verdict
from ascertain.core.asking.passages import Passage, Strategy

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
    """Whether the judges of all searches agree that no passage speaks of what is asked: no answer is written then.

    A search by words alone, judged by rules, has no say where it found none of these words: it cannot know whether the
    subject is there in other words.
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
    FIGURE = "figure"
    AMOUNT = "amount"
    """Too few passages, or too little text, or too far from the question."""


@dataclass(frozen=True, slots=True)
class Gap:
    """Something that an answer needs and the passages lack."""

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
    language: str
    strategy: Strategy
    passages: tuple[Passage, ...]
    quality: RetrievalQuality
    sufficiency: Sufficiency


@dataclass(frozen=True, slots=True)
class CheckedClaim:
    """One claim of a draft; ``sentence`` is the index of the sentence it stands in.

    ``reason`` says in words why the verdict is what it is: "the quotation says 38", "no source names Jito".
    """

    text: str
    sentence: int
    verdict: Verdict
    reason: str = ""


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


@dataclass(frozen=True, slots=True)
class Appraisal:
    """A chat model's assessment of an answer as a whole: ``relevance`` and ``completeness`` 0..100, and ``issues``, weightiest first.

    ``is_tried``: in the same call it rejected an answer about something else.
    """

    relevance: int
    completeness: int
    issues: tuple[AnswerIssue, ...]
    reason: str
    is_tried: bool = False


@dataclass(frozen=True, slots=True)
class Groundedness:
    """``claims`` with their verdicts, in order of the text. ``appraisal`` is the checking chat model's assessment of the whole;
    None where none was asked.
    """

    claims: tuple[CheckedClaim, ...]
    appraisal: Appraisal | None = None

    @property
    def score(self) -> float:
        """Claims that are supported or inferred by all claims, 0..1; 1 when nothing is claimed."""
        return 1.0 if not self.claims else 1 - len(self.flagged) / len(self.claims)

    @property
    def flagged(self) -> tuple[CheckedClaim, ...]:
        """The claims that the evidence does not support, each with its reason."""
        return tuple(claim for claim in self.claims if not claim.verdict.label.is_sound)

    @property
    def unsupported(self) -> tuple[str, ...]:
        """The same as written."""
        return tuple(claim.text for claim in self.flagged)


def wanted_score(quality: RetrievalQuality) -> int:
    """Score of the evaluation from which an answer is good enough after a retrieval of this quality (AN-6)."""
    return SUFFICIENT_AFTER_GOOD if quality.score >= GOOD_QUALITY else SUFFICIENT_AFTER_POOR


class EvaluatedBy(StrEnum):
    """Who made an evaluation."""

    RULES = "rules"
    MODEL = "model"
    """A chat model that was not tested."""
    TRIED_MODEL = "tried_model"
    """One that in the same call rejected an answer about something else."""


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
    by_model: int | None = None
    """The score that a chat model alone gave; None for one by rules."""

    def is_doubted(self, quality: RetrievalQuality) -> bool:
        """Whether a chat model finds the answer insufficient, whatever the rules say."""
        return self.by_model is not None and self.by_model < wanted_score(quality)

    def is_sufficient(self, quality: RetrievalQuality) -> bool:
        """Whether the answer is good enough after a retrieval of this quality (AN-6)."""
        return self.score >= wanted_score(quality)
