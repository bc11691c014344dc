"""Evaluating an answer by a chat model, within bounds of the rules (AN-6); in the call that checks its claims, if any."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, Field

from ascertain.answering.checking.evaluation import HALF, Evaluator, weigh_scores
from ascertain.answering.checking.figures import find_figures, find_months
from ascertain.answering.checking.model_verification import (
    CLAIMS_A_CALL,
    ClaimsReply,
    ModelChecker,
    build_claim_block,
    has_instructions,
)
from ascertain.answering.checking.verification import StatementChecker, Verifier
from ascertain.answering.composition import Composition
from ascertain.answering.confidence import Assessment
from ascertain.core.asking.answers import AnswerType
from ascertain.core.asking.judgements import AnswerIssue, Appraisal, EvaluatedBy, Evaluation, Groundedness
from ascertain.core.asking.passages import Passage
from ascertain.core.asking.plans import Plan
from ascertain.core.asking.runs import Run, Task
from ascertain.language.instructions import without_instructions
from ascertain.language.sentences import cut_at_sentence
from ascertain.language.word_lists import load_alternatives
from ascertain.models.chat.controls import Stray, choose_stray
from ascertain.models.chat.replies import read_list
from ascertain.models.ports import Chat
from ascertain.models.prompts import PromptedStep, Prompts, as_data
from ascertain.questions.reading.facts import AskedFact

FURTHEST = 25
"""Most points the score may differ from that of the rules. What the rules clearly reject (below 25, half of the least that an
answer needs, AN-6) no model lifts over the gate; what they clearly accept (from 90) none brings below it; between, it
decides. Upwards, this does not bind a model that can tell an answer about something else from this one: it may see what the rules,
which compare words, cannot. The model's own score is stored beside it (``Evaluation.by_model``).
"""
_LONGEST_REASON = 200
_FULL = 90
"""A completeness from which calling an answer partial is a contradiction."""
_PARTIAL = frozenset({AnswerIssue.PARTIAL_ANSWER, AnswerIssue.INCOMPLETE_SYNTHESIS, AnswerIssue.MISSING_DETAILS})
_BESIDE = frozenset({AnswerIssue.WRONG_FOCUS, AnswerIssue.LACKS_SPECIFICITY})
"""Issues of the rules that remain where they overrule the model."""
_MEASURED = frozenset({AnswerIssue.UNSUPPORTED_CLAIMS, AnswerIssue.RETRIEVAL_LIMITED})
"""Issues that verification and retrieval decide; the model is not asked."""


class EvaluationReply(BaseModel):
    """What the model thinks of an answer; the prompt says what the fields mean."""

    relevance: int = Field(ge=0, le=100)
    completeness: int = Field(ge=0, le=100)
    issues: Annotated[list[AnswerIssue], BeforeValidator(read_list)] = []
    other: int | None = Field(default=None, ge=0, le=100)
    comment: str = ""


class ExaminationReply(EvaluationReply, ClaimsReply):
    """One verdict a claim, and then what the model thinks of the whole."""


class ModelExaminer:
    """A verifier whose chat model also says what it thinks of the answer, in the same call (``Groundedness.appraisal``)."""

    def __init__(
        self, chat: Chat, prompts: Prompts, verifier: Verifier, checker: ModelChecker, fallback: StatementChecker
    ) -> None:
        """``verifier`` reads drafts; ``checker`` is the model's, ``fallback`` judges claims where it gives no verdict."""
        self._step = PromptedStep(chat, prompts, Task.VERIFY, "check", "check_answer")
        self._verifier = verifier
        self._checker = checker
        self._fallback = fallback

    def verify(
        self, composition: Composition, passages: Sequence[Passage], question: str, language: str, run: Run
    ) -> Groundedness:
        """Each claim of the answer to ``question`` with its verdict, in order, and the appraisal of ``composition.text``.

        No appraisal where a model need not judge anything, or where it did not.
        """
        draft = self._verifier.read_draft(composition, passages, question, language)
        honest = [each for each in draft.statements if not has_instructions(each)]
        block = build_claim_block(honest[:CLAIMS_A_CALL]) if honest else None
        if block is None:
            return draft.conclude(self._checker.check(draft.statements, run) if draft.statements else [])
        stray = choose_stray(question, language)
        reply = self._step.reply(
            ExaminationReply,
            run,
            question=as_data(question, "question"),
            answer=as_data(without_instructions(composition.text), "answer"),
            claims="\n".join([block.text, *_show_other(stray)]),
        )
        appraisal = _read_appraisal(self._step, reply, stray, run) if reply is not None else None
        found = None
        if reply is not None and not run.is_distrusted:
            found = self._checker.read_verdicts(block, reply.verdicts, run)
        judged = [[claim] for claim in found] if found else self._fallback.check(block.statements, run)
        asked = {statement.sentence for statement in block.statements}
        rest = [each for each in draft.statements if each.sentence not in asked]
        judged += self._checker.check(rest, run) if rest else []
        return Groundedness(draft.conclude(judged).claims, None if run.is_distrusted else appraisal)


