"""Another course: which search to try after one that was not good enough.

Pure functions over what was wrong and what was tried; the routing functions and the node that changes course share them, so
that a route is only taken when there is something new to do.
"""

from __future__ import annotations

from collections.abc import Iterable

from ascertain.core.judgements import Gap, GapKind, RetrievalIssue
from ascertain.core.passages import Strategy
from ascertain.workflow.ask.state import AskState, Web

MISSED_THE_SUBJECT = frozenset({RetrievalIssue.OFF_TOPIC, RetrievalIssue.WRONG_DOMAIN})
"""What another wording does not mend: the strategy is changed at once (WF-2)."""

_WANTED = {
    RetrievalIssue.MISSING_KEY_INFO: Strategy.SEMANTIC,
    RetrievalIssue.OFF_TOPIC: Strategy.KEYWORD,
    RetrievalIssue.WRONG_DOMAIN: Strategy.KEYWORD,
}
"""The strategy that helps with an issue (WF-4); for the others it is one that was not tried."""
_FOR_GAP = {GapKind.NAME: Strategy.KEYWORD, GapKind.CONCEPT: Strategy.SEMANTIC}
"""A missing name is looked up by words, a missing concept by meaning (RE-8)."""
_ORDER = (Strategy.HYBRID, Strategy.SEMANTIC, Strategy.KEYWORD)


def untried(state: AskState) -> tuple[Strategy, ...]:
    """Strategies that the present wording was not searched with; none when the user chose one."""
    if state["request"].strategy is not None:
        return ()
    query = state["query"]
    tried = {strategy for text, strategy in state["tried"][state["first_search"] :] if text == query}
    return tuple(strategy for strategy in _ORDER if strategy not in tried)


def next_strategy(state: AskState) -> Strategy | None:
    """What to search the present wording with next, by the issues and the gaps; None when all was tried."""
    left = untried(state)
    if not left:
        return None
    wishes = _wishes(state["quality"].issues, state["sufficiency"].gaps)
    return next((strategy for strategy in wishes if strategy in left), left[0])


def can_refine(state: AskState, max_rewrites: int) -> bool:
    """Whether the question may be worded anew."""
    return state["rewrites"] < max_rewrites


def can_drop_dates(state: AskState) -> bool:
    """Whether dates that were read from the question, not set by the user, still limit the search."""
    return state["found"].filter.has_dates and not state["request"].sets_dates and not state["is_undated"]


def can_search_web(state: AskState) -> bool:
    """Whether the web was not searched yet and may be."""
    return state["web"] is Web.OPEN and not state["is_out_of_time"]


def _wishes(issues: Iterable[RetrievalIssue], gaps: Iterable[Gap]) -> Iterable[Strategy]:
    for issue in issues:
        if issue in _WANTED:
            yield _WANTED[issue]
    for gap in gaps:
        if gap.kind in _FOR_GAP:
            yield _FOR_GAP[gap.kind]
