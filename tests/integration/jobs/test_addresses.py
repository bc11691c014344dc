"""Addresses fetched and added by a background job."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "servers"))

from small_knowledge import opened
from web_site import Reply, WebSite, article

from ascertain.app.jobs.runner import JobRunner
from ascertain.core.service.service import Job, JobState
from ascertain.core.settings import WebSettings

SECONDS = 150.0
WORDS = "The harbour bridge is closed for repairs that take six weeks, the council said on Monday. " * 4


@pytest.fixture
def site() -> Iterator[WebSite]:
    site = WebSite()
    yield site
    site.close()


@pytest.fixture
def knowledge(tmp_path: Path, site: WebSite):
    web = WebSettings(allowed_hosts=(site.host,), retries=0, timeout_seconds=10)
    with opened(tmp_path / "kb", web=web) as knowledge:
        runner = JobRunner(knowledge.access)
        runner.start(1)
        yield knowledge
        assert runner.stop(SECONDS)


def ended(knowledge, job: Job) -> Job:
    deadline = time.monotonic() + SECONDS
    while True:
        found = knowledge.service.jobs.get(job.id, knowledge.tenant)
        assert found is not None
        if found.state.is_ended:
            return found
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_pages_are_added_and_bad_ones_are_in_the_report(knowledge, site: WebSite) -> None:
    site.pages["/bridge"] = article("The bridge", WORDS)
    site.pages["/gone"] = Reply(b"gone", status=410)
    addresses = [f"{site.url}/bridge", f"{site.url}/gone", "http://10.0.0.1/private"]
    done = ended(knowledge, knowledge.jobs.submit_addresses(addresses, tags=["town"]))
    assert done.state is JobState.FINISHED
    assert (done.report["added"], done.done, done.total) == (1, 3, 3)
    reasons = {failure["source"]: failure["reason"] for failure in done.report["failures"]}
    assert set(reasons) == set(addresses[1:])
    assert "410" in reasons[addresses[1]]
    assert "private" in reasons[addresses[2]]
    indexed = [record for record in knowledge.documents() if record.chunks]
    assert [(record.title, record.tags) for record in indexed] == [("The bridge", ("town",))]


def test_the_pages_of_a_tenant_are_its_own(knowledge, site: WebSite) -> None:
    site.pages["/bridge"] = article("The bridge", WORDS)
    acme = knowledge.as_tenant("acme")
    assert ended(acme, acme.jobs.submit_addresses([f"{site.url}/bridge"])).report["added"] == 1
    assert len(acme.documents()) == 1
    assert knowledge.documents() == []


def test_a_job_is_cancelled_between_two_addresses(knowledge, site: WebSite) -> None:
    made: list[Job] = []

    def answer(asked):
        while not made:
            time.sleep(0.01)
        knowledge.jobs.cancel(made[0].id)
        return article("The bridge", WORDS)

    site.pages["/first"] = answer
    job = knowledge.jobs.submit_addresses([f"{site.url}/first", f"{site.url}/second"])
    made.append(job)
    assert ended(knowledge, job).state is JobState.CANCELLED
    after = knowledge.jobs.submit_addresses([f"{site.url}/third"])
    assert ended(knowledge, after).state is JobState.FAILED
    assert "/second" not in {asked.path for asked in site.asked}
