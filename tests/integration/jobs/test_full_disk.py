"""No space left while files are uploaded, and while they are added."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from job_process import open_home

from ascertain import Ascertain
from ascertain.app.jobs import work
from ascertain.app.jobs.runner import JobRunner
from ascertain.core.errors import StoreError
from ascertain.core.service.service import JobState
from ascertain.core.settings import StoreSettings

SECONDS = 150.0


@pytest.fixture(autouse=True)
def short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(work, "_FIRST_WAIT_SECONDS", 0.01)
    monkeypatch.setattr(work, "_LONGEST_WAIT_SECONDS", 0.05)
    monkeypatch.setattr("ascertain.app.jobs.runner._TROUBLE_SECONDS", 0.05)


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of six megabytes; mounting one needs root."""
    folder = tmp_path / "disk"
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=6m", "tmpfs", str(folder)]
    if os.geteuid() or not shutil.which("mount") or subprocess.run(command, check=False).returncode:
        yield folder
        return
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


def fill(disk: Path, rest: int) -> None:
    """Leave so many bytes of the disk."""
    free = shutil.disk_usage(disk).free
    (disk / "ballast").write_bytes(b"\1" * max(0, free - rest))


def until(happened: Callable[[], bool]) -> None:
    deadline = time.monotonic() + SECONDS
    while not happened():
        assert time.monotonic() < deadline, "it never happened"
        time.sleep(0.02)


def long_text(seed: str) -> list[bytes]:
    return [" ".join(f"{seed}{n} is a word." for n in range(8_000)).encode()]


@pytest.fixture
def knowledge(disk: Path) -> Iterator[Ascertain]:
    with open_home(StoreSettings(), disk / "kb") as knowledge:
        knowledge.set_up()
        yield knowledge


def test_an_upload_that_does_not_fit_is_refused_and_leaves_nothing(disk: Path, knowledge: Ascertain) -> None:
    if not os.path.ismount(disk):
        return
    fill(disk, 1_000_000)
    with pytest.raises(StoreError, match="no space left"):
        knowledge.jobs.submit_files([("small.txt", [b"a small one"]), ("big.txt", [b"x" * 100_000] * 30)])
    assert knowledge.service.files.files() == []
    assert knowledge.service.jobs.jobs() == []
    assert shutil.disk_usage(disk).free > 500_000


def test_a_job_on_a_full_disk_says_so_and_others_go_on_once_there_is_space(disk: Path, knowledge: Ascertain) -> None:
    if not os.path.ismount(disk):
        return
    job = knowledge.jobs.submit_files([("long.txt", long_text("bridge"))])
    fill(disk, 150_000)
    runner = JobRunner(knowledge.access)
    runner.start(1)

    def current() -> tuple[JobState, str]:
        found = knowledge.service.jobs.get(job.id)
        assert found is not None
        return found.state, found.reason

    time.sleep(2.0)
    assert current()[0] is not JobState.FINISHED
    subprocess.run(["mount", "-o", "remount,size=200m", str(disk)], check=True)
    until(lambda: current()[0].is_ended)
    state, reason = current()
    assert state is JobState.FINISHED or "no space left" in reason
    again = knowledge.jobs.submit_files([("long.txt", long_text("tram"))])
    until(lambda: [j.state for j in knowledge.service.jobs.jobs() if j.id == again.id] == [JobState.FINISHED])
    assert runner.stop(SECONDS)
    document = knowledge.document(knowledge.documents()[0].id)
    assert document is not None
    assert document.text.startswith("tram0")
    assert len(knowledge.service.files.files()) == 1
    assert [problem for problem in knowledge.check().problems if "free" not in problem] == []
