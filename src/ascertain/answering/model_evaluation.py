"""A chat model evaluates an answer: relevance, completeness, accuracy, and what is wrong (AN-6)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from pydantic import BaseModel, Field

from ascertain.answering.confidence import Assessment
from ascertain.answering.evaluation import ACCURACY, COMPLETENESS, RELEVANCE
from ascertain.core.answers import AnswerType
from ascertain.core.judgements import AnswerIssue, Evaluation
from ascertain.core.plans import Plan
from ascertain.core.runs import Run, Task
from ascertain.language.instructions import without_instructions
from ascertain.models.ports import Chat
from ascertain.models.prompted import PromptedStep
from ascertain.models.prompts import Prompts, as_data

_LONGEST_REASON = 200
_MEASURED = frozenset({AnswerIssue.UNSUPPORTED_CLAIMS, AnswerIssue.RETRIEVAL_LIMITED})
"""Issues that verification and retrieval have settled; the model is not asked."""
_FULL = 90
"""A completeness from which an answer that is called partial contradicts itself."""
_PARTIAL = frozenset(
    {AnswerIssue.PARTIAL_ANSWER, AnswerIssue.INCOMPLETE_SYNTHESIS, AnswerIssue.MISSING_DETAILS}
)


class Evaluator(Protocol):
    """``RuleEvaluator``, as far as it is used here."""

    def evaluate(self, plan: Plan, answer: Assessment, run: Run) -> Evaluation:
        """Relevance, completeness, accuracy, and what is wrong."""
        ...


class EvaluationReply(BaseModel):
    """What the model thinks of an answer."""

    relevance: int = Field(ge=0, le=100, description="How far it answers what was asked.")
    completeness: int = Field(ge=0, le=100, description="How much of what was asked it answers.")
    accuracy: int = Field(ge=0, le=100, description="How faithful it is to the quotations.")
    issues: list[AnswerIssue] = Field(default=[], description="What is wrong, weightiest first.")
    reason: str = Field(default="", description="A short line.")


class ModelEvaluator:
    """Asks the model; accuracy is never more than the groundedness that was verified."""

    def __init__(self, chat: Chat, prompts: Prompts, fallback: Evaluator) -> None:
        self._step = PromptedStep(chat, prompts, Task.EVALUATE, "evaluate", "evaluate")
        self._fallback = fallback

    def evaluate(self, plan: Plan, answer: Assessment, run: Run) -> Evaluation:
        """Scores 0..100 weighed as by the rules, and issues, weightiest first; a rejection is left to the rules."""
        rules = self._fallback.evaluate(plan, answer, run)
        composition = answer.composition
        if composition.type is AnswerType.REJECTION or not composition.sentences:
            return rules
        reply = self._step.reply(
            EvaluationReply,
            run,
            question=as_data(answer.question, "question"),
            parts=", ".join(f"({part.priority}) {part.text}" for part in plan.sub_queries) or "(none)",
            answer="\n".join(_shown(answer)),
        )
        if reply is None:
            return rules
        accuracy = min(reply.accuracy, round(100 * answer.groundedness.score))
        score = round(RELEVANCE * reply.relevance + COMPLETENESS * reply.completeness + ACCURACY * accuracy)
        return Evaluation(
            score,
            reply.relevance,
            reply.completeness,
            accuracy,
            _issues(reply, rules.issues),
            " ".join(reply.reason.split())[:_LONGEST_REASON] or "as a chat model evaluated it",
        )


def _issues(reply: EvaluationReply, measured: Sequence[AnswerIssue]) -> tuple[AnswerIssue, ...]:
    named = [issue for issue in reply.issues if issue not in _MEASURED]
    if reply.completeness >= _FULL:
        named = [issue for issue in named if issue not in _PARTIAL]
    settled = [issue for issue in measured if issue in _MEASURED]
    return tuple(dict.fromkeys((*settled, *named)))


def _shown(answer: Assessment) -> Iterator[str]:
    quotes = {citation.number: citation.quote for citation in answer.composition.citations}
    for number, sentence in enumerate(answer.composition.sentences, 1):
        yield as_data(
            sentence.text, "sentence", {"number": str(number), "verdict": sentence.verdict.label.value}
        )
        for cited in sentence.citations:
            yield as_data(without_instructions(quotes.get(cited, "")), "quotation", {"of": str(number)})
