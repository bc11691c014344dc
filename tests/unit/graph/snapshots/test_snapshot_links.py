"""What things are named with, how strongly, where it stands, and paths between them."""

from __future__ import annotations

import pytest
from hand_made import a_snapshot, label, says

from ascertain.graph.linking import Linker
from ascertain.graph.snapshot_links import EVIDENCE, find_neighbours, find_path, find_paths, find_stated
from ascertain.language.languages import ENGLISH

JAWS = says("jaws", [["Jaws", "Steven Spielberg"], ["Peter Benchley"]])
SPIELBERG = says("spielberg", [["Steven Spielberg", "Cincinnati"]])
OHIO = says("ohio", [["Cincinnati", "Ohio"]])


def named_with(snapshot, name, visible=None):
    return {
        label(snapshot, link.entity): link for link in find_neighbours(snapshot, snapshot.place(name), None, visible)
    }


def test_what_shares_a_sentence_is_linked_and_what_only_shares_a_chunk_is_not():
    links = named_with(a_snapshot(JAWS), "Jaws")
    assert set(links) == {"Steven Spielberg"}
    assert links["Steven Spielberg"].weight == 1.0
    assert [(place.chunk_id, place.sentence) for place in links["Steven Spielberg"].evidence] == [("jaws:0", 1)]


def test_a_title_is_linked_to_all_that_its_chunks_name():
    snapshot = a_snapshot(says("jaws", [["Peter Benchley"]], [["Bruce"]], title="Jaws"))
    assert set(named_with(snapshot, "Jaws")) == {"Peter Benchley", "Bruce"}
    assert set(named_with(snapshot, "Bruce")) == {"Jaws"}


def test_what_is_named_everywhere_is_linked_weakly():
    many = [says(f"d{n}", [["Ohio", f"Town {n}"]]) for n in range(9)]
    links = find_neighbours(a_snapshot(*many), a_snapshot(*many).place("Ohio"))
    assert all(abs(link.weight - 1 / 3) < 1e-9 for link in links)


def test_relations_come_before_mere_mentions():
    said = [says("a", [["Ada Lovelace", "London"]])]
    said.append(says("b", [["Ada Lovelace", "London"]], relations=[("Ada Lovelace", "was born in", "London")]))
    snapshot = a_snapshot(*said)
    (link,) = find_neighbours(snapshot, snapshot.place("London"))
    assert link.predicates == ("was born in",)
    assert link.places == 2
    assert [place.relation is not None for place in link.evidence] == [True, False]


def test_a_sentence_that_names_both_is_shown_before_one_below_a_title():
    snapshot = a_snapshot(says("jaws", [["Bruce"], ["Bruce", "Jaws"]], title="Jaws"))
    (link,) = find_neighbours(snapshot, snapshot.place("Jaws"))
    assert link.evidence[0].sentence == 101


def test_evidence_has_a_bound_and_places_are_all_counted():
    snapshot = a_snapshot(*[says(f"d{n}", [["Ada", "London"]]) for n in range(EVIDENCE + 3)])
    (link,) = find_neighbours(snapshot, snapshot.place("Ada"))
    assert (len(link.evidence), link.places) == (EVIDENCE, EVIDENCE + 3)


def test_a_path_is_the_shortest_way():
    snapshot = a_snapshot(JAWS, SPIELBERG, OHIO)
    found = find_path(snapshot, snapshot.place("Jaws"), snapshot.place("Ohio"))
    assert [label(snapshot, entity) for entity in found.entities] == ["Jaws", "Steven Spielberg", "Cincinnati", "Ohio"]
    assert [link.entity for link in found.links] == list(found.entities[1:])
    assert all(link.evidence for link in found.links)


def test_no_path_where_nothing_connects_or_to_oneself():
    snapshot = a_snapshot(JAWS, OHIO)
    jaws, ohio = snapshot.place("Jaws"), snapshot.place("Ohio")
    assert find_path(snapshot, jaws, ohio) is None
    assert find_path(snapshot, jaws, jaws) is None


