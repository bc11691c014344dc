"""A chat model judges what was retrieved: how good it is and what is wrong (RE-7), and whether it suffices (RE-8)."""

from collections.abc import Sequence
from typing import Protocol

from pydantic import BaseModel, Field

from ascertain.core.judgements import (
    GOOD_QUALITY,
    OFF_TOPIC_SIGNAL,
    RULES_SIGNAL,
    SUBJECT_SIGNAL,
    Gap,
    GapKind,
    RetrievalIssue,
    RetrievalQuality,
    Sufficiency,
)
from ascertain.core.passages import Filter, Passage
from ascertain.core.plans import Plan
from ascertain.core.runs import Run, Task
from ascertain.models.ports import Chat
from ascertain.models.prompts import PromptedStep, Prompts, as_data
from ascertain.retrieval.judging import LOW_SCORE
from ascertain.retrieval.query.model_inputs import one_line, passages_as_data

SHOWN = 10
"""Passages shown: the number a search returns by default."""
SHOWN_CHARACTERS = 800
MOST_GAPS = 5

_FATAL = frozenset({RetrievalIssue.OFF_TOPIC, RetrievalIssue.WRONG_DOMAIN})
_FLAWLESS = 90
"""From this quality on an issue contradicts the score."""


class RetrievalJudge(Protocol):
    """Judges passages (RE-7)."""

    def judge(
        self, question: str, plan: Plan, passages: Sequence[Passage], run: Run, gathered: Sequence[Passage] = ()
    ) -> RetrievalQuality:
        """Quality 0..100 and what is wrong. ``gathered`` are the passages that a chat model chose ``passages`` from."""
        ...


class SufficiencyCheck(Protocol):
    """Says whether passages can hold an answer (RE-8)."""

    def check(self, question: str, plan: Plan, passages: Sequence[Passage], filter: Filter, run: Run) -> Sufficiency:
        """What is missing, named."""
        ...


class QualityReply(BaseModel):
    """What the model thinks of the passages as a whole."""

    score: int = Field(ge=0, le=100, description="How well the passages together answer the question.")
    issues: list[RetrievalIssue] = Field(default=[], description="What is wrong, weightiest first.")
    reason: str = Field(default="", description="A short line.")


class GapReply(BaseModel):
    """One thing that an answer would need and the passages do not hold."""

    kind: GapKind
    what: str = Field(description="The missing name, concept, time or amount, in a few words.")


class SufficiencyReply(BaseModel):
    """Whether the passages hold an answer."""

    is_sufficient: bool
    gaps: list[GapReply] = Field(default=[], description="What is missing; empty when nothing is.")
    reason: str = Field(default="", description="A short line.")


class ModelRetrievalJudge:
    """Asks the model for score and issues; the signals stay those of the rules."""

    def __init__(self, chat: Chat, prompts: Prompts, fallback: RetrievalJudge) -> None:
        self._step = PromptedStep(chat, prompts, Task.JUDGE, "judge", "judge_retrieval")
        self._fallback = fallback

    def judge(
        self, question: str, plan: Plan, passages: Sequence[Passage], run: Run, gathered: Sequence[Passage] = ()
    ) -> RetrievalQuality:
        """Quality 0..100 and what is wrong, weightiest first; without passages the rules say it all.

        That no passage is on the subject is believed where the rules find little too (a score below 40): of the
        questions of the development sets that are answered rightly without a model, none has less.
        """
        rules = self._fallback.judge(question, plan, gathered or passages, run)
        if not passages:
            return rules
        reply = self._step.reply(
            QualityReply,
            run,
            question=as_data(plan.wording or question, "question"),
            passages=passages_as_data(passages[:SHOWN], SHOWN_CHARACTERS),
        )
        if reply is None:
            return rules
        issues = tuple(dict.fromkeys(reply.issues))
        is_none = RetrievalIssue.OFF_TOPIC in issues
        if (reply.score >= _FLAWLESS and _FATAL & set(issues)) or (reply.score >= GOOD_QUALITY and is_none):
            self._step.fell_back(run, f"the model gave {reply.score} to passages that it calls {issues[0]}")
            return rules
        if reply.score >= _FLAWLESS:
            issues = ()
        elif reply.score < LOW_SCORE and not issues:
            issues = rules.issues or (RetrievalIssue.LOW_CONFIDENCE,)
        reason = one_line(reply.reason)[:200] or "as a chat model judged them"
        if is_none and _finds_subject(rules):
            # that a model finds nothing ends as a rejection; one that says so of everything would silence every document
            issues = tuple(issue for issue in issues if issue is not RetrievalIssue.OFF_TOPIC)
            issues = issues or (RetrievalIssue.LOW_CONFIDENCE,)
            reason = f"{reason}; the rules find passages on the subject ({rules.score} of 100)"
        by_rules = {RULES_SIGNAL: float(rules.score), OFF_TOPIC_SIGNAL: float(RetrievalIssue.OFF_TOPIC in rules.issues)}
        return RetrievalQuality(reply.score, issues, reason, {**rules.signals, **by_rules})


def _finds_subject(rules: RetrievalQuality) -> bool:
    """Whether the rules see passages on the subject; a search by words alone that found none of its words shows
    nothing.
    """
    can_tell = "similarity" in rules.signals or rules.signals.get(SUBJECT_SIGNAL, 1.0) > 0
    return can_tell and rules.score >= LOW_SCORE and RetrievalIssue.OFF_TOPIC not in rules.issues


class ModelSufficiency:
    """Asks the model what is missing, once the rules find that there is enough to look at."""

    def __init__(self, chat: Chat, prompts: Prompts, fallback: SufficiencyCheck) -> None:
        self._step = PromptedStep(chat, prompts, Task.JUDGE, "judge", "judge_sufficiency")
        self._fallback = fallback

    def check(self, question: str, plan: Plan, passages: Sequence[Passage], filter: Filter, run: Run) -> Sufficiency:
        """What is missing, named. A gap of time or amount that the rules measured stands whatever the model says."""
        rules = self._fallback.check(question, plan, passages, filter, run)
        measured = tuple(gap for gap in rules.gaps if gap.kind in {GapKind.AMOUNT, GapKind.TIME})
        if not passages:
            return rules
        reply = self._step.reply(
            SufficiencyReply,
            run,
            question=as_data(plan.wording or question, "question"),
            passages=passages_as_data(passages[:SHOWN], SHOWN_CHARACTERS),
        )
        if reply is None:
            return rules
        named = [Gap(gap.kind, one_line(gap.what)[:100]) for gap in reply.gaps if one_line(gap.what)]
        if not reply.is_sufficient and not named:
            self._step.fell_back(run, "the model found the passages insufficient and named nothing missing")
            return rules
        gaps = measured if reply.is_sufficient else (*measured, *named[:MOST_GAPS])
        reason = one_line(reply.reason)[:200] or "as a chat model judged them"
        return Sufficiency(reply.is_sufficient and not measured, gaps, reason, rules.signals)
