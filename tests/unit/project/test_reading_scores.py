"""What ``bench/reading/quality.py`` counts: words that are stored, their order, and words that touch."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.reading import scores


@pytest.mark.parametrize(
    ("reference", "stored", "recall", "order"),
    [
        ("The pier was painted.", "the PIER was painted", 1, 1),
        ("The pier was painted.", "The pier", 0.5, 1),
        ("one two three four", "three four one two", 1, 0.5),
        ("10⁶ boats", "10 6 boats", 1, 1),
        ("exam-\nple", "example", 1, 1),
        ("灯台守", "灯台守", 1, 1),
        ("one", "", 0, 1),
    ],
)
def test_recall_and_order_of_words(reference, stored, recall, order):
    score = scores.score_text([reference], stored)
    assert (score.recall, score.order) == (recall, order)


def test_words_that_touch_are_found_and_what_is_lost_is_shown():
    score = scores.score_text(["Quay Street 5511 7722 Bergen harbour office"], "Quay Street 55117722 Bergen")
    assert score.fused == ("5511|7722",)
    assert any("[[" in each and "harbour office" in each for each in score.lost)


def longest_common(first, second):
    row = [0] * (len(second) + 1)
    for one in first:
        before = 0
        for place, other in enumerate(second, 1):
            before, row[place] = row[place], before + 1 if one == other else max(row[place], row[place - 1])
    return row[-1]


words = st.lists(st.sampled_from("abcde"), max_size=40)


@given(words, words)
def test_the_longest_common_subsequence_is_exact(first, second):
    assert scores.count_in_order(first, second) == longest_common(first, second)
