"""An answer as it comes about: each step while it works, then the answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from ascertain.cli.text import printable

if TYPE_CHECKING:
    from rich.console import Console

    from ascertain.app.results import Event
    from ascertain.cli.invocation import Invocation
    from ascertain.core.answers import Answer, Decision
    from ascertain.core.documents import Document

WORKING = {
    "rewrite": "reading the question",
    "plan": "planning",
    "gather": "gathering every place that names it",
    "strategy": "choosing how to search",
    "expand": "wording it in other ways",
    "retrieve": "searching",
    "judge": "judging what was found",
    "switch": "changing the strategy",
    "refine": "wording it anew",
    "undate": "looking without the dates",
    "classify": "seeing whether it is a new subject",
    "web": "searching the web",
    "generate": "writing",
    "check": "checking every claim",
    "evaluate": "evaluating the answer",
}


def print_stream(
    invocation: Invocation,
    events: Iterable[Event],
    document: Callable[[str], Document | None],
    trace: bool = False,
) -> None:
    """Show progress on standard error and the answer on standard output."""
    from ascertain.app.results import Done, NodeFinished, NodeStarted
    from ascertain.cli.answers import print_answer

    err = invocation.err
    answer: Answer | None = None
    with err.status("", spinner="dots") as status:
        for event in events:
            if isinstance(event, NodeStarted):
                status.update(WORKING.get(event.node, event.node))
            elif isinstance(event, NodeFinished):
                _print_step(err, event.decisions)
            elif isinstance(event, Done):
                answer = event.answer
    if answer is not None:
        print_answer(invocation.out, answer, document, trace)


def _print_step(console: Console, decisions: tuple[Decision, ...]) -> None:
    """The step's own decision, and any fallback or asking of a news provider inside it."""
    for decision in decisions:
        is_told = decision.node == "provider" or decision.outcome.startswith("fell back")
        if decision is decisions[-1] or is_told:
            if decision.node in {"finish", "greet", "reject"}:
                continue
            reason = f" ({decision.reason})" if decision.reason else ""
            console.print(
                printable(f"· {decision.node}: {decision.outcome}{reason}"), style="dim", markup=False
            )
