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

from ascertain.core.answers import AnswerType


@pytest.mark.parametrize("role", ["perfect", "perfect_shortened", "slow"])
def test_a_right_and_verified_answer_is_sure(interview, role):
    doubted = {
        told.question: (told.answer.confidence.score, told.answer.confidence.caveat)
        for told in interview(role)[: len(ANSWERED)]
        if told.answer.confidence.score < SURE or told.answer.confidence.caveat
    }
    # its answer has no word of the question, which the rules hold against it: it is shown, not as sure
    assert set(doubted) <= {"Who runs the school?"}


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
