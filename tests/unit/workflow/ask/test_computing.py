"""Questions to tables: computed first, looked up where no table is asked about."""

from __future__ import annotations

from dataclasses import replace

import pytest
from scripted_steps import PASSAGE, SURE, Script, a_composition, context_of

from ascertain.answering.overviews.global_answers import GlobalAnswer
from ascertain.core.asking.answers import AnswerType, Computation
from ascertain.core.asking.passages import Filter
from ascertain.core.asking.requests import AskRequest
from ascertain.workflow.ask.run import run_question

QUESTION = "How many orders were late in March 2020?"
COMPUTATION = Computation("counted rows of a.csv", "a.csv", "count", "rows", 4.0, 4, 9)
COUNT = GlobalAnswer(
    replace(a_composition(), computation=COMPUTATION),
    (PASSAGE,),
    Filter(),
    88,
    "counted rows of a.csv",
    {},
    keeps_dates=True,
)


class Computing:
    """Gives one computed answer, or none, and keeps what it was asked."""

    def __init__(self, made, may=True):
        self.made, self.may, self.seen = made, may, []

    def may_answer(self, question, filter):
        return self.may

    def answer(self, question, language, filter, run):
        self.seen.append(question)
        return self.made


def asked(answerer, question=QUESTION, mode="documents"):
    context = context_of(Script(confidence=SURE))
    context = replace(context, steps=replace(context.steps, side=replace(context.steps.side, table_answerer=answerer)))
    return run_question(AskRequest(question, mode=mode), context, 1000)


def nodes(answer):
    return [decision.node for decision in answer.decisions]


def test_what_is_computed_is_checked_and_given_without_a_search():
    answer = asked(Computing(COUNT))
    assert nodes(answer) == ["rewrite", "supervise", "plan", "compute", "check", "finish"]
    assert answer.computation == COMPUTATION
    assert answer.type is AnswerType.SUMMARY


def test_where_no_table_is_asked_about_the_question_is_looked_up():
    answerer = Computing(None)
    answer = asked(answerer)
    assert answerer.seen == [QUESTION]
    assert "retrieve" in nodes(answer)
    assert answer.computation is None


@pytest.mark.parametrize(
    ("question", "mode", "may"),
    [
        (QUESTION, "documents", False),
        (QUESTION, "news", True),
        ("Is it true that the bridge was opened in 1932?", "documents", True),
    ],
)
def test_tables_are_not_asked(question, mode, may):
    answerer = Computing(COUNT, may)
    asked(answerer, question, mode)
    assert not answerer.seen
