import pytest
from hypothesis import given
from hypothesis import strategies as st

from ascertain.evaluation.answers import AbstentionCase, abstention_metrics
from ascertain.evaluation.measures.calibration import compute_auroc

scores = st.lists(st.integers(0, 5), min_size=1, max_size=30)


def by_pairs(positive, negative):
    wins = sum(1 if high > low else 0.5 if high == low else 0 for high in positive for low in negative)
    return wins / (len(positive) * len(negative))


@given(positive=scores, negative=scores)
def test_auroc_is_the_share_of_pairs_in_the_right_order(positive, negative):
    assert compute_auroc(positive, negative) == pytest.approx(by_pairs(positive, negative))


@pytest.mark.parametrize(
    ("positive", "negative", "expected"),
    [
        ([0.9, 0.8], [0.1, 0.2], 1.0),
        ([0.1], [0.9], 0.0),
        ([5, 5], [5], 0.5),
        # the example of Hanley & McNeil, Radiology 1982: 58 normal and 51 abnormal images rated 1 to 5
        ([1] * 3 + [2] * 2 + [3] * 2 + [4] * 11 + [5] * 33, [1] * 33 + [2] * 6 + [3] * 6 + [4] * 11 + [5] * 2, 0.893),
        ([], [1], None),
        ([1], [], None),
    ],
)
def test_auroc_by_hand(positive, negative, expected):
    found = compute_auroc(positive, negative)
    assert found is None if expected is None else found == pytest.approx(expected, abs=5e-4)


def test_counts_abstentions_on_both_sides():
    cases = [
        AbstentionCase(answerable=False, abstained=True, confidence=10),
        AbstentionCase(answerable=False, abstained=True, confidence=20),
        AbstentionCase(answerable=False, abstained=False, confidence=70),
        AbstentionCase(answerable=True, abstained=False, confidence=90),
        AbstentionCase(answerable=True, abstained=False, confidence=60),
        AbstentionCase(answerable=True, abstained=False, confidence=80),
        AbstentionCase(answerable=True, abstained=True, confidence=5),
    ]
    assert abstention_metrics(cases) == pytest.approx(
        {"abstention_recall": 2 / 3, "abstention_precision": 2 / 3, "false_abstention_rate": 1 / 4, "auroc": 8 / 12}
    )


def test_says_nothing_where_there_is_nothing_to_divide_by():
    answered = AbstentionCase(answerable=True, abstained=False, confidence=50)
    assert abstention_metrics([answered]) == {
        "abstention_recall": None,
        "abstention_precision": None,
        "false_abstention_rate": 0.0,
        "auroc": None,
    }
