import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ascertain.answering.confidence import Calibration, choose_threshold, fit_calibration, log_odds, upper_bound
from ascertain.models.logistic_model import convert_log_odds


def questions(count, seed=0, slope=1.0, intercept=0.0):
    """Confidences and outcomes that come right with the probability ``sigmoid(slope · log-odds +
    intercept)``."""
    draw = random.Random(seed)
    given_ = [draw.uniform(0.05, 0.95) for _ in range(count)]
    return given_, [draw.random() < convert_log_odds(slope * log_odds(p) + intercept) for p in given_]


@pytest.mark.parametrize(("slope", "intercept"), [(1.0, 0.0), (0.5, -1.0), (2.0, 1.0)])
def test_finds_how_confidences_were_off(slope, intercept):
    fitted = fit_calibration(*questions(5000, slope=slope, intercept=intercept))
    assert fitted.slope == pytest.approx(slope, abs=0.15)
    assert fitted.intercept == pytest.approx(intercept, abs=0.15)


@pytest.mark.parametrize("outcome", [True, False])
def test_outcomes_all_alike_teach_nothing(outcome):
    assert fit_calibration([0.2, 0.9], [outcome, outcome]) == Calibration()
    assert fit_calibration([], []) == Calibration()


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), max_size=60))
def test_calibration_keeps_the_order_of_questions(labelled):
    fitted = fit_calibration([p for p, _ in labelled], [ok for _, ok in labelled])
    assert fitted.slope >= 0
    assert math.isfinite(fitted.intercept)
    assert 0 <= fitted.apply(0.1) <= fitted.apply(0.9) <= 1


@pytest.mark.parametrize(
    ("wrong", "answered", "bound"),
    # one-sided 95 % bounds of the binomial, R's binom.test(..., alternative = "less")
    [(0, 10, 0.2589), (0, 29, 0.0981), (5, 100, 0.1023), (1, 1, 1.0), (0, 0, 1.0), (10, 200, 0.0834)],
)
def test_the_bound_is_that_of_clopper_and_pearson(wrong, answered, bound):
    assert upper_bound(wrong, answered, 0.95) == pytest.approx(bound, abs=5e-4)


def test_the_threshold_keeps_the_risk_on_questions_it_has_not_seen():
    broken = 0
    for seed in range(40):
        shares, right = questions(300, seed, slope=2.0)
        chosen = choose_threshold([round(100 * p) for p in shares], right, risk=0.15, certainty=0.9)
        if chosen is None:
            continue
        fresh, outcomes = questions(4000, seed + 1000, slope=2.0)
        answered = [ok for p, ok in zip(fresh, outcomes, strict=True) if round(100 * p) >= chosen.score]
        broken += answered.count(False) > 0.15 * len(answered)
    assert broken <= 8


def test_no_threshold_where_even_the_surest_are_wrong_or_few():
    assert choose_threshold([90] * 100, [False] * 100, risk=0.1, certainty=0.9) is None
    assert choose_threshold([90] * 5, [True] * 5, risk=0.1, certainty=0.9) is None


def test_all_is_answered_where_nothing_goes_wrong():
    chosen = choose_threshold([*range(100)], [True] * 100, risk=0.1, certainty=0.9)
    assert chosen is not None
    assert (chosen.score, chosen.answered, chosen.wrong) == (0, 100, 0)
    assert chosen.bound < 0.1


def test_outcomes_that_are_told_apart_completely_are_fitted_too():
    wrong, right = [0.0] * 6 + [0.01] * 3 + [0.02] * 4, [0.93] + [0.94] * 2 + [0.95] * 3 + [0.96] * 2 + [0.97] * 4
    fitted = fit_calibration([*wrong, *right], [False] * len(wrong) + [True] * len(right))
    assert fitted.slope > 0.3
    assert fitted.apply(0.01) < 0.2
    assert fitted.apply(0.95) > 0.8
