"""What a user is told with chat models from perfect to useless, each behind a real HTTP server, beside what is told without one."""

from __future__ import annotations

import pytest
from interviews import find_answered_from_nothing, find_misled, find_sure_and_wrong, find_worse
from planted_facts import ANSWERED
from poor_models import ROLES

from ascertain.core.asking.answers import VerdictLabel
from ascertain.core.asking.passages import Level

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
        assert any(d.outcome == "fell back to rules" for d in told.answer.decisions), told.question


@pytest.mark.parametrize("role", [*ABLE, *USELESS, "always_off_topic", "failing_later"])
def test_what_is_right_without_a_model_is_right_with_it(interview, role):
    assert find_worse(interview(role), interview("")) == {}


@pytest.mark.parametrize("role", sorted({*ROLES} - {"mediocre", "always_wrong", "contradictory"}))
def test_what_a_model_makes_up_is_never_shown_as_supported(interview, role):
    assert find_misled(interview(role)) == {}


@pytest.mark.parametrize("role", sorted({*ROLES} - {"always_wrong", "beside_the_point", "contradictory"}))
def test_a_wrong_answer_is_not_shown_as_sure(interview, role):
    assert find_sure_and_wrong(interview(role)) == {}


@pytest.mark.parametrize("role", sorted({*ROLES} - {"always_greeting"}))
def test_what_stands_in_no_document_is_declined_as_without_a_model(interview, role):
    assert find_answered_from_nothing(interview(role)) == {}


@pytest.mark.parametrize("role", ROLES)
def test_a_sentence_in_doubt_never_stands_without_a_caveat(interview, role):
    for told in interview(role):
        if any(sentence.verdict.label is not VerdictLabel.SUPPORTED for sentence in told.answer.sentences):
            assert told.answer.confidence.caveat, told.question
            assert told.answer.confidence.level is not Level.HIGH
