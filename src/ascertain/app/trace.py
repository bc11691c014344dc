"""The way an answer came about, in one line for people.

``hybrid search found 3 passages, quality 42: missing_key_info → rewrote as “…” → hybrid search found 5 passages, quality 68 →
wrote 2 sentences, 2 of 2 claims supported, score 71 → answered, confidence 64 (medium)``
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ascertain.core.answers import Decision

ARROW = " → "


def readable_path(decisions: Iterable[Decision]) -> str:
    """The decisions of the workflow's nodes as a path; what the steps noted themselves is left to the full record."""
    legs: list[str] = []
    search = ""
    for decision in decisions:
        if decision.node == "retrieve":
            search = decision.reason.partition(",")[0] or "search"
        leg = _leg(decision, search)
        if leg is None:
            continue
        if leg.startswith("+") and legs:
            legs[-1] += f", {leg[1:]}"
        else:
            legs.append(leg.removeprefix("+"))
    return ARROW.join(legs)


def _leg(decision: Decision, search: str) -> str | None:
    """One leg; with ``+`` in front when it goes on with the one before. None for what a reader need not know."""
    outcome, reason = decision.outcome, decision.reason
    if outcome.startswith("fell back"):
        return f"{decision.node} fell back to rules ({reason})"
    told: Mapping[str, str | None] = {
        "rewrite": None if outcome == "as asked" else f"understood as “{outcome}”",
        "plan": outcome,
        "classify": f"{outcome} question ({reason})",
        "web": f"searched the web, {outcome} ({reason})",
        "overview": f"surveyed the themes: {reason}",
        "gather": f"gathered {outcome} ({reason})",
        "retrieve": f"{search} found {outcome}",
        "judge": f"+{outcome}",
        "switch": f"switched to {outcome} search ({reason})",
        "refine": f"rewrote as “{outcome}”",
        "undate": f"dropped the dates ({reason})",
        "generate": f"wrote {outcome}{f' ({reason})' if reason else ''}",
        "check": f"+{outcome}",
        "evaluate": f"+{outcome}",
        "finish": f"{outcome}, {reason}",
        "greet": outcome,
        "reject": f"{outcome}: {reason}",
    }
    return told.get(decision.node)
