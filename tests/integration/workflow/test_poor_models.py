"""No chat model, however poor, makes an answer worse than none would: what the user is told, and what it may cost."""

from __future__ import annotations

import pytest
from interviews import (
    MOST_SEARCHES,
    SURE,
    find_answered_from_nothing,
    find_costly,
    find_misled,
    find_sure_and_wrong,
    find_worse,
)
from planted_facts import ANSWERED
from poor_models import ROLES

from ascertain.core.asking.answers import AnswerType


@pytest.mark.parametrize("role", ["perfect", "perfect_shortened", "slow"])
def test_a_right_and_verified_answer_is_sure(interview, role):
    doubted = {
        told.question: (told.answer.confidence.score, told.answer.confidence.caveat)
        for told in interview(role)[: len(ANSWERED)]
        if told.answer.confidence.score < SURE or told.answer.confidence.caveat
    }
    assert doubted == {}


@pytest.mark.parametrize(
    "role",
    [
        "mediocre",
        "always_wrong",
        "beside_the_point",
        "refusing",
        "contradictory",
        "always_greeting",
        "always_out_of_scope",
        "always_none",
    ],
)
def test_what_is_right_without_a_model_is_right_with_it(interview, role):
    assert find_worse(interview(role), interview("")) == {}


@pytest.mark.parametrize("role", ["mediocre", "always_wrong", "contradictory"])
def test_what_a_model_makes_up_is_never_shown_as_supported(interview, role):
    assert find_misled(interview(role)) == {}


def find_failed_controls(told):
    """The questions in which a model was found out by what is certain, with where."""
    controls = [
        (each.question, d.node)
        for each in told
        for d in each.answer.decisions
        if d.outcome == "fell back to rules after a control"
    ]
    return dict(controls)


@pytest.mark.parametrize("role", ["always_wrong", "beside_the_point", "contradictory", "always_none"])
def test_a_model_that_cannot_tell_passages_apart_leaves_the_answer_of_the_rules(interview, role):
    told, offline = (interview(name)[: len(ANSWERED)] for name in (role, ""))
    assert find_failed_controls(told) == {each.question: "judge" for each in told}
    assert [each.answer.text for each in told] == [each.answer.text for each in offline]
    assert [each.answer.confidence for each in told] == [each.answer.confidence for each in offline]


@pytest.mark.parametrize("role", ["perfect", "perfect_shortened", "slow", "always_off_topic", "always_out_of_scope"])
def test_a_model_that_judges_in_earnest_fails_no_control(interview, role):
    assert find_failed_controls(interview(role)) == {}


@pytest.mark.parametrize("role", ["always_wrong", "beside_the_point", "contradictory"])
def test_a_wrong_answer_is_not_shown_as_sure(interview, role):
    assert find_sure_and_wrong(interview(role)) == {}


@pytest.mark.parametrize("role", ["always_greeting", "always_out_of_scope"])
def test_a_question_is_searched_for_whatever_a_model_takes_it_for(interview, role):
    assert {told.question: told.answer.text for told in interview(role) if not told.searches} == {}
    assert all(told.answer.type is not AnswerType.GREETING for told in interview(role))


def test_what_stands_in_no_document_is_not_greeted(interview):
    assert find_answered_from_nothing(interview("always_greeting")) == {}


@pytest.mark.parametrize("role", ["refusing"])
def test_a_model_that_writes_nothing_leaves_the_answer_of_the_rules(interview, role):
    both = list(zip(interview(role), interview(""), strict=True))[: len(ANSWERED) + 1]
    assert {told.question: told.answer.text for told, offline in both if told.answer.text != offline.answer.text} == {}


@pytest.mark.parametrize("role", [role for role in ROLES if role != "always_out_of_scope"])
def test_a_question_costs_few_calls_and_searches(interview, role):
    assert find_costly(interview(role)) == {}


def test_a_question_costs_few_searches_without_a_model(interview):
    assert {told.question: told.searches for told in interview("") if told.searches > MOST_SEARCHES} == {}
