import pytest
from hypothesis import given
from hypothesis import strategies as st

from ascertain.evaluation.measures.significance import (
    compare_pairs,
    correct_chances,
    estimate_interval_of,
    estimate_intervals,
)

SCORES = st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0]), min_size=1, max_size=40)


@given(values=SCORES)
def test_an_interval_lies_among_the_values_and_is_the_same_twice(values):
    rows = [{"R@5": value, "none": None} for value in values]
    found = estimate_intervals(rows)
    low, high = found["R@5"]
    assert min(values) - 1e-9 <= low <= high <= max(values) + 1e-9
    assert set(found) == {"R@5"}
    assert estimate_intervals(rows) == found


def test_the_interval_of_a_share_is_about_two_standard_errors_wide():
    low, high = estimate_intervals([{"right": float(i % 2)} for i in range(400)])["right"]
    assert low == pytest.approx(0.5 - 1.96 * 0.025, abs=0.006)
    assert high == pytest.approx(0.5 + 1.96 * 0.025, abs=0.006)


def test_questions_without_a_score_do_not_count():
    rows = [{"first": 1.0}, {"first": None}, {"first": 1.0}, {}]
    assert estimate_intervals(rows) == {"first": (1.0, 1.0)}


def test_the_interval_of_another_figure_and_of_one_that_is_seldom_defined():
    low, high = estimate_interval_of([1, 2, 3, 4], lambda drawn: float(max(drawn))) or (0, 0)
    assert (low, high) == (2.0, 4.0)
    assert estimate_interval_of([1, 2], lambda _: None) is None
    assert estimate_interval_of([], lambda _: 1.0) is None


def test_five_questions_that_all_got_better_have_the_chance_of_a_coin():
    tested = compare_pairs([0, 0, 0, 0, 0, 1], [1, 1, 1, 1, 1, 1])
    assert (tested.better, tested.worse, tested.equal, tested.questions) == (5, 0, 1, 6)
    assert tested.p == 2 / 2**5
    assert tested.difference == pytest.approx(5 / 6)


def test_equal_runs_do_not_differ():
    tested = compare_pairs([0.5, 1.0], [0.5, 1.0])
    assert (tested.p, tested.interval, tested.difference) == (1.0, (0.0, 0.0), 0.0)


def test_many_questions_are_tested_by_drawn_signs_near_the_exact_chance():
    tested = compare_pairs([0.0] * 12 + [1.0] * 4, [1.0] * 12 + [0.0] * 4)
    assert tested.p == pytest.approx(2 * 2517 / 2**16, abs=0.01)  # of 16 coins at least 12 fall alike


@given(before=SCORES, seed=st.integers(0, 5))
def test_the_test_is_the_same_both_ways_round(before, seed):
    after = list(reversed(before))
    there, back = compare_pairs(before, after, seed), compare_pairs(after, before, seed)
    assert there.p == back.p
    assert there.difference == pytest.approx(-back.difference)


def test_holm_by_hand():
    assert correct_chances([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert correct_chances([]) == []


@given(chances=st.lists(st.floats(0, 1), min_size=1, max_size=10))
def test_holm_never_lowers_a_chance_and_keeps_their_order(chances):
    corrected = correct_chances(chances)
    assert all(before <= after + 1e-12 <= 1 + 1e-9 for before, after in zip(chances, corrected, strict=True))
    order = sorted(range(len(chances)), key=chances.__getitem__)
    assert [corrected[i] for i in order] == sorted(corrected)
