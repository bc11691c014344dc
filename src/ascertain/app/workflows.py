"""The workflows as people look at them: as a list of nodes, or drawn into a file."""

from __future__ import annotations

from pathlib import Path

from ascertain.core.errors import UsageError


def describe_workflow(name: str) -> list[tuple[str, tuple[str, ...]]]:
    """Each node of a workflow with those it may lead to; UsageError for a name that there is not."""
    from ascertain.workflow.drawing import find_workflow

    edges = [(edge.source, edge.target) for edge in find_workflow(name).get_graph().edges]
    shown = {"__start__": "start", "__end__": "end"}
    nodes = dict.fromkeys(source for source, _ in edges)
    return [
        (shown.get(node, node), tuple(shown.get(target, target) for source, target in edges if source == node))
        for node in nodes
    ]


def save_drawing(name: str, path: Path) -> None:
    """Draw a workflow into ``path``, in the form that its ending names. Raises UsageError where it cannot be written."""
    from ascertain.workflow.drawing import draw_workflow

    drawing = draw_workflow(name, path.suffix.lower().removeprefix("."))
    try:
        path.write_bytes(drawing)
    except OSError as error:
        raise UsageError(f"{path}: cannot be written ({error.strerror or error}); choose another folder") from error