class ModelEvaluator:
    """Uses what the model said when it checked the claims, or asks it. Accuracy is the verified groundedness; the score stays
    near that of the rules.
    """

    def __init__(self, chat: Chat, prompts: Prompts, fallback: Evaluator) -> None:
        self._step = PromptedStep(chat, prompts, Task.EVALUATE, "evaluate", "evaluate")
        self._fallback = fallback

    def evaluate(self, plan: Plan, answer: Assessment, run: Run) -> Evaluation:
        """Scores 0..100 weighed as by the rules, and issues, weightiest first; a rejection is left to the rules."""
        rules = self._fallback.evaluate(plan, answer, run)
        composition = answer.composition
        if composition.type is AnswerType.REJECTION or not composition.sentences or run.is_distrusted:
            return rules
        appraisal = answer.groundedness.appraisal or self._ask_model(plan, answer, run)
        if appraisal is None:
            return rules
        if lacks_figure(answer):
            issues = tuple(dict.fromkeys((AnswerIssue.LACKS_SPECIFICITY, *appraisal.issues)))
            appraisal = replace(
                appraisal, relevance=0, issues=issues, reason="a figure is asked for, and none is given"
            )
        return _combine_evaluations(appraisal, rules, answer.groundedness)

    def _ask_model(self, plan: Plan, answer: Assessment, run: Run) -> Appraisal | None:
        asked = plan.wording or answer.question.text
        stray = choose_stray(asked, answer.question.language)
        reply = self._step.reply(
            EvaluationReply,
            run,
            question=as_data(asked, "question"),
            answer="\n".join([*_show_answer(answer), *_show_other(stray)]),
        )
        return _read_appraisal(self._step, reply, stray, run) if reply is not None else None


def lacks_figure(answer: Assessment) -> bool:
    """Whether it is asked how many or how much, and no sentence that its sources bear out has a figure or says that there is none."""
    if answer.question.asked.fact not in _COUNTED:
        return False
    flagged = {claim.sentence for claim in answer.groundedness.flagged}
    sound = [each.text for index, each in enumerate(answer.composition.sentences) if index not in flagged]
    return not any(find_figures(text) or find_months(text) or _NONE.search(text) for text in sound)


_COUNTED = frozenset({AskedFact.COUNT, AskedFact.NUMBER, AskedFact.MONEY})
"""Facts that only a figure can give; "when?" is answered by "in winter" and "if it rains" too."""
_NONE = re.compile(rf"\b(?:{load_alternatives('claims', 'no_figure')})\b|n['’]t\b", re.I)


def _show_other(stray: Stray | None) -> list[str]:
    return [as_data(stray.text, "other")] if stray else []


def _read_appraisal(step: PromptedStep, reply: EvaluationReply, stray: Stray | None, run: Run) -> Appraisal | None:
    """What the reply says about the answer; None for a model that accepts a text about something else as an answer."""
    rated = reply.other if stray else None
    if rated is not None and rated >= HALF:
        step.distrust(run, f"the model gave {rated} of 100 to an answer about something else")
        return None
    named = [issue for issue in reply.issues if issue not in _MEASURED]
    if reply.completeness >= _FULL:
        named = [issue for issue in named if issue not in _PARTIAL]
    reason = cut_at_sentence(" ".join(reply.comment.split()), _LONGEST_REASON)
    return Appraisal(
        reply.relevance, reply.completeness, tuple(dict.fromkeys(named)), reason, is_tried=rated is not None
    )


def _combine_evaluations(appraisal: Appraisal, rules: Evaluation, groundedness: Groundedness) -> Evaluation:
    accuracy = round(100 * groundedness.score)
    judged = weigh_scores(appraisal.relevance, appraisal.completeness, accuracy)
    score = max(judged, rules.score - FURTHEST)
    by = EvaluatedBy.TRIED_MODEL if appraisal.is_tried else EvaluatedBy.MODEL
    if by is not EvaluatedBy.TRIED_MODEL:
        score = min(score, rules.score + FURTHEST)
    said = appraisal.reason or "as a chat model evaluated it"
    settled = [issue for issue in rules.issues if issue in _MEASURED or (score < judged and issue in _BESIDE)]
    return Evaluation(
        score,
        appraisal.relevance,
        appraisal.completeness,
        accuracy,
        tuple(dict.fromkeys((*settled, *appraisal.issues))),
        said if score == judged else f"{said}; the rules disagree ({rules.score}): {rules.reason}",
        by,
        judged,
    )


def _show_answer(answer: Assessment) -> Iterator[str]:
    """Each sentence with the verdict of its worst claim, and the quotations it rests on."""
    quotes = {citation.number: citation.quote for citation in answer.composition.citations}
    flagged = {claim.sentence: claim.verdict.label.value for claim in answer.groundedness.flagged}
    for index, sentence in enumerate(answer.composition.sentences):
        about = {"number": str(index + 1), "verdict": flagged.get(index, "supported").replace("_", " ")}
        yield as_data(sentence.text, "sentence", about)
        for cited in sentence.citations:
            yield as_data(without_instructions(quotes.get(cited, "")), "quotation", {"of": str(index + 1)})
