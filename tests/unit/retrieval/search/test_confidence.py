from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ascertain.answering.confidence import confidence_of
from ascertain.core.asking.passages import Level
from ascertain.core.settings import Settings
from ascertain.language.languages import ENGLISH
from ascertain.retrieval.search.searcher import level_of, nothing_found, search_confidence, weigh_coverage

UNIT = st.floats(0, 1)


@given(UNIT, UNIT, UNIT)
def test_confidence_rises_with_similarity_and_with_coverage(a, b, other):
    low, high = sorted((a, b))
    assert search_confidence(low, other, ENGLISH).score <= search_confidence(high, other, ENGLISH).score
    assert search_confidence(other, low, ENGLISH).score <= search_confidence(other, high, ENGLISH).score


@pytest.mark.parametrize(
    ("similarity", "covered", "level"),
    [
        (0.9, 1.0, Level.HIGH),
        (0.6, 0.8, Level.HIGH),
        (0.45, 0.6, Level.MEDIUM),
        (0.3, 0.4, Level.LOW),
        (0.3, 1.0, Level.MEDIUM),
        (0.05, 0.0, Level.NONE),
    ],
)
def test_levels(similarity, covered, level):
    confidence = search_confidence(similarity, covered, ENGLISH)
    assert confidence.level is level
    assert (confidence.caveat is None) == (level is Level.HIGH)


def test_a_keyword_search_is_judged_by_its_words_alone():
    scores = [search_confidence(None, covered, ENGLISH).score for covered in (0.0, 0.3, 0.6, 1.0)]
    assert scores == sorted(scores)
    assert search_confidence(None, 1.0, ENGLISH).level is Level.MEDIUM


@pytest.mark.parametrize("score", range(0, 101, 5))
def test_a_score_has_the_name_that_it_has_of_an_answer(score):
    assert level_of(score) is confidence_of(score, Settings().answers.rejection_threshold, ENGLISH).level


def test_an_empty_result_says_what_was_searched():
    confidence = nothing_found("12 passages of 3 documents")
    assert confidence.score == 0
    assert "12 passages of 3 documents" in (confidence.caveat or "")


def test_coverage_counts_rare_words_more():
    idf = {"halv": 5.0, "bitcoin": 1.0}
    assert weigh_coverage(["bitcoin"], ["halv", "bitcoin"], idf) == pytest.approx(1 / 6)
    assert weigh_coverage([], [], idf) == 0.0
