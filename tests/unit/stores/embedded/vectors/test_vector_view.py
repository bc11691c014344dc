import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ascertain.stores.embedded.change_log import Position
from ascertain.stores.embedded.vectors.segments import VectorView, Workers

DIMENSION = 4


@pytest.fixture(scope="module")
def workers():
    pool = Workers()
    yield pool
    pool.close()


def vectors(rows):
    made = np.array([np.random.default_rng(row).standard_normal(DIMENSION) for row in rows], np.float32)
    return made.reshape(-1, DIMENSION).astype(np.float16)


STEPS = st.lists(
    st.one_of(st.tuples(st.just("add"), st.integers(1, 30)), st.tuples(st.just("remove"), st.integers(0, 60))),
    max_size=20,
)


@settings(deadline=None)
@given(STEPS, st.integers(1, 100), st.sets(st.integers(1, 200), max_size=50))
def test_searches_like_a_scan_of_what_is_left(workers, steps, k, chosen):
    view, living, last = VectorView(), [], 0
    for number, (kind, size) in enumerate(steps):
        if kind == "add":
            # Gaps, because parents and deleted chunks use up rows as well.
            rows = np.arange(last + 2, last + 2 + size)
            last = int(rows[-1])
            view = view.with_rows(rows, vectors(rows))
            living += rows.tolist()
        else:
            view = view.without(Position(number, last), [(size, size + 5)])
            living = [row for row in living if not size <= row <= size + 5]
    # A query in general position: with one component alone, scores of half precision tie, and the view promises no
    # order of ties.
    query = np.array([0.61, 0.37, -0.53, 0.29], np.float32)
    masks = view.masks([(row, 1) for row in chosen])
    for wanted, mask in ((living, None), ([row for row in living if row in chosen], masks)):
        scores = vectors(wanted).astype(np.float32) @ query
        expected = [wanted[place] for place in np.lexsort((wanted, -scores))[:k]]
        assert view.search(query, k, mask, workers)[1].tolist() == expected
    assert view.count == len(living)
    assert sorted(view.similarities(query, np.arange(last + 5))) == living
    assert sum(len(segment) for segment in view.segments) >= len(living)


def test_there_are_few_segments_after_many_small_additions():
    view = VectorView()
    for row in range(1, 1000):
        view = view.with_rows(np.array([row]), vectors([row]))
    assert len(view.segments) <= 11
