import math
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ascertain.stores.qdrant.lexical_leg import document_weights, query_weights, word_dimension
from ascertain.stores.records.text_analysis import compute_idf, saturate_frequency

WORDS = st.lists(st.sampled_from(("a", "b", "c", "dd")), max_size=30)


def product(document, query):
    stored = dict(zip(document.places, document.values, strict=True))
    return sum(value * stored.get(where, 0) for where, value in zip(query.places, query.values, strict=True))


@given(WORDS.filter(bool), WORDS)
def test_the_two_sides_multiply_to_bm25_without_the_rarity(body, title):
    document = document_weights(body, title, (12.0, 4.0))
    counts = Counter(body)
    expected = sum(
        weight * counts[word] * 2.2 / (counts[word] + 1.2 * (0.25 + 0.75 * len(body) / 12))
        for word, weight in (("a", 2.0), ("dd", 0.5))
    )
    assert product(document, query_weights({"a": 2.0, "dd": 0.5}, 0)) == pytest.approx(expected)


def test_a_word_of_the_title_counts_by_its_boost():
    document = document_weights(["text"], ["word"], (1.0, 1.0))
    assert product(document, query_weights({"word": 1.0}, 0)) == 0
    assert product(document, query_weights({"word": 1.0}, 3.0)) == pytest.approx(3.0)


@given(st.integers(1, 100), st.integers(1, 1000))
def test_more_occurrences_count_more_up_to_a_bound(occurrences, length):
    assert saturate_frequency(occurrences, length, 100) < saturate_frequency(occurrences + 1, length, 100) < 2.2


def test_rarity_is_tantivys():
    assert compute_idf(10, 3) == pytest.approx(math.log(1 + 7.5 / 3.5))
    assert compute_idf(3, 5) == 0.0


def test_places_are_32_bits_and_differ_between_text_and_title():
    assert 0 <= word_dimension("word") < 2**32
    assert word_dimension("word") != word_dimension("word", in_title=True)
