import pytest

from ascertain.answering.matching.kinds import is_of_other_year
from ascertain.questions.reading.question import read_question
from ascertain.questions.reading.signs import Sign, asks_yes_or_no, read_signs


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What is the oldest highway in Canada?", True),
        ("Who was the first president?", True),
        ("What is the most sold flavour?", True),
        ("Which is the northernmost country?", True),
        ("What is the latest on the forest of the Midwest?", False),
        ("Who won the contest?", False),
        ("How do refunds work?", False),
    ],
)
def test_extremes(question, expected):
    assert (Sign.EXTREME in read_signs(question, "en")) is expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Is Peanuts still made?", True),
        ("“Didn't they win?”", True),
        ("What is it?", False),
        ("Isabel who?", False),
        ("", False),
    ],
)
def test_yes_or_no(question, expected):
    assert asks_yes_or_no(question, "en") is expected


@pytest.mark.parametrize(
    ("question", "title", "expected"),
    [
        ("Where was the 2022 summit?", "1997 Madrid summit", True),
        ("Where was the 1997 summit?", "1997 Madrid summit", False),
        ("Where was the summit?", "Madrid summit", False),
        ("Who won?", "Election of 1912", True),
    ],
)
def test_a_title_of_another_year(question, title, expected):
    assert is_of_other_year(read_question(question).years, title) is expected
