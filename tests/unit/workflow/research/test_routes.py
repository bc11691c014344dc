"""Whom the supervisor sends, by tables."""

from datetime import UTC, datetime

import pytest

from ascertain.core.asking.plans import SubQueryType
from ascertain.core.reports.research import (
    MAX_STEPS,
    Agent,
    CheckedReport,
    Draft,
    PaperRecord,
    PaperSearch,
    PlainSummary,
    ResearchPlan,
    ResearchRequest,
    ResearchRun,
    ResearchSource,
    SiteAnalysis,
    StepRecord,
    SubQuestion,
    Synthesis,
)
from ascertain.workflow.research.routes import choose_agent

NOW = datetime(2026, 3, 1, tzinfo=UTC)
ALL = tuple(ResearchSource)
PAGE = "https://example.org/page"
SITE = SiteAnalysis("Page", ("d",), None, (), ("term",))
PLAN = ResearchPlan("what?", (SubQuestion("what?", SubQueryType.FACTUAL, 1),), ("what",))
CLAIMED = ResearchPlan("It is so.", PLAN.sub_questions, ("so",), "It is so.")
PAPER = PaperRecord("2401.00001", "A paper", "It is so.", (), None, ())
FOUND, NONE_FOUND = PaperSearch(("what",), (PAPER,)), PaperSearch(("what",), ())
EMPTY = PlainSummary((), 0.0, 9)
SAID = Synthesis((), ())


def a_run(url=PAGE, sources=ALL, steps=0, **results):
    request = ResearchRequest("r", "what?", url, sources=sources)
    taken = tuple(StepRecord(Agent.PLAN, "", "") for _ in range(steps))
    return ResearchRun(request, NOW, steps=taken, **results)


@pytest.mark.parametrize(
    ("run", "agent"),
    [
        (a_run(), Agent.WEBSITE),
        (a_run(url=None), Agent.PLAN),
        (a_run(sources=(ResearchSource.DOCUMENTS,)), Agent.PLAN),
        (a_run(site=SITE), Agent.PLAN),
        (a_run(site=SITE, plan=PLAN), Agent.ARXIV),
        (a_run(sources=(ResearchSource.WEB,), site=SITE, plan=PLAN), Agent.RETRIEVE),
        (a_run(site=SITE, plan=PLAN, papers=FOUND), Agent.FILTER),
        (a_run(site=SITE, plan=PLAN, papers=NONE_FOUND), Agent.RETRIEVE),
        (a_run(site=SITE, plan=PLAN, papers=FOUND, choices=()), Agent.RETRIEVE),
        (a_run(site=SITE, plan=PLAN, papers=NONE_FOUND, retrieved=()), Agent.RERANK),
        (a_run(site=SITE, plan=PLAN, papers=NONE_FOUND, retrieved=(), ranked=()), Agent.SYNTHESISE),
        (a_run(site=SITE, plan=CLAIMED, papers=NONE_FOUND, retrieved=(), ranked=()), Agent.VALIDATE),
        (a_run(site=SITE, plan=PLAN, papers=NONE_FOUND, retrieved=(), ranked=(), synthesis=SAID), Agent.SIMPLIFY),
        (
            a_run(site=SITE, plan=PLAN, papers=NONE_FOUND, retrieved=(), ranked=(), synthesis=SAID, summary=EMPTY),
            Agent.WRITE,
        ),
        (
            a_run(
                site=SITE,
                plan=PLAN,
                papers=NONE_FOUND,
                retrieved=(),
                ranked=(),
                synthesis=SAID,
                summary=EMPTY,
                draft=Draft("what?", ()),
            ),
            Agent.CHECK,
        ),
        (a_run(report=CheckedReport("what?", EMPTY, (), (), ())), None),
        (a_run(steps=MAX_STEPS - 1), Agent.CHECK),
        (a_run(steps=MAX_STEPS), None),
    ],
)
def test_sends_who_is_due(run, agent):
    choice = choose_agent(run, is_out_of_time=False)
    assert choice.agent is agent
    assert choice.reason


@pytest.mark.parametrize(
    ("run", "agent"),
    [
        (a_run(), Agent.PLAN),
        (a_run(plan=PLAN), Agent.RETRIEVE),
        (a_run(plan=PLAN, retrieved=()), Agent.SYNTHESISE),
        (a_run(plan=PLAN, retrieved=(), synthesis=SAID), Agent.WRITE),
        (a_run(plan=PLAN, retrieved=(), synthesis=SAID, draft=Draft("", ())), Agent.CHECK),
    ],
)
def test_out_of_time_it_leaves_out_what_can_be_but_never_the_fact_checker(run, agent):
    assert choose_agent(run, is_out_of_time=True).agent is agent
