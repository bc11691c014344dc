"""Questions about the documents as a whole: the answer, its checks, and what happens without a graph."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest
from scripted_steps import SURE, UNSURE, Script, a_composition, a_global_answer, a_groundedness, a_plan, context_of
from test_routes import a_state

from ascertain.core.asking.answers import AnswerType
from ascertain.core.asking.passages import Filter
from ascertain.core.asking.plans import GlobalQuestion, Intent
from ascertain.core.asking.requests import AskRequest
from ascertain.core.settings import WorkflowSettings
from ascertain.workflow.ask.routes import (
    MAX_REGENERATIONS,
    Node,
    after_checking,
    after_classifying,
    after_global_answer,
    after_planning,
)
from ascertain.workflow.ask.run import run_question

GLOBAL = replace(a_plan(), global_question=GlobalQuestion())
WORKFLOW = WorkflowSettings()
MOST = MAX_REGENERATIONS


def nodes_of(answer):
    return [decision.node for decision in answer.decisions]


def test_a_question_about_everything_is_answered_from_its_themes_and_nothing_is_searched():
    script = Script(plan=GLOBAL, global_answer=a_global_answer())

    answer = run_question(AskRequest("What are the main themes?"), context_of(script), 1000)

    assert nodes_of(answer) == ["rewrite", "supervise", "plan", "overview", "check", "finish"]
    assert answer.type is AnswerType.SUMMARY
    assert answer.citations
    assert script.count("found") == 0


def test_without_a_graph_the_question_is_answered_as_any_other():
    script = Script(plan=GLOBAL)

    answer = run_question(AskRequest("What are the main themes?"), context_of(script), 1000)

    assert nodes_of(answer)[3:6] == ["overview", "strategy", "expand"]
    assert script.count("found") == 1
    assert answer.type is AnswerType.SUMMARY


def test_what_had_no_support_is_left_out_of_the_next_global_answer():
    script = Script(
        plan=GLOBAL, global_answer=a_global_answer(), groundedness=[a_groundedness(0, 1), a_groundedness(1)]
    )

    answer = run_question(AskRequest("What are the main themes?"), context_of(script), 1000)

    first, second = script.seen("global_answer")
    assert first.unsupported == ()
    assert second.unsupported == (a_composition().sentences[0].text,)
    assert answer.type is AnswerType.SUMMARY


def test_a_global_answer_that_stays_unsupported_ends_within_its_bound():
    script = Script(plan=GLOBAL, global_answer=a_global_answer(), groundedness=a_groundedness(0, 1))

    run_question(AskRequest("What are the main themes?"), context_of(script), 1000)

    assert script.count("global_answer") == 1 + MOST


def test_a_global_answer_nobody_can_trust_is_followed_by_a_search():
    script = Script(plan=GLOBAL, global_answer=a_global_answer(5), confidence=[UNSURE, SURE])

    answer = run_question(AskRequest("What are the main themes?"), context_of(script), 1000)

    assert script.count("found") == 1
    assert answer.confidence == SURE


def test_the_global_answer_sees_what_the_question_may_see():
    script = Script(plan=GLOBAL, global_answer=a_global_answer())
    filter = Filter(tags=("mine",), tenant="acme", within=("", "c1"))
    request = AskRequest("What are the main themes?", filter=filter, days_back=7, max_chunks=3)

    run_question(request, context_of(script), 1000)

    (seen,) = script.seen("global_answer")
    assert (seen.filter, seen.days_back, seen.max_sentences) == (filter, 7, 3)


@pytest.mark.parametrize(
    ("score", "regenerations", "confidence", "late", "node"),
    [
        (score, regenerations, confidence, late, node)
        for score, regenerations, confidence, late in product(
            [0.0, 0.59, 0.6, 1.0], [0, MOST], [SURE, UNSURE], [False, True]
        )
        for node in [
            Node.FINISH
            if late
            else Node.OVERVIEW
            if score < 1 and regenerations < MOST
            else Node.FINISH
            if confidence is SURE
            else Node.STRATEGY
        ]
    ],
)
def test_after_the_check_of_a_global_answer(score, regenerations, confidence, late, node):
    state = a_state(
        plan=GLOBAL,
        global_answer=a_global_answer(),
        groundedness=a_groundedness(round(score * 100), 100 - round(score * 100)),
        regenerations=regenerations,
        confidence=confidence,
        is_out_of_time=late,
    )

    assert after_checking(state, WORKFLOW) is node


@pytest.mark.parametrize(
    ("intent", "mode", "node"),
    [
        (Intent.KNOWLEDGE, "documents", Node.OVERVIEW),
        (Intent.GREETING, "documents", Node.GREET),
        (Intent.OUT_OF_SCOPE, "documents", Node.REJECT),
        (Intent.KNOWLEDGE, "news", Node.CLASSIFY),
    ],
)
def test_only_a_question_for_the_stores_is_answered_from_themes(intent, mode, node):
    plan = replace(a_plan(intent), global_question=GlobalQuestion())

    assert after_planning(a_state(plan=plan, request=AskRequest("q", mode=mode))) is node


def test_a_follow_up_about_the_articles_of_a_conversation_is_answered_from_themes():
    assert after_classifying(a_state(plan=GLOBAL, request=AskRequest("q", mode="news"))) is Node.OVERVIEW


@pytest.mark.parametrize(("global_answer", "node"), [(a_global_answer(), Node.CHECK), (None, Node.STRATEGY)])
def test_after_the_global_answer(global_answer, node):
    assert after_global_answer(a_state(global_answer=global_answer)) is node
