"""Evaluating an answer by rules: relevance, completeness and accuracy, and what is wrong with it (AN-6)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from pydantic import BaseModel, Field

from ascertain.answering.confidence import Assessment
from ascertain.answering.question import FACTS, AnswerKind, Question, analyse_question, expected_kind, offers_kind
from ascertain.core.answers import AnswerType
from ascertain.core.judgements import GOOD_QUALITY, AnswerIssue, Evaluation
from ascertain.core.plans import Complexity, Plan, QuestionType
from ascertain.core.runs import Run, Task
from ascertain.language.instructions import without_instructions
from ascertain.language.tokens import content_terms
from ascertain.models.ports import Chat
from ascertain.models.prompts import PromptedStep, Prompts, as_data

RELEVANCE, COMPLETENESS, ACCURACY = 0.4, 0.3, 0.3
"""Weights of the score: an answer beside the question is worth nothing, however well supported."""
COVERED = 0.5
"""Share of the weight of a part's words from which the answer speaks of it."""
BESIDE = 0.25
"""Below it the answer does not speak of the question's subject, though the passages do."""
ESSENTIAL = 0.9
"""Informativeness from which a word the passages hold and the answer leaves out is a detail missed."""
KIND_MISSED = 0.75
"""Factor on the relevance of an answer without the kind of fact asked for."""


_SHORTCOMINGS = {
    AnswerIssue.INCOMPLETE_SYNTHESIS: "The answer rests on one document, though the question is about several.",
    AnswerIssue.LACKS_SPECIFICITY: "The answer stays general, though the question asks for something particular.",
    AnswerIssue.MISSING_DETAILS: "The answer leaves out something that the question names.",
    AnswerIssue.UNSUPPORTED_CLAIMS: "Not everything in the answer is supported by the sources.",
    AnswerIssue.PARTIAL_ANSWER: "A part of the question is not answered.",
    AnswerIssue.WRONG_FOCUS: "The answer seems to be about something other than what was asked.",
    AnswerIssue.RETRIEVAL_LIMITED: "What was found is only loosely about the question.",
    AnswerIssue.CONTEXTUAL_GAPS: "The passages that were found lack something that the question asks about.",
}
_ABSENT = {
    AnswerKind.NAME: "No person or organisation is named, though the question asks for one.",
    AnswerKind.PLACE: "No place is given, though the question asks for one.",
    AnswerKind.TIME: "No date or period is given, though the question asks for one.",
    AnswerKind.MONEY: "No sum of money is given, though the question asks for one.",
    AnswerKind.SHARE: "No percentage is given, though the question asks for one.",
    AnswerKind.NUMBER: "No number is given, though the question asks for one.",
    AnswerKind.REASON: "No reason is given, though the question asks for one.",
    AnswerKind.DEFINITION: "It is not said what it is, though the question asks for that.",
}


def describe_issue(issue: AnswerIssue, question: str) -> str:
    """What is wrong with an answer to ``question``, in one sentence for the person who asked."""
    if issue is AnswerIssue.LACKS_SPECIFICITY:
        return _ABSENT.get(expected_kind(question), _SHORTCOMINGS[issue])
    return _SHORTCOMINGS[issue]


class RuleEvaluator:
    """Compares the answer's words with those of the question and the passages; needs no model."""

    def evaluate(self, plan: Plan, answer: Assessment, run: Run) -> Evaluation:
        """Scores 0..100 and issues, weightiest first; ``run`` is not spent from.

        Relevance: the evidence's confidence and how much of the question the answer (with the titles it cites) speaks
        of. Completeness: parts of the question spoken of. Accuracy: groundedness.
        """
        composition = answer.composition
        if composition.type is AnswerType.REJECTION or not composition.sentences:
            issues = (AnswerIssue.RETRIEVAL_LIMITED, AnswerIssue.CONTEXTUAL_GAPS)
            return Evaluation(0, 0, 0, 0, issues, "nothing was answered")
        question = analyse_question(answer.question)
        titles = " ".join(citation.title for citation in composition.citations)
        said = frozenset(content_terms(f"{titles}\n{composition.text}"))
        spoken = question.coverage(said) if question.weights else 1.0
        parts = [analyse_question(part.text).coverage(said) for part in plan.sub_queries] or [spoken]
        has_kind = offers_kind(question.kind, composition.text, question.weights.keys())
        relevance = (composition.confidence.score / 100 + spoken) / 2 * (1.0 if has_kind else KIND_MISSED)
        completeness = sum(min(part / COVERED, 1.0) for part in parts) / len(parts)
        accuracy = answer.groundedness.score
        score = RELEVANCE * relevance + COMPLETENESS * completeness + ACCURACY * accuracy
        found = {
            **_of_support(answer),
            **_of_focus(question, spoken, has_kind, answer),
            **_of_extent(plan, parts, question, said, answer),
            **self._of_retrieval(answer),
        }
        return Evaluation(
            round(100 * score),
            round(100 * relevance),
            round(100 * completeness),
            round(100 * accuracy),
            tuple(found),
            "; ".join(found.values()) or "speaks of what was asked, supported",
        )

    def _of_retrieval(self, answer: Assessment) -> dict[AnswerIssue, str]:
        found: dict[AnswerIssue, str] = {}
        if answer.quality.score < GOOD_QUALITY:
            found[AnswerIssue.RETRIEVAL_LIMITED] = f"the passages were poor ({answer.quality.score})"
        if answer.sufficiency.gaps:
            gaps = ", ".join(gap.what for gap in answer.sufficiency.gaps[:3])
            found[AnswerIssue.CONTEXTUAL_GAPS] = f"the passages lack: {gaps}"
        return found


