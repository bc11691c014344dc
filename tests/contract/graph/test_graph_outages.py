"""A server that goes away and comes back."""

from contextlib import closing
from datetime import UTC, datetime

import pytest

from ascertain.core.errors import StoreError
from ascertain.core.graph.nouns import Pin
from ascertain.core.settings import GraphSettings
from ascertain.stores.registry import open_graph, open_store
from ascertain.testing.stores import a_graph, comparable_columns, expected_columns

OPERATIONS = {
    "columns": lambda graph: graph.columns("default"),
    "generation": lambda graph: graph.generation("default"),
    "mentions": lambda graph: graph.mentions("default", ["ada"]),
    "writing": lambda graph: graph.upsert([a_graph("while away")]),
    "deleting": lambda graph: graph.delete("default", ["d1"]),
    "pinning": lambda graph: graph.pin("default", Pin("a", "b", True, "", datetime(2026, 3, 1, tzinfo=UTC))),
}


@pytest.fixture
def place(own_server, tmp_path):
    """Settings of graph and store, and the home, of a knowledge base whose graph is on a server."""
    settings = own_server.settings("outage", timeout_seconds=3)
    of_graph = own_server.graph_settings() if hasattr(own_server, "graph_settings") else GraphSettings()
    open_store(settings, tmp_path / "home", "model-a", 8).close()
    return of_graph, settings, tmp_path / "home"


def test_what_fails_while_the_server_is_away_works_when_it_is_back(own_server, place):
    with closing(open_graph(*place)) as graph:
        check_outage(graph, own_server, place)


def check_outage(graph, own_server, place):
    graph.upsert([a_graph("d1")])
    own_server.stop()
    for operation in OPERATIONS.values():
        with pytest.raises(StoreError, match="no connection") as caught:
            operation(graph)
        assert "horse" not in str(caught.value)
    with pytest.raises(StoreError, match="no connection"):
        open_graph(*place)
    own_server.start()
    assert comparable_columns(graph.columns("default")) == expected_columns([a_graph("d1")])
    for operation in OPERATIONS.values():
        operation(graph)
    assert comparable_columns(graph.columns("default")) == expected_columns([a_graph("while away")])
