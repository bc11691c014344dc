from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from ascertain.documents.ingest.cluster.engine import batch_sources

SIZES = st.lists(st.integers(0, 500), max_size=60)


@given(SIZES, st.integers(0, 800), st.integers(1, 9))
def test_lots_hold_everything_once_in_order_and_within_bounds(sizes: list[int], largest: int, most: int) -> None:
    batches = list(batch_sources(list(enumerate(sizes)), largest, most))  # type: ignore[arg-type]
    assert [number for batch in batches for number in batch] == list(range(len(sizes)))
    for batch in batches:
        assert 1 <= len(batch) <= most
        assert len(batch) == 1 or sum(sizes[number] for number in batch) <= largest


@given(SIZES)
def test_neighbours_share_a_lot_where_they_may(sizes: list[int]) -> None:
    batches = list(batch_sources(list(enumerate(sizes)), 500, 10))  # type: ignore[arg-type]
    for one, other in pairwise(batches):
        joined = [*one, other[0]]
        assert len(joined) > 10 or sum(sizes[number] for number in joined) > 500
