"""Workflows as lists and pictures, and the graph that ``langgraph dev`` opens."""

import importlib.util
import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from ascertain.app.asking.workflows import describe_workflow, save_drawing
from ascertain.core.errors import UsageError
from ascertain.workflow.ask.routes import Node

ROOT = Path(__file__).parents[3]


def test_every_node_stands_in_the_list_and_in_every_drawing(tmp_path):
    assert {name for name, _ in describe_workflow("ask")} == {"start", *(node.value for node in Node)}
    save_drawing("ask", tmp_path / "ask.svg")
    texts = {each.text for each in ElementTree.parse(tmp_path / "ask.svg").iter() if each.text}
    assert {"start", "end", *(node.value for node in Node)} <= texts
    save_drawing("ask", tmp_path / "ask.mmd")
    assert all(node.value in (tmp_path / "ask.mmd").read_text("utf-8") for node in Node)


def test_a_picture_is_drawn_without_a_network(tmp_path):
    pytest.importorskip("PIL")
    save_drawing("research", tmp_path / "research.png")
    assert (tmp_path / "research.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("name", "file", "said"), [("ask", "ask.gif", ".svg, .png or .mmd"), ("sleep", "a.svg", "ask, analysis")]
)
def test_what_cannot_be_drawn_is_an_error_that_says_what_can(tmp_path, name, file, said):
    with pytest.raises(UsageError, match=said):
        save_drawing(name, tmp_path / file)


def test_a_folder_that_is_not_there_is_named(tmp_path):
    with pytest.raises(UsageError, match="cannot be written"):
        save_drawing("ask", tmp_path / "nowhere" / "ask.svg")


def test_the_graphs_of_langgraph_json_are_there():
    graphs = json.loads((ROOT / "langgraph.json").read_text("utf-8"))["graphs"]
    for place in graphs.values():
        file, _, name = place.partition(":")
        spec = importlib.util.spec_from_file_location("exported", ROOT / file)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        assert callable(getattr(module, name))
