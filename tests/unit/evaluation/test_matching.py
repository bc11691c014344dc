import pytest
from hypothesis import given
from hypothesis import strategies as st

from ascertain.evaluation.answers import contains_any, measure_overlap, normalise_answer


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The  Panthers' defense, gave up: 308!", "panthers defense gave up 308"),
        ("A well-known\nman", "well known man"),
        ("snake_case “quoted”", "snake case quoted"),
        ("ﬁne", "fine"),
        ("the a an", ""),
    ],
)
def test_normalises_case_punctuation_articles_and_spaces(text, expected):
    assert normalise_answer(text) == expected


@pytest.mark.parametrize(
    ("text", "expected", "held"),
    [
        ("In 1994 it grew.", ["4"], False),
        ("It is Japan's largest.", ["Japan"], True),
        ("He had 136 career sacks.", ["nothing", "136"], True),
        ("They won the Super Bowl.", ["Super bowl,"], True),
        ("They won.", [], False),
        ("They won.", ["the"], False),
        ("It cost 1,200 euros", ["1,200"], True),
    ],
)
def test_finds_an_expected_answer_as_whole_words(text, expected, held):
    assert contains_any(text, expected) is held


@given(before=st.text(), answer=st.text(min_size=1), after=st.text())
def test_a_text_that_quotes_the_answer_contains_it(before, answer, after):
    assert contains_any(f"{before} {answer} {after}", [answer]) == bool(normalise_answer(answer))


@pytest.mark.parametrize(
    ("text", "expected", "share", "f1"),
    [
        ("It takes 72 hours.", ["72 hours"], 1.0, 2 * 2 / (4 + 2)),
        ("It takes hours.", ["72 hours"], 0.5, 2 * 1 / (3 + 2)),
        ("It takes hours.", ["three days", "72 hours"], 0.5, 2 * 1 / (3 + 2)),
        ("the", ["a"], 0.0, 0.0),
        ("no no no", ["no"], 1.0, 0.5),
    ],
)
def test_the_words_shared_with_the_nearest_expected_answer(text, expected, share, f1):
    assert measure_overlap(text, expected) == pytest.approx((share, f1))


@given(text=st.text(max_size=40), expected=st.lists(st.text(max_size=20), max_size=3))
def test_overlap_is_a_share(text, expected):
    assert all(0 <= value <= 1 for value in measure_overlap(text, expected))
