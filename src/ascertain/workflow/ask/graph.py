"""The graph: wiring only, to be read as the picture in docs/architecture.md."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, cast

from langchain_core.messages import HumanMessage
from langgraph.graph import END, START, StateGraph  # pyright: ignore[reportMissingTypeStubs]
from langgraph.runtime import Runtime  # pyright: ignore[reportMissingTypeStubs]

from ascertain.core.asking.answers import Answer, Decision
from ascertain.core.asking.requests import NodeFinished, NodeStarted, SearchResult
from ascertain.core.settings import WorkflowSettings
from ascertain.core.system.processor_time import count_processor_time
from ascertain.workflow.ask import check_nodes, conversation_nodes, finish, nodes, parts, rereading, routes, side_nodes
from ascertain.workflow.ask.routes import Node
from ascertain.workflow.ask.state import AskState, Update, first_state
from ascertain.workflow.ask.steps import Context


def _answer_alone(state: AskState, context: Context, question: str, documents: tuple[str, ...] = ()) -> Answer:
    """The answer to a part of a question, or to another reading of it, from ``documents`` where any are named."""
    request = replace(
        state["request"], question=question, history=(), previous=None, shown=(), answer_id="", drafts=False
    )
    first = first_state(request, [HumanMessage(question)], state["web"]) | {"is_part": True, "documents": documents}
    final = ask_graph().invoke(first, context=context, config={"recursion_limit": routes.most_steps(context.workflow)})
    return cast(Answer, final["answer"])


BODIES: dict[Node, nodes.Body] = {
    Node.REWRITE: conversation_nodes.read_message,
    Node.RECALL: conversation_nodes.answer_from_conversation,
    Node.PLAN: nodes.plan_question,
    Node.PARTS: lambda state, context: parts.answer_parts(state, context, _answer_alone),
    Node.JOIN: parts.join_answers,
    Node.CLASSIFY: side_nodes.classify_question,
    Node.GATHER: side_nodes.gather_report,
    Node.OVERVIEW: side_nodes.answer_globally,
    Node.DIGEST: side_nodes.write_digest,
    Node.DOCUMENT: side_nodes.present_document,
    Node.ANALYSE: side_nodes.analyse_documents,
    Node.VALIDATE: side_nodes.validate_claim,
    Node.RESEARCH: side_nodes.research_subject,
    Node.COMPUTE: side_nodes.compute_answer,
    Node.STRATEGY: nodes.choose_strategy,
    Node.EXPAND: nodes.expand_question,
    Node.RETRIEVE: nodes.retrieve_passages,
    Node.JUDGE: nodes.judge_retrieval,
    Node.SWITCH: nodes.switch_strategy,
    Node.REFINE: nodes.refine_question,
    Node.UNDATE: nodes.drop_dates,
    Node.WEB: side_nodes.search_web,
    Node.GENERATE: nodes.generate_answer,
    Node.CHECK: check_nodes.check_groundedness,
    Node.EVALUATE: check_nodes.evaluate_answer,
    Node.GREET: finish.greet_user,
    Node.REJECT: finish.reject_question,
    Node.FINISH: conversation_nodes.finish_answer,
    Node.REREAD: lambda state, context: rereading.reread_question(state, context, _answer_alone),
}


_SEARCHING = frozenset(
    {
        *(Node.RETRIEVE, Node.GATHER, Node.OVERVIEW, Node.DIGEST, Node.DOCUMENT, Node.ANALYSE, Node.VALIDATE),
        *(Node.RESEARCH, Node.COMPUTE),
    }
)
"""Nodes whose passages are sent to listeners."""


ContextOf = Callable[[AskState], Context]
"""What the nodes run on, by the state of their question."""


@cache
def ask_graph() -> Any:
    """The compiled graph over ``AskState``, run with a ``Context``."""
    graph = cast(Any, StateGraph(AskState, context_schema=Context))
    wire_nodes(graph, END)
    graph.add_edge(START, Node.REWRITE)
    return graph.compile()


def wire_nodes(graph: Any, end: str, supply: ContextOf | None = None) -> None:
    """Add the nodes and all edges between them to ``graph``, over ``AskState``, and from the last of them to ``end``: what leads to
    ``Node.REWRITE`` is left to its caller. ``supply`` gives the context where LangGraph is not handed one.
    """
    for node, body in BODIES.items():
        graph.add_node(node.value, _record_node(node, body, supply))
    graph.add_conditional_edges(Node.REWRITE, routes.after_rewriting, [Node.PLAN, Node.RECALL])
    graph.add_conditional_edges(
        Node.PLAN,
        routes.after_planning,
        [
            *(Node.STRATEGY, Node.GATHER, Node.OVERVIEW, Node.DIGEST, Node.ANALYSE, Node.VALIDATE),
            *(Node.DOCUMENT, Node.RESEARCH, Node.COMPUTE, Node.CLASSIFY, Node.PARTS, Node.GREET, Node.REJECT),
        ],
    )
    graph.add_conditional_edges(
        Node.PARTS,
        routes.after_parts,
        [
            *(Node.JOIN, Node.STRATEGY, Node.GATHER, Node.OVERVIEW, Node.DIGEST, Node.ANALYSE, Node.VALIDATE),
            *(Node.DOCUMENT, Node.COMPUTE),
        ],
    )
    graph.add_conditional_edges(
        Node.COMPUTE,
        routes.after_computing,
        [Node.CHECK, Node.DOCUMENT, Node.STRATEGY, Node.GATHER, Node.OVERVIEW, Node.DIGEST],
    )
    graph.add_conditional_edges(Node.GATHER, routes.after_gathering, [Node.GENERATE, Node.STRATEGY])
    graph.add_conditional_edges(
        Node.CLASSIFY,
        routes.after_classifying,
        [Node.WEB, Node.STRATEGY, Node.GATHER, Node.OVERVIEW, Node.DIGEST, Node.ANALYSE],
    )
    graph.add_conditional_edges(
        Node.DOCUMENT,
        routes.after_document,
        [Node.CHECK, Node.STRATEGY, Node.GATHER, Node.OVERVIEW, Node.DIGEST, Node.ANALYSE],
    )
    graph.add_edge(Node.STRATEGY, Node.EXPAND)
    graph.add_edge(Node.EXPAND, Node.RETRIEVE)
    graph.add_edge(Node.RETRIEVE, Node.JUDGE)
    graph.add_conditional_edges(
        Node.JUDGE,
        _with_settings(supply, routes.gate_one),
        [Node.GENERATE, Node.SWITCH, Node.REFINE, Node.UNDATE, Node.WEB, Node.FINISH],
    )
    for another_course in (Node.SWITCH, Node.REFINE, Node.UNDATE):
        graph.add_edge(another_course, Node.EXPAND)
    graph.add_edge(Node.GENERATE, Node.CHECK)
    for whole in (Node.OVERVIEW, Node.DIGEST, Node.ANALYSE, Node.VALIDATE, Node.RESEARCH):
        graph.add_conditional_edges(whole, routes.after_global_answer, [Node.CHECK, Node.STRATEGY])
    graph.add_conditional_edges(
        Node.CHECK,
        _with_settings(supply, routes.after_checking),
        [Node.EVALUATE, Node.GENERATE, Node.SWITCH, Node.OVERVIEW, Node.STRATEGY, Node.FINISH],
    )
    graph.add_conditional_edges(
        Node.EVALUATE,
        _with_settings(supply, routes.gate_two),
        [Node.FINISH, Node.SWITCH, Node.REFINE, Node.UNDATE, Node.WEB],
    )
    graph.add_conditional_edges(
        Node.WEB,
        _with_settings(supply, routes.after_web),
        [
            *(Node.STRATEGY, Node.DIGEST, Node.ANALYSE, Node.GENERATE),
            *(Node.SWITCH, Node.REFINE, Node.UNDATE, Node.FINISH),
        ],
    )
    graph.add_conditional_edges(Node.FINISH, routes.after_finishing, {Node.REREAD: Node.REREAD, routes.DONE: end})
    for last in (Node.RECALL, Node.JOIN, Node.GREET, Node.REJECT, Node.REREAD):
        graph.add_edge(last, end)


def render_mermaid() -> str:
    """The graph as Mermaid text, for the docs."""
    return str(ask_graph().get_graph().draw_mermaid(with_styles=False))


def _with_settings(
    supply: ContextOf | None, route: Callable[[AskState, WorkflowSettings], Node]
) -> Callable[..., Node]:
    def choose_node(state: AskState, runtime: Runtime[Context]) -> Node:
        return route(state, (supply(state) if supply else runtime.context).workflow)

    choose_node.__name__ = route.__name__
    return choose_node


def _record_node(
    node: Node, body: nodes.Body, supply: ContextOf | None
) -> Callable[[AskState, Runtime[Context]], Update]:
    """``body`` as LangGraph calls it: timed, its decision appended, sent to listeners."""

    def run_node(state: AskState, runtime: Runtime[Context]) -> Update:
        context = supply(state) if supply else runtime.context
        context.run.check_wanted()
        runtime.stream_writer(NodeStarted(node.value))
        context.run.draft_listener = runtime.stream_writer if state["request"].drafts else None
        started, spent = time.perf_counter(), context.run.usage
        with count_processor_time():
            outcome = body(state, context)
        own = Decision(node.value, outcome.outcome, outcome.reason, outcome.scores, time.perf_counter() - started)
        decisions = [*outcome.inner, *context.run.take_notes(), own]
        found = cast(SearchResult | None, outcome.update.get("found")) if node in _SEARCHING else None
        passages = found.passages if found is not None else ()
        usage = context.run.usage.since(spent)
        runtime.stream_writer(NodeFinished(node.value, tuple(decisions), passages, usage))
        return {**outcome.update, "decisions": decisions, "is_out_of_time": context.run.is_out_of_time}

    return run_node


# Run as a module this draws the graph into ``docs/workflow.md``: ``python -m ascertain.workflow.ask.graph FILE``.
#
# The drawing stands between two marks on that page; the rest of the page is left as it is.

DRAWING_BEGINS = "<!-- drawn by `make docs` -->"
DRAWING_ENDS = "<!-- end of drawing -->"


def draw_mermaid() -> str:
    """The graph as a Mermaid block; dotted arrows are taken by a routing function."""
    return f"{DRAWING_BEGINS}\n```mermaid\n{render_mermaid().strip()}\n```\n{DRAWING_ENDS}"


def with_drawing(page: str) -> str:
    """The page with the drawing of the graph as it is now; ValueError without the marks."""
    pattern = re.compile(f"{re.escape(DRAWING_BEGINS)}.*?{re.escape(DRAWING_ENDS)}", re.DOTALL)
    drawn, count = pattern.subn(draw_mermaid().replace("\\", r"\\"), page)
    if count != 1:
        raise ValueError(f"the page must hold {DRAWING_BEGINS} and {DRAWING_ENDS} once")
    return drawn


if __name__ == "__main__":
    file = Path(sys.argv[1])
    file.write_text(with_drawing(file.read_text("utf-8")), "utf-8")
