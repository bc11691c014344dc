import pytest
from hypothesis import given
from hypothesis import strategies as st

from ascertain.answering.confidence import answer_confidence, confidence_of
from ascertain.answering.evidence import EVIDENCE_FEATURES
from ascertain.core.passages import Level

NEUTRAL = [0.4, 0.2, 0.3, 0.2, 1.0, 0.0]


@given(index=st.integers(0, len(EVIDENCE_FEATURES) - 1), low=st.floats(0, 1), high=st.floats(0, 1))
def test_better_evidence_never_lowers_the_confidence(index, low, high):
    low, high = sorted((low, high))
    if EVIDENCE_FEATURES[index] == "unseen_specifics":
        low, high = high, low
    weaker, stronger = list(NEUTRAL), list(NEUTRAL)
    weaker[index], stronger[index] = low, high
    assert answer_confidence(weaker, 30).score <= answer_confidence(stronger, 30).score


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
    confidence = confidence_of(score, 30)
    assert confidence.level is level
    assert (confidence.caveat is None) == (level is Level.HIGH)


@given(score=st.integers(0, 100), threshold=st.integers(0, 100))
def test_none_means_below_the_threshold(score, threshold):
    assert (confidence_of(score, threshold).level is Level.NONE) == (score < threshold)


def test_stays_within_0_to_100_for_any_evidence():
    assert answer_confidence([-1e6] * len(EVIDENCE_FEATURES), 30).score in range(101)
    assert answer_confidence([1e6] * len(EVIDENCE_FEATURES), 30).score in range(101)
