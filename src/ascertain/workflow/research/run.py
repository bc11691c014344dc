"""From a request to a report, through the graph; or from the last step on record."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import cast

from ascertain.core.errors import UsageError
from ascertain.core.research import ResearchDone, ResearchEvent, ResearchRun, ResearchState
from ascertain.workflow.research.graph import MOST_NODES, Context, GraphState, research_graph
from ascertain.workflow.research.routes import Choice


def stream_research(run: ResearchRun, context: Context) -> Generator[ResearchEvent]:
    """Tell each step as it begins and ends, last the whole run.

    ``run`` may have steps already: it goes on behind the last. Whoever stops listening ends the work after the step in
    hand, which is on record. A run that is finished is only told.
    """
    if run.state is ResearchState.FINISHED:
        yield ResearchDone(run)
        return
    first: GraphState = {"run": run, "choice": Choice(None, "")}
    told = research_graph().stream(
        first, context=context, config={"recursion_limit": MOST_NODES}, stream_mode=["custom", "values"]
    )
    final = run
    for mode, value in cast(Iterator[tuple[str, object]], told):
        if mode == "custom":
            yield cast(ResearchEvent, value)
        else:
            final = cast(GraphState, value)["run"]
    if final.report is None:
        raise UsageError(f"run {final.request.id} came to no report; delete it and begin anew")
    yield ResearchDone(final)
