from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from ascertain.ingest.cluster.engine import in_lots

SIZES = st.lists(st.integers(0, 500), max_size=60)


@given(SIZES, st.integers(0, 800), st.integers(1, 9))
def test_lots_hold_everything_once_in_order_and_within_bounds(sizes: list[int], largest: int, most: int) -> None:
    lots = list(in_lots(list(enumerate(sizes)), largest, most))  # type: ignore[arg-type]
    assert [number for lot in lots for number in lot] == list(range(len(sizes)))
    for lot in lots:
        assert 1 <= len(lot) <= most
        assert len(lot) == 1 or sum(sizes[number] for number in lot) <= largest


@given(SIZES)
def test_neighbours_share_a_lot_where_they_may(sizes: list[int]) -> None:
    lots = list(in_lots(list(enumerate(sizes)), 500, 10))  # type: ignore[arg-type]
    for one, other in pairwise(lots):
        joined = [*one, other[0]]
        assert len(joined) > 10 or sum(sizes[number] for number in joined) > 500
