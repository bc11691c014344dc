"""A server that goes away while a job is at work."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "contract"))

from backend_postgres import backend
from job_process import open_home

from ascertain.app.jobs import work
from ascertain.app.jobs.runner import JobRunner
from ascertain.core.errors import StoreError
from ascertain.core.service.service import JobState

SECONDS = 150.0


def test_a_job_waits_for_a_server_that_comes_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(work, "_STORE_TRIES", 1000)
    monkeypatch.setattr(work, "_FIRST_WAIT_SECONDS", 0.1)
    monkeypatch.setattr(work, "_LONGEST_WAIT_SECONDS", 0.2)
    monkeypatch.setattr("ascertain.app.jobs.runner._TROUBLE_SECONDS", 0.1)
    files = [(f"note{n:02}.txt", [f"Note {n} tells of bridge number {n}.".encode()]) for n in range(30)]
    with backend(tmp_path) as server, open_home(server.settings("jobs"), tmp_path / "kb", 0.1) as knowledge:
        job = knowledge.jobs.submit_files(files)
        runner = JobRunner(knowledge.access)
        runner.start(1)
        until_added(knowledge, 3)
        server.stop()
        with pytest.raises(StoreError):
            knowledge.service.jobs.get(job.id)
        time.sleep(1.0)
        server.start()
        until_added(knowledge, 30)
        deadline = time.monotonic() + SECONDS
        while (done := knowledge.service.jobs.get(job.id)) is None or not done.state.is_ended:
            assert time.monotonic() < deadline
            time.sleep(0.05)
        assert (done.state, done.report["failures"]) == (JobState.FINISHED, [])
        assert len(knowledge.service.files.files()) == 30
        assert runner.stop(SECONDS)


def until_added(knowledge, count: int) -> None:
    deadline = time.monotonic() + SECONDS
    while len(knowledge.documents()) < count:
        assert time.monotonic() < deadline
        time.sleep(0.05)
