"""The graph of research, wiring only: the supervisor sends an agent, which comes back to it, until none is due."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, TypedDict, cast

from langgraph.graph import END, START, StateGraph  # pyright: ignore[reportMissingTypeStubs]
from langgraph.runtime import Runtime  # pyright: ignore[reportMissingTypeStubs]

from ascertain.core.asking.answers import Decision
from ascertain.core.asking.runs import Run
from ascertain.core.reports.research import (
    MAX_STEPS,
    Agent,
    ResearchRun,
    ResearchState,
    StepFinished,
    StepRecord,
    StepStarted,
)
from ascertain.core.system.processor_time import count_processor_time
from ascertain.workflow.research.agents import Agents
from ascertain.workflow.research.routes import Choice, choose_agent

SUPERVISE, FINISH = "supervise", "finish"
MOST_NODES = 2 * MAX_STEPS + 4
"""Nodes that a run passes at most: the supervisor before each agent, once more at the end, and the end."""


class GraphState(TypedDict):
    """The run so far, and whom the supervisor sends next."""

    run: ResearchRun
    choice: Choice


@dataclass(frozen=True, slots=True)
class Context:
    """Passed to every node. ``ledger`` records what models cost; ``keep`` stores the run."""

    agents: Agents
    ledger: Run
    keep: Callable[[ResearchRun], None]


@cache
def research_graph() -> Any:
    """The compiled graph, run with a ``Context``."""
    graph = cast(Any, StateGraph(GraphState, context_schema=Context))
    graph.add_node(SUPERVISE, _supervise_run)
    graph.add_node(FINISH, _finish_run)
    for agent in Agent:
        graph.add_node(agent.value, _send_agent(agent))
        graph.add_edge(agent.value, SUPERVISE)
    graph.add_edge(START, SUPERVISE)
    graph.add_conditional_edges(SUPERVISE, _name_next, [*(agent.value for agent in Agent), FINISH])
    graph.add_edge(FINISH, END)
    return graph.compile()


def _supervise_run(state: GraphState, runtime: Runtime[Context]) -> dict[str, object]:
    return {"choice": choose_agent(state["run"], runtime.context.ledger.is_out_of_time)}


def _name_next(state: GraphState) -> str:
    agent = state["choice"].agent
    return FINISH if agent is None else agent.value


def _send_agent(agent: Agent) -> Callable[[GraphState, Runtime[Context]], dict[str, object]]:
    """The node of ``agent``: timed, and stored before its end is reported."""

    def run_agent(state: GraphState, runtime: Runtime[Context]) -> dict[str, object]:
        context, run, reason = runtime.context, state["run"], state["choice"].reason
        number = len(run.steps) + 1
        runtime.stream_writer(StepStarted(run.request.id, number, agent, reason))
        started, spent = time.perf_counter(), context.ledger.usage
        with count_processor_time():
            outcome = context.agents.bodies[agent](run, context.ledger)
        step = StepRecord(
            agent=agent,
            reason=reason,
            outcome=outcome.line,
            decisions=_list_fallbacks(context.ledger.take_notes()),
            usage=context.ledger.usage.since(spent),
            seconds=time.perf_counter() - started,
        )
        done = replace(outcome.run, steps=(*run.steps, step))
        context.keep(done)
        runtime.stream_writer(StepFinished(run.request.id, number, step))
        return {"run": done}

    return run_agent


def _list_fallbacks(notes: tuple[Decision, ...]) -> tuple[Decision, ...]:
    """Notes of a step that a reader of the report needs: where a model failed and the rules took over."""
    return tuple(note for note in notes if note.outcome.startswith("fell back"))


def _finish_run(state: GraphState, runtime: Runtime[Context]) -> dict[str, object]:
    context = runtime.context
    done = replace(state["run"], state=ResearchState.FINISHED, finished_at=context.agents.clock.now())
    context.keep(done)
    return {"run": done}
