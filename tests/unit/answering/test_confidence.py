from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ascertain.answering.composition import Composition
from ascertain.answering.confidence import Assessment, assess_confidence, confidence_of, predict_probability
from ascertain.answering.evidence import CHOICE, EVIDENCE_FEATURES
from ascertain.core.asking.answers import AnswerType, Verdict, VerdictLabel
from ascertain.core.asking.judgements import (
    CheckedClaim,
    EvaluatedBy,
    Evaluation,
    Groundedness,
    RetrievalQuality,
    Sufficiency,
)
from ascertain.core.asking.passages import Confidence, Level
from ascertain.core.settings import AnswerSettings
from ascertain.language.languages import ENGLISH
from ascertain.questions.reading.question import read_question

NEUTRAL = dict.fromkeys(EVIDENCE_FEATURES, 0.0) | {
    "similarity": 0.5,
    "similarity_lead": 0.2,
    "coverage_lead": 0.2,
    "from_first_passage": 1.0,
}
AGAINST = {"unseen_specifics", "asks_fact", "asks_number", "asks_extreme", "asks_yes_or_no", "other_year"}


@pytest.fixture
def an_assessment(a_document, a_passage):
    def build(support=(VerdictLabel.SUPPORTED,), type=AnswerType.SUMMARY, evidence=NEUTRAL, quality=70):
        claims = tuple(CheckedClaim("Fees rose.", i, Verdict(label, 0.9)) for i, label in enumerate(support))
        made = Composition("Fees rose.", (), (), confidence_of(90, 30, ENGLISH), (), type, evidence)
        return Assessment(
            read_question("How did fees change?"),
            made,
            (a_passage(a_document("Fees rose.")),),
            RetrievalQuality(quality, (), ""),
            Sufficiency(True, (), ""),
            Groundedness(claims),
        )

    return build


@given(name=st.sampled_from(sorted(NEUTRAL)), low=st.floats(0, 1), high=st.floats(0, 1))
def test_better_evidence_never_lowers_the_confidence(name, low, high):
    low, high = sorted((low, high))
    if name in AGAINST:
        low, high = high, low
    assert predict_probability({**NEUTRAL, name: low}) <= predict_probability({**NEUTRAL, name: high})


@pytest.mark.parametrize("extreme", [-1e6, 1e6])
def test_stays_a_probability_for_any_evidence(extreme):
    assert 0 <= predict_probability(dict.fromkeys(NEUTRAL, extreme)) <= 1


@pytest.mark.parametrize(
    ("score", "level"),
    [
        (0, Level.NONE),
        (29, Level.NONE),
        (30, Level.LOW),
        (44, Level.LOW),
        (45, Level.MEDIUM),
        (69, Level.MEDIUM),
        (70, Level.HIGH),
        (100, Level.HIGH),
    ],
)
def test_levels_follow_the_score_with_a_caveat_below_high(score, level):
    confidence = confidence_of(score, 30, ENGLISH)
    assert confidence.level is level
    assert (confidence.caveat is None) == (level is Level.HIGH)


@given(score=st.integers(0, 100), threshold=st.integers(0, 100))
def test_none_means_below_the_threshold(score, threshold):
    assert (confidence_of(score, threshold, ENGLISH).level is Level.NONE) == (score < threshold)


def test_claims_without_support_lower_the_confidence_of_an_answer(an_assessment):
    both = (VerdictLabel.SUPPORTED, VerdictLabel.NOT_IN_SOURCES)
    settings = AnswerSettings(rejection_threshold=0)
    whole, half = assess_confidence(an_assessment(), settings), assess_confidence(an_assessment(both), settings)
    assert half.score == pytest.approx(whole.score / 2, abs=1)


def test_an_answer_of_which_nothing_is_supported_is_withheld(an_assessment):
    assert assess_confidence(an_assessment((VerdictLabel.CONTRADICTED,)), AnswerSettings()).level is Level.NONE


def test_what_the_composer_thinks_of_itself_does_not_matter(an_assessment):
    assessment = an_assessment()
    boast = replace(assessment.composition, confidence=Confidence(Level.HIGH, 100))
    settings = AnswerSettings()
    assert assess_confidence(assessment, settings) == assess_confidence(
        replace(assessment, composition=boast), settings
    )


def test_without_evidence_the_retrieval_speaks(an_assessment):
    assert assess_confidence(an_assessment(evidence={}, quality=64), AnswerSettings()).score == 64


def test_a_rejection_and_an_answer_from_nothing_have_no_confidence(an_assessment):
    settings = AnswerSettings()
    assert assess_confidence(an_assessment(type=AnswerType.REJECTION), settings).score == 0
    assert assess_confidence(replace(an_assessment(), passages=()), settings).level is Level.NONE


def test_the_calibration_of_the_settings_is_applied(an_assessment):
    plain = assess_confidence(an_assessment(), AnswerSettings()).score
    assert assess_confidence(an_assessment(), AnswerSettings(calibration_intercept=-2)).score < plain
    assert assess_confidence(an_assessment(), AnswerSettings(calibration_slope=0)).score == 50


