from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ascertain.retrieval.search.ranking import convex_combination, reciprocal_rank_fusion

KEYS = st.sampled_from("abcdefgh")
COSINES = st.dictionaries(KEYS, st.floats(-1, 1))
BM25 = st.dictionaries(KEYS, st.just(0.0) | st.floats(0.001, 80))
RANKINGS = st.lists(st.permutations("abcdefgh"), min_size=1, max_size=4)


@given(COSINES, BM25, st.floats(0, 1))
def test_convex_scores_every_candidate_within_0_and_1(dense, lexical, weight):
    scores = convex_combination(dense, lexical, weight)
    assert scores.keys() == dense.keys() | lexical.keys()
    assert all(0.0 <= score <= 1.0 + 1e-9 for score in scores.values())


@given(COSINES, BM25, st.floats(0, 1), KEYS, st.floats(0, 0.5))
def test_convex_never_lowers_a_candidate_whose_cosine_rises(dense, lexical, weight, key, rise):
    before = convex_combination({**dense, key: dense.get(key, 0.0)}, lexical, weight)
    after = convex_combination({**dense, key: dense.get(key, 0.0) + rise}, lexical, weight)
    assert after[key] >= before[key]


@given(COSINES, BM25, st.floats(0.5, 20))
def test_convex_ignores_the_unit_of_the_lexical_scores(dense, lexical, factor):
    scaled = {key: score * factor for key, score in lexical.items()}
    assert convex_combination(dense, scaled, 0.7) == pytest.approx(convex_combination(dense, lexical, 0.7))


def test_convex_weighs_the_legs_as_told():
    scores = convex_combination({"a": 0.5, "b": -0.3}, {"b": 8.0, "c": 4.0}, 0.7)
    assert scores == pytest.approx({"a": 0.35, "b": 0.3, "c": 0.15})


def test_rrf_gives_1_to_what_is_first_everywhere():
    scores = reciprocal_rank_fusion([["a", "b"], ["a", "c"]])
    assert scores["a"] == pytest.approx(1.0)
    assert scores["b"] == pytest.approx((1 / 62) / (2 / 61))


@given(RANKINGS)
def test_rrf_does_not_depend_on_the_order_of_the_rankings(rankings):
    forwards = reciprocal_rank_fusion(rankings)
    assert forwards == pytest.approx(reciprocal_rank_fusion(list(reversed(rankings))))


@given(RANKINGS)
def test_rrf_prefers_what_ranks_no_worse_anywhere(rankings):
    scores = reciprocal_rank_fusion(rankings)
    for a in scores:
        for b in scores:
            if all(list(r).index(a) <= list(r).index(b) for r in rankings):
                assert scores[a] >= scores[b]


def test_rrf_weights_scale_their_ranking():
    scores = reciprocal_rank_fusion([["a"], ["b"]], weights=[3.0, 1.0])
    assert scores["a"] == pytest.approx(3 * scores["b"])
