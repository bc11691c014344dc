from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ascertain.retrieval.search.evidence import maximal_marginal_relevance


def unit(*rows):
    array = np.asarray(rows, dtype=np.float32)
    return array / np.linalg.norm(array, axis=1, keepdims=True)


def test_passes_over_a_repeat_for_something_new():
    vectors = unit([1, 0], [1, 0.01], [0, 1])
    assert maximal_marginal_relevance([0.9, 0.89, 0.6], vectors, 2, 0.5) == [0, 2]


def test_is_plain_relevance_order_at_lambda_1():
    vectors = unit([1, 0], [1, 0.01], [0, 1])
    assert maximal_marginal_relevance([0.2, 0.9, 0.6], vectors, 3, 1.0) == [1, 2, 0]


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12), st.integers(0, 15), st.floats(0, 1))
def test_picks_each_item_at_most_once_and_the_best_first(relevance, k, trade_off):
    vectors = unit(*np.random.default_rng(0).normal(size=(len(relevance), 4)))
    picked = maximal_marginal_relevance(relevance, vectors, k, trade_off)
    assert len(picked) == len(set(picked)) == min(k, len(relevance))
    if picked and trade_off > 0:
        assert relevance[picked[0]] * trade_off == max(relevance) * trade_off