def test_a_quoted_answer_is_averaged_with_those_withheld_before_it_and_a_written_one_is_not(an_assessment):
    settings = AnswerSettings(rejection_threshold=30)
    assessment = an_assessment(evidence={}, quality=64)
    doubted = assess_confidence(replace(assessment, withheld=(20, 6)), settings)
    assert (assess_confidence(assessment, settings).score, doubted.score) == (64, 30)
    assert doubted.level is Level.LOW
    assert assess_confidence(replace(assessment, withheld=(0, 0)), settings).level is Level.NONE
    written = replace(assessment, composition=replace(assessment.composition, quoted=assessment.composition))
    assert assess_confidence(replace(written, withheld=(20, 6)), settings).score == 64


def evaluated(assessment, score, by=EvaluatedBy.RULES):
    evaluation = Evaluation(score, score, score, score, (), "by the test", by=by)
    return assess_confidence(replace(assessment, evaluation=evaluation), AnswerSettings()).score


def a_written(assessment):
    return replace(assessment, composition=replace(assessment.composition, quoted=assessment.composition))


@pytest.mark.parametrize("quality", [10, 40, 90])
def test_the_confidence_of_a_quoted_answer_grows_with_its_evaluation(an_assessment, quality):
    assessment = an_assessment(evidence={}, quality=quality)
    scores = [evaluated(assessment, score) for score in (0, 41, 65, 90, 100)]
    assert scores == sorted(scores)
    assert scores[1] < 70
    assert scores[3] == scores[4]
    assert scores[0] < 30


def test_a_sentence_that_stands_out_is_shown_surer_than_one_of_several_alike(an_assessment):
    alike, out = (an_assessment(evidence={**NEUTRAL, CHOICE: choice}) for choice in (-1.5, 3.0))
    assert evaluated(out, 60) >= evaluated(alike, 60) + 20


@pytest.mark.parametrize("quality", [2, 14, 60, 95])
def test_a_written_answer_has_the_confidence_of_its_own_evaluation_and_support(an_assessment, quality):
    written = a_written(an_assessment(evidence={}, quality=quality))
    assert evaluated(written, 95, EvaluatedBy.MODEL) >= 70
    assert evaluated(written, 41, EvaluatedBy.MODEL) < 65
    assert evaluated(written, 0, EvaluatedBy.MODEL) < 30
    half = a_written(an_assessment((VerdictLabel.SUPPORTED, VerdictLabel.NOT_IN_SOURCES), evidence={}, quality=quality))
    assert evaluated(half, 95, EvaluatedBy.MODEL) < 50


@pytest.mark.parametrize("score", [0, 41, 90])
def test_where_rules_evaluated_it_a_written_answer_is_as_sure_as_a_quoted_one(an_assessment, score):
    quoted = an_assessment(evidence={}, quality=60)
    both = [evaluated(each, score, EvaluatedBy.RULES) for each in (quoted, a_written(quoted))]
    assert both[0] == both[1]


@pytest.mark.parametrize(
    ("quality", "evaluation", "level"),
    [
        (90, 90, Level.LOW),
        (40, 90, Level.LOW),
        (90, 40, Level.LOW),
        (40, 20, Level.NONE),
        (20, 90, Level.LOW),
        (3, 56, Level.NONE),
    ],
)
def test_a_model_that_finds_no_answer_lowers_the_quoted_one_and_withholds_it_only_when_the_rules_doubt_it_too(
    an_assessment, quality, evaluation, level
):
    assessment = an_assessment(evidence={}, quality=quality)
    doubted = replace(assessment, composition=replace(assessment.composition, is_doubted=True))
    made = Evaluation(evaluation, evaluation, evaluation, evaluation, (), "by the test")
    confidence = assess_confidence(replace(doubted, evaluation=made), AnswerSettings())
    assert confidence.level is level
    if level is Level.LOW:
        assert "found no answer in these sources" in (confidence.caveat or "")


def test_a_name_that_no_passage_holds_lowers_the_confidence_and_is_named(an_assessment):
    assessment = replace(an_assessment(), question=read_question("How did fees of Zorblax change?"))
    confidence = assess_confidence(assessment, AnswerSettings())
    assert confidence.score < assess_confidence(an_assessment(), AnswerSettings()).score
    assert confidence.caveat is not None and "“Zorblax”" in confidence.caveat


@pytest.mark.parametrize("threshold", [30, 60])
def test_what_lies_outside_the_period_asked_about_is_of_low_confidence_at_most(an_assessment, threshold):
    settings = AnswerSettings(rejection_threshold=threshold)
    evidence = NEUTRAL | {"similarity": 0.9, "token_match": 1.0, "word_match": 1.0}
    assert assess_confidence(an_assessment(evidence=evidence), settings).level is Level.HIGH
    outside = assess_confidence(replace(an_assessment(evidence=evidence), lies_outside=True), settings)
    assert outside.level is (Level.LOW if threshold == 30 else Level.NONE)
    assert outside.caveat
