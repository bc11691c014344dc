"""The graph: wiring only, to be read as the picture in docs/architecture.md."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cache
from typing import Any, cast

from langgraph.graph import END, START, StateGraph  # pyright: ignore[reportMissingTypeStubs]
from langgraph.runtime import Runtime  # pyright: ignore[reportMissingTypeStubs]

from ascertain.core.answers import Decision
from ascertain.core.results import NodeFinished, NodeStarted, SearchResult
from ascertain.workflow.ask import accounts, finish, nodes, outside, overview, routes
from ascertain.workflow.ask.context import Context
from ascertain.workflow.ask.routes import Node
from ascertain.workflow.ask.state import AskState, Update

BODIES: dict[Node, nodes.Body] = {
    Node.REWRITE: nodes.rewrite,
    Node.PLAN: nodes.plan,
    Node.CLASSIFY: outside.classify,
    Node.GATHER: accounts.gather,
    Node.OVERVIEW: overview.survey,
    Node.STRATEGY: nodes.strategy,
    Node.EXPAND: nodes.expand,
    Node.RETRIEVE: nodes.retrieve,
    Node.JUDGE: nodes.judge,
    Node.SWITCH: nodes.switch,
    Node.REFINE: nodes.refine,
    Node.UNDATE: nodes.undate,
    Node.WEB: outside.search_web,
    Node.GENERATE: nodes.generate,
    Node.CHECK: nodes.check,
    Node.EVALUATE: nodes.evaluate,
    Node.GREET: finish.greet,
    Node.REJECT: finish.reject,
    Node.FINISH: finish.finish,
}


_SEARCHING = frozenset({Node.RETRIEVE, Node.GATHER, Node.OVERVIEW})
"""Nodes whose passages listeners are told."""


@cache
def ask_graph() -> Any:
    """The compiled graph over ``AskState``, run with a ``Context``."""
    graph = cast(Any, StateGraph(AskState, context_schema=Context))
    for node, body in BODIES.items():
        graph.add_node(node.value, _recorded(node, body))
    graph.add_edge(START, Node.REWRITE)
    graph.add_edge(Node.REWRITE, Node.PLAN)
    graph.add_conditional_edges(
        Node.PLAN,
        _after_planning,
        [Node.STRATEGY, Node.GATHER, Node.OVERVIEW, Node.CLASSIFY, Node.GREET, Node.REJECT],
    )
    graph.add_conditional_edges(Node.GATHER, _after_gathering, [Node.GENERATE, Node.STRATEGY])
    graph.add_conditional_edges(
        Node.CLASSIFY, _after_classifying, [Node.WEB, Node.STRATEGY, Node.GATHER, Node.OVERVIEW]
    )
    graph.add_edge(Node.STRATEGY, Node.EXPAND)
    graph.add_edge(Node.EXPAND, Node.RETRIEVE)
    graph.add_edge(Node.RETRIEVE, Node.JUDGE)
    graph.add_conditional_edges(
        Node.JUDGE, _gate_one, [Node.GENERATE, Node.SWITCH, Node.REFINE, Node.UNDATE, Node.WEB, Node.FINISH]
    )
    for another_course in (Node.SWITCH, Node.REFINE, Node.UNDATE):
        graph.add_edge(another_course, Node.EXPAND)
    graph.add_edge(Node.GENERATE, Node.CHECK)
    graph.add_conditional_edges(Node.OVERVIEW, _after_overview, [Node.CHECK, Node.STRATEGY])
    graph.add_conditional_edges(
        Node.CHECK,
        _after_checking,
        [Node.EVALUATE, Node.GENERATE, Node.SWITCH, Node.OVERVIEW, Node.STRATEGY, Node.FINISH],
    )
    graph.add_conditional_edges(Node.EVALUATE, _gate_two, [Node.FINISH, Node.SWITCH, Node.UNDATE, Node.WEB])
    graph.add_conditional_edges(
        Node.WEB,
        _after_web,
        [Node.STRATEGY, Node.GENERATE, Node.SWITCH, Node.REFINE, Node.UNDATE, Node.FINISH],
    )
    for last in (Node.GREET, Node.REJECT, Node.FINISH):
        graph.add_edge(last, END)
    return graph.compile()


def mermaid() -> str:
    """The graph as Mermaid text, for the docs."""
    return str(ask_graph().get_graph().draw_mermaid(with_styles=False))


def _after_planning(state: AskState) -> Node:
    return routes.after_planning(state)


def _after_gathering(state: AskState) -> Node:
    return routes.after_gathering(state)


def _after_overview(state: AskState) -> Node:
    return routes.after_overview(state)


def _after_classifying(state: AskState) -> Node:
    return routes.after_classifying(state)


def _after_web(state: AskState, runtime: Runtime[Context]) -> Node:
    return routes.after_web(state, runtime.context.workflow)


def _gate_one(state: AskState, runtime: Runtime[Context]) -> Node:
    return routes.gate_one(state, runtime.context.workflow)


def _after_checking(state: AskState, runtime: Runtime[Context]) -> Node:
    return routes.after_checking(state, runtime.context.workflow)


def _gate_two(state: AskState, runtime: Runtime[Context]) -> Node:
    return routes.gate_two(state, runtime.context.workflow)


def _recorded(node: Node, body: nodes.Body) -> Callable[[AskState, Runtime[Context]], Update]:
    """``body`` as LangGraph calls it: timed, its decision appended, told to whoever listens."""

    def run_node(state: AskState, runtime: Runtime[Context]) -> Update:
        context = runtime.context
        runtime.stream_writer(NodeStarted(node.value))
        started, spent = time.perf_counter(), context.run.usage
        outcome = body(state, context)
        own = Decision(
            node.value, outcome.outcome, outcome.reason, outcome.scores, time.perf_counter() - started
        )
        decisions = [*outcome.inner, *context.run.take_notes(), own]
        found = cast(SearchResult | None, outcome.update.get("found")) if node in _SEARCHING else None
        passages = found.passages if found is not None else ()
        usage = context.run.usage.since(spent)
        runtime.stream_writer(NodeFinished(node.value, tuple(decisions), passages, usage))
        return {**outcome.update, "decisions": decisions, "is_out_of_time": context.run.is_out_of_time}

    return run_node
