"""What documents say, and what was decided about names, go with the documents."""

import sys
from dataclasses import replace
from pathlib import Path

import pytest
from knowledge_bases import NOON

from ascertain.app.migration.copying import Migration, open_graphs
from ascertain.app.migration.plan import MigrationScope
from ascertain.core.graph.nouns import Pin
from ascertain.core.settings import GraphSettings

sys.path.insert(0, str(Path(__file__).parents[2] / "contract" / "graph"))

from ascertain.testing.stores import a_graph

PIN = Pin("ada", "bob", False, "two people", NOON)


@pytest.fixture
def graphs():
    """The graphs at two places, as a context."""
    return lambda *places: open_graphs(GraphSettings(), *places)


@pytest.fixture
def filled(source, graphs):
    said = [a_graph("d1"), a_graph("d2", ("bob", "cleo"), 3, talk="a talk")]
    with graphs(source, source) as (graph, _):
        graph.upsert([*said, a_graph("d1", ("dora",), tenant="acme")])
        graph.pin("default", PIN)
    return said


def test_graphs_and_decisions_arrive_and_come_back(source, filled, place, folder, graphs):
    there, back = place(), folder()
    for from_, to in ((source, there), (there, back)):
        report = Migration(from_, to).run()
        assert (report.differences, report.graphs, report.pins) == ((), 3, 1)
        with graphs(from_, to) as (_, graph):
            assert graph.graphs("default", ["d1", "d2"]) == filled
            assert graph.pins("default") == [PIN]
            assert graph.tenants() == ["acme", "default"]
    again = Migration(source, there).run()
    assert (again.differences, again.graphs, again.pins) == ((), 0, 0)


def test_what_changed_is_copied_and_what_is_gone_goes(source, filled, folder, graphs):
    there = folder()
    Migration(source, there).run()
    with graphs(source, there) as (graph, _):
        graph.upsert([replace(filled[0], version="v2", aliases=())])
        graph.delete("default", ["d2"])
    found = Migration(source, there).verify().differences
    assert [line.split(" is ")[0] for line in found if "d1" in line] == ["the graph of document d1"]
    assert any("d2" in line for line in found)
    report = Migration(source, there).run()
    assert (report.differences, report.graphs) == ((), 1)
    with graphs(source, there) as (_, graph):
        assert graph.known("default") == {"d1": "v2"}


def test_merging_keeps_the_graph_of_what_only_the_target_has(source, filled, folder, graphs):
    there = folder()
    Migration(source, there).run()
    with graphs(source, there) as (_, graph):
        graph.upsert([a_graph("own")])
    assert Migration(source, there, MigrationScope(merge=True)).run().differences == ()
    with graphs(source, there) as (_, graph):
        assert set(graph.known("default")) == {"d1", "d2", "own"}
