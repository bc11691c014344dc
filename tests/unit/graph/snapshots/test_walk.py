"""Walks through the neighbourhood of what a question finds."""

from __future__ import annotations

import numpy as np
import pytest
from hand_made import a_snapshot, label, says
from hypothesis import given, settings
from hypothesis import strategies as st

from ascertain.graph.walk import Start, find_neighbourhood, walk_graph

NAMES = [f"Name {letter}" for letter in "abcdefgh"]
JAWS = says("jaws", [["Jaws", "Steven Spielberg"]], title="Jaws")
SPIELBERG = says("spielberg", [["Steven Spielberg", "Cincinnati"]], title="Steven Spielberg")
CINCINNATI = says("cincinnati", [["Cincinnati"]], title="Cincinnati")
BREAD = [says(f"bread {n}", [["Vienna"]]) for n in range(5)]


def shares(snapshot, chunks, entities=(), *, visible=None, relevance=None, reached=300):
    """The share of each chunk, by id."""
    start = Start(
        {snapshot.chunk_place[chunk]: 1.0 for chunk in chunks}, {snapshot.place(name): 0.3 for name in entities}
    )
    near = find_neighbourhood(snapshot, start, visible, reached)
    prefers = None if relevance is None else np.array([relevance.get(snapshot.chunk_ids[c], 1.0) for c in near.chunks])
    walked = walk_graph(near, start, prefers)
    return {snapshot.chunk_ids[chunk]: share for chunk, share in zip(near.chunks, walked.chunks, strict=True)}


def test_what_is_reached_falls_off_with_the_steps_it_takes():
    found = shares(a_snapshot(JAWS, SPIELBERG, CINCINNATI, *BREAD), ["jaws:0"])
    assert found["jaws:0"] > found["spielberg:0"] > found["cincinnati:0"] > 0
    assert not any(chunk.startswith("bread") for chunk in found)


def test_a_walk_may_begin_at_a_name():
    found = shares(a_snapshot(JAWS, SPIELBERG, CINCINNATI, *BREAD), [], ["Cincinnati"])
    assert set(found) == {"cincinnati:0", "spielberg:0", "jaws:0"}
    assert found["cincinnati:0"] > found["jaws:0"]


def test_a_step_prefers_what_has_to_do_with_the_question():
    graphs = [says("a", [["Ada"]]), says("b", [["Ada"]]), says("c", [["Ada"]]), *BREAD]
    found = shares(a_snapshot(*graphs), ["a:0"], relevance={"b:0": 0.9, "c:0": 0.1})
    assert found["b:0"] > 5 * found["c:0"]


def test_a_step_prefers_the_document_of_that_title():
    graphs = [says("a", [["Ada"]]), says("b", [["Ada"]], title="Ada"), says("c", [["Ada"]]), *BREAD]
    found = shares(a_snapshot(*graphs), ["a:0"])
    assert found["b:0"] > 2 * found["c:0"]


def test_rare_names_lead_further_than_common_ones():
    graphs = [says("a", [["Ada", "Vienna"]]), says("b", [["Ada"]]), *BREAD]
    found = shares(a_snapshot(*graphs), ["a:0"])
    assert found["b:0"] > 5 * found["bread 0:0"]


def test_what_may_not_be_seen_is_neither_found_nor_stepped_on():
    snapshot = a_snapshot(
        JAWS, says("spielberg", [["Steven Spielberg", "Cincinnati"]], conversation="c1"), CINCINNATI, *BREAD
    )
    assert set(shares(snapshot, ["jaws:0"])) == {"jaws:0", "spielberg:0", "cincinnati:0"}
    assert set(shares(snapshot, ["jaws:0"], visible=snapshot.visible([""]))) == {"jaws:0"}


def test_names_of_a_single_chunk_lead_nowhere():
    snapshot = a_snapshot(JAWS, says("other", [["Bread"]]))
    assert not snapshot.rarity.any()
    assert shares(snapshot, ["jaws:0"]) == pytest.approx({"jaws:0": 0.3})


def test_nothing_begins_nowhere():
    snapshot = a_snapshot(JAWS, SPIELBERG)
    assert shares(snapshot, []) == {}


def test_how_many_take_part_is_bounded_but_for_the_start():
    graphs = [says(f"d{n}", [["Ada", f"Town {n}"]]) for n in range(30)]
    assert len(shares(a_snapshot(*graphs), ["d1:0", "d2:0"], reached=5)) <= 7


def test_the_way_a_passage_was_come_to():
    snapshot = a_snapshot(JAWS, SPIELBERG, CINCINNATI, *BREAD)
    start = Start({snapshot.chunk_place["jaws:0"]: 1.0}, {})
    near = find_neighbourhood(snapshot, start)
    walked = walk_graph(near, start)
    place = near.chunks.tolist().index(snapshot.chunk_place["spielberg:0"])
    entity, source = walked.way(place)
    assert label(snapshot, entity) == "Steven Spielberg"
    assert snapshot.chunk_ids[source] == "jaws:0"


DOCUMENTS = st.lists(st.lists(st.sampled_from(NAMES), min_size=1, max_size=4), min_size=2, max_size=12)


@settings(deadline=None)
@given(DOCUMENTS, st.randoms())
def test_the_order_in_which_documents_came_does_not_matter(named, chance):
    graphs = [says(f"d{n:02}", [names]) for n, names in enumerate(named)]
    first = shares(a_snapshot(*graphs), ["d00:0", "d01:0"], [named[0][0]])
    chance.shuffle(graphs)
    again = shares(a_snapshot(*graphs), ["d00:0", "d01:0"], [named[0][0]])
    assert first == again


@settings(deadline=None)
@given(DOCUMENTS)
def test_time_is_shared_out_and_never_more_than_there_is(named):
    found = shares(a_snapshot(*[says(f"d{n:02}", [names]) for n, names in enumerate(named)]), ["d00:0"])
    assert all(share >= 0 for share in found.values())
    assert 0 < sum(found.values()) <= 1 + 1e-9


@settings(deadline=None)
@given(DOCUMENTS)
def test_another_document_that_shares_no_name_changes_no_order(named):
    graphs = [says(f"d{n:02}", [names]) for n, names in enumerate(named)]
    chunks = {f"d{n:02}:0" for n in range(len(named))}
    without = shares(a_snapshot(*graphs), ["d00:0"])
    others = shares(a_snapshot(*graphs, says("other", [["Somebody Else"]])), ["d00:0"])
    assert set(without) & chunks == set(others) & chunks
