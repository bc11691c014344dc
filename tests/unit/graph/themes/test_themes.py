"""Themes: communities whose passages mean alike things are brought together, others are not."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from planted_graphs import a_snapshot, documents_of, planted

from ascertain.graph.communities import find_communities
from ascertain.graph.themes import with_themes

DIRECTIONS = {"Bee": 0, "Honey": 0, "Rail": 1, "Tram": 1, "Lava": 2}
THEMES = {name: passages for theme in DIRECTIONS for name, passages in planted(theme, 4).items()}


def vectors_by_theme(noise: float):
    """Vectors that point where the theme of the chunk does, and a little elsewhere."""

    def vectors(chunk_ids):
        rows = []
        for chunk_id in chunk_ids:
            random = np.random.default_rng(sum(map(ord, chunk_id)))
            row = noise * random.standard_normal(8)
            row[DIRECTIONS[chunk_id.split(":")[0].rstrip("0123456789")]] += 1
            rows.append(row / np.linalg.norm(row))
        return np.array(rows, dtype=np.float32)

    return vectors


def test_communities_that_mean_alike_things_are_one_theme():
    snapshot = a_snapshot(THEMES)

    found = with_themes(find_communities(snapshot), snapshot, vectors_by_theme(0.1))

    themes = [{name.rstrip("0123456789") for name in documents_of(snapshot, one.documents)} for one in found.at(0)]
    assert themes == [{"Bee", "Honey"}, {"Rail", "Tram"}, {"Lava"}]
    assert len(found.at(1)) == 5
    for one in found.all:
        if one.level == 1:
            assert set(one.chunks.tolist()) <= set(found.all[one.parent].chunks.tolist())


def test_communities_that_mean_different_things_stay_apart():
    apart = {name: passages for name, passages in THEMES.items() if name.startswith(("Bee", "Rail", "Lava"))}
    snapshot = a_snapshot(apart)

    found = with_themes(find_communities(snapshot), snapshot, vectors_by_theme(0.1))

    assert len(found.at(0)) == 3


def test_nothing_known_of_any_vector_leaves_every_community_a_theme():
    snapshot = a_snapshot(THEMES)

    found = with_themes(find_communities(snapshot), snapshot, lambda ids: np.zeros((len(ids), 1), dtype=np.float32))

    assert len(found.at(0)) == 5


def test_no_community_has_no_theme():
    snapshot = a_snapshot({"a": [[]]})

    assert with_themes(find_communities(snapshot), snapshot, vectors_by_theme(0.1)).all == ()


@given(st.integers(0, 40).map(lambda tenths: tenths / 10))
@settings(max_examples=20)
def test_themes_keep_every_passage_once_whatever_the_vectors(noise):
    snapshot = a_snapshot(THEMES)

    found = with_themes(find_communities(snapshot), snapshot, vectors_by_theme(noise))

    for level in range(found.levels):
        chunks = np.concatenate([one.chunks for one in found.at(level)])
        assert sorted(chunks.tolist()) == list(range(len(snapshot.chunk_ids)))
