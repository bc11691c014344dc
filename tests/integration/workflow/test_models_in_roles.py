"""What a user is told with chat models from perfect to useless, each behind a real HTTP server, beside what is told without one.

No chat model, however poor, makes an answer worse than none would. Each is asked once a process, which is why these tests share a file.
"""

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

from ascertain.core.asking.answers import AnswerType, VerdictLabel
from ascertain.core.asking.passages import Level
from ascertain.core.asking.runs import FAILED_A_CONTROL, FELL_BACK

ABLE = ("perfect", "perfect_shortened", "slow")
USELESS = ("empty", "garbage", "hanging")
"""Models whose replies are never of use."""


def test_the_planted_questions_are_answered_and_declined_without_a_model(interview):
    assert [told.question for told in interview("") if not told.is_right] == []


@pytest.mark.parametrize("role", ABLE)
def test_an_able_model_answers_in_one_sentence_and_declines_what_is_not_there(interview, role):
    told = interview(role)
    assert [each.question for each in told if not each.is_right] == []
    for each in told[: len(ANSWERED)]:
        (sentence,) = each.answer.sentences
        assert sentence.verdict.label is VerdictLabel.SUPPORTED
        assert each.expected.is_right(each.answer.citations[0].quote)
    for each in told[len(ANSWERED) + 1 :]:
        assert each.answer.confidence.level is Level.NONE
        assert each.answer.citations == ()


@pytest.mark.parametrize("role", USELESS)
def test_with_a_useless_model_everything_is_as_without(interview, role):
    for told, offline in zip(interview(role), interview(""), strict=True):
        assert told.answer.text == offline.answer.text
        assert told.answer.confidence == offline.answer.confidence
        assert told.answer.sentences == offline.answer.sentences


@pytest.mark.parametrize("role", [*USELESS, "failing_later"])
def test_the_record_says_where_the_rules_took_over(interview, role):
    for told in interview(role):
        assert any(d.outcome == FELL_BACK for d in told.answer.decisions), told.question


@pytest.mark.parametrize("role", ROLES)
def test_what_is_right_without_a_model_is_right_with_it(interview, role):
    assert find_worse(interview(role), interview("")) == {}


@pytest.mark.parametrize("role", ROLES)
def test_what_a_model_makes_up_is_never_shown_as_supported(interview, role):
    assert find_misled(interview(role)) == {}


@pytest.mark.parametrize("role", ROLES)
def test_a_wrong_answer_is_not_shown_as_sure(interview, role):
    assert find_sure_and_wrong(interview(role)) == {}


@pytest.mark.parametrize("role", ROLES)
def test_what_stands_in_no_document_is_declined_as_without_a_model(interview, role):
    assert find_answered_from_nothing(interview(role)) == {}


@pytest.mark.parametrize("role", ROLES)
def test_a_sentence_in_doubt_never_stands_without_a_caveat(interview, role):
    for told in interview(role):
        if any(sentence.verdict.label is not VerdictLabel.SUPPORTED for sentence in told.answer.sentences):
            assert told.answer.confidence.caveat, told.question
            assert told.answer.confidence.level is not Level.HIGH


@pytest.mark.parametrize("role", ABLE)
def test_a_right_and_verified_answer_is_sure(interview, role):
    doubted = {
        told.question: (told.answer.confidence.score, told.answer.confidence.caveat)
        for told in interview(role)[: len(ANSWERED)]
        if told.answer.confidence.score < SURE or told.answer.confidence.caveat
    }
    assert doubted == {}


def find_failed_controls(told):
    """The questions in which a model was found out by what is certain, with where."""
    controls = [
        (each.question, d.node) for each in told for d in each.answer.decisions if d.outcome == FAILED_A_CONTROL
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


@pytest.mark.parametrize("role", ["always_greeting", "always_out_of_scope"])
def test_a_question_is_searched_for_whatever_a_model_takes_it_for(interview, role):
    assert {told.question: told.answer.text for told in interview(role) if not told.searches} == {}
    assert all(told.answer.type is not AnswerType.GREETING for told in interview(role))


@pytest.mark.parametrize("role", ["refusing"])
def test_a_model_that_writes_nothing_leaves_the_answer_of_the_rules(interview, role):
    both = list(zip(interview(role), interview(""), strict=True))[: len(ANSWERED) + 1]
    assert {told.question: told.answer.text for told, offline in both if told.answer.text != offline.answer.text} == {}


@pytest.mark.parametrize("role", [role for role in ROLES if role != "always_out_of_scope"])
def test_a_question_costs_few_calls_and_searches(interview, role):
    assert find_costly(interview(role)) == {}


def test_a_question_costs_few_searches_without_a_model(interview):
    assert {told.question: told.searches for told in interview("") if told.searches > MOST_SEARCHES} == {}
