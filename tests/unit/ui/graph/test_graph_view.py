import tomllib
from importlib.resources import files

import pytest
from answers import a_place
from graphs import a_community, a_link, a_neighbourhood, a_sentence_of, a_way, an_entity

from ascertain.ui.graph.drawing import MOST_AROUND, MOST_BESIDE
from ascertain.ui.graph.view import (
    MARKS,
    build_legend,
    citations_of,
    entity_facts,
    kind_mark,
    link_rows,
    merge_lines,
    neighbourhood_drawing,
    offered_rows,
    passage_rows,
    step_rows,
    steps_of,
    theme_rows,
    ways_drawing,
)
from ascertain.wire.graph import MergeJson

PROFILES = {
    entry.name: tomllib.loads(entry.read_text("utf-8")).get("entity_types", [])
    for entry in files("ascertain.profiles").iterdir()
    if entry.name.endswith(".toml")
}


@pytest.mark.parametrize("profile", PROFILES)
def test_each_kind_of_a_profile_has_a_sign_of_its_own(profile):
    signs = [MARKS[kind.casefold()][0] for kind in PROFILES[profile]]
    assert len(set(signs)) == len(signs)


def test_entity_is_drawn_among_its_neighbours_with_what_is_behind_each_line():
    links = [a_link("Charles Babbage", sentences=3, weight=0.9), a_link("London", weight=0.2)]
    between = [{"left": "charles babbage", "right": "london", "weight": 0.4}]
    wide = neighbourhood_drawing(a_neighbourhood(links=links, between=between))["wide"]
    titles = {node["id"]: (node["role"], node["title"]) for node in wide["nodes"]}
    assert titles["ada lovelace"] == ("centre", "Ada Lovelace")
    assert titles["charles babbage"] == ("entity", "Charles Babbage, 3 sentences")
    assert [edge["is_faint"] for edge in wide["edges"]] == [True, False, False]
    assert wide["edges"][1]["width"] > wide["edges"][2]["width"]


def test_strongest_neighbours_are_drawn_as_far_as_there_is_room():
    shown = neighbourhood_drawing(a_neighbourhood(links=[a_link(f"n{number}") for number in range(20)]))
    assert [node["id"] for node in shown["wide"]["nodes"]][1:] == [f"n{number}" for number in range(MOST_AROUND)]
    assert len(shown["tall"]["nodes"]) == 1 + MOST_BESIDE


def test_legend_names_the_kinds_that_are_drawn():
    entities = [
        an_entity(kind="Person"),
        an_entity("London"),
        an_entity("Kahan", kind="Person"),
        an_entity("X", kind="Odd_thing"),
    ]
    shown = build_legend(entities)
    assert [(each["name"], each["kind"]["mark"]) for each in shown] == [("Person", "●"), ("Odd thing", "○")]
    assert kind_mark("") is None


def test_facts_say_kind_other_names_and_how_often():
    entity = an_entity(kind="Organisation", aliases=["ECB"], mentions=1, documents=1)
    assert entity_facts(entity) == ["Organisation", "also ECB", "named once in 1 document"]
    assert entity_facts(an_entity(mentions=1200)) == ["named 1,200 times in 2 documents"]
    assert entity_facts(an_entity(mentions=0, documents=1)) == ["the title of 1 document"]


def test_names_merged_for_one_reason_are_told_in_one_line():
    merges = [
        {"name": "ECB", "reason": "abbreviation"},
        {"name": "the Bank", "reason": "also known as"},
        {"name": "E.C.B.", "reason": "abbreviation"},
    ]
    assert merge_lines([MergeJson(**merge) for merge in merges]) == [
        "“ECB”, “E.C.B.”: abbreviation",
        "“the Bank”: also known as",
    ]


def test_links_come_with_sentences_and_say_how_many_are_left_out():
    relation = {"subject": "ada lovelace", "predicate": "worked with", "object": "charles babbage", "origin": "pattern"}
    evidence = [a_sentence_of(relation=relation, place=a_place(label="p. 3"), published_at="2024-12-05T10:00:00Z")]
    (row,) = link_rows(
        a_neighbourhood(links=[a_link("Charles Babbage", sentences=4, evidence=evidence, predicates=["worked with"])])
    )
    assert row["facts"] == ["worked with", "4 sentences"]
    assert row["more"] == "and 3 more sentences"
    assert row["sentences"] == [
        {
            "quote": "Ada Lovelace worked with Charles Babbage.",
            "where": "Engines · p. 3 · 5 December 2024",
            "relation": "Ada Lovelace → worked with → Charles Babbage",
        }
    ]


def test_steps_of_several_ways_are_told_once_and_their_order_is_that_of_the_sentences_opened():
    ways = [a_way("A", "B", "C", sentences=2), a_way("A", "B", "D", "C")]
    assert [row["title"] for row in step_rows(ways)] == ["A – B", "B – C", "B – D", "D – C"]
    assert [(left.name, right.name) for _, left, right in steps_of(ways)] == [
        ("A", "B"),
        ("B", "C"),
        ("B", "D"),
        ("D", "C"),
    ]
    assert steps_of(ways)[0][0].sentences == 2


def test_ways_are_drawn_with_what_relates_each_two():
    shown = ways_drawing([a_way("A", "B", predicates=["founded"]), a_way("A", "C", "B", sentences=3)])
    assert {node["id"]: node["role"] for node in shown["wide"]["nodes"]} == {"a": "end", "b": "end", "c": "entity"}
    assert [edge["text"] for edge in shown["wide"]["edges"]] == ["founded", "3 sentences", "3 sentences"]
    assert shown["label"] == "From A to B"


def test_summary_that_is_made_of_the_sentences_shown_is_not_told_twice():
    quoted, written = a_community(), a_community(summary="It is about engines and those who built them.")
    assert [row["text"] for row in theme_rows([quoted, written])] == [
        "",
        "It is about engines and those who built them.",
    ]
    assert theme_rows([quoted])[0]["facts"] == ["7 entities", "1 document"]
    assert theme_rows([quoted])[0]["names"][0]["id"] == "ada lovelace"


def test_sentences_open_as_citations_do():
    numbered = citations_of([a_sentence_of(), a_sentence_of("Another.")])
    assert [(each.n, each.quote) for each in numbered] == [
        (1, "Ada Lovelace worked with Charles Babbage."),
        (2, "Another."),
    ]
    assert {"document_id", "span", "place", "url", "warning"} < numbered[0].to_json().keys()


def test_entity_that_is_named_alone_has_no_rows():
    assert link_rows(a_neighbourhood()) == passage_rows(a_neighbourhood()) == []
    (row,) = passage_rows(a_neighbourhood(passages=[a_sentence_of()], total_passages=5))
    assert (row["title"], row["more"]) == ("", "and 4 more sentences")


def test_entities_offered_say_how_often_they_are_named():
    (row,) = offered_rows("Named most often", [an_entity(mentions=1200)])
    assert [(each["name"], each["note"]) for each in row["names"]] == [("Ada Lovelace", "1,200")]
