"""A chat model as the judge of answers to ``asked`` questions, beside the strings, and how far the two agree.

The model is shown the question, the strings and the answer: it is to recognise a paraphrase or a denial, not to know the answer. Controls say whether it
can be trusted: an answer to another question, which the strings find wrong.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from pydantic import BaseModel

from ascertain.core.asking.runs import Budget, Run, Task
from ascertain.core.errors import ModelError
from ascertain.evaluation.asked import AskedQuestion, Opinion, ShownAnswer, score_shown
from ascertain.evaluation.measures.metrics import cohen_kappa
from ascertain.evaluation.runs import Result
from ascertain.models.ports import Chat
from ascertain.models.prompts import Prompts, as_data

CONTROLS = 3
"""Answers to other questions that the judge is shown in a run (by judgement: one may be luck)."""


class JudgedAnswer(BaseModel):
    """The verdict."""

    reason: str = ""
    is_right: bool


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A question on which strings and judge differ."""

    id: str
    question: str
    strings: bool
    judge: bool
    reason: str


def make_judge(chat: Chat, prompts: Prompts) -> Callable[[AskedQuestion, str], Opinion]:
    """A judge by the model of the task ``evaluate``; what it cannot be asked has no verdict, but a reason."""

    def judge(question: AskedQuestion, answer: str) -> Opinion:
        lines = [f"needed: {' | '.join(group)}" for group in question.must]
        lines += [f"wrong: {string}" for string in question.must_not]
        messages = prompts.messages(
            "judge_answer",
            question=as_data(question.question, "question"),
            expected=as_data("\n".join(line.replace("*", "") for line in lines), "expected"),
            answer=as_data(answer, "answer"),
        )
        run = Run(Budget(calls=4, tokens=1_000_000, seconds=3600, usd=math.inf, whose="the judge's"))
        try:
            verdict = chat.ask(Task.EVALUATE, messages, JudgedAnswer, run)
        except ModelError as error:
            return Opinion(None, str(error))
        return Opinion(verdict.is_right, " ".join(verdict.reason.split()))

    return judge


def count_believed_controls(
    questions: Sequence[AskedQuestion], results: Sequence[Result], judge: Callable[[AskedQuestion, str], Opinion]
) -> tuple[int, int]:
    """How many controls the judge finds right, and how many it was shown."""
    known = {question.id: question for question in questions}
    shown = believed = 0
    for question, answer in _list_controls([known[result.id] for result in results], results):
        opinion = judge(question, answer)
        if opinion.is_right is not None:
            shown += 1
            believed += opinion.is_right
    return believed, shown


def _list_controls(
    questions: Sequence[AskedQuestion], results: Sequence[Result]
) -> Iterator[tuple[AskedQuestion, str]]:
    """Questions, each with the answer to another that the strings find wrong for it."""
    left = CONTROLS
    answers = [str(result.facts.get("answer") or "") for result in results if not result.facts.get("declined")]
    for place, question in enumerate(questions):
        if not left:
            return
        if question.expect != "answer" or not question.must:
            continue
        others = answers[place + 1 :] + answers[: place + 1]
        wrong = (answer for answer in others if score_shown(question, ShownAnswer(answer=answer))["right"] == 0)
        if answer := next(wrong, ""):
            left -= 1
            yield question, answer


def list_disagreements(results: Sequence[Result]) -> list[Disagreement]:
    """The questions on which strings and judge differ, in their order."""
    return [
        Disagreement(result.id, result.question, right == 1, judged == 1, str(result.facts.get("judge") or ""))
        for result in results
        if (judged := result.scores.get("judged")) is not None
        and (right := result.scores.get("right")) is not None
        and judged != right
    ]


def measure_agreement(results: Sequence[Result]) -> dict[str, float | None]:
    """The share of answers on which strings and judge agree, and Cohen's kappa; nothing where none was judged."""
    pairs = [
        (right == 1, judged == 1)
        for result in results
        if (judged := result.scores.get("judged")) is not None and (right := result.scores.get("right")) is not None
    ]
    if not pairs:
        return {}
    agreement = sum(first == second for first, second in pairs) / len(pairs)
    return {"judge_agreement": agreement, "judge_kappa": cohen_kappa(pairs)}
