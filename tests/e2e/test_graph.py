"""``ascertain graph`` on real documents, from the shell."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET

import pytest

BANK = """# European banking

The European Central Bank (ECB) was founded in Frankfurt in 1998. Wim Duisenberg was its first president.

The ECB sets the interest rate of the euro.
"""
DUISENBERG = """# Wim Duisenberg

Wim Duisenberg was born in Heerenveen in 1935. He studied in Groningen.
"""
MANUAL = "# Boiler\n\nTurn the boiler off before it is cleaned, and let it cool for an hour.\n"


@pytest.fixture
def notes(tmp_path):
    folder = tmp_path / "notes"
    folder.mkdir()
    for name, text in (("bank.md", BANK), ("duisenberg.md", DUISENBERG), ("boiler.md", MANUAL)):
        (folder / name).write_text(text, encoding="utf-8")
    return folder


@pytest.fixture
def filled(inline, notes):
    """A shell in which the notes have been added."""
    outcome = inline("add", notes)
    assert outcome.code == 0, outcome.err
    assert "into the knowledge graph: " in outcome.out
    return inline


def test_an_entity_is_shown_by_any_of_its_names_with_the_sentences_behind_each_link(filled):
    shown = filled("graph", "entity", "ECB")
    assert shown.code == 0, shown.err
    assert "European Central Bank" in shown.out.splitlines()[0]
    assert "also ECB (abbreviation)" in shown.out
    assert "“Wim Duisenberg was its first president.”" not in shown.out  # does not name the bank
    found = filled("graph", "entity", "European Central Bank", "--json").json
    assert found["name"] == "European Central Bank"
    assert {"name": "ECB", "reason": "abbreviation"} in found["merges"]
    links = {link["entity"]["name"]: link for link in found["neighbours"]}
    quote = links["Frankfurt"]["evidence"][0]["quote"]
    assert quote == "The European Central Bank (ECB) was founded in Frankfurt in 1998."


def test_evidence_is_quoted_from_the_file_as_it_is(filled, notes):
    found = filled("graph", "entity", "Wim Duisenberg", "--json").json
    stored = {path.name: path.read_text(encoding="utf-8") for path in notes.iterdir()}
    quotes = [(one["source"], one["quote"]) for one in found["passages"]]
    assert {source.rpartition("/")[2] for source, _ in quotes} == {"bank.md", "duisenberg.md"}
    for source, quote in quotes:
        assert quote in stored[source.rpartition("/")[2]]


def test_a_path_leads_over_documents_with_a_sentence_for_each_step(filled):
    shown = filled("graph", "path", "Groningen", "Heerenveen", "--json").json
    (way,) = shown["paths"]
    assert [entity["name"] for entity in way["entities"]][::2] == ["Groningen", "Heerenveen"]
    assert all(step["evidence"] for step in way["steps"])
    none = filled("graph", "path", "Groningen", "Boiler")
    assert none.code == 0
    assert none.out.strip() == "no sentences connect Groningen and Boiler"


def test_communities_are_shown_with_what_they_divide_into(filled):
    shown = filled("graph", "communities", "--level", "2")
    assert shown.code == 0, shown.err
    assert any("Duisenberg" in line and "2 documents" in line for line in shown.out.splitlines())
    found = filled("graph", "communities", "--level", "0", "--json").json
    assert found["total"] == len(found["communities"]) > 0
    assert all(one["parent"] is None for one in found["communities"])


def test_what_nothing_is_called_is_an_error_that_names_what_is(filled):
    wrong = filled("graph", "entity", "Heerenv")
    assert wrong.code == 2
    assert wrong.out == ""
    assert "did you mean Heerenveen?" in wrong.err
    assert filled("graph", "entity", "Heerenven").out.startswith("Heerenveen")
    unknown = filled("graph", "path", "ECB", "Xyzzy")
    assert unknown.code == 2
    assert "nothing is called 'Xyzzy'" in unknown.err


def test_a_deleted_document_leaves_nothing_that_only_it_said(filled, notes):
    assert filled("delete", "--source", notes / "duisenberg.md", "--yes").code == 0
    assert filled("graph", "entity", "Heerenveen").code == 2
    assert filled("graph", "entity", "Wim Duisenberg", "--json").json["documents"] == 1


def test_decisions_about_names_can_be_taken_back(filled):
    assert "are two things from now on" in filled("graph", "split", "ECB", "European Central Bank").out
    apart = filled("graph", "entity", "ECB", "--json").json
    assert (apart["name"], apart["aliases"]) == ("ECB", [])
    listed = filled("graph", "merges", "--json").json
    assert [(one["same"], one["holds"]) for one in listed["decided"]] == [(False, True)]
    assert [one["refused"] for one in listed["merged"] if one["left"] == "ECB"] == [True]
    assert filled("graph", "split", "European Central Bank", "ECB", "--undo").code == 0
    assert filled("graph", "entity", "ECB", "--json").json["name"] == "European Central Bank"
    assert filled("graph", "split", "European Central Bank", "ECB", "--undo").code == 2
    joined = filled("graph", "merge", "Groningen", "Heerenveen", "--reason", "both in the north", "--json").json
    assert (joined["same"], joined["holds"], joined["reason"]) == (True, True, "both in the north")
    both = filled("graph", "entity", "Heerenveen", "--json").json
    assert {both["name"], *both["aliases"]} == {"Groningen", "Heerenveen"}


@pytest.mark.parametrize("name", ["graph.graphml", "graph.json"])
def test_what_is_exported_is_what_stats_count(filled, tmp_path, name):
    numbers = filled("graph", "stats", "--json").json
    file = tmp_path / name
    assert filled("graph", "export", file).code == 0
    if name.endswith("json"):
        written = json.loads(file.read_text(encoding="utf-8"))
        ids, links = {one["id"] for one in written["entities"]}, written["links"]
        ends = {end for link in links for end in (link["left"], link["right"])}
    else:
        space = "{http://graphml.graphdrawing.org/xmlns}"
        drawn = ET.parse(file).getroot().find(f"{space}graph")
        assert drawn is not None
        ids, links = {node.get("id") for node in drawn.iter(f"{space}node")}, list(drawn.iter(f"{space}edge"))
        ends = {end for link in links for end in (link.get("source"), link.get("target"))}
    assert (len(ids), len(links)) == (numbers["entities"], numbers["links"])
    assert ends <= ids
    assert list(tmp_path.glob(".*part")) == []


def test_an_export_to_a_file_of_unknown_kind_or_place_says_what_to_do(filled, tmp_path):
    assert ".graphml or .json" in filled("graph", "export", tmp_path / "graph.txt").err
    away = filled("graph", "export", tmp_path / "away" / "graph.json")
    assert away.code == 1
    assert "away" in away.err


def test_documents_from_a_time_without_the_graph_are_caught_up_by_a_build(inline, notes):
    assert inline("add", notes, ASCERTAIN_GRAPH__BUILD="false").code == 0
    off = inline("graph", "entity", "ECB", ASCERTAIN_GRAPH__BUILD="false")
    assert off.code == 2
    assert "graph.build" in off.err
    assert inline("graph", "build", "--estimate", "--json").json["documents"] == 3
    report = inline("graph", "build", "--json").json
    assert (report["read"], report["left"], report["documents"]) == (3, 0, 3)
    again = inline("graph", "build")
    assert again.out.startswith("nothing to do")
    assert inline("graph", "entity", "ECB").code == 0


def test_the_next_addition_makes_up_for_the_few_that_the_graph_lacks(inline, notes, tmp_path):
    assert inline("add", notes, ASCERTAIN_GRAPH__BUILD="false").code == 0
    (notes / "more.md").write_text("Zagreb is the capital of Croatia.\n", encoding="utf-8")
    assert inline("add", notes).code == 0
    assert inline("graph", "stats", "--json").json["behind"] == 0
    assert inline("graph", "entity", "ECB").code == 0


def test_nothing_is_there_before_anything_was_added(inline):
    missing = inline("graph", "stats")
    assert missing.code == 2
    assert "there is no knowledge base" in missing.err


def test_a_name_that_is_typed_or_written_wrongly_stands_for_the_thing(inline, tmp_path):
    for number in range(6):
        (tmp_path / f"talk{number}.md").write_text(
            f"# Talk {number}\n\nIn year {number} the engineer Nuria Ferrer moved the shop to Kubernetes.\n", "utf-8"
        )
    (tmp_path / "slip.md").write_text("# Slip\n\nHe thanked Nuria Ferer and went home from Kuberneetes.\n", "utf-8")
    assert inline("add", tmp_path).code == 0
    for subject, name in (("Nuria Ferer", "Nuria Ferrer"), ("Kuberneetes", "Kubernetes")):
        answer = inline("ask", f"What do the documents say about {subject}?", "--json").json
        assert "moved the shop to Kubernetes" in answer["answer"], subject
        told = json.dumps(answer["decisions"], ensure_ascii=False)
        assert f"“{subject}” is taken for “{name}”" in told
        assert inline("graph", "entities", subject, "--json").json["entities"][0]["name"] == name
    for subject in ("K8s", "Kubernets"):
        assert inline("graph", "entities", subject, "--json").json["entities"][0]["name"] == "Kubernetes"