def _of_support(answer: Assessment) -> dict[AnswerIssue, str]:
    unsupported = answer.groundedness.unsupported
    if not unsupported:
        return {}
    return {AnswerIssue.UNSUPPORTED_CLAIMS: f"{len(unsupported)} of {len(answer.groundedness.claims)} claims"}


def _of_focus(question: Question, spoken: float, has_kind: bool, answer: Assessment) -> dict[AnswerIssue, str]:
    found: dict[AnswerIssue, str] = {}
    read = frozenset(term for p in answer.passages for term in content_terms(p.chunk.indexed_text))
    if question.weights and spoken < BESIDE and question.coverage(read) >= COVERED:
        found[AnswerIssue.WRONG_FOCUS] = "speaks of something beside the question"
    if not has_kind and question.kind in (*FACTS, AnswerKind.NAME, AnswerKind.PLACE):
        found[AnswerIssue.LACKS_SPECIFICITY] = f"asked for a {question.kind}, none is given"
    return found


def _of_extent(
    plan: Plan, parts: list[float], question: Question, said: frozenset[str], answer: Assessment
) -> dict[AnswerIssue, str]:
    found: dict[AnswerIssue, str] = {}
    silent = sum(part < COVERED for part in parts)
    if silent and plan.sub_queries:
        found[AnswerIssue.PARTIAL_ANSWER] = f"{silent} of {len(parts)} parts of the question are not spoken of"
    needs_several = plan.complexity is Complexity.COMPLEX or plan.type is QuestionType.COMPARATIVE
    documents = {citation.document_id for citation in answer.composition.citations}
    if needs_several and len(documents) < 2 <= len({p.chunk.document_id for p in answer.passages}):
        found[AnswerIssue.INCOMPLETE_SYNTHESIS] = "brings together one document only"
    read = frozenset(term for p in answer.passages for term in content_terms(p.chunk.indexed_text))
    left_out = [t for t, w in question.weights.items() if w >= ESSENTIAL and t in read and t not in said]
    if left_out and not silent:
        found[AnswerIssue.MISSING_DETAILS] = f"leaves out {', '.join(left_out[:3])}"
    return found


_LONGEST_REASON = 200
_MEASURED = frozenset({AnswerIssue.UNSUPPORTED_CLAIMS, AnswerIssue.RETRIEVAL_LIMITED})
"""Issues that verification and retrieval have settled; the model is not asked."""
_FULL = 90
"""A completeness from which an answer that is called partial contradicts itself."""
_PARTIAL = frozenset({AnswerIssue.PARTIAL_ANSWER, AnswerIssue.INCOMPLETE_SYNTHESIS, AnswerIssue.MISSING_DETAILS})


class Evaluator(Protocol):
    """Evaluates an answer (AN-6)."""

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
            answer="\n".join(_show_answer(answer)),
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
            _merge_issues(reply, rules.issues),
            " ".join(reply.reason.split())[:_LONGEST_REASON] or "as a chat model evaluated it",
        )


def _merge_issues(reply: EvaluationReply, measured: Sequence[AnswerIssue]) -> tuple[AnswerIssue, ...]:
    named = [issue for issue in reply.issues if issue not in _MEASURED]
    if reply.completeness >= _FULL:
        named = [issue for issue in named if issue not in _PARTIAL]
    settled = [issue for issue in measured if issue in _MEASURED]
    return tuple(dict.fromkeys((*settled, *named)))


def _show_answer(answer: Assessment) -> Iterator[str]:
    quotes = {citation.number: citation.quote for citation in answer.composition.citations}
    for number, sentence in enumerate(answer.composition.sentences, 1):
        yield as_data(sentence.text, "sentence", {"number": str(number), "verdict": sentence.verdict.label.value})
        for cited in sentence.citations:
            yield as_data(without_instructions(quotes.get(cited, "")), "quotation", {"of": str(number)})
