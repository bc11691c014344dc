from pathlib import Path

import pytest

from ascertain.app.asking.workflows import save_drawing
from ascertain.workflow.ask.graph import draw_mermaid, with_drawing
from ascertain.workflow.ask.routes import Node

PAGE = Path(__file__).parents[4] / "docs" / "workflow.md"


def test_the_page_shows_the_graph_as_it_is():
    page = PAGE.read_text("utf-8")
    assert with_drawing(page) == page, "run `make docs`"


def test_its_picture_shows_the_graph_as_it_is(tmp_path):
    save_drawing("ask", tmp_path / "workflow.svg")
    drawn = (tmp_path / "workflow.svg").read_text("utf-8")
    assert (PAGE.parent / "images" / "workflow.svg").read_text("utf-8") == drawn, "run `make docs`"


def test_every_node_is_in_the_drawing():
    assert all(node.value in draw_mermaid() for node in Node)


def test_a_page_without_the_marks_is_refused():
    with pytest.raises(ValueError, match="must hold"):
        with_drawing("# A page")
