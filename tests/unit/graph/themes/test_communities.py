"""Communities: what was planted is found, every passage falls into one, and nothing hangs on the order of things."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from planted_graphs import a_snapshot, documents_of, planted

from ascertain.graph.communities import LARGEST, find_communities, written_names

THEMES = {**planted("Bee", 8), **planted("Rail", 6), **planted("Lava", 4)}


def told(snapshot, found) -> list[tuple[Any, ...]]:
    """Communities in names and ids, which mean the same in every snapshot."""
    return [
        (
            one.level,
            one.is_divided,
            tuple(snapshot.keys[entity] for entity in one.entities.tolist()),
            tuple(snapshot.chunk_ids[chunk] for chunk in one.chunks.tolist()),
        )
        for one in found.all
    ]


def test_finds_the_planted_themes_the_largest_first():
    snapshot = a_snapshot(THEMES)

    found = find_communities(snapshot)

    assert [documents_of(snapshot, one.documents) for one in found.at(0)] == [
        set(planted("Bee", 8)),
        set(planted("Rail", 6)),
        set(planted("Lava", 4)),
    ]
    assert (found.levels, found.chunks, found.chunks_read, found.documents_read) == (1, 36, 36, 18)


def test_a_name_that_two_themes_share_does_not_make_them_one():
    themes = {
        f"{theme}{number}": [[f"{theme} {name}" for name in range(4)]]
        for theme in ("Bee", "Rail")
        for number in range(60)
    }
    for document in ("Bee0", "Bee7", "Rail3", "Rail9"):
        themes[document][0].append("Switzerland")
    snapshot = a_snapshot(themes)

    found = find_communities(snapshot)

    for one in found.at(0)[:2]:
        assert len(one.documents) >= 58
        assert len({name.rstrip("0123456789") for name in documents_of(snapshot, one.documents)}) == 1


def test_a_large_community_is_divided_and_its_parts_know_it():
    regions = {
        f"{region}-{town}-{number}": [[f"Block {region}", f"Land {region}", f"Town {region} {town}"]]
        for region in range(8)
        for town in range(4)
        for number in range(LARGEST // 3)
    }
    # something has to hold the regions together, or each is found by itself
    regions["atlas"] = [[f"Block {region}" for region in range(8)]]
    snapshot = a_snapshot(regions)

    found = find_communities(snapshot)

    assert found.levels == 2
    assert len(found.at(0)) == 8
    assert len(found.at(1)) == 32
    for one in found.at(1):
        above = found.all[one.parent]
        assert above.is_divided
        assert set(one.chunks.tolist()) <= set(above.chunks.tolist())


def test_who_speaks_is_no_theme():
    snapshot = a_snapshot(
        {**planted("Bee", 4), **planted("Rail", 4)},
        speakers=dict.fromkeys([*planted("Bee", 4), *planted("Rail", 4)], "Ada Host"),
    )

    found = find_communities(snapshot)

    assert len(found.at(0)) == 2
    assert all("ada host" not in names for _, _, names, _ in told(snapshot, found))


def test_what_is_invisible_has_no_part():
    whole = a_snapshot(THEMES)
    visible = np.array([not chunk.startswith("Rail") for chunk in whole.chunk_ids])

    found = find_communities(whole, visible)

    alone = a_snapshot({name: passages for name, passages in THEMES.items() if not name.startswith("Rail")})
    assert told(whole, found) == told(alone, find_communities(alone))
    assert (found.chunks, found.documents) == (24, 12)


def test_what_changes_in_one_part_leaves_the_others_as_they_are():
    before = a_snapshot(THEMES)
    after = a_snapshot({**THEMES, "Lava0": [["Lava 0", "Aardvark"], ["Zebra", "Lava 3"]]})

    untouched = [
        [one for one in told(snapshot, find_communities(snapshot)) if not one[3][0].startswith("Lava")]
        for snapshot in (before, after)
    ]

    assert untouched[0] == untouched[1]
    assert len(untouched[0]) == 2


@pytest.mark.parametrize("documents", [{}, {"a": [[]]}, {"a": [[], []], "b": [[]]}])
def test_nothing_named_makes_no_communities(documents):
    found = find_communities(a_snapshot(documents))

    assert found.all == ()
    assert (found.levels, found.chunks_read) == (0, 0)
    assert found.chunks == sum(len(passages) for passages in documents.values())


def test_a_label_has_the_telling_names_as_they_are_written_and_none_twice():
    documents = {**planted("Bee", 6), **planted("Rail", 6)}
    for passages in documents.values():
        passages[0] += ["Common Knowledge"]
    for number in range(4):
        documents[f"Bee{number}"][0] += ["Bee 0 of Queens"]
    snapshot = a_snapshot(documents)
    bees = next(one for one in find_communities(snapshot).all if "Bee1" in documents_of(snapshot, one.documents))

    names = written_names(snapshot, bees.entities.tolist(), bees.chunks, 4)

    assert set(names) == {"Bee 0", "Bee 1", "Bee 2", "Bee 3"}


NAMES = st.sampled_from([f"Name {number}" for number in range(12)])
CORPORA = st.dictionaries(
    st.sampled_from([f"d{number}" for number in range(10)]),
    st.lists(st.lists(NAMES, max_size=4), min_size=1, max_size=4),
    max_size=8,
)


@given(CORPORA)
@settings(max_examples=40)
def test_every_passage_that_names_something_falls_into_one_community_of_each_level(documents):
    snapshot = a_snapshot(documents)

    found = find_communities(snapshot)

    named = {
        f"{document}:{index}"
        for document, passages in documents.items()
        for index, passage in enumerate(passages)
        if passage
    }
    assert found.chunks_read == len(named)
    for level in range(found.levels):
        chunks = [snapshot.chunk_ids[chunk] for one in found.at(level) for chunk in one.chunks.tolist()]
        assert sorted(chunks) == sorted(named)


@given(CORPORA, st.randoms())
@settings(max_examples=40)
def test_the_order_of_documents_and_names_changes_nothing(documents, random):
    shuffled = {
        name: [random.sample(p, len(p)) for p in documents[name]]
        for name in random.sample(sorted(documents), len(documents))
    }
    one, other = a_snapshot(documents), a_snapshot(shuffled)

    assert told(one, find_communities(one)) == told(other, find_communities(other))
