"""What a snapshot says of the things that documents name."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hand_made import a_pin, a_snapshot, columns_of, label, says

from ascertain.graph.knowledge_graph import load_snapshot, save_snapshot
from ascertain.graph.snapshot import Snapshot

JAWS = says("jaws", [["Jaws", "Steven Spielberg"], ["Peter Benchley"]], title="Jaws")
SPIELBERG = says("spielberg", [["Spielberg", "Cincinnati"]], [["Jaws"]], title="Steven Spielberg")
BANK = says(
    "bank", [["European Central Bank", "ECB"]], [["ECB"]], aliases=[("ECB", "European Central Bank", "abbreviation")]
)
CARS = says("cars", [["Electric Car Board", "ECB"]], aliases=[("ECB", "Electric Car Board", "abbreviation")])
OTHER = says("other", [["ECB", "Frankfurt"]])


def test_a_thing_by_any_of_its_names():
    snapshot = a_snapshot(BANK, OTHER)
    found = snapshot.entity("the ECB")
    assert found is not None
    assert (found.label, found.names) == ("European Central Bank", ("ECB", "European Central Bank"))
    assert found == snapshot.entity("European Central Bank") == snapshot.entity(found.key)
    assert (found.mentions, found.chunks, found.documents) == (4, 3, 2)
    assert snapshot.passages(found) == ["bank:0", "bank:1", "other:0"]
    assert snapshot.entity("nobody") is None


def test_a_short_form_of_two_things_is_read_by_its_document():
    snapshot = a_snapshot(BANK, CARS, OTHER)
    assert snapshot.passages(snapshot.place("European Central Bank")) == ["bank:0", "bank:1"]
    assert snapshot.passages(snapshot.place("Electric Car Board")) == ["cars:0"]
    assert snapshot.passages(snapshot.place("ECB")) == ["other:0"]


def test_a_pin_parts_what_was_merged_and_says_so():
    snapshot = a_snapshot(BANK, OTHER, pins=[a_pin("ECB", "European Central Bank", same=False)])
    assert snapshot.place("ECB") != snapshot.place("European Central Bank")
    assert len(snapshot.refused) == 1


def test_why_names_are_one_thing():
    snapshot = a_snapshot(BANK, JAWS)
    assert [merge.reason for merge in snapshot.merges_of(snapshot.place("ECB"))] == ["abbreviation"]
    assert not snapshot.merges_of(snapshot.place("Jaws"))


def test_those_named_in_most_chunks_come_first():
    snapshot = a_snapshot(JAWS, SPIELBERG)
    assert [(entity.label, entity.chunks) for entity in snapshot.entities(1)] == [("Jaws", 2)]
    assert snapshot.entities_in("jaws:0") == sorted(
        snapshot.place(name) for name in ("Jaws", "Steven Spielberg", "Peter Benchley")
    )
    assert snapshot.entities_in("nowhere") == []


def test_a_title_names_nothing_in_the_passages_under_it():
    show = says("show", [["Ada Kestrel"]], [["Ada Kestrel"]], [["Brackwater"]], title="The Long Show")
    snapshot = a_snapshot(show)
    assert [entity.label for entity in snapshot.entities()] == ["Ada Kestrel", "Brackwater", "The Long Show"]
    found = snapshot.entity("The Long Show")
    assert (found.mentions, found.chunks, found.documents) == (0, 0, 1)
    assert len(snapshot.passages(found)) == 3


@pytest.mark.parametrize(
    ("conversations", "documents", "seen"),
    [
        (None, None, ["bank:0", "bank:1", "web:0"]),
        ([""], None, ["bank:0", "bank:1"]),
        (["c1"], None, ["web:0"]),
        (["", "c1"], ["web"], ["web:0"]),
        ([""], ["web"], []),
    ],
)
def test_what_a_question_may_see(conversations, documents, seen):
    web = says("web", [["European Central Bank"]], conversation="c1")
    snapshot = a_snapshot(BANK, web)
    visible = snapshot.visible(conversations, documents)
    assert snapshot.passages(snapshot.place("European Central Bank"), visible) == seen


def test_an_empty_graph_has_nothing():
    snapshot = a_snapshot()
    assert snapshot.size == 0
    assert snapshot.entities() == []
    assert snapshot.entity("anything") is None
    assert snapshot.visible([""]).shape == (0,)


def test_documents_in_another_order_give_the_same_snapshot():
    graphs = [JAWS, SPIELBERG, BANK, CARS, OTHER]
    first = Snapshot.of(columns_of(graphs))
    random.Random(6).shuffle(graphs)
    assert same(first, Snapshot.of(columns_of(graphs)))


def test_a_file_gives_back_what_was_kept(tmp_path):
    lives = says("life", [["Ada Lovelace", "London"]], relations=[("Ada Lovelace", "was born in", "London")])
    first = a_snapshot(BANK, CARS, lives, pins=[a_pin("London", "ECB", same=False)])
    path = tmp_path / "deep" / "kept.npz"
    save_snapshot(first, path)
    again = load_snapshot(path, first.generation)
    assert again is not None
    assert same(first, again)
    assert label(again, again.place("European Central Bank")) == "European Central Bank"
    assert load_snapshot(path, "another") is None
    assert load_snapshot(tmp_path / "none.npz", first.generation) is None
    assert [file.name for file in path.parent.iterdir()] == ["kept.npz"]


@pytest.mark.parametrize("cut", [0, 1, 40, 400])
def test_a_damaged_file_is_as_good_as_none(tmp_path, cut):
    path = tmp_path / "kept.npz"
    save_snapshot(a_snapshot(BANK), path)
    path.write_bytes(path.read_bytes()[:cut])
    assert load_snapshot(path, "1") is None


def same(left: Snapshot, right: Snapshot) -> bool:
    pairs = ((getattr(left, name), getattr(right, name)) for name in Snapshot.__dataclass_fields__)
    return all(np.array_equal(one, other) if isinstance(one, np.ndarray) else one == other for one, other in pairs)
