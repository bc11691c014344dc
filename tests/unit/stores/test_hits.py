import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ascertain.core.asking.passages import Hit
from ascertain.stores.records.vectors import fetch_vectors, top_hits


@given(
    st.lists(st.tuples(st.sampled_from([0.0, 0.5, 1.0]), st.booleans()), max_size=200),
    st.integers(0, 40),
    st.randoms(use_true_random=False),
)
def test_gives_the_best_that_exist_with_ties_by_id(entries, k, chance):
    names = [f"id{n:03d}" for n in range(len(entries))]
    chance.shuffle(names)
    found = sorted(((row, score) for row, (score, _) in enumerate(entries)), key=lambda pair: -pair[1])
    existing = {row: names[row] for row, (_, exists) in enumerate(entries) if exists}
    hits = top_hits(
        lambda limit: found[:limit], lambda rows: {row: existing[row] for row in rows if row in existing}, k
    )
    expected = sorted((-score, names[row]) for row, (score, exists) in enumerate(entries) if exists)[:k]
    assert hits == [Hit(name, -score) for score, name in expected]


def test_asks_for_more_when_most_of_what_is_found_is_gone():
    asked = []

    def fetch(limit):
        asked.append(limit)
        return [(row, 1000.0 - row) for row in range(min(limit, 1000))]

    hits = top_hits(fetch, lambda rows: {row: str(row) for row in rows if row >= 500}, 3)
    assert [hit.chunk_id for hit in hits] == ["500", "501", "502"]
    assert asked[0] < 100


class _Store:
    """Gives the rows it has, whatever they are."""

    def __init__(self, rows):
        self._rows = np.array(rows, dtype=np.float32)

    def vectors(self, chunk_ids):
        return self._rows


@pytest.mark.parametrize("damaged", [[np.nan, 0.0], [np.inf, 0.0], [3e38, 1.0], [0.01, 0.01]])
def test_a_vector_that_was_damaged_on_the_disk_is_near_to_nothing(damaged):
    found, vectors = fetch_vectors(_Store([[0.6, 0.8], damaged]), ["whole", "damaged"])
    assert found == ["whole", "damaged"]
    assert np.allclose(vectors, [[0.6, 0.8], [0.0, 0.0]])
