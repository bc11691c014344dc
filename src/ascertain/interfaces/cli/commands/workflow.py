"""``ascertain workflow``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ascertain.interfaces.cli.options import Invocation, SharedOptions, spread_options


@spread_options
def show_workflow(
    context: typer.Context,
    shared: SharedOptions,
    name: Annotated[str, typer.Argument(help="Which one: ask, analysis or research.")] = "ask",
    draw: Annotated[
        Path | None,
        typer.Option("--draw", metavar="FILE", help="Draw it into a file that ends in .svg, .png or .mmd (Mermaid)."),
    ] = None,
) -> None:
    """Show a workflow: its nodes and their edges.

    The drawing needs no network. Dashed arrows are taken by a routing function. `langgraph dev` opens the same graph by
    langgraph.json, in a copy of the project.

    \b
    Examples:
      ascertain workflow
      ascertain workflow --draw ask.svg
      ascertain workflow research --draw research.mmd
    """
    from ascertain.app.asking.workflows import describe_workflow, save_drawing

    invocation = Invocation(context, shared)
    if draw is not None:
        save_drawing(name, draw)
        invocation.out.print(f"drawn into {draw}", highlight=False, markup=False, soft_wrap=True)
        return
    steps = describe_workflow(name)
    if invocation.as_json:
        invocation.emit({"workflow": name, "nodes": [{"node": node, "next": list(after)} for node, after in steps]})
        return
    width = max(len(node) for node, _ in steps)
    for node, after in steps:
        invocation.out.print(f"{node:<{width}}  → {', '.join(after)}", highlight=False, markup=False, soft_wrap=True)
