from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ascertain.retrieval.search.ranking import moved_query


def unit(values):
    vector = np.asarray(values, dtype=np.float32)
    return vector / np.linalg.norm(vector)


@given(st.floats(0, 2))
def test_moves_towards_the_best_passage_and_keeps_unit_length(weight):
    query, best = unit([1, 0, 0]), unit([1, 1, 0])
    moved = moved_query(query, best, weight)
    assert np.linalg.norm(moved) == pytest.approx(1.0, abs=1e-5)
    assert float(moved @ best) >= float(query @ best) - 1e-6


def test_opposite_vectors_that_cancel_leave_the_query_alone():
    query = unit([1, 0])
    assert moved_query(query, -query, 1.0).tolist() == query.tolist()
