"""Runs on record beside uploaded files: kept, told from other files, each tenant's own."""

from datetime import UTC, datetime, timedelta

import pytest
from small_knowledge import a_document, opened

from ascertain.app.adding.uploads import forget_orphans
from ascertain.core.errors import UsageError
from ascertain.core.reports.research import MAX_STEPS, ResearchMode, StepFinished

TEXT = "The harbour bridge was opened in 1932. It carries eight lanes of traffic and two railway tracks."


@pytest.fixture
def knowledge(tmp_path):
    with opened(tmp_path / "kb") as filled:
        filled.add_documents([a_document("bridge.md", TEXT)])
        yield filled


def test_a_run_stays_when_files_that_belong_to_nothing_are_removed(knowledge, monkeypatch):
    run = knowledge.research.run("When was the harbour bridge opened?", sources=["documents"])

    class Later(datetime):
        @classmethod
        def now(cls, tz=None):
            return datetime(2100, 1, 1, tzinfo=UTC) + timedelta(days=1)

    monkeypatch.setattr("ascertain.app.adding.uploads.datetime", Later)
    knowledge.service.files.put("left-behind", "x", [b"x"], knowledge.container.clock.now())
    forget_orphans(knowledge.service, "default", knowledge.documents)
    assert knowledge.service.files.get("left-behind") is None
    assert knowledge.research.show(run.request.id) == run


def test_runs_of_one_tenant_are_not_there_for_another(knowledge):
    run = knowledge.research.run("When was the harbour bridge opened?", sources=["documents"], run_id="bridge")
    other = knowledge.as_tenant("somebody")
    assert other.research.list_runs() == []
    with pytest.raises(UsageError, match="there is no research run"):
        other.research.show(run.request.id)
    with pytest.raises(UsageError, match="there is no research run 'bridgee'; did you mean bridge"):
        knowledge.research.show("bridgee")


@pytest.mark.parametrize(
    ("subject", "options", "told"),
    [
        ("", {}, "empty"),
        ("x", {"mode": "slow"}, "no mode 'slow'; choose from quick, deep"),
        ("x", {"sources": ["books"]}, "no source 'books'"),
        ("x", {"sources": []}, "needs a source"),
        ("file:///etc/passwd", {}, "file addresses are not read"),
    ],
)
def test_what_cannot_be_looked_into_is_refused_before_anything_is_kept(knowledge, subject, options, told):
    with pytest.raises(UsageError, match=told):
        knowledge.research.start(subject, **options)
    assert knowledge.research.list_runs() == []


def test_a_run_out_of_time_comes_to_a_checked_report_all_the_same(tmp_path):
    with opened(tmp_path / "kb", budget={"seconds": 1e-9}) as hurried:
        hurried.add_documents([a_document("bridge.md", TEXT)])
        events = list(hurried.research.start("When was the bridge opened?", mode=ResearchMode.DEEP))
    steps = [event.step for event in events if isinstance(event, StepFinished)]
    assert [step.agent.value for step in steps] == ["plan", "retrieve", "synthesise", "write", "check"]
    assert all("the time is used up" in step.reason for step in steps[:-1])
    assert len(steps) <= MAX_STEPS
    assert events[-1].run.report is not None


def test_of_two_that_go_on_with_one_run_only_one_does_the_work(knowledge, tmp_path):
    events = knowledge.research.start("When was the harbour bridge opened?", sources=["documents"], run_id="r1")
    next(events)
    with opened(tmp_path / "kb") as other:
        with pytest.raises(UsageError, match="works on research run r1 already"):
            list(other.research.resume("r1"))
        events.close()
        done = list(other.research.resume("r1"))[-1].run
        assert done.report is not None
        agents = [step.agent for step in done.steps]
        assert len(agents) == len(set(agents))
    assert knowledge.research.show("r1").report == done.report
