"""The steps of the work in words for people: while they run, and afterwards as the way an answer came about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ascertain.wire.answers import DecisionJson

WORKING: Mapping[str, str] = {
    "cache": "Looking for an earlier answer",
    "rewrite": "Reading the question",
    "plan": "Planning",
    "strategy": "Choosing how to search",
    "expand": "Wording it in other ways",
    "retrieve": "Searching",
    "overview": "Surveying the themes",
    "gather": "Gathering every place that names it",
    "judge": "Judging what was found",
    "switch": "Changing the strategy",
    "refine": "Wording it anew",
    "undate": "Looking without the dates",
    "classify": "Sorting the question",
    "web": "Searching the web",
    "generate": "Writing",
    "check": "Checking every claim",
    "evaluate": "Evaluating the answer",
    "greet": "Replying",
    "reject": "Saying what was searched",
    "finish": "Done",
}


def step_name(node: str) -> str:
    """A step as people call it; a step this page does not know yet keeps its own name."""
    return WORKING.get(node, node.replace("_", " ").capitalize())


def path_rows(decisions: Sequence[DecisionJson]) -> list[dict[str, object]]:
    """Every decision of an answer: what was done, what came of it, why, and what it rests on."""
    return [
        {
            "name": step_name(decision.node),
            "outcome": decision.outcome,
            "reason": decision.reason,
            "detail": _detail(decision),
        }
        for decision in decisions
    ]


def _detail(decision: DecisionJson) -> str:
    scores = [f"{name.replace('_', ' ')} {score:.3g}" for name, score in decision.scores.items()]
    seconds = [f"{decision.seconds:.2f} s"] if decision.seconds >= 0.005 else []
    return " · ".join([*scores, *seconds])
