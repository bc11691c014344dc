"""``ascertain workflow``: the nodes as a list, as JSON, and drawn into a file."""

import json

from ascertain.workflow.ask.routes import Node


def test_nodes_are_listed_with_those_they_may_lead_to(run):
    code, out, _ = run("workflow", "research")
    assert code == 0
    assert "supervise" in out and "finish" in out.splitlines()[-1]
    nodes = json.loads(run("workflow", "--json")[1])["nodes"]
    assert {each["node"] for each in nodes} == {"start", *(node.value for node in Node)}
    assert next(each for each in nodes if each["node"] == "finish")["next"] == ["end", "reread"]


def test_a_drawing_is_written_where_it_was_said(run, tmp_path):
    for form, beginning in (("svg", "<svg"), ("mmd", "graph TD")):
        code, out, _ = run("workflow", "--draw", f"ask.{form}")
        assert (code, out.strip()) == (0, f"drawn into ask.{form}")
        assert beginning in (tmp_path / f"ask.{form}").read_text("utf-8")


def test_what_cannot_be_drawn_is_said_and_nothing_is_written(run, tmp_path):
    code, _, err = run("workflow", "--draw", "ask.gif")
    assert code != 0 and ".svg, .png or .mmd" in err and not (tmp_path / "ask.gif").exists()
    code, _, err = run("workflow", "sleep")
    assert code != 0 and "ask, analysis, research" in err
