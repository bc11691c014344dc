"""From a request to a report, through the graph; or from the last stored step."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import cast

from ascertain.core.errors import UsageError
from ascertain.core.reports.research import ResearchDone, ResearchEvent, ResearchRun, ResearchState
from ascertain.workflow.research.graph import MOST_NODES, Context, GraphState, research_graph
from ascertain.workflow.research.routes import Choice


def stream_research(run: ResearchRun, context: Context) -> Generator[ResearchEvent]:
    """Yield each step as it begins and ends, last the whole run.

    ``run`` may have steps already: it continues after the last. If the listener stops, the work ends after the current
    step, which is stored. A finished run only yields its end.
    """
    if run.state is ResearchState.FINISHED:
        yield ResearchDone(run)
        return
    first: GraphState = {"run": run, "choice": Choice(None, "")}
    stream = research_graph().stream(
        first, context=context, config={"recursion_limit": MOST_NODES}, stream_mode=["custom", "values"]
    )
    final = run
    for mode, value in cast(Iterator[tuple[str, object]], stream):
        if mode == "custom":
            yield cast(ResearchEvent, value)
        else:
            final = cast(GraphState, value)["run"]
    if final.report is None:
        raise UsageError(f"run {final.request.id} has no report; delete it and start again")
    yield ResearchDone(final)
