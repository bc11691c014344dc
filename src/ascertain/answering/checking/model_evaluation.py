"""Evaluating an answer by a chat model, within bounds that the rules set (AN-6)."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import BaseModel, Field

from ascertain.answering.checking.evaluation import HALF, Evaluator, weigh_scores
from ascertain.answering.confidence import Assessment
from ascertain.core.answers import AnswerType
from ascertain.core.judgements import AnswerIssue, EvaluatedBy, Evaluation
from ascertain.core.plans import Plan
from ascertain.core.runs import Run, Task
from ascertain.language.instructions import without_instructions
from ascertain.models.controls import choose_stray
from ascertain.models.ports import Chat
from ascertain.models.prompts import PromptedStep, Prompts, as_data

FURTHEST = 25
"""Points that the score may lie from that of the rules. What the rules fail clearly (below 25, half of the least that an
answer needs, AN-6) no model lifts over the gate; what they pass clearly (from 90) none brings below it; between, it
decides. Upwards this holds no model that tells an answer about something else from this one: it may see what the rules,
which compare words, cannot."""
_LONGEST_REASON = 200
_MEASURED = frozenset({AnswerIssue.UNSUPPORTED_CLAIMS, AnswerIssue.RETRIEVAL_LIMITED})
"""Issues that verification and retrieval have settled; the model is not asked."""
_FULL = 90
"""A completeness from which an answer that is called partial contradicts itself."""
_PARTIAL = frozenset({AnswerIssue.PARTIAL_ANSWER, AnswerIssue.INCOMPLETE_SYNTHESIS, AnswerIssue.MISSING_DETAILS})
_BESIDE = frozenset({AnswerIssue.WRONG_FOCUS, AnswerIssue.LACKS_SPECIFICITY})
"""Issues of the rules that stand where the model is overruled by them."""


class EvaluationReply(BaseModel):
    """What the model thinks of an answer."""

    relevance: int = Field(ge=0, le=100, description="How far it answers what was asked.")
    completeness: int = Field(ge=0, le=100, description="How much of what was asked it answers.")
    accuracy: int = Field(ge=0, le=100, description="How faithful it is to the quotations.")
    issues: list[AnswerIssue] = Field(default=[], description="What is wrong, weightiest first.")
    reason: str = Field(default="", description="A short line.")
    other: int | None = Field(default=None, ge=0, le=100, description="How far the text called other answers it.")


class ModelEvaluator:
    """Asks the model. Accuracy is never more than the groundedness that was verified; the score stays near that of the rules."""

    def __init__(self, chat: Chat, prompts: Prompts, fallback: Evaluator) -> None:
        self._step = PromptedStep(chat, prompts, Task.EVALUATE, "evaluate", "evaluate")
        self._fallback = fallback

    def evaluate(self, plan: Plan, answer: Assessment, run: Run) -> Evaluation:
        """Scores 0..100 weighed as by the rules, and issues, weightiest first; a rejection is left to the rules."""
        rules = self._fallback.evaluate(plan, answer, run)
        composition = answer.composition
        if composition.type is AnswerType.REJECTION or not composition.sentences:
            return rules
        stray = choose_stray(answer.question)
        other = [as_data(stray.text, "other")] if stray else []
        reply = self._step.reply(
            EvaluationReply,
            run,
            question=as_data(plan.wording or answer.question, "question"),
            parts=", ".join(f"({part.priority}) {part.text}" for part in plan.sub_queries) or "(none)",
            answer="\n".join([*_show_answer(answer), *other]),
        )
        if reply is None:
            return rules
        told = reply.other if stray else None
        if told is not None and told >= HALF:
            self._step.distrust(run, f"the model gave {told} of 100 to an answer about something else")
            return rules
        by = EvaluatedBy.MODEL if told is None else EvaluatedBy.TRIED_MODEL
        return _combine_evaluations(reply, rules, round(100 * answer.groundedness.score), by)


def _combine_evaluations(reply: EvaluationReply, rules: Evaluation, verified: int, by: EvaluatedBy) -> Evaluation:
    accuracy = min(reply.accuracy, verified)
    judged = weigh_scores(reply.relevance, reply.completeness, accuracy)
    score = max(judged, rules.score - FURTHEST)
    if by is not EvaluatedBy.TRIED_MODEL:
        score = min(score, rules.score + FURTHEST)
    said = " ".join(reply.reason.split())[:_LONGEST_REASON] or "as a chat model evaluated it"
    return Evaluation(
        score,
        reply.relevance,
        reply.completeness,
        accuracy,
        _merge_issues(reply, rules, is_overruled=score < judged),
        said if score == judged else f"{said}; the rules disagree ({rules.score}): {rules.reason}",
        by,
        judged,
    )


def _merge_issues(reply: EvaluationReply, rules: Evaluation, is_overruled: bool) -> tuple[AnswerIssue, ...]:
    named = [issue for issue in reply.issues if issue not in _MEASURED]
    if reply.completeness >= _FULL:
        named = [issue for issue in named if issue not in _PARTIAL]
    settled = [issue for issue in rules.issues if issue in _MEASURED or (is_overruled and issue in _BESIDE)]
    return tuple(dict.fromkeys((*settled, *named)))


def _show_answer(answer: Assessment) -> Iterator[str]:
    quotes = {citation.number: citation.quote for citation in answer.composition.citations}
    for number, sentence in enumerate(answer.composition.sentences, 1):
        yield as_data(sentence.text, "sentence", {"number": str(number), "verdict": sentence.verdict.label.value})
        for cited in sentence.citations:
            yield as_data(without_instructions(quotes.get(cited, "")), "quotation", {"of": str(number)})
