"""Questions for every place: gathered first, written at once, searched for as any other where nothing is gathered; and KG-5."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any

import pytest
from scripted_steps import (
    PASSAGE,
    SURE,
    UNSURE,
    Script,
    a_composition,
    a_plan,
    a_quality,
    a_result,
    an_evaluation,
    context_of,
)
from test_routes import WORKFLOW, a_state

from ascertain.core.asking.answers import AnswerType
from ascertain.core.asking.judgements import Sufficiency
from ascertain.core.asking.passages import Filter, Strategy
from ascertain.core.asking.plans import Asks, EntityQuestion, Intent
from ascertain.core.asking.requests import AskRequest
from ascertain.core.reports.overviews import EntityReport, Group
from ascertain.workflow.ask.routes import (
    Node,
    after_checking,
    after_gathering,
    after_planning,
    gate_one,
    gate_two,
    has_found,
    write_or_reject,
)
from ascertain.workflow.ask.run import run_question
from ascertain.workflow.ask.state import Retrieval
from ascertain.workflow.ask.steps import Context

ENTITY_QUESTION = EntityQuestion(Asks.SPEAKERS, "ether", spoken=True)
REPORT = EntityReport(
    ENTITY_QUESTION, (Group("Ether", (PASSAGE,)),), 1, 1, 0, 0, True, 90, (PASSAGE,), Filter(), "every place"
)


@dataclass
class Keeper:
    """Gives the report it was made with, and remembers what it was asked."""

    report: EntityReport | None
    asked: list[Any] = field(default_factory=list)

    def gather(self, question, language, entity_question, filter=Filter(), days_back=None):
        self.asked.append((question, entity_question, filter, days_back))
        return self.report


def asking(script: Script, keeper: Keeper | None, entity_question: EntityQuestion | None = ENTITY_QUESTION, **request):
    script.plan = replace(a_plan(), entity_question=entity_question)
    context = context_of(script)
    steps = replace(context.steps, side=replace(context.steps.side, entity_reporter=keeper))
    context = Context(steps, context.workflow, context.verification, context.depth, context.run)
    return run_question(AskRequest("Who discussed ether?", **request), context, 1000)


def test_an_report_is_written_without_a_search():
    script, keeper = Script(), Keeper(REPORT)
    answer = asking(script, keeper, filter=Filter(tenant="somebody"), days_back=7)
    assert answer.type is AnswerType.SUMMARY
    assert script.count("found") == 0
    assert keeper.asked == [("Who discussed ether?", ENTITY_QUESTION, Filter(tenant="somebody"), 7)]
    (request,) = script.seen("composition")
    assert request.report is REPORT
    assert request.passages == (PASSAGE,)
    assert [d.node for d in answer.decisions if d.node in {"gather", "retrieve"}] == ["gather"]


@pytest.mark.parametrize("report", [None, replace(REPORT, groups=(), how="“ether” is mentioned by Ana, not by Ben")])
def test_without_a_report_the_question_is_searched_for(report):
    script = Script()
    answer = asking(script, Keeper(report))
    assert answer.type is AnswerType.SUMMARY
    assert script.count("found") == 1
    assert script.seen("composition")[0].report is None


def test_a_rejection_says_who_else_speaks_of_it():
    script = Script(found=a_result(()), quality=a_quality(0))
    answer = asking(script, Keeper(replace(REPORT, groups=(), how="“ether” is mentioned by Ana, not by Ben")))
    assert answer.type is AnswerType.REJECTION
    assert "“ether” is mentioned by Ana, not by Ben." in answer.text


def test_no_report_is_asked_for_without_an_entity_question_and_nobody_need_keep_any():
    keeper = Keeper(REPORT)
    asking(Script(), keeper, entity_question=None)
    assert keeper.asked == []
    assert asking(Script(), None).type is AnswerType.SUMMARY


def test_a_withheld_report_is_followed_by_a_search():
    script = Script(confidence=iter([UNSURE, *[UNSURE] * 20]), composition=a_composition())
    asking(script, Keeper(REPORT))
    assert script.count("found") > 0


def test_an_report_is_not_searched_again_however_it_is_evaluated():
    script = Script(evaluation=an_evaluation(5))
    asking(script, Keeper(REPORT))
    assert script.count("found") == 0


def test_no_chat_model_is_asked_to_evaluate_a_report():
    written = replace(a_composition(), quoted=a_composition())
    script = Script(composition=written, evaluation=an_evaluation(5), has_model=True)
    answer = asking(script, Keeper(REPORT))
    assert answer.type is AnswerType.SUMMARY
    assert (script.count("evaluation"), script.count("rule_evaluation")) == (0, 1)
    assert answer.confidence == SURE


INTENTS = list(Intent)
KNOWING = {Intent.KNOWLEDGE, Intent.ANALYSIS}


@pytest.mark.parametrize(("intent", "entity_question"), list(product(INTENTS, [None, ENTITY_QUESTION])))
def test_only_questions_to_the_documents_are_looked_up(intent, entity_question):
    node = after_planning(a_state(plan=replace(a_plan(intent), entity_question=entity_question)))
    if intent in KNOWING:
        assert node is (Node.GATHER if entity_question else Node.STRATEGY)
    else:
        assert node is (Node.GREET if intent is Intent.GREETING else Node.REJECT)


def a_retrieval(evidence: tuple[Any, ...]) -> Retrieval:
    return Retrieval(a_result(evidence), evidence, a_quality(), Sufficiency(True, (), ""))


@pytest.mark.parametrize(
    ("last", "earlier", "report", "node"),
    [((), (), None, Node.STRATEGY), ((), (), REPORT, Node.STRATEGY), ((PASSAGE,), (), REPORT, Node.GENERATE)],
)
def test_a_report_with_nothing_in_it_is_not_written_from(last, earlier, report, node):
    unused = tuple(a_retrieval(each) for each in (*earlier, last))
    assert after_gathering(a_state(evidence=last, unused=unused, report=report)) is node


@pytest.mark.parametrize(
    ("evidence", "unused", "found"),
    [
        ((), (), False),
        ((), ((),), False),
        ((), ((), ()), False),
        ((), ((PASSAGE,), ()), True),
        ((PASSAGE,), (), True),
        ((replace(PASSAGE, origin="graph"),), (), True),
        ((), ((replace(PASSAGE, origin="graph"),),), True),
    ],
)
def test_nothing_by_passages_and_graph_is_rejected_before_anything_is_written(evidence, unused, found):
    state = a_state(evidence=evidence, unused=tuple(a_retrieval(each) for each in unused))
    assert has_found(state) is found
    assert write_or_reject(state) is (Node.GENERATE if found else Node.FINISH)


@pytest.mark.parametrize("score", [0, 59, 60, 100])
@pytest.mark.parametrize("tried", [(Strategy.HYBRID,), tuple(Strategy)])
def test_the_gate_behind_retrieval_never_writes_from_nothing(score, tried):
    state = a_state(evidence=(), unused=(a_retrieval(()),), quality=a_quality(score), strategies=tried, rewrites=9)
    assert gate_one(state, WORKFLOW) is not Node.GENERATE
    if len(tried) == 3:
        assert gate_one(state, WORKFLOW) is Node.FINISH


def test_nothing_is_written_again_from_nothing():
    from scripted_steps import a_groundedness

    state = a_state(evidence=(), unused=(), groundedness=a_groundedness(0, 3))
    assert after_checking(state, WORKFLOW) is Node.FINISH


@pytest.mark.parametrize(
    ("report", "confidence", "node"),
    [(REPORT, None, Node.FINISH), (REPORT, UNSURE, Node.SWITCH), (None, None, Node.SWITCH)],
)
def test_a_report_that_is_trusted_is_final(report, confidence, node):
    changes = {"report": report, "evaluation": an_evaluation(5)} | ({"confidence": confidence} if confidence else {})
    assert gate_two(a_state(**changes), WORKFLOW) is node


@pytest.mark.parametrize("intent", [Intent.KNOWLEDGE, Intent.ANALYSIS])
def test_a_question_that_finds_nothing_anywhere_ends_in_a_rejection(intent):
    script = Script(found=a_result(()), quality=a_quality(0))
    script.plan = a_plan(intent)
    answer = run_question(AskRequest("What of it?"), context_of(script), 1000)
    assert answer.type is AnswerType.REJECTION
    assert script.count("composition") == 0
    assert answer.citations == ()


def test_a_greeting_is_no_rejection():
    script = Script(found=a_result(()))
    script.plan = a_plan(Intent.GREETING)
    answer = run_question(AskRequest("Hello!"), context_of(script), 1000)
    assert answer.type is AnswerType.GREETING
    assert script.count("found") == 0
