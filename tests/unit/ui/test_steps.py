from ascertain.ui.progress import WORKING, path_rows, step_name
from ascertain.wire.answers import DecisionJson
from ascertain.workflow.ask.routes import Node


def test_every_step_of_the_workflow_has_a_name():
    assert {node.value for node in Node} <= set(WORKING)


def test_step_of_a_later_version_keeps_its_own_name():
    assert step_name("walk_the_graph") == "Walk the graph"


def test_way_leaves_out_seconds_too_short_to_tell():
    decision = {"node": "plan", "outcome": "factual", "reason": "", "scores": {}, "seconds": 0.001}
    assert path_rows([DecisionJson.model_validate(decision)]) == [
        {"name": "Planning", "outcome": "factual", "reason": "", "detail": ""}
    ]