def test_further_paths_share_no_step_between():
    direct = says("d", [["Ada", "London"]])
    by_one = [says("e", [["Ada", "Oxford"]]), says("f", [["Oxford", "London"]])]
    by_other = [says("g", [["Ada", "Cambridge"]]), says("h", [["Cambridge", "London"]])]
    snapshot = a_snapshot(direct, *by_one, *by_other)
    found = find_paths(snapshot, snapshot.place("Ada"), snapshot.place("London"), 5)
    steps = [[label(snapshot, entity) for entity in way.entities[1:-1]] for way in found]
    assert steps[0] == []
    assert sorted(steps[1:]) == [["Cambridge"], ["Oxford"]]


def test_what_may_not_be_seen_is_no_stepping_stone():
    hidden = says("web", [["Jaws", "Ohio"]], conversation="c1")
    snapshot = a_snapshot(JAWS, hidden, OHIO)
    jaws, ohio = snapshot.place("Jaws"), snapshot.place("Ohio")
    assert find_path(snapshot, jaws, ohio) is not None
    seen = snapshot.visible([""])
    assert find_path(snapshot, jaws, ohio, seen) is None
    assert "Ohio" not in named_with(snapshot, "Jaws", seen)


STATEMENTS = a_snapshot(
    says(
        "companies",
        [
            [
                "Steve Jobs",
                "Apple",
                "Xerox",
                "Paris",
                "France",
                "Ada Lovelace",
                "London",
                "Krellion",
                "BaFin",
                "Tim Cook",
            ]
        ],
        relations=[
            ("Steve Jobs", "founded", "Apple"),
            ("Apple", "bought", "Xerox"),
            ("Paris", "is capital of", "France"),
            ("Ada Lovelace", "born in", "London"),
            ("Krellion", "is fined by", "BaFin"),
            ("Tim Cook", "is chief executive of", "Apple"),
            ("Paris", "is in", "France"),
        ],
    )
)


@pytest.mark.parametrize(
    ("question", "stated"),
    [
        ("Who founded Apple?", "steve jobs founded apple"),
        ("who was the founder of Apple?", "steve jobs founded apple"),
        ("By whom was Apple founded?", "steve jobs founded apple"),
        ("What company did Steve Jobs found?", "steve jobs founded apple"),
        ("What did Apple buy?", "apple bought xerox"),
        ("Which company bought Xerox?", "apple bought xerox"),
        ("What is the capital of France?", "paris is capital of france"),
        ("Where was Ada Lovelace born?", "ada lovelace born in london"),
        ("Who fined Krellion?", "krellion is fined by bafin"),
        ("Who is Apple's chief executive?", "tim cook is chief executive of apple"),
        ("What did Apple found?", ""),
        ("Who bought Apple?", ""),
        ("Where is Paris?", ""),
        ("Who is the director of Apple?", ""),
        ("How old is the wife of the man who founded Apple in a garage near Xerox?", ""),
    ],
)
def test_what_documents_state_is_found_by_what_a_question_asks(question, stated):
    linked = {match.entity: match.text for match in Linker(STATEMENTS).link(question, ENGLISH)}
    found = find_stated(STATEMENTS, question, ENGLISH, linked)
    assert [f"{one.subject} {one.predicate} {one.object}" for one in found] == ([stated] if stated else [])


def test_all_that_one_sentence_states_is_found():
    both = [("Bill Gates", "founded", "Microsoft"), ("Paul Allen", "founded", "Microsoft")]
    snapshot = a_snapshot(says("founders", [["Bill Gates", "Paul Allen", "Microsoft"]], relations=both))
    found = find_stated(snapshot, "Who founded Microsoft?", ENGLISH, {snapshot.place("Microsoft"): "Microsoft"})
    assert [one.subject for one in found] == ["bill gates", "paul allen"]


def test_what_may_not_be_seen_states_nothing():
    linked = {match.entity: match.text for match in Linker(STATEMENTS).link("Who founded Apple?", ENGLISH)}
    assert (
        find_stated(STATEMENTS, "Who founded Apple?", ENGLISH, linked, visible=STATEMENTS.visible(documents=[])) == []
    )
