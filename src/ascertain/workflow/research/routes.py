"""Whom the supervisor sends next, and why: a pure function of the run so far.

Every agent is sent at most once, so a run has at most as many steps as there are agents on its way, and never more
than ``MAX_STEPS``. The fact checker always comes last: when the steps or the time are nearly used up, everything
between is left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ascertain.core.reports.research import MAX_STEPS, Agent, ResearchRun, ResearchSource


@dataclass(frozen=True, slots=True)
class Choice:
    """``agent`` is None at the end."""

    agent: Agent | None
    reason: str


_OPTIONAL = frozenset({Agent.WEBSITE, Agent.ARXIV, Agent.FILTER, Agent.RERANK, Agent.SIMPLIFY})
"""Whom a run that is out of time does without."""


def choose_agent(run: ResearchRun, is_out_of_time: bool) -> Choice:
    """The next agent for ``run``."""
    if run.report is not None:
        return Choice(None, "the fact checker has finished")
    if len(run.steps) >= MAX_STEPS:
        return Choice(None, f"{MAX_STEPS} steps are used up")
    if len(run.steps) == MAX_STEPS - 1:
        return Choice(Agent.CHECK, "the last step is the fact checker's")
    for choice in _list_due(run):
        if not (is_out_of_time and choice.agent in _OPTIONAL):
            reason = f"{choice.reason}; the time is used up" if is_out_of_time else choice.reason
            return Choice(choice.agent, reason)
    return Choice(Agent.CHECK, "everything that goes out is checked against what is stored")


def _list_due(run: ResearchRun) -> Iterator[Choice]:
    """Who has not been sent yet, in the order of the work."""
    request = run.request
    if request.url and ResearchSource.WEB in request.sources and run.site is None:
        yield Choice(Agent.WEBSITE, "a page was given: what it says comes first")
    if run.plan is None:
        yield Choice(Agent.PLAN, "what to look up is not planned yet")
        return
    if ResearchSource.ARXIV in request.sources and run.papers is None:
        yield Choice(Agent.ARXIV, "papers were asked for")
    if run.papers is not None and run.papers.papers and run.choices is None:
        yield Choice(Agent.FILTER, f"{len(run.papers.papers)} papers were found; not all are worth reading")
    if run.retrieved is None:
        yield Choice(Agent.RETRIEVE, f"{len(run.plan.sub_questions)} sub-questions are to be looked up")
        return
    if run.ranked is None:
        yield Choice(Agent.RERANK, "what was found is to be chosen from")
    if run.synthesis is None and run.plan.claim:
        yield Choice(Agent.VALIDATE, "the question asks whether something is true")
        return
    if run.synthesis is None:
        yield Choice(Agent.SYNTHESISE, "what was found is to be brought together")
        return
    if run.summary is None:
        yield Choice(Agent.SIMPLIFY, "the findings are to be rewritten in plain language")
    if run.draft is None:
        yield Choice(Agent.WRITE, "the report is not written yet")
