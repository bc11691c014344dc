import pytest
from hypothesis import given
from hypothesis import strategies as st

from ascertain.evaluation.measures.calibration import (
    Judged,
    area_under_risk_coverage,
    brier_score,
    calibration_error,
    risk_coverage_curve,
    selective_accuracy,
)

FOUR = [Judged(0.9, True), Judged(0.8, False), Judged(0.4, True), Judged(0.1, False)]
JUDGED = st.lists(st.builds(Judged, st.floats(0, 1), st.booleans()), min_size=1, max_size=40)


def test_the_curve_answers_the_surest_first():
    assert [(p.threshold, p.coverage, p.risk) for p in risk_coverage_curve(FOUR)] == [
        (0.9, 0.25, 0.0),
        (0.8, 0.5, 0.5),
        (0.4, 0.75, pytest.approx(1 / 3)),
        (0.1, 1.0, 0.5),
    ]


def test_equal_confidences_are_answered_together():
    assert [p.coverage for p in risk_coverage_curve([Judged(0.5, True), Judged(0.5, False)])] == [1.0]


def test_the_measures_of_four_questions():
    assert area_under_risk_coverage(FOUR) == pytest.approx((0 + 0.5 + 1 / 3 + 0.5) / 4)
    assert selective_accuracy(FOUR, 0.25) == 1.0
    assert selective_accuracy(FOUR, 0.6) == pytest.approx(2 / 3)
    assert brier_score(FOUR) == pytest.approx((0.01 + 0.64 + 0.36 + 0.01) / 4)
    assert calibration_error(FOUR) == pytest.approx((0.1 + 0.8 + 0.6 + 0.1) / 4)


def test_of_nothing_nothing_is_said():
    assert risk_coverage_curve([]) == []
    for measure in (area_under_risk_coverage, brier_score, calibration_error):
        assert measure([]) is None
    assert selective_accuracy([], 0.8) is None


@given(JUDGED)
def test_measures_lie_within_bounds_and_the_curve_ends_with_everything_answered(judged):
    points = risk_coverage_curve(judged)
    assert points[-1].coverage == pytest.approx(1)
    assert points[-1].risk == pytest.approx(sum(not one.right for one in judged) / len(judged))
    for measure in (area_under_risk_coverage, brier_score, calibration_error):
        value = measure(judged)
        assert value is not None and -1e-9 <= value <= 1 + 1e-9
