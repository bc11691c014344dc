from __future__ import annotations

import pytest

from ascertain.language.languages import ENGLISH
from ascertain.language.tokens import content_terms
from ascertain.retrieval.search.ranking import inverse_document_frequency, title_match

IDF = {"maroon": 6.0, "5": 3.0, "band": 1.0}


@pytest.mark.parametrize(
    ("title", "question", "expected"),
    [
        ("Maroon 5", "Who sings in Maroon 5?", 1.0),
        ("Maroon 5", "Which 5 countries are there?", 3 / 9),
        ("Maroon 5", "Who wrote it?", 0.0),
        ("", "Who wrote it?", 0.0),
        ("The Of", "the of", 0.0),
        ("Bands", "a band", 1.0),
        ("Maroon Zanzibar", "maroon", 0.5),
    ],
)
def test_share_of_the_titles_weight_that_is_named(title, question, expected):
    assert title_match(title, content_terms(question, ENGLISH), IDF, ENGLISH) == pytest.approx(expected)


def test_rare_words_weigh_more_and_none_weighs_below_zero():
    weights = [inverse_document_frequency(n, 1000) for n in (0, 1, 10, 500, 1000, 2000)]
    assert weights == sorted(weights, reverse=True)
    assert weights[-1] >= 0
